/*
** looking.c - the functions that look inside files, registered together.
*/
#include "ext/tvf.h"

#include "sql/describe.h"

int pqext_register_looking(sqlite3 *db, PqextHost *h)
{
    static const PqextFunction *const functions[] = {
        &pqext_parquet_schema,        &pqext_parquet_metadata,
        &pqext_parquet_file_metadata, &pqext_parquet_kv_metadata,
        &pqext_parquet_row_groups,    &pqext_parquet_pages,
        &pqext_parquet_bloom_probe,   &pqext_parquet_verify,
        &pqext_parquet_scan_stats,
    };
    int rc = pqsql_register_describe(db, h->engine);
    size_t i;

    for (i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        rc = pqext_function_register(db, h, functions[i]);
    }
    return rc;
}
