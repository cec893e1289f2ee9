/*
** summary_read.c - scans for columns, and the ways of summary_read.h.
*/
#include "ext/functions/summary_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCAN_MEMORY = 256 << 20, EXACT_DIGITS = 15, DAY = 86400 };

static const PqsqlOptions usual = {0};

/* ---- which way ------------------------------------------------------------- */

static PqextSummaryWay way_of_leaf(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_DECIMAL:
        return t->physical != PQ_INT32 && t->physical != PQ_INT64
                   ? (t->scale ? PQEXT_SUMMARY_MADE : PQEXT_SUMMARY_CELLS)
               : t->scale == 0 || t->precision <= EXACT_DIGITS
                   ? PQEXT_SUMMARY_STORED : PQEXT_SUMMARY_MADE;
    case PQ_TYPE_UUID:
    case PQ_TYPE_INTERVAL:
    case PQ_TYPE_FLOAT16:
        return PQEXT_SUMMARY_MADE;
    case PQ_TYPE_UNKNOWN:
        return PQEXT_SUMMARY_NULLS;
    default:
        return pq_type_is_time96(t) || t->physical == PQ_INT96
                   ? PQEXT_SUMMARY_MADE : PQEXT_SUMMARY_STORED;
    }
}

static PqextSummaryWay way_of(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_HIVE       ? PQEXT_SUMMARY_FILES
           : c->kind != PQ_COLUMN_NODE     ? PQEXT_SUMMARY_CELLS
           : c->node->kind != PQ_NODE_LEAF ? PQEXT_SUMMARY_NULLS
                                           : way_of_leaf(&c->type);
}

static PqSummaryForm form_of(const PqColumn *c, PqextSummaryWay way)
{
    if (way == PQEXT_SUMMARY_FILES) {
        return c->hive_type == PQ_HIVE_INTEGER ? PQ_SUMMARY_INTS
               : c->hive_type == PQ_HIVE_REAL  ? PQ_SUMMARY_REALS
                                               : PQ_SUMMARY_BYTES;
    }
    if (way == PQEXT_SUMMARY_MADE) {
        return c->type.logical == PQ_TYPE_DECIMAL ||
                       c->type.logical == PQ_TYPE_FLOAT16
                   ? PQ_SUMMARY_REALS : PQ_SUMMARY_BYTES;
    }
    if (way == PQEXT_SUMMARY_STORED) {
        switch (c->type.physical) {
        case PQ_FLOAT:
        case PQ_DOUBLE:
            return PQ_SUMMARY_REALS;
        case PQ_BYTE_ARRAY:
        case PQ_FIXED:
            return PQ_SUMMARY_BYTES;
        default:
            return PQ_SUMMARY_INTS;
        }
    }
    return PQ_SUMMARY_BYTES;
}

/* Have values a mean?  Numbers do, dates and texts do not. */
static bool is_number(const PqType *t)
{
    return t->logical == PQ_TYPE_NONE || t->logical == PQ_TYPE_INT ||
           t->logical == PQ_TYPE_DECIMAL || t->logical == PQ_TYPE_FLOAT16;
}

static PqRc begin_column(PqextSummaryRead *r, PqextSummaryColumn *v,
                         PqextSummaryWay way, PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];
    unsigned want = way == PQEXT_SUMMARY_NULLS ? 0 : r->want;

    if (way != PQEXT_SUMMARY_CELLS && c->kind == PQ_COLUMN_NODE &&
        !is_number(&c->type)) {
        want &= ~(unsigned)PQ_SUMMARY_MOMENTS;
    }
    pqext_summary_column_free(v);
    v->way = way;
    v->again = false;
    pq_arena_init(&v->bytes, r->mem);
    return pq_summary_new(r->mem, form_of(c, way), want, &r->stop, &v->summary,
                          e);
}

void pqext_summary_column_free(PqextSummaryColumn *v)
{
    pq_summary_free(v->summary);
    pqsql_column_free(v->values);
    pq_arena_free(&v->bytes);
    v->summary = NULL;
    v->values = NULL;
}

/* ---- cells ------------------------------------------------------------------- */

enum { CELL_NUMBER = 1, CELL_TEXT, CELL_BLOB, NUMBER_BYTES = 17 };

static const uint64_t sign = UINT64_C(1) << 63;

/* The integer that a REAL of -2^63 to 2^63 is, modulo 2^64. */
static uint64_t whole(double r)
{
    return r >= 0x1p63 ? sign : (uint64_t)(int64_t)r;
}

/* A number is the nearest REAL, and for an integer the rest beyond it. */
static void number_bytes(const PqCell *cell, uint8_t *p)
{
    double r = pq_cell_double(cell);
    uint64_t rest =
        cell->kind == PQ_CELL_REAL ? 0 : (uint64_t)cell->i - whole(r);

    p[0] = CELL_NUMBER;
    pq_store_u64_be(p + 1, (uint64_t)pq_ranks_of_real(r) ^ sign);
    pq_store_u64_be(p + 9, rest ^ sign);
}

/* The bytes of a value that is not NULL, in the order of SQLite's values. */
static PqRc cell_bytes(PqextSummaryColumn *v, const PqCell *cell, PqStr *out,
                       double *number, PqErr *e)
{
    bool is_number = pq_cell_is_number(cell);
    size_t n = is_number ? NUMBER_BYTES : (size_t)cell->n + 1;
    uint8_t *p = pq_arena_bytes(&v->bytes, n, e);

    if (!p) {
        return e->rc;
    }
    *out = (PqStr){.p = p, .n = (uint32_t)n};
    if (is_number) {
        number_bytes(cell, p);
        *number = pq_cell_double(cell);
        v->saw_real = v->saw_real || cell->kind == PQ_CELL_REAL;
        v->saw_int = v->saw_int || cell->kind == PQ_CELL_INT;
        return PQ_OK;
    }
    *p = cell->kind == PQ_CELL_TEXT ? CELL_TEXT : CELL_BLOB;
    if (cell->n) {
        memcpy(p + 1, cell->p, cell->n);
    }
    v->saw_bytes = true;
    return PQ_OK;
}

static PqRc read_cells(PqextSummaryColumn *v, uint32_t n, PqErr *e)
{
    PqsqlCellOf of = pqsql_column_cells(v->values);
    double numbers[PQ_BATCH_ROWS];
    PqStr bytes[PQ_BATCH_ROWS];
    uint32_t k = 0;
    PqCell cell;

    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pqsql_column_cell(v->values, of, i, &cell, e));
        if (cell.kind != PQ_CELL_NULL) {
            PQ_TRY(cell_bytes(v, &cell, &bytes[k], &numbers[k], e));
            k++;
        }
    }
    pq_summary_nulls(v->summary, n - k);
    if (!v->saw_bytes) {
        pq_summary_moments_of(v->summary, numbers, k);
    }
    PQ_TRY(pq_summary_bytes(v->summary, bytes, NULL, k, e));
    pq_arena_reset(&v->bytes);
    return PQ_OK;
}

static void give_cell(const PqextSummaryColumn *v, PqStr b,
                      sqlite3_context *ctx)
{
    uint64_t rest;
    double r;

    if (b.p[0] == CELL_TEXT) {
        pqsql_result_text(ctx, b.p + 1, b.n - 1);
        return;
    }
    if (b.p[0] == CELL_BLOB) {
        sqlite3_result_blob64(ctx, b.p + 1, b.n - 1, SQLITE_TRANSIENT);
        return;
    }
    r = pq_ranks_to_real((int64_t)(pq_load_u64_be(b.p + 1) ^ sign));
    rest = pq_load_u64_be(b.p + 9) ^ sign;
    /* If both occur, reals are the numbers that are too large for an integer.
    ** The largest integers are nearest to 2^63, and less. */
    if (v->saw_real && (!v->saw_int || (fabs(r) >= 0x1p63 && rest == 0))) {
        sqlite3_result_double(ctx, r);
    } else {
        sqlite3_result_int64(ctx, (int64_t)(whole(r) + rest));
    }
}

/* ---- a batch ------------------------------------------------------------------ */

/* Makes the values that SQLite is given, for the file of the batch. */
static PqRc load_values(PqextSummaryRead *r, PqextSummaryColumn *v,
                        PqScan *scan, const PqNode *node, PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];

    if (!v->values) {
        PQ_TRY(pqsql_column_new(pq_scan_mem(scan), node, &c->type, &usual,
                                &v->values, e));
    }
    return pqsql_column_load(v->values, scan, e);
}

static PqRc read_made(PqextSummaryColumn *v, uint32_t n, PqErr *e)
{
    const PqsqlColumn *c = v->values;
    PqsqlArray array = pqsql_column_array(c);

    if (c->ids) {                    /* of a dictionary without entries */
        pq_summary_nulls(v->summary, n);
    } else if (array == PQSQL_DOUBLES) {
        return pq_summary_reals(v->summary, c->values, c->valid, n, e);
    } else if (array == PQSQL_TEXTS) {
        return pq_summary_bytes(v->summary, c->values, c->valid, n, e);
    } else {
        v->again = true;
    }
    return PQ_OK;
}

/* Nulls of a node by the levels of its first leaf. */
static PqRc count_nulls(PqextSummaryColumn *v, PqScan *scan,
                        const PqNode *node, uint32_t n, PqErr *e)
{
    const PqVector *vector;
    uint64_t nulls = 0;

    if (node->n_leaves == 0) {
        return PQ_OK;
    }
    if (node->kind == PQ_NODE_LEAF) {            /* of the type NULL */
        pq_summary_nulls(v->summary, n);
        return PQ_OK;
    }
    pq_scan_keep_levels(scan, node->first_leaf);
    PQ_TRY(pq_scan_vector(scan, node->first_leaf, &vector, e));
    for (uint32_t i = 0; vector->def && i < vector->n_slots; i++) {
        nulls += (!vector->rep || vector->rep[i] == 0) &&
                 vector->def[i] < node->def_present;
    }
    pq_summary_nulls(v->summary, nulls);
    return PQ_OK;
}

/* A text is NULL where its Variant is, so the text has to be made to know. */
static PqRc count_null_cells(PqextSummaryColumn *v, uint32_t n, PqErr *e)
{
    PqsqlCellOf of = pqsql_column_cells(v->values);
    uint64_t nulls = 0;
    PqCell cell;

    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pqsql_column_cell(v->values, of, i, &cell, e));
        nulls += cell.kind == PQ_CELL_NULL;
    }
    pq_summary_nulls(v->summary, nulls);
    return PQ_OK;
}

/* A REAL, several times; NaN is NULL. */
static PqRc read_file_real(PqextSummaryColumn *v, double r, uint32_t n, PqErr *e)
{
    double some[64];

    if (isnan(r)) {
        pq_summary_nulls(v->summary, n);
        return PQ_OK;
    }
    for (size_t i = 0; i < PQ_COUNT(some); i++) {
        some[i] = r;
    }
    for (uint32_t k; n > 0; n -= k) {
        k = n < PQ_COUNT(some) ? n : (uint32_t)PQ_COUNT(some);
        PQ_TRY(pq_summary_reals(v->summary, some, NULL, k, e));
    }
    return PQ_OK;
}

static PqRc read_file_value(PqextSummaryRead *r, PqextSummaryColumn *v,
                            const PqBatch *b, PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];
    const PqListing *l = r->listing;
    const PqHiveValue *value = NULL;

    for (uint32_t k = 0; k < l->n_folder_columns; k++) {
        if (strcmp(l->folder_columns[k], c->folder_column) == 0) {
            value = &l->files[b->file].hive[k];
        }
    }
    if (!value || !value->text) {
        pq_summary_nulls(v->summary, b->n_rows);
        return PQ_OK;
    }
    if (c->hive_type == PQ_HIVE_INTEGER) {
        return pq_summary_int_times(v->summary, value->integer, b->n_rows, e);
    }
    if (c->hive_type == PQ_HIVE_REAL) {
        return read_file_real(v, value->real, b->n_rows, e);
    }
    return pq_summary_bytes_times(
        v->summary, (PqStr){.p = (const uint8_t *)value->text,
                            .n = (uint32_t)strlen(value->text)}, b->n_rows, e);
}

/* Is a key of the column missing in the file? */
static bool is_locked(PqextSummaryColumn *v, PqScan *scan, const PqNode *node)
{
    const PqFileLocks *locks = pq_scan_footer(scan)->locks;

    for (uint32_t i = 0; locks && i < node->n_leaves; i++) {
        const PqLeaf *leaf = &pq_scan_footer(scan)->schema.leaves[node->first_leaf + i];
        const PqLock *lock = leaf->column == UINT32_MAX ? NULL
                                                        : pq_leaf_lock(locks, leaf->column);

        if (lock && !lock->key) {
            snprintf(v->note, sizeof v->note, "encrypted: %s is missing",
                     lock->wants ? lock->wants : "a key");
            return true;
        }
    }
    return false;
}

static PqRc read_batch(PqextSummaryRead *r, PqextSummaryColumn *v, PqScan *scan,
                       bool new_file, PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];
    const PqBatch *b = pq_scan_batch(scan);
    const PqVector *vector;
    const PqNode *node;

    if (v->way == PQEXT_SUMMARY_FILES) {
        return read_file_value(r, v, b, e);
    }
    node = pq_scan_node(scan, v->column);
    if (new_file) {
        pqsql_column_free(v->values);
        v->values = NULL;
        if (node && is_locked(v, scan, node)) {
            return PQ_OK;
        }
        v->again = v->again || (node && v->way != PQEXT_SUMMARY_CELLS &&
                                v->way != PQEXT_SUMMARY_NULLS &&
                                !pq_type_equal(&node->type, &c->type));
    }
    if (v->again || v->note[0]) {
        return PQ_OK;
    }
    e->where.file = pq_scan_path(scan);
    e->where.row_group = (int)b->group;
    e->where.column = c->name;
    if (!node) {
        pq_summary_nulls(v->summary, b->n_rows);
        return PQ_OK;
    }
    if (v->way == PQEXT_SUMMARY_NULLS && node->kind != PQ_NODE_VARIANT) {
        return count_nulls(v, scan, node, b->n_rows, e);
    }
    if (v->way == PQEXT_SUMMARY_STORED) {
        PQ_TRY(pq_scan_vector(scan, (uint32_t)node->leaf, &vector, e));
        return pq_summary_vector(v->summary, vector, e);
    }
    PQ_TRY(load_values(r, v, scan, node, e));
    return v->way == PQEXT_SUMMARY_NULLS  ? count_null_cells(v, b->n_rows, e)
           : v->way == PQEXT_SUMMARY_MADE ? read_made(v, b->n_rows, e)
                                          : read_cells(v, b->n_rows, e);
}

/* ---- all batches -------------------------------------------------------------- */

/* The last batch of a row group: dictionaries go.  If rows are deleted, any batch may be
** the last. */
static PqRc end_group(const PqListing *l, PqextSummaryColumn *v, uint32_t n, PqScan *scan,
                      PqErr *e)
{
    const PqBatch *b = pq_scan_batch(scan);
    const PqFooter *f = pq_scan_footer(scan);

    if (b->group_row + b->n_rows < f->groups[b->group].num_rows && !pq_listing_has_deletes(l)) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pq_summary_end_chunk(v[i].summary, e));
    }
    return PQ_OK;
}

static PqRc read_all(PqextSummaryRead *r, PqextSummaryColumn *v, uint32_t n,
                     PqScan *scan, PqErr *e)
{
    uint64_t serial = 0;
    bool more;

    r->n_rows = 0;
    for (;;) {
        pq_where_reset(e);
        PQ_TRY(pq_scan_next(scan, &more, e));
        if (!more) {
            return PQ_OK;
        }
        r->n_rows += pq_scan_batch(scan)->n_rows;
        for (uint32_t i = 0; i < n; i++) {
            PQ_TRY(read_batch(r, &v[i], scan,
                              serial != pq_scan_file_serial(scan), e));
        }
        serial = pq_scan_file_serial(scan);
        PQ_TRY(end_group(r->listing, v, n, scan, e));
    }
}

/* Are all pages skipped?  Then a batch can be a whole row group. */
static bool of_files_only(const PqextSummaryRead *r,
                          const PqextSummaryColumn *v, uint32_t n)
{
    uint32_t i;

    for (i = 0; i < n && v[i].way == PQEXT_SUMMARY_FILES; i++) {
    }
    return !r->reads || i == n;
}

static PqRc scan_columns(PqextSummaryRead *r, PqextSummaryColumn *v, uint32_t n,
                         PqErr *e)
{
    PqScanOptions options = {.memory = SCAN_MEMORY, .checksum = true,
                             .threads = pq_pool_spare_processors(), .if_faster = true,
                             .rows_only = of_files_only(r, v, n),
                             .stop = r->stop, .name = "parquet_summary"};
    PqScan *scan = NULL;
    PqRc rc;

    PQ_GO(pq_scan_new(r->table, r->listing, &options, &scan, e));
    PQ_GO(pq_scan_start(scan, NULL, 0, NULL, NULL, e));
    PQ_GO(read_all(r, v, r->reads ? n : 0, scan, e));
done:
    for (uint32_t i = 0; i < n; i++) {           /* of the scan's memory */
        pqsql_column_free(v[i].values);
        v[i].values = NULL;
    }
    pq_scan_free(scan);
    return rc;
}

/* Did the stored values have the order of the shown values? */
static bool was_right(const PqColumn *c, const PqSummaryResult *s)
{
    int64_t per_second = pq_unit_per_second(c->type.unit), low, high;

    if (!s->min.is_there) {
        return true;
    }
    switch (c->type.logical) {
    case PQ_TYPE_DATE:
        low = PQ_FIRST_DAY;
        high = PQ_LAST_DAY;
        break;
    case PQ_TYPE_TIMESTAMP:
        if (c->type.unit == PQ_NANOS) {
            return true;             /* 64 bits end before */
        }
        low = PQ_FIRST_DAY * (int64_t)DAY * per_second;
        high = (PQ_LAST_DAY + INT64_C(1)) * DAY * per_second - 1;
        break;
    case PQ_TYPE_TIME:
        low = 0;
        high = DAY * per_second - 1;
        break;
    case PQ_TYPE_DECIMAL:            /* what a REAL tells apart */
        low = c->type.scale ? -(INT64_C(1) << 53) : INT64_MIN;
        high = c->type.scale ? INT64_C(1) << 53 : INT64_MAX;
        break;
    case PQ_TYPE_INT:
        low = pq_type_is_u64(&c->type) ? 0 : INT64_MIN;
        high = INT64_MAX;
        break;
    default:
        return true;
    }
    return s->min.i >= low && s->max.i <= high;
}

static PqRc finish(PqextSummaryRead *r, PqextSummaryColumn *v, PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];

    PQ_TRY(pq_summary_finish(v->summary, &v->result, e));
    if (v->way == PQEXT_SUMMARY_STORED && c->type.physical != PQ_BYTE_ARRAY &&
        c->type.physical != PQ_FIXED && !was_right(c, &v->result)) {
        v->again = true;
    }
    if (v->way == PQEXT_SUMMARY_CELLS && v->saw_bytes) {
        v->result.mean = v->result.deviation = NAN;
    }
    if (v->way == PQEXT_SUMMARY_STORED &&
        c->type.logical == PQ_TYPE_DECIMAL) {
        v->result.mean /= pow(10, c->type.scale);
        v->result.deviation /= pow(10, c->type.scale);
    }
    return PQ_OK;
}

PqRc pqext_summary_read(PqextSummaryRead *r, PqextSummaryColumn *v, uint32_t n,
                        PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(begin_column(r, &v[i], way_of(&r->table->columns[v[i].column]),
                            e));
    }
    PQ_TRY(scan_columns(r, v, n, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(finish(r, &v[i], e));
    }
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].again && !v[i].note[0]) {
            PQ_TRY(begin_column(r, &v[i], PQEXT_SUMMARY_CELLS, e));
            PQ_TRY(scan_columns(r, &v[i], 1, e));
            PQ_TRY(finish(r, &v[i], e));
        }
    }
    pq_where_reset(e);
    return PQ_OK;
}

/* ---- a value ------------------------------------------------------------------- */

static PqRc give_stored(const PqextSummaryRead *r, const PqType *type,
                        const PqSummaryValue *v, sqlite3_context *ctx,
                        PqErr *e)
{
    union { uint8_t b; int32_t i; int64_t l; float f; double d; } value;

    memset(&value, 0, sizeof value);
    switch (type->physical) {
    case PQ_BOOLEAN: value.b = (uint8_t)v->i; break;
    case PQ_INT32:   value.i = (int32_t)v->i; break;
    case PQ_FLOAT:   value.f = (float)v->r; break;
    case PQ_DOUBLE:  value.d = v->r; break;
    default:         value.l = v->i; break;
    }
    return pqsql_result_stored(ctx, r->mem, type, &value, e);
}

PqRc pqext_summary_give(const PqextSummaryRead *r, const PqextSummaryColumn *v,
                        const PqSummaryValue *value, sqlite3_context *ctx,
                        PqErr *e)
{
    const PqColumn *c = &r->table->columns[v->column];
    PqStr b = value->bytes;

    if (!value->is_there) {
        return PQ_OK;
    }
    if (v->way == PQEXT_SUMMARY_CELLS) {
        give_cell(v, b, ctx);
        return PQ_OK;
    }
    switch (form_of(c, v->way)) {
    case PQ_SUMMARY_REALS:
    case PQ_SUMMARY_INTS:
        if (v->way == PQEXT_SUMMARY_STORED) {
            return give_stored(r, &c->type, value, ctx, e);
        }
        if (form_of(c, v->way) == PQ_SUMMARY_REALS) {
            sqlite3_result_double(ctx, value->r);
        } else {                     /* FILES */
            sqlite3_result_int64(ctx, value->i);
        }
        return PQ_OK;
    default:
        if (v->way == PQEXT_SUMMARY_STORED && !pq_type_is_text(&c->type)) {
            sqlite3_result_blob64(ctx, b.n ? (const void *)b.p : "", b.n,
                                  SQLITE_TRANSIENT);
        } else {
            pqsql_result_text(ctx, b.p, b.n);
        }
        return PQ_OK;
    }
}
