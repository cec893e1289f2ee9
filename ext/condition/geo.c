/*
** geo.c - predicates of geometries: their names, their operands, and values
** that the engine does not test itself.
*/
#include "ext/condition/geo.h"

#include "sql/geo_functions/geo_functions.h"

/* ---- names --------------------------------------------------------------- */

/* By the relation, which is op - PQEXT_GEO_INTERSECTS. */
static const char *const names[] = {
    [PQ_GEO_INTERSECTS] = "ST_Intersects_Extent",
    [PQ_GEO_CONTAINS] = "ST_Contains_Extent",
    [PQ_GEO_WITHIN] = "ST_Within_Extent",
};
_Static_assert((int)PQ_GEO_INTERSECTS == 0 &&
                   (int)PQ_GEO_CONTAINS == PQEXT_GEO_CONTAINS - PQEXT_GEO_INTERSECTS &&
                   (int)PQ_GEO_WITHIN == PQEXT_GEO_WITHIN - PQEXT_GEO_INTERSECTS,
               "the operators have the order of the relations");

bool pqext_geo_op(int constraint, PqextOp *out)
{
    int i = constraint - SQLITE_INDEX_CONSTRAINT_FUNCTION;

    if (i < 0 || i >= (int)PQ_COUNT(names)) {
        return false;
    }
    *out = (PqextOp)((int)PQEXT_GEO_INTERSECTS + i);
    return true;
}

int pqext_find_function(sqlite3_vtab *vtab, int argc, const char *name,
                        void (**function)(sqlite3_context *, int,
                                          sqlite3_value **),
                        void **arg)
{
    const PqsqlGeoPredicate *p = argc == 2 ? pqsql_geo_predicate(name) : NULL;

    if (!p || !pqsql_geo_ours_has(((PqextTable *)vtab)->host->geo, p)) {
        return 0;
    }
    *function = p->function;
    *arg = (void *)(uintptr_t)p;
    return SQLITE_INDEX_CONSTRAINT_FUNCTION + (int)p->relation;
}

/* ---- columns ------------------------------------------------------------- */

static bool stores_bytes(const PqextTable *t, const PqType *type)
{
    PqextMeaning m = pqext_meaning(t, type);

    return m.affinity == PQEXT_AFF_BLOB && m.order == PQ_WANTED_BYTES;
}

bool pqext_geo_can(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];

    return c->kind == PQ_COLUMN_NODE &&
           (c->as_wkb || (pq_column_is_leaf(c) && stores_bytes(t, &c->type)));
}

static bool stores_wkb(const PqGeoCondition *base, const PqType *type)
{
    return stores_bytes(((const PqextGeo *)base)->table, type);
}

/* ---- values that are not stored as WKB ----------------------------------- */

static PqRc test_cell(const void *condition, const PqCell *cell, bool *is,
                      PqErr *e)
{
    const PqextGeo *c = condition;

    *is = false;
    if (cell->kind == PQ_CELL_NULL) {
        return PQ_OK;
    }
    if (c->error) {
        pq_where_reset(e);
        return pq_fail(e, PQ_USAGE, "%s", c->error);
    }
    *is = cell->kind == PQ_CELL_BLOB &&
          pq_geo_condition_holds(&c->base, pq_cell_slice(cell));
    return PQ_OK;
}

static PqRc cells(PqGeoCondition *base, PqScan *s, uint64_t *keep, PqErr *e)
{
    const PqextGeo *c = (const PqextGeo *)base;
    PqsqlColumn *column;

    PQ_TRY(c->load(c->cursor, base->column, &column, e));
    return pqext_test_cells(test_cell, c, s, column, keep, e);
}

/* The filter if the operand is not a geometry. */
static PqRc fail_in_row(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqGeoCondition *base = (PqGeoCondition *)(void *)(
        (char *)f - offsetof(PqGeoCondition, filter));

    return cells(base, s, keep, e);
}

/* ---- operands ------------------------------------------------------------ */

/* The operand is not a geometry: each row with a geometry is an error. */
static PqRc refuse(PqextGeo *c, PqextOp op, const char *why, PqArena *a,
                   PqErr *e)
{
    c->error = pq_arena_printf(a, e, "%s: %s",
                               names[pqext_geo_relation(op)], why);
    if (!c->error) {
        return e->rc;
    }
    c->base.none = false;
    c->base.proof.refutes_box = NULL;
    c->base.filter.apply = fail_in_row;
    c->base.filter.last = true;
    return PQ_OK;
}

PqRc pqext_geo_begin(const PqextTable *t, PqextTerm term, sqlite3_value *v,
                     PqextLoadColumn load, void *cursor, PqArena *a,
                     PqextGeo *out, PqErr *e)
{
    bool believes = t->options.trust_stats &&
                    !(t->options.distrust & 1 << PQ_BY_BOXES);
    PqsqlBoxIs is = PQSQL_BOX_IS_NULL;
    PqGeoBox box;
    PqErr why = PQ_NO_ERR;
    PqRc rc;

    rc = pqsql_geometry_box(v, &box, &is, &why);
    if (rc != PQ_OK && rc != PQ_USAGE) {
        return pq_fail(e, rc, "%s", why.text);
    }
    *out = (PqextGeo){.table = t, .load = load, .cursor = cursor};
    pq_geo_condition_init(&out->base, (uint32_t)term.column,
                          pqext_geo_relation(term.op),
                          is == PQSQL_BOX_IS_THERE ? &box : NULL, believes, a);
    out->base.stores_wkb = stores_wkb;
    out->base.cells = cells;
    return rc == PQ_OK ? PQ_OK : refuse(out, term.op, why.text, a, e);
}
