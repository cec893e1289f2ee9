/*
** dimension_gives.c - is the value of an expression a number?  Its text may show it.
**
**   length(url)              the call of a function that gives numbers
**   amount / 100             arithmetic
**   x > 1 AND x < 5          a comparison: 1, 0 or NULL
**   'a' || x || '+'          anything
**   CASE WHEN x THEN '1' END
**
** Outside of parentheses the operator that binds least decides.  Comparisons bind less
** than arithmetic, and this binds less than "||" and "->".  LIKE, GLOB, REGEXP and MATCH
** give what a function gives, which may be the program's own.
*/
#include "ext/rollup/definition_inside.h"

typedef struct Seen {
    bool operand;                    /* the last token ends an operand      */
    bool arithmetic, compares, joins, likes, between, strange;
} Seen;

static bool is_sign_of(PqsqlToken t, const char *const *signs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t.n == strlen(signs[i]) && memcmp(t.at, signs[i], t.n) == 0) {
            return true;
        }
    }
    return false;
}

static void see_sign(Seen *s, PqsqlToken t)
{
    static const char *const compares[] = {"=", "==", "<>", "!=", "<", "<=", ">", ">="},
                            *const counts[] = {"+", "-", "*", "/", "%", "&", "|", "<<",
                                               ">>"},
                            *const others[] = {"||", "->", "->>", "~", "."};

    if (is_sign_of(t, compares, PQ_COUNT(compares))) {
        s->compares = true;
    } else if (is_sign_of(t, counts, PQ_COUNT(counts))) {
        s->arithmetic |= s->operand; /* else it is a sign of one number */
    } else {
        s->strange |= !is_sign_of(t, others, PQ_COUNT(others));
    }
    s->operand = false;
}

static void see_word(Seen *s, const PqextToken *t, bool first)
{
    static const char *const compares[] = {"is", "in", "isnull", "notnull"},
                            *const likes[] = {"like", "glob", "regexp", "match"},
                            *const strange[] = {"case", "collate", "escape"};

    s->strange |= pqsql_is_one_of(t->sql, strange, PQ_COUNT(strange));
    if (pqsql_is_word(t->sql, "not")) {          /* 1 + NOT x is a number */
        s->joins |= first;
        s->strange |= !first && !s->operand && !pqsql_is_word(t[-1].sql, "is");
        s->operand = false;
    } else if (pqsql_is_word(t->sql, "and") || pqsql_is_word(t->sql, "or")) {
        s->joins = true;
        s->operand = false;
    } else if (pqsql_is_one_of(t->sql, likes, PQ_COUNT(likes))) {
        s->likes = true;
        s->operand = false;
    } else if (pqsql_is_word(t->sql, "between")) {
        s->between = s->compares = true;
        s->operand = false;
    } else if (pqsql_is_one_of(t->sql, compares, PQ_COUNT(compares))) {
        s->compares = true;
        s->operand = pqsql_is_word(t->sql, "isnull") || pqsql_is_word(t->sql, "notnull");
    } else {
        s->operand = true;
    }
}

/* Is the whole item one call of a function that gives numbers? */
static bool is_call(const PqextItem *item)
{
    static const char *const names[] = {"length", "octet_length", "instr", "unicode",
                                        "round", "abs", "sign", "julianday",
                                        "unixepoch"};
    uint32_t i = 1;
    int depth = 0;

    if (!pqsql_is_one_of(item->body[0].sql, names, PQ_COUNT(names)) ||
        !pqsql_is_sign(item->body[1].sql, '(')) {
        return false;
    }
    do {
        depth += pqsql_is_sign(item->body[i].sql, '(') -
                 pqsql_is_sign(item->body[i].sql, ')');
        i++;
    } while (depth > 0 && i < item->n);
    return depth == 0 && i == item->n;
}

PqextGives pqext_dimension_gives(const PqextItem *item)
{
    Seen s = {false};
    int depth = 0;

    for (uint32_t i = 0; i < item->n; i++) {
        const PqextToken *t = &item->body[i];

        if (pqsql_is_sign(t->sql, '(')) {
            depth++;
        } else if (pqsql_is_sign(t->sql, ')')) {
            depth--;
            s.operand = true;
        } else if (depth > 0) {
            continue;
        } else if (t->sql.kind == PQSQL_TOKEN_SIGN) {
            see_sign(&s, t->sql);
        } else if (t->sql.kind == PQSQL_TOKEN_WORD && !t->sql.quoted) {
            see_word(&s, t, i == 0);
        } else {
            s.operand = true;
        }
    }
    if (s.strange || (s.likes && (s.between || !s.joins))) {
        return PQEXT_GIVES_ANY;
    }
    return s.joins || s.compares               ? PQEXT_GIVES_TRUTH
           : s.arithmetic || is_call(item) ? PQEXT_GIVES_NUMBER : PQEXT_GIVES_ANY;
}
