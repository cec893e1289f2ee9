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
#include "ext/table/options.h"
#include "ext/cursor/timer.h"
#include "ext/functions/table_function.h"
#include "sql/nearest.h"
#include "sql/argument.h"

/* The arguments are the first hidden columns: the path, and the names of keys. */
enum { ROWS_ROW, ROWS_PATH, ROWS_KEYS, ROWS_FILENAME, ROWS_FILE_INDEX,
       ROWS_FILE_ROW };

static const char rows_schema[] =
    "CREATE TABLE x(row JSON TEXT, path HIDDEN, keys HIDDEN, "
    "filename TEXT HIDDEN, file_index BIGINT HIDDEN, file_row_number BIGINT HIDDEN)";

typedef struct RowsTable {
    sqlite3_vtab base;
    PqextHost   *host;
} RowsTable;

typedef struct RowsCursor {
    sqlite3_vtab_cursor base;
    PqextHost       *host;
    sqlite3_vtab    *vtab;
    char            *path;
    sqlite3_value   *names;          /* the argument keys, or NULL      */
    PqArena          key_arena;
    PqKeyChoice      keys;
    PqListing        list;
    bool             listed;
    PqTable         *table;          /* without columns of its own */
    PqScan          *scan;
    PqJsonRows      *json;
    PqNode           root;           /* of the file, no folder columns  */
    PqBuf            folders;        /* ,"year":2023}                       */
    uint64_t         file_serial;
    const PqVector **vectors;
    uint32_t         row, n_rows;
    bool             loaded;         /* the batch's vectors are there */
    uint32_t         text_first, text_n;
    const PqStr     *texts;
    PqextTimer       timer;
    PqErr            e;
} RowsCursor;

enum { ROWS_MEMORY = 256 << 20, TEXT_AT_ONCE = 1 << 20 };

static int rows_connect(sqlite3 *db, void *host, int argc,
                        const char *const *argv, sqlite3_vtab **out,
                        char **error)
{
    RowsTable *t = sqlite3_malloc(sizeof *t);
    int rc;

    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    t->host = host;
    rc = pqext_declare_function(db, rows_schema);
    if (rc != SQLITE_OK) {
        sqlite3_free(t);
        return rc;
    }
    pqext_host_hold(host);
    *out = &t->base;
    return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *vtab)
{
    pqext_host_release(((RowsTable *)vtab)->host);
    sqlite3_free(vtab);
    return SQLITE_OK;
}

/* The plan: bit 1 says that there are names of keys. */
static int rows_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    int given[2] = {-1, -1}, i;
    bool unusable[2] = {false, false};

    for (i = 0; i < info->nConstraint; i++) {
        int k = info->aConstraint[i].iColumn - ROWS_PATH;

        if (k < 0 || k > 1 ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
            continue;
        }
        if (!info->aConstraint[i].usable) {
            unusable[k] = true;
        } else if (given[k] < 0) {
            given[k] = i;
        }
    }
    info->idxNum = 0;
    for (i = 0; i < 2; i++) {
        if (given[i] >= 0) {
            info->aConstraintUsage[given[i]].argvIndex = i + 1;
            info->aConstraintUsage[given[i]].omit = 1;
            info->idxNum |= 1 << i;
        } else if (unusable[i]) {
            return SQLITE_CONSTRAINT;
        }
    }
    if (given[0] >= 0) {
        info->estimatedCost = 1e6;
        info->estimatedRows = 100000;
        return pqext_refuse_null_path(vtab, info, given[0], "parquet_rows");
    }
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("parquet_rows: a file, a glob or a folder "
                                    "is missing: parquet_rows('a.parquet')");
    return SQLITE_ERROR;
}

static int rows_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    RowsCursor *c = sqlite3_malloc(sizeof *c);

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->vtab = vtab;
    c->host = ((RowsTable *)vtab)->host;
    pq_err_init(&c->e);
    pq_arena_init(&c->key_arena, c->host->engine->mem);
    *out = &c->base;
    return SQLITE_OK;
}

static void forget_file(RowsCursor *c)
{
    pq_json_rows_free(c->json);
    pq_mem_free(c->vectors);
    pq_mem_free(c->root.child);
    pq_buf_free(&c->folders);
    c->json = NULL;
    c->vectors = NULL;
    c->root.child = NULL;
}

/* Counts the rows given so far: the whole batch, or up to the current row. */
static void count_given(RowsCursor *c)
{
    c->timer.use.rows += c->row < c->n_rows ? c->row + 1 : c->n_rows;
    c->row = c->n_rows = 0;
}

static void clear(RowsCursor *c)
{
    count_given(c);
    if (c->scan) {
        pq_scan_used(c->scan, &c->timer.use);
    }
    c->timer = (PqextTimer){0};
    forget_file(c);
    pq_scan_free(c->scan);
    pq_table_free(c->table);
    if (c->listed) {
        pq_listing_free(&c->list);
    }
    sqlite3_free(c->path);
    sqlite3_value_free(c->names);
    pq_arena_reset(&c->key_arena);
    c->names = NULL;
    c->scan = NULL;
    c->table = NULL;
    c->listed = false;
    c->path = NULL;
    c->file_serial = 0;
}

static int rows_close(sqlite3_vtab_cursor *cursor)
{
    RowsCursor *c = (RowsCursor *)cursor;

    clear(c);
    pq_arena_free(&c->key_arena);
    sqlite3_free(c);
    return SQLITE_OK;
}

static int report(RowsCursor *c)
{
    int rc = pqext_error(&c->e, &c->vtab->zErrMsg);

    pq_err_clear(&c->e);
    pq_where_reset(&c->e);
    c->n_rows = 0;
    return rc;
}

static PqRc next_batch(RowsCursor *c)
{
    bool more;

    count_given(c);
    c->loaded = false;
    c->text_n = 0;
    PQ_TRY(pq_scan_next(c->scan, &more, &c->e));
    c->n_rows = more ? pq_scan_batch(c->scan)->n_rows : 0;
    pqext_host_sqlite_ran(c->host);
    return PQ_OK;
}

static PqRc start(RowsCursor *c)
{
    PqTableOptions no_columns = {.only = {(const char *const[]){""}, 0},
                                 .left_out_hint = "a table with ignore_errors="
                                                  "on leaves such files out",
                                 .stop = {pqext_host_stop, c->host}};
    PqScanOptions options = {.memory = ROWS_MEMORY, .checksum = true,
                             .stop = {pqext_host_stop, c->host},
                             .name = "parquet_rows"};
    PqRc rc;

    rc = pq_listing_make(c->path, PQ_LIST_HIVE, c->host->engine->mem, &options.stop,
                         &c->list, &c->e);
    if (rc != PQ_OK) {
        if (rc == PQ_IO) {
            pqsql_path_hint_table(c->host->db, "parquet_rows", c->path,
                                  &c->e);
        }
        return rc;
    }
    c->listed = true;
    c->list.keys = &c->keys;
    PQ_TRY(pq_listing_unfold(&c->list, c->host->engine, &options.stop, &c->e));
    PQ_TRY(pq_table_new(c->host->engine, &c->list, &no_columns, &c->table,
                        &c->e));
    PQ_TRY(pqsql_keys_fit(c->host->engine, &c->list, &c->e));
    PQ_TRY(pq_scan_new(c->table, &c->list, &options, &c->scan, &c->e));
    PQ_TRY(pq_scan_start(c->scan, NULL, 0, NULL, NULL, &c->e));
    return next_batch(c);
}

/* An option of a table is not an option here. */
static PqRc take_keys(RowsCursor *c)
{
    PqRc rc = pqsql_keys_of(c->host->engine->keys, c->names, &c->key_arena,
                            &c->keys, &c->e);

    if (rc == PQ_USAGE && !strstr(c->e.text, "key itself")) {
        pq_err_hint(&c->e, "parquet_rows takes no other options, but a table "
                    "does: SELECT parquet_attach('t', 'a.parquet', "
                    "'decimal=text')");
    }
    return rc;
}

static int rows_filter(sqlite3_vtab_cursor *cursor, int idx_num,
                       const char *plan, int argc, sqlite3_value **argv)
{
    RowsCursor *c = (RowsCursor *)cursor;
    const char *path;

    clear(c);
    pqext_host_sqlite_ran(c->host);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL) {
        pqext_path_was_null("parquet_rows");
        return SQLITE_OK;
    }
    path = pqsql_path_of(argv[0], &c->e);
    if (!path) {
        return report(c);
    }
    c->path = sqlite3_mprintf("%s", path);
    c->names = idx_num & 2 ? sqlite3_value_dup(argv[1]) : NULL;
    if (!c->path || (idx_num & 2 && !c->names)) {
        return SQLITE_NOMEM;
    }
    if (take_keys(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_pass(&c->timer);
    if (start(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->timer, c->n_rows > 0);
    return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
    RowsCursor *c = (RowsCursor *)cursor;

    if (++c->row < c->n_rows) {
        return SQLITE_OK;
    }
    pqext_timer_enter(&c->timer);
    if (next_batch(c) != PQ_OK) {
        return report(c);
    }
    pqext_timer_leave(&c->timer, c->n_rows > 0);
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *cursor)
{
    return ((RowsCursor *)cursor)->n_rows == 0;
}

static int rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    RowsCursor *c = (RowsCursor *)cursor;

    *out = pq_scan_batch(c->scan)->rowid + c->row;
    return SQLITE_OK;
}

static bool is_folder_column(const PqListing *l, const char *name)
{
    uint32_t k;

    for (k = 0; k < l->n_folder_columns &&
                !pq_ascii_same(l->folder_columns[k], name); k++) {
    }
    return k < l->n_folder_columns;
}

/* The fields of the file that are not folder columns. */
static PqRc take_fields(RowsCursor *c, const PqNode *root, PqMem *mem)
{
    uint32_t i;

    c->root = *root;
    c->root.n_children = 0;
    c->root.child = pq_mem_array(mem, root->n_children + 1u,
                                 sizeof *c->root.child, &c->e);
    for (i = 0; c->root.child && i < root->n_children; i++) {
        if (!is_folder_column(&c->list, root->child[i]->name)) {
            c->root.child[c->root.n_children++] = root->child[i];
        }
    }
    return c->root.child ? PQ_OK : c->e.rc;
}

/* The end of each object of the file; empty if no folder is a column. */
static PqRc take_folders(RowsCursor *c, PqMem *mem)
{
    const PqListing *l = &c->list;
    const PqHiveValue *v = l->files[pq_scan_batch(c->scan)->file].hive;
    const char *comma = c->root.n_children ? "," : "";
    PqBuf *b = &c->folders;
    uint32_t k;

    pq_buf_init(b, mem, &c->e);
    for (k = 0; k < l->n_folder_columns; k++) {
        pq_buf_text(b, k ? "," : comma);
        pq_json_text_string(pq_slice_text(l->folder_columns[k]), b);
        pq_buf_byte(b, ':');
        if (!v[k].text) {
            pq_buf_text(b, "null");
        } else if (l->folder_types[k] == PQ_HIVE_INTEGER) {
            pq_buf_text(b, v[k].text);
        } else {
            pq_json_text_string(pq_slice_text(v[k].text), b);
        }
    }
    pq_buf_text(b, k ? "}" : "");
    return pq_buf_ok(b) ? PQ_OK : c->e.rc;
}

/* Plans the JSON of a new file. */
static PqRc enter_file(RowsCursor *c)
{
    static const PqJsonOptions usual = {0};
    const PqSchema *schema = &pq_scan_footer(c->scan)->schema;
    PqMem *mem = pq_scan_mem(c->scan);

    if (c->file_serial == pq_scan_file_serial(c->scan)) {
        return PQ_OK;
    }
    forget_file(c);
    c->vectors = pq_mem_zeros(mem, schema->n_leaves + 1u, sizeof *c->vectors,
                              &c->e);
    if (!c->vectors) {
        return c->e.rc;
    }
    PQ_TRY(take_fields(c, schema->root, mem));
    PQ_TRY(take_folders(c, mem));
    PQ_TRY(pq_json_rows_new(mem, &c->root, &usual, &c->json, &c->e));
    pq_json_rows_watch(c->json, pq_scan_stop(c->scan));
    c->file_serial = pq_scan_file_serial(c->scan);
    return PQ_OK;
}

static PqRc load_batch(RowsCursor *c)
{
    uint32_t i;

    PQ_TRY(enter_file(c));
    for (i = 0; i < pq_scan_footer(c->scan)->schema.n_leaves; i++) {
        pq_scan_keep_levels(c->scan, i);
        PQ_TRY(pq_scan_vector(c->scan, i, &c->vectors[i], &c->e));
    }
    PQ_TRY(pq_json_rows_begin(c->json, c->vectors, c->n_rows, &c->e));
    c->loaded = true;
    return PQ_OK;
}

static PqRc text_of_row(RowsCursor *c)
{
    if (c->row - c->text_first < c->text_n) {
        return PQ_OK;
    }
    pqext_timer_enter(&c->timer);
    c->e.where.file = pq_scan_path(c->scan);
    if (!c->loaded) {
        PQ_TRY(load_batch(c));
    }
    c->text_n = 0;
    PQ_TRY(pq_json_rows_write(c->json, c->row, c->n_rows, TEXT_AT_ONCE,
                              &c->text_n, &c->texts, &c->e));
    c->text_first = c->row;
    pq_where_reset(&c->e);
    pqext_timer_leave(&c->timer, true);
    return PQ_OK;
}

/* The file's object; the folder columns replace its closing brace. */
static void give_row(RowsCursor *c, sqlite3_context *ctx, PqStr s)
{
    size_t n = s.n - 1, more = c->folders.n;
    char *text;

    if (more == 0) {
        pqsql_result_text(ctx, s.p, s.n);
    } else if (!(text = sqlite3_malloc64(n + more))) {
        sqlite3_result_error_nomem(ctx);
    } else {
        memcpy(text, s.p, n);
        memcpy(text + n, c->folders.p, more);
        sqlite3_result_text64(ctx, text, n + more, sqlite3_free, SQLITE_UTF8);
    }
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx,
                       int i)
{
    RowsCursor *c = (RowsCursor *)cursor;
    const PqBatch *b = pq_scan_batch(c->scan);

    switch (i) {
    case ROWS_ROW:
        if (text_of_row(c) != PQ_OK) {
            pqsql_result_error(ctx, &c->e);
            return report(c);
        }
        give_row(c, ctx, c->texts[c->row - c->text_first]);
        break;
    case ROWS_FILENAME:
        sqlite3_result_text(ctx, pq_scan_path(c->scan), -1, SQLITE_TRANSIENT);
        break;
    case ROWS_KEYS:
        if (c->names) {
            sqlite3_result_value(ctx, c->names);
        }
        break;
    case ROWS_FILE_INDEX:
        sqlite3_result_int64(ctx, b->file);
        break;
    case ROWS_FILE_ROW:
        sqlite3_result_int64(ctx, b->file_row + c->row);
        break;
    default:
        sqlite3_result_text(ctx, c->path, -1, SQLITE_TRANSIENT);
        break;
    }
    return SQLITE_OK;
}

static const sqlite3_module rows_module = {
    .xConnect = rows_connect,
    .xBestIndex = rows_best_index,
    .xDisconnect = rows_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_filter,
    .xNext = rows_next,
    .xEof = rows_eof,
    .xColumn = rows_column,
    .xRowid = rows_rowid,
};

int pqext_register_rows(sqlite3 *db, PqextHost *h)
{
    pqext_host_hold(h);
    return sqlite3_create_module_v2(db, "parquet_rows", &rows_module, h,
                                    pqext_host_release);
}
