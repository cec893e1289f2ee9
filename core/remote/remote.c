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
enum { MEMORY = 128 << 20, KNOWN_MOST = 16, STEP_MS = 50, UNDO_MS = 5000,
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
    PqRemote *r;

    PQ_TRY(PQ_NEW_BUDGET(MEMORY, r, e));
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->block_lock, NULL);
    if (pq_access_new(r->mem, &r->access, e) != PQ_OK) {
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

void pq_remote_forget(PqRemote *r, PqKnowledge what, const char *name)
{
    PqKnown *k;

    pthread_mutex_lock(&r->lock);
    k = find(r, what, name);
    if (k) {
        *k->text = 0;
    }
    pthread_mutex_unlock(&r->lock);
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

/* Under the lock: so many holders more, 1, 0 or -1.  What is known of the name, or NULL. */
static const char *hold(PqRemote *r, PqKnowledge what, const char *name, int more)
{
    PqKnown *k = find(r, what, name);

    if (k && (k->holders || more > 0)) {
        k->holders += (uint32_t)more;
    }
    return k ? k->text : NULL;
}

/* Under the lock, of both halves. */
static bool hold_url(PqRemote *r, const char *name, int more)
{
    const char *url = hold(r, PQ_KNOWN_URL, name, more);

    if (url) {
        hold(r, PQ_KNOWN_NAME, url, more);
    }
    return url != NULL;
}

bool pq_remote_hold(PqRemote *r, const char *name, bool holds)
{
    bool is;

    pthread_mutex_lock(&r->lock);
    is = hold_url(r, name, holds ? 1 : -1);
    pthread_mutex_unlock(&r->lock);
    return is;
}

PqRc pq_remote_name(PqRemote *r, const char *shown, const char *url, PqArena *a,
                    const char **out, PqErr *e)
{
    const char *name;

    pthread_mutex_lock(&r->lock);
    name = hold(r, PQ_KNOWN_NAME, url, 0);
    if (name && hold_url(r, name, 0)) {
        *out = pq_arena_text(a, name, strlen(name), e);
    } else {
        *out = hold(r, PQ_KNOWN_URL, shown, 0)
                   ? pq_arena_printf(a, e, "%s%u", shown, ++r->n_numbers + 1)
                   : pq_arena_text(a, shown, strlen(shown), e);
        if (*out && learn(r, PQ_KNOWN_URL, *out, url, e)) {
            learn(r, PQ_KNOWN_NAME, url, *out, e);
        }
    }
    if (e->rc == PQ_OK) {
        hold_url(r, *out, 1);
    }
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}
