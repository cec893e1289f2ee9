/*
** copy_arguments.c - checks the arguments, and recognizes common mistakes.
**
**   parquet_copy_to('trips', 'x.parquet')     a table's name: write
**                                             'SELECT * FROM trips'
**   parquet_copy_to('x.parquet', 'SELECT')    the query comes first
**
** Mistakes are recognized by trying: a text that begins like a query is
** prepared, and never run; a name is prepared as SELECT * FROM it.
*/
#include "sql/copy/copy_query.h"

#include "sql/argument.h"
#include "sql/token.h"

#include <stdio.h>

/* ---- texts ------------------------------------------------------------------- */

static bool refuse(sqlite3_context *ctx, const char *name, const char *what)
{
    pqsql_result_message(ctx, sqlite3_mprintf(
        "parquet_copy_to(query, path [, options]): the %s %s", name, what));
    return false;
}

static bool take(sqlite3_context *ctx, sqlite3_value *v, const char *name,
                 const char **out)
{
    switch (sqlite3_value_type(v)) {
    case SQLITE_NULL:
        return refuse(ctx, name, "is NULL; a parameter that is not bound is "
                                 "NULL");
    case SQLITE_BLOB:
        return refuse(ctx, name, "is a BLOB, but must be a text");
    case SQLITE_TEXT:
        break;
    default:
        return refuse(ctx, name, "is a number, but must be a text");
    }
    *out = (const char *)sqlite3_value_text(v);
    if (!*out) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    return strlen(*out) == (size_t)sqlite3_value_bytes(v) ||
           refuse(ctx, name, "has a NUL in it, which ends a text");
}

static bool is_blank(const char *z)
{
    return z[strspn(z, " \t\r\n")] == 0;
}

/* Endings of files in formats that a copy does not write. */
static const struct {
    const char *ending, *format, *mode;      /* of the sqlite3 shell, or NULL */
} other_formats[] = {
    {".csv", "CSV", "csv"},         {".tsv", "TSV", "tabs"},
    {".json", "JSON", "json"},      {".jsonl", "JSON", NULL},
    {".ndjson", "JSON", NULL},      {".xlsx", "Excel", NULL},
    {".arrow", "Arrow", NULL},      {".feather", "Feather", NULL},
    {".orc", "ORC", NULL},          {".avro", "Avro", NULL},
};

/* Fails if the name says another format: that would confuse readers of the
** file. */
static bool check_ending(sqlite3_context *ctx, const char *path)
{
    size_t n = strlen(path), i;
    char what[200];

    for (i = 0; i < PQ_COUNT(other_formats); i++) {
        size_t k = strlen(other_formats[i].ending);
        const char *mode = other_formats[i].mode;

        if (n < k || sqlite3_stricmp(path + n - k, other_formats[i].ending)) {
            continue;
        }
        snprintf(what, sizeof what, "ends in %s, but a copy is Parquet, not %s: "
                 "write a name that ends in .parquet%s%s%s%s%s", path + n - k,
                 other_formats[i].format,
                 mode ? "; the sqlite3 shell writes " : "",
                 mode ? other_formats[i].format : "", mode ? " with .mode " : "",
                 mode ? mode : "", mode ? " and .once FILE" : "");
        return refuse(ctx, "path", what);
    }
    return true;
}

bool pqsql_copy_arguments(sqlite3_context *ctx, int argc, sqlite3_value **argv,
                          PqsqlCopyArguments *out)
{
    *out = (PqsqlCopyArguments){0};
    if (argc < 2 || argc > 3) {
        return refuse(ctx, "call", argc < 2 ? "lacks the path to write to"
                                            : "has too many arguments");
    }
    if (!take(ctx, argv[0], "query", &out->query) ||
        !take(ctx, argv[1], "path", &out->path) ||
        (argc == 3 && sqlite3_value_type(argv[2]) != SQLITE_NULL &&
         !take(ctx, argv[2], "text of the options", &out->options))) {
        return false;
    }
    if (is_blank(out->path)) {
        return refuse(ctx, "path", "is empty: name the file to write");
    }
    return check_ending(ctx, out->path);
}

/* ---- what was meant ------------------------------------------------------------ */

/* Does it begin with a word that begins a query? */
static bool begins_query(const char *z)
{
    static const char *const words[] = {"SELECT", "WITH", "VALUES"};
    PqsqlToken t;

    do {
        t = pqsql_next_token(&z);
    } while (pqsql_is_sign(t, '('));
    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

/* Can it be prepared as a query?  It is not run. */
static bool prepares(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    const char *tail = sql;
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, &tail);
    bool good = rc == SQLITE_OK && s && is_blank(tail);

    sqlite3_finalize(s);
    return good;
}

/* SELECT * FROM the name, which is put in quotes if it needs them. */
static char *as_select(sqlite3 *db, const char *query)
{
    const char *const forms[] = {"SELECT * FROM %s", "SELECT * FROM \"%w\""};

    for (size_t i = 0; i < PQ_COUNT(forms); i++) {
        char *sql = sqlite3_mprintf(forms[i], query);

        if (sql && prepares(db, sql)) {
            return sql;
        }
        sqlite3_free(sql);
    }
    return NULL;
}

/* The error that shows the query to write, as a text in SQL. */
static void tell_select(const char *select, PqErr *e)
{
    char *quoted = sqlite3_mprintf("%Q", select);

    pq_err_clear(e);
    pq_fail(e, PQ_USAGE, "the query is not a SELECT: write %.300s",
            quoted ? quoted : select);
    sqlite3_free(quoted);
}

void pqsql_copy_arguments_meant(sqlite3 *db, const PqsqlCopyArguments *a,
                                PqErr *e)
{
    const char *query = a->query;
    char *select;

    if (e->rc != PQ_USAGE || is_blank(query) || begins_query(query)) {
        return;
    }
    if ((select = as_select(db, query)) != NULL) {
        tell_select(select, e);
        sqlite3_free(select);
    } else if (begins_query(a->path)) {
        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "the query comes first, and then the path: "
                "parquet_copy_to('SELECT ...', '%.200s')", query);
    } else if (pq_folder_is_parquet(pq_slice_text(query))) {
        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "the query is the name of a file: make a table of "
                "it, SELECT parquet_attach('t', '%.200s'), and copy 'SELECT * "
                "FROM t'", query);
    } else if (!query[strcspn(query, " \t\r\n(;")]) {
        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "the query is not a SELECT, and there is no table "
                "%.200s", query);
    }
}
