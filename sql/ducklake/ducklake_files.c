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
    sqlite3_stmt *at;                /* the row                                  */
    uint32_t      leaf;              /* the one after the leaf of the last bounds */
    PqLogBounds   v[PQ_FILE_BOUNDS_MOST];
    uint32_t      n_bounds;
    PqBuf         rows;              /* deleted ones of a file: ranges           */
} Files;

/* All is one statement.  Of each file, what is said of it comes before it. */
enum { OF_FILE, SAYS };
enum Says { DELETED, BOUNDS, FILE_ITSELF };
enum { ROW = 2 };
enum { COLUMN = 2, NULLS, LEAST, GREATEST };
enum { PATH = 2, IS_RELATIVE, FORMAT, KEY, PARTIAL, ROWS, SIZE, DELETES, DELETES_RELATIVE,
       DELETES_FORMAT, DELETES_KEY, FIRST_ROW, BEGIN };

#define FILES                                                                                     \
    "SELECT f.data_file_id, 2, f.path, f.path_is_relative, f.file_format, f.encryption_key, "     \
    "f.partial_max, f.record_count, f.file_size_bytes, d.path, d.path_is_relative, d.format, "    \
    "d.encryption_key, f.row_id_start, f.begin_snapshot "                                         \
    "FROM $.ducklake_data_file AS f LEFT JOIN (SELECT * FROM $.ducklake_delete_file AS d "        \
    "WHERE d.table_id = ?2 AND " PQSQL_LIVE("d") ") AS d USING (data_file_id) "                   \
    "WHERE f.table_id = ?2 AND " PQSQL_LIVE("f")
#define REST ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
#define STATISTICS                                                                                \
    " UNION ALL SELECT v.data_file_id, 1, v.column_id, v.null_count, v.min_value, v.max_value"    \
    REST " FROM $.ducklake_file_column_stats AS v WHERE v.table_id = ?2"

/* The value of a partition is that of all its rows. */
#define PARTITIONS                                                                                \
    " UNION ALL SELECT p.data_file_id, 1, k.column_id, NULL, p.partition_value, "                 \
    "p.partition_value" REST " FROM $.ducklake_file_partition_value AS p JOIN "                   \
    "$.ducklake_data_file AS f USING (data_file_id) JOIN $.ducklake_partition_column AS k ON "    \
    "k.partition_id = f.partition_id AND k.partition_key_index = p.partition_key_index WHERE "    \
    "p.table_id = ?2 AND k.transform = 'identity' COLLATE NOCASE"
#define INLINED                                                                                   \
    " UNION ALL SELECT d.file_id, 0, d.row_id, NULL, NULL, NULL" REST " FROM $.%s AS d "          \
    "WHERE d.begin_snapshot <= ?1"

/* ---- deleted rows ------------------------------------------------------------------------ */

static PqRc visit_delete(void *arg, int64_t at, const PqFileValue *v, PqErr *e)
{
    Files *f = arg;

    return v[1].is_there && v[1].number > f->c->version
               ? PQ_OK : pq_lake_delete_row(&f->rows, v->number, e);
}

static PqRc visit_row(void *arg, int64_t row, const PqFileValue *v, PqErr *e)
{
    Files *f = arg;

    return v->number > f->c->version ? pq_lake_delete_row(&f->rows, row, e) : PQ_OK;
}

static PqRc read_rows(Files *f, const char *path, const PqFileColumn *columns, uint32_t n,
                      PqFileRow visit, PqErr *e)
{
    return pq_file_rows(f->c->r->engine, f->c->r->places, path, columns, n, f->c->r->stop, visit, f,
                        e);
}

/* ---- bounds ------------------------------------------------------------------------------ */

/* One that the catalog does not have leaves what there is. */
static void take_bound(const Files *f, const PqNode *leaf, int at, bool *has, PqSlice *out)
{
    const char *text = (const char *)sqlite3_column_text(f->at, at);
    PqSlice s = pq_slice(text, (size_t)sqlite3_column_bytes(f->at, at));
    bool is_number = pq_type_is_float(&leaf->type) || leaf->type.logical == PQ_TYPE_INT ||
                     leaf->type.logical == PQ_TYPE_NONE;

    if (text) {
        *has = pq_file_bound(f->c->arena, &leaf->type, s, is_number, at == GREATEST, out);
    }
}

static void take_column(Files *f)
{
    const PqNode *leaf = pq_lake_leaf_by_id(f->c->r->s, sqlite3_column_int64(f->at, COLUMN),
                                            &f->leaf);
    PqBounds *b = leaf && !leaf->parent
                      ? pq_file_bounds_of(f->v, &f->n_bounds, (uint32_t)leaf->leaf) : NULL;

    if (b) {
        take_bound(f, leaf, LEAST, &b->has_min, &b->min);
        take_bound(f, leaf, GREATEST, &b->has_max, &b->max);
        if (sqlite3_column_type(f->at, NULLS) != SQLITE_NULL) {
            b->n_nulls = sqlite3_column_int64(f->at, NULLS);
        }
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static PqRc take_path(Files *f, int at, const char **out, PqErr *e)
{
    const char *path;

    PQ_TRY(pqsql_lake_text(f->c, f->at, at, &path, e));
    return path && *path ? pqsql_lake_path(f->c, f->c->folder, path,
                                           pqsql_lake_is_true(f->at, at + 1), out, e)
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

    PQ_TRY(pqsql_lake_text(f->c, f->at, at, &text, e));
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
    const char *format = (const char *)sqlite3_column_text(f->at, at);

    return format && sqlite3_stricmp(format, wanted) != 0
               ? pq_fail(e, PQ_UNSUPPORTED, "files of the format %.40s are not read", format)
               : PQ_OK;
}

static PqRc take_deletes(Files *f, PqErr *e)
{
    static const PqFileColumn columns[] = {
        {.name = "pos"}, {.name = PQSQL_LAKE_SNAPSHOT_ID, .may_lack = true}};
    const char *path;

    if (sqlite3_column_type(f->at, DELETES) == SQLITE_NULL) {
        return PQ_OK;
    }
    PQ_TRY(check_format(f, DELETES_FORMAT, "parquet", e));
    PQ_TRY(take_path(f, DELETES, &path, e));
    PQ_TRY(take_key(f, DELETES_KEY, path, e));
    return read_rows(f, path, columns, 2, visit_delete, e);
}

static int64_t count_of(const Files *f, int at)
{
    return sqlite3_column_type(f->at, at) == SQLITE_INTEGER
               ? sqlite3_column_int64(f->at, at) : -1;
}

static PqRc take_file(Files *f, PqErr *e)
{
    static const PqFileColumn column = {.name = PQSQL_LAKE_SNAPSHOT_ID};
    PqLakeFile file = {.deleted = &f->rows, .size = count_of(f, SIZE),
                       .first_row = count_of(f, FIRST_ROW), .sequence = count_of(f, BEGIN),
                       .n_rows = count_of(f, ROWS), .bounds = f->v, .n_bounds = f->n_bounds};

    PQ_TRY(check_format(f, FORMAT, "parquet", e));
    PQ_TRY(take_path(f, PATH, &file.path, e));
    PQ_TRY(take_key(f, KEY, file.path, e));
    if (sqlite3_column_int64(f->at, PARTIAL) > f->c->version) {
        PQ_TRY(read_rows(f, file.path, &column, 1, visit_row, e));
    }
    PQ_TRY(take_deletes(f, e));
    return pq_lake_add_file(f->c->r, &file, e);
}

/* ---- the table --------------------------------------------------------------------------- */

static PqRc take_all(Files *f, const char *sql, PqErr *e)
{
    int64_t last = -1;

    while (pqsql_lake_next(f->c, sql, &f->at, e)) {
        int64_t file = sqlite3_column_int64(f->at, OF_FILE);

        if (file != last) {
            f->rows.n = f->n_bounds = 0;
            last = file;
        }
        switch ((enum Says)sqlite3_column_int(f->at, SAYS)) {
        case DELETED:
            pq_lake_delete_row(&f->rows, sqlite3_column_int64(f->at, ROW), e);
            break;
        case BOUNDS:
            take_column(f);
            break;
        case FILE_ITSELF:
            take_file(f, e);
        }
    }
    return e->rc;
}

PqRc pqsql_lake_files(PqsqlLakeCatalog *c, PqErr *e)
{
    Files f = {.c = c};
    const char *inlined = pq_arena_printf(c->arena, e, "ducklake_inlined_delete_%lld",
                                          (long long)c->table_id), *sql;
    bool has_inlined, has_values;

    PQ_TRY(inlined ? pqsql_lake_has(c, inlined, &has_inlined, e) : e->rc);
    PQ_TRY(pqsql_lake_has(c, "ducklake_file_partition_value", &has_values, e));
    inlined = has_inlined ? pq_arena_printf(c->arena, e, INLINED, inlined) : "";
    sql = pq_arena_printf(c->arena, e, FILES STATISTICS "%s%s ORDER BY 1, 2",
                          has_values ? PARTITIONS : "", inlined);
    PQ_TRY(e->rc);
    pq_buf_init(&f.rows, c->r->mem, e);
    take_all(&f, sql, e);
    pq_buf_free(&f.rows);
    return e->rc;
}
