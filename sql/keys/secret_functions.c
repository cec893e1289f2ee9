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

/* The text of a prefix; NULL and an error. */
static const char *take_prefix(sqlite3_value *v, const char *shape, PqErr *e)
{
    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        pq_fail(e, PQ_USAGE, "%s", shape);
        return NULL;
    }
    return pqsql_path_of(v, e);
}

static PqRc put(PqAccess *x, sqlite3_value **argv, PqErr *e)
{
    const char *prefix = take_prefix(argv[0], SECRET_SHAPE, e);
    PqSlice json;

    if (!prefix) {
        return e->rc;
    }
    if (sqlite3_value_type(argv[1]) == SQLITE_NULL) {
        return pq_access_put(x, prefix, NULL, e);
    }
    PQ_TRY(pqsql_text_of(argv[1], &json, e));
    return pq_access_put(x, prefix, &json, e);
}

void pqsql_secret(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlKeyHost *host = sqlite3_user_data(ctx);
    PqErr e;

    if (!pqsql_direct_only(ctx, "parquet_secret")) {
        return;
    }
    pq_err_init(&e);
    if (argc != 2) {
        sqlite3_result_error(ctx, SECRET_SHAPE, -1);
    } else if (put(host->engine->remote->access, argv, &e) != PQ_OK) {
        pqsql_result_error(ctx, &e);
    } else {
        host->changed(host->arg, sqlite3_value_type(argv[1]) != SQLITE_NULL);
        sqlite3_result_value(ctx, argv[0]);
    }
}

void pqsql_allow(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlKeyHost *host = sqlite3_user_data(ctx);
    const char *prefix;
    PqErr e;

    (void)argc;
    if (!pqsql_direct_only(ctx, "parquet_allow")) {
        return;
    }
    pq_err_init(&e);
    prefix = take_prefix(argv[0], "parquet_allow(prefix): a URL as "
                         "'https://data.example.org/'", &e);
    if (!prefix || pq_access_allow(host->engine->remote->access, prefix, &e) != PQ_OK) {
        pqsql_result_error(ctx, &e);
        return;
    }
    host->changed(host->arg, true);
    sqlite3_result_value(ctx, argv[0]);
}
