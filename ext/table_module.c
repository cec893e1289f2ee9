/*
** table_module.c - CREATE VIRTUAL TABLE t USING parquet(...): xCreate,
** xConnect, xDisconnect, and the table of all methods.
**
** The hard part is a table in a database file whose Parquet files are gone when
** the database is opened again.  If xConnect failed, the table could not even
** be dropped.  So it connects with one column, and every use is the error
** (declare_gone).  Only if a server does not answer, xConnect fails: then a statement
** that names columns says why, and the next one asks anew.
**
** When the files are back, SQLite has to connect the table again, because its
** columns cannot change.  It does so, and prepares the statement anew, if xOpen
** says that the schema has changed.  A statement that names columns does not
** get this far: SQLite refuses it.
*/
#include "ext/cursor/cursor.h"
#include "core/base/system.h"
#include "ext/plan/sample.h"
#include "ext/rollup/rollup_table.h"
#include "sql/keys/key_names.h"

#include <stdio.h>

static void free_table(PqextTable *t)
{
    pqext_tables_remove(t);
    pqext_definition_free(t->rollup);
    if (t->source) {
        free_table(t->source);       /* which has none of its own */
    }
    pqext_options_free(&t->options);
    pqext_sample_free(t->sample);
    pq_lookup_keep_free(t->kept);
    pq_table_free(t->table);
    sqlite3_free(t->affinities);
    sqlite3_free(t->gone);
    sqlite3_free(t->schema);
    sqlite3_free(t->name);
    pqext_host_release(t->host);
    sqlite3_free(t);
}

/* The number of elements in a row of the file, by the values of a leaf in the
** list in a few row groups.  1 if rows are not unnested. */
static double elements_of_a_row(const PqTable *t, const PqFooter *f, PqErr *e)
{
    enum { FEW = 4 };
    double values = 0, rows = 0;
    const PqNode *lists[PQ_SCHEMA_MAX_DEPTH] = {0}, *last;
    uint32_t step = f->n_groups / FEW + 1, i;
    PqArena scratch;

    if (t->unnest.n == 0 ||
        pq_table_lists(t, f, t->first_path, lists, e) != PQ_OK) {
        pq_err_clear(e);
        return 1;
    }
    last = lists[t->unnest.n - 1];
    pq_arena_init(&scratch, t->engine->mem);
    for (i = 0; last && i < f->n_groups; i += step) {
        PqColumnChunk chunk;

        if (pq_footer_chunk(f, i, last->first_leaf, &scratch, &chunk, e) !=
            PQ_OK) {
            pq_err_clear(e);         /* reading it gives the error  */
            break;
        }
        rows += (double)f->groups[i].num_rows;
        values += (double)chunk.meta_data.num_values;
    }
    pq_arena_free(&scratch);
    return rows > 0 && values > 0 ? values / rows : 1;
}

/* Estimates the rows of all files from the footers that have been read. */
static void guess_rows(PqextTable *t, const PqListing *l, PqErr *e)
{
    const PqTable *of = t->table;
    double rows = 0, elements = 0;

    for (uint32_t i = 0; i < of->n_footers; i++) {
        double n = (double)of->footers[i]->n_rows;

        rows += n;
        elements += n * elements_of_a_row(of, of->footers[i], e);
    }
    t->elements = elements > 0 ? elements / rows : 1;
    t->rows_guess = elements / (of->n_footers ? of->n_footers : 1) *
                        l->n_files + 1;
}

/* The length of the folder's path, if the table would have the files that a
** copy into that folder writes; 0: the path does not look like files to
** come. */
static int early_folder(const char *path, PqMem *mem)
{
    enum { ROOM = 200 };
    const char *name = pq_path_name(path), *lake = NULL;
    char file[ROOM];
    int n = (int)strcspn(path, "*?[");
    bool has = false;
    PqErr why = PQ_NO_ERR;

    if (pq_lake_of(path, &lake, &why) != PQ_OK || lake) {
        return 0;                    /* its log names what is not there      */
    }
    if (strlen(path) + sizeof "/data_0.parquet" > ROOM ||
        pq_path_is_of_others(path) || strpbrk(path, "{'")) {
        return 0;
    }
    if (!path[n]) {
        return strchr(name, '.') && access(path, F_OK) != 0 ? 0 : n;
    }
    while (n > 0 && path[n - 1] != '/') {
        n--;
    }
    snprintf(file, sizeof file, "%.*sdata_0.parquet", n, path);
    pq_listing_would_have(path, mem, file, &has, &why);
    return has ? n : 0;
}

/* The folder of a table may still be empty, or missing.  Users who give a file
** as the name have mixed up the arguments of parquet_attach. */
static void hint_early(const PqextTable *t, PqErr *e)
{
    const char *path = t->options.path;
    int n = early_folder(path, t->host->engine->mem);
    bool mixed_up = strchr(t->name, '/') && access(t->name, F_OK) == 0;

    if (n > 0 && !mixed_up &&
        (strstr(e->text, "file in this folder") ||
         strstr(e->text, "No such file") ||
         strstr(e->text, "matches this glob"))) {
        pq_err_hint(e, "to declare the table before its first file, write one "
                    "without rows: SELECT parquet_copy_to('SELECT NULL AS id "
                    "WHERE 0', '%.*s%s', '{\"types\": {\"id\": "
                    "\"BIGINT\"}}')", n, path, path[n - 1] == '/' ? "" : "/");
    }
}

/* create: a text that looks like a key must not get into a schema.  If it is
** there already, it does no further harm. */
static PqRc open_files(PqextTable *t, bool create, PqErr *e)
{
    PqTableOptions options = {.union_by_name = t->options.union_by_name != 0,
                              .ignore_errors = t->options.ignore_errors != 0,
                              .left_out_hint = "ignore_errors=on leaves such "
                                               "files out",
                              .only = {t->options.columns.v,
                                       t->options.columns.n},
                              .except = {t->options.exclude.v,
                                         t->options.exclude.n},
                              .unknown_name = pqext_column_unknown,
                              .paths = t->options.paths,
                              .n_paths = t->options.n_paths,
                              .believes = pqext_options_believe(&t->options),
                              .stop = {pqext_host_stop, t->host},
                              .unnest = t->options.unnest,
                              .outer = t->options.outer != 0,
                              .unknown_list = pqext_list_unknown};
    PqextListing *l;

    if (create) {
        PQ_TRY(pqsql_key_names_check(&t->options.keys, e));
    }
    if (pqext_listing_make(t->host, &t->options, NULL, &l, e) != PQ_OK) {
        if (create && e->rc == PQ_IO) {
            hint_early(t, e);
        }
        return e->rc;
    }
    if (pq_table_new(t->host->engine, &l->list, &options, &t->table, e) ==
            PQ_OK &&
        pqext_affinity_read(t->table, t->options.affinity, &t->affinities,
                            e) == PQ_OK) {
        guess_rows(t, &l->list, e);
        t->n_files = l->list.n_files;
        t->n_requests = l->list.n_requests;
        pqsql_keys_fit(t->host->engine, &l->list, e);
    }
    if (e->rc != PQ_OK) {
        pq_table_free(t->table);
        t->table = NULL;
    }
    pqext_listing_release(l);
    return e->rc;
}

/* A table whose files cannot be opened can still be dropped.  It has one
** column, and every use says why there are no others.  The column is not
** hidden, because SQLite has an error of its own for SELECT * of no columns.  A
** rollup has the columns that its text names, so that a view over it gives that
** error too, and not SQLite's about a column. */
static int declare_gone(sqlite3 *db, PqextTable *t, const PqErr *e)
{
    bool key = strstr(e->text, "parquet_key") != NULL;

    t->gone = sqlite3_mprintf("%s; %s", e->text,
                              key ? "then the table can be used"
                                  : "when that is mended, SELECT * finds the "
                                    "table's columns again");
    if (!t->gone) {
        return SQLITE_NOMEM;
    }
    if (t->options.rollup) {
        char *named = pqext_definition_names(t->options.rollup,
                                             t->host->engine->mem);
        int rc = named ? sqlite3_declare_vtab(db, named) : SQLITE_ERROR;

        sqlite3_free(named);
        if (rc != SQLITE_ERROR) {
            return rc;
        }
    }
    return sqlite3_declare_vtab(db, "CREATE TABLE x(unavailable)");
}

/* A server that this connection has allowed is out of order.  Where it is not allowed,
** nothing is asked, so the table can be dropped there. */
static bool is_server_down(PqErr *e, bool own)
{
    if (e->rc != PQ_IO || !pq_url_is(e->file)) {
        return false;
    }
    pq_err_hint(e, own ? "when that is mended, the table can be used"
                       : "when that is mended, the table can be used; a connection that "
                         "has not allowed its URL can drop it");
    return true;
}

static PqRc open_table(PqextTable *t, bool create, PqErr *e)
{
    if (!t->source) {
        return open_files(t, create, e);
    }
    PQ_TRY(open_files(t->source, create, e));
    return pqext_rollup_open(t, e);
}

/* Another program has changed the schema, and SQLite has not read it again.  If
** told, SQLite reads it and connects the table anew. */
static bool schema_is_old(sqlite3 *db, const PqErr *e)
{
    return e->rc == PQ_STOPPED && sqlite3_errcode(db) == SQLITE_SCHEMA;
}

/* Could it be made now, of its files? */
static bool is_back(PqextTable *t)
{
    PqextTable *files = t->source ? t->source : t;
    bool back;
    PqErr e = PQ_NO_ERR;

    pqext_host_sqlite_ran(t->host);
    back = open_table(t, false, &e) == PQ_OK || schema_is_old(t->host->db, &e);
    pqext_definition_free(t->rollup);
    pq_table_free(files->table);
    t->rollup = NULL;
    t->own = NULL;
    files->table = NULL;
    t->n_columns = files->n_columns = 0;
    return back;
}

/* If its files can be opened now, a plan without a cursor makes SQLite connect
** the table again. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    PqextTable *t = (PqextTable *)vtab;

    t->watched = t->host->watch;
    return !t->gone     ? pqext_best_index(vtab, info)
           : is_back(t) ? SQLITE_OK
                        : pqext_fail(&vtab->zErrMsg, "%s", t->gone);
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    PqextTable *t = (PqextTable *)vtab;

    if (!t->gone) {
        return pqext_open(vtab, out);
    }
    *out = NULL;
    if (!is_back(t)) {
        return pqext_fail(&vtab->zErrMsg, "%s", t->gone);
    }
    pqext_tables_connect_again(t->host);
    return SQLITE_SCHEMA;
}

static int ask_utf16(sqlite3 *db, bool *yes, bool *big)
{
    sqlite3_stmt *s = NULL;
    const char *name = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA encoding", -1, &s, NULL);

    if (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        name = (const char *)sqlite3_column_text(s, 0);
        *yes = name && sqlite3_stricmp(name, "UTF-8") != 0;
        *big = name && sqlite3_stricmp(name, "UTF-16be") == 0;
    }
    rc = s ? sqlite3_finalize(s) : rc;           /* interrupted, perhaps */
    return rc == SQLITE_OK && !name ? SQLITE_NOMEM : rc;
}

/* Makes a table with its name and options, without files yet.  Even if this
** fails there may be a table. */
static int begin_table(sqlite3 *db, PqextHost *host, int argc,
                       const char *const *argv, PqextTable **out, char **error)
{
    PqextTable *t = *out = sqlite3_malloc(sizeof *t);
    int rc;

    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    t->host = host;
    host->holders++;
    t->schema = sqlite3_mprintf("%s", argv[1]);
    t->name = sqlite3_mprintf("%s", argv[2]);
    rc = pqext_options_parse(&t->options, argc - 3, argv + 3, error);
    if (rc != SQLITE_OK) {
        return rc;
    }
    t->options.own = sqlite3_stricmp(argv[1], "temp") == 0;
    t->values = pqext_options_values(&t->options);
    t->options.keys.ring = host->engine->keys;
    rc = ask_utf16(db, &t->utf16, &t->utf16_big);
    if (rc == SQLITE_INTERRUPT) {
        *error = sqlite3_mprintf("%s", sqlite3_errstr(rc));
    }
    return rc;
}

/* The source of a rollup has all of its options except rollup. */
static int begin_source(sqlite3 *db, PqextTable *t, int argc,
                        const char *const *argv, char **error)
{
    int rc = begin_table(db, t->host, argc, argv, &t->source, error);

    if (rc == SQLITE_OK) {
        sqlite3_free(t->source->options.rollup);
        t->source->options.rollup = NULL;
    }
    return rc;
}

static int declare(sqlite3 *db, PqextTable *t, char **error)
{
    return t->source ? pqext_rollup_declare(db, t, error)
                     : pqext_declare(db, t->table, &t->values, t->affinities,
                                     &t->n_columns, error);
}

static int make_table(sqlite3 *db, PqextHost *host, int argc,
                      const char *const *argv, bool create,
                      sqlite3_vtab **out, char **error)
{
    sqlite3_stmt *listening = NULL;
    PqextTable *t;
    PqErr e = PQ_NO_ERR;
    int rc;

    *out = NULL;
    rc = begin_table(db, host, argc, argv, &t, error);
    if (rc == SQLITE_OK && t->options.rollup) {
        rc = begin_source(db, t, argc, argv, error);
    }
    if (rc != SQLITE_OK) {
        goto done;
    }
    t->options.own |= create;
    if (t->source) {
        t->source->options.own |= create;
    }
    pq_engine_allow(host->engine, pq_mem_limit_of(t->options.memory));
    pqext_host_sqlite_ran(host);
    listening = pqext_host_listen(host);
    if (open_table(t, create, &e) == PQ_OK) {
        rc = declare(db, t, error);
    } else if (schema_is_old(db, &e)) {
        rc = SQLITE_SCHEMA;
    } else if (create || e.rc == PQ_NOMEM || e.rc == PQ_STOPPED ||
               is_server_down(&e, t->options.own)) {
        rc = pqext_error(&e, error);
    } else {
        rc = declare_gone(db, t, &e);
    }
done:
    sqlite3_finalize(listening);
    if (rc != SQLITE_OK) {
        if (t) {
            free_table(t);
        }
    } else {
        pqext_tables_add(t);
        *out = &t->base;
    }
    return rc;
}

static int create(sqlite3 *db, void *host, int argc, const char *const *argv,
                  sqlite3_vtab **out, char **error)
{
    return make_table(db, host, argc, argv, true, out, error);
}

static int connect_table(sqlite3 *db, void *host, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    return make_table(db, host, argc, argv, false, out, error);
}

static int disconnect(sqlite3_vtab *vtab)
{
    PqextTable *t = (PqextTable *)vtab;

    free_table(t);
    return SQLITE_OK;
}

static int rename_table(sqlite3_vtab *vtab, const char *name)
{
    for (PqextTable *t = (PqextTable *)vtab; t; t = t->source) {
        char *copy = sqlite3_mprintf("%s", name);

        if (!copy) {
            return SQLITE_NOMEM;
        }
        sqlite3_free(t->name);
        t->name = copy;
    }
    return SQLITE_OK;
}

/* Without xUpdate, SQLite only says that the table may not be modified.  This
** error says what to do.  xBegin gives it before any row is searched for.
** SQLite does not call xBegin if the table was made in the same transaction;
** then the first row gives the error. */
static int refuse_writing(sqlite3_vtab *vtab)
{
    const PqextTable *t = (const PqextTable *)vtab;
    int rc = pqext_fail(
        &vtab->zErrMsg,
        "table %s is read-only: its rows are those of Parquet files; "
        "parquet_copy_to(query, path) writes rows into a file, and CREATE TABLE "
        "... AS SELECT * FROM \"%w\" makes a table that can be changed",
        t->name, t->name);

    return rc == SQLITE_ERROR ? SQLITE_READONLY : rc;
}

static int refuse_row(sqlite3_vtab *vtab, int argc, sqlite3_value **argv,
                      sqlite3_int64 *rowid) // NOLINT(readability-non-const-parameter)
{
    return refuse_writing(vtab);
}

static const sqlite3_module table_module = {
    .iVersion = 1,
    .xCreate = create,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = pqext_close,
    .xFilter = pqext_filter,
    .xNext = pqext_next,
    .xEof = pqext_eof,
    .xColumn = pqext_column,
    .xRowid = pqext_rowid,
    .xUpdate = refuse_row,
    .xBegin = refuse_writing,
    .xFindFunction = pqext_find_function,
    .xRename = rename_table,
};

int pqext_register_table(sqlite3 *db, PqextHost *h)
{
    h->holders++;
    return sqlite3_create_module_v2(db, "parquet", &table_module, h,
                                    pqext_host_release);
}
