/*
** register_functions.c - all table-valued functions, registered together.
**
** Each name is also registered in its other role, where a call is an error that
** says how to call the function (wrong_call.c).
*/
#include "ext/functions/table_function.h"

#include "sql/describe/describe.h"
#include "sql/variant_functions/variant_functions.h"

int pqext_register_table_functions(sqlite3 *db, PqextHost *h)
{
    static const PqextFunction *const functions[] = {
        &pqext_parquet_schema,        &pqext_parquet_metadata,
        &pqext_parquet_file_metadata, &pqext_parquet_kv_metadata,
        &pqext_parquet_row_groups,    &pqext_parquet_pages,
        &pqext_parquet_bloom_probe,   &pqext_parquet_verify,
        &pqext_parquet_scan_stats,    &pqext_parquet_describe,
        &pqext_parquet_summary,       &pqext_parquet_rows,
        &pqext_variant_explode,       &pqext_variant_explode_outer,
    };
    static const struct {
        const char *name, *shape;
    } scalars[] = {
        {"parquet_attach", "parquet_attach('NAME', 'FILE')"},
        {"parquet_copy_to", "parquet_copy_to('SELECT ...', 'FILE')"},
        {"parquet_key", "parquet_key('NAME', KEY)"},
        {"parquet_key_file", "parquet_key_file('NAME', 'FILE')"},
        {"parquet_timestamp", "parquet_timestamp('2024-03-10T12:00:00Z')"},
        {"parquet_version", "parquet_version()"},
    };
    int rc = pqsql_register_describe(db, h->engine);
    const char *name, *shape;
    uint32_t n = 0;
    size_t i;

    for (i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        rc = pqext_function_register(db, h, functions[i]);
        if (rc == SQLITE_OK && !functions[i]->also_scalar) {
            rc = pqext_register_without_from(db, functions[i]->name,
                                             functions[i]->call);
        }
    }
    for (i = 0; i < PQ_COUNT(scalars) && rc == SQLITE_OK; i++) {
        rc = pqext_register_with_from(db, scalars[i].name, scalars[i].shape);
    }
    rc = rc == SQLITE_OK ? pqext_register_attach(db, h) : rc;
    while (rc == SQLITE_OK && (name = pqsql_variant_function(n++, &shape))) {
        rc = pqext_register_with_from(db, name, shape);
    }
    return rc;
}
