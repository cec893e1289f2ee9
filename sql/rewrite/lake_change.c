/*
** lake_change.c - what parquet_delete and parquet_compact of a DuckLake share.
*/
#define _GNU_SOURCE
#include "sql/rewrite/lake_change.h"

#include "core/base/system.h"

/* ---- the files of the table ---------------------------------------------------------------- */

enum { ID, PATH, IS_RELATIVE, BEGIN, SIZE, ROWS, DELETES, DELETES_RELATIVE, DELETED, EVER,
       PARTITION };

static PqRc take_path(PqsqlLakeChange *l, sqlite3_stmt *s, int at, const char **out)
{
    PqsqlLakeCatalog *c = &l->w.c;
    const char *path;

    PQ_TRY(pqsql_lake_text(c, s, at, &path, &l->m->e));
    *out = NULL;
    return path ? pqsql_lake_path(c, c->folder, path, pqsql_lake_is_true(s, at + 1), out,
                                  &l->m->e) : PQ_OK;
}

static PqRc take_file(PqsqlLakeChange *l, sqlite3_stmt *s, PqErr *e)
{
    PqsqlLakeFile *f;

    PQ_TRY(PQ_ARENA_GROW(&l->m->arena, l->files, l->n_files, e));
    f = &l->files[l->n_files++];
    *f = (PqsqlLakeFile){
        .id = sqlite3_column_int64(s, ID), .begin = sqlite3_column_int64(s, BEGIN),
        .size = sqlite3_column_int64(s, SIZE),
        .n_rows = sqlite3_column_int64(s, ROWS), .n_deleted = sqlite3_column_int64(s, DELETED),
        .ever_deleted = sqlite3_column_int(s, EVER)};
    PQ_TRY(take_path(l, s, PATH, &f->path));
    PQ_TRY(take_path(l, s, DELETES, &f->deletes));
    PQ_TRY(pqsql_lake_text(&l->w.c, s, PARTITION, &f->partition, e));
    if (f->id < 0 || f->size < 0 || f->size > INT64_MAX >> 16 || f->n_rows < 0 ||
        f->n_rows > INT64_MAX >> 16) {
        return pq_fail(e, PQ_CORRUPT, "the catalog has file %lld, of %lld bytes and %lld rows",
                       (long long)f->id, (long long)f->size, (long long)f->n_rows);
    }
    return f->path ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the catalog has a file without a path");
}

/* %s: rows that the catalog itself says are deleted, of the file f. */
static const char files_sql[] =
    "SELECT f.data_file_id, f.path, f.path_is_relative, f.begin_snapshot, f.file_size_bytes, "
    "f.record_count, d.path, d.path_is_relative, coalesce(d.delete_count, 0) + %s, %s OR EXISTS "
    "(SELECT 1 FROM "
    "$.ducklake_delete_file AS o WHERE o.data_file_id = f.data_file_id), (SELECT "
    "group_concat(f.partition_id || quote(p.partition_value)) FROM (SELECT * FROM "
    "$.ducklake_file_partition_value AS p WHERE p.data_file_id = f.data_file_id ORDER BY "
    "p.partition_key_index) AS p) AS part FROM $.ducklake_data_file AS f LEFT JOIN (SELECT * FROM "
    "$.ducklake_delete_file AS d WHERE d.table_id = ?2 AND " PQSQL_LIVE("d") ") AS d "
    "USING (data_file_id) WHERE f.table_id = ?2 AND " PQSQL_LIVE("f")
    " ORDER BY part, f.row_id_start, f.data_file_id";

static PqRc find_files(PqsqlLakeChange *l)
{
    PqsqlLakeCatalog *c = &l->w.c;
    PqsqlMove *m = l->m;
    const char *table = pqsql_move_print(m, "ducklake_inlined_delete_%lld",
                                         (long long)c->table_id);
    const char *inlined = "0", *sql;
    sqlite3_stmt *s = NULL;
    bool has;

    PQ_TRY(m->e.rc);
    PQ_TRY(pqsql_lake_has(c, table, &has, &m->e));
    if (has) {
        inlined = pqsql_move_print(m, "(SELECT count(*) FROM $.%s AS i WHERE i.file_id = "
                                   "f.data_file_id)", table);
    }
    sql = pqsql_move_print(m, files_sql, inlined, inlined);
    while (pqsql_lake_next(c, sql, &s, &m->e)) {
        take_file(l, s, &m->e);
    }
    return m->e.rc;
}

/* ---- a change ------------------------------------------------------------------------------ */

PqRc pqsql_lake_change_begin(PqsqlLakeChange *l, const char *table)
{
    PqsqlMove *m = l->m;
    const PqsqlDucklake of = {.db = m->db, .table = table};
    const PqLakeWritePlan plan = {.table = m->folder, .engine = m->host->engine, .mem = m->mem,
                                  .stop = &m->host->stop};

    m->host->sqlite_ran(m->host->arg);
    PQ_TRY(pqsql_ducklake_write_open(&l->w, &of, &plan, &m->e));
    PQ_TRY(pqsql_ducklake_write_begin(&l->w, &m->e));
    PQ_TRY(find_files(l));
    pqsql_move_run(m, "CREATE VIRTUAL TABLE " PQSQL_LAKE_TABLE " USING parquet('%q', table='%q', "
                   "row_ids=on%s)", m->folder, table, l->exact ? ", decimal=text" : "");
    if (pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo('parquet lake table', 'temp') "
                       "WHERE hidden AND name IN ('filename', 'file_row_number')") != 2) {
        return pq_fail(&m->e, PQ_UNSUPPORTED, "%s: a column of the table is called filename or "
                       "file_row_number, which say where a row is", m->function);
    }
    return m->e.rc;
}

void pqsql_lake_change_end(PqsqlLakeChange *l)
{
    PqsqlMove *m = l->m;

    pqsql_ducklake_write_free(&l->w.writer);
    for (uint32_t i = 0; m->e.rc != PQ_OK && i < l->n_made; i++) {
        unlink(l->made[i]);
    }
    /* A table stays, and is used again, while a statement of the user's reads something. */
    sqlite3_exec(m->db, "DROP TABLE IF EXISTS " PQSQL_LAKE_TABLE "; DROP TABLE IF EXISTS "
                 PQSQL_LAKE_FOUND "; DROP TABLE IF EXISTS " PQSQL_LAKE_JOINED, NULL, NULL, NULL);
}

/* A table whose rows are all in the catalog has no folder yet. */
static void make_folders(PqsqlMove *m, const char *folder)
{
    for (const char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *above = pqsql_move_print(m, "%.*s", (int)(slash - folder), folder);

        if (access(above, F_OK) != 0) {
            mkdir(above, 0777);      /* the copy says what is wrong          */
        }
    }
}

PqRc pqsql_lake_change_write(PqsqlLakeChange *l, const char *query, const char *options,
                             const char *ids, const char *ending, PqPublished *made)
{
    PqsqlMove *m = l->m;
    const char *key = "{}", *sealed = "", *folder = l->w.c.folder, *path;
    struct stat st;
    PqBuf b;

    make_folders(m, folder);
    pq_buf_init(&b, m->mem, &m->e);
    pq_buf_text(&b, folder);
    pq_file_name_add(&b, pq_arena_printf(&m->arena, &m->e, "ducklake-{uuid}%s", ending), 0, &m->e);
    path = pqsql_move_take(m, &b);
    PQ_TRY(m->e.rc);
    PQ_TRY(PQ_ARENA_GROW(&m->arena, l->made, l->n_made, &m->e));
    l->made[l->n_made++] = path;
    if (l->w.key_name) {
        key = pqsql_move_print(m, "{\"encryption\": {\"footer_key\": \"%s\", \"store_key_name\": "
                               "false}, \"bloom\": false, \"row_group_rows\": %d, \"page_rows\": "
                               "%d, \"page_bytes\": %d}", l->w.key_name, PQSQL_LAKE_SEALED_ROWS,
                               PQSQL_LAKE_SEALED_ROWS, PQSQL_LAKE_SEALED_BYTES);
        sealed = pqsql_move_print(m, ", 'row_group_rows', min(%d, coalesce(json_extract(%Q, "
                                  "'$.row_group_rows'), %d))", PQSQL_LAKE_SEALED_ROWS, options,
                                  PQSQL_LAKE_SEALED_ROWS);
    }
    pqsql_move_run(m, "SELECT parquet_copy_to(%Q, %Q, json_patch(json_patch(%Q, %Q), "
                   "json_object('field_ids', json(%Q)%s)))", query, path, key, options, ids,
                   sealed);
    PQ_TRY(m->e.rc);
    if (stat(path, &st) != 0) {
        return pq_fail(&m->e, PQ_IO, "%s is gone", path);
    }
    *made = (PqPublished){.path = path, .below = path + strlen(folder),
                          .size = (uint64_t)st.st_size};
    return PQ_OK;
}
