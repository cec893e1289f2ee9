/*
** hash_group.c - what core/group asks of the host.  How keys are compared is
** said in key_form.h.
*/
#include "ext/cursor/cursor.h"
#include "ext/cursor/key_form.h"

#include "sql/order_text.h"
#include "sql/statement_text.h"

enum { ORDER_IS_SAID = 3052000 };    /* from this version of SQLite on */

static PqGroupForm form(void *arg, uint32_t column, const PqType *stored)
{
    const PqextCursor *c = arg;

    return pqext_key_form(c->table, column, stored, c->hashed.ordered);
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

static PqRc cell(void *arg, uint32_t column, uint32_t row, PqCell *out,
                 PqErr *e)
{
    PqextCursor *c = arg;
    PqsqlColumn *of;

    if (is_of_file(c, column)) {
        *out = pqext_key_of_file(c, column, pq_scan_batch(c->scan)->file);
        return PQ_OK;
    }
    of = c->hashed.keys[number_of_key(c, column)];
    return pqsql_column_cell(of, pqsql_column_cells(of), row, out, e);
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
                     pqsql_text_anywhere(c->table->host->db, c->table->schema,
                                         pqsql_text_may_order, &by->n));
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

PqRc pqext_hash_group_begin(PqextCursor *c, PqRowSource **out)
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
    spec.ordered = c->hashed.ordered = wants_order(c);
    memcpy(spec.desc, by->descending, sizeof by->descending);
    PQ_TRY(begin(c, &c->e));
    return pq_group_new(c->scan, &spec, out, &c->e);
}
