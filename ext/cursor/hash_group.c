/*
** hash_group.c - what core/group asks of the host.
**
** Keys that are equal to SQLite have to be equal here, and the other way round:
** a group that came twice would be two rows of the result.  Stored values are
** compared as they are only where two of them are surely not one value of
** SQLite; the columns' own values where there is doubt.
*/
#include "ext/cursor/cursor.h"

#include "ext/table/order_text.h"

enum { ORDER_IS_SAID = 3052000 };    /* from this version of SQLite on */

/* A REAL tells all decimals of so few bits apart, whatever precision a file
** claims. */
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

static PqGroupForm form(void *arg, uint32_t column, const PqType *stored)
{
    const PqextTable *t = ((PqextCursor *)arg)->table;
    bool ordered = ((PqextCursor *)arg)->hashed.ordered;
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

static uint32_t number_of_key(const PqextCursor *c, uint32_t column)
{
    uint32_t i = 0;

    while (c->plan->groups.column[i] != column) {
        i++;
    }
    return i;
}

static bool is_of_file(const PqextCursor *c, uint32_t column)
{
    return !pqext_is_of_pages(&c->table->table->columns[column]);
}

static PqRc load(void *arg, uint32_t column, PqErr *e)
{
    PqextCursor *c = arg;

    return is_of_file(c, column)
               ? PQ_OK
               : pqext_cursor_load(c, column,
                                   &c->hashed.keys[number_of_key(c, column)],
                                   e);
}

static void cell_of_file(PqextCursor *c, uint32_t column, PqGroupCell *out)
{
    PqextFileValue v = pqext_file_value(c->listing, c->table->table, column,
                                        pq_scan_batch(c->scan)->file);

    out->kind = v.is_null ? PQ_GROUP_NULL
                : v.is_text ? PQ_GROUP_TEXT : PQ_GROUP_INT;
    out->i = v.is_null ? 0 : v.number;
    out->bytes = v.is_text ? pq_slice_text(v.text) : pq_slice(NULL, 0);
}

static PqRc cell(void *arg, uint32_t column, uint32_t row, PqGroupCell *out,
                 PqErr *e)
{
    PqextCursor *c = arg;
    PqsqlCell *v = &c->hashed.cell;
    PqsqlColumn *of;

    if (is_of_file(c, column)) {
        cell_of_file(c, column, out);
        return PQ_OK;
    }
    of = c->hashed.keys[number_of_key(c, column)];
    v->kind = PQSQL_NULL;
    PQ_TRY(pqsql_column_cell(of, pqsql_column_cells(of), row, v, e));
    *out = (PqGroupCell){
        .kind = v->kind == PQSQL_INTEGER ? PQ_GROUP_INT
                : v->kind == PQSQL_REAL  ? PQ_GROUP_REAL
                : v->kind == PQSQL_TEXT  ? PQ_GROUP_TEXT
                : v->kind == PQSQL_BLOB  ? PQ_GROUP_BLOB : PQ_GROUP_NULL,
        .i = v->i, .r = v->r, .bytes = v->bytes};
    return PQ_OK;
}

static PqRc begin(void *arg, PqErr *e)
{
    PqextCursor *c = arg;

    (void)e;
    return pqext_cursor_begin(c, c->ranges, c->n_ranges);
}

/* Does SQLite rely on an order?  Once for all calls of the cursor. */
static bool wants_order(PqextCursor *c)
{
    const PqextGroupBy *by = &c->plan->groups;
    bool wants = by->ordered;

    if (c->hashed.known || by->once) {
        return c->hashed.ordered && !by->once;
    }
    for (uint32_t i = 0; i < by->n; i++) {
        wants = wants || by->descending[i];
    }
    c->hashed.known = true;
    return wants || (sqlite3_libversion_number() < ORDER_IS_SAID &&
                     pqext_text_may_order(c->table, by->n));
}

static void add_used(PqGroupSpec *spec, const PqextTable *t, uint32_t column)
{
    uint32_t i = 0;

    while (i < spec->n_used && spec->used[i] != column) {
        i++;
    }
    if (i == spec->n_used && i < PQ_GROUP_USED &&
        pqext_is_of_pages(&t->table->columns[column])) {
        spec->used[spec->n_used++] = column;
    }
}

PqRc pqext_hash_group_begin(PqextCursor *c)
{
    const PqextGroupBy *by = &c->plan->groups;
    PqGroupSpec spec = {
        .n_keys = by->n, .once = by->once, .rows = c->table->rows_guess,
        .arg = c, .begin = begin, .form = form, .load = load, .cell = cell,
    };

    for (uint32_t i = 0; i < by->n; i++) {
        spec.keys[i] = by->column[i];
        add_used(&spec, c->table, by->column[i]);
    }
    for (uint32_t i = 0; i < by->n_others; i++) {
        add_used(&spec, c->table, by->other[i]);
    }
    c->hashed.once = by->once;
    spec.ordered = c->hashed.ordered = wants_order(c);
    memcpy(spec.desc, by->descending, sizeof by->descending);
    PQ_TRY(begin(c, &c->e));
    return pq_group_new(c->scan, &spec, &c->hashed.group, &c->e);
}

void pqext_hash_group_end(PqextCursor *c)
{
    pq_group_free(c->hashed.group);
    c->hashed.group = NULL;
}
