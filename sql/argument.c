/*
** argument.c - takes arguments from SQLite, and recognizes a table's name.
**
** To write the name of a table in place of a path is a common mistake.  Only a
** Parquet table, which has the hidden column filename, gets advice how to go
** on.
*/
#include "sql/argument.h"

#include "core/base/system.h"
#include "sql/token.h"

bool pqsql_any_null(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
            return true;
        }
    }
    return false;
}

PqRc pqsql_text_of(sqlite3_value *v, PqSlice *out, PqErr *e)
{
    out->p = sqlite3_value_text(v);
    out->n = (size_t)sqlite3_value_bytes(v);
    return out->p ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory");
}

PqRc pqsql_blob_of(sqlite3_value *v, PqSlice *out, PqErr *e)
{
    out->p = sqlite3_value_blob(v);  /* before the length: of a zeroblob */
    out->n = (size_t)sqlite3_value_bytes(v);
    if (!out->p && out->n) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    out->p = out->p ? out->p : (const uint8_t *)"";      /* no bytes, but a BLOB */
    return PQ_OK;
}

PqRc pqsql_cell_of(sqlite3_value *v, PqCell *out, PqErr *e)
{
    bool is_text = sqlite3_value_type(v) == SQLITE_TEXT;
    PqSlice bytes;

    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        *out = pq_cell_int(sqlite3_value_int64(v));
        return PQ_OK;
    case SQLITE_FLOAT:
        *out = pq_cell_real(sqlite3_value_double(v));
        return PQ_OK;
    case SQLITE_NULL:
        *out = (PqCell){.kind = PQ_CELL_NULL};
        return PQ_OK;
    default:
        PQ_TRY(is_text ? pqsql_text_of(v, &bytes, e) : pqsql_blob_of(v, &bytes, e));
        *out = pq_cell_bytes(is_text ? PQ_CELL_TEXT : PQ_CELL_BLOB, bytes);
        return PQ_OK;
    }
}

/* ---- paths --------------------------------------------------------------- */

const char *pqsql_path_of(sqlite3_value *v, PqErr *e)
{
    PqSlice path;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        pq_fail(e, PQ_USAGE, "the path is NULL; a parameter that is not "
                             "bound is NULL");
    } else if (pqsql_text_of(v, &path, e) == PQ_OK) {
        if (!memchr(path.p, 0, path.n)) {
            return (const char *)path.p;
        }
        pq_fail(e, PQ_USAGE, "%s: the path has a NUL in it",
                pq_url_is((const char *)path.p) ? "a URL" : (const char *)path.p);
    }
    return NULL;
}

const char *pqsql_file_of(sqlite3_value *v, PqPlaces *places, PqErr *e)
{
    if (sqlite3_value_type(v) != SQLITE_BLOB) {
        return pqsql_path_of(v, e);
    }
    return pqsql_blob_of(v, &places->bytes, e) == PQ_OK ? pq_path_of_bytes : NULL;
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

/* ---- errors -------------------------------------------------------------- */

void pqsql_result_error(sqlite3_context *ctx, const PqErr *e)
{
    if (e->rc == PQ_NOMEM) {
        sqlite3_result_error_nomem(ctx);
    } else {
        sqlite3_result_error(ctx, e->text, -1);
        if (e->rc == PQ_STOPPED) {
            sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        }
    }
}

void pqsql_result_message(sqlite3_context *ctx, char *text)
{
    if (text) {
        sqlite3_result_error(ctx, text, -1);
        sqlite3_free(text);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
}
