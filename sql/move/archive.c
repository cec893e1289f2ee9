/*
** archive.c - parquet_archive(table, where, folder [, options]): rows that are cold go out
** into files, and are still in the view over both.
**
** archive.h says in which order.  The rows are chosen once: their keys lie in a temp table,
** so the files hold the rows that are deleted, whatever the condition says the second time.
*/
#include "sql/move/archive.h"

#define RUN "temp.\"parquet_archive run\""

static const char options[] = "schema, column, keep_days, batch, vacuum, triggers";
static const char of_copy[] = "partition_by, file_rows, file_bytes, encryption, "
                              PQSQL_MOVE_OF_COPY;

/* ---- transactions -------------------------------------------------------------------- */

/* EXTRA: a commit is on the disk, and stays, when it returns. */
PqRc pqsql_archive_begin(PqsqlArchive *a)
{
    enum { EXTRA = 3 };

    a->m.last = pqsql_move_print(&a->m, "DROP TABLE IF EXISTS " PQSQL_ARCHIVE_KEYS "; PRAGMA "
                                  "\"%w\".synchronous = %lld", a->m.schema,
                                  pqsql_move_int(&a->m, "PRAGMA \"%w\".synchronous", a->m.schema));
    return pqsql_move_run(&a->m, "PRAGMA \"%w\".synchronous = %d", a->m.schema, EXTRA);
}

PqRc pqsql_archive_lock(PqsqlArchive *a)
{
    pqsql_move_run(&a->m, "BEGIN");
    return pqsql_move_run(&a->m, "UPDATE %s SET rows = NULL WHERE path = %Q", a->files, a->run);
}

PqRc pqsql_archive_run_begin(PqsqlArchive *a, const char *folder)
{
    PqsqlMove *m = &a->m;

    PQ_TRY(pq_run_folder_name(m->host->engine->remote, &m->arena, folder, a->t.name, &a->run,
                              &m->e));
    a->forget = pqsql_move_print(m, "DELETE FROM %s WHERE path = %Q", a->files, a->run);
    pqsql_move_run(m, "CREATE TABLE IF NOT EXISTS %s(\"table\" TEXT NOT NULL, path TEXT PRIMARY "
                      "KEY, rows INTEGER, bytes INTEGER, \"column\" TEXT, min, max, sha256 TEXT, "
                      "kinds TEXT)", a->files);
    pqsql_move_run(m, "INSERT INTO %s(\"table\", path) VALUES (%Q, %Q)", a->files, a->t.name,
                   a->run);
    PQ_TRY(pqsql_archive_lock(a));
    if (sqlite3_changes64(m->db) != 1) {
        return pqsql_move_refuse(m, "another call took the lock at this moment; call it again");
    }
    PQ_TRY(pqsql_archive_check_triggers(a));     /* made since, as between batches */
    PQ_TRY(pqsql_archive_sweep(a));
    return pqsql_archive_parts(a);
}

PqRc pqsql_archive_run_end(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;

    pqsql_move_run(m, "%s", a->forget);
    if (pqsql_move_run(m, "COMMIT") == PQ_OK) {
        a->run = NULL;
        return PQ_OK;
    }
    if (!sqlite3_get_autocommit(m->db)) {
        pqsql_move_give_up(m, "ROLLBACK");
    }
    if (a->run && pq_run_folder_remove(m->host->engine->remote, a->run)) {
        sqlite3_exec(m->db, a->forget, NULL, NULL, NULL);
    }
    return m->e.rc;
}

/* ---- files ----------------------------------------------------------------------------- */

/* Folders are named by copies of the columns, which stay in the files as they are. */
static PqRc copy(PqsqlArchive *a, const char *into)
{
    PqsqlMove *m = &a->m;
    const char *how = m->of_copy, *by = NULL;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "WITH by(name) AS (SELECT value FROM json_each(%Q, '$.partition_by')) SELECT "
           "json_set(%Q, '$.partition_by', json_group_array('by_' || name)), "
           "group_concat(printf(', \"%%w\" AS \"by_%%w\"', name, name), '') FROM by "
           "HAVING count(*)", how, how);

    while (pqsql_move_next(m, &s)) {
        how = pqsql_move_text(m, s, 0);
        by = pqsql_move_text(m, s, 1);
    }
    PQ_TRY(pqsql_move_copy(m, &a->t, how));
    return pqsql_move_run(m, "SELECT parquet_copy_to(%Q, %Q, %Q)",
                          by ? pqsql_move_print(m, "SELECT *%s FROM (%s)", by, a->t.query)
                             : a->t.query, into, a->t.options);
}

/* The least and the greatest value of the column in a file, unless nobody is to know them. */
static const char *bounds(PqsqlArchive *a, const PqsqlArchivePart *part)
{
    const char *c = a->column, *rows;

    if (!c || a->is_encrypted) {
        return "NULL, NULL";
    }
    rows = pqsql_move_print(
        &a->m, "(%s FROM " RUN ") WHERE \"parquet_archive file\" = f.file_name",
        pqsql_archive_select(a, part, ", filename AS \"parquet_archive file\""));
    /* Each by itself: its file knows it, mostly. */
    return pqsql_move_print(&a->m, "(SELECT min(\"%w\") FROM %s), (SELECT max(\"%w\") FROM %s)", c,
                            rows, c, rows);
}

/* Enters the files that were written.  Their footers say how many rows they have. */
static PqRc enter(PqsqlArchive *a, const PqsqlArchivePart *part, const char *folder, int64_t n)
{
    PqsqlMove *m = &a->m;
    int64_t n_rows = 0;
    sqlite3_stmt *s;

    pqsql_move_run(m, "DROP TABLE IF EXISTS " RUN);
    PQ_TRY(pqsql_archive_table(a, part, "temp", "parquet_archive run", folder));
    s = pqsql_move_prepare(
        m, "INSERT INTO %s SELECT %Q, f.file_name, f.num_rows, f.file_size_bytes, %Q, %s, "
           "pq_archive_digest(f.file_name), %Q FROM parquet_file_metadata(%Q) AS f RETURNING rows, "
           "bytes", a->files, a->t.name, a->column, bounds(a, part), part->kinds, folder);
    while (pqsql_move_next(m, &s)) {
        n_rows += sqlite3_column_int64(s, 0);
        a->n_files++;
        a->n_bytes += sqlite3_column_int64(s, 1);
    }
    pqsql_move_run(m, "DROP TABLE " RUN);
    return n_rows == n ? m->e.rc
                       : pqsql_archive_refuse(a, "has other rows than its files: nothing was done");
}

PqRc pqsql_archive_write(PqsqlArchive *a, const PqsqlArchivePart *part, const char *into, int64_t n)
{
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        a->t.columns[i].kind = part->kind[i];
        a->t.columns[i].required = false;
    }
    into = pq_arena_printf(&a->m.arena, &a->m.e, "%s/", into);
    PQ_TRY(into ? copy(a, into) : a->m.e.rc);
    return enter(a, part, into, n);
}

/* ---- a batch --------------------------------------------------------------------------- */

#define IS_CHOSEN "FROM %s NOT INDEXED WHERE (%s) IN (SELECT * FROM " PQSQL_ARCHIVE_KEYS ")"

/* Keeps the keys of the rows that move, and looks at these rows. */
static PqRc choose(PqsqlArchive *a, int64_t batch)
{
    PqsqlMove *m = &a->m;

    pqsql_move_run(m, "DROP TABLE IF EXISTS " PQSQL_ARCHIVE_KEYS);
    if (a->t.has_rowid) {            /* asked as it is, and in its order     */
        pqsql_move_run(m, "CREATE TABLE " PQSQL_ARCHIVE_KEYS "(id INTEGER PRIMARY KEY)");
    }
    pqsql_move_run(m, "%s " PQSQL_ARCHIVE_KEYS " %s SELECT %s FROM %s WHERE (%s\n) LIMIT %lld",
                   a->t.has_rowid ? "INSERT INTO" : "CREATE TABLE", a->t.has_rowid ? "" : "AS",
                   a->keys, a->name, a->where, (long long)batch);
    a->t.source = pq_arena_printf(&m->arena, &m->e, IS_CHOSEN, a->name, a->keys);
    return pqsql_move_see(m, &a->t);
}

static PqRc move_rows(PqsqlArchive *a)
{
    PqsqlArchivePart *part;

    PQ_TRY(pqsql_archive_check_references(a));
    PQ_TRY(pqsql_archive_fit(a, &part));
    PQ_TRY(pqsql_archive_write(a, part, a->run, a->t.n_rows));
    PQ_TRY(pqsql_move_run(&a->m, "DELETE " IS_CHOSEN, a->name, a->keys));
    if (sqlite3_changes64(a->m.db) != a->t.n_rows) {
        return pqsql_archive_refuse(a, "lost other rows than were written: nothing was done");
    }
    a->n_rows += a->t.n_rows;
    return pqsql_archive_show(a);
}

static PqRc archive_batch(PqsqlArchive *a, int64_t batch, int64_t *n)
{
    PqsqlMove *m = &a->m;

    *n = 0;
    if (pqsql_archive_run_begin(a, m->folder) == PQ_OK && choose(a, batch) == PQ_OK) {
        *n = a->t.n_rows;
        if (*n) {
            move_rows(a);
        } else if (!pqsql_move_has(m, a->all)) {
            pqsql_archive_show(a);
        }
    }
    return pqsql_archive_run_end(a);
}

/* ---- the call -------------------------------------------------------------------------- */

/* Rows older than so many days: a date as text, or seconds since 1970. */
static PqRc add_days(PqsqlArchive *a, int64_t days)
{
    PqsqlMove *m = &a->m;
    const char *day = pqsql_move_word(m, "SELECT date('now', '-%lld days')", (long long)days);
    const char *second = pqsql_move_word(m, "SELECT strftime('%%s', 'now', '-%lld days')",
                                         (long long)days);

    if (!a->column || !day || !second) {
        return pqsql_move_refuse(m, "keep_days %s",
                                 !a->column ? "needs a column" : "goes back too far");
    }
    a->where = pqsql_move_print(
        m, "(CASE typeof(\"%w\") WHEN 'text' THEN \"%w\" GLOB "
           "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' AND \"%w\" < %Q WHEN 'blob' THEN 0 ELSE "
           "\"%w\" < %s END) AND (%s\n)", a->column, a->column, a->column, day, a->column, second,
        a->where ? a->where : "1");
    return m->e.rc;
}

static PqRc take_options(PqsqlArchive *a, int64_t *batch, bool *vacuum)
{
    PqsqlMove *m = &a->m;
    int64_t days = -1;

    PQ_TRY(pqsql_move_take_size(m, "keep_days", &days));
    PQ_TRY(pqsql_move_take_size(m, "batch", batch));
    if (days >= 0) {
        PQ_TRY(add_days(a, days));
    }
    if (!a->where) {
        return pq_fail(&m->e, PQ_USAGE, "%s needs a condition, or keep_days", m->function);
    }
    if (*batch == 0) {
        return pqsql_move_refuse(m, "batch is a number of rows");
    }
    *vacuum = pqsql_move_says(m, "vacuum");
    if (*vacuum && pqsql_move_int(m, "PRAGMA \"%w\".auto_vacuum", m->schema) != 2) {
        return pqsql_move_refuse(m, "vacuum needs PRAGMA auto_vacuum = incremental, and a VACUUM "
                                 "that makes it so");
    }
    return m->e.rc;
}

/* Between batches others get the lock.  Whoever waits for it, by SQLite's own busy handler,
** asks every 100 ms. */
static PqRc run(PqsqlArchive *a)
{
    enum { PAUSE_MS = 110 };
    PqsqlMove *m = &a->m;
    int64_t batch = -1, n;
    bool vacuum = false;

    PQ_TRY(take_options(a, &batch, &vacuum));
    PQ_TRY(pqsql_archive_check_triggers(a));
    PQ_TRY(pqsql_archive_begin(a));
    PQ_TRY(archive_batch(a, batch, &n));
    while (batch > 0 && n == batch) {
        sqlite3_sleep(PAUSE_MS);
        PQ_TRY(archive_batch(a, batch, &n));
    }
    if (vacuum) {
        pqsql_move_run(m, "PRAGMA \"%w\".incremental_vacuum", m->schema);
    }
    return m->e.rc;
}

static int64_t bytes_here(PqsqlMove *m)
{
    return pqsql_move_int(m, "PRAGMA \"%w\".page_count", m->schema) *
           pqsql_move_int(m, "PRAGMA \"%w\".page_size", m->schema);
}

void pqsql_call_archive(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlArchive a = {.m = {.function = "parquet_archive"}};
    PqsqlMove *m = &a.m;
    int64_t before = 0;

    if (!pqsql_move_begin(m, ctx, argc, argv, 3, 4, "table, where, folder [, options])")) {
        return;
    }
    if (pqsql_archive_open(&a, argv[0], argv[1], options, of_copy) == PQ_OK) {
        before = bytes_here(m);
        if (pqsql_move_take_folder(m, argv[2]) == PQ_OK && pqsql_move_name_target(m) == PQ_OK) {
            run(&a);
        }
    }
    pqsql_move_end(m, ctx, pqsql_move_print(
        m, "{\"rows\":%lld,\"files\":%lld,\"bytes_before\":%lld,\"bytes_after\":%lld,"
           "\"bytes_there\":%lld}", a.n_rows, a.n_files, before, bytes_here(m), a.n_bytes));
}
