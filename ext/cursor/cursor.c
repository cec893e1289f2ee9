/*
** cursor.c - xFilter to xColumn: a scan, its batches, and rows out of them.
**
** xNext is an increment until the batch is used up.  xColumn looks whether the
** column of this batch is loaded, and calls its getter.  Everything else
** happens once per batch, or per file.
**
** The hard part is xFilter, which a join calls for each row of the other table.
** What does not depend on the operands is made once: the scan (need_scan), the
** index of a join key (cursor_join.c).  The rows of a call come from a source
** (core/scan/row_source.h), which the plan chooses (start).
*/
#include "ext/cursor/cursor.h"
#include "sql/statement_text.h"

#include <assert.h>

PqextCursor *pqext_cursor_new(PqextTable *t)
{
    PqextCursor *c = sqlite3_malloc(sizeof *c);

    if (c) {
        memset(c, 0, sizeof *c);
        pqext_scan_init(&c->s, t);
        c->twins = -1;
    }
    return c;
}

static PqRc begin_cursor(PqextCursor *c)
{
    PqextTable *t = c->s.table;

    return t->own ? t->own->begin(c, &c->s.e) : pqext_listing_begin(t, &c->s.listing, &c->s.e);
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
        int rc = pqext_error(&c->s.e, &vtab->zErrMsg);

        pqext_cursor_free(c);
        return rc;
    }
    t->host->opened = c;
    t->host->compiled = NULL;
    *out = &c->base;
    return SQLITE_OK;
}

/* Counts the rows given so far: all of the batch, or those up to the current
** one. */
static void count_given(PqextCursor *c)
{
    c->s.timer.use.rows += c->at < c->n_rows ? c->at + 1 : c->n_rows;
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
    if (c->s.scan) {
        pq_scan_drop_terms(c->s.scan);
    }
}

void pqext_cursor_forget(PqextCursor *c)
{
    pqext_cursor_end_call(c);
    pq_distinct_free(c->distinct);
    c->distinct = NULL;
    pqext_join_forget(&c->join);
    pqext_scan_forget(&c->s);
}

void pqext_cursor_free(PqextCursor *c)
{
    while (c) {
        PqextCursor *next = c->aside;

        if (c->s.table->own) {
            c->s.table->own->free(c);
        }
        pqext_cursor_forget(c);
        pqext_scan_reset(&c->s);
        sqlite3_free(c);
        c = next;
    }
}

int pqext_close(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;
    PqextHost *h = c->s.table->host;

    if (h->opened && h->opened != c && h->opened->s.table == c->s.table) {
        pqext_cursor_inherit(h->opened, c);
    }
    h->opened = NULL;
    pqext_cursor_free(c);
    return SQLITE_OK;
}

/* Ends a call with the error, which is then clear. */
static int report(PqextCursor *c)
{
    int rc = pqext_error(&c->s.e, &c->s.table->base.zErrMsg);

    pq_err_clear(&c->s.e);
    pq_where_reset(&c->s.e);
    c->n_rows = 0;
    return rc;
}

/* ---- scanning ---------------------------------------------------------- */

static void forget(void *cursor)
{
    pqext_cursor_forget(cursor);
}

static PqRc need_scan(PqextCursor *c, sqlite3_value **argv)
{
    pqext_cursor_end_call(c);
    PQ_TRY(pqext_scan_need_files(&c->s, argv, forget, c));
    if (!pqext_scan_suits(&c->s)) {
        pqext_cursor_forget(c);
    }
    return pqext_scan_need(&c->s);
}

/* Rows are now given from the batch of the source. */
static void take_batch(PqextCursor *c)
{
    const PqBatch *b = c->source->batch;

    pqext_host_sqlite_ran(c->s.table->host);
    if (c->s.scan) {
        pqext_scan_enter_batch(&c->s);
    }
    c->n_rows = b->n_kept;
    c->kept = b->kept;
    c->row = c->kept ? c->kept[0] : 0;
}

static PqRc next_batch(PqextCursor *c)
{
    bool more;

    count_given(c);
    pq_where_reset(&c->s.e);
    PQ_TRY(c->source->next(c->source, &more, &c->s.e));
    if (more) {
        take_batch(c);
    }
    return PQ_OK;
}

/* Gives the rows as they lie, or those that the index of a key knows. */
static PqRc start_scan(PqextCursor *c, sqlite3_value **argv)
{
    PQ_TRY(pqext_join_begin(c, argv));
    PQ_TRY(pqext_scan_begin(&c->s, c->s.ranges, c->s.n_ranges));
    if (c->join.picking) {
        c->source = pqext_join_rows(c);
        return PQ_OK;
    }
    if (c->s.plan->distinct < 0) {
        c->source = pq_scan_rows(c->s.scan);
        return PQ_OK;
    }
    if (!c->distinct) {
        PQ_TRY(pq_distinct_new(c->s.scan, &c->distinct, &c->s.e));
    }
    return pq_distinct_begin(c->distinct, (uint32_t)c->s.plan->distinct,
                             &c->source, &c->s.e);
}

static PqRc start(PqextCursor *c, sqlite3_value **argv)
{
    const PqextPlan *p = c->s.plan;

    PQ_TRY(pqext_join_again(c, argv));
    if (pqext_join_is_all(c)) {
        c->source = pqext_join_rows(c);
        return PQ_OK;
    }
    PQ_TRY(pqext_scan_terms(&c->s, argv));
    pqext_notice_text(&c->s);
    return pqext_finds_first(c) ? pqext_rows_in_order(c, &c->source)
           : p->groups.n > 0    ? pqext_rows_in_groups(c, &c->source)
           : p->files.n > 0     ? pqext_rows_by_file(c, &c->source)
                                : start_scan(c, argv);
}

int pqext_filter(sqlite3_vtab_cursor *cursor, int flags, const char *text,
                 int argc, sqlite3_value **argv)
{
    PqextCursor *c = (PqextCursor *)cursor;

    pqext_host_sqlite_ran(c->s.table->host);
    c->s.table->host->opened = NULL;
    if (c->rollup) {
        return c->s.table->own->filter(c, text, argv) == PQ_OK &&
                       next_batch(c) == PQ_OK
                   ? SQLITE_OK : report(c);
    }
    pqext_cursor_switch_to(c, text);
    assert((int)c->s.plan->n_terms == argc);
    if (need_scan(c, argv) != PQ_OK) {
        return report(c);
    }
    pqsql_twins_reads(c->s.table->host->twins, c->s.table->schema, c->s.table->name,
                      c->s.listing->compiled);
    pqext_timer_pass(&c->s.timer);
    if (start(c, argv) != PQ_OK || next_batch(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->s.timer, c->n_rows > 0);
    return SQLITE_OK;
}

int pqext_next(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;

    if (PQ_LIKELY(++c->at < c->n_rows)) {
        c->row = c->kept ? c->kept[c->at] : c->at;
        return SQLITE_OK;
    }
    pqext_timer_enter(&c->s.timer);
    if (next_batch(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->s.timer, c->n_rows > 0);
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

    PQ_TRY(c->source->tell_apart(c->source, c->row, &changed, &c->s.e));
    if (changed) {
        c->s.timer.use.rows += c->at;
        c->at = 0;
        take_batch(c);
    }
    return PQ_OK;
}

/* From the rowid in a scan to the rowid in the table, if a listing has left out files. */
static PqRc in_all_files(PqextCursor *c, int64_t *rowid)
{
    int64_t file = *rowid >> PQ_ROWID_SHIFT, row = *rowid - (file << PQ_ROWID_SHIFT);

    if (c->s.listing && c->s.listing->list.n_skipped) {
        PQ_TRY(pqext_listing_number(c->s.listing, &file, &c->s.e));
        *rowid = (file << PQ_ROWID_SHIFT) + row;
    }
    return PQ_OK;
}

int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    PqextCursor *c = (PqextCursor *)cursor;
    int64_t rowid = 0;

    if ((c->source->tell_apart && tell_apart(c) != PQ_OK) ||
        c->source->rowid(c->source, c->row, &rowid, &c->s.e) != PQ_OK ||
        in_all_files(c, &rowid) != PQ_OK) {
        return report(c);
    }
    *out = rowid;
    return SQLITE_OK;
}

/* ---- columns ----------------------------------------------------------- */

static int column_error(PqextCursor *c, sqlite3_context *ctx)
{
    int rc = c->s.e.rc == PQ_STOPPED ? SQLITE_INTERRUPT : SQLITE_ERROR;

    pqsql_result_error(ctx, &c->s.e);
    pq_err_clear(&c->s.e);
    pq_where_reset(&c->s.e);
    return rc;
}

/* How a value that is made row by row is handed out. */
typedef enum Form {
    AS_IT_IS,
    WITH_TWIN,                       /* JSON of a VARIANT: variant_of_text.h */
    AS_BLOB                          /* a VARIANT that a copy passes on      */
} Form;

/* Does the text name a function that takes Variants?  The names of all of them
** have "variant_" or "_variant" in them. */
static bool names_variants(const char *sql, const void *arg)
{
    static const char word[] = "variant";
    const int n = sizeof word - 1;

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
    const PqextTable *t = c->s.table;
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
                                column->name, c->s.listing->compiled)
               ? AS_BLOB : WITH_TWIN;
}

static PqRc result_row(PqextCursor *c, sqlite3_context *ctx, int i)
{
    PqsqlColumn *column = c->s.columns[i];
    Form form = form_of(c, i);

    if (form == AS_BLOB) {
        return pqsql_column_result_blob(column, c->s.scan, ctx, c->row, &c->s.e);
    }
    PQ_TRY(pqsql_column_text_row(column, c->row, &c->s.e));
    if (form == WITH_TWIN) {
        return pqsql_column_result_twin(column, c->s.scan, c->s.table->host->twins,
                                        ctx, c->row, &c->s.e);
    }
    column->get(ctx, column, c->row);
    return PQ_OK;
}

/* A cast has failed in some row of the batch.  SQLite may never read that row,
** so only the value of the current row is loaded. */
static PQ_COLD bool load_one_row(PqextCursor *c, uint32_t i)
{
    PqRc rc;

    if (c->s.e.rc != PQ_USAGE || !pq_scan_casts(c->s.scan, i)) {
        return false;
    }
    pq_err_clear(&c->s.e);
    pq_scan_cast_only(c->s.scan, (int32_t)c->row);
    rc = pqext_scan_load_now(&c->s, i);
    pq_scan_cast_only(c->s.scan, -1);
    if (rc == PQ_OK) {               /* the next row is loaded again */
        c->s.columns[i]->loaded = c->s.columns[i]->batch = 0;
    }
    return rc == PQ_OK;
}

/* Called when a column of the batch is asked for the first time.  Called every
** time for a column that is made row by row, is the same for all rows of a
** group, or does not come from pages. */
static PQ_COLD int slow_column(PqextCursor *c, sqlite3_context *ctx, int i)
{
    PqsqlColumn *column = c->s.columns[i];
    PqCell v;

    if (!pq_column_is_of_pages(&c->s.table->table->columns[i])) {
        if (pqext_scan_cell(&c->s, (uint32_t)i, c->row, &v, &c->s.e) != PQ_OK) {
            return column_error(c, ctx);
        }
        pqsql_result_cell(ctx, &v);
        return SQLITE_OK;
    }
    if (!column || column->loaded != c->s.batch) {
        pqext_timer_enter(&c->s.timer);
        if (pqext_scan_load_now(&c->s, (uint32_t)i) != PQ_OK && !load_one_row(c, (uint32_t)i)) {
            return column_error(c, ctx);
        }
        pqext_timer_leave(&c->s.timer, true);
        column = c->s.columns[i];
    }
    if (column->by_row) {
        pq_scan_at_column(c->s.scan, (uint32_t)i, &c->s.e);
        return result_row(c, ctx, i) == PQ_OK ? SQLITE_OK
                                              : column_error(c, ctx);
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}

int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    PqextCursor *c = (PqextCursor *)cursor;
    const PqsqlColumn *column = c->s.columns[i];

    if (PQ_UNLIKELY(!column || column->batch != c->s.batch)) {
        return slow_column(c, ctx, i);
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}
