/*
** attach_lake.c - parquet_attach of the catalog of a DuckLake: its tables and its views.
*/
#include "ext/functions/attach_inside.h"
#include "ext/functions/table_function.h"

#include "ext/table/options.h"
#include "sql/ducklake/ducklake.h"
#include "sql/argument.h"

typedef struct Lake {
    sqlite3    *db;
    bool        views;               /* are made                             */
    const char *path, *options;
    PqextAttached answer;
    char       *error;               /* of the table that failed first       */
    int         rc;                  /* other than of a table                */
} Lake;

/* What failed does not stop the others. */
static PqRc note_outcome(Lake *l, int rc, char *why, PqErr *e)
{
    if (rc == SQLITE_ERROR && why) {
        pqext_attach_leave_out(&l->answer, why);
        rc = SQLITE_OK;
        if (!l->error) {
            l->error = why;
            why = NULL;
        }
    }
    sqlite3_free(why);
    l->rc = rc;
    return rc == SQLITE_OK ? PQ_OK : pq_fail(e, PQ_NOMEM, "%s", sqlite3_errstr(rc));
}

/* Where a name of the lake was taken already, a view would ask another table. */
static PqRc attach_view(Lake *l, const PqsqlDucklakeName *n, const char *name, PqErr *e)
{
    char *why = NULL, *said = NULL;
    int rc = SQLITE_ERROR;

    if (!l->views) {
        why = sqlite3_mprintf("views=on makes it, and then it may do what you may; its SQL is %s",
                              n->view);
    } else if (l->answer.n_taken || pqext_attach_is_taken(l->db, name)) {
        why = sqlite3_mprintf("names were taken already");
    } else {
        rc = pqsql_ducklake_view(l->db, name, n, &why);
    }
    if (rc == SQLITE_OK) {
        sqlite3_str_appendf(l->answer.names, "%s%s",
                            sqlite3_str_length(l->answer.names) ? ", " : "", name);
    } else if (rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT) {
        rc = SQLITE_ERROR;
        said = sqlite3_mprintf("view %s: %s", name, why ? why : sqlite3_errstr(rc));
    }
    sqlite3_free(why);
    return note_outcome(l, rc, said, e);
}

static PqRc attach_name(void *arg, const PqsqlDucklakeName *n, PqErr *e)
{
    Lake *l = arg;
    char *name = sqlite3_stricmp(n->schema, "main") == 0
                     ? sqlite3_mprintf("%s", n->name)
                     : sqlite3_mprintf("%s_%s", n->schema, n->name);
    char *options = sqlite3_mprintf(", 'table'='%q.%q'%s", n->schema, n->name, l->options);
    char *why = NULL;
    int made;
    PqRc rc;

    if (n->view && name) {
        rc = attach_view(l, n, name, e);
    } else {
        made = options ? pqext_attach_free_name(l->db, name, l->path, options, &l->answer, &why)
                       : SQLITE_NOMEM;
        rc = note_outcome(l, made, why, e);
    }
    sqlite3_free(name);
    sqlite3_free(options);
    return rc;
}

/* The version that the options name; without one *version is -1, and *as_of INT64_MAX.  What
** is wrong with them, the tables' errors say. */
static void version_of(int argc, sqlite3_value **argv, int64_t *version, int64_t *as_of)
{
    *version = -1;
    *as_of = INT64_MAX;
    for (int i = 0; i < argc; i++) {
        const char *z = (const char *)sqlite3_value_text(argv[i]);

        if (z && sqlite3_strnicmp(z, "version=", 8) == 0 &&
            pq_number_parse_i64(pq_slice_text(z + 8), version) != PQ_PARSE_OK) {
            *version = -1;
        }
        if (z && sqlite3_strnicmp(z, "as_of=", 6) == 0 &&
            pq_time_parse_timestamp(pq_slice_text(z + 6), PQ_MICROS, true, as_of) !=
                PQ_PARSE_OK) {
            *as_of = INT64_MAX;
        }
    }
}

/* The arguments without views=on, and whether it was among them.  rest has room for all. */
static bool take_views(int *argc, sqlite3_value **argv, sqlite3_value **rest)
{
    bool views = false;
    int n = 0;

    for (int i = 0; i < *argc; i++) {
        const char *z = (const char *)sqlite3_value_text(argv[i]);
        bool is = z && sqlite3_stricmp(z, "views=on") == 0;

        views |= is;
        rest[n] = argv[i];
        n += !is;
    }
    *argc = n;
    return views;
}

/* A table that fails does not stop the others. */
void pqext_attach_lake(sqlite3_context *ctx, const char *path, int argc, sqlite3_value **argv)
{
    PqStop stop = {pqext_host_stop, sqlite3_user_data(ctx)};
    Lake l = {.db = sqlite3_context_db_handle(ctx), .path = path};
    sqlite3_value **rest = sqlite3_malloc64(((size_t)argc + 1) * sizeof *rest);
    char *options;
    int64_t version, as_of;
    PqErr e = PQ_NO_ERR;

    if (!rest) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    l.views = take_views(&argc, argv, rest);
    options = pqext_attach_options(ctx, argc, rest);
    if (!options) {
        sqlite3_free(rest);
        return;
    }
    l.options = options;
    pq_where_enter(&e, path);
    pqext_attach_begin(l.db, &l.answer);
    version_of(argc, rest, &version, &as_of);
    sqlite3_free(rest);
    pqsql_ducklake_names(l.db, path, version, as_of, attach_name, &l, &stop, &e);
    if (e.rc != PQ_OK && l.rc == SQLITE_OK) {
        sqlite3_free(pqext_attach_text(&l.answer));
        sqlite3_free(l.error);
        pqsql_result_error(ctx, &e);
    } else {
        bool none = l.error && !sqlite3_str_length(l.answer.names);

        pqext_attach_give(ctx, l.rc ? l.rc : none ? SQLITE_ERROR : SQLITE_OK, l.error, &l.answer);
    }
    sqlite3_free(options);
}

bool pqext_is_lake_call(int argc, sqlite3_value **argv)
{
    const char *path = (const char *)sqlite3_value_text(argv[0]);
    const char *second = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : NULL;
    char *word = second && strchr(second, '=')
                     ? pqext_trimmed(second, strcspn(second, "=")) : NULL;
    bool is = path && (argc == 1 || (word && (pqext_is_option(word) ||
                                              sqlite3_stricmp(word, "views") == 0)));

    sqlite3_free(word);
    return is && pqsql_ducklake_is(path);
}
