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
    uint32_t      leaf;              /* the one after the leaf of the last bounds */
    PqLogBounds   v[PQ_FILE_BOUNDS_MOST];
    PqBuf         rows;              /* deleted ones of a file: ranges           */
} Files;

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

/* One that the catalog does not have leaves what there is. */
static void take_bound(const Files *f, const PqNode *leaf, int at, bool *has, PqSlice *out)
{
    const char *text = (const char *)sqlite3_column_text(f->bounds, at);
    PqSlice s = pq_slice(text, (size_t)sqlite3_column_bytes(f->bounds, at));
    bool is_number = pq_type_is_float(&leaf->type) || leaf->type.logical == PQ_TYPE_INT ||
                     leaf->type.logical == PQ_TYPE_NONE;

    if (text) {
        *has = pq_file_bound(f->c->arena, &leaf->type, s, is_number, at == GREATEST, out);
    }
}

static void take_column(Files *f, PqLakeFile *to)
{
    const PqNode *leaf = pq_lake_leaf_by_id(f->c->r->s, sqlite3_column_int64(f->bounds, COLUMN),
                                            &f->leaf);
    PqBounds *b = leaf && !leaf->parent
                      ? pq_file_bounds_of(f->v, &to->n_bounds, (uint32_t)leaf->leaf) : NULL;

    if (b) {
        take_bound(f, leaf, LEAST, &b->has_min, &b->min);
        take_bound(f, leaf, GREATEST, &b->has_max, &b->max);
        if (sqlite3_column_type(f->bounds, NULLS) != SQLITE_NULL) {
            b->n_nulls = sqlite3_column_int64(f->bounds, NULLS);
        }
    }
}

/* All statements are ordered by the file. */
static PqRc take_bounds(Files *f, int64_t file, PqLakeFile *to, PqErr *e)
{
    to->bounds = f->v;
    while (f->more_bounds && sqlite3_column_int64(f->bounds, OF_FILE) <= file) {
        if (sqlite3_column_int64(f->bounds, OF_FILE) == file) {
            take_column(f, to);
        }
        PQ_TRY(pqsql_lake_step(f->c, f->bounds, &f->more_bounds, e));
    }
    return PQ_OK;
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
    static const PqFileColumn columns[] = {
        {.name = "pos"}, {.name = PQSQL_LAKE_SNAPSHOT_ID, .may_lack = true}};
    const char *path;

    if (sqlite3_column_type(f->files, DELETES) == SQLITE_NULL) {
        return PQ_OK;
    }
    PQ_TRY(check_format(f, DELETES_FORMAT, "parquet", e));
    PQ_TRY(take_path(f, DELETES, &path, e));
    PQ_TRY(take_key(f, DELETES_KEY, path, e));
    return read_rows(f, path, columns, 2, visit_delete, e);
}

static int64_t count_of(const Files *f, int at)
{
    return sqlite3_column_type(f->files, at) == SQLITE_INTEGER
               ? sqlite3_column_int64(f->files, at) : -1;
}

static PqRc take_file(void *arg, sqlite3_stmt *s, PqErr *e)
{
    static const PqFileColumn column = {.name = PQSQL_LAKE_SNAPSHOT_ID};
    Files *f = arg;
    PqLakeFile file = {.deleted = &f->rows};

    f->files = s;
    f->rows.n = 0;
    file.size = count_of(f, SIZE);
    file.first_row = count_of(f, FIRST_ROW);
    file.sequence = count_of(f, BEGIN);
    file.n_rows = count_of(f, ROWS);
    PQ_TRY(check_format(f, FORMAT, "parquet", e));
    PQ_TRY(take_path(f, PATH, &file.path, e));
    PQ_TRY(take_key(f, KEY, file.path, e));
    if (sqlite3_column_int64(f->files, PARTIAL) > f->c->version) {
        PQ_TRY(read_rows(f, file.path, &column, 1, visit_row, e));
    }
    PQ_TRY(take_deletes(f, e));
    PQ_TRY(take_inlined(f, sqlite3_column_int64(f->files, ID), e));
    PQ_TRY(take_bounds(f, sqlite3_column_int64(f->files, ID), &file, e));
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
    PQ_GO(begin_inlined(&f, e));
    PQ_GO(begin_bounds(&f, e));
    rc = pqsql_lake_each(c, files_sql, take_file, &f, e);
done:
    pq_buf_free(&f.rows);
    sqlite3_finalize(f.bounds);
    sqlite3_finalize(f.inlined);
    return rc;
}
