/*
** export_grow.c - exports that grow: {"incremental": {"events": "rowid"}}.
**
**   manifest.json says        the table has           then
**   events.parquet  1000      ids up to 1000: 990     events.parquet stays,
**   grown_to id 1000          ... beyond: 50          events.1.parquet has the 50
**
** What has been deleted since stays in the export.  But if there are more rows that are not
** newer than the manifest counts, some came late, and would be lost: an error.
**
** New files have names that the old manifest does not name, schema.sql stays as it is, and
** manifest.json gets its name last.  So the folder has the old state until that moment,
** and the new one from then on, whatever is killed.
*/
#include "sql/move/move.h"

/* ---- a table ----------------------------------------------------------------------- */

/* The last file of the table says how far it had come, if it was exported to grow by this
** column. */
PqRc pqsql_grow_table(PqsqlMove *m, const PqsqlManifest *old, PqsqlMoveTable *t)
{
    const PqsqlMoveTable *last = NULL;

    t->grows_by = pqsql_move_word(m, "SELECT value FROM json_each(%Q, '$.incremental') WHERE "
                                     "key = %Q COLLATE NOCASE", m->options, t->name);
    if (m->e.rc != PQ_OK || !t->grows_by) {
        return m->e.rc;
    }
    if (t->is_virtual) {
        return pqsql_move_refuse(m, "incremental: %.200s is a virtual table, which is exported "
                                 "as a whole", t->name);
    }
    for (uint32_t i = 0; old && i < old->n_tables; i++) {
        if (sqlite3_stricmp(old->tables[i].name, t->name) == 0) {
            last = &old->tables[i];
            t->n_before += (uint64_t)last->n_rows;
        }
    }
    if (last && last->how == PQSQL_MOVE_ROWS && last->grows_by && last->grown_to &&
        sqlite3_stricmp(last->grows_by, t->grows_by) == 0) {
        t->source = pqsql_move_print(
            m, "FROM \"%w\".\"%w\" AS incremental WHERE incremental.\"%w\" > json_extract(%Q, "
               "'$')", m->schema, t->name, t->grows_by, last->grown_to);
        t->grown_to = last->grown_to;
    }
    return m->e.rc;
}

/* A column is named with its table: "gone" alone, of a column that is not there, is a text.  The
** alias names the option in SQLite's error. */
PqRc pqsql_grow_look(PqsqlMove *m, PqsqlMoveTable *t)
{
    const char *all;
    uint64_t n_now;
    sqlite3_stmt *s;

    if (!t->grows_by) {
        return PQ_OK;
    }
    all = pqsql_move_print(m, "FROM \"%w\".\"%w\" AS incremental", m->schema, t->name);
    if (t->source) {
        n_now = (uint64_t)(pqsql_move_int(m, "SELECT count(*) %s", all) - t->n_rows);
        if (n_now > t->n_before) {
            pq_fail(&m->e, PQ_USAGE, "%llu rows are not newer than %s = %.200s, but only %llu were "
                    "exported: some came late", (unsigned long long)n_now, t->grows_by,
                    t->grown_to, (unsigned long long)t->n_before);
            pq_err_hint(&m->e, "{\"overwrite\": \"replace\"} beside incremental exports all of it "
                        "anew");
        }
    }
    s = pqsql_move_prepare(
        m, "SELECT v, typeof(v), iif(typeof(v) IN ('integer', 'text'), json_quote(v), NULL) FROM "
           "(SELECT max(incremental.\"%w\") AS v %s)", t->grows_by, t->source ? t->source : all);
    if (pqsql_move_step(m, s) && sqlite3_column_type(s, 0) != SQLITE_NULL) {
        bool is_plain = sqlite3_column_type(s, 0) != SQLITE_TEXT ||
                        (pqsql_move_comes_back(sqlite3_column_value(s, 0)) &&
                         !memchr(sqlite3_column_text(s, 0), 0, (size_t)sqlite3_column_bytes(s, 0)));

        t->grown_to = pqsql_move_text(m, s, 2);
        if (!*t->grown_to || !is_plain) {
            pq_fail(&m->e, PQ_USAGE, "incremental: the greatest value of %s is a %s, and has to be "
                    "an integer or a plain text", t->grows_by, pqsql_move_text(m, s, 1));
        }
    }
    sqlite3_finalize(s);
    return m->e.rc;
}

/* ---- what stays -------------------------------------------------------------------- */

PqRc pqsql_grow_keep(PqsqlMove *m, const PqsqlManifest *old)
{
    PqsqlManifest now = m->manifest;

    m->manifest.tables = NULL;
    m->manifest.n_tables = 0;
    for (const PqsqlMoveTable *t = now.tables; t < now.tables + now.n_tables; t++) {
        for (uint32_t i = 0; t->source && i < old->n_tables; i++) {
            PqsqlMoveTable kept = old->tables[i];

            if (kept.file && sqlite3_stricmp(kept.name, t->name) == 0) {
                kept.sequence = t->sequence;
                kept.grows_by = t->grows_by;
                kept.grown_to = t->grown_to;
                PQ_TRY(pqsql_manifest_add(m, &m->manifest, &kept));
                PQ_TRY(pq_publish_keep(m->publish, kept.file, &m->e));
            }
        }
        if (!t->source || t->n_rows) {
            PQ_TRY(pqsql_manifest_add(m, &m->manifest, t));
        }
    }
    return m->e.rc;
}
