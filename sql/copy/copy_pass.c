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


typedef enum Kind { T_END, T_NAME, T_NUMBER, T_OTHER } Kind;

typedef struct Token {
    Kind        kind;
    bool        quoted;              /* a NAME that is no keyword           */
    char        c;                   /* OTHER: its first character          */
    const char *z;
    size_t      n;
} Token;

enum { MOST_ALIASES = 4 };

typedef struct Reading {
    const char *at;
    Token       now;
    const char *column;
    Token       alias[MOST_ALIASES];
    uint32_t    n_aliases;
} Reading;

/* ---- tokens -------------------------------------------------------------- */

static const char *skip_blanks(const char *z)
{
    for (;;) {
        if (pq_ascii_is_blank(*z)) {
            z++;
        } else if (z[0] == '-' && z[1] == '-') {
            z += strcspn(z, "\n");
        } else if (z[0] == '/' && z[1] == '*') {
            const char *end = strstr(z + 2, "*/");
            z = end ? end + 2 : z + strlen(z);
        } else {
            return z;
        }
    }
}

/* A quoted piece, without the quotes; a quote inside stays doubled.  A string
** is a name after a point: log.'event'. */
static const char *take_quoted(const char *z, bool after_point, Token *t)
{
    char quote = *z == '[' ? ']' : *z;

    t->kind = quote == '\'' && !after_point ? T_OTHER : T_NAME;
    t->c = '\'';
    t->quoted = true;
    t->z = ++z;
    while (*z && (*z != quote || (quote != ']' && z[1] == quote))) {
        z += *z == quote ? 2 : 1;
    }
    t->n = (size_t)(z - t->z);
    return z + (*z != 0);
}

static bool is_char(const Token *t, char c)
{
    return t->kind == T_OTHER && !t->quoted && t->c == c;
}

static void next(Reading *r)
{
    const char *z = skip_blanks(r->at);
    bool after_point = is_char(&r->now, '.');
    Token *t = &r->now;

    *t = (Token){.kind = T_OTHER, .c = *z, .z = z};
    if (!*z) {
        t->kind = T_END;
    } else if (strchr("'\"`[", *z)) {
        z = take_quoted(z, after_point, t);
    } else if ((*z >= '0' && *z <= '9') || (*z == '.' && z[1] >= '0' &&
                                           z[1] <= '9')) {
        t->kind = T_NUMBER;
        for (; pq_ascii_in_name(*z) || *z == '.'; z++) {
        }
    } else if (pq_ascii_in_name(*z) && *z != '$') {
        t->kind = T_NAME;
        for (; pq_ascii_in_name(*z); z++) {
        }
    } else {                         /* a parameter is no name */
        bool parameter = strchr("?:@$#", *z);

        for (z++; parameter && pq_ascii_in_name(*z); z++) {
        }
    }
    t->n = t->quoted ? t->n : (size_t)(z - t->z);
    r->at = z;
}

static bool is(const Token *t, const char *name)
{
    return t->kind == T_NAME && t->n == strlen(name) &&
           pq_ascii_same_n(t->z, name, t->n);
}

static bool is_word(const Token *t, const char *word)
{
    return !t->quoted && is(t, word);
}

/* ---- the query ----------------------------------------------------------- */

static bool is_forbidden(const Token *t)
{
    static const char *const words[] = {
        "SELECT", "WITH", "DISTINCT", "UNION", "INTERSECT", "EXCEPT", "GROUP",
        "HAVING", "JOIN", "NATURAL", "OVER", "WINDOW", "VALUES", "MATCH"};

    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        if (is_word(t, words[i])) {
            return true;
        }
    }
    return false;
}

/* At a name that may be followed by .name: true if the last one is the
** column's. */
static bool take_path(Reading *r)
{
    bool last = is(&r->now, r->column);

    next(r);
    while (is_char(&r->now, '.')) {
        next(r);
        last = is(&r->now, r->column);
        next(r);
    }
    return last;
}

static bool ends_item(const Token *t)
{
    return is_char(t, ',') || is_word(t, "FROM");
}

/* After the column's name as an item: [[AS] alias]. */
static bool take_alias(Reading *r)
{
    if (is_word(&r->now, "AS")) {
        next(r);
    }
    if (ends_item(&r->now)) {
        return true;
    }
    if (r->now.kind != T_NAME || r->n_aliases == MOST_ALIASES ||
        memchr(r->now.z, '"', r->now.n) || memchr(r->now.z, '`', r->now.n)) {
        return false;
    }
    r->alias[r->n_aliases++] = r->now;
    next(r);
    return ends_item(&r->now);
}

/* An item that is not the column: its name is not in it. */
static bool take_other_item(Reading *r)
{
    int depth = 0;

    while (r->now.kind != T_END && (depth > 0 || !ends_item(&r->now))) {
        if (is_forbidden(&r->now) || is(&r->now, r->column)) {
            return false;
        }
        depth += is_char(&r->now, '(') - is_char(&r->now, ')');
        next(r);
    }
    return r->now.kind != T_END;
}

static bool take_item(Reading *r)
{
    if (r->now.kind == T_NAME && !is_forbidden(&r->now)) {
        bool column = take_path(r);

        if (column) {
            return take_alias(r);
        }
    }
    return take_other_item(r);
}

static bool begins_clause(const Token *t)
{
    return t->kind == T_END || is_char(t, ';') || is_word(t, "WHERE") ||
           is_word(t, "ORDER") || is_word(t, "LIMIT");
}

/* FROM [schema.]table [[AS] alias] */
static bool take_from(Reading *r, const char *table)
{
    bool found = is(&r->now, table);

    if (r->now.kind != T_NAME) {
        return false;
    }
    next(r);
    if (is_char(&r->now, '.')) {
        next(r);
        found = is(&r->now, table);
        next(r);
    }
    if (is_word(&r->now, "AS")) {
        next(r);
    }
    if (!begins_clause(&r->now)) {
        found = found && r->now.kind == T_NAME;
        next(r);
    }
    return found && begins_clause(&r->now);
}

static bool is_alias(const Reading *r)
{
    for (uint32_t i = 0; i < r->n_aliases; i++) {
        const Token *a = &r->alias[i];

        if (r->now.kind == T_NAME && r->now.n == a->n &&
            pq_ascii_same_n(r->now.z, a->z, a->n)) {
            return true;
        }
    }
    return false;
}

/* WHERE, ORDER BY, LIMIT: without the column. */
static bool take_rest(Reading *r)
{
    bool order = false, list;

    for (; r->now.kind != T_END && !is_char(&r->now, ';'); next(r)) {
        if (is_forbidden(&r->now) || is(&r->now, r->column) || is_alias(r) ||
            (order && r->now.kind == T_NUMBER)) {
            return false;
        }
        order = is_word(&r->now, "ORDER") ||
                (order && !is_word(&r->now, "LIMIT"));
        list = is_word(&r->now, "IN");
        if (list) {                  /* IN table reads that one's columns */
            next(r);
            if (!is_char(&r->now, '(')) {
                return false;
            }
        }
    }
    if (is_char(&r->now, ';')) {
        next(r);
    }
    return r->now.kind == T_END;
}

bool pqsql_copy_passes(const char *sql, const char *table, const char *column)
{
    Reading r = {.at = sql, .column = column};

    next(&r);
    if (!is_word(&r.now, "SELECT") || strpbrk(column, "\"`'")) {
        return false;                /* a quote is written in two ways */
    }
    do {
        next(&r);
        if (!take_item(&r)) {
            return false;
        }
    } while (is_char(&r.now, ','));
    next(&r);
    return take_from(&r, table) && take_rest(&r);
}
