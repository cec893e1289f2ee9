/*
** order_text.c - looks for an ORDER BY of columns.
**
** The hard part is that an order may come from somewhere else in the text.
** SQLite tells a table the columns of a GROUP BY without its constants, so the
** text may have more terms.  A window makes an ORDER BY of its PARTITION BY and
** its ORDER BY.  A name in an ORDER BY may name a result, or a column that only
** * names.  The ORDER BY of a UNION counts for each of its SELECTs, and SQLite
** adds missing columns to it.
*/
#include "sql/order_text.h"

#include "sql/token.h"

static bool has_quote(PqSlice name)
{
    while (name.n > 0 && !strchr("'\"`[]", name.p[name.n - 1])) {
        name.n--;
    }
    return name.n > 0;
}

/* Does a parenthesis after this token hold the arguments of a function? */
static bool calls(PqsqlToken before)
{
    static const char *const others[] = {"select", "distinct", "all", "by",
                                         "as"};

    return pqsql_is_name(before) &&
           !pqsql_is_one_of(before, others, PQ_COUNT(others));
}

/* Is it the * of SELECT * or t.*, which may name anything? */
static bool is_star(PqsqlToken t, PqsqlToken before)
{
    static const char *const words[] = {"select", "distinct", "all"};

    return pqsql_is_sign(t, '*') &&
           (pqsql_is_sign(before, ',') ||
            pqsql_is_sign(before, '.') ||
            pqsql_is_one_of(before, words, PQ_COUNT(words)));
}

/* Outside an ORDER BY, is the name always the name of a function's result?
** False also if that is not known. */
static bool names_a_function(const char *sql, PqSlice name)
{
    bool parens[64], function = false, seen = false, in_order = false;
    PqsqlToken t, before = {.at = sql}, two_before = before;
    int depth = 0;

    for (t = pqsql_next_token(&sql); t.n > 0; t = pqsql_next_token(&sql)) {
        if (is_star(t, before) || has_quote(name)) {
            return false;
        }
        if (pqsql_is_sign(t, '(')) {
            if (depth == 64) {
                return false;
            }
            parens[depth++] = calls(before);
        } else if (pqsql_is_sign(t, ')') && depth > 0) {
            function = parens[--depth];
        }
        if (pqsql_is_word(t, "order")) {
            in_order = true;
        } else if (pqsql_is_word(t, "select") || pqsql_is_word(t, "limit") ||
                   pqsql_is_sign(t, ')')) {
            in_order = false;
        }
        if (pqsql_names(t, name) && !in_order) {
            bool after = pqsql_is_sign(before, ')') ||
                         (pqsql_is_word(before, "as") &&
                          pqsql_is_sign(two_before, ')'));

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

static bool is_compound(PqsqlToken t)
{
    static const char *const words[] = {"union", "except", "intersect"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

static bool ends_clause(PqsqlToken t)
{
    static const char *const words[] = {"limit",  "rows",   "range", "groups",
                                        "having", "window", "order"};

    return t.n == 0 || pqsql_is_sign(t, ';') || pqsql_is_sign(t, ')') ||
           pqsql_is_one_of(t, words, PQ_COUNT(words)) || is_compound(t);
}

static bool is_direction(PqsqlToken t)
{
    return pqsql_is_word(t, "asc") || pqsql_is_word(t, "desc");
}

/* One term of an ORDER BY, up to *end: may it be a column? */
static bool may_be_column(const char *sql, const char **at, PqsqlToken *end)
{
    PqsqlToken t = pqsql_next_token(at), before = {.at = t.at}, only = t;
    uint32_t n = 0;
    int depth = 0;
    bool may = true;

    for (; t.n > 0 && (depth > 0 || (!pqsql_is_sign(t, ',') && !ends_clause(t)));
         t = pqsql_next_token(at)) {
        may = may && !(pqsql_is_sign(t, '(') && pqsql_is_name(before)) &&
              !(t.kind == PQSQL_TOKEN_SIGN && strchr("+-*/|<>=%&~!", *t.at));
        depth += pqsql_is_sign(t, '(') - pqsql_is_sign(t, ')');
        n += !is_direction(t);
        before = t;
    }
    *end = t;
    return may && !(n == 1 && pqsql_is_name(only) &&
                    names_a_function(sql, pqsql_bare(only)));
}

/* Does a GROUP BY have n terms? */
static bool has_group_by(const char *sql, uint32_t n)
{
    const char *at = sql;
    PqsqlToken t = pqsql_next_token(&at), end;

    for (; t.n > 0; t = pqsql_next_token(&at)) {
        const char *clause = at;
        uint32_t terms = 0;

        if (!pqsql_is_word(t, "group") ||
            !pqsql_is_word(pqsql_next_token(&clause), "by")) {
            continue;
        }
        do {
            may_be_column(sql, &clause, &end);
            terms++;
        } while (pqsql_is_sign(end, ','));
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
    PqsqlToken end;

    do {
        may = may_be_column(sql, &clause, &end) && may;
        terms++;
    } while (pqsql_is_sign(end, ','));
    return terms == n ? may : terms > n && has_group_by(sql, terms);
}

bool pqsql_text_may_order(const char *sql, const void *n)
{
    const char *at = sql;
    bool orders = false, compound = false;
    PqsqlToken t = pqsql_next_token(&at);

    for (; t.n > 0; t = pqsql_next_token(&at)) {
        const char *clause = at;
        bool order = pqsql_is_word(t, "order") &&
                     pqsql_is_word(pqsql_next_token(&clause), "by");

        if (pqsql_is_word(t, "partition") ||
            (order && may_be_group_by(sql, clause, *(const uint32_t *)n))) {
            return true;
        }
        orders = orders || order;
        compound = compound || is_compound(t);
    }
    return orders && compound;
}

bool pqsql_text_may_want_few(const char *sql, const void *arg)
{
    bool limits = false;
    PqsqlToken t = pqsql_next_token(&sql);

    (void)arg;
    for (; t.n > 0 && !pqsql_is_word(t, "group"); t = pqsql_next_token(&sql)) {
        limits = limits || pqsql_is_word(t, "limit");
    }
    return limits && t.n == 0;
}
