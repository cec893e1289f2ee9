/*
** ranks.c - the levels, and the drawing before them.
*/
#include "core/summary/ranks.h"

#include "core/base/sort.h"

#include <stdlib.h>

enum { DRAW_AFTER = 18 };            /* bits: 2^19 values and more are drawn */

void pq_ranks_init(PqRanks *r, PqMem *mem)
{
    *r = (PqRanks){.mem = mem, .random = 0x5eed};
}

void pq_ranks_free(PqRanks *r)
{
    for (int h = 0; h < PQ_RANKS_LEVELS; h++) {
        pq_mem_free(r->level[h]);
    }
    pq_mem_free(r->sorting);
    pq_ranks_init(r, r->mem);
}

/* ---- levels -------------------------------------------------------------- */

/* The values are two sorted halves. */
static void merge_halves(int64_t *v, int64_t *to, uint32_t n)
{
    const uint32_t half = n / 2;
    const int64_t *a = v, *a_end = v + half, *b = a_end, *b_end = v + n;

    if (a_end[-1] <= *b) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool first = b == b_end || (a != a_end && *a <= *b);

        to[i] = first ? *a : *b;
        a += first;
        b += !first;
    }
    memcpy(v, to, n * sizeof *v);
}

static PqRc level_room(PqRanks *r, unsigned h, PqErr *e)
{
    if (!r->level[h]) {
        r->level[h] = pq_mem_array(r->mem, PQ_RANKS_ROOM, sizeof(int64_t), e);
    }
    if (!r->sorting) {
        r->sorting = pq_mem_array(r->mem, PQ_RANKS_ROOM, sizeof(int64_t), e);
    }
    return r->level[h] && r->sorting ? PQ_OK : e->rc;
}

/* A level that got all its values from the level below has two sorted halves;
** other levels also got single values. */
static void sort_level(PqRanks *r, unsigned h)
{
    const uint32_t half = PQ_RANKS_ROOM / 2;
    int64_t *v = r->level[h];

    if (h > 0 && pq_is_sorted_i64(v, half) &&
        pq_is_sorted_i64(v + half, half)) {
        merge_halves(v, r->sorting, PQ_RANKS_ROOM);
    } else {
        pq_sort_i64_in(v, r->sorting, PQ_RANKS_ROOM);
    }
}

/* Moves half of a full level up, and does the same with levels that this fills.
** The level above has room, because a level is emptied whenever it is full. */
static PqRc move_up(PqRanks *r, unsigned h, PqErr *e)
{
    while (r->n[h] == PQ_RANKS_ROOM) {
        uint32_t first = pq_ranks_random(&r->random) & 1;
        uint32_t room, k = 0, i;

        if (h + 1 == PQ_RANKS_LEVELS) {
            return pq_fail(e, PQ_UNSUPPORTED, "too many values");
        }
        PQ_TRY(level_room(r, h + 1, e));
        sort_level(r, h);
        room = PQ_RANKS_ROOM - r->n[h + 1];
        for (i = first; i < PQ_RANKS_ROOM && k < room; i += 2) {
            r->level[h + 1][r->n[h + 1] + k++] = r->level[h][i];
        }
        r->n[h + 1] += k;
        if (i >= PQ_RANKS_ROOM) {
            r->n[h] = 0;
            h++;
            continue;
        }
        /* The level above becomes full first: values that were not moved stay,
        ** both of each pair. */
        i -= first;
        memmove(r->level[h], r->level[h] + i,
                (PQ_RANKS_ROOM - i) * sizeof(int64_t));
        r->n[h] = PQ_RANKS_ROOM - i;
        h++;
    }
    return PQ_OK;
}

static PqRc put(PqRanks *r, unsigned h, int64_t v, PqErr *e)
{
    if (PQ_UNLIKELY(h >= PQ_RANKS_LEVELS)) {
        return pq_fail(e, PQ_UNSUPPORTED, "too many values");
    }
    if (PQ_UNLIKELY(!r->level[h])) {
        PQ_TRY(level_room(r, h, e));
    }
    r->level[h][r->n[h]++] = v;
    return r->n[h] == PQ_RANKS_ROOM ? move_up(r, h, e) : PQ_OK;
}

/* ---- values --------------------------------------------------------------- */

/* A block is complete: its drawn value goes on. */
static PqRc end_block(PqRanks *r, PqErr *e)
{
    r->at = 0;
    PQ_TRY(put(r, r->shift, r->candidate, e));
    if (r->total >> r->shift > UINT64_C(2) << DRAW_AFTER) {
        r->shift++;
    }
    return PQ_OK;
}

/* Takes n values: v[0], v[step], v[2 * step] ... */
static PqRc draw(PqRanks *r, const int64_t *v, uint64_t n, uint64_t step,
                 PqErr *e)
{
    for (uint64_t i = 0, k; i < n; i += k) {
        uint64_t size = UINT64_C(1) << r->shift;

        if (r->at == 0) {
            r->drawn = r->shift ? pq_ranks_random(&r->random) & (size - 1) : 0;
        }
        k = size - r->at < n - i ? size - r->at : n - i;
        if (r->drawn - r->at < k) {
            r->candidate = v[step * (i + (r->drawn - r->at))];
        }
        r->at += k;
        r->total += k;
        if (r->at == size) {
            PQ_TRY(end_block(r, e));
        }
    }
    return PQ_OK;
}

PqRc pq_ranks_add(PqRanks *r, const int64_t *v, uint32_t n, PqErr *e)
{
    return draw(r, v, n, 1, e);
}

/* Many equal values become a few heavy ones, one for each bit of their
** number. */
PqRc pq_ranks_add_times(PqRanks *r, int64_t v, uint64_t times, PqErr *e)
{
    uint64_t heavy = times >> r->shift << r->shift;

    PQ_TRY(draw(r, &v, times - heavy, 0, e));
    r->total += heavy;
    while (heavy) {
        PQ_TRY(put(r, (unsigned)__builtin_ctzll(heavy), v, e));
        heavy &= heavy - 1;
    }
    return PQ_OK;
}

/* ---- ranks ---------------------------------------------------------------- */

typedef struct Heavy {
    int64_t  v;
    uint64_t weight;
} Heavy;

static int by_value(const void *a, const void *b)
{
    int64_t x = ((const Heavy *)a)->v, y = ((const Heavy *)b)->v;

    return x < y ? -1 : x > y;
}

PqRc pq_ranks_find(PqRanks *r, const uint64_t *ranks, uint32_t n, int64_t *out,
                   PqErr *e)
{
    uint32_t all = 0, k = 0, i = 0;
    uint64_t sum = 0;
    Heavy *v;

    for (int h = 0; h < PQ_RANKS_LEVELS; h++) {
        all += r->n[h];
    }
    PQ_TRY(PQ_ARRAY(r->mem, v, all + 1u, e));
    for (int h = 0; h < PQ_RANKS_LEVELS; h++) {
        for (uint32_t j = 0; j < r->n[h]; j++) {
            v[k++] = (Heavy){r->level[h][j], UINT64_C(1) << h};
        }
    }
    if (r->at > r->drawn) {          /* of a block that is not complete */
        v[k++] = (Heavy){r->candidate, r->at};
    }
    qsort(v, k, sizeof *v, by_value);
    for (uint32_t j = 0; j < n; j++) {
        while (i + 1 < k && sum + v[i].weight < ranks[j]) {
            sum += v[i++].weight;
        }
        out[j] = v[i].v;
    }
    pq_mem_free(v);
    return PQ_OK;
}
