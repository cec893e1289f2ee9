/*
** import_schema.c - which statements of schema.sql are run.
**
** The file may be a stranger's.  Without trust, a statement is run only if an empty
** database of its own takes it for CREATE TABLE, INDEX or VIEW and nothing else, and
** then it is run as SQLite has noted it there.  Triggers and virtual tables make a
** program do things later, so they need trust.  A CHECK is asked for each row, and SQLite
** before 3.41 lets it call load_extension(): a call of what is for statements alone
** (SQLITE_DIRECTONLY) is refused here.
*/
#include "sql/move/move.h"

#include "sql/token.h"

/* What a statement makes: CREATE UNIQUE INDEX makes an index; "": nothing.  *after is
** where the name begins, or IF NOT EXISTS. */
static const char *type_of(const char *sql, const char **after)
{
    static const char *const types[] = {"table", "index", "view", "trigger"};
    const char *at = sql;
    PqsqlToken t = pqsql_next_token(&at);
    bool is_virtual = false;

    if (!pqsql_is_word(t, "CREATE")) {
        return "";
    }
    for (int i = 0; i < 3; i++) {
        t = pqsql_next_token(&at);
        for (size_t k = 0; k < PQ_COUNT(types); k++) {
            if (pqsql_is_word(t, types[k])) {
                *after = at;
                return is_virtual ? "virtual" : types[k];
            }
        }
        is_virtual = is_virtual || pqsql_is_word(t, "VIRTUAL");
    }
    return "";
}

static const char *next_name(PqsqlMove *m, const char **at)
{
    PqsqlToken t = pqsql_next_token(at);
    char *name = pq_arena_text(&m->arena, t.at, t.n, &m->e);

    if (name && t.quoted) {
        pqsql_unquote(pq_slice(t.at, t.n), name);
    }
    return name;
}

const char *pqsql_move_on(PqsqlMove *m, const char **at)
{
    PqsqlToken t;

    do {
        t = pqsql_next_token(at);
    } while (t.kind != PQSQL_TOKEN_END && !pqsql_is_word(t, "ON"));
    return next_name(m, at);
}

/* The two files name the same tables, or rows would be lost in silence.  Of two statements that
** make a table, one that is run counts. */
static PqRc find_table(PqsqlMove *m, const char *name, bool is_virtual, bool is_run)
{
    bool is_named = false;

    PQ_TRY(pq_stop_poll(&m->host->stop, &m->e));
    for (uint32_t i = 0; i < m->manifest.n_tables; i++) {
        PqsqlMoveTable *t = &m->manifest.tables[i];

        if (sqlite3_stricmp(t->name, name) == 0) {
            t->is_virtual = t->is_made ? t->is_virtual : is_virtual;
            t->is_made = t->is_made || is_run;
            t->is_known = is_named = true;
        }
    }
    return is_named ? PQ_OK : pq_fail(&m->e, PQ_CORRUPT, "%smanifest.json does not name table "
                                      "%.200s, which schema.sql makes", m->folder, name);
}

/* CREATE TABLE t(a): with the schema before the name.  Without its text if it is left out.  A
** statement about a table that is not wanted is none. */
static PqRc add_part(PqsqlMove *m, PqsqlImportSchema *out, const char *sql, bool is_run)
{
    const char *after = sql, *type = type_of(sql, &after), *next = after, *table = NULL;
    bool is_virtual = strcmp(type, "virtual") == 0, makes = is_virtual || !strcmp(type, "table");

    if (pqsql_is_word(pqsql_next_token(&next), "IF")) {
        pqsql_next_token(&next);
        pqsql_next_token(&next);
        after = next;
    }
    after += strspn(after, " \t\r\n");
    if (strcmp(type, "view")) {      /* a table, or what its index or trigger is about */
        next = after;
        table = makes ? next_name(m, &next) : pqsql_move_on(m, &next);
    }
    if (m->e.rc != PQ_OK || (table && !pqsql_move_wants(m, table))) {
        return m->e.rc;
    }
    PQ_TRY(PQ_ARENA_GROW(&m->arena, out->parts, out->n, &m->e));
    out->parts[out->n++] = (PqsqlImportPart){
        .type = type, .table = table,
        .sql = !is_run ? NULL : pqsql_move_print(m, "%.*s\"%w\".%s", (int)(after - sql), sql,
                                                 m->schema, after)};
    return makes ? find_table(m, table, is_virtual, is_run) : m->e.rc;
}

/* ---- without trust ---------------------------------------------------------------- */

static int only_create(void *arg, int action, const char *a, const char *b, const char *schema,
                       const char *trigger)
{
    const PqsqlImportSchema *of = arg;
    char function[300];              /* SQLite lets a name have 255 bytes    */

    switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_VIEW:
    case SQLITE_READ:
    case SQLITE_REINDEX:
    case SQLITE_TRANSACTION:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        sqlite3_snprintf(sizeof function, function, ",%s,", b);
        return strstr(of->direct, function) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
        return a && sqlite3_strnicmp(a, "sqlite_", 7) == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Runs it in the empty database, and takes what that has noted. */
static PqRc confirm(PqsqlMove *m, sqlite3 *scratch, const char *sql, PqsqlImportSchema *out)
{
    sqlite3_stmt *s = NULL;
    const char *tail = "";
    int rc = sqlite3_prepare_v3(scratch, sql, -1, 0, &s, &tail);

    rc = rc == SQLITE_OK && s ? sqlite3_step(s) : rc;
    sqlite3_finalize(s);
    if (rc != SQLITE_DONE || tail[strspn(tail, " \t\r\n;")]) {
        pq_fail(&m->e, PQ_USAGE, "%sschema.sql: %.60s ...: %s", m->folder, sql,
                sqlite3_errmsg(scratch));
        pq_err_hint(&m->e, "if you know who made the folder, {\"trust_schema\": true} runs "
                    "each CREATE as it is");
        return m->e.rc;
    }
    sqlite3_set_authorizer(scratch, NULL, NULL);
    rc = sqlite3_prepare_v3(scratch, "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND "
                                     "name NOT LIKE 'sqlite~_%' ESCAPE '~' "
                                     "ORDER BY rowid DESC LIMIT 1", -1, 0, &s, NULL);
    if (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        add_part(m, out, pqsql_move_text(m, s, 0), true);
    }
    sqlite3_finalize(s);
    sqlite3_set_authorizer(scratch, only_create, out);
    return m->e.rc;
}

static PqRc open_scratch(PqsqlMove *m, PqsqlImportSchema *to, sqlite3 **out)
{
    to->direct = pqsql_move_word(m, "SELECT ',' || group_concat(name) || ',' FROM "
                                    "pragma_function_list WHERE flags & %d", SQLITE_DIRECTONLY);
    PQ_TRY(m->e.rc);
    if (sqlite3_open_v2(":memory:", out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)) {
        return pq_fail(&m->e, PQ_NOMEM, "out of memory");
    }
    sqlite3_set_authorizer(*out, only_create, to);
    return PQ_OK;
}

/* ---- all of it -------------------------------------------------------------------- */

static PqRc take(PqsqlMove *m, sqlite3 *scratch, const char *sql, PqsqlImportSchema *out)
{
    const char *after = sql, *type = type_of(sql, &after);
    bool needs_trust = strcmp(type, "trigger") == 0 || strcmp(type, "virtual") == 0;

    if (*type && !needs_trust && scratch) {
        return confirm(m, scratch, sql, out);
    }
    if (!*type || scratch) {
        pqsql_move_item(&out->left_out, '[', pq_slice_text(sql));
    }
    return *type ? add_part(m, out, sql, !scratch) : m->e.rc;
}

/* The end of a statement, which is behind its semicolon; that of a trigger is behind
** ; END ; */
static const char *end_of_statement(const char *sql)
{
    const char *after = sql;
    bool is_trigger = strcmp(type_of(sql, &after), "trigger") == 0;
    PqsqlToken t = {0}, before = {0}, first = {0};

    do {
        first = before;
        before = t;
        t = pqsql_next_token(&sql);
    } while (t.kind != PQSQL_TOKEN_END &&
             !(pqsql_is_sign(t, ';') &&
               (!is_trigger || (pqsql_is_word(before, "END") && pqsql_is_sign(first, ';')))));
    return sql;
}

PqRc pqsql_import_schema(PqsqlMove *m, const char *text, bool trust, PqsqlImportSchema *out)
{
    sqlite3 *scratch = NULL;
    const char *end;

    if (trust || open_scratch(m, out, &scratch) == PQ_OK) {
        for (; *text && m->e.rc == PQ_OK; text = end) {
            PqsqlToken first;
            const char *sql, *at;

            end = end_of_statement(text);
            sql = pq_arena_text(&m->arena, text, (size_t)(end - text), &m->e);
            first = (at = sql) ? pqsql_next_token(&at) : (PqsqlToken){0};
            if (first.kind != PQSQL_TOKEN_END && !pqsql_is_sign(first, ';')) {
                take(m, scratch, first.at, out);
            }
        }
    }
    sqlite3_close(scratch);
    return m->e.rc;
}
