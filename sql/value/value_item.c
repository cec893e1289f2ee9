/*
** value_item.c - the values of a path into a Variant that names no type.
**
** Each row may have another class.  A value looks like a value of a column of
** its type, with all options.  In a file that stores the path in a leaf, that
** leaf is the column, and the result must not depend on that.  So dates,
** decimals and the like go through a column of one row (pqsql_column_load_one).
** The functions, which have no options, use value_variant.c.
**
**   17, true         INTEGER             2024-03-01     as a DATE column
**   1.5, a float     REAL                12.50          as a DECIMAL column
**   "text"           TEXT                {..}, [..]     JSON
**   binary           BLOB                path "variant" BLOB: metadata, value
*/
#include "sql/value/value_inside.h"

#include <math.h>

typedef struct PqsqlItems {
    PqsqlItem    item;               /* the row that was made last          */
    bool         as_blob;            /* the Variant itself is wanted        */
    const PqPathValue *v;            /* of the batch                        */
    PqVariantBuild *build;           /* as_blob                             */
    PqArena      stored;
    /* By kind: a column that has the type of the last value of that kind. */
    PqType       type[PQ_VARIANT_UNKNOWN + 1];
    PqNode       node[PQ_VARIANT_UNKNOWN + 1];
    PqsqlColumn *column[PQ_VARIANT_UNKNOWN + 1];
} PqsqlItems;

PqRc pqsql_use_items(PqsqlColumn *c, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    PQ_TRY(PQ_NEW(r->mem, r->items, 1, e));
    pq_arena_init(&r->items->stored, r->mem);
    r->items->as_blob = r->node->is_variant;
    r->family = &pqsql_item_family;
    c->by_row = true;
    return r->items->as_blob
               ? pq_variant_build_new(r->mem, &r->items->build, e) : PQ_OK;
}

void pqsql_free_items(PqsqlItems *x)
{
    if (x) {
        for (size_t i = 0; i < PQ_COUNT(x->column); i++) {
            pqsql_column_free(x->column[i]);
        }
        pq_variant_build_free(x->build);
        pq_arena_free(&x->stored);
        pq_mem_free(x);
    }
}

const PqsqlItem *pqsql_item(const PqsqlRecipe *r)
{
    return &r->items->item;
}

PqRc pqsql_load_items(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    PQ_TRY(pq_scan_path_items(scan, (uint32_t)r->node->leaf, &r->items->v,
                              &c->valid, e));
    c->get = r->family->get[2];      /* nulls, no ids */
    return PQ_OK;
}

/* ---- types --------------------------------------------------------------- */

/* The type that a column of such values would have. */
static PqType type_of(const PqVariantValue *v)
{
    static const PqLogical of[PQ_VARIANT_UNKNOWN + 1] = {
        [PQ_VARIANT_DATE] = PQ_TYPE_DATE, [PQ_VARIANT_TIME] = PQ_TYPE_TIME,
        [PQ_VARIANT_TIMESTAMP] = PQ_TYPE_TIMESTAMP,
        [PQ_VARIANT_DECIMAL] = PQ_TYPE_DECIMAL,
        [PQ_VARIANT_UUID] = PQ_TYPE_UUID, [PQ_VARIANT_STRING] = PQ_TYPE_STRING,
    };
    PqType t = {.physical = PQ_BYTE_ARRAY, .logical = of[v->kind]};

    if (v->kind == PQ_VARIANT_DECIMAL) {
        t.scale = v->scale;
        t.precision = v->width == 4 ? 9 : v->width == 8 ? 18 : 38;
    } else if (v->kind == PQ_VARIANT_TIME || v->kind == PQ_VARIANT_TIMESTAMP) {
        t.unit = v->unit;
        t.utc = v->kind == PQ_VARIANT_TIMESTAMP && v->utc;
    }
    pq_type_store(&t);
    return t;
}

static PqRc need_column(PqsqlRecipe *r, const PqVariantValue *v, PqErr *e)
{
    PqsqlItems *x = r->items;
    PqType type = type_of(v);

    if (x->column[v->kind] && pq_type_equal(&x->type[v->kind], &type)) {
        return PQ_OK;
    }
    pqsql_column_free(x->column[v->kind]);
    x->column[v->kind] = NULL;
    x->type[v->kind] = type;
    x->node[v->kind] = (PqNode){.name = r->node->name, .path = r->node->path,
                                .kind = PQ_NODE_LEAF, .type = type};
    return pqsql_column_new(r->mem, &x->node[v->kind], &type, &r->options,
                            &x->column[v->kind], e);
}

/* Reads it as the only value of a column. */
static PqRc cell_of_type(PqsqlRecipe *r, const PqVariantValue *v, PqErr *e)
{
    union { PqStr s; int64_t i; double d; uint8_t b[16]; } slot = {{0}};
    PqsqlItems *x = r->items;
    PqsqlCellOf of;
    PqsqlColumn *c;

    PQ_TRY(need_column(r, v, e));
    c = x->column[v->kind];
    pq_arena_reset(&x->stored);
    PQ_TRY(pq_variant_store(v, &x->type[v->kind], &x->stored, &slot, e));
    PQ_TRY(pqsql_column_load_one(c, &slot, e));
    of = pqsql_column_cells(c);
    if (!of) {
        return pq_fail(e, PQ_UNSUPPORTED, "a value of a Variant cannot be "
                                          "shown");
    }
    of(c, 0, &x->item.cell);
    return PQ_OK;
}

/* ---- texts --------------------------------------------------------------- */

/* A text, or binary that is read as text, by the option invalid_utf8. */
static PqRc cell_of_text(PqsqlRecipe *r, PqSlice text, PqErr *e)
{
    PqCell *cell = &r->items->item.cell;

    *cell = pq_cell_text(text);
    if (r->options.invalid_utf8 == PQSQL_UTF8_TEXT || pq_utf8_valid(text)) {
        return PQ_OK;
    }
    if (r->options.invalid_utf8 == PQSQL_UTF8_BLOB) {
        cell->kind = PQ_CELL_BLOB;
        return PQ_OK;
    }
    return pq_fail(e, PQ_CORRUPT, PQSQL_NOT_UTF8);
}

static PqRc cell_of_json(PqsqlRecipe *r, const PqPathValue *v, PqErr *e)
{
    PqSlice value = v->v.bytes, text;
    bool malformed = false;
    PqVariantMeta m;

    PQ_TRY(pq_variant_meta_open(v->metadata, &m, e));
    m.malformed = &malformed;
    r->scratch.n = 0;
    r->scratch.sink = e;
    PQ_TRY(pq_variant_json_take(&m, &value, 0, &r->scratch, e));
    if (!pq_buf_ok(&r->scratch)) {
        return e->rc;
    }
    if (malformed && r->options.invalid_utf8 == PQSQL_UTF8_ERROR) {
        return cell_of_text(r, pq_slice("\xff", 1), e);
    }
    text = pq_buf_view(&r->scratch);
    if (v->v.kind == PQ_VARIANT_UNKNOWN) {   /* of a later edition: no quotes */
        text = pq_slice(text.p + 1, text.n - 2);
    } else {
        r->items->item.subtype = PQSQL_SUBTYPE_JSON;
    }
    r->items->item.cell = pq_cell_text(text);
    return PQ_OK;
}

/* The Variant itself. */
static PqRc cell_of_variant(PqsqlRecipe *r, const PqPathValue *v, PqErr *e)
{
    PqsqlItems *x = r->items;
    PqSlice metadata, value;
    PqVariantMeta m = {0};

    pq_variant_build_begin(x->build);
    if (v->v.kind >= PQ_VARIANT_OBJECT) {
        PQ_TRY(pq_variant_meta_open(v->metadata, &m, e));
        pq_variant_build_copy(x->build, &m, v->v.bytes);
    } else {
        pq_variant_build_value(x->build, &v->v);
    }
    PQ_TRY(pq_variant_build_finish(x->build, &metadata, &value, e));
    r->scratch.n = 0;
    r->scratch.sink = e;
    pq_buf_add(&r->scratch, metadata.p, metadata.n);
    pq_buf_add(&r->scratch, value.p, value.n);
    x->item.cell = pq_cell_bytes(PQ_CELL_BLOB, pq_buf_view(&r->scratch));
    x->item.subtype = PQSQL_SUBTYPE_VARIANT;
    return pq_buf_ok(&r->scratch) ? PQ_OK : e->rc;
}

/* ---- rows ---------------------------------------------------------------- */

static PqRc cell_of_real(PqsqlRecipe *r, double d, PqErr *e)
{
    if (isnan(d) && r->options.nan_text) {
        return cell_of_text(r, pq_slice_text(signbit(d) ? "-NaN" : "NaN"), e);
    }
    r->items->item.cell = pq_cell_shown_real(d);
    return PQ_OK;
}

static PqRc cell_of(PqsqlRecipe *r, const PqPathValue *v, PqErr *e)
{
    PqCell *cell = &r->items->item.cell;

    if (r->items->as_blob) {
        return cell_of_variant(r, v, e);
    }
    switch (v->v.kind) {
    case PQ_VARIANT_NULL:
        return PQ_OK;
    case PQ_VARIANT_BOOL:
    case PQ_VARIANT_INT:
        *cell = pq_cell_int(v->v.kind == PQ_VARIANT_INT ? v->v.u.i
                                                        : v->v.u.b);
        return PQ_OK;
    case PQ_VARIANT_FLOAT:
        return cell_of_real(r, (double)v->v.u.f, e);
    case PQ_VARIANT_DOUBLE:
        return cell_of_real(r, v->v.u.d, e);
    case PQ_VARIANT_STRING:
        return cell_of_text(r, v->v.bytes, e);
    case PQ_VARIANT_BINARY:
        if (r->options.binary_as_string) {
            return cell_of_text(r, v->v.bytes, e);
        }
        *cell = pq_cell_bytes(PQ_CELL_BLOB, v->v.bytes);
        return PQ_OK;
    case PQ_VARIANT_OBJECT:
    case PQ_VARIANT_ARRAY:
    case PQ_VARIANT_UNKNOWN:
        return cell_of_json(r, v, e);
    default:
        return cell_of_type(r, &v->v, e);
    }
}

PqRc pqsql_item_of_row(PqsqlColumn *c, uint32_t row, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqWhere outer = e->where;

    r->items->item = (PqsqlItem){.cell = {.kind = PQ_CELL_NULL}};
    if (c->valid && !pq_bit(c->valid, row)) {
        return PQ_OK;
    }
    e->where.file = r->path;         /* a filter asks outside of any place */
    e->where.row_group = (int)r->group;
    e->where.column = r->node->path;
    PQ_TRY(cell_of(r, &r->items->v[row], e));
    e->where = outer;
    return PQ_OK;
}
