/*
** stop.h - has the user interrupted the statement?
**
** Long work asks now and then, and gives up with PQ_STOPPED.  The promise is a
** tenth of a second, so long work is done in steps, and a step takes a few
** milliseconds on any machine:
**
**   [step] ask [step] ask [step] ask ...      PQ_STEP_BYTES each
**
** Asking costs some tens of nanoseconds.
*/
#ifndef PQ_STOP_H
#define PQ_STOP_H

#include "core/base/err.h"

#include <stdatomic.h>
#include <string.h>

typedef struct PqStop {
    bool (*asked)(void *arg);        /* NULL: never */
    void  *arg;
} PqStop;

enum { PQ_STEP_BYTES = 1 << 20 };

/* PQ_STOPPED when the user has interrupted.  stop may be NULL: never. */
static inline PqRc pq_stop_poll(const PqStop *stop, PqErr *e)
{
    return stop && stop->asked && stop->asked(stop->arg)
               ? pq_fail(e, PQ_STOPPED, "interrupted") : PQ_OK;
}

/* For work on several threads: only the host's own may ask the host whether to stop, and the
** others see what it was told. */
typedef struct PqSharedStop {
    PqStop       host;
    _Atomic bool stopped;            /* by the host, or because something failed */
} PqSharedStop;

static inline bool pq_shared_stop_is(void *shared)
{
    return atomic_load_explicit(&((PqSharedStop *)shared)->stopped, memory_order_relaxed);
}

static inline bool pq_shared_stop_ask(void *shared)
{
    PqSharedStop *s = shared;

    if (!pq_shared_stop_is(s) && s->host.asked && s->host.asked(s->host.arg)) {
        s->stopped = true;
    }
    return pq_shared_stop_is(s);
}

/* What a thread asks. */
static inline PqStop pq_shared_stop(PqSharedStop *s, bool is_host)
{
    return (PqStop){is_host ? pq_shared_stop_ask : pq_shared_stop_is, s};
}

/* memset in steps: memory that was not touched before is slow. */
static inline PqRc pq_stop_fill(const PqStop *stop, void *p, int byte, size_t n,
                                PqErr *e)
{
    for (size_t at = 0; at < n; at += PQ_STEP_BYTES) {
        size_t some = n - at < PQ_STEP_BYTES ? n - at : PQ_STEP_BYTES;

        memset((char *)p + at, byte, some);
        if (pq_stop_poll(stop, e) != PQ_OK) {
            return e->rc;
        }
    }
    return PQ_OK;
}

#endif
