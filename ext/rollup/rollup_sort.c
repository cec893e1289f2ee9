/*
** rollup_sort.c - see rollup_sort.h.
**
** What orders a value, as a number of 64 bits: its class, and then the beginning
** of a text, or a number as a double.  Equal ones may have different values; then
** the values are compared.  Bytes of a measure do not stay (pqext_rollup_measure),
** so those are asked for again.
*/
#include "ext/rollup/rollup_sort.h"

#include "ext/cursor/key_form.h"

enum {
    FEW = 2,                         /* groups for each value of a key      */
    POLL = 1 << 16
};

typedef struct Item {
    uint64_t       rank;             /* see above; reversed, if descending  */
    const uint8_t *text;             /* NULL: the value is asked for        */
    uint32_t       n;
    uint32_t       of;               /* a group; or a value of a key        */
} Item;

typedef struct Sorter {
    PqextRollupRun *run;
    const PqRollup *groups;
    uint32_t        number;          /* of the column                       */
    bool            desc;
    bool            values;          /* items are values of a key           */
    PqArena         arena;
    PqStop          stop;
    uint64_t        work;
    PqErr          *e;
} Sorter;

/* ---- values ---------------------------------------------------------------- */

PqRc pqext_group_cell(PqextRollupRun *r, const PqRollup *groups, uint32_t number,
                      uint32_t group, PqCell *out, PqErr *e)
{
    if (number < r->n_dimensions) {
        *out = *pq_rollup_key(groups, number, group);
        return PQ_OK;
    }
    return pqext_rollup_measure(r, groups, number - r->n_dimensions, group, out,
                                e);
}

static PqRc cell_of(const Sorter *s, uint32_t of, PqCell *out)
{
    if (s->values) {
        pq_rollup_key_value(s->groups, s->number, of, out);
        return PQ_OK;
    }
    return pqext_group_cell(s->run, s->groups, s->number, of, out, s->e);
}

/* ---- items ----------------------------------------------------------------- */

static uint64_t rank_of_number(double v)
{
    return (uint64_t)pq_ranks_of_real(v) ^ (uint64_t)1 << 63;
}

static uint64_t rank_of(const PqCell *c)
{
    enum { CLASS_BITS = 2 };
    uint64_t kind = 0, rank = 0;

    switch (c->kind) {
    case PQ_CELL_NULL:
        break;
    case PQ_CELL_INT:
    case PQ_CELL_REAL:
        kind = 1;
        rank = rank_of_number(pq_cell_double(c));
        break;
    case PQ_CELL_TEXT:
    case PQ_CELL_BLOB:
        kind = c->kind == PQ_CELL_TEXT ? 2 : 3;
        rank = pq_str_prefix(pq_cell_str(c));
        break;
    }
    return kind << (64 - CLASS_BITS) | rank >> CLASS_BITS;
}

static PqRc make_item(Sorter *s, uint32_t of, Item *out)
{
    PqCell c;

    PQ_TRY(cell_of(s, of, &c));
    *out = (Item){.rank = rank_of(&c), .of = of};
    out->rank = s->desc ? ~out->rank : out->rank;
    if (c.kind == PQ_CELL_TEXT && s->number < s->run->n_dimensions) {
        out->text = c.p;
        out->n = c.n;
    }
    return PQ_OK;
}

/* Of two with the same rank. */
static PqRc compare_values(const Sorter *s, const Item *a, const Item *b,
                           int *out)
{
    PqCell x, y;

    if (a->text && b->text) {
        *out = pq_slice_compare(pq_slice(a->text, a->n), pq_slice(b->text, b->n));
    } else {
        /* Bytes of the first may go with the second; ranks and kinds stay. */
        PqBuf kept;

        PQ_TRY(cell_of(s, a->of, &x));
        pq_buf_init(&kept, s->arena.mem, s->e);
        if (pq_cell_has_bytes(&x)) {
            pq_buf_add(&kept, x.p, x.n);
            x.p = kept.p;
        }
        if (pq_buf_ok(&kept) && cell_of(s, b->of, &y) == PQ_OK) {
            *out = pq_cell_compare(&x, &y);
        }
        pq_buf_free(&kept);
    }
    *out = s->desc ? -*out : *out;
    return s->e->rc;
}

/* ---- sorting --------------------------------------------------------------- */

static PqRc merge(Sorter *s, const Item *a, size_t n_a, size_t n_b, Item *to)
{
    const Item *b = a + n_a, *end_a = b, *end_b = b + n_b;

    while (a < end_a && b < end_b) {
        int order = a->rank < b->rank ? -1 : a->rank > b->rank;

        if (PQ_UNLIKELY(order == 0)) {
            PQ_TRY(compare_values(s, a, b, &order));
        }
        *to++ = order <= 0 ? *a++ : *b++;
        if (PQ_UNLIKELY(++s->work % POLL == 0)) {
            PQ_TRY(pq_stop_poll(&s->stop, s->e));
        }
    }
    memcpy(to, a, (size_t)(end_a - a) * sizeof *a);
    to += end_a - a;
    memcpy(to, b, (size_t)(end_b - b) * sizeof *b);
    return PQ_OK;
}

/* *items may be the other array afterwards. */
static PqRc sort_items(Sorter *s, Item **items, Item *other, size_t n)
{
    Item *from = *items, *to = other;

    for (size_t run = 1; run < n; run *= 2) {
        Item *swap = from;

        for (size_t i = 0; i < n; i += 2 * run) {
            size_t a = run < n - i ? run : n - i;
            size_t b = run < n - i - a ? run : n - i - a;

            PQ_TRY(merge(s, from + i, a, b, to + i));
        }
        from = to;
        to = swap;
    }
    *items = from;
    return PQ_OK;
}

/* Sorted items of these; NULL: of the numbers below n. */
static PqRc sorted_items(Sorter *s, const uint32_t *of, uint32_t n, Item **out)
{
    Item *items = pq_arena_alloc(&s->arena, (n + (size_t)1) * sizeof *items,
                                 s->e);
    Item *other = pq_arena_alloc(&s->arena, (n + (size_t)1) * sizeof *other,
                                 s->e);

    if (!items || !other) {
        return s->e->rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(make_item(s, of ? of[i] : i, &items[i]));
        if (i % POLL == 0) {
            PQ_TRY(pq_stop_poll(&s->stop, s->e));
        }
    }
    PQ_TRY(sort_items(s, &items, other, n));
    *out = items;
    return PQ_OK;
}

static PqRc sort_by_items(Sorter *s, uint32_t *list, uint32_t n)
{
    Item *items;

    s->values = false;
    PQ_TRY(sorted_items(s, list, n, &items));
    for (uint32_t i = 0; i < n; i++) {
        list[i] = items[i].of;
    }
    return PQ_OK;
}

/* The values of the key are sorted; a group goes after those with lesser ones. */
static PqRc sort_by_values(Sorter *s, uint32_t *list, uint32_t n,
                           uint32_t n_values)
{
    Item *items;
    uint32_t *at = pq_arena_zeros(&s->arena, n_values + (size_t)1, sizeof *at,
                                  s->e);
    uint32_t *copy = pq_arena_alloc(&s->arena, (n + (size_t)1) * sizeof *copy,
                                    s->e);
    uint32_t sum = 0;

    if (!at || !copy) {
        return s->e->rc;
    }
    s->values = true;
    PQ_TRY(sorted_items(s, NULL, n_values, &items));
    memcpy(copy, list, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        at[pq_rollup_key_number(s->groups, s->number, list[i])]++;
    }
    for (uint32_t i = 0; i < n_values; i++) {
        uint32_t count = at[items[i].of];

        at[items[i].of] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = pq_rollup_key_number(s->groups, s->number, copy[i]);

        list[at[v]++] = copy[i];
    }
    return PQ_OK;
}

uint64_t pqext_sort_memory(uint32_t n)
{
    return (uint64_t)n * (2 * sizeof(Item) + sizeof(uint32_t));
}

PqRc pqext_groups_sort(PqextRollupRun *r, const PqRollup *groups,
                       const PqextSortBy *by, uint32_t n_by, uint32_t *list,
                       uint32_t n, PqErr *e)
{
    Sorter s = {.run = r, .groups = groups, .e = e,
                .stop = {pqext_host_stop, r->table->host}};
    PqRc rc = PQ_OK;

    pq_arena_init(&s.arena, r->table->host->engine->mem);
    for (uint32_t i = n_by; i-- > 0;) {
        uint32_t n_values = by[i].number < r->n_dimensions
                                ? pq_rollup_n_key_values(groups, by[i].number)
                                : UINT32_MAX;

        s.number = by[i].number;
        s.desc = by[i].desc;
        pq_arena_reset(&s.arena);
        PQ_GO(n_values <= n / FEW ? sort_by_values(&s, list, n, n_values)
                                  : sort_by_items(&s, list, n));
    }
done:
    pq_arena_free(&s.arena);
    return rc;
}
