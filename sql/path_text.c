/*
** path_text.c - reads a path from an argument, and recognizes a table's name.
**
** The name of a table in place of a path is a common mistake.  Only a table
** with the hidden column filename, a Parquet table, gets the advice how to go
** on.
*/
#include "sql/path_text.h"

#include <unistd.h>

const char *pqsql_path_of(sqlite3_value *v, PqErr *e)
{
    const char *z;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        pq_fail(e, PQ_USAGE, "the path is NULL; a parameter that is not "
                             "bound is NULL");
        return NULL;
    }
    z = (const char *)sqlite3_value_text(v);
    if (!z) {
        pq_fail(e, PQ_NOMEM, "out of memory");
    } else if (strlen(z) != (size_t)sqlite3_value_bytes(v)) {
        pq_fail(e, PQ_USAGE, "%s: the path has a NUL in it", z);
        z = NULL;
    }
    return z;
}

static bool has_table(sqlite3 *db, const char *name, const char *column)
{
    return sqlite3_table_column_metadata(db, NULL, name, column, NULL, NULL,
                                         NULL, NULL, NULL) == SQLITE_OK;
}

void pqsql_path_hint_table(sqlite3 *db, const char *path, PqErr *e)
{
    if (access(path, F_OK) == 0 || !has_table(db, path, NULL)) {
        return;
    }
    if (has_table(db, path, "file_row_group_number")) {
        pq_err_hint(e, "%.200s is a table: SELECT DISTINCT filename FROM "
                       "\"%.200s\" gives the paths of its files", path, path);
    } else {
        pq_err_hint(e, "%.200s is a table, but this takes a path", path);
    }
}
