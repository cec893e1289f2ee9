/*
** parquet_file_metadata.c - parquet_file_metadata(file): a row per file.
**
** The first columns are DuckDB's; the number of leaves comes after them.
*/
#include "ext/functions/table_function.h"

static PqRc file_next(PqextCall *call, bool *more, PqErr *e)
{
    *more = call->row == 0;
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static const void *footer(const PqextCall *call, PqErr *e)
{
    return call->footer;
}

static PqRc give_size(const PqextCall *call, const void *value,
                      sqlite3_context *ctx, PqErr *e)
{
    sqlite3_result_int64(ctx, (int64_t)pq_source_size(call->in.source));
    return PQ_OK;
}

static PqRc give_footer_size(const PqextCall *call, const void *value,
                             sqlite3_context *ctx, PqErr *e)
{
    sqlite3_result_int64(ctx, (int64_t)((const PqFooter *)value)->bytes.n);
    return PQ_OK;
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
static void write_orders(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqColumnOrderList *orders = value;

    for (uint32_t i = 0; i < orders->n; i++) {
        pq_buf_text(out, i ? "\",\"" : "[\"");
        pq_buf_text(out, order_text(&orders->v[i]));
    }
    pq_buf_text(out, orders->n ? "\"]" : "[]");
}

/* ---- encryption ---------------------------------------------------------- */

/* NULL: the file is not encrypted. */
static const void *locks(const PqextCall *call, PqErr *e)
{
    return call->footer->locks;
}

/* An encrypted footer has its algorithm beside it, and not in it. */
static PqRc give_algorithm(const PqextCall *call, const void *value,
                           sqlite3_context *ctx, PqErr *e)
{
    pqext_result_text(ctx, ((const PqFileLocks *)value)->ctr
                               ? "AES_GCM_CTR_V1" : "AES_GCM_V1");
    return PQ_OK;
}

static PqRc give_present(const PqextCall *call, const void *value,
                         sqlite3_context *ctx, PqErr *e)
{
    return ((const PqSlice *)value)->n
               ? pqext_give_text_or_blob(call, value, ctx, e) : PQ_OK;
}

static PqRc give_missing_key(const PqextCall *call, const void *value,
                             sqlite3_context *ctx, PqErr *e)
{
    const PqLock *lock = &((const PqFileLocks *)value)->footer;

    pqext_result_text(ctx, lock->key ? NULL : lock->wants);
    return PQ_OK;
}

static PqRc give_encrypted_columns(const PqextCall *call, const void *value,
                                   sqlite3_context *ctx, PqErr *e)
{
    const PqFileLocks *l = value;
    int n = 0;

    for (uint32_t i = 0; i < l->n_leaves; i++) {
        n += l->of_leaf[i] != NULL;
    }
    sqlite3_result_int(ctx, n);
    return PQ_OK;
}

#define LOCKS(name) .of = locks, PQEXT_MEMBER(PqFileLocks, name)
#define FOOTER(name) .of = footer, PQEXT_MEMBER(PqFooter, name)
#define FILE_METADATA(field) \
    .of = footer, PQEXT_AT(PqFooter, file), .format = &pq_format_file, \
    .path = {field}

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"created_by TEXT", FILE_METADATA(PQ_FILE_CREATED_BY)},
    {"num_rows BIGINT", FOOTER(file.num_rows)},
    {"num_row_groups BIGINT", FOOTER(n_groups)},
    {"format_version BIGINT", FILE_METADATA(PQ_FILE_VERSION)},
    {"encryption_algorithm TEXT", .of = locks, .give = give_algorithm},
    {"footer_signing_key_metadata BLOB", FILE_METADATA(PQ_FILE_SIGNING_KEY)},
    {"file_size_bytes BIGINT", .give = give_size},
    {"footer_size BIGINT", .of = footer, .give = give_footer_size},
    {"column_orders TEXT", FILE_METADATA(PQ_FILE_COLUMN_ORDERS),
     .write = write_orders},
    {"num_columns BIGINT", FOOTER(schema.n_leaves)},
    {"footer_is_encrypted BOOLEAN", LOCKS(encrypted_footer)},
    {"footer_is_verified BOOLEAN", LOCKS(verified)},
    {"footer_key_metadata", .of = locks,
     PQEXT_AT(PqFileLocks, footer_metadata), .give = give_present},
    {"missing_key TEXT", .of = locks, .give = give_missing_key},
    {"aad_prefix", .of = locks, PQEXT_AT(PqFileLocks, aad_prefix),
     .give = give_present},
    {"supply_aad_prefix BOOLEAN", LOCKS(supply_aad_prefix)},
    {"num_encrypted_columns BIGINT", .of = locks,
     .give = give_encrypted_columns},
};

const PqextFunction pqext_parquet_file_metadata = {
    .name = "parquet_file_metadata",
    .call = "parquet_file_metadata('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .next = file_next,
};
