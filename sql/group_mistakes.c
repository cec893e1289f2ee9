/*
** group_mistakes.c - what a SELECT over a rollup asks of groups, where its writer
** probably thinks of rows, or writes out what the rollup has a name for.
*/
#include "sql/group_text_inside.h"

static PqsqlMistake mistake_of(const PqsqlBlock *r)
{
    uint32_t end;

    for (uint32_t i = r->begin; i < r->end && !r->has[PQSQL_IN_GROUP]; i++) {
        bool in_where = i > r->clause[PQSQL_IN_WHERE] &&
                        i < r->clause[PQSQL_IN_WHERE + 1];

        if (is_word(r, i, "count") && is_sign(r, i + 1, '(') &&
            is_sign(r, i + 2, '*')) {
            return PQSQL_COUNTS_GROUPS;
        }
        if (is_word(r, i, "avg") && is_sign(r, i + 1, '(') &&
            pqsql_group_measure(r, i + 2, &end) >= 0) {
            return PQSQL_AVERAGES_GROUPS;
        }
        if (in_where && pqsql_group_measure(r, i, &end) >= 0) {
            return PQSQL_TESTS_GROUPS;
        }
    }
    return PQSQL_NO_MISTAKE;
}

/* Can an expression begin after the token at i, or end before it, without binding to what
** is beyond it?  In 5 * x % 3, x % 3 binds to 5 *. */
static bool is_edge(const PqsqlBlock *r, uint32_t i)
{
    return r->t[i].kind == PQSQL_TOKEN_WORD || r->t[i].kind == PQSQL_TOKEN_END ||
           (r->t[i].kind == PQSQL_TOKEN_SIGN && strchr("(),;=<>!", *r->t[i].at));
}

/* Does the text of the dimension stand at i? */
static bool is_written_at(const PqsqlBlock *r, uint32_t i, uint32_t dimension)
{
    const char *at = (const char *)r->names->expressions[dimension].p;
    PqsqlToken t = pqsql_next_token(&at);

    for (; t.n > 0; t = pqsql_next_token(&at), i++) {
        if (i >= r->end || r->t[i].n != t.n || !pq_ascii_same_n(r->t[i].at, t.at, t.n)) {
            return false;
        }
    }
    return is_edge(r, i);
}

/* Is a dimension written out that the statement does not name? */
static bool writes_dimension(const PqsqlBlock *r, uint32_t *which)
{
    for (uint32_t k = 0; k < r->names->n_dimensions; k++) {
        bool names = r->names->used >> k & 1 || r->names->expressions[k].n == 0;

        for (uint32_t i = r->begin + 1; i < r->end && !names; i++) {
            if (is_edge(r, i - 1) && is_written_at(r, i, k)) {
                *which = k;
                return true;
            }
        }
    }
    return false;
}

void pqsql_group_mistake(PqsqlBlock *r)
{
    r->block.mistake = mistake_of(r);
    if (r->block.mistake == PQSQL_NO_MISTAKE &&
        writes_dimension(r, &r->block.written)) {
        r->block.mistake = PQSQL_WRITES_DIMENSION;
    }
}
