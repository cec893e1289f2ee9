/*
** import_rows.c - the rows of a file into a table.
**
** One INSERT takes all rows of a file, and values go over as they are.  Only a text that is
** not in its encoding has to be made again, of {"hex": "FF41"}: pq_import_text does that.  For
** progress, pq_import_row is called for each row, inside of the INSERT: while that runs,
** SQLite lets nobody commit the half that is there.
*/
#include "sql/move/move.h"

#include "sql/argument.h"

static PqRc wrong(PqsqlMove *m, const PqsqlMoveTable *t, const char *what)
{
    return pq_fail(&m->e, PQ_CORRUPT, "%s%s: %s", m->folder, t->file, what);
}

/* A database of another encoding has other characters in the place of texts in hex. */
static PqRc check_encoding(PqsqlMove *m, const PqsqlMoveTable *t)
{
    bool is_16 = strncmp(m->manifest.encoding, "UTF-16", strlen("UTF-16")) == 0;

    if (pqsql_move_int(m, "SELECT encoding LIKE 'UTF-16%%' FROM pragma_encoding") != is_16) {
        wrong(m, t, is_16 ? "has texts that are not UTF-16, which only a UTF-16 database can hold"
                          : "has texts that are not UTF-8, which only a UTF-8 database can hold");
    }
    return m->e.rc;
}

static const char of_progress[] = "PqsqlMove";

int64_t pqsql_import_insert(PqsqlMove *m, const char *insert, const char *table,
                            const char *names, const char *values)
{
    bool is_told = m->progress.interval != 0;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "%s INTO \"%w\".\"%w\" (%s) SELECT %s FROM " PQSQL_MOVE_FILE "%s", insert, m->schema,
        table, names, values, is_told ? " WHERE pq_import_row(?)" : "");
    int64_t n;

    if (s && is_told) {
        sqlite3_bind_pointer(s, 1, m, of_progress, NULL);
    }
    pqsql_move_step(m, s);
    sqlite3_finalize(s);
    n = sqlite3_changes64(m->db);
    pqsql_move_run(m, "DROP TABLE " PQSQL_MOVE_FILE);
    return n;
}

/* An export that replaces another one, and is killed, may leave files of both, some of which
** have the same columns and number of rows.  What the function takes has no quotes. */
static PqRc check_run(PqsqlMove *m, const PqsqlMoveTable *t, const char *keys)
{
    if (t->run && !(keys && strchr(keys, '\'')) &&
        !pqsql_move_int(m, "SELECT count(*) FROM parquet_kv_metadata('%q%q', %Q) WHERE key = "
                           "'" PQSQL_MOVE_RUN "' AND value = %Q", m->folder, t->file,
                        keys, t->run)) {
        wrong(m, t, "is of another export than manifest.json: one was stopped while it replaced "
                    "files; export again");
    }
    return m->e.rc;
}

PqRc pqsql_import_open(PqsqlMove *m, const char *file, const char *options, const char *keys)
{
    pqsql_move_run(m, "DROP TABLE IF EXISTS " PQSQL_MOVE_FILE);
    return pqsql_move_run(m, "CREATE VIRTUAL TABLE " PQSQL_MOVE_FILE " USING parquet('%q%q'%s%s%s)",
                          m->folder, file, options, keys ? ", " : "", keys ? keys : "");
}

PqRc pqsql_import_rows(PqsqlMove *m, const PqsqlMoveTable *t, const char *keys)
{
    int64_t n = pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo(%Q, %Q) WHERE "
                                  "hidden = 0", t->name, m->schema);
    const char *names;

    if (n != t->n_columns) {         /* a default of a stranger's would be used  */
        return wrong(m, t, "has other columns than the table in schema.sql");
    }
    if (pqsql_import_open(m, t->file, ", hive=off, variant=blob", keys) == PQ_OK &&
        check_run(m, t, keys) == PQ_OK && (!t->has_hex || check_encoding(m, t) == PQ_OK)) {
        names = pqsql_move_word(m, "SELECT group_concat(printf('\"%%w\"', name), ', ') FROM "
                                   "pragma_table_xinfo('parquet_import of a file', 'temp') WHERE "
                                   "hidden = 0");
        if (!names || sqlite3_stricmp(names, t->names)) {
            wrong(m, t, "has other columns than manifest.json says");
        }
        if (pqsql_import_insert(m, "INSERT OR ABORT", t->name, t->names, t->values) != t->n_rows) {
            wrong(m, t, "has another number of rows than manifest.json says");
        }
    }
    return pqsql_move_in_table(m, t->name);
}

/* ---- functions that the INSERT calls ------------------------------------------------- */

/* 'FF41' and 'UTF-8' -> the text of these bytes.  SQLite takes away a mark of byte order that
** a text in UTF-16 begins with: it gets one, and so keeps its own. */
void pqsql_call_import_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const uint8_t mark[][2] = {{0xFF, 0xFE}, {0xFE, 0xFF}};
    const uint8_t *digits = sqlite3_value_text(argv[0]);
    PqSlice hex = pq_slice(digits, (size_t)sqlite3_value_bytes(argv[0]));
    const char *encoding = (const char *)sqlite3_value_text(argv[1]);
    size_t n_mark = encoding && strncmp(encoding, "UTF-16", strlen("UTF-16")) == 0 ? sizeof *mark
                                                                                  : 0;
    char *text = sqlite3_malloc64(hex.n / 2 + sizeof mark);

    if (!text) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    memcpy(text, mark[n_mark && strcmp(encoding, "UTF-16be") == 0], sizeof *mark);
    if (digits && hex.n % 2 == 0 &&
        pq_hex_parse(hex, (uint8_t *)text + n_mark) == PQ_PARSE_OK) {
        sqlite3_result_text64(ctx, text, n_mark + hex.n / 2, sqlite3_free,
                              n_mark ? SQLITE_UTF16 : SQLITE_UTF8);
    } else {
        sqlite3_free(text);
        sqlite3_result_error(ctx, "the file has a value that parquet_export did not write", -1);
    }
}

/* Counts a row.  Without the pointer it is not an import that asks. */
void pqsql_call_import_row(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlMove *m = sqlite3_value_pointer(argv[0], of_progress);
    PqErr e = PQ_NO_ERR;

    if (m) {
        m->progress.rows++;
        if (pqsql_copy_progress_is_due(&m->progress) &&
            pqsql_copy_progress_tell(&m->progress, 0, -1, &e) != PQ_OK) {
            pqsql_result_error(ctx, &e);
            return;
        }
    }
    sqlite3_result_int(ctx, 1);
}
