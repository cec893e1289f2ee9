/*
** cursor_scan.c - a scan, made once for a plan: opened, begun, and its columns.
*/
#include "ext/cursor/cursor_scan.h"

#include "sql/statement_text.h"
#include "sql/token.h"

#include <assert.h>

PqScanOptions pqext_scan_options(const PqextScan *s, bool counts)
{
    const PqextOptions *o = &s->table->options;

    return (PqScanOptions){
        .memory = pq_mem_limit_of(o->memory),
        .checksum = o->checksum != 0,
        /* Bounds in a log do not tell the unit of a file's timestamps. */
        .distrust = (unsigned)o->distrust | (o->timestamp == PQSQL_TIME_RAW ? 1u << PQ_BY_LOG : 0),
        .threads = o->threads < 0 ? pq_pool_spare_processors()
                                  : (unsigned)o->threads,
        .if_faster = o->threads < 0,
        .rows_only = counts,
        .stop = {pqext_host_stop, s->table->host},
        .name = s->table->name,
        .plan = s->text,
    };
}

PqRc pqext_scan_open(PqextScan *s, const PqScanOptions *options)
{
    if (!s->columns) {
        size_t n = (s->table->n_columns + 1) * sizeof *s->columns;

        s->columns = sqlite3_malloc64(n);
        if (!s->columns) {
            return pq_fail(&s->e, PQ_NOMEM, "out of memory");
        }
        memset(s->columns, 0, n);
    }
    s->scan_counts = options->rows_only;
    return pq_scan_new(s->table->table, &s->listing->list, options, &s->scan,
                       &s->e);
}

/* A name of a column, or the star that stands for all. */
static bool names_column(const char *sql, const void *name)
{
    PqSlice wanted = pq_slice_text(name);
    PqsqlToken t = {0}, before;

    do {
        before = t;
        t = pqsql_next_token(&sql);
        if ((pqsql_is_name(t) && pqsql_names(t, wanted)) ||
            (pqsql_is_sign(t, '*') &&
             (pqsql_is_word(before, "SELECT") || pqsql_is_word(before, "DISTINCT") ||
              pqsql_is_sign(before, ',') || pqsql_is_sign(before, '.')))) {
            return true;
        }
    } while (t.n > 0);
    return false;
}

/* SQLite says of the columns from 63 on whether any is used, so one of a server is
** asked for if a text names it. */
static PqRc find_late(PqextScan *s)
{
    const PqTable *t = s->table->table;

    if (s->late || !(s->plan->columns >> 63) || t->n_columns < 64 ||
        !pq_listing_is_far(&s->listing->list, 0)) {
        return PQ_OK;
    }
    s->late = sqlite3_malloc64((t->n_columns - 63) * sizeof *s->late);
    if (!s->late) {
        return pq_fail(&s->e, PQ_NOMEM, "out of memory");
    }
    for (uint32_t i = 63; i < t->n_columns; i++) {
        s->late[i - 63] = pqsql_text_anywhere(s->table->host->db, s->table->schema,
                                              names_column, t->columns[i].name);
    }
    return PQ_OK;
}

bool pqext_scan_suits(const PqextScan *s)
{
    return s->scan && s->scan_counts == s->plan->no_columns;
}

PqRc pqext_scan_need(PqextScan *s)
{
    PqScanOptions options;

    if (pqext_scan_suits(s)) {
        return PQ_OK;
    }
    pqext_scan_forget(s);
    options = pqext_scan_options(s, s->plan->no_columns);
    if (!s->listing->lookup) {
        PQ_TRY(pq_lookup_new(options.memory, &s->listing->lookup, &s->e));
    }
    options.lookup = s->listing->lookup;
    options.columns = s->plan->columns;
    PQ_TRY(find_late(s));
    options.late = s->late;
    return pqext_scan_open(s, &options);
}

static void forget_columns(PqextScan *s)
{
    for (uint32_t i = 0; s->columns && i < s->table->n_columns; i++) {
        pqsql_column_free(s->columns[i]);
        s->columns[i] = NULL;
    }
}

void pqext_scan_init(PqextScan *s, PqextTable *t)
{
    *s = (PqextScan){.table = t, .like_is_builtin = -1, .beside_outer = -1,
                     .settled = -1};
    pq_err_init(&s->e);
    pq_arena_init(&s->arena, t->host->engine->mem);
}

void pqext_scan_forget(PqextScan *s)
{
    if (s->scan) {
        pq_scan_used(s->scan, &s->timer.use);
    }
    s->timer = (PqextTimer){0};
    forget_columns(s);
    pq_scan_free(s->scan);
    s->scan = NULL;
}

void pqext_scan_reset(PqextScan *s)
{
    pqext_scan_forget(s);
    pq_arena_free(&s->arena);
    pqext_listing_release(s->listing);
    sqlite3_free(s->columns);
    sqlite3_free(s->late);
}

/* ---- scanning ---------------------------------------------------------- */

/* Columns are made for a file, and loaded for a batch. */
void pqext_scan_enter_batch(PqextScan *s)
{
    s->batch = pq_scan_batch(s->scan)->serial;
    if (s->file_serial != pq_scan_file_serial(s->scan)) {
        s->file_serial = pq_scan_file_serial(s->scan);
        forget_columns(s);
    }
}

PqRc pqext_scan_proofs(PqextScan *s, const PqRowRange *ranges, uint32_t n)
{
    PQ_TRY(pq_scan_start(s->scan, ranges, n, pqext_scan_skips, s, &s->e));
    for (uint32_t k = 0; k < s->n_conditions; k++) {
        if (pqext_condition_proves(&s->conditions[k])) {
            PQ_TRY(pq_scan_add_proof(s->scan, &s->conditions[k].base.proof,
                                     &s->e));
        }
    }
    for (uint32_t k = 0; k < s->n_geos && s->table->options.trust_stats; k++) {
        if (s->geos[k].base.proof.refutes_box) {
            PQ_TRY(pq_scan_add_proof(s->scan, &s->geos[k].base.proof, &s->e));
        }
    }
    return PQ_OK;
}

PqRc pqext_scan_filters(PqextScan *s)
{
    for (uint32_t k = 0; k < s->n_geos; k++) {
        PQ_TRY(pq_scan_add_filter(s->scan, &s->geos[k].base.filter, &s->e));
    }
    for (uint32_t k = 0; k < s->n_conditions; k++) {
        PQ_TRY(pq_scan_add_filter(s->scan, &s->conditions[k].base.filter,
                                  &s->e));
    }
    return PQ_OK;
}

PqRc pqext_scan_begin(PqextScan *s, const PqRowRange *ranges, uint32_t n)
{
    PQ_TRY(pqext_scan_proofs(s, ranges, n));
    return pqext_scan_filters(s);
}

/* ---- columns ----------------------------------------------------------- */

PqRc pqext_scan_load_now(PqextScan *s, uint32_t i)
{
    const PqColumn *column = &s->table->table->columns[i];
    const PqNode *node = pq_scan_node(s->scan, i);
    PqsqlOptions values = s->table->values;

    pq_scan_at_column(s->scan, i, &s->e);
    values.variant_blob = values.variant_blob || column->as_blob;
    values.wkb_of = column->as_wkb && node ? pq_table_encoding(column, node)
                                           : PQ_GEO_AS_WKB;
    values.as = column->node;
    if (!s->columns[i]) {
        PQ_TRY(pqsql_column_new(pq_scan_mem(s->scan), node, &column->type,
                                &values, &s->columns[i], &s->e));
    }
    PQ_TRY(pqsql_column_load(s->columns[i], s->scan, &s->e));
    s->columns[i]->loaded = s->batch;
    s->columns[i]->batch = s->columns[i]->by_row ? 0 : s->batch;
    pq_where_reset(&s->e);
    return PQ_OK;
}

/* Filters ask for columns before take_batch. */
PqRc pqext_scan_load(void *scan, uint32_t i, PqsqlColumn **out, PqErr *e)
{
    PqextScan *s = scan;

    assert(e == &s->e);
    pqext_scan_enter_batch(s);
    if (!s->columns[i] || s->columns[i]->loaded != s->batch) {
        PQ_TRY(pqext_scan_load_now(s, i));
    }
    *out = s->columns[i];
    return PQ_OK;
}

PqRc pqext_scan_cell(PqextScan *s, uint32_t column, uint32_t row, PqCell *out,
                     PqErr *e)
{
    const PqColumn *c = &s->table->table->columns[column];
    PqsqlColumn *of;
    int64_t n;

    if (pq_column_is_of_pages(c)) {
        PQ_TRY(pqext_scan_load(s, column, &of, e));
        return pqsql_column_cell(of, pqsql_column_cells(of), row, out, e);
    }
    switch (c->kind) {
    case PQ_COLUMN_FILE_ROW:
        *out = pq_cell_int(pq_scan_row_in_file(s->scan, row));
        break;
    case PQ_COLUMN_ROW_GROUP:
        *out = pq_cell_int(pq_scan_row_group(s->scan, row));
        break;
    case PQ_COLUMN_ORDINAL:
        PQ_TRY(pq_scan_ordinal(s->scan, c->level, row, &n, e));
        *out = n >= 0 ? pq_cell_int(n) : (PqCell){.kind = PQ_CELL_NULL};
        break;
    default:                         /* grouped rows may be of several files */
        n = pq_batch_rowid(pq_scan_batch(s->scan), row) >> PQ_ROWID_SHIFT;
        *out = pqext_file_value(s->listing, s->table->table, column,
                                (uint32_t)n, NULL);
        if (c->kind == PQ_COLUMN_FILE_INDEX) {
            PQ_TRY(pqext_listing_number(s->listing, &out->i, e));
        }
        break;
    }
    return PQ_OK;
}
