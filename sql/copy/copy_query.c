/*
** copy_query.c - prepares one SELECT, and binds its parameters.
**
** What is hard is to refuse statements that look like a query to SQLite: a
** PRAGMA returns rows and counts as read-only, but may change the connection.
** A parameter without a value is an error here, while SQLite would take it as
** NULL.
*/
#include "sql/copy/copy_query.h"

#include "sql/token.h"

PqRc pqsql_copy_query_error(sqlite3 *db, PqErr *e, const char *before)
{
    int rc = sqlite3_errcode(db);

    return rc == SQLITE_NOMEM ? pq_fail(e, PQ_NOMEM, "out of memory")
           : rc == SQLITE_INTERRUPT
               ? pq_fail(e, PQ_STOPPED, "interrupted")
               : pq_fail(e, PQ_USAGE, "%s%s", before, sqlite3_errmsg(db));
}

/* ---- parameters ------------------------------------------------------------------- */

/* Binds a number as SQLite reads the digits, because only SQLite knows which
** REAL it takes as the nearest. */
static PqRc bind_number(sqlite3 *db, sqlite3_stmt *query, int i, PqSlice digits,
                        PqErr *e)
{
    bool is_real = memchr(digits.p, '.', digits.n) ||
                   memchr(digits.p, 'e', digits.n) ||
                   memchr(digits.p, 'E', digits.n);
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, is_real ? "SELECT CAST(?1 AS REAL)"
                                            : "SELECT CAST(?1 AS NUMERIC)",
                                -1, &s, NULL);

    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text(s, 1, (const char *)digits.p, (int)digits.n,
                               SQLITE_STATIC);
    }
    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        rc = sqlite3_bind_value(query, i, sqlite3_column_value(s, 0));
    }
    if (rc != SQLITE_OK) {
        pqsql_copy_query_error(db, e, "params: ");
    }
    sqlite3_finalize(s);
    return e->rc;
}

static PqRc bind_value(sqlite3 *db, sqlite3_stmt *query, int i, PqJsonRead *r,
                       const PqJsonToken *t, PqErr *e)
{
    PqSlice text = t->text;
    int rc;

    switch (t->kind) {
    case PQ_JSON_NULL:
        rc = sqlite3_bind_null(query, i);
        break;
    case PQ_JSON_TRUE:
    case PQ_JSON_FALSE:
        rc = sqlite3_bind_int(query, i, t->kind == PQ_JSON_TRUE);
        break;
    case PQ_JSON_NUMBER:
        return bind_number(db, query, i, text, e);
    default:
        if (t->kind != PQ_JSON_STRING) {
            PQ_TRY(pq_json_read_skip(r, t, &text, e));
        }
        rc = sqlite3_bind_text64(query, i, text.n ? (const char *)text.p : "",
                                 text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    }
    return rc == SQLITE_OK ? PQ_OK : pqsql_copy_query_error(db, e, "params: ");
}

/* Finds :name, @name or $name; the options may have the sign too. */
static int named_parameter(sqlite3_stmt *query, const char *name)
{
    int n = sqlite3_bind_parameter_count(query), i;

    for (i = 1; i <= n; i++) {
        const char *own = sqlite3_bind_parameter_name(query, i);

        if (own && (strcmp(own, name) == 0 || strcmp(own + 1, name) == 0)) {
            return i;
        }
    }
    return 0;
}

static PqRc bind_by_name(sqlite3 *db, sqlite3_stmt *query, PqJsonRead *r,
                         bool *bound, PqErr *e)
{
    for (;;) {
        const char *name;
        PqJsonToken t;
        int i;

        PQ_TRY(pq_json_read_next(r, &t, e));
        if (t.kind != PQ_JSON_KEY) {
            return PQ_OK;
        }
        name = pq_arena_text(r->arena, t.text.p, t.text.n, e);
        if (!name) {
            return e->rc;
        }
        i = named_parameter(query, name);
        if (i == 0) {
            return pq_fail(e, PQ_USAGE, "params: the query has no parameter %s",
                           name);
        }
        PQ_TRY(pq_json_read_next(r, &t, e));
        PQ_TRY(bind_value(db, query, i, r, &t, e));
        bound[i - 1] = true;
    }
}

static PqRc bind_in_order(sqlite3 *db, sqlite3_stmt *query, PqJsonRead *r,
                          bool *bound, PqErr *e)
{
    int n = sqlite3_bind_parameter_count(query), i;

    for (i = 0;; i++) {
        PqJsonToken t;

        PQ_TRY(pq_json_read_next(r, &t, e));
        if (t.kind == PQ_JSON_ARRAY_END) {
            return PQ_OK;
        }
        if (i == n) {
            return pq_fail(e, PQ_USAGE, "params: more values than parameters "
                           "in the query, which has %d", n);
        }
        PQ_TRY(bind_value(db, query, i + 1, r, &t, e));
        bound[i] = true;
    }
}

/* Fails for a parameter without a value. */
static PqRc all_bound(sqlite3_stmt *query, const bool *bound, int n, PqErr *e)
{
    for (int i = 0; i < n; i++) {
        const char *name = sqlite3_bind_parameter_name(query, i + 1);

        if (!bound[i] && name) {
            return pq_fail(e, PQ_USAGE, "the query's parameter %s has no value: "
                           "write {\"params\": {\"%s\": ...}}", name, name + 1);
        }
        if (!bound[i]) {
            return pq_fail(e, PQ_USAGE, "the query's parameter %d has no value: "
                           "write {\"params\": [...]}", i + 1);
        }
    }
    return PQ_OK;
}

static PqRc bind_all(sqlite3 *db, sqlite3_stmt *query,
                     const PqsqlCopyOptions *o, PqMem *mem, PqErr *e)
{
    int n = sqlite3_bind_parameter_count(query);
    PqArena a;
    PqJsonRead r;
    PqJsonToken t;
    bool *bound;
    PqRc rc;

    pq_arena_init(&a, mem);
    PQ_GO(PQ_ARENA_NEW(&a, bound, (size_t)n + 1, e));
    if (o->params.n) {
        pq_json_read_begin(&r, o->params, &a);
        PQ_GO(pq_json_read_next(&r, &t, e));
        PQ_GO(o->params_are_named ? bind_by_name(db, query, &r, bound, e)
                                  : bind_in_order(db, query, &r, bound, e));
    }
    rc = all_bound(query, bound, n, e);
done:
    pq_arena_free(&a);
    return rc;
}

/* ---- the statement ---------------------------------------------------------------- */

static PqRc no_tail(sqlite3 *db, const char *tail, PqErr *e)
{
    while (*tail) {
        sqlite3_stmt *s = NULL;
        const char *next = tail;
        int rc = sqlite3_prepare_v2(db, tail, -1, &s, &next);

        sqlite3_finalize(s);
        if (s || rc != SQLITE_OK) {
            return rc == SQLITE_NOMEM
                       ? pqsql_copy_query_error(db, e, "")
                       : pq_fail(e, PQ_USAGE, "the query is several statements: "
                                 "a copy takes one");
        }
        tail = next > tail ? next : tail + strlen(tail);
    }
    return PQ_OK;
}

/* After blanks, comments and empty statements. */
static PqsqlToken first_word(const char *sql)
{
    PqsqlToken t;

    do {
        t = pqsql_next_token(&sql);
    } while (pqsql_is_sign(t, ';'));
    return t;
}

/* To SQLite, a PRAGMA returns rows and changes nothing; but it may change the
** connection. */
static PqRc is_query(sqlite3_stmt *s, const char *sql, PqErr *e)
{
    if (!s) {
        return pq_fail(e, PQ_USAGE, "the query is empty");
    }
    if (sqlite3_stmt_isexplain(s) || pqsql_is_word(first_word(sql), "PRAGMA") ||
        !sqlite3_stmt_readonly(s) || sqlite3_column_count(s) == 0) {
        return pq_fail(e, PQ_USAGE, "the query is not a SELECT: a copy takes "
                       "the rows of a SELECT");
    }
    return PQ_OK;
}

PqRc pqsql_copy_query_open(sqlite3 *db, const char *sql,
                           const PqsqlCopyOptions *o, PqMem *mem,
                           sqlite3_stmt **out, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    const char *tail = sql;
    PqRc rc = PQ_OK;

    *out = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, &tail) != SQLITE_OK) {
        return pqsql_copy_query_error(db, e, "the query: ");
    }
    PQ_GO(is_query(s, sql, e));
    PQ_GO(no_tail(db, tail, e));
    PQ_GO(bind_all(db, s, o, mem, e));
    *out = s;
    s = NULL;
done:
    sqlite3_finalize(s);
    return rc;
}

/* The columns get numbers for names, which need no quoting and do not repeat:
**
**   WITH "rows of the copy"("1", "2") AS (
**   SELECT id, geom FROM t
**   ) SELECT * FROM "rows of the copy" ORDER BY pq_ST_Hilbert("2") NULLS LAST
**
** A semicolon at the end may belong to a comment, which does not need it. */
static void write_sorted(sqlite3_stmt *query, const PqBuf *by, PqBuf *out)
{
    static const char name[] = "\"rows of the copy\"";
    const char *sql = first_word(sqlite3_sql(query)).at;
    size_t length = strlen(sql);
    int n = sqlite3_column_count(query), i;

    length -= length > 0 && sql[length - 1] == ';';
    pq_buf_printf(out, "WITH %s(", name);
    for (i = 1; i <= n; i++) {
        pq_buf_printf(out, "%s\"%d\"", i > 1 ? ", " : "", i);
    }
    pq_buf_text(out, ") AS (\n");
    pq_buf_add(out, sql, length);
    pq_buf_printf(out, "\n) SELECT * FROM %s ORDER BY ", name);
    pq_buf_add(out, by->p, by->n);
    pq_buf_byte(out, 0);
}

PqRc pqsql_copy_query_sort(sqlite3 *db, sqlite3_stmt **query, const PqBuf *by,
                           const PqsqlCopyOptions *o, PqMem *mem, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    PqBuf sql;
    PqRc rc;

    pq_buf_init(&sql, mem, e);
    write_sorted(*query, by, &sql);
    PQ_GO(e->rc);
    if (sqlite3_prepare_v2(db, (const char *)sql.p, -1, &s, NULL) !=
        SQLITE_OK) {
        rc = pqsql_copy_query_error(db, e, "the query, sorted: ");
        goto done;
    }
    PQ_GO(bind_all(db, s, o, mem, e));
    sqlite3_finalize(*query);
    *query = s;
    s = NULL;
done:
    sqlite3_finalize(s);
    pq_buf_free(&sql);
    return rc;
}
