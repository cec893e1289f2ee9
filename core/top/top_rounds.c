/*
** top_rounds.c - runs the rounds, and gives the rows that they found.
**
** A round never gives a row again, because its rows have to come after the last
** row of the round before.  So every round gets further, and there is an end
** whatever the bounds say.
*/
#include "core/top/top_inside.h"

#include "core/scan/unnest.h"

enum {
    FIRST_ROUND = 16, GROWTH = 16,
    ONLY_ROUND = 64,                 /* before all rows at once             */
    SORTED_ROUND = 256,              /* where columns are sorted alone      */
    SET_SHARE = 4,                   /* of memory, for the sort values      */
    TEXTS_SHARE = 8                  /* ... and for their texts             */
};

/* ---- rounds -------------------------------------------------------------- */

/* The next round begins after the last row of this one. */
static PqRc end_round(PqTop *t, PqErr *e)
{
    const PqTopRow *last;

    if (t->set.n == 0) {
        return PQ_OK;
    }
    last = pq_top_set_at(&t->set, t->set.n - 1);
    pq_top_set_begin(&t->last, 1);
    return pq_top_set_offer(&t->last, last->values, last->rowid, e);
}

/* Could the query be max(), or the least value?  SQLite asks for min() in this way only if
** there are no NULLs, and people write IS NOT NULL. */
static bool may_want_one(const PqTop *t)
{
    const PqTopColumn *c = t->by.v;

    return t->by.n == 1 && (c->desc || c->column < 0 ||
                            (t->spec.no_nulls && !t->spec.filtered) ||
                            t->spec.table->columns[c->column].not_null);
}

/* If a column is sorted alone, each round reads the whole column.  So there are
** few rounds: for one row, for a LIMIT that the host was not told, and for
** all. */
static uint32_t first_round(const PqTop *t)
{
    uint32_t n = t->by.first         ? t->by.first
                 : !t->by.only_sorted ? (uint32_t)(t->by.repeats ? ONLY_ROUND : FIRST_ROUND)
                 : may_want_one(t)   ? 1
                                     : (uint32_t)SORTED_ROUND;

    return n < t->most ? n : t->most;
}

static uint32_t grown(const PqTop *t)
{
    if (t->by.only_sorted) {
        return t->next_most < SORTED_ROUND && t->most > SORTED_ROUND
                   ? SORTED_ROUND : t->most;
    }
    return t->next_most > t->most / GROWTH ? t->most : t->next_most * GROWTH;
}

/* Row groups from number `from` on were not read. */
static void count_passed(PqTop *t, uint32_t from)
{
    int64_t rows = 0;

    for (uint32_t i = from; i < t->groups.n; i++) {
        rows += t->groups.v[i].end - t->groups.v[i].begin;
    }
    pq_scan_passed_groups(t->scan, t->groups.n - from, rows);
}

static PqRc next_round(PqTop *t, PqErr *e)
{
    uint32_t i;

    PQ_TRY(end_round(t, e));
    t->passed += t->set.n;
    pq_top_set_begin(&t->set, t->next_most);
    for (i = 0; i < t->groups.n; i++) {
        const PqTopSection *group = &t->groups.v[i];

        pq_top_set_tighten(&t->set);
        if (pq_top_ends_at(t, group)) {
            break;
        }
        if (!group->known || !pq_top_was_given(t, &group->worst)) {
            PQ_TRY(pq_top_read_group(t, group, e));
        }
    }
    if (t->n_rounds++ == 0) {
        count_passed(t, i);
    }
    t->complete = !pq_top_set_worst(&t->set);
    t->next_most = grown(t);
    t->at = 0;
    pq_top_set_sort(&t->set);
    return PQ_OK;
}

/* ---- all rows at once ---------------------------------------------------- */

/* Would a round read nearly all rows?  Where few row groups all overlap, pages may help. */
static PqRc reads_all(PqTop *t, bool *yes, PqErr *e)
{
    *yes = pq_top_all_overlap(t, &t->groups);
    return *yes && t->groups.n <= PQ_TOP_OVERLAP
               ? pq_top_pages_overlap(t, t->groups.v, yes, e) : PQ_OK;
}

/* Were the first rows not enough, and would several rounds follow, each of which reads
** nearly all rows?  If there are other columns, rows would be picked one by one. */
static PqRc wants_all(PqTop *t, bool *wanted, PqErr *e)
{
    int64_t rows = 0;

    *wanted = t->spec.only_bound;
    if (*wanted || !t->spec.all || !t->by.repeats || t->next_most <= SORTED_ROUND) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < t->groups.n; i++) {
        rows += t->groups.v[i].end - t->groups.v[i].begin;
    }
    return rows > t->most || !t->by.only_sorted ? reads_all(t, wanted, e) : PQ_OK;
}

/* Its first rows are those that were given. */
static PqRc next_of_all(PqTop *t, bool *more, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(t->scan);
    uint32_t passed;

    do {
        PQ_TRY(t->all->next(t->all, more, e));
        passed = t->passed < b->n_kept ? (uint32_t)t->passed : b->n_kept;
        t->passed -= passed;
    } while (*more && passed == b->n_kept);
    if (*more && passed > 0) {
        for (uint32_t i = passed; i < b->n_kept; i++) {
            t->list[i - passed] = b->kept ? b->kept[i] : i;
        }
        pq_scan_keep(t->scan, t->list, b->n_kept - passed);
    }
    return PQ_OK;
}

/* ---- giving -------------------------------------------------------------- */

static void put_value(void *values, PqPhysical type, uint32_t i,
                      const PqCell *v)
{
    switch (type) {
    case PQ_BOOLEAN:
        ((uint8_t *)values)[i] = (uint8_t)v->i;
        break;
    case PQ_INT32:
        ((uint32_t *)values)[i] = (uint32_t)v->i;
        break;
    case PQ_INT64:
        ((int64_t *)values)[i] = v->i;
        break;
    case PQ_FLOAT:
        ((float *)values)[i] = (float)v->r;
        break;
    case PQ_DOUBLE:
        ((double *)values)[i] = v->r;
        break;
    default:
        ((PqStr *)values)[i] = (PqStr){v->p, v->n};
        break;
    }
}

/* The columns that rows are sorted by need not be read again.  False: this one
** is read nevertheless. */
static bool give_column(PqTop *t, uint32_t column, uint32_t n)
{
    const PqTopColumn *c = &t->by.v[column];
    const PqNode *node = c->column < 0 ? NULL
                             : pq_scan_node(t->scan, (uint32_t)c->column);
    PqTopGiven *g = &t->given[column];
    PqPhysical type;
    uint32_t n_valid = 0;

    if (!node || c->form == PQ_TOP_CELLS) {
        return false;
    }
    type = node->type.physical;
    memset(g->valid, 0, sizeof g->valid);
    for (uint32_t i = 0; i < n; i++) {
        const PqCell *v = pq_top_set_at(&t->set, t->at + i)->values + column;

        put_value(g->values, type, i, v);    /* NULL is 0 */
        g->valid[i / 64] |= (uint64_t)(v->kind != PQ_CELL_NULL) << i % 64;
        n_valid += v->kind != PQ_CELL_NULL;
    }
    g->vector = (PqVector){
        .leaf = &pq_scan_footer(t->scan)->schema.leaves[node->leaf],
        .n_rows = n, .n_slots = n, .valid = n_valid < n ? g->valid : NULL,
        .values = g->values};
    return pq_scan_preset(t->scan, (uint32_t)node->leaf, &g->vector);
}

static PqRc give_rows(PqTop *t, PqErr *e)
{
    uint32_t n = 0, left = t->set.n - t->at;

    t->all_given = true;
    while (n < left && n < PQ_BATCH_ROWS) {
        t->rowids[n] = pq_top_set_at(&t->set, t->at + n)->rowid;
        if (t->rowids[n] >> PQ_ROWID_SHIFT != t->rowids[0] >> PQ_ROWID_SHIFT) {
            break;
        }
        n++;
    }
    PQ_TRY(pq_scan_pick(t->scan, t->rowids, n, e));
    for (uint32_t i = 0; i < t->by.n; i++) {
        t->all_given = give_column(t, i, n) && t->all_given;
    }
    t->at += n;
    return PQ_OK;
}

/* ---- without a round ----------------------------------------------------- */

/* Is the bound of the best row group a sufficient answer?  The zero of a real may have the
** wrong sign as a bound. */
static bool bound_will_do(const PqTop *t)
{
    const PqTopSpec *s = &t->spec;
    const PqTopSection *best = t->groups.v;

    return t->n_rounds == 0 && t->set.n == 0 && t->by.only_sorted && t->by.n == 1 &&
           t->next_most == 1 && t->by.v[0].form != PQ_TOP_CELLS &&
           t->groups.n > 0 && best->occurs && !s->filtered &&
           !(best->best.kind == PQ_CELL_REAL && best->best.r == 0) &&
           s->host.n_ranges == 1 && s->host.ranges[0].begin <= 0 &&
           s->host.ranges[0].end == INT64_MAX;
}

/* Finds the row that has the value that was given as a bound. */
static PqRc look_for_it(PqTop *t, PqErr *e)
{
    t->is_bound = false;
    pq_top_set_begin(&t->set, 1);
    return next_round(t, e);
}

/* Gives the bound as if the first row of the row group had it.  If the column
** is read anyway because it is part of a struct, it has to be the right row. */
static PqRc give_bound(PqTop *t, PqErr *e)
{
    pq_top_set_begin(&t->set, 1);
    PQ_TRY(pq_top_set_offer(&t->set, &t->groups.v[0].best,
                            t->groups.v[0].begin, e));
    t->at = 0;
    PQ_TRY(give_rows(t, e));
    t->is_bound = t->all_given;
    if (!t->all_given) {
        PQ_TRY(look_for_it(t, e));
        return give_rows(t, e);
    }
    return PQ_OK;
}

static PqRc tell_apart(PqRowSource *base, uint32_t row, bool *changed, PqErr *e)
{
    PqTop *t = (PqTop *)base;

    (void)row;                       /* the bound is the only one           */
    if (!t->is_bound) {
        return PQ_OK;
    }
    *changed = true;
    PQ_TRY(look_for_it(t, e));
    return t->set.n ? give_rows(t, e)
                    : pq_fail(e, PQ_CORRUPT, "no row has the value that the "
                              "statistics say is there; trust_stats=off reads "
                              "without them");
}

static PqRc rowid(PqRowSource *base, uint32_t row, int64_t *out, PqErr *e)
{
    PqTop *t = (PqTop *)base;

    return t->all ? t->all->rowid(t->all, row, out, e)
                  : pq_scan_rowid(t->scan, row, out, e);
}

static PqRc next(PqRowSource *base, bool *more, PqErr *e)
{
    PqTop *t = (PqTop *)base;
    bool all = false;

    if (t->is_bound && !t->spec.only_bound) {
        PQ_TRY(look_for_it(t, e));
        t->at = t->set.n;            /* it was given */
    } else if (bound_will_do(t)) {
        *more = true;
        return give_bound(t, e);
    }
    if (!t->all && t->at == t->set.n && !t->complete) {
        PQ_TRY(wants_all(t, &all, e));
    }
    if (all) {
        t->is_bound = false;
        t->passed += t->set.n;
        PQ_TRY(t->spec.all(t->spec.all_arg, &t->all, e));
    }
    if (t->all) {
        return next_of_all(t, more, e);
    }
    while (t->at == t->set.n && !t->complete) {
        PQ_TRY(next_round(t, e));
    }
    *more = t->at < t->set.n;
    return *more ? give_rows(t, e) : PQ_OK;
}

/* ---- making and freeing -------------------------------------------------- */

static PqRc make_room(PqTop *t, PqErr *e)
{
    size_t most = pq_mem_limit(t->mem) / SET_SHARE / (2 * t->set.width);

    t->most = most < FIRST_ROUND ? FIRST_ROUND
              : most > INT32_MAX ? INT32_MAX : (uint32_t)most;
    t->set.limit = pq_mem_limit(t->mem) / TEXTS_SHARE;
    for (uint32_t i = 0; i < t->by.n; i++) {
        t->set.desc[i] = t->last.desc[i] = t->by.v[i].desc;
    }
    return PQ_ARRAY(t->mem, t->given, t->by.n, e);
}

static void free_top(PqRowSource *base)
{
    PqTop *t = (PqTop *)base;

    if (t->is_bound) {
        count_passed(t, 0);
    }
    pq_row_source_free(t->all);
    pq_mem_free(t->given);
    pq_mem_free(t->cut);
    pq_mem_free(t->some);
    pq_top_set_free(&t->set);
    pq_top_set_free(&t->last);
    pq_top_sections_free(&t->groups);
    pq_top_sections_free(&t->pages);
    pq_mem_free(t);
}

PqRc pq_top_new(PqScan *scan, const PqTopSpec *spec, const PqTopBy *by,
                PqRowSource **out, PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    PqTop *t = pq_mem_alloc(mem, sizeof *t, e);

    *out = NULL;
    PQ_TRY(t ? PQ_OK : e->rc);
    memset(t, 0, offsetof(PqTop, list));
    t->base = pq_row_source(scan, next);
    t->base.tell_apart = tell_apart;
    t->base.rowid = rowid;
    t->base.free = free_top;
    t->scan = scan;
    t->mem = mem;
    t->spec = *spec;
    t->by = *by;
    pq_arena_init(&t->groups.arena, mem);
    pq_arena_init(&t->pages.arena, mem);
    pq_top_set_init(&t->set, mem, by->n, by->n);
    pq_top_set_init(&t->last, mem, by->n, by->n);
    t->proof = (PqTopProof){.base = {.n_columns = 1,
                                     .refutes = pq_top_refutes},
                            .top = t};
    t->proof.base.column[0] = by->v[0].column < 0 ? 0
                                                  : (uint32_t)by->v[0].column;
    if (make_room(t, e) != PQ_OK ||
        pq_top_sections(&t->spec, &t->by, &t->groups, e) != PQ_OK) {
        free_top(&t->base);
        return e->rc;
    }
    t->next_most = first_round(t);
    t->set.mixed = t->by.v[0].form == PQ_TOP_CELLS;
    *out = &t->base;
    return PQ_OK;
}
