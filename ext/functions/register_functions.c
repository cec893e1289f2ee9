/*
** register_functions.c - all table-valued functions, registered together, and
** the errors when a function is called in the wrong way.
**
**   SELECT parquet_schema('f')
**       parquet_schema returns rows: write SELECT * FROM parquet_schema('f')
**   SELECT * FROM parquet_copy_to(...)
**       parquet_copy_to returns one value: write SELECT parquet_copy_to(...)
**
** Without this, SQLite says "no such function" or "no such table", as if the
** extension were not loaded.  So each name is registered in the other role too.
*/
#include "ext/functions/table_function.h"

#include "sql/describe/describe.h"
#include "sql/keys/key_names.h"
#include "sql/variant_functions/variant_functions.h"

/* ---- a table-valued function without FROM -------------------------------- */

/* The call as it was made.  A long argument is cut. */
static char *call_again(const char *name, int argc, sqlite3_value **argv)
{
    enum { SHORT = 200 };
    sqlite3_str *s = sqlite3_str_new(NULL);

    sqlite3_str_appendf(s, "%s(", name);
    for (int i = 0; i < argc; i++) {
        bool number = sqlite3_value_type(argv[i]) == SQLITE_INTEGER ||
                      sqlite3_value_type(argv[i]) == SQLITE_FLOAT;

        sqlite3_str_appendf(s, number ? "%s%.*s" : "%s%.*Q", i ? ", " : "",
                            SHORT, sqlite3_value_text(argv[i]));
    }
    sqlite3_str_appendchar(s, 1, ')');
    return sqlite3_str_finish(s);
}

static void without_from(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqextFunction *f = sqlite3_user_data(ctx);
    char *call = argc > 0 ? call_again(f->name, argc, argv)
                          : sqlite3_mprintf("%s", f->call);
    char *text = call ? sqlite3_mprintf("%s returns rows: write SELECT * FROM "
                                        "%s", f->name, call)
                      : NULL;

    sqlite3_free(call);
    if (text) {
        pqsql_key_hide(text);
    }
    pqsql_result_message(ctx, text);
}

static int register_without_from(sqlite3 *db, const PqextFunction *f)
{
    return sqlite3_create_function_v2(db, f->name, -1, SQLITE_UTF8,
                                      (void *)(uintptr_t)f, without_from, NULL,
                                      NULL, NULL);
}

/* ---- a scalar function with FROM ----------------------------------------- */

static int with_from(sqlite3 *db, void *shape, int argc,
                     const char *const *argv, sqlite3_vtab **out, char **error)
{
    *error = sqlite3_mprintf("%s returns one value: write SELECT %s", argv[0],
                             (const char *)shape);
    return SQLITE_ERROR;
}

static int never_planned(sqlite3_vtab *table, sqlite3_index_info *info)
{
    return SQLITE_ERROR;
}

static int nothing_to_free(sqlite3_vtab *table)
{
    return SQLITE_OK;
}

static int register_with_from(sqlite3 *db, const char *name, const char *shape)
{
    /* with_from always fails, so the other methods are never called. */
    static const sqlite3_module module = {
        .xConnect = with_from,
        .xBestIndex = never_planned,
        .xDisconnect = nothing_to_free,
    };

    return sqlite3_create_module_v2(db, name, &module, (void *)(size_t)shape,
                                    NULL);
}

/* ---- all of them --------------------------------------------------------- */

int pqext_register_table_functions(sqlite3 *db, PqextHost *h)
{
    static const PqextFunction *const functions[] = {
        &pqext_parquet_schema,        &pqext_parquet_metadata,
        &pqext_parquet_file_metadata, &pqext_parquet_kv_metadata,
        &pqext_parquet_row_groups,    &pqext_parquet_pages,
        &pqext_parquet_bloom_probe,   &pqext_parquet_verify,
        &pqext_parquet_scan_stats,    &pqext_parquet_describe,
        &pqext_parquet_summary,       &pqext_parquet_rows,
        &pqext_parquet_files,         &pqext_parquet_snapshots,
        &pqext_variant_explode,       &pqext_variant_explode_outer,
    };
    static const struct {
        const char *name, *shape;
    } scalars[] = {
        {"parquet_allow", "parquet_allow('https://HOST/')"},
        {"parquet_archive", "parquet_archive('TABLE', 'CONDITION', 'FOLDER')"},
        {"parquet_archive_drop", "parquet_archive_drop('TABLE', 'CONDITION')"},
        {"parquet_attach", "parquet_attach('NAME', 'FILE')"},
        {"parquet_compact", "parquet_compact('FOLDER')"},
        {"parquet_copy_to", "parquet_copy_to('SELECT ...', 'FILE')"},
        {"parquet_delete", "parquet_delete('CATALOG', 'CONDITION', '{\"table\": \"NAME\"}')"},
        {"parquet_export", "parquet_export('FOLDER')"},
        {"parquet_import", "parquet_import('FOLDER')"},
        {"parquet_key", "parquet_key('NAME', KEY)"},
        {"parquet_key_file", "parquet_key_file('NAME', 'FILE')"},
        {"parquet_restore", "parquet_restore('TABLE', 'CONDITION')"},
        {"parquet_rewrite", "parquet_rewrite('FROM', 'TO')"},
        {"parquet_secret", "parquet_secret('s3://BUCKET/', json_object('provider', 'env'))"},
        {"parquet_timestamp", "parquet_timestamp('2024-03-10T12:00:00Z')"},
        {"parquet_version", "parquet_version()"},
    };
    int rc = pqsql_register_describe(db, h->engine);
    const char *name, *shape;
    uint32_t n = 0;

    for (size_t i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        rc = pqext_function_register(db, h, functions[i]);
        if (rc == SQLITE_OK && !functions[i]->also_scalar) {
            rc = register_without_from(db, functions[i]);
        }
    }
    for (size_t i = 0; i < PQ_COUNT(scalars) && rc == SQLITE_OK; i++) {
        rc = register_with_from(db, scalars[i].name, scalars[i].shape);
    }
    rc = rc == SQLITE_OK ? pqext_register_attach(db, h) : rc;
    while (rc == SQLITE_OK && (name = pqsql_variant_function(n++, &shape))) {
        rc = register_with_from(db, name, shape);
    }
    return rc;
}
