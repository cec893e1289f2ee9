/*
** remote.c - made with the connection, and what it learns meanwhile.
*/
#include "core/remote/remote.h"

#include "core/remote/remote_source.h"

#include "core/base/clock.h"
#include "core/base/secret.h"
#include "core/numbering/hash.h"

#include <stdlib.h>
#include <time.h>

/* Blocks of files that were fetched may take so much; the other half is for
** answers that are on their way. */
enum { MEMORY = 128 << 20, KNOWN_MOST = 32, STEP_MS = 50, UNDO_MS = 5000,
       UNDO_CLOSED_MS = 1000 };

typedef struct PqKnown PqKnown;

struct PqKnown {
    PqKnown    *older;
    PqKnowledge what;
    uint32_t    holders;             /* while there are any, it is not forgotten */
    char       *text;                /* after the name                           */
    char        name[];
};

PqRc pq_remote_new(PqRemote **out, PqErr *e)
{
    PqMem *mem = pq_mem_new(MEMORY);
    PqRemote *r = mem ? pq_mem_zeros(mem, 1, sizeof *r, e) : NULL;

    *out = NULL;
    if (!r) {
        pq_mem_release(mem);
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    r->mem = mem;
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->block_lock, NULL);
    if (pq_access_new(mem, &r->access, e) != PQ_OK) {
        pq_remote_free(r);
        return e->rc;
    }
    pq_remote_enter(r);
    *out = r;
    return PQ_OK;
}

static void forget(PqKnown *k)
{
    pq_wipe(k->text, strlen(k->text));
    pq_mem_free(k);
}

void pq_remote_free(PqRemote *r)
{
    if (r) {
        PqMem *mem = r->mem;

        pq_remote_forget_files(r);
        pq_http_free(r->http);
        pq_access_free(r->access);
        for (size_t i = 0; i < PQ_KNOWN_LISTS; i++) {
            for (PqKnown *k = r->known[i], *older; k; k = older) {
                older = k->older;
                forget(k);
            }
        }
        pthread_mutex_destroy(&r->lock);
        pthread_mutex_destroy(&r->block_lock);
        pq_mem_free(r);
        pq_mem_release(mem);
    }
}

void pq_remote_enter(PqRemote *r)
{
    r->host = pthread_self();
}

PqRc pq_remote_http(PqRemote *r, PqHttp **out, PqErr *e)
{
    pthread_mutex_lock(&r->lock);
    if (!r->http || pq_http_is_forked(r->http)) {
        pq_http_new(r->mem, &r->http, e);
    }
    *out = r->http;
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}

const _Atomic bool pq_remote_undoes = false;

void pq_remote_undo_begin(PqRemote *r)
{
    r->undo_end = pq_clock_ms() + UNDO_MS;
}

int64_t pq_remote_undo_end(const PqRemote *r)
{
    int64_t closed = r->closed ? r->closed + UNDO_CLOSED_MS : INT64_MAX;

    return closed < r->undo_end ? closed : r->undo_end;
}

void pq_remote_close(PqRemote *r)
{
    r->closed = pq_clock_ms();
}

PqRc pq_remote_poll(PqRemote *r, const _Atomic bool *stopped, PqErr *e)
{
    bool undoes = stopped == &pq_remote_undoes;

    if (undoes ? pq_clock_ms() >= pq_remote_undo_end(r) : stopped && *stopped) {
        return pq_fail(e, PQ_STOPPED, "interrupted");
    }
    return !undoes && pthread_equal(r->host, pthread_self()) ? pq_stop_poll(&r->stop, e)
                                                              : PQ_OK;
}

PqRc pq_remote_pause(PqRemote *r, const _Atomic bool *stopped, uint32_t ms,
                     PqErr *e)
{
    while (ms) {
        uint32_t some = ms < STEP_MS ? ms : STEP_MS;
        struct timespec t = {.tv_nsec = (long)some * 1000000};

        PQ_TRY(pq_remote_poll(r, stopped, e));
        nanosleep(&t, NULL);
        ms -= some;
    }
    return PQ_OK;
}

/* ---- what was learned ------------------------------------------------------------ */

/* The list that has a name.  One that was given a number is in the list of the name
** without. */
static PqKnown **list_of(PqRemote *r, const char *name)
{
    return &r->known[pq_hash_bytes(name, strcspn(name, "?")) % PQ_KNOWN_LISTS];
}

/* Takes what is known of a name out of the list; NULL: nothing is.  On its way it forgets
** what is beyond KNOWN_MOST. */
static PqKnown *take(PqRemote *r, PqKnowledge what, const char *name)
{
    uint32_t n = 0;
    PqKnown **at, *k;

    for (at = list_of(r, name); (k = *at);) {
        if (k->what == what && strcmp(k->name, name) == 0) {
            *at = k->older;
            return k;
        }
        if (++n > KNOWN_MOST && !k->holders) {
            *at = k->older;
            forget(k);
        } else {
            at = &k->older;
        }
    }
    return NULL;
}

static void put(PqRemote *r, PqKnown *k)
{
    PqKnown **list = list_of(r, k->name);

    k->older = *list;
    *list = k;
}

static PqKnown *new_known(PqRemote *r, PqKnowledge what, const char *name,
                          const char *text, PqErr *e)
{
    size_t n = strlen(name) + 1, n_text = strlen(text) + 1;
    PqKnown *k = pq_mem_alloc(r->mem, sizeof *k + n + n_text, e);

    if (!k) {
        return NULL;
    }
    *k = (PqKnown){.what = what, .text = k->name + n};
    memcpy(k->name, name, n);
    memcpy(k->text, text, n_text);
    return k;
}

PqRc pq_remote_recall(PqRemote *r, PqKnowledge what, const char *name, PqArena *a,
                      const char **out, PqErr *e)
{
    PqKnown *k;

    *out = "";
    pthread_mutex_lock(&r->lock);
    k = take(r, what, name);
    if (k) {
        *out = pq_arena_text(a, k->text, strlen(k->text), e);
        put(r, k);
    }
    pthread_mutex_unlock(&r->lock);
    return *out ? PQ_OK : e->rc;
}

void pq_remote_forget(PqRemote *r, PqKnowledge what, const char *name,
                      const char *text)
{
    PqKnown *k;

    pthread_mutex_lock(&r->lock);
    k = take(r, what, name);
    if (k && strcmp(k->text, text) == 0) {
        forget(k);
    } else if (k) {
        put(r, k);
    }
    pthread_mutex_unlock(&r->lock);
}

bool pq_remote_hold(PqRemote *r, PqKnowledge what, const char *name, bool holds)
{
    PqKnown *k;

    pthread_mutex_lock(&r->lock);
    k = take(r, what, name);
    if (k) {
        k->holders += holds ? 1 : k->holders ? UINT32_MAX : 0;
        put(r, k);
    }
    pthread_mutex_unlock(&r->lock);
    return k != NULL;
}

PqRc pq_remote_learn(PqRemote *r, PqKnowledge what, const char *name,
                     const char *text, PqErr *e)
{
    PqKnown *k = new_known(r, what, name, text, e), *old;

    if (!k) {
        return e->rc;
    }
    pthread_mutex_lock(&r->lock);
    old = take(r, what, name);
    if (old) {
        forget(old);
    }
    put(r, k);
    pthread_mutex_unlock(&r->lock);
    return PQ_OK;
}

PqRc pq_remote_name(PqRemote *r, PqKnowledge what, const char *name, const char *text,
                    PqArena *a, const char **out, PqErr *e)
{
    size_t n = strlen(name);
    unsigned long most = 0;          /* of the numbers; the name itself is 1 */
    PqKnown *k;

    pthread_mutex_lock(&r->lock);
    for (k = *list_of(r, name); k; k = k->older) {
        if (k->what == what && strncmp(k->name, name, n) == 0) {
            unsigned long number = k->name[n] ? strtoul(k->name + n, NULL, 10) : 1;

            if (strcmp(k->text, text) == 0) {
                break;
            }
            most = number > most ? number : most;
        }
    }
    *out = k ? pq_arena_text(a, k->name, strlen(k->name), e)
           : most ? pq_arena_printf(a, e, "%s%lu", name, most + 1)
                  : pq_arena_text(a, name, n, e);
    if (!k && *out && (k = new_known(r, what, *out, text, e))) {
        put(r, k);
    }
    if (k) {
        k->holders += *out != NULL;
    }
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}
