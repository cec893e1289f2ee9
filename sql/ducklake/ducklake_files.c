/*
** ducklake_files.c - the files of a snapshot, and which of their rows are deleted.
**
** Deleted are rows that
**   a delete file names by their number          pos
**   the catalog names itself                     ducklake_inlined_delete_<table>
**   a file has that was merged of several        _ducklake_internal_snapshot_id says in
**   snapshots, if they came later                which a row came
**
** A delete file too can be of several snapshots, and then has that column.
*/
#include "sql/ducklake/ducklake_inside.h"

typedef struct Files {
    PqsqlLakeCatalog *c;
    sqlite3_stmt *files;
    sqlite3_stmt *inlined;           /* deletes in the catalog, by file; or NULL */
    bool          more_inlined;
    sqlite3_stmt *bounds;            /* of columns, by file                      */
    bool          more_bounds;
    uint32_t      column;            /* that the last of these was of            */
    PqBuf         rows;              /* deleted ones of a file: ranges           */
    PqBuf         stats;             /* of a file: JSON, as file_stats.h has it  */
} Files;

/* ---- deleted rows ------------------------------------------------------------------------ */

static PqRc visit_delete(void *arg, int64_t at, const int64_t *values, const bool *has,
                         PqErr *e)
{
    Files *f = arg;

    (void)at;
    return has[1] && values[1] > f->c->version ? PQ_OK : pq_lake_delete_row(&f->rows, values[0], e);
}

static PqRc visit_row(void *arg, int64_t row, const int64_t *values, const bool *has,
                      PqErr *e)
{
    Files *f = arg;

    (void)has;
    return values[0] > f->c->version ? pq_lake_delete_row(&f->rows, row, e) : PQ_OK;
}

static PqRc read_numbers(Files *f, const char *path, const char *const *columns, uint32_t n,
                         PqNumbersVisit visit, PqErr *e)
{
    return pq_file_numbers(f->c->r->engine, f->c->r->places, path, columns, n,
                           f->c->r->stop, visit, f, e);
}

/* Both statements are ordered by the file. */
static PqRc take_inlined(Files *f, int64_t file, PqErr *e)
{
    while (f->more_inlined && sqlite3_column_int64(f->inlined, 0) <= file) {
        if (sqlite3_column_int64(f->inlined, 0) == file) {
            PQ_TRY(pq_lake_delete_row(&f->rows, sqlite3_column_int64(f->inlined, 1), e));
        }
        PQ_TRY(pqsql_lake_step(f->c, f->inlined, &f->more_inlined, e));
    }
    return PQ_OK;
}

/* ---- bounds ------------------------------------------------------------------------------ */

enum { OF_FILE, COLUMN, NULLS, LEAST, GREATEST };

/* Is the type of a column a number?  The search begins at the last one. */
static bool is_number(Files *f, int64_t id)
{
    static const char *const types[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
    const PqsqlLakeColumn *c = f->c->columns;
    uint32_t left = f->c->n_columns;
    bool is = false;

    for (; left && c[f->column].id != id; left--) {
        f->column = f->column + 1 < f->c->n_columns ? f->column + 1 : 0;
    }
    for (size_t i = 0; left && i < PQ_COUNT(types) && !is; i++) {
        is = sqlite3_stricmp(c[f->column].type, types[i]) == 0;
    }
    return is;
}

#define STATISTICS \
    "SELECT v.data_file_id, v.column_id, v.null_count, v.min_value, v.max_value FROM " \
    "$.ducklake_file_column_stats AS v WHERE v.table_id = ?2"

/* The value of a partition is that of all its rows. */
#define PARTITIONS \
    " UNION ALL SELECT p.data_file_id, k.column_id, NULL, p.partition_value, " \
    "p.partition_value FROM $.ducklake_file_partition_value AS p JOIN $.ducklake_data_file AS f " \
    "USING (data_file_id) JOIN $.ducklake_partition_column AS k ON k.partition_id = " \
    "f.partition_id AND k.partition_key_index = p.partition_key_index WHERE p.table_id = ?2 " \
    "AND k.transform = 'identity' COLLATE NOCASE"

/* A number that is none in JSON makes all bounds of the file unknown, so it is left out. */
static void add_value(Files *f, PqBuf *to, int at)
{
    const char *text = (const char *)sqlite3_column_text(f->bounds, at);
    PqSlice s = pq_slice(text, (size_t)sqlite3_column_bytes(f->bounds, at));
    int64_t column = sqlite3_column_int64(f->bounds, COLUMN);
    bool number = at == NULLS || is_number(f, column);

    if (!text || !pq_utf8_valid(s) || strlen(text) != s.n ||
        (number && (s.n == 0 || strspn(text, "0123456789+-.eE") != s.n))) {
        return;
    }
    pq_buf_printf(to, "%s\"%lld\":", to->n ? "," : "", (long long)column);
    if (number) {
        pq_buf_add(to, s.p, s.n);
    } else {
        pq_json_text_string(s, to);
    }
}

/* All statements are ordered by the file. */
static PqRc take_bounds(Files *f, int64_t file, int64_t n_rows, PqErr *e)
{
    static const char *const names[] = {"nullCount", "minValues", "maxValues"};
    PqBuf of[3];

    for (int i = 0; i < 3; i++) {
        pq_buf_init(&of[i], f->c->r->mem, e);
    }
    while (f->more_bounds && sqlite3_column_int64(f->bounds, OF_FILE) <= file) {
        for (int i = 0; i < 3 && sqlite3_column_int64(f->bounds, OF_FILE) == file; i++) {
            add_value(f, &of[i], NULLS + i);
        }
        if (pqsql_lake_step(f->c, f->bounds, &f->more_bounds, e) != PQ_OK) {
            break;
        }
    }
    f->stats.n = 0;
    pq_buf_printf(&f->stats, "{\"numRecords\":%lld", (long long)n_rows);
    for (int i = 0; i < 3; i++) {
        pq_buf_printf(&f->stats, ",\"%s\":{", names[i]);
        pq_buf_add(&f->stats, of[i].p, of[i].n);
        pq_buf_byte(&f->stats, '}');
        pq_buf_free(&of[i]);
    }
    pq_buf_byte(&f->stats, '}');
    return e->rc;
}

static PqRc begin_bounds(Files *f, PqErr *e)
{
    bool has;

    PQ_TRY(pqsql_lake_has(f->c, "ducklake_file_partition_value", &has, e));
    PQ_TRY(pqsql_lake_ask(f->c, has ? STATISTICS PARTITIONS " ORDER BY 1"
                                    : STATISTICS " ORDER BY 1", &f->bounds, e));
    return pqsql_lake_step(f->c, f->bounds, &f->more_bounds, e);
}

/* ---- files ------------------------------------------------------------------------------- */

enum { ID, PATH, IS_RELATIVE, FORMAT, KEY, PARTIAL, ROWS, SIZE, DELETES, DELETES_RELATIVE,
       DELETES_FORMAT, DELETES_KEY, FIRST_ROW, BEGIN };

static const char files_sql[] =
    "SELECT f.data_file_id, f.path, f.path_is_relative, f.file_format, f.encryption_key, "
    "f.partial_max, f.record_count, f.file_size_bytes, d.path, d.path_is_relative, d.format, "
    "d.encryption_key, f.row_id_start, f.begin_snapshot "
    "FROM $.ducklake_data_file AS f LEFT JOIN (SELECT * FROM $.ducklake_delete_file AS d "
    "WHERE d.table_id = ?2 AND " PQSQL_LIVE("d") ") AS d USING (data_file_id) "
    "WHERE f.table_id = ?2 AND " PQSQL_LIVE("f") " ORDER BY f.data_file_id";

static PqRc take_path(Files *f, int at, const char **out, PqErr *e)
{
    const char *path;

    PQ_TRY(pqsql_lake_text(f->c, f->files, at, &path, e));
    return path && *path ? pqsql_lake_path(f->c, f->c->folder, path,
                                           pqsql_lake_is_true(f->files, at + 1), out, e)
                         : pq_fail(e, PQ_CORRUPT, "the catalog has a file without a path");
}

/* A key of the catalog opens what has no key metadata, as any key of the connection. */
static PqRc take_key(Files *f, int at, const char *path, PqErr *e)
{
    PqKeyRing *ring = f->c->r->engine->keys;
    const char *text;
    uint8_t key[PQ_KEY_MOST];
    PqRc rc;
    size_t n;

    PQ_TRY(pqsql_lake_text(f->c, f->files, at, &text, e));
    if (!text || !*text || pq_key_ring_find(ring, pq_slice_text(path))) {
        return PQ_OK;
    }
    rc = pq_key_from_base64(pq_slice_text(text), key, &n, e);
    rc = rc ? rc : pq_key_ring_put(ring, path, pq_slice(key, n), e);
    memset(key, 0, sizeof key);
    return rc;
}

static PqRc check_format(Files *f, int at, const char *wanted, PqErr *e)
{
    const char *format = (const char *)sqlite3_column_text(f->files, at);

    return format && sqlite3_stricmp(format, wanted) != 0
               ? pq_fail(e, PQ_UNSUPPORTED, "files of the format %.40s are not read", format)
               : PQ_OK;
}

static PqRc take_deletes(Files *f, PqErr *e)
{
    static const char *const columns[] = {"pos", PQSQL_LAKE_SNAPSHOT_ID};
    const char *path;

    if (sqlite3_column_type(f->files, DELETES) == SQLITE_NULL) {
        return PQ_OK;
    }
    PQ_TRY(check_format(f, DELETES_FORMAT, "parquet", e));
    PQ_TRY(take_path(f, DELETES, &path, e));
    PQ_TRY(take_key(f, DELETES_KEY, path, e));
    return read_numbers(f, path, columns, 2, visit_delete, e);
}

static int64_t count_of(const Files *f, int at)
{
    return sqlite3_column_type(f->files, at) == SQLITE_INTEGER
               ? sqlite3_column_int64(f->files, at) : -1;
}

static PqRc take_file(void *arg, sqlite3_stmt *s, PqErr *e)
{
    static const char *const columns[] = {PQSQL_LAKE_SNAPSHOT_ID};
    Files *f = arg;
    PqLakeFile file = {.deleted = &f->rows};

    f->files = s;
    f->rows.n = 0;
    file.size = count_of(f, SIZE);
    file.first_row = count_of(f, FIRST_ROW);
    file.sequence = count_of(f, BEGIN);
    PQ_TRY(check_format(f, FORMAT, "parquet", e));
    PQ_TRY(take_path(f, PATH, &file.path, e));
    PQ_TRY(take_key(f, KEY, file.path, e));
    if (sqlite3_column_int64(f->files, PARTIAL) > f->c->version) {
        PQ_TRY(read_numbers(f, file.path, columns, 1, visit_row, e));
    }
    PQ_TRY(take_deletes(f, e));
    PQ_TRY(take_inlined(f, sqlite3_column_int64(f->files, ID), e));
    PQ_TRY(take_bounds(f, sqlite3_column_int64(f->files, ID), count_of(f, ROWS), e));
    file.stats = pq_buf_view(&f->stats);
    return pq_lake_add_file(f->c->r, &file, e);
}

/* ---- the table --------------------------------------------------------------------------- */

static PqRc begin_inlined(Files *f, PqErr *e)
{
    const char *name = pq_arena_printf(f->c->arena, e, "ducklake_inlined_delete_%lld",
                                       (long long)f->c->table_id);
    const char *sql;
    bool has;

    PQ_TRY(name ? pqsql_lake_has(f->c, name, &has, e) : e->rc);
    if (!has) {
        return PQ_OK;
    }
    sql = pq_arena_printf(f->c->arena, e, "SELECT d.file_id, d.row_id FROM $.%s AS d WHERE "
                          "d.begin_snapshot <= ?1 ORDER BY 1", name);
    PQ_TRY(sql ? pqsql_lake_ask(f->c, sql, &f->inlined, e) : e->rc);
    return pqsql_lake_step(f->c, f->inlined, &f->more_inlined, e);
}

PqRc pqsql_lake_files(PqsqlLakeCatalog *c, PqErr *e)
{
    Files f = {.c = c};
    PqRc rc;

    pq_buf_init(&f.rows, c->r->mem, e);
    pq_buf_init(&f.stats, c->r->mem, e);
    PQ_GO(begin_inlined(&f, e));
    PQ_GO(begin_bounds(&f, e));
    rc = pqsql_lake_each(c, files_sql, take_file, &f, e);
done:
    pq_buf_free(&f.rows);
    pq_buf_free(&f.stats);
    sqlite3_finalize(f.bounds);
    sqlite3_finalize(f.inlined);
    return rc;
}
