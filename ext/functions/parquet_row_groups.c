/*
** parquet_row_groups.c - parquet_row_groups(file): a row per row group.
**
** All columns but first_row and the sorting columns are fields of the footer.
*/
#include "ext/functions/table_function.h"

static PqRc row_groups_next(PqextCall *call, bool *more, PqErr *e)
{
    *more = call->row < call->footer->n_groups;
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static const void *row_group(const PqextCall *call, PqErr *e)
{
    return &call->footer->file.row_groups.v[call->row];
}

static const void *summary(const PqextCall *call, PqErr *e)
{
    return &call->footer->groups[call->row];
}

/* "day, fare.amount DESC, id NULLS LAST": as in ORDER BY, where SQLite puts
** NULLs first in ascending order and last in descending order. */
static void write_sorting(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqSchema *schema = &call->footer->schema;
    const PqSortingColumnList *list = value;

    for (uint32_t i = 0; i < list->n; i++) {
        const PqSortingColumn *c = &list->v[i];
        bool known = c->column_idx >= 0 &&
                     (uint32_t)c->column_idx < schema->n_leaves;

        pq_buf_text(out, i ? ", " : "");
        pqext_write_name(known ? schema->leaves[c->column_idx].path : NULL,
                         c->column_idx, out);
        pq_buf_text(out, c->descending ? " DESC" : "");
        if (c->nulls_first == c->descending) {
            pq_buf_text(out, c->nulls_first ? " NULLS FIRST" : " NULLS LAST");
        }
    }
}

#define ROW_GROUP(field) \
    .of = row_group, .format = &pq_format_row_group, .path = {field}

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"row_group_id BIGINT", PQEXT_ROW},
    {"first_row BIGINT", .of = summary, PQEXT_MEMBER(PqGroup, first_row)},
    {"num_rows BIGINT", ROW_GROUP(PQ_ROW_GROUP_ROWS)},
    {"num_columns BIGINT", ROW_GROUP(PQ_ROW_GROUP_COLUMNS)},
    {"total_byte_size BIGINT", ROW_GROUP(PQ_ROW_GROUP_BYTES)},
    {"total_compressed_size BIGINT", ROW_GROUP(PQ_ROW_GROUP_COMPRESSED)},
    {"file_offset BIGINT", ROW_GROUP(PQ_ROW_GROUP_FILE_OFFSET)},
    {"ordinal BIGINT", ROW_GROUP(PQ_ROW_GROUP_ORDINAL)},
    {"sorting_columns TEXT", ROW_GROUP(PQ_ROW_GROUP_SORTING),
     .write = write_sorting},
};

const PqextFunction pqext_parquet_row_groups = {
    .name = "parquet_row_groups",
    .call = "parquet_row_groups('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .next = row_groups_next,
};
