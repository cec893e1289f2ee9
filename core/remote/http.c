/*
** http.c - one thread, one curl_multi.
**
** A caller puts an exchange into a list and wakes the thread, which does all
** transfers.  An exchange that is freed while the thread has it is left to it, and
** freed when libcurl has let go of it: so cancelling never waits for a server, or for
** a name to be resolved.
**
** Two ends are hard.  A child of the process that made it has no thread, and the
** lock may have been held at the fork: there neither is touched.  And a library of
** TLS cleans up when the process exits, so threads are ended before that.
*/
#define _GNU_SOURCE
#include "core/remote/http_inside.h"

#include "core/base/clock.h"
#include "core/base/pool.h"
#include "core/base/system.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the thread --------------------------------------------------------------------- */

/* Under the lock. */
static void unlink_exchange(PqHttp *h, PqExchange *x)
{
    PqExchange **at = &h->all;

    while (*at != x) {
        at = &(*at)->next;
    }
    *at = x->next;
}

/* Under the lock.  A thread that was told to stop cleans up what is woken here. */
static void wake(PqHttp *h)
{
    if (!h->stop) {
        h->curl->curl_multi_wakeup(h->multi);
    }
}

/* Under the lock. */
static void fail(PqExchange *x, PqRc rc, const char *why)
{
    x->answer.rc = rc;
    strcpy(x->why, why);
    x->has_ended = true;
}

/* Gives libcurl what is new.  Takes one that was abandoned out of the list, and returns it. */
static PqExchange *look_through(PqHttp *h, bool *stop)
{
    PqExchange *gone = NULL;

    pthread_mutex_lock(&h->lock);
    for (PqExchange *x = h->all; x; x = x->next) {
        if (x->abandoned) {
            gone = x;
        } else if (!x->is_taken && !x->has_ended) {
            x->is_taken = h->curl->curl_multi_add_handle(h->multi, x->easy) == CURLM_OK;
            if (!x->is_taken) {
                fail(x, PQ_BUDGET, PQ_HTTP_NO_MEMORY);
            }
        }
    }
    if (gone) {
        unlink_exchange(h, gone);
    }
    *stop = h->stop;
    pthread_mutex_unlock(&h->lock);
    return gone;
}

static void take_finished(PqHttp *h)
{
    CURLMsg *m;
    int left;

    while ((m = h->curl->curl_multi_info_read(h->multi, &left)) != NULL) {
        PqExchange *x = NULL;

        if (m->msg == CURLMSG_DONE) {
            h->curl->curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &x);
            pq_exchange_conclude(x, m->data.result);
            h->curl->curl_multi_remove_handle(h->multi, x->easy);
            pthread_mutex_lock(&h->lock);
            x->has_ended = true;
            x->is_taken = false;
            pthread_cond_broadcast(&h->changed);
            pthread_mutex_unlock(&h->lock);
        }
    }
}

static const char at_exit[] = "the process ends";

/* What still runs fails.  Connections are closed here, because that may write to them,
** and this thread blocks the signal that a write can raise. */
static void end(PqHttp *h)
{
    h->curl->curl_multi_cleanup(h->multi);
    pthread_mutex_lock(&h->lock);
    for (PqExchange *x = h->all; x; x = x->next) {
        if (!x->has_ended) {
            fail(x, PQ_IO, at_exit);
        }
        x->is_taken = false;
    }
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static void *run(void *http)
{
    enum { WAIT_MS = 1000 };
    PqHttp *h = http;
    bool stop;
    int n;

    for (;;) {
        PqExchange *gone = look_through(h, &stop);

        if (gone) {                  /* of one that has finished libcurl knows nothing */
            h->curl->curl_multi_remove_handle(h->multi, gone->easy);
            pq_exchange_drop(gone);
        } else if (stop) {
            end(h);
            return NULL;
        } else {
            h->curl->curl_multi_perform(h->multi, &n);
            take_finished(h);
            h->curl->curl_multi_poll(h->multi, NULL, 0, WAIT_MS, NULL);
        }
    }
}

/* ---- its ends ------------------------------------------------------------------------- */

static pthread_mutex_t ends_lock = PTHREAD_MUTEX_INITIALIZER;
static PqHttp *living;

/* Under ends_lock. */
static void end_thread(PqHttp *h)
{
    if (!h->stop) {
        pthread_mutex_lock(&h->lock);
        wake(h);
        h->stop = true;
        pthread_mutex_unlock(&h->lock);
        pthread_join(h->thread, NULL);
    }
}

static void end_threads(void)
{
    pthread_mutex_lock(&ends_lock);
    for (PqHttp *h = living; h; h = h->next) {
        end_thread(h);
    }
    pthread_mutex_unlock(&ends_lock);
}

/* In a child the lock may be held by a thread that it does not have. */
static void forget_parent(void)
{
    pthread_mutex_init(&ends_lock, NULL);
    living = NULL;
}

static void register_ends(PqHttp *h)
{
    static bool done;

    pthread_mutex_lock(&ends_lock);
    if (!done) {
        done = atexit(end_threads) == 0 && pthread_atfork(NULL, NULL, forget_parent) == 0;
    }
    h->next = living;
    living = h;
    pthread_mutex_unlock(&ends_lock);
}

/* ---- the callers' side ----------------------------------------------------------------- */

const bool pq_http_has_parts = true;

static bool is_forked(const PqHttp *h)
{
    return h->owner != getpid();
}

PqRc pq_http_ready(PqMem *mem, PqHttp **out, PqErr *e)
{
    static const long KEPT_MOST = 32;        /* connections */
    const PqCurl *curl;
    PqHttp *h;

    if (*out && !is_forked(*out)) {
        return PQ_OK;
    }
    *out = NULL;
    PQ_TRY(pq_curl_load(&curl, e));
    PQ_TRY(PQ_NEW(mem, h, 1, e));
    h->curl = curl;
    h->owner = getpid();
    pthread_mutex_init(&h->lock, NULL);
    pq_clock_cond(&h->changed);
    h->multi = curl->curl_multi_init();
    curl->curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, KEPT_MOST);      /* NULL is refused */
    if (!h->multi || !pq_pool_start_thread(&h->thread, run, h)) {
        curl->curl_multi_cleanup(h->multi);
        pq_mem_free(h);
        return pq_fail(e, PQ_NOMEM, "no thread for requests");
    }
    register_ends(h);
    *out = h;
    return PQ_OK;
}

void pq_http_free(PqHttp *h)
{
    PqHttp **at = &living;

    if (!h || is_forked(h)) {
        return;                      /* its parts belong to the parent      */
    }
    pthread_mutex_lock(&ends_lock);
    end_thread(h);
    while (*at != h) {
        at = &(*at)->next;
    }
    *at = h->next;
    pthread_mutex_unlock(&ends_lock);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    pq_mem_free(h);
}

PqRc pq_http_start(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e)
{
    PqExchange *x, **last;

    *out = NULL;
    PQ_TRY(pq_exchange_new(h, mem, q, &x, e));
    x->answer.may_repeat = pq_fault_io();
    if (x->answer.may_repeat || pq_fault_io()) {
        fail(x, PQ_IO, "Input/output error");
    }
    pthread_mutex_lock(&h->lock);
    for (last = &h->all; *last; last = &(*last)->next) {
    }
    *last = x;                       /* what was asked for first is sent first */
    if (h->stop) {
        fail(x, PQ_IO, at_exit);
    }
    wake(h);
    pthread_mutex_unlock(&h->lock);
    *out = x;
    return PQ_OK;
}

PqHttpAnswer *pq_exchange_wait(PqExchange *x, uint32_t ms)
{
    PqHttp *h = x->http;
    struct timespec until = pq_clock_in_ms(ms);
    bool has_ended;

    if (is_forked(h)) {
        if (!x->has_ended) {
            fail(x, PQ_IO, "another process asked");
            x->answer.may_repeat = true;
        }
        return &x->answer;
    }
    pthread_mutex_lock(&h->lock);
    if (!x->has_ended && ms) {
        pthread_cond_timedwait(&h->changed, &h->lock, &until);
    }
    has_ended = x->has_ended;
    pthread_mutex_unlock(&h->lock);
    return has_ended ? &x->answer : NULL;
}

void pq_exchange_free(PqExchange *x)
{
    PqHttp *h = x ? x->http : NULL;
    bool is_taken;

    if (!x || is_forked(h)) {
        return;
    }
    pthread_mutex_lock(&h->lock);
    is_taken = x->abandoned = x->is_taken;
    if (is_taken) {
        wake(h);
    } else {
        unlink_exchange(h, x);
    }
    pthread_mutex_unlock(&h->lock);
    if (!is_taken) {
        pq_exchange_drop(x);
    }
}
