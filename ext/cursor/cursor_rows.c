/*
** cursor_rows.c - the sources of a cursor's rows, and what they ask of it.
**
** The engine gives rows in an order, in groups, or file by file.  For columns
** that cannot be compared as they are stored it gets the values that SQLite
** would get: an INTEGER, a REAL, a text or a BLOB.
*/
#include "ext/cursor/cursor.h"
#include "ext/plan/plan.h"
#include "sql/order_text.h"
#include "sql/statement_text.h"

#include <assert.h>

/* ---- what all of them ask -------------------------------------------------- */

static PqRc begin(void *arg, const PqRowRange *ranges, uint32_t n, bool filters,
                  PqErr *e)
{
    PqextScan *s = arg;

    assert(e == &s->e);
    return filters ? pqext_scan_begin(s, ranges, n)
                   : pqext_scan_proofs(s, ranges, n);
}

static bool is_of_file(const PqextScan *s, uint32_t column)
{
    return !pq_column_is_of_pages(&s->table->table->columns[column]);
}

static PqRc load(void *arg, uint32_t column, PqErr *e)
{
    PqextScan *s = arg;
    PqsqlColumn *loaded;

    return is_of_file(s, column) ? PQ_OK
                                 : pqext_scan_load(s, column, &loaded, e);
}

static PqRc cell(void *arg, uint32_t column, uint32_t row, PqCell *out, PqErr *e)
{
    PqextScan *s = arg;
    PqsqlColumn *of = s->columns[column];

    return is_of_file(s, column)
               ? pqext_scan_cell(s, column, row, out, e)
               : pqsql_column_cell(of, pqsql_column_cells(of), row, out, e);
}

static PqRowHost host_of(PqextCursor *c)
{
    return (PqRowHost){.listing = &c->s.listing->list, .ranges = c->s.ranges,
                       .n_ranges = c->s.n_ranges, .arg = &c->s,
                       .skip_file = pqext_scan_skips, .begin = begin,
                       .load = load, .cell = cell};
}

/* ---- rows file by file ----------------------------------------------------- */

static PqCell value_of_file(void *arg, uint32_t column, uint32_t file)
{
    const PqextScan *s = arg;

    return pqext_file_value(s->listing, s->table->table, column, file, NULL);
}

PqRc pqext_rows_by_file(PqextCursor *c, PqRowSource **out)
{
    const PqextGroupBy *by = &c->s.plan->files;
    PqFileOrderSpec spec = {.host = host_of(c), .n = by->n, .once = by->once,
                            .value = value_of_file};

    memcpy(spec.column, by->column, sizeof spec.column);
    memcpy(spec.desc, by->descending, sizeof spec.desc);
    return pq_file_order_new(c->s.scan, &spec, out, &c->s.e);
}

/* ---- rows in groups -------------------------------------------------------- */

/* All decimals with this few bits are different REALs, whatever precision a
** file claims. */
static PqGroupForm form_of_integer(const PqType *stored)
{
    return stored->logical == PQ_TYPE_DECIMAL && stored->scale != 0 &&
                   stored->physical != PQ_INT32
               ? PQ_GROUP_CELLS : PQ_GROUP_INTS;
}

static PqGroupForm form_of_places(const PqextTable *t, const PqType *stored)
{
    switch (stored->physical) {
    case PQ_BOOLEAN:
        return PQ_GROUP_INTS;
    case PQ_INT32:
    case PQ_INT64:
        return form_of_integer(stored);
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return t->values.nan_text ? PQ_GROUP_CELLS : PQ_GROUP_REALS;
    default:
        return stored->logical == PQ_TYPE_UUID ? PQ_GROUP_BYTES
                                               : PQ_GROUP_CELLS;
    }
}

PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered)
{
    const PqColumn *c = &t->table->columns[column];
    PqextMeaning m;

    if (!stored) {
        return PQ_GROUP_INTS;        /* NULL in all rows */
    }
    if (!pqext_same_meaning(c, stored)) {
        return PQ_GROUP_CELLS;
    }
    m = pqext_meaning(t, stored);
    return m.coarse || m.order == PQ_WANTED_CELLS ||
                   (ordered && m.bounded)         ? PQ_GROUP_CELLS
           : m.order == PQ_WANTED_BYTES           ? PQ_GROUP_BYTES
                                                  : form_of_places(t, stored);
}

static PqGroupForm form(void *arg, uint32_t column, const PqType *stored,
                        bool ordered)
{
    const PqextScan *s = arg;

    return pqext_key_form(s->table, column, stored, ordered);
}

/* Does SQLite rely on an order?  Once for all calls of the cursor. */
static bool wants_order(PqextCursor *c)
{
    const PqextGroupBy *by = &c->s.plan->groups;
    bool wants = by->ordered;

    if (c->groups_known || by->once) {
        return c->groups_ordered && !by->once;
    }
    for (uint32_t i = 0; i < by->n; i++) {
        wants = wants || by->descending[i];
    }
    c->groups_known = true;
    return wants || (!pqext_order_is_said() &&
                     pqsql_text_anywhere(c->s.table->host->db, c->s.table->schema,
                                         pqsql_text_may_order, &by->n));
}

static void add_used(PqGroupSpec *spec, const PqextTable *t, uint32_t column)
{
    uint32_t i = 0;

    if (!pq_column_is_of_pages(&t->table->columns[column])) {
        spec->rowids = true;
        return;
    }
    while (i < spec->n_used && spec->used[i] != column) {
        i++;
    }
    if (i == spec->n_used && i < PQ_GROUP_USED) {
        spec->used[spec->n_used++] = column;
    }
}

static PqGroupSpec group_spec(PqextCursor *c)
{
    const PqextGroupBy *by = &c->s.plan->groups;
    PqGroupSpec spec = {.host = host_of(c), .n_keys = by->n, .once = by->once,
                        .rows = c->s.table->rows_guess,
                        .all_rows = c->s.plan->n_terms == 0, .form = form};

    for (uint32_t i = 0; i < by->n; i++) {
        spec.keys[i] = by->column[i];
        add_used(&spec, c->s.table, by->column[i]);
    }
    for (uint32_t i = 0; i < by->n_others; i++) {
        add_used(&spec, c->s.table, by->other[i]);
    }
    memcpy(spec.desc, by->descending, sizeof by->descending);
    return spec;
}

static PqRc rows_in_groups(void *arg, PqRowSource **out, PqErr *e)
{
    PqextCursor *c = arg;
    const PqextGroupBy *by = &c->s.plan->groups;
    PqGroupSpec spec = group_spec(c);

    assert(e == &c->s.e);
    PQ_TRY(pqext_scan_begin(&c->s, c->s.ranges, c->s.n_ranges));
    spec.gather = by->gathers;
    spec.hash = by->hashed || by->guessed;
    if (spec.hash) {
        spec.ordered = c->groups_ordered = by->guessed || wants_order(c);
    }
    return by->gathers || !by->hashed
               ? pq_group_passes_new(c->s.scan, &spec, out, &c->s.e)
               : pq_group_new(c->s.scan, &spec, out, &c->s.e);
}

/* ---- rows in an order ------------------------------------------------------ */

/* Takes from the conditions what they leave out. */
static void take_conditions(const PqextScan *s, int first_column, PqTopSpec *spec)
{
    spec->filtered = s->n_geos > 0;
    for (uint32_t i = 0; i < s->n_conditions; i++) {
        const PqextCondition *c = &s->conditions[i];
        bool no_nulls = (int)c->column == first_column && c->base.proof.by_value;
        bool is_all = (int)c->column == first_column && c->op == PQEXT_NOT_NULL;

        spec->no_nulls |= no_nulls || is_all;
        spec->filtered |= !is_all;
    }
}

/* The rows of the order as groups, which are sorted. */
static PqRc all_in_order(void *arg, PqRowSource **out, PqErr *e)
{
    PqextCursor *c = arg;
    PqGroupSpec spec = group_spec(c);

    assert(e == &c->s.e);
    spec.ordered = true;
    PQ_TRY(pqext_scan_begin(&c->s, c->s.ranges, c->s.n_ranges));
    return pq_group_new(c->s.scan, &spec, out, e);
}

bool pqext_finds_first(PqextCursor *c)
{
    const PqextPlan *p = c->s.plan;

    if (p->order.n == 0 || pqext_plan_finds_first(p) || !p->groups.hashed) {
        return pqext_plan_finds_first(p);
    }
    if (!c->few_known) {
        c->few_known = true;
        c->wants_few = pqsql_text_anywhere(c->s.table->host->db, c->s.table->schema,
                                           pqsql_text_may_want_few, NULL);
    }
    return c->wants_few;
}

PqRc pqext_rows_in_order(PqextCursor *c, PqRowSource **out)
{
    PqTopSpec spec = pqext_order_spec(c->s.table, host_of(c));
    const PqTopBy *by = &c->s.plan->order;

    spec.all = c->s.plan->groups.n > 0 ? all_in_order : NULL;
    spec.all_arg = c;
    take_conditions(&c->s, by->v[0].column, &spec);
    return pq_top_new(c->s.scan, &spec, by, out, &c->s.e);
}

/* For max() of a text with few values, which SQLite asks for like an ORDER BY, a bound is
** the first row, and groups are made only if another one is wanted. */
PqRc pqext_rows_in_groups(PqextCursor *c, PqRowSource **out)
{
    PqTopSpec spec = pqext_order_spec(c->s.table, host_of(c));
    PqTopBy by = c->s.plan->order;

    take_conditions(&c->s, by.v[0].column, &spec);
    if (by.n != 1 || by.v[0].column >= 63 || spec.filtered ||
        c->s.plan->columns != (uint64_t)1 << by.v[0].column) {
        return rows_in_groups(c, out, &c->s.e);
    }
    by.only_sorted = spec.only_bound = true;
    spec.all = rows_in_groups;
    spec.all_arg = c;
    return pq_top_new(c->s.scan, &spec, &by, out, &c->s.e);
}
