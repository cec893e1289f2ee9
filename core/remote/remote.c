/*
** remote.c - made with the connection, and what it learns meanwhile.
*/
#include "core/remote/remote.h"

#include "core/remote/remote_source.h"

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/secret.h"
#include "core/numbering/hash.h"

#include <stdlib.h>
#include <time.h>

/* Blocks of files that were fetched may take so much; the other half is for
** answers that are on their way. */
enum { MEMORY = 128 << 20, KNOWN_MOST = 16, STEP_MS = 50, UNDO_MS = 5000,
       UNDO_CLOSED_MS = 1000, NUMBERS = 1000000 };

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
    PqRemote *r;

    PQ_TRY(PQ_NEW_BUDGET(MEMORY, r, e));
    pq_random_fill(&r->seed, sizeof r->seed, e);
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->block_lock, NULL);
    if (e->rc != PQ_OK || pq_access_new(r->mem, &r->access, e) != PQ_OK) {
        pq_remote_free(r);
        return e->rc;
    }
    pq_remote_enter(r);
    *out = r;
    return PQ_OK;
}

static void forget(PqKnown *k)                           /* k may be NULL */
{
    if (k) {
        pq_wipe(k->name, strlen(k->name));
        pq_wipe(k->text, strlen(k->text));
        pq_mem_free(k);
    }
}

void pq_remote_free(PqRemote *r)
{
    if (r) {
        pq_remote_keep_files(r, 0);
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
    }
}

void pq_remote_enter(PqRemote *r)
{
    r->host = pthread_self();
}

PqRc pq_remote_http(PqRemote *r, PqHttp **out, PqErr *e)
{
    pthread_mutex_lock(&r->lock);
    pq_http_ready(r->mem, &r->http, e);
    *out = r->http;
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}

const _Atomic bool pq_remote_undoes = false;

void pq_remote_undo_begin(PqRemote *r)
{
    r->undo_end = r->is_closing ? r->undo_end : pq_clock_ms() + UNDO_MS;
}

void pq_remote_close(PqRemote *r)
{
    r->is_closing = true;
    r->undo_end = pq_clock_ms() + UNDO_CLOSED_MS;
}

PqRc pq_remote_poll(PqRemote *r, const _Atomic bool *stopped, PqErr *e)
{
    bool undoes = stopped == &pq_remote_undoes;

    if (undoes ? pq_clock_ms() >= r->undo_end : stopped && *stopped) {
        return pq_fail(e, PQ_STOPPED, "interrupted");
    }
    return !undoes && pthread_equal(r->host, pthread_self()) ? pq_stop_poll(&r->stop, e) : PQ_OK;
}

PqRc pq_remote_pause(PqRemote *r, const _Atomic bool *stopped, uint32_t ms, PqErr *e)
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

static PqKnown **list_of(PqRemote *r, const char *name)
{
    return &r->known[pq_hash_bytes(name, strlen(name)) % PQ_KNOWN_LISTS];
}

/* Under the lock.  What is known of a name, which becomes the newest of its list; NULL:
** nothing is.  On the way what is beyond KNOWN_MOST is forgotten. */
static PqKnown *find(PqRemote *r, PqKnowledge what, const char *name)
{
    PqKnown **list = list_of(r, name), **at = list, *k;
    uint32_t n = 0;

    while ((k = *at) != NULL && (k->what != what || strcmp(k->name, name) != 0)) {
        if (k->holders || ++n <= KNOWN_MOST) {
            at = &k->older;
        } else {
            *at = k->older;
            forget(k);
        }
    }
    if (k) {
        *at = k->older;
        k->older = *list;
        *list = k;
    }
    return k;
}

PqRc pq_remote_recall(PqRemote *r, PqKnowledge what, const char *name, PqArena *a,
                      const char **out, PqErr *e)
{
    const PqKnown *k;

    pthread_mutex_lock(&r->lock);
    k = find(r, what, name);
    *out = k ? pq_arena_text(a, k->text, strlen(k->text), e) : "";
    pthread_mutex_unlock(&r->lock);
    return *out ? PQ_OK : e->rc;
}

/* Under the lock.  In the place of what was known. */
static PqKnown *learn(PqRemote *r, PqKnowledge what, const char *name, const char *text, PqErr *e)
{
    size_t n = strlen(name) + 1, n_text = strlen(text) + 1;
    PqKnown *k = pq_mem_alloc(r->mem, sizeof *k + n + n_text, e), *old, **list;

    if (k) {
        old = find(r, what, name);
        list = list_of(r, name);
        *k = (PqKnown){.what = what, .text = k->name + n, .older = old ? old->older : *list};
        memcpy(k->name, name, n);
        memcpy(k->text, text, n_text);
        *list = k;
        forget(old);
    }
    return k;
}

PqRc pq_remote_learn(PqRemote *r, PqKnowledge what, const char *name, const char *text, PqErr *e)
{
    pthread_mutex_lock(&r->lock);
    learn(r, what, name, text, e);
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}

bool pq_remote_hold(PqRemote *r, const char *name, bool holds)
{
    PqKnown *k;

    pthread_mutex_lock(&r->lock);
    k = find(r, PQ_KNOWN_URL, name);
    if (k && (holds || k->holders)) {
        k->holders = holds ? k->holders + 1 : k->holders - 1;
    }
    pthread_mutex_unlock(&r->lock);
    return k != NULL;
}

/* The number comes from the URL, which may be a secret: so nobody else can make it. */
PqRc pq_remote_name(PqRemote *r, const char *shown, const char *url, PqArena *a,
                    const char **out, PqErr *e)
{
    uint64_t number = pq_hash_seeded(url, strlen(url), r->seed) % NUMBERS;
    PqKnown *k = NULL;

    *out = shown;
    pthread_mutex_lock(&r->lock);
    while (*out && (k = find(r, PQ_KNOWN_URL, *out)) != NULL && strcmp(k->text, url) != 0) {
        *out = pq_arena_printf(a, e, "%s%u", shown, (unsigned)number++);
    }
    k = *out && !k ? learn(r, PQ_KNOWN_URL, *out, url, e) : k;
    if (e->rc == PQ_OK) {
        k->holders++;
    }
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}
