/*
** parquet_attach.c - parquet_attach: a table, or a table per file, by one call.
**
**   parquet_attach('trips', 'trips/2024.parquet', 'decimal=text')
**   parquet_attach('main.trips', 'trips/2024.parquet')
**   parquet_attach('warehouse')
**   parquet_attach('lake.ducklake', 'version=3')
**
** Tables are made in the temp schema: they are gone with the connection, and
** nothing is written to the user's database.  A name that begins with one of
** the connection's databases and a dot makes the table there.
**
** With one argument, each file in the folder becomes a table named after it,
** and each folder in it that holds Parquet files becomes one table.  A single
** file becomes one table, and so does every file that a glob matches.  The call
** returns the names.  After them it says which names were taken, so that a
** number was added, and which files or folders could not be read.
**
** The catalog of a DuckLake becomes a table for each of its tables: those in its schema
** main by their names, sales.orders as sales_orders.  So do its views whose SQL SQLite
** understands: attach_lake.c.
**
** The hard part is that the arguments pass through SQL text.  The function runs
** CREATE VIRTUAL TABLE, so every name, path and option must survive SQLite's
** parser, and an error of that statement must make sense to the caller here.
*/
#include "ext/functions/attach_inside.h"
#include "ext/functions/table_function.h"
#include "core/base/system.h"
#include "ext/table/options.h"
#include "sql/keys/key_names.h"
#include "sql/argument.h"
#include "sql/statement_text.h"

/* "decimal=text" becomes ", 'decimal'='text'", so that SQLite's parser sees
** only texts.  The option may be quoted as in CREATE VIRTUAL TABLE.  Double
** quotes in columns= belong to a name, and stay. */
static char *option_sql(const char *text)
{
    size_t n = strcspn(text, "=");
    char *name = pqext_trimmed(text, n), *value = NULL, *sql = NULL;
    const char *rest = text + n;

    if (!*rest) {
        sql = name ? sqlite3_mprintf(", %Q=''", name) : NULL;
    } else {
        for (rest++; pq_ascii_is_blank(*rest); rest++) {
        }
        value = *rest == '"' && name && pqext_option_has_names(name)
                    ? sqlite3_mprintf("%s", rest)
                    : pqext_dequote(rest);
        sql = name && value ? sqlite3_mprintf(", %Q=%Q", name, value) : NULL;
    }
    sqlite3_free(name);
    sqlite3_free(value);
    return sql;
}

/* What is wrong with an option, or NULL.  next: the argument after it, or
** NULL. */
static char *option_fault(sqlite3_value *v, const char *text, const char *next)
{
    const char *second = text ? pqext_option_after(text) : NULL;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        return sqlite3_mprintf("parquet_attach: an option is NULL; options are "
                               "texts like 'decimal=text'");
    }
    if (!text) {
        return NULL;
    }
    if (strlen(text) != (size_t)sqlite3_value_bytes(v)) {
        return sqlite3_mprintf("parquet_attach: the option %s has a NUL in it",
                               text);
    }
    if (next && !strchr(text, '=') && !strchr(next, '=') &&
        pqext_option_wants_value(text)) {
        return sqlite3_mprintf("parquet_attach: an option and its value are one "
                               "text: '%s=%s'", text, next);
    }
    if (second) {
        size_t n = (size_t)(second - text);

        while (n > 0 && strchr(" \t\r\n,", text[n - 1])) {
            n--;
        }
        return sqlite3_mprintf("parquet_attach: each option is a text of its own: "
                               "'%.*s', '%s'", (int)n, text, second);
    }
    if (!strchr(text, '=') && !pq_ascii_is_letter(text[0])) {
        return sqlite3_mprintf("parquet_attach: '%s' is not an option; options are "
                               "texts like 'decimal=text'", text);
    }
    return NULL;
}

char *pqext_attach_options(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3_str *s = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    char *options;

    sqlite3_str_appendall(s, "");
    for (int i = 0; i < argc; i++) {
        const char *text = (const char *)sqlite3_value_text(argv[i]);
        const char *next = i + 1 < argc
                               ? (const char *)sqlite3_value_text(argv[i + 1])
                               : NULL;
        char *fault = option_fault(argv[i], text, next);
        char *sql = text && !fault ? option_sql(text) : NULL;

        if (!sql) {
            if (fault) {
                pqsql_key_hide(fault);
            }
            pqsql_result_message(ctx, fault);
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

/* How many bytes of name are a database of the connection and the dot after
** it. */
static size_t schema_end(sqlite3 *db, const char *name)
{
    const char *dot = strchr(name, '.');
    char *schema;
    bool there;

    if (!dot || dot == name || !dot[1]) {
        return 0;
    }
    schema = sqlite3_mprintf("%.*s", (int)(dot - name), name);
    there = schema && (sqlite3_stricmp(schema, "temp") == 0 ||
                       sqlite3_db_readonly(db, schema) >= 0);
    sqlite3_free(schema);
    return there ? (size_t)(dot - name) + 1 : 0;
}

static int make_one(sqlite3 *db, const char *schema, size_t n_schema,
                    const char *name, const char *path, const char *options,
                    char **error)
{
    char *in = sqlite3_mprintf("%.*s", (int)n_schema, schema);
    char *sql = in ? sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING "
                                     "parquet(%Q%s)", in, name, path, options)
                   : NULL;
    int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, error) : SQLITE_NOMEM;

    sqlite3_free(in);
    sqlite3_free(sql);
    return rc;
}

/* "main.trips" is trips in main, if there is a database of that name. */
static int make_asked(sqlite3 *db, const char *name, const char *path,
                      const char *options, char **error)
{
    size_t n = schema_end(db, name);

    return n ? make_one(db, name, n - 1, name + n, path, options, error)
             : make_one(db, "temp", 4, name, path, options, error);
}

/* The part of the path that a table is named after: the last component without
** its extensions, nor the query of a URL.  In a key of S3 a '?' is a letter. */
static char *table_name(const char *path, size_t n)
{
    static const char *const endings[] = {".parquet", ".parq", ".snappy",
                                          ".gz", ".zstd"};
    size_t i, from;

    if (pq_url_is(path) && !pq_ascii_same_n(path, "s3:", 3)) {
        size_t query = strcspn(path, "?");

        n = query < n ? query : n;
    }
    n = pq_folder_length(path, n);
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

/* "table" or "view" if the database has one of that name; NULL: it has
** neither. */
static const char *kind_of(sqlite3 *db, const char *schema, const char *name)
{
    char *sql = sqlite3_mprintf("SELECT type = 'view' FROM \"%w\".sqlite_schema "
                                "WHERE name = %Q COLLATE NOCASE "
                                "AND type IN ('table', 'view')", schema, name);
    int is_view;
    bool found = sql && pqext_ask_int(db, sql, &is_view);

    sqlite3_free(sql);
    return !found ? NULL : is_view ? "view" : "table";
}

/* Where there is a table or view of that name. */
typedef struct Found {
    const char *kind, *schema;       /* NULL: nowhere */
} Found;

enum { MAIN = 0, TEMP = 1 };

static Found find(sqlite3 *db, const char *name, bool in_temp)
{
    Found f = {NULL, NULL};

    for (int i = MAIN; !f.kind && (f.schema = sqlite3_db_name(db, i)); i++) {
        f.kind = i == TEMP && !in_temp ? NULL : kind_of(db, f.schema, name);
    }
    return f;
}

bool pqext_attach_is_taken(sqlite3 *db, const char *name)
{
    return find(db, name, true).kind != NULL;
}

enum { TAKEN_SHOWN = 5, LEFT_OUT_SHOWN = 5 };

static void note_taken(PqextAttached *a, const char *name)
{
    if (a->n_taken++ < TAKEN_SHOWN) {
        sqlite3_str_appendf(a->taken, "%s%s", a->n_taken > 1 ? ", " : "", name);
    }
}

void pqext_attach_leave_out(PqextAttached *a, const char *why)
{
    if (a->n_left_out++ < LEFT_OUT_SHOWN) {
        sqlite3_str_appendf(a->left_out, "; left out: %s", why);
    }
}

int pqext_attach_free_name(sqlite3 *db, const char *stem, const char *path,
                     const char *options, PqextAttached *a, char **error)
{
    char *name = stem ? sqlite3_mprintf("%s", stem) : NULL;
    int rc = SQLITE_NOMEM, i;

    for (i = 1; name && find(db, name, true).kind; i++) {
        sqlite3_free(name);
        name = sqlite3_mprintf("%s_%d", stem, i);
    }
    if (name && path) {
        rc = make_one(db, "temp", 4, name, path, options, error);
    }
    if (rc == SQLITE_OK) {
        sqlite3_str_appendf(a->names, "%s%s",
                            sqlite3_str_length(a->names) ? ", " : "", name);
        if (i > 1) {
            note_taken(a, stem);
        }
    }
    sqlite3_free(name);
    return rc;
}

/* Makes a table of path[0..n), named after it. */
static int make_named(sqlite3 *db, const char *path, size_t n, PqextAttached *a,
                      char **error)
{
    char *stem = table_name(path, n), *part = sqlite3_mprintf("%.*s", (int)n, path);
    int rc = pqext_attach_free_name(db, stem, part, "", a, error);

    sqlite3_free(stem);
    sqlite3_free(part);
    return rc;
}

/* How many bytes of path name a member of the folder: the file, or the first
** folder on the way to it, of a bucket with its slash.  If the folder is a glob,
** the member is the file. */
static size_t member_end(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (strncmp(path, folder, n) != 0 ||
        (folder[n - 1] != '/' && path[n] != '/')) {
        return strlen(path);
    }
    n += folder[n - 1] != '/';
    n += strcspn(path + n, "/");
    return n + (path[n] == '/' && pq_url_is(path));
}

/* Makes all tables.  A member that fails does not stop the others.  Only if
** none succeeds, the error of the first is returned. */
static int make_all(sqlite3 *db, const char *folder, const PqListing *l,
                    PqextAttached *a, char **error)
{
    const char *last = NULL;
    size_t done = 0;
    int rc = SQLITE_OK;

    for (uint32_t i = 0; i < l->n_files; i++) {
        const char *path = l->files[i].path;
        size_t end = member_end(path, folder);
        char *why = NULL;

        if (last && end == done && memcmp(last, path, end) == 0) {
            continue;                /* a further file of the same folder */
        }
        last = path;
        done = end;
        rc = make_named(db, path, end, a, &why);
        if (rc == SQLITE_OK) {
            continue;
        }
        if (rc == SQLITE_ERROR && why) {
            pqext_attach_leave_out(a, why);
        }
        if (rc != SQLITE_ERROR || !*error) {
            sqlite3_free(*error);
            *error = why;
            why = NULL;
        }
        sqlite3_free(why);
        if (rc != SQLITE_ERROR) {
            return rc;
        }
    }
    return sqlite3_str_length(a->names) ? SQLITE_OK : rc;
}

char *pqext_attach_text(PqextAttached *a)
{
    char *taken = sqlite3_str_finish(a->taken);
    char *more = sqlite3_str_finish(a->left_out);

    if (taken) {
        sqlite3_str_appendf(a->names, "; taken already: %s", taken);
    }
    if (a->n_taken > TAKEN_SHOWN) {
        sqlite3_str_appendf(a->names, " and %u more", a->n_taken - TAKEN_SHOWN);
    }
    sqlite3_str_appendall(a->names, more ? more : "");
    sqlite3_free(taken);
    sqlite3_free(more);
    if (a->n_left_out > LEFT_OUT_SHOWN) {
        sqlite3_str_appendf(a->names, "; and %u more",
                            a->n_left_out - LEFT_OUT_SHOWN);
    }
    return sqlite3_str_finish(a->names);
}

void pqext_attach_begin(sqlite3 *db, PqextAttached *a)
{
    *a = (PqextAttached){.names = sqlite3_str_new(db), .taken = sqlite3_str_new(db),
                  .left_out = sqlite3_str_new(db)};
}

void pqext_attach_give(sqlite3_context *ctx, int rc, char *error, PqextAttached *a)
{
    char *text = pqext_attach_text(a);

    if (rc != SQLITE_OK) {
        give_error(ctx, rc, error);
        sqlite3_free(text);
    } else {
        pqsql_result_printed(ctx, text);
    }
    sqlite3_free(error);
}

static void attach_folder(sqlite3_context *ctx, PqextHost *h,
                          const char *folder)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    char *error = NULL;
    PqStop stop = {pqext_host_stop, h};
    PqPlaces places = pq_engine_places(h->engine, true, &pq_usual_patience);
    PqextAttached a;
    PqListing l;
    PqErr e = PQ_NO_ERR;
    int rc;

    pqext_host_sqlite_ran(h);
    if (pq_listing_make(folder, PQ_LIST_READABLE, &places, h->engine->mem, &stop, &l,
                        &e) != PQ_OK) {
        pqsql_path_hint_table(db, "parquet_attach", folder, &e);
        pqsql_result_error(ctx, &e);
        return;
    }
    pqext_attach_begin(db, &a);
    for (uint32_t i = 0; i < l.left_out.n && i < PQ_LEFT_OUT_SHOWN; i++) {
        pqext_attach_leave_out(&a, l.left_out.v[i].why);
    }
    rc = make_all(db, folder, &l, &a, &error);
    pq_listing_free(&l);
    pqext_attach_give(ctx, rc, error, &a);
}

/* ---- a DuckLake ---- */

/* Argument i as a text.  NULL after an error, which is the result in ctx. */
static const char *text_of(sqlite3_context *ctx, sqlite3_value **argv, int i,
                           const char *what)
{
    const char *z = (const char *)sqlite3_value_text(argv[i]);
    const char *fault = NULL;
    char *message;

    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
        fault = "is NULL";
    } else if (z && !z[0]) {
        fault = "is empty";
    } else if (z && strlen(z) != (size_t)sqlite3_value_bytes(argv[i])) {
        fault = "has a NUL in it";
    } else if (z) {
        return z;
    }
    message = fault ? sqlite3_mprintf(
                          "parquet_attach: the %s %s; parquet_attach(name, path "
                          "[, option ...]) or parquet_attach(folder)", what,
                          fault)
                    : NULL;
    pqsql_result_message(ctx, message);
    return NULL;
}

/* Adds to the error of CREATE VIRTUAL TABLE what to do about it.  *error
** becomes NULL if there is no memory for that. */
static void add_advice(const char *name, const char *path, char **error)
{
    char *more = NULL;

    if (!*error) {
        return;
    }
    if (strstr(*error, "already exists")) {
        more = sqlite3_mprintf("%s; drop it first, or choose another name",
                               *error);
    } else if (strchr(name, '/') && access(name, F_OK) == 0 &&
               !strpbrk(path, "*?[") && access(path, F_OK) != 0) {
        more = sqlite3_mprintf("%s; parquet_attach(name, path [, option ...]): "
                               "the name of the table comes before '%s'",
                               *error, name);
    } else {
        return;
    }
    sqlite3_free(*error);
    *error = more;
}

/* The table or view that the call's table hides, if it is in temp. */
static Found hidden_by(sqlite3 *db, const char *name)
{
    size_t n = schema_end(db, name);

    return n && sqlite3_strnicmp(name, "temp.", (int)n) != 0
               ? (Found){NULL, NULL}
               : find(db, name + n, false);
}

static void give_hidden(sqlite3_context *ctx, const char *name, Found hidden)
{
    const char *table = name + schema_end(sqlite3_context_db_handle(ctx), name);

    pqsql_result_printed(ctx, sqlite3_mprintf("%s; it hides the %s %s.%s: DROP TABLE "
                                   "temp.\"%w\" shows that again", name,
                                   hidden.kind, hidden.schema, table, table));
}

static void attach(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqextHost *h = sqlite3_user_data(ctx);
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    const char *name, *path;
    Found hidden;
    char *options, *error = NULL;
    int rc;

    if (!pqsql_direct_only(ctx, "parquet_attach")) {
        return;
    }
    if (argc < 1) {
        sqlite3_result_error(ctx, "parquet_attach(name, path [, option ...]) "
                                  "or parquet_attach(folder)", -1);
        return;
    }
    if (pqext_is_lake_call(argc, argv)) {
        pqext_attach_lake(ctx, (const char *)sqlite3_value_text(argv[0]), argc - 1, argv + 1);
        return;
    }
    name = text_of(ctx, argv, 0, argc == 1 ? "path" : "name");
    if (name && argc == 1) {
        attach_folder(ctx, h, name);
    }
    path = name && argc > 1 ? text_of(ctx, argv, 1, "path") : NULL;
    options = path ? pqext_attach_options(ctx, argc - 2, argv + 2) : NULL;
    if (!options) {
        return;
    }
    hidden = hidden_by(db, name);
    rc = make_asked(db, name, path, options, &error);
    sqlite3_free(options);
    if (rc != SQLITE_OK) {
        add_advice(name, path, &error);
        give_error(ctx, rc, error);
        sqlite3_free(error);
    } else if (hidden.kind) {
        give_hidden(ctx, name, hidden);
    } else {
        sqlite3_result_value(ctx, argv[0]);
    }
}

int pqext_register_attach(sqlite3 *db, PqextHost *h)
{
    h->holders++;
    return sqlite3_create_function_v2(db, "parquet_attach", -1,
                                      SQLITE_UTF8 | SQLITE_DIRECTONLY, h,
                                      attach, NULL, NULL, pqext_host_release);
}
