/*
** value_cell.c - a value as SQLite would see it, without calling SQLite.
**
** Code that decides about rows before SQLite (a filter, a sort) must use the
** very values that SQLite would get.  So each family of getters has one
** function here that reads the same place.
*/
#include "sql/value/value_inside.h"

#include <math.h>

static void set_int(PqsqlCell *out, int64_t v)
{
    out->kind = PQSQL_INTEGER;
    out->i = v;
}

/* SQLite turns NaN into NULL. */
static void set_real(PqsqlCell *out, double v)
{
    out->kind = isnan(v) ? PQSQL_NULL : PQSQL_REAL;
    out->r = v;
}

static void set_bytes(PqsqlCell *out, PqsqlClass kind, PqStr s)
{
    out->kind = kind;
    out->bytes = pq_slice(s.p, s.n);
}

static void cell_null(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    (void)c;
    (void)i;
    out->kind = PQSQL_NULL;
}

static void cell_bool(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_int(out, ((const uint8_t *)c->values)[i]);
}

static void cell_i32(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_int(out, ((const int32_t *)c->values)[i]);
}

static void cell_u32(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_int(out, ((const uint32_t *)c->values)[i]);
}

static void cell_i64(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_int(out, ((const int64_t *)c->values)[i]);
}

static void cell_u64(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    uint64_t v = ((const uint64_t *)c->values)[i];

    if (v <= INT64_MAX) {
        set_int(out, (int64_t)v);
    } else {
        out->kind = PQSQL_TEXT;
        out->bytes = pq_slice(out->room, pq_number_text_u64(v, out->room));
    }
}

static void cell_f32(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_real(out, (double)((const float *)c->values)[i]);
}

static void cell_f64(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_real(out, ((const double *)c->values)[i]);
}

static void nan_as_text(double v, PqsqlCell *out)
{
    set_real(out, v);
    if (isnan(v)) {
        out->kind = PQSQL_TEXT;
        out->bytes = pq_slice_text(signbit(v) ? "-NaN" : "NaN");
    }
}

static void cell_f32_nan(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    nan_as_text((double)((const float *)c->values)[i], out);
}

static void cell_f64_nan(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    nan_as_text(((const double *)c->values)[i], out);
}

static void cell_text(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_bytes(out, PQSQL_TEXT, ((const PqStr *)c->values)[i]);
}

static void cell_blob(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    set_bytes(out, PQSQL_BLOB, ((const PqStr *)c->values)[i]);
}

static void cell_number(const PqsqlColumn *c, uint32_t i, PqsqlCell *out)
{
    const PqsqlNumber *v = (const PqsqlNumber *)c->values + i;

    if (v->is_int) {
        set_int(out, v->i);
    } else if (v->is_null) {
        out->kind = PQSQL_NULL;
    } else {
        set_real(out, v->d);
    }
}

static const struct {
    const PqsqlFamily *family;
    PqsqlCellOf        cell;
} cells[] = {
    {&pqsql_null, cell_null},       {&pqsql_bool, cell_bool},
    {&pqsql_i32, cell_i32},         {&pqsql_u32, cell_u32},
    {&pqsql_i64, cell_i64},         {&pqsql_u64, cell_u64},
    {&pqsql_f32, cell_f32},         {&pqsql_f64, cell_f64},
    {&pqsql_f32_nan, cell_f32_nan}, {&pqsql_f64_nan, cell_f64_nan},
    {&pqsql_text, cell_text},       {&pqsql_clean_text, cell_text},
    {&pqsql_text_len, cell_text},   {&pqsql_text_subtype, cell_text},
    {&pqsql_blob, cell_blob},       {&pqsql_number, cell_number},
};

PqsqlCellOf pqsql_column_cells(const PqsqlColumn *c)
{
    for (size_t i = 0; i < PQ_COUNT(cells); i++) {
        if (cells[i].family == c->recipe->family) {
            return cells[i].cell;
        }
    }
    return NULL;
}

PqsqlArray pqsql_column_array(const PqsqlColumn *c)
{
    const PqsqlRecipe *r = c->recipe;

    return !r->make                          ? PQSQL_NO_ARRAY
           : r->family == &pqsql_f64         ? PQSQL_DOUBLES
           : r->family == &pqsql_clean_text  ? PQSQL_TEXTS
                                             : PQSQL_NO_ARRAY;
}

/* invalid_utf8=blob or error: a text, a BLOB or no value at all. */
static PqRc cell_of_bytes(const PqsqlColumn *c, uint32_t row, PqsqlCell *out,
                          PqErr *e)
{
    PqStr s = ((const PqStr *)c->values)[c->ids ? c->ids[row] : row];
    bool text = pq_utf8_valid(pq_slice(s.p, s.n));

    if (!text && c->recipe->options.invalid_utf8 != PQSQL_UTF8_BLOB) {
        e->where.file = c->recipe->path;
        e->where.row_group = (int)c->recipe->group;
        e->where.column = c->recipe->node->path;
        return pq_fail(e, PQ_CORRUPT, PQSQL_NOT_UTF8);
    }
    set_bytes(out, text ? PQSQL_TEXT : PQSQL_BLOB, s);
    return PQ_OK;
}

PqRc pqsql_column_text_cell(PqsqlColumn *c, uint32_t row, PqsqlCell *out,
                            PqErr *e)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s;

    out->kind = PQSQL_NULL;
    if (r->family == &pqsql_utf8_blob) {
        return cell_of_bytes(c, row, out, e);
    }
    PQ_TRY(pqsql_column_text_row(c, row, e));
    if (r->items) {
        *out = *pqsql_item(r);
        return PQ_OK;
    }
    s = pqsql_row_text(r, row);
    if (s.p) {
        set_bytes(out, r->family == &pqsql_row_blob ||
                               r->family == &pqsql_row_wkb
                           ? PQSQL_BLOB : PQSQL_TEXT, s);
    }
    return PQ_OK;
}
