/*
** attach.c - parquet_attach: a table, or a table per file, by one call.
**
**   parquet_attach('trips', 'trips/2024.parquet', 'decimal=text')
**   parquet_attach('warehouse')
**
** Tables are made in the temp schema: they are gone with the connection, and
** nothing is written to the user's database.  With one argument, each file in
** the folder becomes a table named after it, and each folder in it that holds
** Parquet files becomes one table; a single file becomes a table of its own,
** and so does every file that a glob matches.  Returns the names.
*/
#include "ext/options.h"

#include <ctype.h>

static bool plain_name(const char *z, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (!isalnum((unsigned char)z[i]) && z[i] != '_') {
            return false;
        }
    }
    return n > 0;
}

/* "decimal=text" becomes ", decimal='text'". */
static char *option_sql(const char *text)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);

    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        n--;
    }
    while (n > 0 && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    if (!plain_name(text, n)) {
        return NULL;
    }
    if (!equals) {
        return sqlite3_mprintf(", %.*s", (int)n, text);
    }
    for (equals++; isspace((unsigned char)*equals); equals++) {
    }
    return sqlite3_mprintf(", %.*s=%Q", (int)n, text, equals);
}

/* NULL after an error, which ctx then has. */
static char *all_options(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3_str *s = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    char *options;
    int i;

    sqlite3_str_appendall(s, "");
    for (i = 0; i < argc; i++) {
        const char *text = (const char *)sqlite3_value_text(argv[i]);
        char *sql = text ? option_sql(text) : NULL;

        if (!sql) {
            sqlite3_result_error(ctx, "parquet_attach: options are texts like "
                                      "'decimal=text'", -1);
            sqlite3_free(sqlite3_str_finish(s));
            return NULL;
        }
        sqlite3_str_appendall(s, sql);
        sqlite3_free(sql);
    }
    sqlite3_str_appendchar(s, 1, ' ');
    options = sqlite3_str_finish(s);
    if (!options) {
        sqlite3_result_error_nomem(ctx);
    }
    return options;
}

/* The result of a call that failed. */
static void give_error(sqlite3_context *ctx, int rc, const char *error)
{
    sqlite3_result_error(ctx, error ? error : sqlite3_errstr(rc), -1);
    if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT) {
        sqlite3_result_error_code(ctx, rc);
    }
}

static int make_one(sqlite3 *db, const char *name, const char *path,
                    const char *options, char **error)
{
    char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE temp.\"%w\" USING "
                                "parquet(%Q%s)", name, path, options);
    int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, error) : SQLITE_NOMEM;

    sqlite3_free(sql);
    return rc;
}

/* The part of the path that a table is named after: the last component,
** without what its name ends in. */
static char *table_name(const char *path, size_t n)
{
    static const char *const endings[] = {".parquet", ".parq", ".snappy",
                                          ".gz", ".zstd"};
    size_t i, from;

    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    for (from = n; from > 0 && path[from - 1] != '/'; from--) {
    }
    for (i = 0; i < PQ_COUNT(endings); i++) {
        size_t k = strlen(endings[i]);
        if (n - from > k && memcmp(path + n - k, endings[i], k) == 0) {
            n -= k;
        }
    }
    return sqlite3_mprintf("%.*s", (int)(n - from), path + from);
}

/* In any schema: a temp. table would hide the user's own. */
static bool taken(sqlite3 *db, const char *name)
{
    return sqlite3_table_column_metadata(db, NULL, name, NULL, NULL, NULL,
                                         NULL, NULL, NULL) == SQLITE_OK;
}

/* Makes a table of path[0..n), its name free of clashes, and notes the name. */
static int make_named(sqlite3 *db, const char *path, size_t n,
                      sqlite3_str *names, char **error)
{
    char *stem = table_name(path, n), *name = stem;
    char *part = sqlite3_mprintf("%.*s", (int)n, path);
    int rc = stem && part ? SQLITE_OK : SQLITE_NOMEM, i;

    for (i = 1; rc == SQLITE_OK && name && taken(db, name); i++) {
        if (name != stem) {
            sqlite3_free(name);
        }
        name = sqlite3_mprintf("%s_%d", stem, i);
    }
    if (rc == SQLITE_OK) {
        rc = name ? make_one(db, name, part, "", error) : SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK) {
        sqlite3_str_appendf(names, "%s%s", sqlite3_str_length(names) ? ", " : "",
                            name);
    }
    if (name != stem) {
        sqlite3_free(name);
    }
    sqlite3_free(stem);
    sqlite3_free(part);
    return rc;
}

/* How much of path names what lies in the folder: the file, or the first folder
** on the way to it.  What a glob matched lies in no folder of that name. */
static size_t member_end(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (strncmp(path, folder, n) != 0 ||
        (folder[n - 1] != '/' && path[n] != '/')) {
        return strlen(path);
    }
    n += folder[n - 1] != '/';
    return n + strcspn(path + n, "/");
}

static int make_all(sqlite3 *db, const char *folder, const PqListing *l,
                    sqlite3_str *names, char **error)
{
    const char *last = NULL;
    size_t done = 0;
    uint32_t i;
    int rc = SQLITE_OK;

    for (i = 0; i < l->n_files && rc == SQLITE_OK; i++) {
        const char *path = l->files[i].path;
        size_t end = member_end(path, folder);

        if (last && end == done && memcmp(last, path, end) == 0) {
            continue;                /* a further file of the same folder */
        }
        last = path;
        done = end;
        rc = make_named(db, path, end, names, error);
    }
    return rc;
}

static void attach_folder(sqlite3_context *ctx, PqextHost *h,
                          const char *folder)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    sqlite3_str *names;
    char *error = NULL, *text;
    PqStop stop = {pqext_host_stop, h};
    PqListing l;
    PqErr e;
    int rc;

    pq_err_init(&e);
    pqext_host_spoke(h);
    if (pq_listing_make(folder, false, h->engine->mem, &stop, &l, &e) !=
        PQ_OK) {
        pqext_result_error(ctx, &e);
        return;
    }
    names = sqlite3_str_new(db);
    rc = make_all(db, folder, &l, names, &error);
    pq_listing_free(&l);
    text = sqlite3_str_finish(names);
    if (rc != SQLITE_OK) {
        give_error(ctx, rc, error);
        sqlite3_free(text);
    } else if (!text) {
        sqlite3_result_error_nomem(ctx);
    } else {
        sqlite3_result_text(ctx, text, -1, sqlite3_free);
    }
    sqlite3_free(error);
}

static void attach(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqextHost *h = sqlite3_user_data(ctx);
    const char *name, *path;
    char *options, *error = NULL;
    int rc;

    if (argc < 1 || !(name = (const char *)sqlite3_value_text(argv[0])) ||
        name[0] == 0) {
        sqlite3_result_error(ctx, "parquet_attach(name, path [, option ...]) "
                                  "or parquet_attach(folder)", -1);
        return;
    }
    if (argc == 1) {
        attach_folder(ctx, h, name);
        return;
    }
    path = (const char *)sqlite3_value_text(argv[1]);
    options = all_options(ctx, argc - 2, argv + 2);
    if (!path || !options) {
        if (options) {
            sqlite3_result_error(ctx, "parquet_attach: the path is NULL", -1);
        }
        sqlite3_free(options);
        return;
    }
    rc = make_one(sqlite3_context_db_handle(ctx), name, path, options, &error);
    sqlite3_free(options);
    if (rc != SQLITE_OK) {
        give_error(ctx, rc, error);
        sqlite3_free(error);
    } else {
        sqlite3_result_value(ctx, argv[0]);
    }
}

int pqext_register_attach(sqlite3 *db, PqextHost *h)
{
    pqext_host_hold(h);
    return sqlite3_create_function_v2(db, "parquet_attach", -1,
                                      SQLITE_UTF8 | SQLITE_DIRECTONLY, h,
                                      attach, NULL, NULL, pqext_host_release);
}
