/*
** tvf_file.c - what a footer says about the whole file:
**
**   parquet_file_metadata(file)   a row per file; DuckDB's columns, then the
**                                 number of leaves
**   parquet_kv_metadata(file)     a row per key-value pair; DuckDB's columns
**   parquet_row_groups(file)      a row per row group
*/
#include "ext/functions/tvf.h"

/* Rows of each of these are numbered: state is the number behind the row. */
typedef struct State {
    uint32_t next;
} State;

static uint32_t row_of(const PqextLook *l)
{
    return ((const State *)l->state)->next - 1;
}

static PqRc count_to(PqextLook *l, uint32_t n, bool *more)
{
    State *s = l->state;

    *more = s->next < n;
    s->next += *more;
    return PQ_OK;
}

static const char *const arguments[] = {"file"};

/* ---- parquet_file_metadata ------------------------------------------------- */

enum {
    FILE_NAME, CREATED_BY, NUM_ROWS, NUM_ROW_GROUPS, FORMAT_VERSION,
    ENCRYPTION_ALGORITHM, FOOTER_SIGNING_KEY, FILE_SIZE, FOOTER_SIZE,
    COLUMN_ORDERS, NUM_COLUMNS, N_FILE_COLUMNS
};

static const char *const file_columns[N_FILE_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [CREATED_BY] = "created_by TEXT",
    [NUM_ROWS] = "num_rows BIGINT",
    [NUM_ROW_GROUPS] = "num_row_groups BIGINT",
    [FORMAT_VERSION] = "format_version BIGINT",
    [ENCRYPTION_ALGORITHM] = "encryption_algorithm TEXT",
    [FOOTER_SIGNING_KEY] = "footer_signing_key_metadata BLOB",
    [FILE_SIZE] = "file_size_bytes BIGINT",
    [FOOTER_SIZE] = "footer_size BIGINT",
    [COLUMN_ORDERS] = "column_orders TEXT",
    [NUM_COLUMNS] = "num_columns BIGINT",
};

static PqRc file_next(PqextLook *l, bool *more, PqErr *e)
{
    (void)e;
    return count_to(l, 1, more);
}

static const char *order_text(const PqColumnOrder *o)
{
    return PQ_HAS(o, PQ_ORDER_TYPE)
               ? "ColumnOrder(TYPE_ORDER=TypeDefinedOrder())"
           : PQ_HAS(o, PQ_ORDER_IEEE754)
               ? "ColumnOrder(IEEE_754_TOTAL_ORDER=IEEE754TotalOrder())"
           : PQ_HAS(o, PQ_ORDER_INT96)
               ? "ColumnOrder(INT96_TIMESTAMP_ORDER=Int96TimestampOrder())"
               : "ColumnOrder()";
}

/* A JSON array with an entry per leaf. */
static PqRc give_orders(PqextLook *l, sqlite3_context *ctx, PqErr *e)
{
    const PqColumnOrderList *orders = &l->footer->file.column_orders;
    PqBuf text;
    uint32_t i;
    PqRc rc;

    if (!PQ_HAS(&l->footer->file, PQ_FILE_COLUMN_ORDERS)) {
        return PQ_OK;
    }
    pq_buf_init(&text, l->mem, e);
    for (i = 0; i < orders->n; i++) {
        pq_buf_text(&text, i ? "\",\"" : "[\"");
        pq_buf_text(&text, order_text(&orders->v[i]));
    }
    pq_buf_text(&text, orders->n ? "\"]" : "[]");
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

static const char *algorithm_name(const PqFileMetaData *m)
{
    if (!PQ_HAS(m, PQ_FILE_ENCRYPTION)) {
        return NULL;
    }
    return PQ_HAS(&m->encryption_algorithm, PQ_ENCRYPTION_GCM) ? "AES_GCM_V1"
           : PQ_HAS(&m->encryption_algorithm, PQ_ENCRYPTION_GCM_CTR)
               ? "AES_GCM_CTR_V1" : "unknown";
}

static PqRc file_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const PqFooter *f = l->footer;

    switch (i) {
    case FILE_NAME:
        pqext_give_text(ctx, l->path);
        break;
    case CREATED_BY:
        if (PQ_HAS(&f->file, PQ_FILE_CREATED_BY)) {
            pqext_give_slice(ctx, f->file.created_by);
        }
        break;
    case NUM_ROWS:
        sqlite3_result_int64(ctx, f->file.num_rows);
        break;
    case NUM_ROW_GROUPS:
        sqlite3_result_int64(ctx, f->n_groups);
        break;
    case FORMAT_VERSION:
        sqlite3_result_int64(ctx, f->file.version);
        break;
    case ENCRYPTION_ALGORITHM:
        pqext_give_text(ctx, algorithm_name(&f->file));
        break;
    case FOOTER_SIGNING_KEY:
        if (PQ_HAS(&f->file, PQ_FILE_SIGNING_KEY)) {
            pqext_give_blob(ctx, f->file.footer_signing_key_metadata);
        }
        break;
    case FILE_SIZE:
        sqlite3_result_int64(ctx,
                             (int64_t)pq_source_size(l->in.source));
        break;
    case FOOTER_SIZE:
        sqlite3_result_int64(ctx, (int64_t)f->bytes.n);
        break;
    case COLUMN_ORDERS:
        return give_orders(l, ctx, e);
    default:
        sqlite3_result_int64(ctx, f->schema.n_leaves);
    }
    return PQ_OK;
}

const PqextFunction pqext_parquet_file_metadata = {
    .name = "parquet_file_metadata",
    .call = "parquet_file_metadata('FILE')",
    .columns = file_columns,
    .n_columns = N_FILE_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = file_next,
    .column = file_column,
};

/* ---- parquet_kv_metadata --------------------------------------------------- */

enum { KV_FILE_NAME, KV_KEY, KV_VALUE, N_KV_COLUMNS };

static const char *const kv_columns[N_KV_COLUMNS] = {
    [KV_FILE_NAME] = "file_name TEXT",
    [KV_KEY] = "key BLOB",
    [KV_VALUE] = "value BLOB",
};

static PqRc kv_next(PqextLook *l, bool *more, PqErr *e)
{
    (void)e;
    return count_to(l, l->footer->file.key_value_metadata.n, more);
}

/* The format says binary; what is a text compares as one. */
static void give_text_or_blob(sqlite3_context *ctx, PqSlice s)
{
    if (pq_utf8_valid(s)) {
        pqext_give_slice(ctx, s);
    } else {
        pqext_give_blob(ctx, s);
    }
}

static PqRc kv_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const PqKeyValue *kv = &l->footer->file.key_value_metadata.v[row_of(l)];

    (void)e;
    if (i == KV_FILE_NAME) {
        pqext_give_text(ctx, l->path);
    } else if (i == KV_KEY) {
        give_text_or_blob(ctx, kv->key);
    } else if (PQ_HAS(kv, PQ_KEY_VALUE_VALUE)) {
        give_text_or_blob(ctx, kv->value);
    }
    return PQ_OK;
}

const PqextFunction pqext_parquet_kv_metadata = {
    .name = "parquet_kv_metadata",
    .call = "parquet_kv_metadata('FILE')",
    .columns = kv_columns,
    .n_columns = N_KV_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = kv_next,
    .column = kv_column,
};

/* ---- parquet_row_groups ---------------------------------------------------- */

enum {
    RG_FILE_NAME, RG_ID, RG_FIRST_ROW, RG_NUM_ROWS, RG_NUM_COLUMNS,
    RG_TOTAL_BYTE_SIZE, RG_TOTAL_COMPRESSED_SIZE, RG_FILE_OFFSET, RG_ORDINAL,
    RG_SORTING_COLUMNS, N_RG_COLUMNS
};

static const char *const rg_columns[N_RG_COLUMNS] = {
    [RG_FILE_NAME] = "file_name TEXT",
    [RG_ID] = "row_group_id BIGINT",
    [RG_FIRST_ROW] = "first_row BIGINT",
    [RG_NUM_ROWS] = "num_rows BIGINT",
    [RG_NUM_COLUMNS] = "num_columns BIGINT",
    [RG_TOTAL_BYTE_SIZE] = "total_byte_size BIGINT",
    [RG_TOTAL_COMPRESSED_SIZE] = "total_compressed_size BIGINT",
    [RG_FILE_OFFSET] = "file_offset BIGINT",
    [RG_ORDINAL] = "ordinal BIGINT",
    [RG_SORTING_COLUMNS] = "sorting_columns TEXT",
};

static PqRc rg_next(PqextLook *l, bool *more, PqErr *e)
{
    (void)e;
    return count_to(l, l->footer->n_groups, more);
}

/* "day, fare.amount DESC, id NULLS LAST": as in ORDER BY, where SQLite puts
** NULLs first in ascending order and last in descending order. */
static PqRc give_sorting(PqextLook *l, const PqRowGroup *g,
                         sqlite3_context *ctx, PqErr *e)
{
    PqBuf text;
    uint32_t i;
    PqRc rc;

    if (!PQ_HAS(g, PQ_ROW_GROUP_SORTING)) {
        return PQ_OK;
    }
    pq_buf_init(&text, l->mem, e);
    for (i = 0; i < g->sorting_columns.n; i++) {
        const PqSortingColumn *c = &g->sorting_columns.v[i];

        pq_buf_text(&text, i ? ", " : "");
        if (c->column_idx >= 0 &&
            (uint32_t)c->column_idx < l->footer->schema.n_leaves) {
            pq_buf_text(&text,
                        l->footer->schema.leaves[c->column_idx].path);
        } else {
            pq_buf_printf(&text, "%d", c->column_idx);
        }
        pq_buf_text(&text, c->descending ? " DESC" : "");
        if (c->nulls_first == c->descending) {
            pq_buf_text(&text, c->nulls_first ? " NULLS FIRST"
                                              : " NULLS LAST");
        }
    }
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

static PqRc rg_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const PqRowGroup *g = &l->footer->file.row_groups.v[row_of(l)];

    switch (i) {
    case RG_FILE_NAME:
        pqext_give_text(ctx, l->path);
        break;
    case RG_ID:
        sqlite3_result_int64(ctx, row_of(l));
        break;
    case RG_FIRST_ROW:
        sqlite3_result_int64(ctx, l->footer->groups[row_of(l)].first_row);
        break;
    case RG_NUM_ROWS:
        sqlite3_result_int64(ctx, g->num_rows);
        break;
    case RG_NUM_COLUMNS:
        sqlite3_result_int64(ctx, g->columns.n);
        break;
    case RG_TOTAL_BYTE_SIZE:
        pqext_give_i64(ctx, PQ_HAS(g, PQ_ROW_GROUP_BYTES), g->total_byte_size);
        break;
    case RG_TOTAL_COMPRESSED_SIZE:
        pqext_give_i64(ctx, PQ_HAS(g, PQ_ROW_GROUP_COMPRESSED),
                       g->total_compressed_size);
        break;
    case RG_FILE_OFFSET:
        pqext_give_i64(ctx, PQ_HAS(g, PQ_ROW_GROUP_FILE_OFFSET),
                       g->file_offset);
        break;
    case RG_ORDINAL:
        pqext_give_i64(ctx, PQ_HAS(g, PQ_ROW_GROUP_ORDINAL), g->ordinal);
        break;
    default:
        return give_sorting(l, g, ctx, e);
    }
    return PQ_OK;
}

const PqextFunction pqext_parquet_row_groups = {
    .name = "parquet_row_groups",
    .call = "parquet_row_groups('FILE')",
    .columns = rg_columns,
    .n_columns = N_RG_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = rg_next,
    .column = rg_column,
};
