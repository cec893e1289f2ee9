/*
** counts.c - the table: open addressing, at most three quarters full.
**
** The hashes are known to whoever makes a file, who can choose values that all
** begin at one place.  When far more places are looked at than good hashes need,
** the places are chosen anew, with a seed that nobody knows.
*/
#include "core/summary/counts.h"

#include "core/base/random.h"
#include "core/numbering/hash.h"

#include <stdlib.h>

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

void pq_counts_hash(const PqCounts *c, const void *v, uint32_t n,
                    uint64_t *hashes)
{
    const PqStr *texts = v;
    const uint64_t *ints = v;

    for (uint32_t i = 0; c->of_bytes && i < n; i++) {
        hashes[i] = pq_hash_bytes(texts[i].p, texts[i].n);
    }
    for (uint32_t i = 0; !c->of_bytes && i < n; i++) {
        hashes[i] = pq_hash_mix(ints[i], 0);
    }
}

uint64_t pq_counts_hash_of(const PqCounts *c, const PqCount *p)
{
    return c->of_bytes ? pq_hash_bytes(p->key.p, p->n)
                       : pq_hash_mix((uint64_t)p->key.i, 0);
}

/* ---- places --------------------------------------------------------------- */

static inline uint32_t mark_of(const PqCounts *c, uint64_t hash)
{
    return (uint32_t)(c->seed ? pq_hash_mix(hash ^ c->seed, 0) : hash);
}

static PqCount *free_place(PqCount *places, uint32_t n_places, uint32_t mark)
{
    uint32_t at = mark & (n_places - 1);

    while (places[at].count) {
        at = (at + 1) & (n_places - 1);
    }
    return &places[at];
}

/* Gives all values new places, by their marks. */
static PqRc move(PqCounts *c, uint32_t n_places, PqErr *e)
{
    PqCount *places;

    PQ_TRY(PQ_NEW(c->mem, places, n_places, e));
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

        if (!p->count ||
            (p->mark == mark && pq_str_equal(pq_count_text(p), v))) {
            return p;
        }
    }
}

/* Copies the bytes of a text that has come to this place. */
static PqRc keep_text(PqCounts *c, PqCount *at, PqErr *e)
{
    at->key.p = (uint8_t *)pq_arena_text(&c->texts, at->key.p, at->n, e);
    c->n_bytes += at->n + 1u;
    return at->key.p ? PQ_OK : e->rc;
}

/* The place of value i + AHEAD is fetched while value i is looked for.  One of
** ints and texts is NULL in each call, which saves a third of the time. */
PQ_INLINE PqRc add(PqCounts *c, const int64_t *ints, const PqStr *texts,
                   const uint64_t *hashes, const uint64_t *counts, uint32_t n,
                   PqErr *e)
{
    PQ_TRY(need_room(c, n, e));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mark = mark_of(c, hashes[i]);
        uint64_t times = counts ? counts[i] : 1;
        PqCount *p;

        if (i + AHEAD < n) {
            __builtin_prefetch(&c->places[mark_of(c, hashes[i + AHEAD]) &
                                          (c->n_places - 1)]);
        }
        if (texts && texts[i].n > PQ_COUNTS_LONGEST) {
            c->n_long += times;
            continue;
        }
        p = texts ? place_of_text(c, texts[i], mark)
                  : place_of_int(c, ints[i], mark);
        if (!p->count) {
            *p = (PqCount){.base = c->lost, .mark = mark};
            if (texts) {
                p->key.p = texts[i].p;
                p->n = texts[i].n;
                PQ_TRY(keep_text(c, p, e));
            } else {
                p->key.i = ints[i];
            }
            c->n++;
        }
        p->count += times;
    }
    return note_added(c, n, e);
}

PqRc pq_counts_add(PqCounts *c, const void *v, const uint64_t *hashes,
                   const uint64_t *counts, uint32_t n, PqErr *e)
{
    return c->of_bytes ? add(c, NULL, v, hashes, counts, n, e)
                       : add(c, v, NULL, hashes, counts, n, e);
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

        if (from->count && from->count + from->base > most) {
            PqCount *at;

            PQ_GO(need_room(&to, 1, e));
            at = free_place(to.places, to.n_places, from->mark);
            *at = *from;
            PQ_GO(c->of_bytes ? keep_text(&to, at, e) : PQ_OK);
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

static int by_int(const void *a, const void *b)
{
    int64_t x = ((const PqCount *)a)->key.i, y = ((const PqCount *)b)->key.i;

    return x < y ? -1 : x > y;
}

static int by_bytes(const void *a, const void *b)
{
    const PqCount *x = a, *y = b;

    return pq_slice_compare(pq_slice(x->key.p, x->n), pq_slice(y->key.p, y->n));
}

static int compare(const PqCounts *c, const PqCount *a, const PqCount *b)
{
    return c->of_bytes ? by_bytes(a, b) : by_int(a, b);
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

PqRc pq_counts_sorted(const PqCounts *c, PqCount **out, PqErr *e)
{
    uint32_t n = 0;

    PQ_TRY(PQ_ARRAY(c->mem, *out, c->n + 1u, e));
    for (uint32_t i = 0; i < c->n_places; i++) {
        if (c->places[i].count) {
            (*out)[n++] = c->places[i];
        }
    }
    qsort(*out, n, sizeof **out, c->of_bytes ? by_bytes : by_int);
    return PQ_OK;
}
