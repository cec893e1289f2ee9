/*
** cursor.c - xFilter to xColumn: a scan, its batches, and rows out of them.
**
** xNext is an increment until the batch is used up.  xColumn looks whether the
** column of this batch is loaded, and calls its getter.  Everything else
** happens once per batch, or per file.
**
** The hard part is xFilter, which a join calls for each row of the other table.
** What does not depend on the operands is made once: the scan (need_scan), the
** index of a join key (key.c).  The rows of a call come from a source
** (core/scan/row_source.h), which the plan chooses (start).
*/
#include "ext/cursor/cursor.h"
#include "ext/table/signed_plan.h"
#include "sql/statement_text.h"

#include <assert.h>

PqextCursor *pqext_cursor_new(PqextTable *t)
{
    PqextCursor *c = sqlite3_malloc(sizeof *c);

    if (c) {
        memset(c, 0, sizeof *c);
        c->table = t;
        c->like_is_builtin = -1;
        c->beside_outer = c->twins = -1;
        pq_err_init(&c->e);
        pq_arena_init(&c->arena, t->host->engine->mem);
    }
    return c;
}

static PqRc begin_cursor(PqextCursor *c)
{
    PqextTable *t = c->table;

    return t->own   ? t->own->begin(c, &c->e)
           : t->now ? PQ_OK
                    : pqext_listing_begin(t, &c->listing, &c->e);
}

int pqext_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    PqextTable *t = (PqextTable *)vtab;
    PqextCursor *c;

    *out = NULL;
    c = pqext_cursor_new(t);
    if (!c) {
        return SQLITE_NOMEM;
    }
    if (begin_cursor(c) != PQ_OK) {
        int rc = pqext_error(&c->e, &vtab->zErrMsg);

        pqext_cursor_free(c);
        return rc;
    }
    t->host->opened = c;
    t->host->compiled = NULL;
    *out = &c->base;
    return SQLITE_OK;
}

static void forget_columns(PqextCursor *c)
{
    uint32_t i;

    for (i = 0; c->columns && i < c->table->n_columns; i++) {
        pqsql_column_free(c->columns[i]);
        c->columns[i] = NULL;
    }
}

/* Counts the rows given so far: all of the batch, or those up to the current
** one. */
static void count_given(PqextCursor *c)
{
    c->timer.use.rows += c->at < c->n_rows ? c->at + 1 : c->n_rows;
    c->at = c->n_rows = 0;
}

static void end_source(PqextCursor *c)
{
    pq_row_source_free(c->source);
    c->source = NULL;
}

void pqext_cursor_end_call(PqextCursor *c)
{
    count_given(c);
    end_source(c);
    if (c->scan) {
        pq_scan_drop_terms(c->scan);
    }
}

void pqext_cursor_forget(PqextCursor *c)
{
    pqext_cursor_end_call(c);
    if (c->scan) {
        pq_scan_used(c->scan, &c->timer.use);
    }
    c->timer = (PqextTimer){0};
    pq_distinct_free(c->distinct);
    c->distinct = NULL;
    forget_columns(c);
    pqext_key_forget(&c->key);
    pq_scan_free(c->scan);
    c->scan = NULL;
}

void pqext_cursor_free(PqextCursor *c)
{
    while (c) {
        PqextCursor *next = c->aside;

        if (c->table->own) {
            c->table->own->free(c);
        }
        pqext_cursor_forget(c);
        pq_arena_free(&c->arena);
        pqext_listing_release(c->listing);
        sqlite3_free(c->columns);
        sqlite3_free(c);
        c = next;
    }
}

int pqext_close(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;
    PqextHost *h = c->table->host;

    if (h->opened && h->opened != c && h->opened->table == c->table) {
        pqext_cursor_inherit(h->opened, c);
    }
    h->opened = NULL;
    pqext_cursor_free(c);
    return SQLITE_OK;
}

int pqext_cursor_report(PqextCursor *c, PqErr *e)
{
    int rc = pqext_error(e, &c->table->base.zErrMsg);

    pq_err_clear(e);
    pq_where_reset(e);
    c->n_rows = 0;
    return rc;
}

static int report(PqextCursor *c)
{
    return pqext_cursor_report(c, &c->e);
}

/* ---- scanning ---------------------------------------------------------- */

/* Columns are made for a file, and loaded for a batch. */
static void enter_batch(PqextCursor *c)
{
    c->batch = pq_scan_batch(c->scan)->serial;
    if (c->file_serial != pq_scan_file_serial(c->scan)) {
        c->file_serial = pq_scan_file_serial(c->scan);
        forget_columns(c);
    }
}

PqRc pqext_cursor_proofs(PqextCursor *c, const PqRowRange *ranges, uint32_t n)
{
    uint32_t k;

    PQ_TRY(pq_scan_start(c->scan, ranges, n, pqext_cursor_skips, c, &c->e));
    for (k = 0; k < c->n_conditions; k++) {
        if (pqext_condition_proves(&c->conditions[k])) {
            PQ_TRY(pq_scan_add_proof(c->scan, &c->conditions[k].base.proof,
                                     &c->e));
        }
    }
    for (k = 0; k < c->n_geos && c->table->options.trust_stats; k++) {
        if (c->geos[k].base.proof.refutes_box) {
            PQ_TRY(pq_scan_add_proof(c->scan, &c->geos[k].base.proof, &c->e));
        }
    }
    return PQ_OK;
}

PqRc pqext_cursor_filters(PqextCursor *c)
{
    uint32_t k;

    for (k = 0; k < c->n_geos; k++) {
        PQ_TRY(pq_scan_add_filter(c->scan, &c->geos[k].base.filter, &c->e));
    }

    for (k = 0; k < c->n_conditions; k++) {
        PQ_TRY(pq_scan_add_filter(c->scan, &c->conditions[k].base.filter,
                                  &c->e));
    }
    return PQ_OK;
}

PqRc pqext_cursor_begin(PqextCursor *c, const PqRowRange *ranges, uint32_t n)
{
    PQ_TRY(pqext_cursor_proofs(c, ranges, n));
    return pqext_cursor_filters(c);
}

/* Rows are now given from the batch of the source. */
static void take_batch(PqextCursor *c)
{
    const PqBatch *b = c->source->batch;

    pqext_host_sqlite_ran(c->table->host);
    if (c->scan) {
        enter_batch(c);
    }
    c->n_rows = b->n_kept;
    c->kept = b->kept;
    c->row = c->kept ? c->kept[0] : 0;
}

static PqRc next_batch(PqextCursor *c)
{
    bool more;

    count_given(c);
    pq_where_reset(&c->e);
    PQ_TRY(c->source->next(c->source, &more, &c->e));
    if (more) {
        take_batch(c);
    }
    return PQ_OK;
}

/* Rows as they lie, or those that the index of a key knows. */
static PqRc start_scan(PqextCursor *c, sqlite3_value **argv)
{
    PQ_TRY(pqext_key_begin(c, argv));
    PQ_TRY(pqext_cursor_begin(c, c->ranges, c->n_ranges));
    if (c->key.picking) {
        c->source = pqext_key_rows(c);
        return PQ_OK;
    }
    if (c->plan->distinct < 0) {
        c->source = pq_scan_rows(c->scan);
        return PQ_OK;
    }
    if (!c->distinct) {
        PQ_TRY(pq_distinct_new(c->scan, &c->distinct, &c->e));
    }
    return pq_distinct_begin(c->distinct, (uint32_t)c->plan->distinct,
                             &c->source, &c->e);
}

static PqRc start(PqextCursor *c, sqlite3_value **argv)
{
    const PqextPlan *p = c->plan;

    end_source(c);
    PQ_TRY(pqext_key_again(c, argv));
    if (pqext_key_is_all(c)) {
        pq_scan_drop_terms(c->scan);
        c->source = pqext_key_rows(c);
        return PQ_OK;
    }
    PQ_TRY(pqext_cursor_terms(c, argv));
    return p->groups.n > 0  ? pqext_rows_in_groups(c, &c->source)
           : p->order.n > 0 ? pqext_rows_in_order(c, &c->source)
           : p->files.n > 0 ? pqext_rows_by_file(c, &c->source)
                            : start_scan(c, argv);
}

int pqext_filter(sqlite3_vtab_cursor *cursor, int flags, const char *text,
                 int argc, sqlite3_value **argv)
{
    PqextCursor *c = (PqextCursor *)cursor;

    (void)flags;
    (void)argc;
    pqext_host_sqlite_ran(c->table->host);
    c->table->host->opened = NULL;
    if (c->rollup) {
        return c->table->own->filter(c, text, argv) == PQ_OK &&
                       next_batch(c) == PQ_OK
                   ? SQLITE_OK : report(c);
    }
    pqext_cursor_switch_to(c, text);
    assert((int)c->plan->n_terms == argc);
    if ((!c->scan &&
         pqext_listing_join(c->table, pqext_plan_signed(text)->compiled,
                            &c->listing, &c->e) != PQ_OK) ||
        pqext_cursor_need_scan(c) != PQ_OK) {
        return report(c);
    }
    pqsql_twins_reads(c->table->host->twins, c->table->schema, c->table->name,
                      c->listing->compiled);
    count_given(c);
    pqext_timer_pass(&c->timer);
    if (start(c, argv) != PQ_OK || next_batch(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->timer, c->n_rows > 0);
    return SQLITE_OK;
}

int pqext_next(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;

    if (PQ_LIKELY(++c->at < c->n_rows)) {
        c->row = c->kept ? c->kept[c->at] : c->at;
        return SQLITE_OK;
    }
    pqext_timer_enter(&c->timer);
    if (next_batch(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->timer, c->n_rows > 0);
    return SQLITE_OK;
}

int pqext_eof(sqlite3_vtab_cursor *cursor)
{
    return ((PqextCursor *)cursor)->n_rows == 0;
}

/* Rows that were alike no longer are. */
static PqRc tell_apart(PqextCursor *c)
{
    bool changed = false;

    PQ_TRY(c->source->tell_apart(c->source, c->row, &changed, &c->e));
    if (changed) {
        c->timer.use.rows += c->at;
        c->at = 0;
        take_batch(c);
    }
    return PQ_OK;
}

int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    PqextCursor *c = (PqextCursor *)cursor;
    int64_t rowid = 0;

    if ((c->source->tell_apart && tell_apart(c) != PQ_OK) ||
        c->source->rowid(c->source, c->row, &rowid, &c->e) != PQ_OK) {
        return report(c);
    }
    *out = rowid;
    return SQLITE_OK;
}

/* ---- columns ----------------------------------------------------------- */

/* Grouped rows of a batch may be of several files. */
static void result_of_file(PqextCursor *c, sqlite3_context *ctx, int i)
{
    int64_t rowid = pq_batch_rowid(pq_scan_batch(c->scan), c->row);
    PqextFileValue v = pqext_file_value(c->listing, c->table->table,
                                        (uint32_t)i,
                                        (uint32_t)(rowid >> PQ_ROWID_SHIFT));

    if (v.is_null) {
        return;
    }
    if (v.is_text) {
        sqlite3_result_text(ctx, v.text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_result_int64(ctx, v.number);
    }
}

static PqRc result_ordinal(PqextCursor *c, sqlite3_context *ctx, int i)
{
    int64_t n;

    if (pq_scan_ordinal(c->scan, c->table->table->columns[i].level, c->row, &n,
                        &c->e) != PQ_OK) {
        return c->e.rc;
    }
    if (n >= 0) {
        sqlite3_result_int64(ctx, n);
    }
    return PQ_OK;
}

/* The columns that do not come from the file's pages. */
static PqRc result_own(PqextCursor *c, sqlite3_context *ctx, int i)
{
    switch (c->table->table->columns[i].kind) {
    case PQ_COLUMN_FILE_ROW:
        sqlite3_result_int64(ctx, pq_scan_row_in_file(c->scan, c->row));
        break;
    case PQ_COLUMN_ROW_GROUP:
        sqlite3_result_int64(ctx, pq_scan_row_group(c->scan, c->row));
        break;
    case PQ_COLUMN_ORDINAL:
        return result_ordinal(c, ctx, i);
    default:
        result_of_file(c, ctx, i);
        break;
    }
    return PQ_OK;
}

/* Says where an error would be. */
static void enter_column(PqextCursor *c, int i)
{
    c->e.where.file = pq_scan_path(c->scan);
    c->e.where.row_group = (int)pq_scan_batch(c->scan)->group;
    c->e.where.column = c->table->table->columns[i].name;
}

static PqRc load(PqextCursor *c, uint32_t i)
{
    const PqColumn *column = &c->table->table->columns[i];
    const PqNode *node = pq_scan_node(c->scan, i);
    PqsqlOptions values = c->table->values;

    enter_column(c, (int)i);
    values.variant_blob = values.variant_blob || column->as_blob;
    values.wkb_of = column->as_wkb && node ? pq_table_encoding(column, node)
                                           : PQ_GEO_AS_WKB;
    if (!c->columns[i]) {
        PQ_TRY(pqsql_column_new(pq_scan_mem(c->scan), node, &column->type,
                                &values, &c->columns[i], &c->e));
    }
    PQ_TRY(pqsql_column_load(c->columns[i], c->scan, &c->e));
    c->columns[i]->loaded = c->batch;
    c->columns[i]->batch = c->columns[i]->by_row ? 0 : c->batch;
    pq_where_reset(&c->e);
    return PQ_OK;
}

/* Filters ask for columns before take_batch. */
PqRc pqext_cursor_load(void *cursor, uint32_t i, PqsqlColumn **out, PqErr *e)
{
    PqextCursor *c = cursor;

    assert(e == &c->e);
    enter_batch(c);
    if (!c->columns[i] || c->columns[i]->loaded != c->batch) {
        PQ_TRY(load(c, i));
    }
    *out = c->columns[i];
    return PQ_OK;
}

static int column_error(PqextCursor *c, sqlite3_context *ctx)
{
    int rc = c->e.rc == PQ_STOPPED ? SQLITE_INTERRUPT : SQLITE_ERROR;

    pqext_result_error(ctx, &c->e);
    pq_err_clear(&c->e);
    pq_where_reset(&c->e);
    return rc;
}

/* How a value that is made row by row is handed out. */
typedef enum Form {
    AS_IT_IS,
    WITH_TWIN,                       /* JSON of a VARIANT: variant_of_text.h           */
    AS_BLOB                          /* a VARIANT that a copy passes on     */
} Form;

/* Does the text ask for Variants: is there the name of a function that takes one?
** All of these names have "variant_" or "_variant" in them. */
static bool names_variants(const char *sql, const void *arg)
{
    static const char word[] = "variant";
    const int n = sizeof word - 1;

    (void)arg;
    for (const char *at = sql; *at; at++) {
        if (sqlite3_strnicmp(at, word, n) == 0 &&
            (at[n] == '_' || (at > sql && at[-1] == '_'))) {
            return true;
        }
    }
    return false;
}

static Form form_of(PqextCursor *c, int i)
{
    const PqextTable *t = c->table;
    const PqColumn *column = &t->table->columns[i];

    if (column->kind != PQ_COLUMN_NODE ||
        column->node->kind != PQ_NODE_VARIANT || column->as_blob ||
        t->values.variant_blob) {
        return AS_IT_IS;
    }
    if (c->twins < 0) {
        c->twins = pqsql_twins_wanted(t->host->twins) ||
                   pqsql_text_anywhere(t->host->db, t->schema, names_variants,
                                       NULL);
    }
    return c->twins == 0 ? AS_IT_IS
           : pqsql_twins_passes(t->host->twins, t->schema, t->name,
                                column->name, c->listing->compiled)
               ? AS_BLOB : WITH_TWIN;
}

static PqRc result_row(PqextCursor *c, sqlite3_context *ctx, int i)
{
    PqsqlColumn *column = c->columns[i];
    Form form = form_of(c, i);

    if (form == AS_BLOB) {
        return pqsql_column_result_blob(column, c->scan, ctx, c->row, &c->e);
    }
    PQ_TRY(pqsql_column_text_row(column, c->row, &c->e));
    if (form == WITH_TWIN) {
        return pqsql_column_result_twin(column, c->scan, c->table->host->twins,
                                        ctx, c->row, &c->e);
    }
    column->get(ctx, column, c->row);
    return PQ_OK;
}

/* A cast has failed in some row of the batch.  SQLite may never read that row,
** so only the value of the current row is loaded. */
static PQ_COLD bool load_one_row(PqextCursor *c, uint32_t i)
{
    PqRc rc;

    if (c->e.rc != PQ_USAGE || !pq_scan_casts(c->scan, i)) {
        return false;
    }
    pq_err_clear(&c->e);
    pq_scan_cast_only(c->scan, (int32_t)c->row);
    rc = load(c, i);
    pq_scan_cast_only(c->scan, -1);
    if (rc == PQ_OK) {               /* the next row is loaded again */
        c->columns[i]->loaded = c->columns[i]->batch = 0;
    }
    return rc == PQ_OK;
}

/* Called when a column of the batch is asked for the first time.  Called every
** time for a column that is made row by row, is the same for all rows of a
** group, or does not come from pages. */
static PQ_COLD int slow_column(PqextCursor *c, sqlite3_context *ctx, int i)
{
    PqsqlColumn *column = c->columns[i];

    if (!pqext_is_of_pages(&c->table->table->columns[i])) {
        return result_own(c, ctx, i) == PQ_OK ? SQLITE_OK
                                              : column_error(c, ctx);
    }
    if (!column || column->loaded != c->batch) {
        pqext_timer_enter(&c->timer);
        if (load(c, (uint32_t)i) != PQ_OK && !load_one_row(c, (uint32_t)i)) {
            return column_error(c, ctx);
        }
        pqext_timer_leave(&c->timer, true);
        column = c->columns[i];
    }
    if (column->by_row) {
        enter_column(c, i);
        return result_row(c, ctx, i) == PQ_OK ? SQLITE_OK
                                              : column_error(c, ctx);
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}

int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    PqextCursor *c = (PqextCursor *)cursor;
    const PqsqlColumn *column = c->columns[i];

    if (PQ_UNLIKELY(!column || column->batch != c->batch)) {
        return slow_column(c, ctx, i);
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}
