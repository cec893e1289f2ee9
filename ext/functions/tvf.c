/*
** tvf.c - the virtual table behind the functions that look inside files.
**
** Arguments arrive as constraints "hidden column = value".  The plan is a mask
** of those that are there, xFilter gets their values in order:
**
**   parquet_bloom_probe('a.parquet', 'id', 7)   idxNum 7, argv file column value
**
** A plan without all of them costs more than any other, because SQLite also
** asks about parts of a query that do not see the arguments (the branches of
** an OR); only when such a plan is run is it an error.
*/
#include "ext/functions/tvf.h"

#include "sql/path_text.h"

#include <assert.h>
#include <stdio.h>

typedef struct Module {
    PqextHost           *host;
    const PqextFunction *function;
} Module;

typedef struct Table {
    sqlite3_vtab  base;
    const Module *module;
} Table;

typedef struct Cursor {
    sqlite3_vtab_cursor  base;
    const PqextFunction *function;
    PqextLook            look;
    bool                 begun;      /* end has to be called                */
    bool                 eof;
    sqlite3_int64        row;
    PqErr                e;
    char                 why[PQ_ERR_TEXT];   /* what unreadable points to    */
} Cursor;

enum { MEMORY = 256 << 20 };

/* ---- the table ----------------------------------------------------------- */

/* Has it a column "error" after its own? */
static bool has_error(const PqextFunction *f)
{
    return f->n_arguments > 0 && !f->takes_paths &&
           f->unreadable == PQEXT_ERROR_ROW;
}

/* The hidden column that is the first argument. */
static int first_argument(const PqextFunction *f)
{
    return f->n_columns + has_error(f);
}

static char *declaration(const PqextFunction *f)
{
    sqlite3_str *s = sqlite3_str_new(NULL);
    int i;

    sqlite3_str_appendf(s, "CREATE TABLE x(");
    for (i = 0; i < f->n_columns; i++) {
        sqlite3_str_appendf(s, "%s%s", i ? ", " : "", f->columns[i]);
    }
    sqlite3_str_appendall(s, has_error(f) ? ", error TEXT" : "");
    for (i = 0; i < f->n_arguments; i++) {
        sqlite3_str_appendf(s, ", \"%w\" HIDDEN", f->arguments[i]);
    }
    sqlite3_str_appendchar(s, 1, ')');
    return sqlite3_str_finish(s);
}

static int tvf_connect(sqlite3 *db, void *module, int argc,
                       const char *const *argv, sqlite3_vtab **out,
                       char **error)
{
    const Module *m = module;
    char *sql = declaration(m->function);
    Table *t;
    int rc;

    (void)argc;
    (void)argv;
    (void)error;
    if (!sql) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
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

static int tvf_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* SQLITE_CONSTRAINT: in this order of the tables an argument is not known. */
static int tvf_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    const PqextFunction *f = ((Table *)table)->module->function;
    int given[PQEXT_TVF_ARGUMENTS] = {-1, -1, -1};
    bool unusable = false;
    int i, n = 0;

    for (i = 0; i < info->nConstraint; i++) {
        int argument = info->aConstraint[i].iColumn - first_argument(f);

        if (argument < 0 || info->aConstraint[i].op !=
                                SQLITE_INDEX_CONSTRAINT_EQ) {
            continue;
        }
        if (!info->aConstraint[i].usable) {
            unusable = true;
        } else if (given[argument] < 0) {
            given[argument] = i;
        }
    }
    info->idxNum = 0;
    if (given[0] >= 0) {
        int rc = pqext_refuse_null_path(table, info, given[0], f->name);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    for (i = 0; i < f->n_arguments; i++) {
        if (given[i] >= 0) {
            info->aConstraintUsage[given[i]].argvIndex = ++n;
            info->aConstraintUsage[given[i]].omit = 1;
            info->idxNum |= 1 << i;
        }
    }
    if (n < f->n_arguments && unusable) {
        return SQLITE_CONSTRAINT;
    }
    if (n == f->n_arguments) {
        info->estimatedCost = 10000;
        info->estimatedRows = 1000;
    }
    return SQLITE_OK;
}

/* ---- the cursor ------------------------------------------------------------ */

static void close_file(Cursor *c)
{
    PqextLook *l = &c->look;

    if (c->begun && c->function->end) {
        c->function->end(l);
    }
    c->begun = false;
    pq_footer_release(l->footer);
    pq_chunk_files_close(&l->parts);
    pq_source_close(l->in.source);
    l->footer = NULL;
    l->in = (PqInput){0};
    pq_where_reset(&c->e);           /* it borrows paths of what is closed */
    l->unreadable = NULL;
}

static void forget_call(Cursor *c)
{
    PqextLook *l = &c->look;
    int i;

    close_file(c);
    pq_listing_free(&l->listing);
    pq_table_free(l->table);
    l->table = NULL;
    l->n_seen = 0;
    for (i = 0; i < PQEXT_TVF_ARGUMENTS; i++) {
        sqlite3_value_free(l->argument[i]);
        l->argument[i] = NULL;
    }
    c->eof = true;
}

static int tvf_close(sqlite3_vtab_cursor *cursor)
{
    Cursor *c = (Cursor *)cursor;

    forget_call(c);
    pq_mem_release(c->look.mem);
    sqlite3_free(c->look.state);
    sqlite3_free(c);
    return SQLITE_OK;
}

static int tvf_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    const Module *m = ((Table *)table)->module;
    Cursor *c = sqlite3_malloc(sizeof *c);

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->function = m->function;
    c->look.host = m->host;
    c->look.mem = pq_mem_new(MEMORY);
    pq_chunk_files_init(&c->look.parts, c->look.mem, &c->look.in);
    c->look.state = sqlite3_malloc64(m->function->state_size + 1);
    c->eof = true;
    if (!c->look.mem || !c->look.state) {
        tvf_close(&c->base);
        return SQLITE_NOMEM;
    }
    *out = &c->base;
    return SQLITE_OK;
}

static PqRc begin(Cursor *c)
{
    if (c->function->state_size) {
        memset(c->look.state, 0, c->function->state_size);
    }
    c->begun = true;
    return c->function->begin ? c->function->begin(&c->look, &c->e) : PQ_OK;
}

/* The file does not open: it is a row, it is begun without a footer, or it is an
** error. */
static PqRc no_file(Cursor *c)
{
    bool own_rows = c->function->unreadable == PQEXT_BEGUN;
    PqextLook *l = &c->look;
    bool alone = l->listing.n_files + l->listing.left_out.n == 1;

    if (!pq_is_left_out(c->e.rc) ||
        (alone && (!own_rows || c->e.rc == PQ_IO))) {
        return c->e.rc;
    }
    l->unreadable_rc = c->e.rc;
    memcpy(c->why, c->e.text, sizeof c->why);
    l->unreadable = c->why;
    pq_err_clear(&c->e);
    return own_rows ? begin(c) : PQ_OK;
}

/* A folder that could not be read comes after the files. */
static PqRc no_folder(Cursor *c, const PqLeftOut *out, uint32_t i)
{
    c->look.path = out->v[i].path;
    return pq_fail(&c->e, PQ_IO, "%s", out->v[i].why);
}

/* The next file is open and begun, or is one that does not open; or *more is
** false. */
static PqRc open_next_file(Cursor *c, bool *more)
{
    PqextLook *l = &c->look;
    const PqLeftOut *out = &l->listing.left_out;
    uint32_t n = l->listing.n_files, i;

    close_file(c);
    i = l->n_seen;
    *more = i < n + (out->n < PQ_LEFT_OUT_SHOWN ? out->n : PQ_LEFT_OUT_SHOWN);
    if (!*more) {
        return PQ_OK;
    }
    if (pqext_host_stop(l->host)) {
        return pq_fail(&c->e, PQ_STOPPED, "interrupted");
    }
    l->n_seen++;
    l->path = i < n ? l->listing.files[i].path : "";
    if ((i < n ? pq_engine_open(l->host->engine, l->path, &l->in.source,
                                &l->footer, &c->e)
               : no_folder(c, out, i - n)) != PQ_OK) {
        return no_file(c);
    }
    c->e.where.file = l->path;
    return begin(c);
}

static PqRc step(Cursor *c)
{
    bool more = false;

    for (;;) {
        if (c->begun) {
            PQ_TRY(c->function->next(&c->look, &more, &c->e));
            if (more) {
                pqext_host_spoke(c->look.host);
                c->row++;
                return PQ_OK;
            }
        }
        PQ_TRY(open_next_file(c, &more));
        if (!more) {
            c->eof = true;
            return PQ_OK;
        }
        if (!c->begun) {             /* a row of its own */
            pqext_host_spoke(c->look.host);
            c->row++;
            return PQ_OK;
        }
    }
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

static int tvf_next(sqlite3_vtab_cursor *cursor)
{
    Cursor *c = (Cursor *)cursor;

    return outcome(c, step(c));
}

/* Copies of the arguments; *null says that one of them is. */
static int take_arguments(Cursor *c, sqlite3_value **argv, bool *null)
{
    int i;

    *null = false;
    for (i = 0; i < c->function->n_arguments; i++) {
        c->look.argument[i] = sqlite3_value_dup(argv[i]);
        if (!c->look.argument[i]) {
            return SQLITE_NOMEM;
        }
        *null = *null || sqlite3_value_type(argv[i]) == SQLITE_NULL;
    }
    return SQLITE_OK;
}

static PqRc list_files(Cursor *c)
{
    const char *pattern = pqsql_path_of(c->look.argument[0], &c->e);
    PqStop stop = pqext_look_stop(&c->look);
    PqRc rc;

    if (!pattern) {
        return c->e.rc;
    }
    rc = pq_listing_make_of_rest(pattern, false, c->look.mem, &stop,
                                 &c->look.listing, &c->e);
    if (rc == PQ_IO) {
        pqsql_path_hint_table(c->look.host->db, pattern, &c->e);
    }
    return rc;
}

static int tvf_filter(sqlite3_vtab_cursor *cursor, int mask, const char *text,
                      int argc, sqlite3_value **argv)
{
    Cursor *c = (Cursor *)cursor;
    const PqextFunction *f = c->function;
    bool null;
    PqRc rc = PQ_OK;

    (void)text;
    (void)argc;
    forget_call(c);
    pqext_host_spoke(c->look.host);
    pq_err_init(&c->e);
    if (mask != (1 << f->n_arguments) - 1) {
        return outcome(c, pq_fail(&c->e, PQ_USAGE,
                                  "an argument is missing: %s", f->call));
    }
    if (take_arguments(c, argv, &null) != SQLITE_OK) {
        return SQLITE_NOMEM;
    }
    if (null) {
        if (sqlite3_value_type(c->look.argument[0]) == SQLITE_NULL) {
            pqext_path_was_null(f->name);
        }
        return SQLITE_OK;
    }
    c->eof = false;
    c->row = 0;
    rc = f->n_arguments && !f->takes_paths ? list_files(c) : begin(c);
    return outcome(c, rc == PQ_OK ? step(c) : rc);
}

static int tvf_eof(sqlite3_vtab_cursor *cursor)
{
    return ((Cursor *)cursor)->eof;
}

static int tvf_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    Cursor *c = (Cursor *)cursor;
    int argument = i - first_argument(c->function);

    if (argument >= 0) {
        sqlite3_result_value(ctx, c->look.argument[argument]);
    } else if (i == c->function->n_columns) {
        pqext_give_text(ctx, c->look.unreadable);
    } else if (!c->begun) {
        pqext_give_text(ctx, i == 0 ? c->look.path : NULL);
    } else if (c->function->column(&c->look, i, ctx, &c->e) != PQ_OK) {
        pqext_result_error(ctx, &c->e);
        pq_err_clear(&c->e);
    }
    return SQLITE_OK;
}

static int tvf_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((Cursor *)cursor)->row;
    return SQLITE_OK;
}

/* ---- registration ---------------------------------------------------------- */

static const sqlite3_module module = {
    .xConnect = tvf_connect,
    .xBestIndex = tvf_best_index,
    .xDisconnect = tvf_disconnect,
    .xOpen = tvf_open,
    .xClose = tvf_close,
    .xFilter = tvf_filter,
    .xNext = tvf_next,
    .xEof = tvf_eof,
    .xColumn = tvf_column,
    .xRowid = tvf_rowid,
};

static void free_module(void *p)
{
    Module *m = p;

    pqext_host_release(m->host);
    sqlite3_free(m);
}

int pqext_function_register(sqlite3 *db, PqextHost *h,
                            const PqextFunction *f)
{
    Module *m = sqlite3_malloc(sizeof *m);

    assert(f->n_arguments <= PQEXT_TVF_ARGUMENTS);
    if (!m) {
        return SQLITE_NOMEM;
    }
    pqext_host_hold(h);
    *m = (Module){h, f};
    return sqlite3_create_module_v2(db, f->name, &module, m, free_module);
}

PqStop pqext_look_stop(const PqextLook *l)
{
    return (PqStop){pqext_host_stop, l->host};
}

/* ---- values of columns ----------------------------------------------------- */

void pqext_give_text(sqlite3_context *ctx, const char *z)
{
    sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}

void pqext_give_slice(sqlite3_context *ctx, PqSlice s)
{
    if (!pq_utf8_valid(s)) {
        uint8_t *mended = sqlite3_malloc64((sqlite3_uint64)s.n * 3);

        if (!mended) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        sqlite3_result_text64(ctx, (char *)mended, pq_utf8_mend(s, mended),
                              sqlite3_free, SQLITE_UTF8);
        return;
    }
    sqlite3_result_text64(ctx, s.n ? (const char *)s.p : "", s.n,
                          SQLITE_TRANSIENT, SQLITE_UTF8);
}

void pqext_give_blob(sqlite3_context *ctx, PqSlice s)
{
    sqlite3_result_blob64(ctx, s.n ? (const void *)s.p : "", s.n,
                          SQLITE_TRANSIENT);
}

void pqext_give_i64(sqlite3_context *ctx, bool has, int64_t v)
{
    if (has) {
        sqlite3_result_int64(ctx, v);
    }
}

void pqext_give_name(sqlite3_context *ctx, const char *name, int number)
{
    char text[16];

    if (!name) {
        snprintf(text, sizeof text, "%d", number);
        name = text;
    }
    pqext_give_text(ctx, name);
}

PqRc pqext_give_buf(sqlite3_context *ctx, const PqBuf *b, PqErr *e)
{
    if (!pq_buf_ok(b)) {
        return e->rc;
    }
    pqext_give_slice(ctx, pq_buf_view(b));
    return PQ_OK;
}
