/*
** dimension_truth.c - is the value of an expression 1, 0 or NULL?  Its text may show it.
**
**   x > 1 AND x < 5          yes
**   NOT (x + 1)              yes
**   'a' || x || '='          perhaps not
**   CASE WHEN x > 1 THEN '1' END
**
** Outside of parentheses the operator that binds least decides.  AND, OR and NOT bind
** least, and then comparisons.  LIKE, GLOB, REGEXP and MATCH bind as these do, and give
** what a function gives, which may be the program's own.
*/
#include "ext/rollup/definition_inside.h"

typedef struct Seen {
    bool operand;                    /* the last token ends an operand      */
    bool compares, joins, likes, between, strange;
} Seen;

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

bool pqext_dimension_gives_truth(const PqextItem *item)
{
    Seen s = {false};
    int depth = 0;
    PqextOp op;

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
            s.compares |= pqext_token_compares(t->sql, &op);
            s.operand = false;
        } else if (t->sql.kind == PQSQL_TOKEN_WORD && !t->sql.quoted) {
            see_word(&s, t, i == 0);
        } else {
            s.operand = true;
        }
    }
    return !s.strange && !(s.likes && (s.between || !s.joins)) && (s.joins || s.compares);
}
