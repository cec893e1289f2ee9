/*
** parquet_kv_metadata.c - parquet_kv_metadata(file): a row per entry of the
** footer's key_value_metadata, with DuckDB's columns.
**
** The columns are BLOB in DuckDB.  But a BLOB does not compare equal to a text
** in SQLite, so what is UTF-8 is given as a text.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    uint32_t next;                   /* the entry after this row's */
} State;

static PqRc kv_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    *more = s->next < call->footer->file.key_value_metadata.n;
    s->next += *more;
    return PQ_OK;
}

static const void *entry(const PqextCall *call, PqErr *e)
{
    const State *s = call->state;

    return &call->footer->file.key_value_metadata.v[s->next - 1];
}

#define ENTRY(field) \
    .of = entry, .format = &pq_format_key_value, .path = {field}, \
    .give = pqext_give_text_or_blob

static const PqextColumn columns[] = {
    {"file_name TEXT", .give = pqext_give_file_name},
    {"key BLOB", ENTRY(PQ_KEY_VALUE_KEY)},
    {"value BLOB", ENTRY(PQ_KEY_VALUE_VALUE)},
};

const PqextFunction pqext_parquet_kv_metadata = {
    .name = "parquet_kv_metadata",
    .call = "parquet_kv_metadata('FILE')",
    .columns = columns,
    .n_columns = PQ_COUNT(columns),
    .arguments = pqext_file_argument,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = kv_next,
};
