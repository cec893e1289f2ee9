/*
** value_variant.c - returns one value of a Variant, or a VARIANT column's text
** together with its blob.
**
** A value looks like the value of a column of the same type (value_make.c).  An
** object or an array, which has no type in SQLite, is JSON.
*/
#include "sql/value/value_inside.h"

#include <math.h>

static void result_real(sqlite3_context *ctx, double v)
{
    if (isnan(v)) {
        sqlite3_result_null(ctx);
    } else {
        sqlite3_result_double(ctx, v);
    }
}

static void result_decimal(sqlite3_context *ctx, const PqVariantValue *v)
{
    int64_t small = (int64_t)v->u.decimal;

    if (v->scale == 0 && small == v->u.decimal) {
        sqlite3_result_int64(ctx, small);
    } else {
        sqlite3_result_double(ctx, pq_decimal_real_i128(v->u.decimal, v->scale));
    }
}

/* A text that a type of SQLite does not have. */
static void result_made_text(sqlite3_context *ctx, const PqVariantValue *v)
{
    char text[PQ_TIME_TEXT_ROOM];

    switch (v->kind) {
    case PQ_VARIANT_DATE:
        pq_time_text_date((int32_t)v->u.i, text);
        break;
    case PQ_VARIANT_TIME:
        if (pq_time_text_time(v->u.i, v->unit, text) == 0) {
            pq_number_text_i64(v->u.i, text);
        }
        break;
    case PQ_VARIANT_TIMESTAMP:
        pq_time_text_timestamp(v->u.i, v->unit, text);
        break;
    default:
        pq_uuid_text(v->bytes.p, text);
        text[PQ_UUID_TEXT] = 0;
        break;
    }
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

/* An object or an array; or, without its quotes, a type of a later edition. */
static PqRc result_printed(sqlite3_context *ctx, const PqVariantMeta *m,
                           const PqVariantValue *v, PqBuf *room, PqErr *e)
{
    PqSlice value = v->bytes, text;

    room->n = 0;
    PQ_TRY(pq_variant_json_take(m, &value, 0, room, e));
    if (!pq_buf_ok(room)) {
        return room->sink->rc;
    }
    text = pq_buf_view(room);
    if (v->kind == PQ_VARIANT_UNKNOWN) {
        pqsql_result_text(ctx, text.p + 1, text.n - 2);
    } else {
        pqsql_result_text(ctx, text.p, text.n);
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    }
    return PQ_OK;
}

PqRc pqsql_result_variant(sqlite3_context *ctx, const PqVariantMeta *m,
                          const PqVariantValue *v, PqBuf *room, PqErr *e)
{
    switch (v->kind) {
    case PQ_VARIANT_NULL:
        sqlite3_result_null(ctx);
        return PQ_OK;
    case PQ_VARIANT_BOOL:
        sqlite3_result_int(ctx, v->u.b);
        return PQ_OK;
    case PQ_VARIANT_INT:
        sqlite3_result_int64(ctx, v->u.i);
        return PQ_OK;
    case PQ_VARIANT_FLOAT:
        result_real(ctx, (double)v->u.f);
        return PQ_OK;
    case PQ_VARIANT_DOUBLE:
        result_real(ctx, v->u.d);
        return PQ_OK;
    case PQ_VARIANT_DECIMAL:
        result_decimal(ctx, v);
        return PQ_OK;
    case PQ_VARIANT_BINARY:
        sqlite3_result_blob64(ctx, v->bytes.n ? (const void *)v->bytes.p : "",
                              v->bytes.n, SQLITE_TRANSIENT);
        return PQ_OK;
    case PQ_VARIANT_STRING:
        pqsql_result_text(ctx, v->bytes.p, v->bytes.n);
        return PQ_OK;
    case PQ_VARIANT_OBJECT:
    case PQ_VARIANT_ARRAY:
    case PQ_VARIANT_UNKNOWN:
        return result_printed(ctx, m, v, room, e);
    default:
        result_made_text(ctx, v);
        return PQ_OK;
    }
}

/* ---- a column of JSON and its blobs -------------------------------------- */

/* A second column of the same leaves makes the blobs; the scan has its vectors
** already. */
static PqRc load_twin(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqsqlOptions options = r->options;

    options.variant_blob = true;
    if (!r->twin) {
        PQ_TRY(pqsql_column_new(r->mem, r->node, &r->to, &options, &r->twin,
                                e));
    }
    if (r->twin->loaded != c->loaded) {
        PQ_TRY(pqsql_column_load(r->twin, scan, e));
        r->twin->loaded = c->loaded;
    }
    return PQ_OK;
}

PqRc pqsql_column_result_twin(PqsqlColumn *c, PqScan *scan, PqsqlTwins *twins,
                              sqlite3_context *ctx, uint32_t row, PqErr *e)
{
    PqStr text = pqsql_row_text(c->recipe, row), blob;

    if (!text.p || text.n > INT32_MAX) {     /* SQLite takes none so long */
        c->get(ctx, c, row);
        return PQ_OK;
    }
    PQ_TRY(load_twin(c, scan, e));
    PQ_TRY(pqsql_column_text_row(c->recipe->twin, row, e));
    blob = pqsql_row_text(c->recipe->twin->recipe, row);
    pqsql_twin_result(twins, ctx, pq_slice(text.p, text.n),
                      pq_slice(blob.p, blob.n));
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    return PQ_OK;
}

PqRc pqsql_column_result_blob(PqsqlColumn *c, PqScan *scan,
                              sqlite3_context *ctx, uint32_t row, PqErr *e)
{
    PqsqlColumn *twin;

    PQ_TRY(load_twin(c, scan, e));
    twin = c->recipe->twin;
    PQ_TRY(pqsql_column_text_row(twin, row, e));
    twin->get(ctx, twin, row);
    return PQ_OK;
}
