/*
** group_where.c - the terms of a WHERE, between its ANDs.
**
** A term that compares a dimension with values, and is all of a term, becomes the
** constraints that SQLite makes of it.  Any other term is an expression, which reads
** its dimensions.
*/
#include "sql/group_text_inside.h"

/* A value that is the same for all rows: its end; 0: it is something else. */
static uint32_t end_of_value(const PqsqlBlock *r, uint32_t i, uint32_t to);

static uint32_t end_of_operand(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    static const char *const constants[] = {"null", "current_date", "current_time",
                                            "current_timestamp"};

    while (i < to && (is_sign(r, i, '-') || is_sign(r, i, '+'))) {
        i++;
    }
    if (i >= to) {
        return 0;
    }
    switch (r->t[i].kind) {
    case PQSQL_TOKEN_TEXT:
    case PQSQL_TOKEN_BLOB:
    case PQSQL_TOKEN_NUMBER:
    case PQSQL_TOKEN_PARAMETER:
        return i + 1;
    case PQSQL_TOKEN_WORD:
        if (pqsql_is_one_of(r->t[i], constants, PQ_COUNT(constants))) {
            return i + 1;
        }
        if (!pqsql_group_is_scalar(r->t[i]) || is_word(r, i, "cast") ||
            !is_sign(r, i + 1, '(')) {
            return 0;
        }
        i++;
        break;
    default:
        if (!is_sign(r, i, '(')) {
            return 0;
        }
    }
    do {                             /* the arguments, or what is in brackets */
        i = end_of_value(r, i + 1, to);
    } while (i > 0 && is_sign(r, i, ','));
    return i > 0 && is_sign(r, i, ')') ? i + 1 : 0;
}

static bool is_arithmetic(const PqsqlBlock *r, uint32_t i)
{
    return is_sign(r, i, '+') || is_sign(r, i, '-') || is_sign(r, i, '*') ||
           is_sign(r, i, '/') || is_sign(r, i, '%') ||
           (r->t[i].kind == PQSQL_TOKEN_SIGN && strncmp(r->t[i].at, "||", 2) == 0);
}

static uint32_t end_of_value(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    i = end_of_operand(r, i, to);
    while (i > 0 && i < to && is_arithmetic(r, i)) {
        i = end_of_operand(r, i + 1, to);
    }
    return i;
}

static bool is_comparison(const PqsqlBlock *r, uint32_t i)
{
    const PqsqlToken *t = &r->t[i];

    return t->kind == PQSQL_TOKEN_SIGN &&
           (pqsql_is_sign(*t, '=') || pqsql_is_sign(*t, '<') ||
            pqsql_is_sign(*t, '>') ||
            (t->n == 2 && t->at[1] == '=' && strchr("=<>!", t->at[0])) ||
            (t->n == 2 && strncmp(t->at, "<>", 2) == 0));
}

/* The end of IN (value, ...). */
static uint32_t end_of_list(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    if (!is_sign(r, i, '(')) {
        return 0;
    }
    do {
        i = end_of_value(r, i + 1, to);
    } while (i > 0 && is_sign(r, i, ','));
    return i > 0 && is_sign(r, i, ')') ? i + 1 : 0;
}

/* What follows a dimension at i: its end, and how many constraints SQLite makes of
** it; 0: it is something else. */
static uint32_t end_of_test(const PqsqlBlock *r, uint32_t i, uint32_t to, uint8_t *n)
{
    *n = 1;
    if (is_comparison(r, i)) {
        return end_of_value(r, i + 1, to);
    }
    if (is_word(r, i, "in")) {
        return end_of_list(r, i + 1, to);
    }
    if (is_word(r, i, "between")) {
        *n = 2;
        i = end_of_value(r, i + 1, to);
        return i > 0 && is_word(r, i, "and") ? end_of_value(r, i + 1, to) : 0;
    }
    if (is_word(r, i, "isnull") || is_word(r, i, "notnull")) {
        return i + 1;
    }
    return is_word(r, i, "is") ? end_of_value(r, i + 1 + is_word(r, i + 1, "not"), to) : 0;
}

static void add_constraints(PqsqlBlock *r, int d, uint8_t n)
{
    uint8_t *of = &r->block.constraints[d];

    *of = *of > UINT8_MAX - n ? UINT8_MAX : (uint8_t)(*of + n);
}

/* d op value, value op d, d IN (...), d BETWEEN ..., or d alone: true, if that is
** all of the term in [i, to). */
static bool read_test(PqsqlBlock *r, uint32_t i, uint32_t to)
{
    bool not = is_word(r, i, "not");
    uint32_t end = 0, value;
    uint8_t n;
    int d = pqsql_group_dimension(r, i + not, &end);

    if (d >= 0 && end == to) {
        r->block.read |= (uint64_t)1 << d;
        *(not ? &r->block.is_false : &r->block.is_true) |= (uint64_t)1 << d;
        return true;
    }
    if (not) {
        return false;
    }
    if (d >= 0) {
        if (end_of_test(r, end, to, &n) != to) {
            return false;
        }
        add_constraints(r, d, n);
        return true;
    }
    value = end_of_value(r, i, to);
    d = value > 0 && value < to && is_comparison(r, value)
            ? pqsql_group_dimension(r, value + 1, &end) : -1;
    if (d < 0 || end != to) {
        return false;
    }
    add_constraints(r, d, 1);
    return true;
}

/* The end of a term of WHERE: its AND, or `to`.  0: there is an OR. */
static uint32_t end_of_term(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    int depth = 0, between = 0, cases = 0;

    for (; i < to; i++) {
        depth = depth_after(r, i, depth);
        if (is_word(r, i, "or")) {
            return 0;
        }
        cases += is_word(r, i, "case") - is_word(r, i, "end");
        between += is_word(r, i, "between") && depth == 0;
        if (depth == 0 && cases <= 0 && is_word(r, i, "and") && between-- <= 0) {
            return i;
        }
        between = between < 0 ? 0 : between;
    }
    return i;
}

/* Are brackets around all of [i, to)? */
static bool is_in_brackets(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    int depth = 1;

    if (!is_sign(r, i, '(')) {
        return false;
    }
    while (++i < to && depth > 0) {
        depth = depth_after(r, i, depth);
    }
    return depth == 0 && i == to;
}

/* The terms in [i, to).  A term in brackets has terms of its own: SQLite splits
** (a AND b) too. */
static bool read_terms(PqsqlBlock *r, uint32_t i, uint32_t to)
{
    for (uint32_t end; i <= to; i = end + 1) {
        end = end_of_term(r, i, to);
        if (end <= i) {
            return false;
        }
        if (is_in_brackets(r, i, end)) {
            if (!read_terms(r, i + 1, end - 1)) {
                return false;
            }
        } else if (!read_test(r, i, end)) {
            r->block.simple = false;
            if (!pqsql_group_expression(r, i, end)) {
                return false;
            }
        }
    }
    return true;
}

bool pqsql_group_where(PqsqlBlock *r)
{
    r->block.simple = true;
    return !r->has[PQSQL_IN_WHERE] ||
           read_terms(r, r->clause[PQSQL_IN_WHERE] + 1, r->clause[PQSQL_IN_WHERE + 1]);
}

