/*
** free_blocks.c - a short list of free blocks, the oldest first.
**
** What is hard is that it is global.  A process may fork while another thread
** holds the lock, so no thread waits for it: one that does not get it asks the host
** instead.  And the last engine may close while the lock is
** held, so the thread that unlocks checks once more whether the list has to be
** shortened.
*/
#include "core/base/free_blocks.h"

#include "core/base/raw_block.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    LEAST_BYTES = 1 << 15, MOST_BYTES = 8 << 20, ALL_BYTES = 16 << 20,
    PLACES = 48,
    SLACK = 4                        /* a block may be larger by a quarter  */
};

typedef struct Place {
    void  *p;
    size_t n;
    bool   mapped;
} Place;

static struct {
    pthread_mutex_t lock;
    _Atomic unsigned n_open;
    Place           places[PLACES];  /* oldest first                        */
    unsigned        n;
    size_t          n_bytes;
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t pq_free_blocks_kept = 4 << 20;

static Place clear(unsigned i)
{
    Place was = shelf.places[i];

    shelf.n_bytes -= was.n;
    shelf.n--;
    memmove(&shelf.places[i], &shelf.places[i + 1],
            (shelf.n - i) * sizeof *shelf.places);
    return was;
}

static void discard(Place was)
{
    pq_raw_free(was.p, was.n, was.mapped);
}

void pq_free_blocks_open(void)
{
    shelf.n_open++;
}

static void shorten_unless_open(void)
{
    if (shelf.n_open == 0 && pthread_mutex_trylock(&shelf.lock) == 0) {
        while (shelf.n_bytes > pq_free_blocks_kept) {
            discard(clear(0));
        }
        pthread_mutex_unlock(&shelf.lock);
    }
}

/* The last engine may have closed in the meantime without getting the lock. */
static void unlock(void)
{
    pthread_mutex_unlock(&shelf.lock);
    shorten_unless_open();
}

void pq_free_blocks_close(void)
{
    shelf.n_open--;
    shorten_unless_open();
}

/* The smallest block with room for n bytes and not many more; shelf.n if there
** is none. */
static unsigned find(size_t n)
{
    unsigned best = shelf.n;

    for (unsigned i = 0; i < shelf.n; i++) {
        size_t has = shelf.places[i].n;

        if (has >= n && has - n <= n / SLACK &&
            (best == shelf.n || has < shelf.places[best].n)) {
            best = i;
        }
    }
    return best;
}

/* A block comes back with the size that was asked for.  So a larger one is cut:
** its rest would be memory that nobody counts. */
static void *cut(Place was, size_t n, bool *mapped)
{
    void *less;

    *mapped = was.mapped;
    less = was.n > n ? pq_raw_resize(was.p, was.n, n, mapped) : NULL;
    return less ? less : was.p;
}

/* All free blocks go back: a block is needed that is larger than they are together. */
static void make_way(void)
{
    Place out[PLACES];
    unsigned n_out = 0;

    if (pthread_mutex_trylock(&shelf.lock) == 0) {
        while (shelf.n > 0) {
            out[n_out++] = clear(0);
        }
        unlock();
    }
    while (n_out > 0) {
        discard(out[--n_out]);
    }
}

void *pq_free_blocks_take(size_t n, bool *mapped)
{
    Place was = {0};
    unsigned at;

    if (n > ALL_BYTES) {
        make_way();
    }
    if (n < LEAST_BYTES || n > MOST_BYTES ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return NULL;
    }
    at = find(n);
    if (at < shelf.n) {
        was = clear(at);
    }
    unlock();
    return was.p ? cut(was, n, mapped) : NULL;
}

bool pq_free_blocks_put(void *p, size_t n, bool mapped)
{
    Place out[PLACES];
    unsigned n_out = 0;

    if (n < LEAST_BYTES || n > MOST_BYTES || shelf.n_open == 0 ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return false;
    }
    while (shelf.n == PLACES || shelf.n_bytes + n > ALL_BYTES) {
        out[n_out++] = clear(0);
    }
    shelf.places[shelf.n++] = (Place){p, n, mapped};
    shelf.n_bytes += n;
    unlock();
    while (n_out > 0) {
        discard(out[--n_out]);
    }
    return true;
}
