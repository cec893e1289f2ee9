/*
** import_rows.c - the rows of a file into a table.
**
** Values go from one table to the other as they are.  Only a text that was not UTF-8 has
** to be made again: {"hex": "FF41"}.
*/
#include "sql/move/move.h"

static PqRc wrong(PqsqlMove *m, const PqsqlMoveTable *t, const char *what)
{
    return m->e.rc != PQ_OK ? m->e.rc
                            : pq_fail(&m->e, PQ_CORRUPT, "%s%s: %s", m->folder, t->file, what);
}

/* "parquet_import 3" = variant_get("price", '$'), for the values of a VARIANT as SQLite has
** them; and for one with texts in hex, the Variant itself, which tells its type. */
static const char *path_columns(PqsqlMove *m, const PqsqlMoveTable *t)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].kind >= PQSQL_MOVE_VARIANT) {
            pqsql_move_sql(m, &b, ", \"parquet_import %u\" = variant_get(\"%w\", '$')", i,
                           t->columns[i].name);
        }
        if (t->columns[i].kind == PQSQL_MOVE_HEX) {
            pqsql_move_sql(m, &b, ", \"parquet_import type %u\" = variant_get(\"%w\", '$', "
                                  "'variant')", i, t->columns[i].name);
        }
    }
    return pqsql_move_take(m, &b);
}

/* SELECT of the file's columns, in their order; a column of texts in hex is followed by
** what its value is. */
static const char *read_text(PqsqlMove *m, const PqsqlMoveTable *t)
{
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT name FROM pragma_table_xinfo('parquet_import of a file', 'temp') "
           "WHERE hidden = 0 ORDER BY cid");
    uint32_t n = 0, all = t->n_columns + (t->rowid != NULL), n_paths = 0, n_others = 0;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    while (n < all && pqsql_move_step(m, s)) {
        PqsqlMoveKind kind = n < t->n_columns ? t->columns[n].kind : PQSQL_MOVE_BIGINT;
        const char *its = n < t->n_columns ? t->columns[n].name : t->rowid;

        if (sqlite3_stricmp(its, (const char *)sqlite3_column_text(s, 0))) {
            break;
        }
        pq_buf_text(&b, n ? ", " : "SELECT ");
        if (kind >= PQSQL_MOVE_VARIANT) {
            pq_buf_printf(&b, "\"parquet_import %u\"", n);
            n_paths += kind == PQSQL_MOVE_HEX ? 2 : 1;
        } else {
            pqsql_move_sql(m, &b, "\"%w\"", its);
        }
        if (kind == PQSQL_MOVE_HEX) {
            pq_buf_printf(&b, ", variant_typeof(\"parquet_import type %u\")", n);
        }
        n++;
    }
    while (n == all && pqsql_move_step(m, s)) {
        n_others++;
    }
    sqlite3_finalize(s);
    pq_buf_text(&b, " FROM " PQSQL_MOVE_FILE);
    if (n != all || n_others != n_paths) {
        wrong(m, t, "has other columns than manifest.json says");
    }
    return pqsql_move_take(m, &b);
}

/* INSERT INTO a table, without the values. */
static const char *write_text(PqsqlMove *m, const PqsqlMoveTable *t)
{
    uint32_t n = t->n_columns + (t->rowid != NULL);
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    pqsql_move_sql(m, &b, "INSERT OR ABORT INTO \"%w\".\"%w\"", m->schema, t->name);
    for (uint32_t i = 0; i < n; i++) {
        pqsql_move_sql(m, &b, "%s\"%w\"", i ? ", " : " (",
                       i < t->n_columns ? t->columns[i].name : t->rowid);
    }
    pq_buf_text(&b, ") ");
    return pqsql_move_take(m, &b);
}

static int digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The value is {"hex":"FF41"}: binds the text of these bytes. */
static int bind_hex(sqlite3_stmt *write, int to, sqlite3_stmt *read, int from)
{
    const uint8_t *json = sqlite3_column_text(read, from);
    int n = sqlite3_column_bytes(read, from), before = (int)strlen("{\"hex\":\"");
    int bytes = (n - before - (int)strlen("\"}")) / 2;
    char *text;

    if (!json || bytes < 0 || n != before + 2 * bytes + 2 ||
        memcmp(json, "{\"hex\":\"", (size_t)before)) {
        return SQLITE_MISMATCH;
    }
    text = sqlite3_malloc64((uint64_t)bytes + 1);
    if (!text) {
        return SQLITE_NOMEM;
    }
    for (int i = 0; i < bytes; i++) {
        int high = digit(json[before + 2 * i]), low = digit(json[before + 2 * i + 1]);

        if (high < 0 || low < 0) {
            sqlite3_free(text);
            return SQLITE_MISMATCH;
        }
        text[i] = (char)(high << 4 | low);
    }
    return sqlite3_bind_text64(write, to, text, (sqlite3_uint64)bytes, sqlite3_free, SQLITE_UTF8);
}

static PqRc copy_row(PqsqlMove *m, const PqsqlMoveTable *t, sqlite3_stmt *read,
                     sqlite3_stmt *write)
{
    uint32_t n = t->n_columns + (t->rowid != NULL);
    int from = 0, rc = SQLITE_OK;

    for (uint32_t i = 0; i < n && rc == SQLITE_OK; i++, from++) {
        bool is_hex = i < t->n_columns && t->columns[i].kind == PQSQL_MOVE_HEX;
        const unsigned char *type = is_hex ? sqlite3_column_text(read, from + 1) : NULL;

        if (type && strcmp((const char *)type, "object") == 0) {
            rc = bind_hex(write, (int)i + 1, read, from);
        } else {
            rc = sqlite3_bind_value(write, (int)i + 1, sqlite3_column_value(read, from));
        }
        from += is_hex;
    }
    if (rc == SQLITE_MISMATCH) {
        return wrong(m, t, "has a value that parquet_export did not write");
    }
    if (rc != SQLITE_OK) {
        return pq_fail(&m->e, PQ_NOMEM, "out of memory");
    }
    pqsql_move_step(m, write);
    sqlite3_reset(write);
    return m->e.rc;
}

/* Row by row, because texts are made of hex. */
static int64_t copy_each(PqsqlMove *m, const PqsqlMoveTable *t, const char *write_sql,
                         const char *read_sql)
{
    uint32_t n_columns = t->n_columns + (t->rowid != NULL);
    sqlite3_stmt *read = pqsql_move_prepare(m, "%s", read_sql), *write;
    int64_t n = 0;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < n_columns; i++) {
        pq_buf_text(&b, i ? ", ?" : "?");
    }
    pq_buf_byte(&b, 0);
    write = pqsql_move_prepare(m, "%s VALUES (%s)", write_sql, b.p ? (const char *)b.p : "");
    pq_buf_free(&b);
    while (m->e.rc == PQ_OK && pqsql_move_step(m, read)) {
        n++;
        copy_row(m, t, read, write);
    }
    sqlite3_finalize(read);
    sqlite3_finalize(write);
    return n;
}

static PqRc copy_rows(PqsqlMove *m, const PqsqlMoveTable *t)
{
    const char *read = read_text(m, t), *write = write_text(m, t);
    bool has_hex = false;
    int64_t n;

    for (uint32_t i = 0; i < t->n_columns; i++) {
        has_hex = has_hex || t->columns[i].kind == PQSQL_MOVE_HEX;
    }
    if (has_hex) {
        n = copy_each(m, t, write, read);
    } else {
        pqsql_move_run(m, "%s%s", write, read);
        n = sqlite3_changes64(m->db);
    }
    return n == t->n_rows ? m->e.rc
                          : wrong(m, t, "has another number of rows than manifest.json says");
}

PqRc pqsql_import_rows(PqsqlMove *m, const PqsqlMoveTable *t, const char *keys)
{
    const char *paths = path_columns(m, t);
    int64_t n = pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo(%Q, %Q) WHERE "
                                  "hidden = 0", t->name, m->schema);
    PqErr why;

    if (n != t->n_columns) {         /* a default of a stranger's would be used  */
        return wrong(m, t, "has other columns than the table in schema.sql");
    }
    pqsql_move_run(m, "DROP TABLE IF EXISTS " PQSQL_MOVE_FILE);
    pqsql_move_run(m, "CREATE VIRTUAL TABLE " PQSQL_MOVE_FILE
                      " USING parquet('%q%q', hive=off%s%s%s)",
                   m->folder, t->file, paths, keys ? ", " : "", keys ? keys : "");
    if (m->e.rc == PQ_OK) {
        copy_rows(m, t);
        why = m->e;
        pq_err_clear(&m->e);
        pqsql_move_run(m, "DROP TABLE " PQSQL_MOVE_FILE);
        m->e = why.rc != PQ_OK ? why : m->e;
    }
    return pqsql_move_in_table(m, t);
}
