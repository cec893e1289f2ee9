/*
** statement.c - statements that an export and an import run, and their options.
**
** The first error is kept in the call's own place, so that a caller may run several
** statements and look once.
*/
#include "sql/move/move.h"

#include "sql/argument.h"
#include "sql/copy/copy_query.h"
#include "sql/size_text.h"
#include "sql/statement_text.h"

#include <stdarg.h>
#include <stdio.h>

const char *const pqsql_move_rowids[] = {"rowid", "_rowid_", "oid"};

sqlite3_stmt *pqsql_move_prepare(PqsqlMove *m, const char *format, ...)
{
    sqlite3_stmt *s = NULL;
    const char *rest = "";
    va_list list;
    char *sql;

    if (m->e.rc != PQ_OK) {
        return NULL;
    }
    va_start(list, format);
    sql = sqlite3_vmprintf(format, list);
    va_end(list);
    if (!sql) {
        pq_fail(&m->e, PQ_NOMEM, "out of memory");
    } else if (sqlite3_prepare_v3(m->db, sql, -1, 0, &s, &rest) != SQLITE_OK) {
        pqsql_copy_query_error(m->db, &m->e, "");
    } else if (*rest) {              /* of a condition such as "1); DROP ..." */
        pq_fail(&m->e, PQ_USAGE, "it takes one expression, and not what follows: %.60s", rest);
    }
    sqlite3_free(sql);
    return s;
}

PqRc pqsql_move_check_condition(PqsqlMove *m, const char *where, const char *from)
{
    sqlite3_stmt *s = pqsql_move_prepare(m, "SELECT (\n%s\n), %s\nFROM %s", where, where, from);

    if (sqlite3_bind_parameter_count(s) > 0) {
        pqsql_move_refuse(m, "the condition has a parameter, which would be NULL: put the value "
                          "into the text, by printf('id = %%d', ?)");
    }
    sqlite3_finalize(s);
    return m->e.rc;
}

bool pqsql_move_step(PqsqlMove *m, sqlite3_stmt *s)
{
    int rc = m->e.rc == PQ_OK && s ? sqlite3_step(s) : SQLITE_DONE;

    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        pqsql_copy_query_error(m->db, &m->e, "");
    }
    return rc == SQLITE_ROW;
}

bool pqsql_move_next(PqsqlMove *m, sqlite3_stmt **s)
{
    bool is_row = pqsql_move_step(m, *s);

    if (!is_row) {
        sqlite3_finalize(*s);
        *s = NULL;
    }
    return is_row;
}

PqRc pqsql_move_run_all(PqsqlMove *m, sqlite3_stmt *s)
{
    while (pqsql_move_next(m, &s)) {
    }
    return m->e.rc;
}

int64_t pqsql_move_first_int(PqsqlMove *m, sqlite3_stmt *s)
{
    int64_t v = pqsql_move_step(m, s) ? sqlite3_column_int64(s, 0) : 0;

    sqlite3_finalize(s);
    return v;
}

const char *pqsql_move_first_word(PqsqlMove *m, sqlite3_stmt *s)
{
    const char *out = NULL;

    if (pqsql_move_step(m, s) && sqlite3_column_type(s, 0) != SQLITE_NULL) {
        out = pqsql_move_text(m, s, 0);
    }
    sqlite3_finalize(s);
    return out;
}

const char *pqsql_move_text(PqsqlMove *m, sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    int n = sqlite3_column_bytes(s, column);
    const char *out = pq_arena_text(&m->arena, text ? (const char *)text : "",
                                    text ? (size_t)n : 0, &m->e);

    return out ? out : "";
}

static void append(PqsqlMove *m, PqBuf *b, const char *format, va_list list)
{
    char *text = sqlite3_vmprintf(format, list);

    if (text) {
        pq_buf_text(b, text);
    } else {
        pq_fail(&m->e, PQ_NOMEM, "out of memory");
    }
    sqlite3_free(text);
}

void pqsql_move_sql(PqsqlMove *m, PqBuf *b, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    append(m, b, format, list);
    va_end(list);
}

const char *pqsql_move_print(PqsqlMove *m, const char *format, ...)
{
    va_list list;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    va_start(list, format);
    append(m, &b, format, list);
    va_end(list);
    return pqsql_move_take(m, &b);
}

const char *pqsql_move_take(PqsqlMove *m, PqBuf *b)
{
    const char *text;

    pq_buf_byte(b, 0);
    text = pq_arena_take(&m->arena, b);
    return text ? text : "";
}

void pqsql_move_item(PqBuf *b, char opens, PqSlice text)
{
    pq_buf_byte(b, b->n ? ',' : (uint8_t)opens);
    pq_json_text_string(text, b);
}

const char *pqsql_move_close(PqsqlMove *m, PqBuf *b, const char *brackets)
{
    pq_buf_text(b, b->n ? brackets + 1 : brackets);
    return pqsql_move_take(m, b);
}

PqRc pqsql_move_refuse(PqsqlMove *m, const char *format, ...)
{
    char why[PQ_ERR_TEXT];
    va_list list;

    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return pq_fail(&m->e, PQ_USAGE, "%s: %s", m->function, why);
}

PqRc pqsql_move_in_table(PqsqlMove *m, const char *table)
{
    PqErr why = m->e;

    if (why.rc != PQ_OK && why.rc != PQ_STOPPED && why.rc != PQ_NOMEM) {
        pq_err_clear(&m->e);
        pq_fail(&m->e, why.rc, "table %.200s: %s", table, why.text);
    }
    return why.rc;
}

sqlite3_blob *pqsql_move_hold_transaction(PqsqlMove *m)
{
    sqlite3_blob *blob = NULL;

    sqlite3_blob_open(m->db, m->schema, "sqlite_master", "sql", 1, 1, &blob);
    return blob;
}

/* What could write, and is interrupted, makes SQLite roll back the whole transaction by
** itself.  A BLOB that is opened for writing is that, and needs no compiler. */
void pqsql_move_give_up(PqsqlMove *m, const char *rollback)
{
    if (sqlite3_exec(m->db, rollback, NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_blob_close(pqsql_move_hold_transaction(m));
    }
}

/* ---- a call ---------------------------------------------------------------------- */

const char *pqsql_move_argument(PqsqlMove *m, sqlite3_value *v, const char *what)
{
    PqSlice text;

    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        pqsql_move_refuse(m, "%s is a text", what);
    } else if (pqsql_text_of(v, &text, &m->e) == PQ_OK) {
        if (!memchr(text.p, 0, text.n)) {
            return pq_arena_text(&m->arena, text.p, text.n, &m->e);
        }
        pqsql_move_refuse(m, "a NUL is in %s", what);
    }
    return NULL;
}

PqRc pqsql_move_take_folder(PqsqlMove *m, sqlite3_value *v)
{
    m->folder = pqsql_move_argument(m, v, "the folder");
    return m->folder && !*m->folder ? pqsql_move_refuse(m, "the folder has no name") : m->e.rc;
}

bool pqsql_move_begin(PqsqlMove *m, sqlite3_context *ctx, int argc, sqlite3_value **argv,
                      int least, int most, const char *arguments)
{
    enum { MEMORY = 256 << 20 };

    if (!pqsql_direct_only(ctx, m->function)) {
        return false;
    }
    m->db = sqlite3_context_db_handle(ctx);
    m->host = sqlite3_user_data(ctx);
    pqsql_copy_keep_init(&m->keep, m->db);
    m->keep.host.keys = m->host->keys;
    pq_err_init(&m->e);
    m->mem = pq_mem_new(MEMORY);
    if (!m->mem) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    pq_arena_init(&m->arena, m->mem);
    m->options = "{}";
    m->o.patience = pq_usual_patience;
    if (argc < least || argc > most) {
        pq_fail(&m->e, PQ_USAGE, "%s(%s", m->function, arguments);
        pqsql_move_end(m, ctx, NULL);
        return false;
    }
    if (argc == most && sqlite3_value_type(argv[argc - 1]) != SQLITE_NULL) {
        m->options = pqsql_move_argument(m, argv[argc - 1], "the JSON of options");
    }
    return true;
}

PqRc pqsql_move_name_target(PqsqlMove *m)
{
    PqPlaces places = pq_engine_places(m->host->engine, true, &m->o.patience);

    return pq_places_name(&places, &m->arena, m->folder, &m->folder, &m->e);
}

PqRc pqsql_move_name_folder(PqsqlMove *m)
{
    size_t n;

    PQ_TRY(pqsql_move_name_target(m));
    n = pq_folder_length(m->folder, strlen(m->folder));
    m->folder = pq_arena_printf(&m->arena, &m->e, "%.*s/", (int)n, m->folder);
    return m->e.rc;
}

void pqsql_move_end(PqsqlMove *m, sqlite3_context *ctx, const char *answer)
{
    if (m->e.rc != PQ_OK) {
        pqsql_result_error(ctx, &m->e);
    } else if (answer) {
        pqsql_result_text(ctx, answer, strlen(answer));
    }
    if (m->last) {
        sqlite3_exec(m->db, m->last, NULL, NULL, NULL);
    }
    pq_publish_free(m->publish);
    pqsql_copy_progress_end(&m->progress);
    pq_arena_wipe(&m->arena);        /* a URL may have secrets               */
    pq_mem_release(m->mem);
}

/* ---- options --------------------------------------------------------------------- */

uint32_t pqsql_move_place(const char *word, const char *const *list, uint32_t n)
{
    uint32_t i = 0;

    while (i < n && strcmp(word, list[i])) {
        i++;
    }
    return i;
}

PqRc pqsql_move_check_options(PqsqlMove *m, const char *own, const char *of_copy)
{
    const char *names = pqsql_move_print(m, "%s%s%s", own, *of_copy ? ", " : "", of_copy), *odd;

    if (!pqsql_move_int(m, "SELECT json_valid(%Q) AND json_type(%Q) = 'object'", m->options,
                        m->options)) {
        return pqsql_move_refuse(m, "the options are not a JSON object");
    }
    odd = pqsql_move_word(m, "SELECT key FROM json_each(%Q) WHERE key GLOB '*[^a-z_]*' OR NOT "
                             "instr(', %q,', ', ' || key || ',')", m->options, names);
    if (odd) {
        return pq_fail(&m->e, PQ_USAGE, "%s has no option %.100s; it has %s", m->function, odd,
                       names);
    }
    m->of_copy = pqsql_move_word(m, "SELECT json_group_object(key, json(%Q -> key)) FROM "
                                    "json_each(%Q) WHERE instr(', %q,', ', ' || key || ',')",
                                 m->options, m->options, of_copy);
    m->schema = pqsql_move_word(m, "SELECT coalesce(json_extract(%Q, '$.schema'), 'main')",
                                m->options);
    return m->e.rc;
}

const char *pqsql_move_option(PqsqlMove *m, const char *name)
{
    return pqsql_move_word(m, "SELECT json_extract(%Q, '$.%s')", m->options, name);
}

bool pqsql_move_says(PqsqlMove *m, const char *option)
{
    const char *said = pqsql_move_option(m, option);

    if (said && strcmp(said, "0") && strcmp(said, "1")) {
        pqsql_move_refuse(m, "%s is true or false", option);
    }
    return said && *said == '1';
}

PqRc pqsql_move_take_size(PqsqlMove *m, const char *option, int64_t *out)
{
    const char *text = pqsql_move_option(m, option);

    if (text && (!pqsql_size_parse(text, out) || *out < 0)) {
        return pqsql_move_refuse(m, "option %s: it takes a number, not %.60s", option, text);
    }
    return m->e.rc;
}

PqRc pqsql_move_take_copy(PqsqlMove *m)
{
    PQ_TRY(m->e.rc);
    PQ_TRY(pqsql_copy_options_parse(m->of_copy, &m->arena, &m->o, &m->e));
    return pqsql_copy_progress_begin(&m->progress, m->o.progress, m->db, m->mem, &m->e);
}

PqRc pqsql_move_publish(PqsqlMove *m)
{
    PqsqlCopyColumns none = {.o = &m->o, .a = &m->arena};

    return pqsql_copy_plan_publish(&none, m->folder, &m->keep.host, m->host->engine->remote,
                                   &m->host->stop, NULL, &m->publish, &m->e);
}

PqRc pqsql_move_check_overwrite(PqsqlMove *m)
{
    if (m->o.overwrite != PQSQL_UNSAID && m->o.overwrite != PQ_OVERWRITE_ERROR &&
        m->o.overwrite != PQ_OVERWRITE_REPLACE) {
        pqsql_move_refuse(m, "overwrite is error or replace");
    }
    return m->e.rc;
}

bool pqsql_move_has(PqsqlMove *m, const char *name)
{
    return pqsql_move_int(m, "SELECT count(*) FROM \"%w\".sqlite_schema WHERE name = %Q COLLATE "
                             "NOCASE", m->schema, name) > 0;
}

bool pqsql_move_wants(PqsqlMove *m, const char *table)
{
    return pqsql_move_int(
        m, "SELECT (json_extract(%Q, '$.tables') IS NULL OR EXISTS (SELECT 1 FROM "
           "json_each(%Q, '$.tables') WHERE value = %Q COLLATE NOCASE)) AND NOT EXISTS "
           "(SELECT 1 FROM json_each(%Q, '$.exclude') WHERE value = %Q COLLATE NOCASE)",
        m->options, m->options, table, m->options, table);
}

PqRc pqsql_move_check_names(PqsqlMove *m)
{
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT value FROM json_each(%Q, '$.tables') UNION ALL "
           "SELECT value FROM json_each(%Q, '$.exclude') UNION ALL "
           "SELECT key FROM json_each(%Q, '$.incremental')", m->options, m->options,
        m->options);

    while (pqsql_move_next(m, &s)) {
        const char *name = pqsql_move_text(m, s, 0);

        if (!pqsql_manifest_find(&m->manifest, name)) {
            pqsql_move_refuse(m, "no table is called %.200s", name);
        }
    }
    return m->e.rc;
}
