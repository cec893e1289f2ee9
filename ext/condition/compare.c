/*
** compare.c - SQLite's order of values, and its idea of a number.
**
** An INTEGER and a REAL are compared exactly: neither is converted to the other,
** which would round it.  Two texts that look like numbers are harder: it is not
** known here whether SQLite compares them as texts or as numbers, so both
** answers have to be considered.
*/
#include "ext/condition/compare.h"

#include <math.h>

/* ---- order -------------------------------------------------------------- */

static int compare_numbers(const PqextValue *a, const PqextValue *b)
{
    if (a->is_int && b->is_int) {
        return (a->i > b->i) - (a->i < b->i);
    }
    if (a->is_int) {
        return pq_sort_value_int_real(a->i, b->r);
    }
    if (b->is_int) {
        return -pq_sort_value_int_real(b->i, a->r);
    }
    return (a->r > b->r) - (a->r < b->r);
}

int pqext_value_compare(const PqextValue *a, const PqextValue *b)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->kind == PQEXT_NUMBER ? compare_numbers(a, b)
                                   : pq_slice_compare(a->bytes, b->bytes);
}

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

/* ---- from elsewhere ----------------------------------------------------- */

static PqRc take_bytes(sqlite3_value *v, bool text, PqArena *a,
                       PqextValue *out, PqErr *e)
{
    const void *at = text ? (const void *)sqlite3_value_text(v)
                          : sqlite3_value_blob(v);
    size_t n = (size_t)sqlite3_value_bytes(v);
    char *copy;

    if (text && !at) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    copy = pq_arena_text(a, at, n, e);
    if (!copy) {
        return e->rc;
    }
    out->kind = text ? PQEXT_TEXT : PQEXT_BLOB;
    out->bytes = pq_slice(copy, n);
    return PQ_OK;
}

PqRc pqext_value_take(sqlite3_value *v, bool numeric, PqArena *a,
                      PqextValue *out, PqErr *e)
{
    int type = numeric ? sqlite3_value_numeric_type(v) : sqlite3_value_type(v);

    *out = (PqextValue){.kind = PQEXT_NUMBER, .is_int = type == SQLITE_INTEGER};
    switch (type) {
    case SQLITE_INTEGER:
        out->i = sqlite3_value_int64(v);
        return PQ_OK;
    case SQLITE_FLOAT:
        out->r = sqlite3_value_double(v);
        return PQ_OK;
    default:
        return take_bytes(v, type == SQLITE_TEXT, a, out, e);
    }
}

bool pqext_value_of_cell(const PqsqlCell *cell, PqextValue *out)
{
    *out = (PqextValue){.kind = PQEXT_NUMBER, .i = cell->i, .r = cell->r,
                        .bytes = cell->bytes};
    switch (cell->kind) {
    case PQSQL_NULL:
        return false;
    case PQSQL_INTEGER:
        out->is_int = true;
        return true;
    case PQSQL_REAL:
        return true;
    default:
        out->kind = cell->kind == PQSQL_TEXT ? PQEXT_TEXT : PQEXT_BLOB;
        return true;
    }
}

/* ---- texts that look like numbers --------------------------------------- */

bool pqext_reads_as_number(const PqextValue *operand)
{
    return operand->kind == PQEXT_TEXT && !operand->is_text &&
           pqsql_looks_like_number(operand->bytes);
}

/* As many digits fit an INTEGER, and as many of a fraction a REAL. */
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

PqSlice pqext_text_of_infinity(const PqextValue *number)
{
    return number->is_int || !isinf(number->r)
               ? pq_slice("", 0)
               : pq_slice_text(number->r > 0 ? "Inf" : "-Inf");
}

bool pqext_may_be_text_of(PqSlice text, const PqextValue *number)
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
