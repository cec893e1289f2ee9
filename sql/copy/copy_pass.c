/*
** copy_pass.c - reads a query as far as it takes to see that nothing is done
** with a column.
**
**   SELECT items FROM [schema.]table [[AS] alias] [WHERE ...] [ORDER BY ...]
**
** Only queries of this form are read: one SELECT, of one table.  The column's
** name may be an item, with a table in front and an alias, or come from a *.
** The name and the alias may stand nowhere else.  ORDER BY must not count
** items, because ORDER BY 2 may mean the column.
*/
#include "sql/copy/copy_pass.h"

#include "sql/token.h"

enum { MOST_ALIASES = 4 };

typedef struct Reading {
    const char *at;
    PqsqlToken  now;
    bool        after_point;
    PqSlice     column;
    PqsqlToken  alias[MOST_ALIASES];
    uint32_t    n_aliases;
} Reading;

static void next(Reading *r)
{
    r->after_point = pqsql_is_sign(r->now, '.');
    r->now = pqsql_next_token(&r->at);
}

/* A string is a name after a point: log.'event'. */
static bool is_name(const Reading *r)
{
    return r->now.kind == PQSQL_TOKEN_WORD ||
           (r->now.kind == PQSQL_TOKEN_TEXT && r->after_point);
}

static bool is(const Reading *r, PqSlice name)
{
    return is_name(r) && pqsql_names(r->now, name);
}

static bool is_word(const Reading *r, const char *word)
{
    return pqsql_is_word(r->now, word);
}

static bool is_sign(const Reading *r, char sign)
{
    return pqsql_is_sign(r->now, sign);
}

/* ---- the query ----------------------------------------------------------- */

static bool is_forbidden(const Reading *r)
{
    static const char *const words[] = {
        "SELECT", "WITH", "DISTINCT", "UNION", "INTERSECT", "EXCEPT", "GROUP",
        "HAVING", "JOIN", "NATURAL", "OVER", "WINDOW", "VALUES", "MATCH"};

    return pqsql_is_one_of(r->now, words, PQ_COUNT(words));
}

/* At a name that may be followed by .name: true if the last one is the
** column's. */
static bool take_path(Reading *r)
{
    bool last = is(r, r->column);

    next(r);
    while (is_sign(r, '.')) {
        next(r);
        last = is(r, r->column);
        next(r);
    }
    return last;
}

static bool ends_item(const Reading *r)
{
    return is_sign(r, ',') || is_word(r, "FROM");
}

/* After the column's name as an item: [[AS] alias]. */
static bool take_alias(Reading *r)
{
    PqSlice name;

    if (is_word(r, "AS")) {
        next(r);
    }
    if (ends_item(r)) {
        return true;
    }
    name = pqsql_bare(r->now);
    if (!is_name(r) || r->n_aliases == MOST_ALIASES ||
        memchr(name.p, '"', name.n) || memchr(name.p, '`', name.n)) {
        return false;
    }
    r->alias[r->n_aliases++] = r->now;
    next(r);
    return ends_item(r);
}

/* An item that is not the column: its name is not in it. */
static bool take_other_item(Reading *r)
{
    int depth = 0;

    while (r->now.n > 0 && (depth > 0 || !ends_item(r))) {
        if (is_forbidden(r) || is(r, r->column)) {
            return false;
        }
        depth += is_sign(r, '(') - is_sign(r, ')');
        next(r);
    }
    return r->now.n > 0;
}

static bool take_item(Reading *r)
{
    if (is_name(r) && !is_forbidden(r)) {
        bool column = take_path(r);

        if (column) {
            return take_alias(r);
        }
    }
    return take_other_item(r);
}

static bool begins_clause(const Reading *r)
{
    return r->now.n == 0 || is_sign(r, ';') || is_word(r, "WHERE") ||
           is_word(r, "ORDER") || is_word(r, "LIMIT");
}

/* FROM [schema.]table [[AS] alias] */
static bool take_from(Reading *r, PqSlice table)
{
    bool found = is(r, table);

    if (!is_name(r)) {
        return false;
    }
    next(r);
    if (is_sign(r, '.')) {
        next(r);
        found = is(r, table);
        next(r);
    }
    if (is_word(r, "AS")) {
        next(r);
    }
    if (!begins_clause(r)) {
        found = found && is_name(r);
        next(r);
    }
    return found && begins_clause(r);
}

static bool is_alias(const Reading *r)
{
    for (uint32_t i = 0; i < r->n_aliases; i++) {
        if (is(r, pqsql_bare(r->alias[i]))) {
            return true;
        }
    }
    return false;
}

/* WHERE, ORDER BY, LIMIT: without the column. */
static bool take_rest(Reading *r)
{
    bool order = false, list;

    for (; r->now.n > 0 && !is_sign(r, ';'); next(r)) {
        if (is_forbidden(r) || is(r, r->column) || is_alias(r) ||
            (order && r->now.kind == PQSQL_TOKEN_NUMBER)) {
            return false;
        }
        order = is_word(r, "ORDER") || (order && !is_word(r, "LIMIT"));
        list = is_word(r, "IN");
        if (list) {                  /* IN table reads that one's columns */
            next(r);
            if (!is_sign(r, '(')) {
                return false;
            }
        }
    }
    if (is_sign(r, ';')) {
        next(r);
    }
    return r->now.n == 0;
}

bool pqsql_copy_passes(const char *sql, const char *table, const char *column)
{
    Reading r = {.at = sql, .column = pq_slice_text(column)};

    next(&r);
    if (!is_word(&r, "SELECT") || strpbrk(column, "\"`'")) {
        return false;                /* a quote is written in two ways */
    }
    do {
        next(&r);
        if (!take_item(&r)) {
            return false;
        }
    } while (is_sign(&r, ','));
    next(&r);
    return take_from(&r, pq_slice_text(table)) && take_rest(&r);
}
