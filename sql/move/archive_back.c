/*
** archive_back.c - parquet_restore(table, where [, options]): rows of an archive are rows of
** the table again.  parquet_archive_drop(table, where [, options]): whole files are forgotten.
**
** A file of which some rows come back is written again without them.  Both files change
** places in the transaction that inserts the rows.  A file that is only partly dropped stays
** as it is, and the answer counts it.
*/
#include "sql/move/archive.h"

#define PLACE ", filename AS \"parquet_archive file\", file_row_number AS \"parquet_archive row\""
#define IN_FILES "\"parquet_archive file\" IN (SELECT f FROM " PQSQL_ARCHIVE_KEYS ")"
#define IS_KEY "EXISTS (SELECT 1 FROM " PQSQL_ARCHIVE_KEYS " AS k WHERE k.f = \"parquet_archive "  \
               "file\" AND k.n = \"parquet_archive row\")"


/* FROM (...) AS events WHERE: the rows of a part, with their places, and with what else a
** condition on the table can name. */
static const char *rows_of(PqsqlArchive *a, const PqsqlArchivePart *part)
{
    PqsqlMove *m = &a->m;
    const char *others = PLACE;

    for (size_t i = 0; a->t.has_rowid && i < PQSQL_MOVE_ROWIDS; i++) {
        if (pqsql_archive_column(a, pqsql_move_rowids[i]) < 0) {
            others = pqsql_move_print(m, "%s, %s AS %s", others, a->keys, pqsql_move_rowids[i]);
        }
    }
    return pqsql_move_print(m, "FROM (%s FROM \"%w\".\"%w\") AS \"%w\" WHERE ",
                            pqsql_archive_select(a, part, others), m->schema, part->table,
                            a->t.name);
}

/* Files of the rows that come back leave, if they hold what was entered; *n_rest: their other
** rows.  Rows that were encrypted are not written again in the clear. */
static PqRc leave_files(PqsqlArchive *a, int64_t *n_rest)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT k.f, f.rows - k.n, iif(%d OR f.rows = k.n, 0, (SELECT encryption_algorithm IS "
           "NOT NULL FROM parquet_file_metadata(json_array(k.f)))), f.sha256 IS "
           "pq_archive_digest(k.f) FROM (SELECT f, count(*) AS n FROM " PQSQL_ARCHIVE_KEYS
           " GROUP BY f) AS k LEFT JOIN %s AS f ON f.path = k.f", a->is_encrypted, a->files);

    *n_rest = 0;
    while (pqsql_move_next(m, &s)) {
        const char *path = pqsql_move_text(m, s, 0);

        *n_rest += sqlite3_column_int64(s, 1);
        a->n_files++;
        if (sqlite3_column_int(s, 2)) {
            pqsql_move_refuse(m, "%s is encrypted, and its other rows are written again: the "
                              "option encryption has to say how", path);
        } else if (!sqlite3_column_int(s, 3)) {
            pq_fail(&m->e, PQ_CORRUPT, "%s: %s is not the file that was entered: its SHA-256 "
                    "differs", m->function, path);
        }
    }
    return pqsql_move_run(m, "UPDATE %s SET rows = NULL WHERE path IN "
                             "(SELECT f FROM " PQSQL_ARCHIVE_KEYS ")", a->files);
}

static PqRc restore_part(PqsqlArchive *a, uint32_t i)
{
    const PqsqlArchivePart *part = &a->parts[i];
    PqsqlMove *m = &a->m;
    const char *rows = rows_of(a, part), *names = pqsql_move_names(m, &a->t);
    int64_t n, n_rest, n_files;

    pqsql_move_run(m, "DROP TABLE IF EXISTS " PQSQL_ARCHIVE_KEYS);
    pqsql_move_run(m, "CREATE TABLE " PQSQL_ARCHIVE_KEYS "(f TEXT, n INTEGER, PRIMARY KEY (f, n)) "
                      "WITHOUT ROWID");
    PQ_TRY(pqsql_move_run(m, "INSERT INTO " PQSQL_ARCHIVE_KEYS " SELECT \"parquet_archive file\", "
                             "\"parquet_archive row\" %s(%s\n)", rows, a->where));
    n = sqlite3_changes64(m->db);
    if (!n) {
        return PQ_OK;
    }
    PQ_TRY(leave_files(a, &n_rest));
    PQ_TRY(pqsql_move_run(m, "INSERT OR ABORT INTO %s(%s) SELECT %s %s" IN_FILES " AND " IS_KEY,
                          a->name, names, names, rows));
    if (sqlite3_changes64(m->db) != n) {
        return pqsql_archive_refuse(a, "got other rows than its files have: nothing was done");
    }
    a->n_rows += n;
    if (n_rest) {
        a->t.source = pq_arena_printf(&m->arena, &m->e, "%s" IN_FILES " AND NOT " IS_KEY, rows);
        n_files = a->n_files;
        pqsql_archive_write(a, part, pq_arena_printf(&m->arena, &m->e, "%s/%u", a->run, i + 1),
                            n_rest);
        a->n_files = n_files;        /* the answer counts those that leave   */
    }
    return m->e.rc;
}

/* The folder that the runs of a table are in. */
static const char *folder_of(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    const char *path = !pqsql_archive_has_files(a) ? NULL
                           : pqsql_move_word(m, "SELECT path %s LIMIT 1", a->live);

    path = path ? pqsql_move_print(m, "%.*s", (int)pq_run_folder_of(path), path) : NULL;
    return path ? pqsql_move_print(m, "%.*s", (int)(pq_path_name(path) - path), path) : NULL;
}

/* Files all of whose rows satisfy the condition leave. */
static PqRc drop_part(PqsqlArchive *a, uint32_t i)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT c.f, c.n, f.rows FROM (SELECT \"parquet_archive file\" AS f, count(*) AS n "
           "%s(%s\n) GROUP BY 1) AS c LEFT JOIN %s AS f ON f.path = c.f",
        rows_of(a, &a->parts[i]), a->where, a->files);

    while (pqsql_move_next(m, &s)) {
        int64_t n = sqlite3_column_int64(s, 1);

        if (n == sqlite3_column_int64(s, 2)) {
            pqsql_move_run(m, "UPDATE %s SET rows = NULL WHERE path = %Q", a->files,
                           pqsql_move_text(m, s, 0));
            a->n_files++;
            a->n_rows += n;
        } else {
            a->n_left_files++;
            a->n_left_rows += n;
        }
    }
    return m->e.rc;
}

/* Does it with each part.  A run is begun, as for rows that go out, in the folder of the others. */
static PqRc change(PqsqlArchive *a, const char *folder, PqRc (*part)(PqsqlArchive *a, uint32_t i))
{
    PqsqlMove *m = &a->m;

    PQ_TRY(pqsql_archive_check_triggers(a));
    PQ_TRY(pqsql_archive_begin(a));
    if (pqsql_archive_run_begin(a, folder) == PQ_OK) {
        for (uint32_t i = 0, n = a->n_parts; i < n && m->e.rc == PQ_OK; i++) {
            part(a, i);
        }
        if (m->e.rc == PQ_OK && a->n_files) {
            pqsql_archive_show(a);
        }
    }
    PQ_TRY(pqsql_archive_run_end(a));
    if (pqsql_archive_lock(a) == PQ_OK) {
        pqsql_archive_sweep(a);      /* if that cannot be now, the next call does it */
    }
    pqsql_archive_run_end(a);
    pq_err_clear(&m->e);
    return PQ_OK;
}

/* ---- the calls ------------------------------------------------------------------------- */

static void call(PqsqlArchive *a, sqlite3_context *ctx, int argc, sqlite3_value **argv,
                 const char *options, const char *of_copy,
                 PqRc (*part)(PqsqlArchive *a, uint32_t i))
{
    PqsqlMove *m = &a->m;
    const char *folder;

    if (!pqsql_move_begin(m, ctx, argc, argv, 2, 3, "table, where [, options])")) {
        return;
    }
    if (pqsql_archive_open(a, argv[0], argv[1], options, of_copy) == PQ_OK) {
        folder = folder_of(a);
        if (!a->where) {
            pq_fail(&m->e, PQ_USAGE, "%s needs a condition; 1 is all rows", m->function);
        } else if (folder) {
            change(a, folder, part);
        }
    }
    pqsql_move_end(m, ctx, pqsql_move_print(
        m, "{\"rows\":%lld,\"files\":%lld,\"left_rows\":%lld,\"left_files\":%lld}", a->n_rows,
        a->n_files, a->n_left_rows, a->n_left_files));
}

void pqsql_call_restore(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlArchive a = {.m = {.function = "parquet_restore"}};

    call(&a, ctx, argc, argv, "schema, triggers",
         "compression, compression_level, encryption, memory, threads", restore_part);
}

void pqsql_call_archive_drop(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlArchive a = {.m = {.function = "parquet_archive_drop"}, .touches_no_row = true};

    call(&a, ctx, argc, argv, "schema", "", drop_part);
}
