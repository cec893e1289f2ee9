/*
** parquet_rows.c - parquet_rows(path): rows as JSON, without declaring a table.
**
**   SELECT row ->> 'tip' FROM parquet_rows('trips/2024.parquet')
**
** A table-valued function has the same columns for every argument.  So each row
** is one JSON object, written like a STRUCT column.  The files of a glob need
** not have the same columns.
**
** As in a table, the folders that a file lies in are columns (listing.h).  They
** come last in each object.  A column of the file that has the name of a folder
** is left out:
**
**   weather/year=2023/city=Oslo/0.parquet
**   {"day":"2023-01-01","celsius":-7.5,"year":2023,"city":"Oslo"}
**
** The hard part is that the schema changes from file to file while the scan
** goes on.  The scan is one over a table without columns, and the JSON is
** planned anew at the first row of each file (enter_file).
*/
#include "ext/cursor/timer.h"
#include "ext/functions/table_function.h"
#include "sql/value/value.h"

enum { ROWS_MEMORY = 256 << 20, TEXT_AT_ONCE = 1 << 20 };

typedef struct State {
    PqScan          *scan;           /* of a table without columns of its own */
    PqJsonRows      *json;
    PqNode           root;           /* of the file, no folder columns      */
    PqBuf            folders;        /* ,"year":2023}                       */
    uint64_t         file_serial;
    const PqVector **vectors;
    uint32_t         row, n_rows;    /* of the batch                        */
    bool             loaded;         /* the batch's vectors are there       */
    uint32_t         text_first, text_n;
    const PqStr     *texts;
    PqextTimer       timer;
} State;

/* ---- batches ------------------------------------------------------------ */

static void forget_file(State *s)
{
    pq_json_rows_free(s->json);
    pq_mem_free(s->vectors);
    pq_mem_free(s->root.child);
    pq_buf_free(&s->folders);
    s->json = NULL;
    s->vectors = NULL;
    s->root.child = NULL;
}

/* Counts the rows given so far: the whole batch, or up to the current row. */
static void count_given(State *s)
{
    s->timer.use.rows += s->row < s->n_rows ? s->row + 1 : s->n_rows;
    s->row = s->n_rows = 0;
}

static void rows_end(PqextCall *call)
{
    State *s = call->state;

    count_given(s);
    if (s->scan) {
        pq_scan_used(s->scan, &s->timer.use);
    }
    forget_file(s);
    pq_scan_free(s->scan);
}

static PqRc rows_begin(PqextCall *call, PqErr *e)
{
    PqStop stop = pqext_call_stop(call);
    PqTableOptions no_columns = {.only = {(const char *const[]){""}, 0},
                                 .left_out_hint = "a table with ignore_errors="
                                                  "on leaves such files out",
                                 .stop = stop};
    PqScanOptions options = {.memory = ROWS_MEMORY, .checksum = true,
                             .stop = stop, .name = "parquet_rows"};
    State *s = call->state;

    pqext_timer_pass(&s->timer);
    PQ_TRY(pqext_call_table(call, &no_columns, e));
    PQ_TRY(pq_scan_new(call->table, &call->listing, &options, &s->scan, e));
    return pq_scan_start(s->scan, NULL, 0, NULL, NULL, e);
}

static PqRc next_batch(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    count_given(s);
    s->loaded = false;
    s->text_n = 0;
    PQ_TRY(pq_scan_next(s->scan, more, e));
    s->n_rows = *more ? pq_scan_batch(s->scan)->n_rows : 0;
    pqext_host_sqlite_ran(call->host);
    return PQ_OK;
}

static PqRc rows_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    if (++s->row < s->n_rows) {
        *more = true;
        return PQ_OK;
    }
    if (call->row > 0) {             /* else the time since rows_begin counts */
        pqext_timer_enter(&s->timer);
    }
    PQ_TRY(next_batch(call, more, e));
    pqext_timer_leave(&s->timer, *more);
    call->rowid = pq_scan_batch(s->scan)->rowid;
    return PQ_OK;
}

/* ---- a file ------------------------------------------------------------- */

static bool is_folder_column(const PqListing *l, const char *name)
{
    uint32_t k;

    for (k = 0; k < l->n_folder_columns &&
                !pq_ascii_same(l->folder_columns[k], name); k++) {
    }
    return k < l->n_folder_columns;
}

/* The fields of the file that are not folder columns. */
static PqRc take_fields(State *s, const PqListing *l, const PqNode *root,
                        PqMem *mem, PqErr *e)
{
    s->root = *root;
    s->root.n_children = 0;
    s->root.child = pq_mem_array(mem, root->n_children + 1u,
                                 sizeof *s->root.child, e);
    for (uint32_t i = 0; s->root.child && i < root->n_children; i++) {
        if (!is_folder_column(l, root->child[i]->name)) {
            s->root.child[s->root.n_children++] = root->child[i];
        }
    }
    return s->root.child ? PQ_OK : e->rc;
}

/* The end of each object of the file; empty if no folder is a column. */
static PqRc take_folders(State *s, const PqListing *l, PqMem *mem, PqErr *e)
{
    const PqHiveValue *v = l->files[pq_scan_batch(s->scan)->file].hive;
    const char *comma = s->root.n_children ? "," : "";
    PqBuf *b = &s->folders;
    uint32_t k;

    pq_buf_init(b, mem, e);
    for (k = 0; k < l->n_folder_columns; k++) {
        pq_buf_text(b, k ? "," : comma);
        pq_json_text_string(pq_slice_text(l->folder_columns[k]), b);
        pq_buf_byte(b, ':');
        if (!v[k].text) {
            pq_buf_text(b, "null");
        } else if (l->folder_types[k] == PQ_HIVE_INTEGER ||
                   l->folder_types[k] == PQ_HIVE_REAL) {
            pq_buf_text(b, v[k].text);
        } else {
            pq_json_text_string(pq_slice_text(v[k].text), b);
        }
    }
    pq_buf_text(b, k ? "}" : "");
    return pq_buf_ok(b) ? PQ_OK : e->rc;
}

/* Plans the JSON of a new file. */
static PqRc enter_file(const PqextCall *call, State *s, PqErr *e)
{
    static const PqJsonOptions usual = {0};
    const PqSchema *schema = &pq_scan_footer(s->scan)->schema;
    PqMem *mem = pq_scan_mem(s->scan);

    if (s->file_serial == pq_scan_file_serial(s->scan)) {
        return PQ_OK;
    }
    forget_file(s);
    s->vectors = pq_mem_zeros(mem, schema->n_leaves + 1u, sizeof *s->vectors,
                              e);
    if (!s->vectors) {
        return e->rc;
    }
    PQ_TRY(take_fields(s, &call->listing, schema->root, mem, e));
    PQ_TRY(take_folders(s, &call->listing, mem, e));
    PQ_TRY(pq_json_rows_new(mem, &s->root, &usual, &s->json, e));
    pq_json_rows_watch(s->json, pq_scan_stop(s->scan));
    s->file_serial = pq_scan_file_serial(s->scan);
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------ */

static PqRc load_batch(const PqextCall *call, State *s, PqErr *e)
{
    PQ_TRY(enter_file(call, s, e));
    for (uint32_t i = 0; i < pq_scan_footer(s->scan)->schema.n_leaves; i++) {
        pq_scan_keep_levels(s->scan, i);
        PQ_TRY(pq_scan_vector(s->scan, i, &s->vectors[i], e));
    }
    PQ_TRY(pq_json_rows_begin(s->json, s->vectors, s->n_rows, e));
    s->loaded = true;
    return PQ_OK;
}

static PqRc text_of_row(const PqextCall *call, State *s, PqErr *e)
{
    if (s->row - s->text_first < s->text_n) {
        return PQ_OK;
    }
    pqext_timer_enter(&s->timer);
    e->where.file = pq_scan_path(s->scan);
    if (!s->loaded) {
        PQ_TRY(load_batch(call, s, e));
    }
    s->text_n = 0;
    PQ_TRY(pq_json_rows_write(s->json, s->row, s->n_rows, TEXT_AT_ONCE,
                              &s->text_n, &s->texts, e));
    s->text_first = s->row;
    pq_where_reset(e);
    pqext_timer_leave(&s->timer, true);
    return PQ_OK;
}

/* The file's object; the folder columns replace its closing brace. */
static PqRc give_row(const PqextCall *call, const void *unused,
                     sqlite3_context *ctx, PqErr *e)
{
    State *s = call->state;
    size_t n, more;
    char *text;
    PqStr row;

    PQ_TRY(text_of_row(call, s, e));
    row = s->texts[s->row - s->text_first];
    n = row.n - 1;
    more = s->folders.n;
    if (more == 0) {
        pqsql_result_text(ctx, row.p, row.n);
    } else if (!(text = sqlite3_malloc64(n + more))) {
        sqlite3_result_error_nomem(ctx);
    } else {
        memcpy(text, row.p, n);
        memcpy(text + n, s->folders.p, more);
        sqlite3_result_text64(ctx, text, n + more, sqlite3_free, SQLITE_UTF8);
    }
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    return PQ_OK;
}

static PqRc give_file(const PqextCall *call, const void *state,
                      sqlite3_context *ctx, PqErr *e)
{
    pqext_result_text(ctx, pq_scan_path(((const State *)state)->scan));
    return PQ_OK;
}

static const void *batch(const PqextCall *call, PqErr *e)
{
    return pq_scan_batch(((const State *)call->state)->scan);
}

static PqRc give_row_in_file(const PqextCall *call, const void *state,
                             sqlite3_context *ctx, PqErr *e)
{
    const State *s = state;

    sqlite3_result_int64(ctx, pq_scan_batch(s->scan)->file_row + s->row);
    return PQ_OK;
}

static const PqextColumn columns[] = {
    {"row JSON TEXT", .give = give_row},
    {"filename TEXT", .give = give_file},
    {"file_index BIGINT", .of = batch, PQEXT_MEMBER(PqBatch, file)},
    {"file_row_number BIGINT", .give = give_row_in_file},
};

const PqextFunction pqext_parquet_rows = {
    .name = "parquet_rows",
    .call = "parquet_rows('FILE')",
    .missing = "parquet_rows: a file, a glob or a folder is missing: "
               "parquet_rows('a.parquet')",
    PQEXT_COLUMNS(columns),
    .n_hidden = 3,
    .takes = PQEXT_PATH,
    .arguments = {"path"},
    .keys_hint = "parquet_rows takes no other options, but a table does: "
                 "SELECT parquet_attach('t', 'a.parquet', 'decimal=text')",
    .rows = 100000,
    .state_size = sizeof(State),
    .begin = rows_begin,
    .next = rows_next,
    .end = rows_end,
};
