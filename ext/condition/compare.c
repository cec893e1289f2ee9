/*
** compare.c - how SQLite compares two values, and which texts it takes for
** numbers.
**
** Two texts that look like numbers are hard: it is not known here whether SQLite
** compares them as texts or as numbers, so both answers have to be considered.
*/
#include "ext/condition/compare.h"

#include <math.h>

bool pqext_op_holds(PqextOp op, int order)
{
    switch (op) {
    case PQEXT_LT:     return order < 0;
    case PQEXT_LE:     return order <= 0;
    case PQEXT_GT:     return order > 0;
    case PQEXT_GE:     return order >= 0;
    case PQEXT_NE:
    case PQEXT_IS_NOT: return order != 0;
    default:           return order == 0;
    }
}

PqRc pqext_value_take(sqlite3_value *v, bool numeric, PqArena *a, PqCell *out,
                      PqErr *e)
{
    if (numeric) {
        sqlite3_value_numeric_type(v);           /* makes it one             */
    }
    PQ_TRY(pqsql_cell_of(v, out, e));
    return pq_cell_keep(out, a, e);
}

/* ---- texts that look like numbers --------------------------------------- */

/* This many digits fit an INTEGER, and this many digits of a fraction a
** REAL. */
enum { INTEGER_DIGITS = 18, REAL_DIGITS = 15 };

bool pqext_number_of(PqSlice s, double *out)
{
    int64_t digits = 0;
    int n = 0, scale = 0;
    bool point = false, minus = false;

    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = s.p[i];

        if (c == 'e' || c == 'E' || c == 0) {
            return false;
        }
        minus = minus || c == '-';
        point = point || c == '.';
        if (c >= '0' && c <= '9') {
            if (n == INTEGER_DIGITS || scale == REAL_DIGITS) {
                return false;
            }
            digits = digits * 10 + (c - '0');
            n += digits != 0;
            scale += point;
        }
    }
    *out = pq_decimal_real_i64(minus ? -digits : digits, scale);
    return scale == 0 || n <= REAL_DIGITS;
}

PqSlice pqext_text_of_infinity(const PqCell *number)
{
    return number->kind != PQ_CELL_REAL || !isinf(number->r)
               ? pq_slice("", 0)
               : pq_slice_text(number->r > 0 ? "Inf" : "-Inf");
}

bool pqext_may_be_text_of(PqSlice text, const PqCell *number)
{
    PqSlice infinity = pqext_text_of_infinity(number);

    return pqsql_looks_like_number(text) ||
           (infinity.n > 0 && pq_slice_equal(text, infinity));
}

/* A number and a text: the number is less. */
bool pqext_texts_may_hold(PqextOp op, PqSlice text, PqSlice operand, bool looks,
                          bool literal)
{
    double x, y;

    if (pqext_op_holds(op, pq_slice_compare(text, operand))) {
        return true;
    }
    if (literal || op == PQEXT_NE || op == PQEXT_IS_NOT) {
        return false;                /* the same text is the same number */
    }
    if (!looks) {
        return pqext_op_holds(op, -1) && pqsql_looks_like_number(text);
    }
    if (!pqsql_looks_like_number(text)) {
        return pqext_op_holds(op, 1);
    }
    /* Long integers that differ may be the same double. */
    return !pqext_number_of(text, &x) || !pqext_number_of(operand, &y) ||
           x == y || pqext_op_holds(op, (x > y) - (x < y));
}
