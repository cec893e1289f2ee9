/*
** order_rounds.c - rounds of keys, and the rows they stand for.
**
** A row that one round has given is not given by the next, because it does not
** come behind the last key given (the floor); so every round gets further, and
** there is an end whatever the bounds say.
*/
#include "ext/order/order_inside.h"

enum {
    FIRST_ROUND = 16, GROWTH = 16,
    KEYS_SHARE = 4,                  /* of memory, for keys                 */
    TEXTS_SHARE = 8,                 /* ... for their texts                 */
    PICK_SHARE = 4,                  /* ... and for the rows they stand for */
    LONG_RUN = 1024                  /* rows read as they lie               */
};

/* ---- rounds ------------------------------------------------------------------------- */

/* The last key of the round before is the floor of this one. */
static PqRc raise_floor(PqextOrder *o, PqErr *e)
{
    const PqextOrderKey *last;

    if (o->keys.n == 0) {
        return PQ_OK;
    }
    last = pqext_keys_at(&o->keys, o->keys.n - 1);
    pqext_keys_begin(&o->floor, 1);
    return pqext_keys_offer(&o->floor, last->values, last->row, e);
}

static uint32_t grown(const PqextOrder *o)
{
    return o->by.only_keys || o->next_most > o->most / GROWTH
               ? o->most : o->next_most * GROWTH;
}

static void count_passed(PqextOrder *o, uint32_t from)
{
    int64_t rows = 0;

    for (uint32_t i = from; i < o->groups.n; i++) {
        rows += o->groups.v[i].end - o->groups.v[i].begin;
    }
    pq_scan_passed_groups(o->scan, o->groups.n - from, rows);
}

static PqRc next_round(PqextOrder *o, PqErr *e)
{
    const PqextOrderGroups *groups = &o->groups;
    uint32_t i;

    PQ_TRY(raise_floor(o, e));
    pqext_keys_begin(&o->keys, o->next_most);
    for (i = 0; i < groups->n; i++) {
        const PqextOrderGroup *g = &groups->v[i];

        pqext_keys_tighten(&o->keys);
        if (pqext_order_ends_at(o, g)) {
            break;
        }
        if (!g->known || !pqext_order_given_already(o, &g->worst)) {
            PQ_TRY(pqext_order_read_group(o, g, e));
        }
    }
    if (o->n_rounds++ == 0) {
        count_passed(o, i);
    }
    o->complete = !pqext_keys_worst(&o->keys);
    o->next_most = grown(o);
    o->at = 0;
    pqext_keys_sort(&o->keys);
    return PQ_OK;
}

/* ---- giving --------------------------------------------------------------------------- */

static void put_value(void *values, PqPhysical type, uint32_t i,
                      const PqextKeyValue *v)
{
    switch (type) {
    case PQ_BOOLEAN:
        ((uint8_t *)values)[i] = (uint8_t)v->as.i;
        break;
    case PQ_INT32:
        ((uint32_t *)values)[i] = (uint32_t)v->as.i;
        break;
    case PQ_INT64:
        ((int64_t *)values)[i] = v->as.i;
        break;
    case PQ_FLOAT:
        ((float *)values)[i] = (float)v->as.r;
        break;
    case PQ_DOUBLE:
        ((double *)values)[i] = v->as.r;
        break;
    default:
        ((PqStr *)values)[i] = (PqStr){v->as.p, v->n};
        break;
    }
}

/* The columns of the ORDER BY need not be read again. */
static void give_column(PqextOrder *o, uint32_t column, uint32_t n)
{
    const PqextOrderColumn *c = &o->by.v[column];
    const PqNode *node = c->column < 0
                             ? NULL : pq_scan_node(o->scan, (uint32_t)c->column);
    PqextOrderGiven *g = &o->given[column];
    PqPhysical type;

    if (!node || c->form == PQEXT_FORM_OF_CELLS) {
        return;
    }
    type = node->type.physical;
    memset(g->valid, 0, sizeof g->valid);
    for (uint32_t i = 0; i < n; i++) {
        const PqextKeyValue *v =
            pqext_keys_at(&o->keys, o->at + i)->values + column;

        if (v->kind == PQEXT_KEY_NULL) {
            memset((char *)g->values + i * pq_physical_width(type), 0,
                   pq_physical_width(type));
        } else {
            put_value(g->values, type, i, v);
            g->valid[i / 64] |= (uint64_t)1 << i % 64;
        }
    }
    g->vector = (PqVector){
        .leaf = &pq_scan_footer(o->scan)->schema.leaves[node->leaf],
        .n_rows = n, .n_slots = n, .valid = g->valid, .values = g->values};
    pq_scan_preset(o->scan, (uint32_t)node->leaf, &g->vector);
}

/* How many rows from here on lie behind each other in the file. */
static uint32_t run_length(const PqextOrder *o)
{
    const PqextKeys *k = &o->keys;
    int64_t first = pqext_keys_at(k, o->at)->row;
    uint32_t n = 1;

    while (o->at + n < k->n && pqext_keys_at(k, o->at + n)->row == first + n) {
        n++;
    }
    return n;
}

static PqRc begin_run(PqextOrder *o, uint32_t n, PqErr *e)
{
    int64_t first = pqext_keys_at(&o->keys, o->at)->row;
    PqRowRange range = {first, first + n};

    o->at += n;
    o->running = true;
    return pq_scan_start(o->scan, &range, 1, NULL, NULL, e);
}

static PqRc give_rows(PqextOrder *o, PqErr *e)
{
    uint32_t n = 0, left = o->keys.n - o->at;

    while (n < left && n < PQ_BATCH_ROWS) {
        o->rowids[n] = pqext_keys_at(&o->keys, o->at + n)->row;
        if (o->rowids[n] >> PQ_ROWID_SHIFT != o->rowids[0] >> PQ_ROWID_SHIFT) {
            break;
        }
        n++;
    }
    PQ_TRY(pq_scan_pick(o->scan, o->rowids, n, e));
    for (uint32_t i = 0; i < o->by.n; i++) {
        give_column(o, i, n);
    }
    o->at += n;
    return PQ_OK;
}

/* ---- without a round ------------------------------------------------------------------ */

/* Integers, because a bound that is a zero of a REAL may have the wrong sign. */
static bool bound_will_do(const PqextOrder *o)
{
    const PqextCursor *c = o->c;
    const PqextOrderGroup *best = o->groups.v;

    return o->n_rounds == 0 && o->by.only_keys && o->by.n == 1 &&
           o->next_most == 1 && o->by.v[0].form == PQEXT_FORM_OF_INTS &&
           o->groups.n > 0 && best->occurs && c->n_conditions == 0 &&
           !c->is_distinct && c->n_ranges == 1 &&
           c->ranges[0].begin <= 0 && c->ranges[0].end == INT64_MAX;
}

/* As if the first row of the row group had the value. */
static PqRc give_bound(PqextOrder *o, PqErr *e)
{
    pqext_keys_begin(&o->keys, 1);
    PQ_TRY(pqext_keys_offer(&o->keys, &o->groups.v[0].best,
                            o->groups.v[0].begin, e));
    o->at = 0;
    PQ_TRY(give_rows(o, e));
    o->is_bound = true;
    return PQ_OK;
}

static PqRc look_for_it(PqextOrder *o, PqErr *e)
{
    o->is_bound = false;
    pqext_keys_begin(&o->keys, 1);
    return next_round(o, e);
}

bool pqext_order_is_bound(const PqextOrder *o)
{
    return o->is_bound;
}

PqRc pqext_order_find_row(PqextOrder *o, PqErr *e)
{
    PQ_TRY(look_for_it(o, e));
    return o->keys.n ? give_rows(o, e)
                     : pq_fail(e, PQ_CORRUPT, "no row has the value that the "
                               "statistics say is there; trust_stats=off reads "
                               "without them");
}

PqRc pqext_order_next(PqextOrder *o, bool *more, PqErr *e)
{
    if (o->is_bound) {
        PQ_TRY(look_for_it(o, e));
        o->at = o->keys.n;           /* it was given */
    } else if (bound_will_do(o)) {
        *more = true;
        return give_bound(o, e);
    }
    for (;;) {
        uint32_t run;

        if (o->running) {
            PQ_TRY(pq_scan_next(o->scan, more, e));
            if (*more) {
                return PQ_OK;
            }
            o->running = false;
        }
        if (o->at < o->keys.n) {
            run = o->by.only_keys ? 0 : run_length(o);
            if (run < LONG_RUN) {
                *more = true;
                return give_rows(o, e);
            }
            PQ_TRY(begin_run(o, run, e));
            continue;
        }
        if (o->complete) {
            *more = false;
            return PQ_OK;
        }
        PQ_TRY(next_round(o, e));
    }
}

/* ---- making and freeing ----------------------------------------------------------------- */

static PqRc make_room(PqextOrder *o, PqErr *e)
{
    size_t most = pq_mem_limit(o->mem) / KEYS_SHARE / (2 * o->keys.width);

    o->most = most < FIRST_ROUND ? FIRST_ROUND
              : most > INT32_MAX ? INT32_MAX : (uint32_t)most;
    o->keys.limit = pq_mem_limit(o->mem) / TEXTS_SHARE;
    for (uint32_t i = 0; i < o->by.n; i++) {
        o->keys.desc[i] = o->floor.desc[i] = o->by.v[i].desc;
    }
    PQ_TRY(pq_scan_pick_memory(o->scan, pq_mem_limit(o->mem) / PICK_SHARE, e));
    o->given = pq_mem_zeros(o->mem, o->by.n, sizeof *o->given, e);
    if (!o->given) {
        return e->rc;
    }
    for (uint32_t i = 0; i < o->by.n; i++) {
        o->given[i].values = pq_mem_array(o->mem, PQ_BATCH_ROWS, sizeof(PqStr),
                                          e);
        if (!o->given[i].values) {
            return e->rc;
        }
    }
    return PQ_OK;
}

PqRc pqext_order_new(PqextCursor *c, const PqextOrderBy *by, PqextOrder **out,
                     PqErr *e)
{
    PqMem *mem = pq_scan_mem(c->scan);
    PqextOrder *o = pq_mem_zeros(mem, 1, sizeof *o, e);

    *out = NULL;
    if (!o) {
        return e->rc;
    }
    o->c = c;
    o->scan = c->scan;
    o->mem = mem;
    o->by = *by;
    pq_arena_init(&o->groups.arena, mem);
    pq_arena_init(&o->pages.arena, mem);
    pqext_keys_init(&o->keys, mem, by->n);
    pqext_keys_init(&o->floor, mem, by->n);
    o->proof = (PqextOrderProof){.base = {.n_columns = 1,
                                     .refutes = pqext_order_refutes},
                            .order = o};
    o->proof.base.column[0] = by->v[0].column < 0 ? 0
                                                  : (uint32_t)by->v[0].column;
    o->next_most = by->first ? by->first : by->only_keys ? 1 : FIRST_ROUND;
    if (make_room(o, e) != PQ_OK ||
        pqext_order_groups(c->table, &c->listing->list, pqext_cursor_skips, c,
                           &o->by, &o->groups, e) != PQ_OK) {
        pqext_order_free(o);
        return e->rc;
    }
    o->keys.mixed = o->by.v[0].form == PQEXT_FORM_OF_CELLS;
    *out = o;
    return PQ_OK;
}

void pqext_order_free(PqextOrder *o)
{
    if (o) {
        if (o->is_bound) {
            count_passed(o, 0);
        }
        for (uint32_t i = 0; o->given && i < o->by.n; i++) {
            pq_mem_free(o->given[i].values);
        }
        pq_mem_free(o->given);
        pq_mem_free(o->cut);
        pq_mem_free(o->some);
        pqext_keys_free(&o->keys);
        pqext_keys_free(&o->floor);
        pqext_order_groups_free(&o->groups);
        pqext_order_groups_free(&o->pages);
        pq_mem_free(o);
    }
}
