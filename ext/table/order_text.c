/*
** order_text.c - looks for an ORDER BY of columns.
**
** The text is cut into tokens as SQLite does, as far as that matters: comments
** and white space are between tokens; strings and quoted names are one.
**
** The hard part is what does not stand where one looks for it.  SQLite tells a
** table the columns of a GROUP BY without its constants, so the text may have
** more terms.  A window makes an ORDER BY of its PARTITION BY and its ORDER BY.
** And a name in an ORDER BY may be that of a result, or of a column that only *
** names.
*/
#include "ext/table/order_text.h"

#include "ext/table/statement_text.h"

#include <string.h>

typedef struct Token {
    const char *at;
    size_t      n;                   /* 0: the end of the text              */
} Token;

static const char *skip_space(const char *z)
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

/* The end of what is quoted from z on. */
static const char *end_of_quoted(const char *z)
{
    char quote = *z == '[' ? ']' : *z;

    for (z++; *z && (*z != quote || (quote != ']' && z[1] == quote)); z++) {
        z += *z == quote;
    }
    return z + (*z != 0);
}

static Token next_token(const char **at)
{
    const char *z = skip_space(*at), *end = z;

    if (*z && strchr("'\"`[", *z)) {
        end = end_of_quoted(z);
    } else if (pq_ascii_in_name(*z)) {
        while (pq_ascii_in_name(*end)) {
            end++;
        }
    } else {
        end += *z != 0;
    }
    *at = end;
    return (Token){z, (size_t)(end - z)};
}

static bool is_word(Token t, const char *word)
{
    return t.n == strlen(word) && sqlite3_strnicmp(t.at, word, (int)t.n) == 0;
}

static bool is_char(Token t, char c)
{
    return t.n == 1 && *t.at == c;
}

/* SELECT a AS 'x' gives a name too. */
static bool is_name(Token t)
{
    return t.n > 0 && (pq_ascii_in_name(*t.at) || strchr("'\"`[", *t.at) != NULL);
}

/* Without its quotes. */
static Token bare(Token t)
{
    return strchr("'\"`[", *t.at) && t.n >= 2 ? (Token){t.at + 1, t.n - 2} : t;
}

static bool has_quote(Token t)
{
    t = bare(t);
    while (t.n > 0 && !strchr("'\"`[]", t.at[t.n - 1])) {
        t.n--;
    }
    return t.n > 0;
}

static bool same_name(Token a, Token b)
{
    a = bare(a);
    b = bare(b);
    return a.n == b.n && sqlite3_strnicmp(a.at, b.at, (int)a.n) == 0;
}

/* Does a parenthesis after this token hold what a function is given? */
static bool calls(Token before)
{
    static const char *const others[] = {"select", "distinct", "all", "by",
                                         "as"};
    bool is = is_name(before);

    for (size_t i = 0; is && i < PQ_COUNT(others); i++) {
        is = !is_word(before, others[i]);
    }
    return is;
}

/* Is it the * of SELECT * or t.*, which may name anything? */
static bool is_star(Token t, Token before)
{
    return is_char(t, '*') &&
           (is_char(before, ',') || is_char(before, '.') ||
            is_word(before, "select") || is_word(before, "distinct") ||
            is_word(before, "all"));
}

/* Is every place where the name stands the name that a function's result is
** given, but for those in an ORDER BY?  False also if that cannot be told. */
static bool names_a_function(const char *sql, Token name)
{
    bool parens[64], function = false, seen = false, in_order = false;
    Token t, before = {sql, 0}, two_before = {sql, 0};
    int depth = 0;

    for (t = next_token(&sql); t.n > 0; t = next_token(&sql)) {
        if (is_star(t, before) || has_quote(name)) {
            return false;
        }
        if (is_char(t, '(')) {
            if (depth == 64) {
                return false;
            }
            parens[depth++] = calls(before);
        } else if (is_char(t, ')') && depth > 0) {
            function = parens[--depth];
        }
        if (is_word(t, "order")) {
            in_order = true;
        } else if (is_word(t, "select") || is_word(t, "limit") ||
                   is_char(t, ')')) {
            in_order = false;
        }
        if (is_name(t) && same_name(t, name) && !in_order) {
            bool after = is_char(before, ')') ||
                         (is_word(before, "as") && is_char(two_before, ')'));

            if (!after || !function) {
                return false;
            }
            seen = true;
        }
        two_before = before;
        before = t;
    }
    return seen;
}

static bool ends_clause(Token t)
{
    return t.n == 0 || is_char(t, ';') || is_char(t, ')') ||
           is_word(t, "limit") || is_word(t, "rows") || is_word(t, "range") ||
           is_word(t, "groups") || is_word(t, "having") ||
           is_word(t, "window") || is_word(t, "order") || is_word(t, "union") ||
           is_word(t, "except") || is_word(t, "intersect");
}

static bool is_direction(Token t)
{
    return is_word(t, "asc") || is_word(t, "desc");
}

/* One term of an ORDER BY, up to *end: may it be a column? */
static bool may_be_column(const char *sql, const char **at, Token *end)
{
    Token t = next_token(at), before = {t.at, 0}, only = t;
    uint32_t n = 0;
    int depth = 0;
    bool may = true;

    for (; t.n > 0 && (depth > 0 || (!is_char(t, ',') && !ends_clause(t)));
         t = next_token(at)) {
        may = may && !(is_char(t, '(') && is_name(before)) &&
              !(t.n == 1 && strchr("+-*/|<>=%&~", *t.at));
        depth += is_char(t, '(') ? 1 : is_char(t, ')') ? -1 : 0;
        n += !is_direction(t);
        before = t;
    }
    *end = t;
    return may && !(n == 1 && is_name(only) &&
                    !pq_ascii_is_digit(*only.at) &&
                    names_a_function(sql, only));
}

/* Has a GROUP BY so many terms? */
static bool has_group_by(const char *sql, uint32_t n)
{
    const char *at = sql;
    Token t = next_token(&at), end;

    for (; t.n > 0; t = next_token(&at)) {
        const char *clause = at;
        uint32_t terms = 0;

        if (!is_word(t, "group") || !is_word(next_token(&clause), "by")) {
            continue;
        }
        do {
            may_be_column(sql, &clause, &end);
            terms++;
        } while (is_char(end, ','));
        if (terms == n) {
            return true;
        }
    }
    return false;
}

/* May the ORDER BY whose terms begin at `clause` be a GROUP BY of n columns?
** If it has more terms, the others would have to be constants. */
static bool may_be_group_by(const char *sql, const char *clause, uint32_t n)
{
    uint32_t terms = 0;
    bool may = true;
    Token end;

    do {
        may = may_be_column(sql, &clause, &end) && may;
        terms++;
    } while (is_char(end, ','));
    return terms == n ? may : terms > n && has_group_by(sql, terms);
}

bool pqext_may_order(const char *sql, uint32_t n)
{
    const char *at = sql;

    for (Token t = next_token(&at); t.n > 0; t = next_token(&at)) {
        const char *clause = at;

        if (is_word(t, "partition") ||
            (is_word(t, "order") && is_word(next_token(&clause), "by") &&
             may_be_group_by(sql, clause, n))) {
            return true;
        }
    }
    return false;
}

/* ---- texts that can use a table ------------------------------------------ */

static bool orders_1(const char *sql) { return pqext_may_order(sql, 1); }
static bool orders_2(const char *sql) { return pqext_may_order(sql, 2); }
static bool orders_3(const char *sql) { return pqext_may_order(sql, 3); }
static bool orders_4(const char *sql) { return pqext_may_order(sql, 4); }

bool pqext_text_may_order(const PqextTable *t, uint32_t n)
{
    static const PqextTextTest tests[] = {orders_1, orders_2, orders_3,
                                          orders_4};

    return n == 0 || n > PQ_COUNT(tests) ||
           pqext_text_in_statements(t->host->db, tests[n - 1]) ||
           pqext_text_in_schema(t, tests[n - 1]);
}
