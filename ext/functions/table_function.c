/*
** table_function.c - the virtual table behind every table-valued function.
**
** Arguments arrive as constraints "hidden column = value".  The plan is a mask
** of the arguments that are there.  xFilter gets their values in order:
**
**   parquet_bloom_probe('a.parquet', 'id', 7)   idxNum 7, argv file column value
**
** The hard part is a call without all arguments.  It is an error, but not yet
** in xBestIndex: SQLite also asks about parts of a query that do not see the
** arguments (the branches of an OR).  So such a plan costs more than any other,
** and is an error only when it is run.
**
** A call may name many files, and some of them may not open (PqextTakes).
*/
#include "ext/functions/table_function.h"

#include "sql/argument.h"
#include "sql/ducklake/ducklake.h"

#include <assert.h>
#include <stdlib.h>

typedef struct Module {
    PqextHost           *host;
    const PqextFunction *function;
} Module;

typedef struct Table {
    sqlite3_vtab  base;
    const Module *module;
} Table;

typedef struct Cursor {
    sqlite3_vtab_cursor base;
    PqextCall           call;
    bool                begun;       /* end has to be called                */
    bool                eof;
    PqErr               e;
    char                why[PQ_ERR_TEXT];    /* what unreadable points to   */
} Cursor;

enum { MEMORY = 256 << 20 };
enum { CHOSEN = 1 << 8 };            /* of a plan: see choose_rows */

/* ---- the table ----------------------------------------------------------- */

/* Is there a column "error" after the visible ones? */
static bool has_error(const PqextFunction *f)
{
    return f->takes == PQEXT_FILES && !f->takes_unreadable;
}

/* The hidden column that is the first argument. */
static int first_argument(const PqextFunction *f)
{
    return f->n_columns - f->n_hidden + has_error(f);
}

/* ... that a call must have. */
static int needed_arguments(const PqextFunction *f)
{
    int n = 0;

    while (f->arguments[n]) {
        n++;
    }
    return n;
}

/* ... and those that it may have. */
static int all_arguments(const PqextFunction *f)
{
    return needed_arguments(f) + (f->takes != PQEXT_NOTHING);
}

static char *declaration(const PqextFunction *f)
{
    int n_shown = f->n_columns - f->n_hidden, n = needed_arguments(f), i;
    sqlite3_str *s = sqlite3_str_new(NULL);

    sqlite3_str_appendf(s, "CREATE TABLE x(");
    for (i = 0; i < n_shown; i++) {
        sqlite3_str_appendf(s, "%s%s", i ? ", " : "",
                            f->columns[i].declaration);
    }
    sqlite3_str_appendall(s, has_error(f) ? ", error TEXT" : "");
    for (i = 0; i < all_arguments(f); i++) {
        sqlite3_str_appendf(s, ", \"%w\" HIDDEN", i < n ? f->arguments[i]
                                                 : f->optional ? f->optional
                                                               : "keys");
    }
    for (i = n_shown; i < f->n_columns; i++) {
        sqlite3_str_appendf(s, ", %s HIDDEN", f->columns[i].declaration);
    }
    sqlite3_str_appendchar(s, 1, ')');
    return sqlite3_str_finish(s);
}

static int function_connect(sqlite3 *db, void *module, int argc,
                            const char *const *argv, sqlite3_vtab **out,
                            char **error)
{
    const Module *m = module;
    char *sql = declaration(m->function);
    Table *t;
    int rc;

    if (!sql) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
    /* Functions that look into any file that an argument names must not be
    ** called by views and triggers of a stranger's database. */
    if (rc == SQLITE_OK) {
        rc = sqlite3_vtab_config(db, m->function->takes == PQEXT_VALUE
                                         ? SQLITE_VTAB_INNOCUOUS
                                         : SQLITE_VTAB_DIRECTONLY);
    }
    if (rc != SQLITE_OK) {
        return rc;
    }
    t = sqlite3_malloc(sizeof *t);
    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    t->module = m;
    *out = &t->base;
    return SQLITE_OK;
}

static int function_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* Passes on a condition on the first column, which chooses rows.  SQLite tests
** it again. */
static void choose_rows(const PqextFunction *f, sqlite3_index_info *info, int n)
{
    for (int i = 0; f->chooses && i < info->nConstraint; i++) {
        const char *collation = sqlite3_vtab_collation(info, i);

        if (info->aConstraint[i].iColumn == 0 &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
            info->aConstraint[i].usable &&
            (sqlite3_stricmp(collation, "BINARY") == 0 ||
             sqlite3_stricmp(collation, "NOCASE") == 0)) {
            info->aConstraintUsage[i].argvIndex = n + 1;
            info->idxNum |= CHOSEN;
            info->estimatedCost /= 100;
            info->estimatedRows = 1;
            return;
        }
    }
}

/* xFilter learns which columns are used. */
static int note_used(sqlite3_index_info *info)
{
    info->idxStr = sqlite3_mprintf("%llu", info->colUsed);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* SQLITE_CONSTRAINT: an argument is not known in this order of the tables. */
static int function_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    const PqextFunction *f = ((Table *)table)->module->function;
    int given[PQEXT_MAX_ARGUMENTS] = {-1, -1, -1, -1};
    int n_needed = needed_arguments(f), n_all = all_arguments(f), i, n = 0;
    bool unusable[PQEXT_MAX_ARGUMENTS] = {false}, all = true;

    for (i = 0; i < info->nConstraint; i++) {
        int argument = info->aConstraint[i].iColumn - first_argument(f);

        if (argument < 0 || argument >= n_all ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
            continue;
        }
        if (!info->aConstraint[i].usable) {
            unusable[argument] = true;
        } else if (given[argument] < 0) {
            given[argument] = i;
        }
    }
    info->idxNum = 0;
    if (given[0] >= 0 && f->takes != PQEXT_VALUE) {
        int rc = pqext_refuse_null_path(table, info, given[0], f->name);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    for (i = 0; i < n_all; i++) {
        if (given[i] >= 0) {
            info->aConstraintUsage[given[i]].argvIndex = ++n;
            info->aConstraintUsage[given[i]].omit = 1;
            info->idxNum |= 1 << i;
        } else if (unusable[i]) {
            return SQLITE_CONSTRAINT;
        }
        all = all && (given[i] >= 0 || i == n_needed);
    }
    if (all) {
        info->estimatedRows = f->rows ? f->rows : 1000;
        info->estimatedCost = 10 * (double)info->estimatedRows;
    }
    choose_rows(f, info, n);
    return f->chooses ? note_used(info) : SQLITE_OK;
}

/* ---- the cursor ---------------------------------------------------------- */

static void close_file(Cursor *c)
{
    PqextCall *call = &c->call;

    if (c->begun && call->function->end) {
        call->function->end(call);
    }
    c->begun = false;
    pq_footer_release(call->footer);
    pq_chunk_files_close(&call->parts);
    pq_source_close(call->in.source);
    call->footer = NULL;
    call->in = (PqInput){0};
    pq_where_reset(&c->e);           /* it borrows paths of what is closed */
    call->unreadable = NULL;
}

static void forget_call(Cursor *c)
{
    PqextCall *call = &c->call;

    close_file(c);
    pq_listing_free(&call->listing);
    pq_table_free(call->table);
    call->table = NULL;
    call->n_seen = 0;
    pq_arena_reset(&call->key_arena);
    call->keys = (PqKeyChoice){0};
    for (int i = 0; i < PQEXT_MAX_ARGUMENTS; i++) {
        sqlite3_value_free(call->argument[i]);
        call->argument[i] = NULL;
    }
    sqlite3_value_free(call->choice);
    call->choice = NULL;
    call->chosen = NULL;
    c->eof = true;
}

static int function_close(sqlite3_vtab_cursor *cursor)
{
    Cursor *c = (Cursor *)cursor;

    forget_call(c);
    pq_arena_free(&c->call.key_arena);
    pq_mem_release(c->call.mem);
    sqlite3_free(c->call.state);
    sqlite3_free(c);
    return SQLITE_OK;
}

static int function_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    const Module *m = ((Table *)table)->module;
    Cursor *c = sqlite3_malloc(sizeof *c);

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->call.function = m->function;
    c->call.host = m->host;
    c->call.mem = pq_mem_new(MEMORY);
    pq_arena_init(&c->call.key_arena, c->call.mem);
    pq_chunk_files_init(&c->call.parts, c->call.mem, &c->call.in);
    c->call.state = sqlite3_malloc64(m->function->state_size + 1);
    c->eof = true;
    if (!c->call.mem || !c->call.state) {
        function_close(&c->base);
        return SQLITE_NOMEM;
    }
    *out = &c->base;
    return SQLITE_OK;
}

static PqRc begin(Cursor *c)
{
    const PqextFunction *f = c->call.function;

    if (f->state_size) {
        memset(c->call.state, 0, f->state_size);
    }
    c->call.row = UINT64_MAX;        /* before the first */
    c->begun = true;
    return f->begin ? f->begin(&c->call, &c->e) : PQ_OK;
}

/* The file did not open: it is a row of its own, the function begins without a
** footer, or it is an error. */
static PqRc no_file(Cursor *c)
{
    PqextCall *call = &c->call;
    bool own_rows = call->function->takes_unreadable;
    bool alone = call->listing.n_files + call->listing.left_out.n == 1;

    if (!pq_is_left_out(c->e.rc) ||
        (alone && (!own_rows || c->e.rc == PQ_IO))) {
        return c->e.rc;
    }
    call->unreadable_rc = c->e.rc;
    memcpy(c->why, c->e.text, sizeof c->why);
    call->unreadable = c->why;
    pq_err_clear(&c->e);
    return own_rows ? begin(c) : PQ_OK;
}

/* Folders that could not be read come after the files. */
static PqRc no_folder(Cursor *c, const PqLeftOut *out, uint32_t i)
{
    c->call.path = out->v[i].path;
    return pq_fail(&c->e, PQ_IO, "%s", out->v[i].why);
}

/* Opens and begins the next file, or notes that it does not open.  *more is
** false when there is none. */
static PqRc open_next_file(Cursor *c, bool *more)
{
    PqextCall *call = &c->call;
    const PqLeftOut *out = &call->listing.left_out;
    uint32_t n = call->listing.n_files, i;

    close_file(c);
    i = call->n_seen;
    *more = i < n + (out->n < PQ_LEFT_OUT_SHOWN ? out->n : PQ_LEFT_OUT_SHOWN);
    if (!*more) {
        return PQ_OK;
    }
    if (pqext_host_stop(call->host)) {
        return pq_fail(&c->e, PQ_STOPPED, "interrupted");
    }
    call->n_seen++;
    call->path = i < n ? call->listing.files[i].path : "";
    pq_listing_expect(&call->listing, i, NULL, NULL);
    if ((i < n ? pq_engine_open(call->host->engine, &call->listing,
                                call->path,
                                &call->in.source, &call->footer, &c->e)
               : no_folder(c, out, i - n)) != PQ_OK) {
        return no_file(c);
    }
    c->e.where.file = call->path;
    return begin(c);
}

static PqRc step(Cursor *c)
{
    PqextCall *call = &c->call;
    bool more = false, opened;

    call->rowid++;
    do {
        opened = false;
        if (c->begun) {
            call->row++;
            PQ_TRY(call->function->next(call, &more, &c->e));
        }
        if (!more && call->function->takes == PQEXT_FILES) {
            PQ_TRY(open_next_file(c, &opened));
        }
    } while (opened && c->begun);    /* else the file is a row of its own */
    c->eof = !more && !opened;
    if (!c->eof) {
        pqext_host_gave_row(call->host);
    }
    return PQ_OK;
}

/* The result of a cursor's method. */
static int outcome(Cursor *c, PqRc rc)
{
    if (rc == PQ_OK) {
        return SQLITE_OK;
    }
    c->eof = true;
    return pqext_error(&c->e, &c->base.pVtab->zErrMsg);
}

static int function_next(sqlite3_vtab_cursor *cursor)
{
    Cursor *c = (Cursor *)cursor;

    return outcome(c, step(c));
}

/* Copies the arguments; *null: one of those that a call must have is NULL. */
static int take_arguments(Cursor *c, int mask, sqlite3_value **argv, bool *null)
{
    PqextCall *call = &c->call;
    const PqextFunction *f = call->function;
    int n = needed_arguments(f), i;

    *null = false;
    for (i = 0; i < all_arguments(f); i++) {
        if (!(mask & 1 << i)) {
            continue;
        }
        *null = *null || (i < n && sqlite3_value_type(*argv) == SQLITE_NULL);
        if (i == 0 && f->takes == PQEXT_VALUE) {
            call->value = *argv++;
            continue;
        }
        call->argument[i] = sqlite3_value_dup(*argv++);
        if (!call->argument[i]) {
            return SQLITE_NOMEM;
        }
    }
    if (mask & CHOSEN && sqlite3_value_type(*argv) == SQLITE_TEXT) {
        call->choice = sqlite3_value_dup(*argv);
        call->chosen = call->choice
                           ? (const char *)sqlite3_value_text(call->choice)
                           : NULL;
        return call->chosen ? SQLITE_OK : SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

/* Is the first argument the catalog of a DuckLake? */
static bool is_catalog(const PqextCall *call)
{
    sqlite3_value *v = call->argument[0];

    return sqlite3_value_type(v) == SQLITE_TEXT &&
           pqsql_ducklake_is((const char *)sqlite3_value_text(v));
}

/* After a catalog, a text that names no key is the name of a table. */
static bool take_table(PqextCall *call, sqlite3_value *v)
{
    const char *text = v && sqlite3_value_type(v) == SQLITE_TEXT
                           ? (const char *)sqlite3_value_text(v) : NULL;
    bool is = text && !strchr(text, '=') && call->function->takes == PQEXT_PATH &&
              is_catalog(call);

    call->table_name = is ? text : NULL;
    return is;
}

static PqRc take_keys(Cursor *c)
{
    PqextCall *call = &c->call;
    const PqextFunction *f = call->function;
    sqlite3_value *v = call->argument[needed_arguments(f)];
    PqRc rc = pqsql_keys_of(call->host->engine->keys, take_table(call, v) ? NULL : v,
                            &call->key_arena, &call->keys, &call->patience, &c->e);

    if (rc == PQ_USAGE && f->keys_hint && !strstr(c->e.text, "key itself")) {
        pq_err_hint(&c->e, "%s", f->keys_hint);
    }
    return rc;
}

/* Lists the files that the first argument names. */
static PqRc list_files(PqextCall *call, unsigned flags, PqErr *e)
{
    PqPlaces places = pq_engine_places(call->host->engine, true, &call->patience);
    const char *pattern = pqsql_file_of(call->argument[0], &places, e);
    PqStop stop = pqext_call_stop(call);
    sqlite3 *db = call->host->db;
    PqRc rc;

    if (!pattern) {
        return e->rc;
    }
    rc = pq_listing_make(pattern, flags, &places, call->mem, &stop, &call->listing, e);
    call->listing.keys = &call->keys;
    if (rc == PQ_IO) {
        pqsql_path_hint_table(db, call->function->name, pattern, e);
    }
    return rc;
}

/* What begins each call for a path. */
enum { OF_PATH = PQ_LIST_HIVE | PQ_LIST_TABLES };

PqRc pqext_call_files(PqextCall *call, PqErr *e)
{
    PqStop stop = pqext_call_stop(call);
    PqsqlDucklake ducklake = {.db = call->host->db, .table = call->table_name};
    PqLakeHost catalog = {pqsql_ducklake_read, &ducklake};

    if (is_catalog(call) && !call->table_name) {
        return pq_fail(e, PQ_USAGE, "%s is a catalog: the name of a table "
                       "comes after it", sqlite3_value_text(call->argument[0]));
    }
    PQ_TRY(list_files(call, OF_PATH | (call->table_name ? PQ_LIST_CATALOG : 0u), e));
    return pq_lake_read(&call->listing, call->host->engine, -1, NULL, &catalog, &stop, e);
}

PqRc pqext_call_versions(PqextCall *call, PqLakeVersions *out, PqErr *e)
{
    PqStop stop = pqext_call_stop(call);
    PqsqlDucklake ducklake = {.db = call->host->db, .table = call->table_name};
    PqLakeHost catalog = {pqsql_ducklake_read, &ducklake};

    PQ_TRY(list_files(call, OF_PATH | (is_catalog(call) ? PQ_LIST_CATALOG : 0u), e));
    return pq_lake_versions(&call->listing, call->host->engine, call->mem, &catalog, out,
                            &stop, e);
}

PqRc pqext_call_table(PqextCall *call, const PqTableOptions *options, PqErr *e)
{
    PqEngine *engine = call->host->engine;

    PQ_TRY(pqext_call_files(call, e));
    PQ_TRY(pq_listing_keep_versions(&call->listing, call->mem, e));
    PQ_TRY(pq_listing_unfold(&call->listing, engine, &options->stop, e));
    PQ_TRY(pq_table_new(engine, &call->listing, options, &call->table, e));
    return pqsql_keys_fit(engine, &call->listing, e);
}

/* Begins a call that has its arguments. */
static PqRc begin_call(Cursor *c)
{
    PqextCall *call = &c->call;

    if (call->function->takes != PQEXT_FILES) {
        return begin(c);
    }
    PQ_TRY(list_files(call, PQ_LIST_READABLE | PQ_LIST_LAKES, &c->e));
    return pqsql_keys_fit(call->host->engine, &call->listing, &c->e);
}

static int function_filter(sqlite3_vtab_cursor *cursor, int mask,
                           const char *text, int argc, sqlite3_value **argv)
{
    Cursor *c = (Cursor *)cursor;
    PqextCall *call = &c->call;
    const PqextFunction *f = call->function;
    int needed = (1 << needed_arguments(f)) - 1;
    bool takes_path = f->takes == PQEXT_FILES || f->takes == PQEXT_PATH, null;
    PqRc rc;

    forget_call(c);
    pqext_host_sqlite_ran(call->host);
    pq_err_init(&c->e);
    call->used = text ? strtoull(text, NULL, 10) : 0;
    if ((mask & needed) != needed) {
        return outcome(c, f->missing
                              ? pq_fail(&c->e, PQ_USAGE, "%s", f->missing)
                              : pq_fail(&c->e, PQ_USAGE,
                                        "an argument is missing: %s", f->call));
    }
    if (take_arguments(c, mask, argv, &null) != SQLITE_OK) {
        return SQLITE_NOMEM;
    }
    if (takes_path && take_keys(c) != PQ_OK) {
        return outcome(c, c->e.rc);
    }
    if (null && takes_path) {
        if (sqlite3_value_type(call->argument[0]) == SQLITE_NULL) {
            pqext_path_was_null(f->name);
        }
        return SQLITE_OK;
    }
    call->rowid = 0;
    rc = begin_call(c);
    call->value = NULL;
    return outcome(c, rc == PQ_OK ? step(c) : rc);
}

static int function_eof(sqlite3_vtab_cursor *cursor)
{
    return ((Cursor *)cursor)->eof;
}

static int function_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx,
                           int i)
{
    Cursor *c = (Cursor *)cursor;
    PqextCall *call = &c->call;
    const PqextFunction *f = call->function;
    int n_shown = f->n_columns - f->n_hidden, n = all_arguments(f);
    int argument = i - first_argument(f);

    if (argument >= 0 && argument < n) {
        if (call->argument[argument]) {
            sqlite3_result_value(ctx, call->argument[argument]);
        }
        return SQLITE_OK;
    }
    if (i == n_shown && has_error(f)) {
        pqext_result_text(ctx, call->unreadable);
        return SQLITE_OK;
    }
    if (!c->begun) {
        pqext_result_text(ctx, i == 0 ? call->path : NULL);
        return SQLITE_OK;
    }
    if (argument >= n) {
        i = n_shown + argument - n;
    }
    if (pqext_column_value(&f->columns[i], call, ctx, &c->e) != PQ_OK) {
        pqsql_result_error(ctx, &c->e);
        pq_err_clear(&c->e);
    }
    return SQLITE_OK;
}

static int function_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((Cursor *)cursor)->call.rowid;
    return SQLITE_OK;
}

/* ---- registration -------------------------------------------------------- */

static const sqlite3_module module = {
    .xConnect = function_connect,
    .xBestIndex = function_best_index,
    .xDisconnect = function_disconnect,
    .xOpen = function_open,
    .xClose = function_close,
    .xFilter = function_filter,
    .xNext = function_next,
    .xEof = function_eof,
    .xColumn = function_column,
    .xRowid = function_rowid,
};

static void free_module(void *p)
{
    Module *m = p;

    pqext_host_release(m->host);
    sqlite3_free(m);
}

int pqext_function_register(sqlite3 *db, PqextHost *h, const PqextFunction *f)
{
    Module *m = sqlite3_malloc(sizeof *m);

    assert(all_arguments(f) <= PQEXT_MAX_ARGUMENTS);
    assert(pqext_columns_exist(f->columns, f->n_columns));
    if (!m) {
        return SQLITE_NOMEM;
    }
    h->holders++;
    *m = (Module){h, f};
    return sqlite3_create_module_v2(db, f->name, &module, m, free_module);
}

PqStop pqext_call_stop(const PqextCall *call)
{
    return (PqStop){pqext_host_stop, call->host};
}
