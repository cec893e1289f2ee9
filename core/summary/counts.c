/*
** counts.c - the table: open addressing, at most three quarters full.
**
** The hashes are known to whoever makes a file, who can choose values that all
** begin at one place.  When far more places are looked at than good hashes need,
** the places are chosen anew, with a seed that nobody knows.
*/
#include "core/summary/counts.h"

#include "core/base/random.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL               /* short texts: no call for each */
#include <xxhash.h>

enum {
    FIRST_PLACES = 1 << 8, SAMPLED = 255, AHEAD = 8,
    FAIR_PROBES = 64,                /* for a value: good hashes need 8     */
    SPARE_PROBES = 1 << 16
};

void pq_counts_init(PqCounts *c, PqMem *mem, bool of_bytes)
{
    *c = (PqCounts){.mem = mem, .of_bytes = of_bytes};
    pq_arena_init(&c->texts, mem);
}

void pq_counts_free(PqCounts *c)
{
    pq_mem_free(c->places);
    pq_arena_free(&c->texts);
    pq_counts_init(c, c->mem, c->of_bytes);
}

void pq_counts_hash_ints(const int64_t *v, uint32_t n, uint64_t *hashes)
{
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = pq_counts_hash(v[i]);
    }
}

void pq_counts_hash_bytes(const PqStr *v, uint32_t n, uint64_t *hashes)
{
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = XXH3_64bits(v[i].p, v[i].n);
    }
}

/* ---- places --------------------------------------------------------------- */

static inline uint32_t mark_of(const PqCounts *c, uint64_t hash)
{
    return (uint32_t)(c->seed ? pq_counts_hash((int64_t)(hash ^ c->seed))
                              : hash);
}

static PqCount *free_place(PqCount *places, uint32_t n_places, uint32_t mark)
{
    uint32_t at = mark & (n_places - 1);

    while (places[at].count) {
        at = (at + 1) & (n_places - 1);
    }
    return &places[at];
}

/* All values get places by their marks, of which there are so many. */
static PqRc move(PqCounts *c, uint32_t n_places, PqErr *e)
{
    PqCount *places = pq_mem_zeros(c->mem, n_places, sizeof *places, e);

    if (!places) {
        return e->rc;
    }
    for (uint32_t i = 0; i < c->n_places; i++) {
        if (c->places[i].count) {
            *free_place(places, n_places, c->places[i].mark) = c->places[i];
        }
    }
    pq_mem_free(c->places);
    c->places = places;
    c->n_places = n_places;
    return PQ_OK;
}

/* Room for n more values. */
static PqRc need_room(PqCounts *c, uint32_t n, PqErr *e)
{
    uint32_t n_places = c->n_places ? c->n_places : FIRST_PLACES;

    while ((uint64_t)n_places * 3 < ((uint64_t)c->n + n) * 4) {
        n_places *= 2;
    }
    return n_places == c->n_places ? PQ_OK : move(c, n_places, e);
}

uint64_t pq_counts_hash_of(const PqCounts *c, const PqCount *p)
{
    PqStr text = {.p = p->key.p, .n = p->n};
    uint64_t hash;

    if (!c->of_bytes) {
        return pq_counts_hash(p->key.i);
    }
    pq_counts_hash_bytes(&text, 1, &hash);
    return hash;
}

/* n values were added.  Chooses the places anew if too many were looked at. */
static PqRc note_added(PqCounts *c, uint32_t n, PqErr *e)
{
    c->n_added += n;
    if (c->seed || c->probes <= c->n_added * FAIR_PROBES + SPARE_PROBES) {
        return PQ_OK;
    }
    PQ_TRY(pq_random_fill(&c->seed, sizeof c->seed, e));
    c->seed |= 1;                    /* 0 is none */
    for (uint32_t i = 0; i < c->n_places; i++) {
        PqCount *p = &c->places[i];

        p->mark = p->count ? mark_of(c, pq_counts_hash_of(c, p)) : 0;
    }
    return move(c, c->n_places, e);
}

/* ---- adding --------------------------------------------------------------- */

/* The place of value i + AHEAD is fetched while value i is looked for. */
static inline void fetch_ahead(const PqCounts *c, const uint64_t *hashes,
                               uint32_t i, uint32_t n)
{
    if (i + AHEAD < n) {
        __builtin_prefetch(&c->places[mark_of(c, hashes[i + AHEAD]) &
                                      (c->n_places - 1)]);
    }
}

/* The place of a value; its count is 0 if it is new. */
static inline PqCount *place_of_int(PqCounts *c, int64_t v, uint32_t mark)
{
    uint32_t last = c->n_places - 1, at = mark & last;

    while (c->places[at].count && c->places[at].key.i != v) {
        at = (at + 1) & last;
        c->probes++;
    }
    return &c->places[at];
}

static inline PqCount *place_of_text(PqCounts *c, PqStr v, uint32_t mark)
{
    uint32_t last = c->n_places - 1, at = mark & last;

    for (;; at = (at + 1) & last, c->probes++) {
        PqCount *p = &c->places[at];

        if (!p->count || (p->mark == mark && p->n == v.n &&
                          (v.n == 0 || memcmp(p->key.p, v.p, v.n) == 0))) {
            return p;
        }
    }
}

static PqRc keep_text(PqCounts *c, PqStr v, PqCount *at, uint32_t mark,
                      PqErr *e)
{
    uint8_t *p = pq_arena_bytes(&c->texts, v.n + 1u, e);

    if (!p) {
        return e->rc;
    }
    if (v.n) {
        memcpy(p, v.p, v.n);
    }
    p[v.n] = 0;
    *at = (PqCount){.key.p = p, .n = v.n, .base = c->lost, .mark = mark};
    c->n++;
    c->n_bytes += v.n + 1u;
    return PQ_OK;
}

PqRc pq_counts_add(PqCounts *c, const int64_t *v, const uint64_t *hashes,
                   const uint64_t *counts, uint32_t n, PqErr *e)
{
    PQ_TRY(need_room(c, n, e));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mark = mark_of(c, hashes[i]);
        PqCount *p;

        fetch_ahead(c, hashes, i, n);
        p = place_of_int(c, v[i], mark);
        if (!p->count) {
            *p = (PqCount){.key.i = v[i], .base = c->lost, .mark = mark};
            c->n++;
        }
        p->count += counts ? counts[i] : 1;
    }
    return note_added(c, n, e);
}

PqRc pq_counts_add_bytes(PqCounts *c, const PqStr *v, const uint64_t *hashes,
                         const uint64_t *counts, uint32_t n, PqErr *e)
{
    PQ_TRY(need_room(c, n, e));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mark = mark_of(c, hashes[i]);
        PqCount *p;

        fetch_ahead(c, hashes, i, n);
        if (v[i].n > PQ_COUNTS_LONGEST) {
            c->n_long += counts ? counts[i] : 1;
            continue;
        }
        p = place_of_text(c, v[i], mark);
        if (!p->count) {
            PQ_TRY(keep_text(c, v[i], p, mark, e));
        }
        p->count += counts ? counts[i] : 1;
    }
    return note_added(c, n, e);
}

/* ---- removing ------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* About the median of what the values may have occurred at most.  Places are in
** the order of hashes, so the first ones are as good as any. */
static uint64_t middle(const PqCounts *c)
{
    uint64_t some[SAMPLED];
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_places && n < SAMPLED; i++) {
        if (c->places[i].count) {
            some[n++] = c->places[i].count + c->places[i].base;
        }
    }
    if (n == 0) {
        return 0;
    }
    qsort(some, n, sizeof *some, by_size);
    return some[n / 2];
}

/* Copies what occurred more often than `most` into a table that has room for
** what comes until the next cut. */
static PqRc keep_above(PqCounts *c, uint64_t most, uint32_t left, PqErr *e)
{
    PqCounts to;
    PqRc rc = PQ_OK;

    pq_counts_init(&to, c->mem, c->of_bytes);
    to.lost = most > c->lost ? most : c->lost;
    to.n_long = c->n_long;
    to.seed = c->seed;
    to.probes = c->probes;
    to.n_added = c->n_added;
    PQ_GO(need_room(&to, left * 2 + left / 2, e));
    for (uint32_t i = 0; i < c->n_places; i++) {
        const PqCount *from = &c->places[i];
        PqCount *at;

        if (!from->count || from->count + from->base <= most) {
            continue;
        }
        PQ_GO(need_room(&to, 1, e));
        at = free_place(to.places, to.n_places, from->mark);
        if (c->of_bytes) {
            PqStr text = {.p = from->key.p, .n = from->n};

            PQ_GO(keep_text(&to, text, at, from->mark, e));
            at->base = from->base;
            at->count = from->count;
        } else {
            *at = *from;
            to.n++;
        }
    }
    pq_counts_free(c);
    *c = to;
    return PQ_OK;
done:
    pq_counts_free(&to);
    return rc;
}

PqRc pq_counts_cut(PqCounts *c, uint32_t n, size_t n_bytes, PqErr *e)
{
    while (pq_counts_exceed(c, n, n_bytes)) {
        PQ_TRY(keep_above(c, middle(c), n, e));
    }
    return PQ_OK;
}

/* ---- what is known -------------------------------------------------------- */

static int compare(const PqCounts *c, const PqCount *a, const PqCount *b)
{
    if (c->of_bytes) {
        return pq_counts_compare(a->key.p, a->n, b->key.p, b->n);
    }
    return a->key.i < b->key.i ? -1 : a->key.i > b->key.i;
}

bool pq_counts_top(const PqCounts *c, PqCount *out, bool *exact)
{
    const PqCount *top = NULL;
    uint64_t unseen = c->lost + c->n_long, most = unseen;

    for (uint32_t i = 0; i < c->n_places; i++) {
        const PqCount *p = &c->places[i];

        if (p->count && (!top || p->count > top->count ||
                         (p->count == top->count && compare(c, p, top) < 0))) {
            top = p;
        }
    }
    if (!top || (top->count == 1 && c->n > 1) || top->count <= unseen) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_places; i++) {
        const PqCount *p = &c->places[i];

        if (p->count && p->base && p != top && p->count + p->base > most) {
            most = p->count + p->base;
        }
    }
    *out = *top;
    *exact = unseen == 0 || (top->base == 0 && top->count > most);
    return true;
}

static int by_int(const void *a, const void *b)
{
    int64_t x = ((const PqCount *)a)->key.i, y = ((const PqCount *)b)->key.i;

    return x < y ? -1 : x > y;
}

static int by_bytes(const void *a, const void *b)
{
    const PqCount *x = a, *y = b;

    return pq_counts_compare(x->key.p, x->n, y->key.p, y->n);
}

PqRc pq_counts_sorted(const PqCounts *c, PqCount **out, PqErr *e)
{
    PqCount *v = pq_mem_array(c->mem, c->n + 1u, sizeof *v, e);
    uint32_t n = 0;

    *out = v;
    if (!v) {
        return e->rc;
    }
    for (uint32_t i = 0; i < c->n_places; i++) {
        if (c->places[i].count) {
            v[n++] = c->places[i];
        }
    }
    qsort(v, n, sizeof *v, c->of_bytes ? by_bytes : by_int);
    return PQ_OK;
}
