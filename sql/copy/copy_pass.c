/*
** copy_pass.c - reads a query as far as it takes to see that nothing is done
** with a column.
**
**   SELECT items FROM [schema.]table [[AS] alias] [WHERE ...] [ORDER BY ...]
**
** Only queries of this form are read: one SELECT, of one table.  The column's
** name may be an item, with a table in front and an alias, or come out of a *.
** It may stand nowhere else, and neither may its alias.  ORDER BY must not
** count items, because ORDER BY 2 may mean the column.
*/
#include "sql/copy/copy_pass.h"

#include "sql/copy/query_tokens.h"

enum { MOST_ALIASES = 4 };

typedef struct Reading {
    PqsqlTokens t;
    const char *column;
    PqsqlToken  alias[MOST_ALIASES];
    uint32_t    n_aliases;
} Reading;

static void next(Reading *r)
{
    pqsql_tokens_next(&r->t);
}

/* ---- the query ----------------------------------------------------------- */

static bool is_forbidden(const PqsqlToken *t)
{
    static const char *const words[] = {
        "SELECT", "WITH", "DISTINCT", "UNION", "INTERSECT", "EXCEPT", "GROUP",
        "HAVING", "JOIN", "NATURAL", "OVER", "WINDOW", "VALUES", "MATCH"};

    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        if (pqsql_token_is_word(t, words[i])) {
            return true;
        }
    }
    return false;
}

/* At a name that may be followed by .name: true if the last one is the
** column's. */
static bool take_path(Reading *r)
{
    bool last = pqsql_token_is_name(&r->t.now, r->column);

    next(r);
    while (pqsql_token_is_char(&r->t.now, '.')) {
        next(r);
        last = pqsql_token_is_name(&r->t.now, r->column);
        next(r);
    }
    return last;
}

static bool ends_item(const PqsqlToken *t)
{
    return pqsql_token_is_char(t, ',') || pqsql_token_is_word(t, "FROM");
}

/* After the column's name as an item: [[AS] alias]. */
static bool take_alias(Reading *r)
{
    if (pqsql_token_is_word(&r->t.now, "AS")) {
        next(r);
    }
    if (ends_item(&r->t.now)) {
        return true;
    }
    if (r->t.now.kind != PQSQL_TOKEN_NAME || r->n_aliases == MOST_ALIASES ||
        memchr(r->t.now.z, '"', r->t.now.n) ||
        memchr(r->t.now.z, '`', r->t.now.n)) {
        return false;
    }
    r->alias[r->n_aliases++] = r->t.now;
    next(r);
    return ends_item(&r->t.now);
}

/* An item that is not the column: its name is not in it. */
static bool take_other_item(Reading *r)
{
    int depth = 0;

    while (r->t.now.kind != PQSQL_TOKEN_END &&
           (depth > 0 || !ends_item(&r->t.now))) {
        if (is_forbidden(&r->t.now) ||
            pqsql_token_is_name(&r->t.now, r->column)) {
            return false;
        }
        depth += pqsql_token_is_char(&r->t.now, '(') -
                 pqsql_token_is_char(&r->t.now, ')');
        next(r);
    }
    return r->t.now.kind != PQSQL_TOKEN_END;
}

static bool take_item(Reading *r)
{
    if (r->t.now.kind == PQSQL_TOKEN_NAME && !is_forbidden(&r->t.now)) {
        bool column = take_path(r);

        if (column) {
            return take_alias(r);
        }
    }
    return take_other_item(r);
}

static bool begins_clause(const PqsqlToken *t)
{
    return t->kind == PQSQL_TOKEN_END || pqsql_token_is_char(t, ';') ||
           pqsql_token_is_word(t, "WHERE") || pqsql_token_is_word(t, "ORDER") ||
           pqsql_token_is_word(t, "LIMIT");
}

/* FROM [schema.]table [[AS] alias] */
static bool take_from(Reading *r, const char *table)
{
    bool found = pqsql_token_is_name(&r->t.now, table);

    if (r->t.now.kind != PQSQL_TOKEN_NAME) {
        return false;
    }
    next(r);
    if (pqsql_token_is_char(&r->t.now, '.')) {
        next(r);
        found = pqsql_token_is_name(&r->t.now, table);
        next(r);
    }
    if (pqsql_token_is_word(&r->t.now, "AS")) {
        next(r);
    }
    if (!begins_clause(&r->t.now)) {
        found = found && r->t.now.kind == PQSQL_TOKEN_NAME;
        next(r);
    }
    return found && begins_clause(&r->t.now);
}

static bool is_alias(const Reading *r)
{
    for (uint32_t i = 0; i < r->n_aliases; i++) {
        const PqsqlToken *a = &r->alias[i];

        if (r->t.now.kind == PQSQL_TOKEN_NAME && r->t.now.n == a->n &&
            pq_ascii_same_n(r->t.now.z, a->z, a->n)) {
            return true;
        }
    }
    return false;
}

/* WHERE, ORDER BY, LIMIT: without the column. */
static bool take_rest(Reading *r)
{
    bool order = false, list;

    for (; r->t.now.kind != PQSQL_TOKEN_END &&
           !pqsql_token_is_char(&r->t.now, ';');
         next(r)) {
        if (is_forbidden(&r->t.now) ||
            pqsql_token_is_name(&r->t.now, r->column) || is_alias(r) ||
            (order && r->t.now.kind == PQSQL_TOKEN_NUMBER)) {
            return false;
        }
        order = pqsql_token_is_word(&r->t.now, "ORDER") ||
                (order && !pqsql_token_is_word(&r->t.now, "LIMIT"));
        list = pqsql_token_is_word(&r->t.now, "IN");
        if (list) {                  /* IN table reads that one's columns */
            next(r);
            if (!pqsql_token_is_char(&r->t.now, '(')) {
                return false;
            }
        }
    }
    if (pqsql_token_is_char(&r->t.now, ';')) {
        next(r);
    }
    return r->t.now.kind == PQSQL_TOKEN_END;
}

bool pqsql_copy_passes(const char *sql, const char *table, const char *column)
{
    Reading r = {.column = column};

    pqsql_tokens_begin(&r.t, sql);
    next(&r);
    if (!pqsql_token_is_word(&r.t.now, "SELECT") || strpbrk(column, "\"`'")) {
        return false;                /* a quote is written in two ways */
    }
    do {
        next(&r);
        if (!take_item(&r)) {
            return false;
        }
    } while (pqsql_token_is_char(&r.t.now, ','));
    next(&r);
    return take_from(&r, table) && take_rest(&r);
}
