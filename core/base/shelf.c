/*
** shelf.c
*/
#include "core/base/shelf.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    LEAST_BYTES = 1 << 15, MOST_BYTES = 2 << 20, ALL_BYTES = 4 << 20,
    PLACES = 16,
    SLACK = 4                        /* a block may be larger by so a part  */
};

typedef struct Place {
    void  *p;                        /* NULL: empty                         */
    size_t n;
} Place;

/* Nobody waits for the lock: whoever does not get it does without.  (A process
** may be forked while another thread has it.) */
static struct {
    pthread_mutex_t lock;
    _Atomic unsigned n_open;
    Place           places[PLACES];
    size_t          n_bytes;
    unsigned        next;            /* to be thrown out                    */
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *clear(Place *at)
{
    void *p = at->p;

    shelf.n_bytes -= at->n;
    *at = (Place){0};
    return p;
}

void pq_shelf_open(void)
{
    shelf.n_open++;
}

static void clear_unless_open(void)
{
    if (shelf.n_open == 0 && pthread_mutex_trylock(&shelf.lock) == 0) {
        for (unsigned i = 0; i < PLACES; i++) {
            free(clear(&shelf.places[i]));
        }
        pthread_mutex_unlock(&shelf.lock);
    }
}

void pq_shelf_close(void)
{
    shelf.n_open--;
    clear_unless_open();
}

void *pq_shelf_take(size_t n)
{
    Place *best = NULL;
    void *p;

    if (n < LEAST_BYTES || n > MOST_BYTES ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return NULL;
    }
    for (unsigned i = 0; i < PLACES; i++) {
        Place *at = &shelf.places[i];

        if (at->p && at->n >= n && at->n - n <= n / SLACK &&
            (!best || at->n < best->n)) {
            best = at;
        }
    }
    p = best ? clear(best) : NULL;
    pthread_mutex_unlock(&shelf.lock);
    return p;
}

/* An empty place, or one of the others in turn. */
static Place *find_place(void)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (!shelf.places[i].p) {
            return &shelf.places[i];
        }
    }
    shelf.next = (shelf.next + 1) % PLACES;
    return &shelf.places[shelf.next];
}

bool pq_shelf_put(void *p, size_t n)
{
    bool taken;
    void *out;
    Place *at;

    if (n < LEAST_BYTES || n > MOST_BYTES || shelf.n_open == 0 ||
        pthread_mutex_trylock(&shelf.lock) != 0) {
        return false;
    }
    at = find_place();
    out = clear(at);
    taken = shelf.n_bytes + n <= ALL_BYTES;
    if (taken) {
        *at = (Place){p, n};
        shelf.n_bytes += n;
    }
    pthread_mutex_unlock(&shelf.lock);
    free(out);
    clear_unless_open();             /* the last engine may have gone */
    return taken;
}
