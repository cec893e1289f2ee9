/*
** rollup_order.c - goes over the groups in rounds.
**
** For groups in memory, a round keeps the values that they are sorted by, and
** the group's number, which leads to all other values.  Where a key has few
** values, these are sorted, and a group gets the place of its value:
**
**   values   SE FI NO      places   2 0 1      group SE, 7   (2, 7)
**
** Groups that were spilled are gone after the round.  So all their values are
** kept.
*/
#include "core/rollup/rollup_order.h"

enum {
    FIRST = 1024,                    /* most rows of the first round        */
    AT_ONCE = 1 << 16,               /* up to this many groups are one round */
    LEAST = 256,                     /* least rows of any round             */
    A_LONG_ROW = 512,                /* bytes                               */
    MEMORY_SHARE = 8,                /* for the first round, and for texts  */
    SORT_SHARE = 4,                  /* for the others                      */
    FEW = 2,                         /* groups for each value of a key      */
    POLL = 4096
};

struct PqRollupOrder {
    PqRollupOrderSpec spec;
    PqArena    arena;
    PqTopSet   set;                  /* the rows of the round               */
    PqTopSet   last;                 /* the last row of the round before    */
    uint32_t   most;                 /* rows of a round; 0: none was begun  */
    bool       done;
    uint32_t  *numbers;              /* which values a row has: first those */
                                     /* that it is sorted by                */
    uint32_t  *place_of;             /* where a number is among them        */
    uint32_t **places;               /* of the values of a key; or NULL     */
    PqCell    *looked;               /* values of a group                   */
    PqBuf     *bytes;                /* bytes of measures among them        */
    PqCell     cell;                 /* the last value that was asked for   */
};

/* ---- values ---------------------------------------------------------------- */

static PqRc value_of(PqRollupOrder *o, uint32_t number, uint32_t group,
                     PqCell *out, PqErr *e)
{
    const PqRollupOrderSpec *s = &o->spec;

    if (number < s->n_keys) {
        *out = *pq_rollup_key(s->groups, number, group);
        return PQ_OK;
    }
    return s->measure(s->arg, s->groups, number - s->n_keys, group, out, e);
}

/* Loads value i of a row into o->looked.  The bytes of a measure are copied,
** since they stay only until the next measure is asked for. */
static PqRc look_at_value(PqRollupOrder *o, uint32_t i, uint32_t group, PqErr *e)
{
    uint32_t number = o->numbers[i];
    PqCell *to = &o->looked[i];
    PqBuf *b = &o->bytes[i];

    if (o->places[i]) {
        *to = pq_cell_int(o->places[i][pq_rollup_key_number(o->spec.groups, number,
                                                            group)]);
        return PQ_OK;
    }
    PQ_TRY(value_of(o, number, group, to, e));
    if (number >= o->spec.n_keys && pq_cell_has_bytes(to)) {
        b->n = 0;
        b->sink = e;
        pq_buf_add(b, to->p, to->n);
        to->p = b->p;
    }
    return e->rc;
}

/* ---- a round --------------------------------------------------------------- */

/* Does the first value alone say that the row is not wanted? */
static bool is_out(const PqRollupOrder *o, const PqTopRow *than, int sign)
{
    int c = than ? pq_cell_compare(&o->looked[0], &than->values[0]) : 0;

    return (o->set.desc[0] ? -c : c) * sign > 0;
}

static PqRc look_at(PqRollupOrder *o, uint32_t group, PqErr *e)
{
    const PqTopRow *worst = pq_top_set_worst(&o->set);
    const PqTopRow *last = o->last.n > 0 ? pq_top_set_at(&o->last, 0) : NULL;

    PQ_TRY(look_at_value(o, 0, group, e));
    if (is_out(o, worst, 1) || is_out(o, last, -1)) {
        return PQ_OK;
    }
    for (uint32_t i = 1; i < o->set.n_columns; i++) {
        PQ_TRY(look_at_value(o, i, group, e));
    }
    if ((last && pq_top_set_compare(&o->set, o->looked, 0, last->values, 0) <= 0) ||
        (worst &&
         pq_top_set_compare(&o->set, o->looked, 0, worst->values, 0) >= 0)) {
        return PQ_OK;
    }
    for (uint32_t i = o->set.n_columns; i < o->set.n_values; i++) {
        PQ_TRY(look_at_value(o, i, group, e));
    }
    return pq_top_set_offer(&o->set, o->looked, group, e);
}

static PqRc look_at_block(PqRollupOrder *o, uint32_t n, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(look_at(o, o->spec.list ? o->spec.list[i] : i, e));
        if (i % POLL == 0) {
            PQ_TRY(pq_stop_poll(&o->spec.stop, e));
        }
    }
    return PQ_OK;
}

static PqRc pass(PqRollupOrder *o, PqErr *e)
{
    uint32_t n;

    if (o->spec.whole) {
        return look_at_block(o, o->spec.n, e);
    }
    if (o->last.n > 0) {
        PQ_TRY(pq_rollup_rewind(o->spec.groups, e));
    }
    PQ_TRY(pq_rollup_next(o->spec.groups, &n, e));
    while (n > 0) {
        PQ_TRY(look_at_block(o, n, e));
        PQ_TRY(pq_rollup_next(o->spec.groups, &n, e));
    }
    return PQ_OK;
}

static uint32_t rows_that_fit(const PqRollupOrder *o)
{
    bool first = o->most == 0, at_once = o->spec.whole && o->spec.n <= AT_ONCE;
    uint64_t n = first && !at_once
                     ? o->spec.memory / MEMORY_SHARE / A_LONG_ROW
                     : o->spec.memory / SORT_SHARE / o->set.width;

    n = first && !at_once && n > FIRST ? FIRST : n;
    n = o->spec.whole && n > o->spec.n ? o->spec.n + (uint64_t)1 : n;
    return n < LEAST ? LEAST : n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

PqRc pq_rollup_order_next(PqRollupOrder *o, uint32_t *n, PqErr *e)
{
    *n = 0;
    if (o->done) {
        return PQ_OK;
    }
    if (o->most > 0) {
        const PqTopRow *last = pq_top_set_at(&o->set, o->set.n - 1);

        pq_top_set_begin(&o->last, 1);
        PQ_TRY(pq_top_set_offer(&o->last, last->values, 0, e));
    }
    o->most = rows_that_fit(o);
    pq_top_set_begin(&o->set, o->most);
    PQ_TRY(pass(o, e));
    o->done = !pq_top_set_worst(&o->set);
    pq_top_set_sort(&o->set);
    *n = o->set.n;
    return PQ_OK;
}

PqRc pq_rollup_order_cell(PqRollupOrder *o, uint32_t number, uint32_t row,
                          const PqCell **out, PqErr *e)
{
    const PqTopRow *of = pq_top_set_at(&o->set, row);

    if (!o->spec.whole) {
        *out = &of->values[o->place_of[number]];
        return PQ_OK;
    }
    *out = &o->cell;
    return value_of(o, number, (uint32_t)of->rowid, &o->cell, e);
}

/* ---- beginning ------------------------------------------------------------- */

/* Finds the places of the values of the key that rows are sorted by i-th.  If
** memory does not hold them, rows are compared by the values instead. */
static PqRc find_places(PqRollupOrder *o, uint32_t i, PqErr *e)
{
    uint32_t number = o->numbers[i], n = 0;

    if (number < o->spec.n_keys) {
        n = pq_rollup_n_key_values(o->spec.groups, number);
    }
    if (n > 0 && n <= o->spec.n / FEW &&
        pq_rollup_places(o->spec.groups, number, &o->arena, &o->places[i], e) == PQ_BUDGET) {
        o->places[i] = NULL;
        pq_err_clear(e);
    }
    return e->rc;
}

/* Lists the values of a row: first those that it is sorted by, then the other
** keys, then the other measures.  Returns how many are compared. */
static uint32_t list_values(PqRollupOrder *o, bool *desc)
{
    const PqRollupOrderSpec *s = &o->spec;
    uint32_t n_cells = s->n_keys + s->n_measures, n = 0, n_columns = 0;

    for (uint32_t i = 0; i < s->n_by + n_cells; i++) {
        bool is_by = i < s->n_by;
        uint32_t number = is_by ? s->by[i].number : i - s->n_by;

        if (o->place_of[number] == 0) {
            desc[n] = is_by && s->by[i].desc;
            o->numbers[n++] = number;
            o->place_of[number] = n; /* + 1, for now */
            n_columns = i < s->n_by + s->n_keys ? n : n_columns;
        }
    }
    for (uint32_t i = 0; i < n_cells; i++) {
        o->place_of[i]--;
    }
    return n_columns;
}

static PqRc prepare(PqRollupOrder *o, PqErr *e)
{
    const PqRollupOrderSpec *s = &o->spec;
    uint32_t n = s->n_keys + s->n_measures, n_columns;
    bool *desc = pq_arena_zeros(&o->arena, n + 1u, sizeof *desc, e);

    o->numbers = pq_arena_zeros(&o->arena, n + 1u, sizeof *o->numbers, e);
    o->place_of = pq_arena_zeros(&o->arena, n + 1u, sizeof *o->place_of, e);
    o->places = pq_arena_zeros(&o->arena, n + 1u, sizeof *o->places, e);
    o->looked = pq_arena_zeros(&o->arena, n + 1u, sizeof *o->looked, e);
    o->bytes = pq_arena_zeros(&o->arena, n + 1u, sizeof *o->bytes, e);
    PQ_TRY(e->rc);
    n_columns = list_values(o, desc);
    for (uint32_t i = 0; i < n; i++) {
        pq_buf_init(&o->bytes[i], s->mem, NULL);
    }
    for (uint32_t i = 0; s->whole && i < n_columns; i++) {
        PQ_TRY(find_places(o, i, e));
    }
    pq_top_set_init(&o->set, s->mem, n_columns, s->whole ? n_columns : n);
    pq_top_set_init(&o->last, s->mem, n_columns, n_columns);
    o->set.limit = s->memory / MEMORY_SHARE;
    o->set.mixed = true;
    for (uint32_t i = 0; i < n_columns; i++) {
        o->set.desc[i] = desc[i];
        o->set.lent[i] = s->whole && o->numbers[i] < s->n_keys;
    }
    return PQ_OK;
}

PqRc pq_rollup_order_new(const PqRollupOrderSpec *spec, PqRollupOrder **out,
                         PqErr *e)
{
    PqRollupOrder *o = *out = pq_mem_zeros(spec->mem, 1, sizeof *o, e);

    PQ_TRY(o ? PQ_OK : e->rc);
    o->spec = *spec;
    pq_arena_init(&o->arena, spec->mem);
    return prepare(o, e);
}

void pq_rollup_order_free(PqRollupOrder *o)
{
    if (o) {
        for (uint32_t i = 0; o->bytes && i < o->spec.n_keys + o->spec.n_measures;
             i++) {
            pq_buf_free(&o->bytes[i]);
        }
        pq_top_set_free(&o->set);
        pq_top_set_free(&o->last);
        pq_arena_free(&o->arena);
        pq_mem_free(o);
    }
}
