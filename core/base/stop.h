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
