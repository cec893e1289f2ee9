/*
** order_host.c - rows in an order: what the engine asks while it reads them.
**
** A value that cannot be compared as it is stored is a cell.  Of these the engine
** is given what SQLite would be given: an INTEGER, a REAL, a text or a BLOB.
*/
#include "ext/cursor/cursor.h"
#include "ext/plan/order_plan.h"

#include <assert.h>

/* A column of cells in the current batch. */
typedef struct Source {
    PqsqlColumn *column;
    PqsqlCellOf  cell_of;            /* NULL: texts are made row by row     */
} Source;

typedef struct Host {
    const PqextTable *t;             /* first: see pqext_order_spec         */
    PqextCursor      *c;
    Source            sources[PQ_TOP_COLUMNS];
} Host;

/* ---- values -------------------------------------------------------------- */

static PqRc load(void *arg, uint32_t i, uint32_t column, PqErr *e)
{
    Host *h = arg;
    Source *s = &h->sources[i];

    PQ_TRY(pqext_cursor_load(h->c, column, &s->column, e));
    s->cell_of = pqsql_column_cells(s->column);
    return PQ_OK;
}

static PqRc cell(void *arg, uint32_t i, uint32_t row, PqCell *out, PqErr *e)
{
    Source *s = &((Host *)arg)->sources[i];

    return pqsql_column_cell(s->column, s->cell_of, row, out, e);
}

static PqRc begin(void *arg, const PqRowRange *ranges, uint32_t n, PqErr *e)
{
    PqextCursor *c = ((Host *)arg)->c;

    assert(e == &c->e);
    (void)e;
    return pqext_cursor_begin(c, ranges, n);
}

/* Is it what stands for min(x) where x may be NULL: WHERE x IS NOT NULL ORDER
** BY x LIMIT 1?  The LIMIT is not always told. */
static bool may_be_least(const PqextPlan *p, const PqTopBy *by)
{
    bool all = by->n == 1 && by->only_sorted && by->first == 0;

    for (uint32_t i = 0; i < p->n_terms; i++) {
        all = all && p->terms[i].op == PQEXT_NOT_NULL &&
              p->terms[i].column == by->v[0].column;
    }
    return all && p->n_terms > 0;
}

PqRc pqext_order_begin(PqextCursor *c, const PqTopBy *asked,
                       PqRowSource **out, PqErr *e)
{
    Host *h = pq_arena_zeros(&c->arena, 1, sizeof *h, e);
    PqTopBy by = *asked;
    PqTopSpec spec;

    *out = NULL;
    if (!h) {
        return e->rc;
    }
    h->t = c->table;
    h->c = c;
    spec = pqext_order_spec(c->table, &c->listing->list, h);
    spec.begin = begin;
    spec.load = load;
    spec.cell = cell;
    spec.skip_file = pqext_cursor_skips;
    spec.skip_arg = c;
    spec.ranges = c->ranges;
    spec.n_ranges = c->n_ranges;
    spec.filtered = c->n_conditions > 0 || c->n_geos > 0;
    by.first = may_be_least(c->plan, &by) ? 1 : by.first;
    return pq_top_new(c->scan, &spec, &by, out, e);
}
