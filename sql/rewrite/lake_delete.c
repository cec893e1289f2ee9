/*
** lake_delete.c - parquet_delete(catalog, condition, options): rows of a DuckLake table go.
**
**   rows of a file              a delete file with their numbers, and with those of the delete
**                               file that there was, which ends
**   all rows of a file          the file ends
**   rows in the catalog         end
*/
#include "sql/rewrite/lake_change.h"
#include "sql/rewrite/rewriting.h"

#include "sql/argument.h"

/* The rows that satisfy the condition. */
static PqRc find_rows(PqsqlLakeChange *l, const char *table, const char *where, int64_t *n)
{
    const char *dot = strrchr(table, '.');

    table = dot ? dot + 1 : table;
    PQ_TRY(pqsql_move_check_condition(l->m, where, pqsql_move_print(
        l->m, PQSQL_LAKE_TABLE " AS \"%w\"", table)));
    pqsql_move_run(l->m, "CREATE TABLE IF NOT EXISTS " PQSQL_LAKE_FOUND
                   "(file TEXT, pos INTEGER, id INTEGER, "
                   "PRIMARY KEY (file, pos)) WITHOUT ROWID");
    pqsql_move_run(l->m, "DELETE FROM " PQSQL_LAKE_FOUND);
    pqsql_move_run(l->m, "INSERT INTO " PQSQL_LAKE_FOUND " SELECT filename, file_row_number, "
                   PQSQL_LAKE_ROW_ID " FROM " PQSQL_LAKE_TABLE " AS \"%w\" WHERE (%s\n)",
                   table, where);
    *n = pqsql_move_int(l->m, "SELECT count(*) FROM " PQSQL_LAKE_FOUND);
    return l->m->e.rc;
}

/* One statement looks at the catalog once. */
static PqRc count_rows(PqsqlLakeChange *l)
{
    PqsqlMove *m = l->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT f.file, f.n, count(*) FROM (SELECT file, count(*) AS n FROM " PQSQL_LAKE_FOUND
           " GROUP BY file) AS f CROSS JOIN " PQSQL_LAKE_TABLE " AS x ON x.filename = f.file "
           "GROUP BY f.file");

    while (pqsql_move_next(m, &s)) {
        const char *path = pqsql_move_text(m, s, 0);

        for (uint32_t i = 0; i < l->n_files; i++) {
            if (strcmp(l->files[i].path, path) == 0) {
                l->files[i].n_found = sqlite3_column_int64(s, 1);
                l->files[i].n_live = sqlite3_column_int64(s, 2);
            }
        }
    }
    return m->e.rc;
}

/* The rows that were deleted before are deleted still. */
static PqRc write_deletes(PqsqlLakeChange *l, const PqsqlLakeFile *f)
{
    static const char old[] = "temp.\"parquet lake deletes\"";
    static const char options[] = "{\"threads\": 0, \"types\": {\"file_path\": \"TEXT\", "
                                  "\"pos\": \"BIGINT\"}}";
    static const char ids[] = "{\"file_path\": 2147483546, \"pos\": 2147483545}";    /* Iceberg's */
    PqsqlMove *m = l->m;
    const char *query;
    PqPublished made;
    int64_t n;

    if (f->deletes) {
        pqsql_move_run(m, "CREATE VIRTUAL TABLE %s USING parquet('%q')", old, f->deletes);
        pqsql_move_run(m, "INSERT OR IGNORE INTO " PQSQL_LAKE_FOUND " SELECT %Q, pos, NULL FROM %s",
                       f->path, old);
        pqsql_move_run(m, "DROP TABLE %s", old);
    }
    n = pqsql_move_int(m, "SELECT count(*) FROM " PQSQL_LAKE_FOUND " WHERE file = %Q", f->path);
    query = pqsql_move_print(m, "SELECT file AS file_path, pos FROM " PQSQL_LAKE_FOUND " WHERE "
                             "file = %Q ORDER BY pos", f->path);
    PQ_TRY(pqsql_lake_change_write(l, query, options, ids, "-delete.parquet", &made));
    return pqsql_ducklake_write_deletes(&l->w, f->id, &made, n, &m->e);
}

static PqRc delete_of_file(PqsqlLakeChange *l, const PqsqlLakeFile *f)
{
    PqsqlMove *m = l->m;

    if (f->n_found == 0) {
        return PQ_OK;
    }
    if (f->n_found == f->n_live) {
        l->w.n_rows -= f->n_rows;
        l->w.n_bytes -= f->size;
        PQ_TRY(pqsql_ducklake_write_end_file(&l->w, f->id, &m->e));
    } else {
        PQ_TRY(write_deletes(l, f));
    }
    return pqsql_move_run(m, "DELETE FROM " PQSQL_LAKE_FOUND " WHERE file = %Q", f->path);
}

/* What is left is not in files. */
static PqRc delete_inlined(PqsqlLakeChange *l)
{
    PqsqlMove *m = l->m;
    int64_t left = pqsql_move_int(m, "SELECT count(*) FROM " PQSQL_LAKE_FOUND), n;
    const char *ids = pqsql_move_word(m, "SELECT json_group_array(id) FROM " PQSQL_LAKE_FOUND);

    PQ_TRY(m->e.rc);
    PQ_TRY(pqsql_ducklake_write_inlined(&l->w, "UPDATE $.\"%w\" SET end_snapshot = ?1 WHERE "
                                        "row_id IN (SELECT value FROM json_each(?3)) AND "
                                        "end_snapshot IS NULL", ids, &n, &m->e));
    return n == left ? PQ_OK : pq_fail(&m->e, PQ_CORRUPT, "%lld rows of the catalog have ids that "
                                       "it has %lld times", (long long)left, (long long)n);
}

static PqRc run(PqsqlLakeChange *l, const char *where, int64_t *n)
{
    static const char *const what[] = {"deleted_from_table"};
    PqsqlMove *m = l->m;
    const char *table;

    PQ_TRY(pqsql_move_check_options(m, "table", ""));
    table = pqsql_move_option(m, "table");
    if (!table) {
        return pqsql_move_refuse(m, "say which table of the catalog: {\"table\": \"orders\"}");
    }
    PQ_TRY(pqsql_lake_change_begin(l, table));
    PQ_TRY(find_rows(l, table, where, n));
    PQ_TRY(count_rows(l));
    for (uint32_t i = 0; i < l->n_files; i++) {
        PQ_TRY(pq_stop_poll(&m->host->stop, &m->e));
        PQ_TRY(delete_of_file(l, &l->files[i]));
    }
    PQ_TRY(delete_inlined(l));
    return pqsql_ducklake_write_end(&l->w, what, *n > 0, &m->e);
}

void pqsql_call_delete(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlMove m = {.function = "parquet_delete"};
    PqsqlLakeChange l = {.m = &m};
    const char *where;
    int64_t n = 0;

    if (!pqsql_move_begin(&m, ctx, argc, argv, 3, 3, "catalog, condition, options): the catalog is "
                          "that of a DuckLake, and the options name the table: {\"table\": "
                          "\"orders\"}")) {
        return;
    }
    m.folder = pqsql_move_argument(&m, argv[0], "the catalog");
    where = pqsql_move_argument(&m, argv[1], "the condition");
    if (m.e.rc == PQ_OK && run(&l, where, &n) == PQ_OK) {
        sqlite3_result_int64(ctx, n);
    }
    pqsql_lake_change_end(&l);
    pqsql_move_end(&m, ctx, NULL);
}
