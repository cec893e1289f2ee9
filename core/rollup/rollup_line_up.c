/*
** rollup_line_up.c - groups that are equal in some keys, side by side.
**
**   groups       SE 7   FI 7   SE 2   NO 1       by the first key
**   its values   SE 0   FI 1   NO 2              numbers; sorted, their places are
**                                                2 0 1
**   counts       SE 2   FI 1   NO 1
**   list         0 2    1      3                 sorted: 1   3   0 2
**
** The groups of each value are counted, so each group has its place in the list.  That
** takes two passes over the groups, however many there are.  Only the values are sorted,
** and there are fewer of them.  With several keys the last one is first: groups that are equal in
** a key keep their order.
**
** Then each group lies far from the one before.  To wait for the memory at each would take
** longer than all else, so a piece of the list is fetched before it is handed out.
*/
#include "core/rollup/rollup_inside.h"

#include <string.h>

enum { POLL = 1 << 14 };

/* ---- the places of values -------------------------------------------------- */

typedef struct Value {
    uint64_t head;                   /* pq_cell_head_of_any                 */
    uint32_t number;
} Value;

static int compare(const PqCell *cells, const Value *a, const Value *b)
{
    return a->head != b->head ? (a->head < b->head ? -1 : 1)
                              : pq_cell_compare(&cells[a->number], &cells[b->number]);
}

/* Merges two sorted stretches, of `half` and n - half values. */
static void merge(const PqCell *cells, const Value *from, uint64_t half, uint64_t n,
                  Value *to)
{
    uint64_t i = 0, k = half;

    for (uint64_t at = 0; at < n; at++) {
        bool first = k >= n || (i < half && compare(cells, &from[i], &from[k]) <= 0);

        to[at] = first ? from[i++] : from[k++];
    }
}

/* Sorts n values; room is for as many.  *out: one of both. */
static PqRc sort(const PqRollup *r, const PqCell *cells, Value *v, Value *room,
                 uint64_t n, Value **out, PqErr *e)
{
    for (uint64_t half = 1; half < n; half *= 2) {
        Value *was = v;

        PQ_TRY(pq_stop_poll(&r->spec.stop, e));
        for (uint64_t at = 0; at < n; at += 2 * half) {
            uint64_t left = n - at;

            merge(cells, v + at, left < half ? left : half,
                  left < 2 * half ? left : 2 * half, room + at);
        }
        v = room;
        room = was;
    }
    *out = v;
    return PQ_OK;
}

PqRc pq_rollup_places(const PqRollup *r, uint32_t key, PqArena *a, uint32_t **out,
                      PqErr *e)
{
    const PqRollupRegister *g = &r->set.registers[key];
    Value *v = pq_mem_array(r->mem, 2 * (size_t)g->n + 1, sizeof *v, e), *sorted;
    PqRc rc = PQ_OK;

    *out = pq_arena_alloc(a, (g->n + (size_t)1) * sizeof **out, e);
    PQ_GO(v && *out ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < g->n; i++) {
        v[i] = (Value){pq_cell_head_of_any(&g->cells[i]), i};
    }
    PQ_GO(sort(r, g->cells, v, v + g->n, g->n, &sorted, e));
    for (uint32_t i = 0; i < g->n; i++) {
        (*out)[sorted[i].number] = i;
    }
done:
    pq_mem_free(v);
    return rc;
}

/* ---- the list ---------------------------------------------------------------- */

/* A key, and where its groups go. */
typedef struct Column {
    const uint32_t *codes;           /* of all groups; NULL: a group's own number */
    uint32_t        stride;
    const uint32_t *places;          /* NULL: numbers                       */
    uint32_t        n_values;
    bool            desc;
} Column;

static inline uint32_t place_of(const Column *c, uint32_t group)
{
    uint32_t number = c->codes ? c->codes[(size_t)group * c->stride] : group;
    uint32_t place = c->places ? c->places[number] : number;

    return c->desc ? c->n_values - 1 - place : place;
}

static PqRc column_of(const PqRollup *r, PqRollupBy by, bool sorted, PqArena *a,
                      Column *out, PqErr *e)
{
    uint32_t *places = NULL;

    *out = (Column){.n_values = r->set.registers[by.number].n,
                    .stride = r->spec.n_keys, .desc = sorted && by.desc};
    if (r->spec.n_keys > 1) {
        out->codes = r->set.tuples.codes + by.number;
    }
    PQ_TRY(sorted ? pq_rollup_places(r, by.number, a, &places, e) : PQ_OK);
    out->places = places;
    return PQ_OK;
}

/* Moves the groups from one list to the other, by their places. */
static PqRc spread(const PqRollup *r, const Column *c, const uint32_t *from, uint32_t n,
                   uint32_t *to, PqErr *e)
{
    uint32_t *starts = pq_mem_zeros(r->mem, c->n_values + (size_t)1, sizeof *starts, e);
    PqRc rc = PQ_OK;

    PQ_TRY(starts ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n; i++) {
        starts[place_of(c, from[i]) + 1]++;
        PQ_GO(i % POLL ? PQ_OK : pq_stop_poll(&r->spec.stop, e));
    }
    for (uint32_t i = 1; i < c->n_values; i++) {
        starts[i] += starts[i - 1];
    }
    for (uint32_t i = 0; i < n; i++) {
        to[starts[place_of(c, from[i])]++] = from[i];
        PQ_GO(i % POLL ? PQ_OK : pq_stop_poll(&r->spec.stop, e));
    }
done:
    pq_mem_free(starts);
    return rc;
}

PqRc pq_rollup_line_up(const PqRollup *r, const PqRollupLineUp *how, PqArena *a,
                       uint32_t **out, PqErr *e)
{
    size_t n = how->n + (size_t)1;
    uint32_t *from = pq_arena_alloc(a, n * sizeof *from, e);
    uint32_t *to = pq_arena_alloc(a, n * sizeof *to, e);

    PQ_TRY(from && to ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < how->n; i++) {
        from[i] = how->list ? how->list[i] : i;
    }
    for (uint32_t k = how->n_by; k-- > 0;) {
        uint32_t *was = from;
        Column c;

        PQ_TRY(column_of(r, how->by[k], how->sorted, a, &c, e));
        PQ_TRY(spread(r, &c, from, how->n, to, e));
        from = to;
        to = was;
    }
    *out = from;
    return PQ_OK;
}

/* ---- the cache --------------------------------------------------------------- */

static void fetch(const void *array, size_t width, const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; array && i < n; i++) {
        __builtin_prefetch((const uint8_t *)array + list[i] * width);
    }
}

void pq_rollup_fetch(const PqRollup *r, const uint32_t *list, uint32_t n)
{
    const PqRollupTuples *t = &r->set.tuples;

    fetch(t->codes, r->spec.n_keys * sizeof *t->codes, list, n);
    fetch(t->shown, r->spec.n_keys * sizeof *t->shown, list, n);
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        const PqRollupState *s = &r->set.states[m];

        fetch(s->counts, sizeof *s->counts, list, n);
        fetch(s->flags, sizeof *s->flags, list, n);
        fetch(s->ints.words, sizeof *s->ints.words, list, n);
        fetch(s->decimals.words, sizeof *s->decimals.words, list, n);
        fetch(s->reals, sizeof *s->reals, list, n);
        fetch(s->cells, sizeof *s->cells, list, n);
    }
}
