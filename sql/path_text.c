/*
** path_text.c - reads a path from an argument, and recognizes a table's name.
**
** To write the name of a table in place of a path is a common mistake.  Only a
** Parquet table, which has the hidden column filename, gets advice how to go
** on.
*/
#include "sql/path_text.h"

#include "sql/token.h"

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

/* The path in CREATE VIRTUAL TABLE t USING parquet('path', ...), in memory of SQLite;
** NULL: it is not written as a text. */
static char *path_in(const char *sql)
{
    PqsqlToken t;
    char *out;

    do {
        t = pqsql_next_token(&sql);
    } while (t.n > 0 && !pqsql_is_sign(t, '('));
    t = pqsql_next_token(&sql);
    out = t.kind == PQSQL_TOKEN_TEXT ? sqlite3_malloc64(t.n) : NULL;
    if (out) {
        pqsql_unquote(pq_slice(t.at, t.n), out);
    }
    return out;
}

/* The path of a Parquet table; NULL: it is not known. */
static char *path_of_table(sqlite3 *db, const char *name)
{
    static const char *const all[] = {
        "SELECT sql FROM temp.sqlite_schema WHERE name = ?1 COLLATE NOCASE",
        "SELECT sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE"};
    char *path = NULL;

    for (size_t i = 0; i < PQ_COUNT(all) && !path; i++) {
        sqlite3_stmt *s = NULL;

        if (sqlite3_prepare_v2(db, all[i], -1, &s, NULL) == SQLITE_OK &&
            sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
            sqlite3_step(s) == SQLITE_ROW) {
            const char *sql = (const char *)sqlite3_column_text(s, 0);

            path = sql ? path_in(sql) : NULL;
        }
        sqlite3_finalize(s);
    }
    return path;
}

void pqsql_path_hint_table(sqlite3 *db, const char *function, const char *path,
                           PqErr *e)
{
    char *of_table, *quoted;

    if (access(path, F_OK) == 0 || !has_table(db, path, NULL)) {
        return;
    }
    of_table = has_table(db, path, "file_row_group_number")
                   ? path_of_table(db, path) : NULL;
    quoted = of_table ? sqlite3_mprintf("%.*Q", 200, of_table) : NULL;
    if (of_table) {
        pq_err_hint(e, "%.200s is a table, not a file; its path is '%.200s': write "
                       "%s(%s)", path, of_table, function, quoted ? quoted : "");
    } else if (has_table(db, path, "file_row_group_number")) {
        pq_err_hint(e, "%.200s is a table: SELECT DISTINCT filename FROM "
                       "\"%.200s\" gives the paths of its files", path, path);
    } else {
        pq_err_hint(e, "%.200s is a table, but this takes a path", path);
    }
    sqlite3_free(of_table);
    sqlite3_free(quoted);
}
