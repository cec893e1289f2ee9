/*
** order_host.c - what the engine asks about the values of a column.
**
** For most columns the answer is data: SQLite's order is that of what is
** stored, at least within limits (meaning.h).  The others are cells.  Of these
** the engine is given what SQLite would be given: an INTEGER, a REAL, a text or
** a BLOB.
*/
#include "ext/order/order.h"

#include <assert.h>

_Static_assert((int)PQ_TOP_ROWID == (int)PQEXT_ROWID, "one rowid");
_Static_assert((int)PQ_TOP_BOUND_ROOM >= (int)PQEXT_BOUND_ROOM, "texts fit");

/* A column of cells in the current batch. */
typedef struct Source {
    PqsqlColumn *column;
    PqsqlCellOf  cell_of;            /* NULL: texts are made row by row     */
} Source;

typedef struct Host {
    const PqextTable *t;
    PqextCursor      *c;             /* NULL while planning                 */
    Source            sources[PQ_TOP_COLUMNS];
} Host;

/* ---- columns ------------------------------------------------------------- */

/* A NaN would be a text among numbers. */
static bool has_nan_texts(const PqextTable *t, const PqType *type)
{
    return t->values.nan_text && pq_type_is_float(type);
}

bool pqext_order_column(const PqextTable *t, int column, bool desc,
                        PqTopColumn *out)
{
    const PqType *type;
    PqextMeaning m;

    *out = (PqTopColumn){.column = column, .desc = desc};
    if (column < 0) {
        out->column = PQEXT_ROWID;
        return true;
    }
    if ((uint32_t)column >= t->table->n_columns) {
        return false;
    }
    type = &t->table->columns[column].type;
    m = pqext_meaning(t, type);
    out->order = m.order;
    out->coarse = m.coarse;
    out->bounded = m.bounded;
    out->least = m.least;
    out->most = m.most;
    return pqext_has_order(t, (uint32_t)column) && !has_nan_texts(t, type);
}

/* ---- values -------------------------------------------------------------- */

static bool bound(void *arg, uint32_t column, PqSlice stored, char *room,
                  PqCell *out)
{
    const PqextTable *t = ((const Host *)arg)->t;

    return pqext_bound_value(t, &t->table->columns[column].type, stored, room,
                             out);
}

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

/* ---- what the engine works on -------------------------------------------- */

static PqTopSpec spec_of(const PqextTable *t, const PqListing *l, Host *h)
{
    return (PqTopSpec){.table = t->table, .listing = l,
                       .stop = {pqext_host_stop, t->host}, .arg = h,
                       .bound = bound, .begin = begin, .load = load,
                       .cell = cell};
}

bool pqext_order_sections(const PqextTable *t, PqTopBy *by, PqTopSections *out)
{
    PqListedFile file = {.path = t->table->first_path};
    PqListing one = {.files = &file, .n_files = 1,
                     .keys = pqext_options_keys(&t->options)};
    Host h = {.t = t};
    PqTopSpec spec = spec_of(t, &one, &h);
    PqErr e;

    pq_err_init(&e);
    pq_arena_init(&out->arena, t->host->engine->mem);
    return pq_top_sections(&spec, by, out, &e) == PQ_OK && out->n > 0;
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
    spec = spec_of(c->table, &c->listing->list, h);
    spec.skip_file = pqext_cursor_skips;
    spec.skip_arg = c;
    spec.ranges = c->ranges;
    spec.n_ranges = c->n_ranges;
    spec.filtered = c->n_conditions > 0 || c->n_geos > 0;
    by.first = may_be_least(c->plan, &by) ? 1 : by.first;
    return pq_top_new(c->scan, &spec, &by, out, e);
}
