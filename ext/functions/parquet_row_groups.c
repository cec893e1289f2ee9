/*
** parquet_row_groups.c - parquet_row_groups(file): a row per row group.
**
** All columns but first_row and the sorting columns are fields of the footer.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    uint32_t row_group;              /* of this row         */
    uint32_t next;                   /* the row group after */
} State;

static PqRc row_groups_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    *more = s->next < call->footer->n_groups;
    if (*more) {
        s->row_group = s->next++;
    }
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static const void *row_group(const PqextCall *call, PqErr *e)
{
    const State *s = call->state;

    return &call->footer->file.row_groups.v[s->row_group];
}

static const void *summary(const PqextCall *call, PqErr *e)
{
    return &call->footer->groups[((const State *)call->state)->row_group];
}

/* "day, fare.amount DESC, id NULLS LAST": as in ORDER BY, where SQLite puts
** NULLs first in ascending order and last in descending order. */
static void write_sorting(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqSchema *schema = &call->footer->schema;
    const PqSortingColumnList *list = value;
    uint32_t i;

    for (i = 0; i < list->n; i++) {
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
    {"file_name TEXT", .give = pqext_give_file_name},
    {"row_group_id BIGINT", PQEXT_MEMBER(State, row_group)},
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
    .columns = columns,
    .n_columns = PQ_COUNT(columns),
    .arguments = pqext_file_argument,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = row_groups_next,
};
