/*
** value_cell.c - a value as SQLite would see it, without calling SQLite.
**
** Code that decides about rows before SQLite (a filter, a sort) must use the
** very values that SQLite would get.  So each family of getters has one
** function here that reads the same place.
*/
#include "sql/value/value_inside.h"

#include <math.h>

static void cell_null(const PqsqlColumn *c, uint32_t i, PqCell *out)
{
    *out = (PqCell){.kind = PQ_CELL_NULL};
}

static PqCell nan_as_text(double v)
{
    return isnan(v) ? pq_cell_text(pq_slice_text(signbit(v) ? "-NaN" : "NaN"))
                    : pq_cell_real(v);
}

static PqCell text_of(PqStr s)
{
    return pq_cell_text(pq_slice(s.p, s.n));
}

static PqCell blob_of(PqStr s)
{
    return pq_cell_bytes(PQ_CELL_BLOB, pq_slice(s.p, s.n));
}

static PqCell number_of(PqCell v)
{
    return v.kind == PQ_CELL_INT ? v : pq_cell_shown_real(v.r);
}

#define CELL_OF(name, type, of)                                             \
    static void cell_##name(const PqsqlColumn *c, uint32_t i, PqCell *out)  \
    {                                                                       \
        *out = of(((const type *)c->values)[i]);                            \
    }

CELL_OF(bool, uint8_t, pq_cell_int)
CELL_OF(i32, int32_t, pq_cell_int)
CELL_OF(u32, uint32_t, pq_cell_int)
CELL_OF(i64, int64_t, pq_cell_int)
CELL_OF(f32, float, pq_cell_shown_real)
CELL_OF(f64, double, pq_cell_shown_real)
CELL_OF(f32_nan, float, nan_as_text)
CELL_OF(f64_nan, double, nan_as_text)
CELL_OF(text, PqStr, text_of)
CELL_OF(blob, PqStr, blob_of)
CELL_OF(number, PqCell, number_of)

static void cell_u64(const PqsqlColumn *c, uint32_t i, PqCell *out)
{
    uint64_t v = ((const uint64_t *)c->values)[i];
    char *room = c->recipe->room;

    *out = v <= INT64_MAX
               ? pq_cell_int((int64_t)v)
               : pq_cell_text(pq_slice(room, pq_number_text_u64(v, room)));
}

static const struct {
    const PqsqlFamily *family;
    PqsqlCellOf        cell;
} cells[] = {
    {&pqsql_null, cell_null},       {&pqsql_boolean, cell_bool},
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
static PqRc cell_of_bytes(const PqsqlColumn *c, uint32_t row, PqCell *out,
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
    *out =
        pq_cell_bytes(text ? PQ_CELL_TEXT : PQ_CELL_BLOB, pq_slice(s.p, s.n));
    return PQ_OK;
}

PqRc pqsql_column_text_cell(PqsqlColumn *c, uint32_t row, PqCell *out, PqErr *e)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s;

    *out = (PqCell){.kind = PQ_CELL_NULL};
    if (r->family == &pqsql_utf8_blob) {
        return cell_of_bytes(c, row, out, e);
    }
    PQ_TRY(pqsql_column_text_row(c, row, e));
    if (r->items) {
        *out = pqsql_item(r)->cell;
        return PQ_OK;
    }
    s = pqsql_row_text(r, row);
    if (s.p) {
        *out = pq_cell_bytes(r->family == &pqsql_row_blob ||
                                     r->family == &pqsql_row_wkb
                                 ? PQ_CELL_BLOB
                                 : PQ_CELL_TEXT,
                             pq_slice(s.p, s.n));
    }
    return PQ_OK;
}
