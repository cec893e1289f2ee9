/*
** value_variant_text.c - returns a VARIANT as JSON text together with its blob, or the
** blob alone.
**
** A second column of the same leaves makes the blob; the scan has its vectors
** already.
*/
#include "sql/value/value_inside.h"

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
