/*
** secret_functions.c - parquet_secret and parquet_allow put secrets and allowed prefixes
** where the engine looks for them.
*/
#include "sql/keys/key_functions.h"

#include "sql/argument.h"
#include "sql/statement_text.h"

#define SECRET_SHAPE "parquet_secret(prefix, json): the prefix is a URL as "      \
    "'s3://bucket/' or 'https://host/', json is json_object('key_id', ?, "        \
    "'secret', ?), and NULL forgets it"

/* json NULL: the prefix is allowed. */
static PqRc put(PqAccess *x, sqlite3_value *url, sqlite3_value *json, const char *shape, PqErr *e)
{
    const char *prefix;
    PqSlice text;

    if (sqlite3_value_type(url) != SQLITE_TEXT) {
        return pq_fail(e, PQ_USAGE, "%s", shape);
    }
    prefix = pqsql_path_of(url, e);
    if (!prefix || !json) {
        return prefix ? pq_access_allow(x, prefix, e) : e->rc;
    }
    if (sqlite3_value_type(json) == SQLITE_NULL) {
        return pq_access_put(x, prefix, NULL, e);
    }
    PQ_TRY(pqsql_text_of(json, &text, e));
    return pq_access_put(x, prefix, &text, e);
}

static void answer(sqlite3_context *ctx, const char *function, const char *shape,
                   sqlite3_value *url, sqlite3_value *json)
{
    PqsqlKeyHost *host = sqlite3_user_data(ctx);
    PqErr e = PQ_NO_ERR;

    if (!pqsql_direct_only(ctx, function)) {
        return;
    }
    if (put(host->engine->remote->access, url, json, shape, &e) != PQ_OK) {
        pqsql_result_error(ctx, &e);
        return;
    }
    host->changed(host->arg, !json || sqlite3_value_type(json) != SQLITE_NULL);
    sqlite3_result_value(ctx, url);
}

void pqsql_secret(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (argc != 2) {
        sqlite3_result_error(ctx, SECRET_SHAPE, -1);
        return;
    }
    answer(ctx, "parquet_secret", SECRET_SHAPE, argv[0], argv[1]);
}

void pqsql_allow(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    answer(ctx, "parquet_allow", "parquet_allow(prefix): a URL as 'https://data.example.org/'",
           argv[0], NULL);
}
