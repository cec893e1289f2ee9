/*
** parquet_files.c - parquet_files(path): a row per file of a folder, a glob, or the newest
** version of a lake table.  No file is opened: sizes and rows are what the log says.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    uint64_t next;
} State;

static PqRc files_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    call->row = s->next++;
    *more = call->row < call->listing.n_files;
    return PQ_OK;
}

static const void *file(const PqextCall *call, PqErr *e)
{
    return &call->listing.files[call->row];
}

static PqRc give_deleted(const PqextCall *call, const void *value, sqlite3_context *ctx,
                         PqErr *e)
{
    const PqListedFile *f = value;
    int64_t n = 0;

    for (uint32_t i = 0; i < f->n_deleted; i++) {
        n += f->deleted[i].end - f->deleted[i].begin;
    }
    if (call->listing.snapshot) {
        sqlite3_result_int64(ctx, n);
    }
    return PQ_OK;
}

static void write_partition(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqListing *l = &call->listing;
    const PqListedFile *f = value;

    pq_buf_byte(out, '{');
    for (uint32_t k = 0; k < l->n_folder_columns; k++) {
        const PqHiveValue *v = &f->hive[k];

        pq_buf_text(out, k ? "," : "");
        pq_json_text_string(pq_slice_text(l->folder_columns[k]), out);
        pq_buf_byte(out, ':');
        if (!v->text) {
            pq_buf_text(out, "null");
        } else if (l->folder_types[k] == PQ_HIVE_INTEGER && v->is_integer) {
            char text[PQ_NUMBER_TEXT_ROOM];

            pq_buf_add(out, text, pq_number_text_i64(v->integer, text));
        } else {
            pq_json_text_string(pq_slice_text(v->text), out);
        }
    }
    pq_buf_byte(out, '}');
}

static const PqextColumn columns[] = {
    {"file_name TEXT", .of = file, PQEXT_MEMBER(PqListedFile, path)},
    {"size_bytes BIGINT", .of = file, PQEXT_MEMBER(PqListedFile, size)},
    {"num_rows BIGINT", .of = file, PQEXT_MEMBER(PqListedFile, n_rows)},
    {"deleted_rows BIGINT", .of = file, .give = give_deleted},
    {"partition_values TEXT", .of = file, .write = write_partition},
};

const PqextFunction pqext_parquet_files = {
    .name = "parquet_files",
    .call = "parquet_files('FOLDER')",
    PQEXT_COLUMNS(columns),
    .takes = PQEXT_PATH,
    .arguments = {"path"},
    .state_size = sizeof(State),
    .begin = pqext_call_files,
    .next = files_next,
};
