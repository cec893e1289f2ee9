/*
** shelf.c
*/
#include "core/base/shelf.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BYTES = 1 << 15, MOST_BYTES = 2 << 20, ALL_BYTES = 4 << 20,
    PLACES = 16,
    SLACK = 4                        /* a block may be larger by so a part  */
};

typedef struct Place {
    void  *p;
    size_t n;
} Place;

/* Nobody waits for the lock: whoever does not get it does without.  (A process
** may be forked while another thread has it.) */
static struct {
    pthread_mutex_t lock;
    _Atomic unsigned n_open;
    Place           places[PLACES];  /* the first has lain there longest    */
    unsigned        n;
    size_t          n_bytes;
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *clear(unsigned i)
{
    void *p = shelf.places[i].p;

    shelf.n_bytes -= shelf.places[i].n;
    shelf.n--;
    memmove(&shelf.places[i], &shelf.places[i + 1],
            (shelf.n - i) * sizeof *shelf.places);
    return p;
}

void pq_shelf_open(void)
{
    shelf.n_open++;
}

static void clear_unless_open(void)
{
    if (shelf.n_open == 0 && pthread_mutex_trylock(&shelf.lock) == 0) {
        while (shelf.n > 0) {
            free(clear(shelf.n - 1));
        }
        pthread_mutex_unlock(&shelf.lock);
    }
}

/* Meanwhile the last engine may have gone, and not got the lock. */
static void unlock(void)
{
    pthread_mutex_unlock(&shelf.lock);
    clear_unless_open();
}

void pq_shelf_close(void)
{
    shelf.n_open--;
    clear_unless_open();
}

/* The smallest that has room for n bytes, and not many more; shelf.n: none. */
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

/* A block will be given back as one of the size that was asked for: the rest
** would be memory that nobody counts, and more of it each time. */
static void *cut(void *p, size_t n)
{
    void *less = realloc(p, n);

    if (!less) {
        return p;
    }
    return less;
}

void *pq_shelf_take(size_t n)
{
    void *p = NULL;
    size_t has = 0;
    unsigned at;

    if (n < LEAST_BYTES || n > MOST_BYTES ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return NULL;
    }
    at = find(n);
    if (at < shelf.n) {
        has = shelf.places[at].n;
        p = clear(at);
    }
    unlock();
    return has > n ? cut(p, n) : p;
}

bool pq_shelf_put(void *p, size_t n)
{
    void *out[PLACES];
    unsigned n_out = 0;

    if (n < LEAST_BYTES || n > MOST_BYTES || shelf.n_open == 0 ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return false;
    }
    while (shelf.n == PLACES || shelf.n_bytes + n > ALL_BYTES) {
        out[n_out++] = clear(0);
    }
    shelf.places[shelf.n++] = (Place){p, n};
    shelf.n_bytes += n;
    unlock();
    while (n_out > 0) {
        free(out[--n_out]);
    }
    return true;
}
