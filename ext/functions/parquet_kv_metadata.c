/*
** parquet_kv_metadata.c - parquet_kv_metadata(file): a row per entry of the
** footer's key_value_metadata, with DuckDB's columns.
**
** The columns are BLOB in DuckDB.  But a BLOB does not compare equal to a text
** in SQLite, so what is UTF-8 is given as a text.
*/
#include "ext/functions/table_function.h"

static PqRc kv_next(PqextCall *call, bool *more, PqErr *e)
{
    *more = call->row < call->footer->file.key_value_metadata.n;
    return PQ_OK;
}

static const void *entry(const PqextCall *call, PqErr *e)
{
    return &call->footer->file.key_value_metadata.v[call->row];
}

#define ENTRY(field) \
    .of = entry, .format = &pq_format_key_value, .path = {field}, \
    .give = pqext_give_text_or_blob

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"key BLOB", ENTRY(PQ_KEY_VALUE_KEY)},
    {"value BLOB", ENTRY(PQ_KEY_VALUE_VALUE)},
};

const PqextFunction pqext_parquet_kv_metadata = {
    .name = "parquet_kv_metadata",
    .call = "parquet_kv_metadata('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .next = kv_next,
};
