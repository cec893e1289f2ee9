/*
** lake_compact.c - parquet_compact(catalog, options) of a DuckLake table.
**
**   file                 rows since   deleted       in the new file, rows are since
**   a.parquet   2 MB     version 3    -             3       a.parquet leaves the catalog
**   b.parquet   3 MB     version 5    -             5       b.parquet too
**   c.parquet   1 MB     version 6    some          9       c.parquet ends with version 9
**   d.parquet   120 MB   version 7    -             it stays
**
** The new file has the id of each row, and the version since when there is that row.  So an
** older version has the rows of a and b from there, and c has its own still.  Files that are
** older than a change of the columns are as c: their rows have other columns in old versions.
** Files that left are in ducklake_files_scheduled_for_deletion.
**
** Rows in the catalog become a file of their own, which has no partition.
*/
#include "sql/rewrite/lake_change.h"

#include <stdlib.h>

enum { FILE_BYTES = 128 << 20, SMALL_SHARE = 2 };

typedef struct Compact {
    PqsqlLakeChange l;
    int64_t     most;                /* bytes of a file                      */
    int64_t     changed;             /* the version that has the columns of today */
    const char *ids, *columns, *options;
    uint32_t    n_read, n_written;
} Compact;

/* ---- a file ------------------------------------------------------------------------------ */

static bool keeps_versions(const Compact *c, const PqsqlLakeFile *f)
{
    return !f->ever_deleted && f->begin >= c->changed;
}

/* The rows, with their ids and versions. */
static PqRc write_rows(Compact *c, const char *version, const char *id, const char *from)
{
    PqsqlLakeChange *l = &c->l;
    const char *query;
    PqPublished f;

    query = pqsql_move_print(l->m, "SELECT %s, %s AS " PQSQL_LAKE_ROW_ID ", %s AS "
                             PQSQL_LAKE_SNAPSHOT_ID " FROM %s", c->columns, id, version, from);
    PQ_TRY(l->m->e.rc);
    PQ_TRY(pqsql_lake_change_write(l, query, c->options, c->ids, ".parquet", &f));
    c->n_written++;
    return pq_lake_writer_add(&l->w.writer, &f, &l->m->e);
}

/* The path of a file that leaves counts from data_path. */
static PqRc leave(Compact *c, const PqsqlLakeFile *f)
{
    static const char *const tables[] = {
        "ducklake_data_file", "ducklake_file_column_stats", "ducklake_file_partition_value",
        "ducklake_file_variant_stats"};
    PqsqlLakeCatalog *to = &c->l.w.c;
    PqsqlMove *m = c->l.m;
    size_t n = strlen(to->data);
    bool below = strncmp(f->path, to->data, n) == 0;

    for (size_t i = 0; i < PQ_COUNT(tables); i++) {
        PQ_TRY(pqsql_lake_run(to, &m->e, pqsql_move_print(m, "DELETE FROM $.%s WHERE data_file_id "
                                                          "= ?3", tables[i]), "i", f->id));
    }
    return pqsql_lake_run(to, &m->e, "INSERT INTO $.ducklake_files_scheduled_for_deletion("
                          "data_file_id, path, path_is_relative, schedule_start) VALUES (?3, ?4, "
                          "?5, strftime('%Y-%m-%d %H:%M:%f+00', 'now'))", "isi", f->id,
                          below ? f->path + n : f->path, (int64_t)below);
}

/* The partition of a new file is that of one it was made of. */
static PqRc take_partition(Compact *c, const PqsqlLakeFile *f)
{
    PqsqlDucklakeWrite *w = &c->l.w;
    int64_t file = w->next_file_id - 1;

    PQ_TRY(pqsql_lake_run(&w->c, &c->l.m->e, "UPDATE $.ducklake_data_file SET partition_id = "
                          "(SELECT partition_id FROM $.ducklake_data_file WHERE data_file_id = ?4) "
                          "WHERE data_file_id = ?3", "ii", file, f->id));
    return pqsql_lake_run(&w->c, &c->l.m->e, "INSERT INTO $.ducklake_file_partition_value("
                          "data_file_id, table_id, partition_key_index, partition_value) SELECT "
                          "?3, table_id, partition_key_index, partition_value FROM "
                          "$.ducklake_file_partition_value WHERE data_file_id = ?4", "ii", file,
                          f->id);
}

static PqRc join(Compact *c, const PqsqlLakeFile *const *v, uint32_t n)
{
    static const char from[] = "(SELECT * FROM " PQSQL_LAKE_JOINED " ORDER BY nth) AS f CROSS JOIN "
                               PQSQL_LAKE_TABLE " AS x ON x.filename = f.file";
    PqsqlMove *m = c->l.m;
    bool any = false;

    if (n == 0 || (n == 1 && !v[0]->n_deleted)) {
        return PQ_OK;
    }
    pqsql_move_run(m, "DELETE FROM " PQSQL_LAKE_JOINED);
    for (uint32_t i = 0; i < n; i++) {
        pqsql_move_run(m, "INSERT INTO " PQSQL_LAKE_JOINED " VALUES (%d, %Q, %d)", (int)i,
                       v[i]->path, keeps_versions(c, v[i]));
    }
    PQ_TRY(m->e.rc);
    if (pqsql_move_int(m, "SELECT 1 FROM %s LIMIT 1", from)) {   /* they may all be deleted */
        PQ_TRY(write_rows(c, pqsql_move_print(m, "iif(f.keeps, x." PQSQL_LAKE_SNAPSHOT_ID ", %lld)",
                                              (long long)c->l.w.c.version), "x." PQSQL_LAKE_ROW_ID,
                          from));
        PQ_TRY(take_partition(c, v[0]));
        any = true;
    }
    PQ_TRY(m->e.rc);
    for (uint32_t i = 0; i < n; i++) {
        c->l.w.n_rows -= any ? 0 : v[i]->n_rows;
        PQ_TRY(keeps_versions(c, v[i]) ? leave(c, v[i])
                                       : pqsql_ducklake_write_end_file(&c->l.w, v[i]->id, &m->e));
        c->l.w.n_bytes -= v[i]->size;
    }
    c->n_read += n;
    return PQ_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* A file that is large, and has lost half of its rows, is written again too. */
static bool is_wanted(const Compact *c, const PqsqlLakeFile *f)
{
    return f->size < c->most / SMALL_SHARE || f->n_deleted > f->n_rows / 2;
}

static bool is_apart(const PqsqlLakeFile *a, const PqsqlLakeFile *b)
{
    return a->partition && b->partition ? strcmp(a->partition, b->partition) != 0
                                        : a->partition != b->partition;
}

static PqRc join_all(Compact *c)
{
    PqsqlLakeChange *l = &c->l;
    const PqsqlLakeFile **v;
    uint32_t n = 0;
    int64_t bytes = 0;

    PQ_TRY(PQ_ARENA_NEW(&l->m->arena, v, l->n_files + 1u, &l->m->e));
    for (uint32_t i = 0; i < l->n_files; i++) {
        const PqsqlLakeFile *f = &l->files[i];

        PQ_TRY(pq_stop_poll(&l->m->host->stop, &l->m->e));
        if (!is_wanted(c, f)) {
            continue;
        }
        if (n && (is_apart(v[0], f) || bytes + f->size > c->most)) {
            PQ_TRY(join(c, v, n));
            n = 0;
            bytes = 0;
        }
        v[n++] = f;
        bytes += f->size;
    }
    return join(c, v, n);
}

/* Rows in the catalog that are older than a change of the columns stay there for versions that
** are older too. */
static PqRc flush(Compact *c)
{
    PqsqlMove *m = c->l.m;
    const char *from = pqsql_move_print(
        m, PQSQL_LAKE_TABLE " AS x WHERE x.filename > '%q, rows in it' AND x.filename < "
           "'%q, rows in iu'", m->folder, m->folder);
    int64_t n;

    if (!pqsql_move_int(m, "SELECT 1 FROM %s LIMIT 1", from)) {
        return m->e.rc;
    }
    PQ_TRY(write_rows(c, pqsql_move_print(m, "iif(x." PQSQL_LAKE_SNAPSHOT_ID " >= %lld, x."
                                          PQSQL_LAKE_SNAPSHOT_ID ", %lld)", (long long)c->changed,
                                          (long long)c->l.w.c.version),
                      "x." PQSQL_LAKE_ROW_ID, from));
    PQ_TRY(pqsql_ducklake_write_inlined(&c->l.w, "DELETE FROM $.\"%w\" WHERE end_snapshot IS "
                                        "NULL AND begin_snapshot >= CAST(?3 AS INTEGER)",
                                        pqsql_move_print(m, "%lld", (long long)c->changed), &n,
                                        &m->e));
    return pqsql_ducklake_write_inlined(&c->l.w, "UPDATE $.\"%w\" SET end_snapshot = ?1 WHERE "
                                        "end_snapshot IS NULL", NULL, &n, &m->e);
}

/* ---- the call ------------------------------------------------------------------------------ */

/* The columns of the table, and the ids of all fields. */
static PqRc name_columns(Compact *c)
{
    PqsqlLakeCatalog *of = &c->l.w.c;
    PqsqlMove *m = c->l.m;
    PqBuf columns;

    PQ_TRY(pqsql_lake_run(of, &m->e, pqsql_move_print(
        m, PQSQL_LAKE_FIELDS "SELECT json_patch(json_object('" PQSQL_LAKE_ROW_ID "', %d, '"
        PQSQL_LAKE_SNAPSHOT_ID "', %d), json_group_object(path, id)) FROM f", PQ_LAKE_ROW_ID,
        PQ_LAKE_SEQUENCE), ">t", &c->ids));
    pq_buf_init(&columns, m->mem, &m->e);
    for (uint32_t i = 0; i < of->n_columns && of->columns[i].parent == -1; i++) {
        pqsql_move_sql(m, &columns, "%sx.\"%w\"", i ? ", " : "", of->columns[i].name);
    }
    c->columns = pqsql_move_take(m, &columns);
    return m->e.rc;
}

static PqRc run(Compact *c, const char *table)
{
    static const char of_copy[] = "compression, compression_level, row_group_rows, "
                                  "row_group_bytes, memory, threads";
    static const char *const what[] = {"compacted_table"};
    PqsqlMove *m = c->l.m;

    PQ_TRY(pqsql_move_check_options(m, "table, file_bytes", of_copy));
    PQ_TRY(pqsql_move_take_size(m, "file_bytes", &c->most));
    c->options = pqsql_move_word(m, "SELECT json_set(%Q, '$.types', json_object('" PQSQL_LAKE_ROW_ID
                                 "', 'BIGINT', '" PQSQL_LAKE_SNAPSHOT_ID "', 'BIGINT'))",
                                 m->of_copy);
    PQ_TRY(m->e.rc);
    c->l.exact = true;
    PQ_TRY(pqsql_lake_change_begin(&c->l, table));
    c->l.w.merges = true;
    PQ_TRY(name_columns(c));
    PQ_TRY(pqsql_lake_run(&c->l.w.c, &m->e, "SELECT max(max(begin_snapshot), "
                          "coalesce(max(end_snapshot), 0)) FROM $.ducklake_column WHERE table_id "
                          "= ?2", ">i", &c->changed));
    pqsql_move_run(m, "CREATE TABLE IF NOT EXISTS " PQSQL_LAKE_JOINED
                   "(nth INTEGER PRIMARY KEY, file TEXT, keeps INTEGER)");
    PQ_TRY(m->e.rc);
    PQ_TRY(join_all(c));
    PQ_TRY(flush(c));
    return pqsql_ducklake_write_end(&c->l.w, what, c->n_read + c->n_written > 0, &m->e);
}

const char *pqsql_lake_compact(PqsqlMove *m, const char *table)
{
    Compact c = {.l = {.m = m}, .most = FILE_BYTES};

    run(&c, table);
    pqsql_lake_change_end(&c.l);
    return pqsql_move_print(m, "{\"files\":%u,\"read\":%u,\"written\":%u}", c.l.n_files,
                            c.n_read, c.n_written);
}
