/*
** numbers.c - runs the program of a measure over a batch.
**
** An operation has a loop for each pair of kinds that is common.  Integers that
** overflow, or are divided, are done again row by row, with a mark for each row
** that became REAL (row_by_row).
*/
#include "core/rollup/numbers.h"

#include "core/text/number_text.h"

#include <math.h>

/* What one step leaves. */
typedef struct Operand {
    PqNumbers v;
    bool      is_literal;            /* a constant with a point: r is it too */
    double    r;
} Operand;

typedef struct Run {
    uint32_t n;
    PqArena *a;
    PqErr   *e;
} Run;

static size_t width_of(PqNumberKind kind)
{
    return kind == PQ_NUMBER_WIDE ? sizeof(PqWide) : sizeof(int64_t);
}

static void *places(const Run *run, PqNumberKind kind)
{
    return pq_arena_alloc(run->a, (run->n + 1u) * width_of(kind), run->e);
}

static uint64_t *bits(const Run *run)
{
    return pq_arena_zeros(run->a, run->n / 64 + 1, sizeof(uint64_t), run->e);
}

static void set_bit(uint64_t *b, uint32_t i)
{
    b[i >> 6] |= UINT64_C(1) << (i & 63);
}

static void clear_bit(uint64_t *b, uint32_t i)
{
    b[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* ---- single values ------------------------------------------------------- */

static double real_at(const PqNumbers *v, uint32_t i)
{
    switch (v->kind) {
    case PQ_NUMBER_INT:
        return v->reals && pq_bit(v->reals, i)
                   ? ((const double *)v->values)[i]
                   : (double)((const int64_t *)v->values)[i];
    case PQ_NUMBER_DECIMAL:
        return pq_decimal_real_i64(((const int64_t *)v->values)[i], v->scale);
    case PQ_NUMBER_WIDE:
        return pq_decimal_real_i128(((const PqWide *)v->values)[i], v->scale);
    default:
        return ((const double *)v->values)[i];
    }
}

/* As SQLite cuts a REAL to an integer. */
static int64_t cut(double r)
{
    return isnan(r)                        ? 0
           : r <= -9223372036854775808.0   ? INT64_MIN
           : r >= 9223372036854775808.0    ? INT64_MAX
                                           : (int64_t)r;
}

typedef struct Value {
    bool    is_null, is_real;
    int64_t i;
    double  r;
} Value;

static Value of_int(int64_t i)
{
    return (Value){.i = i};
}

static Value of_real(double r)
{
    return (Value){.is_real = true, .is_null = isnan(r), .r = r};
}

static Value null(void)
{
    return (Value){.is_null = true};
}

static Value value_at(const PqNumbers *v, uint32_t i)
{
    if (v->valid && !pq_bit(v->valid, i)) {
        return null();
    }
    return v->kind == PQ_NUMBER_INT && !(v->reals && pq_bit(v->reals, i))
               ? of_int(((const int64_t *)v->values)[i])
               : of_real(real_at(v, i));
}

static double as_real(const Value *v)
{
    return v->is_real ? v->r : (double)v->i;
}

static Value remainder_of(const Value *a, const Value *b)
{
    int64_t x = a->is_real ? cut(a->r) : a->i;
    int64_t y = b->is_real ? cut(b->r) : b->i;
    int64_t rest = y == 0 || y == -1 ? 0 : x % y;

    return y == 0                         ? null()
           : a->is_real || b->is_real ? of_real((double)rest) : of_int(rest);
}

static Value of_reals(PqNumberOp op, double a, double b)
{
    switch (op) {
    case PQ_NUMBER_ADD:
        return of_real(a + b);
    case PQ_NUMBER_SUBTRACT:
        return of_real(a - b);
    case PQ_NUMBER_MULTIPLY:
        return of_real(a * b);
    default:
        return b == 0.0 ? null() : of_real(a / b);
    }
}

/* False: the result does not fit. */
static bool of_ints(PqNumberOp op, int64_t a, int64_t b, Value *out)
{
    switch (op) {
    case PQ_NUMBER_ADD:
        return !__builtin_add_overflow(a, b, &out->i);
    case PQ_NUMBER_SUBTRACT:
        return !__builtin_sub_overflow(a, b, &out->i);
    case PQ_NUMBER_MULTIPLY:
        return !__builtin_mul_overflow(a, b, &out->i);
    default:
        out->is_null = b == 0;
        if (b == 0 || (a == INT64_MIN && b == -1)) {
            return b == 0;
        }
        out->i = a / b;
        return true;
    }
}

static Value combine(PqNumberOp op, const Value *a, const Value *b)
{
    Value out = {0};

    if (a->is_null || b->is_null) {
        return null();
    }
    if (op == PQ_NUMBER_REMAINDER) {
        return remainder_of(a, b);
    }
    return !a->is_real && !b->is_real && of_ints(op, a->i, b->i, &out)
               ? out : of_reals(op, as_real(a), as_real(b));
}

/* ---- vectors --------------------------------------------------------------- */

static PqRc both_valid(const Run *run, const PqNumbers *a, const PqNumbers *b,
                       PqNumbers *out)
{
    uint64_t *both;

    out->valid = a->valid ? a->valid : b->valid;
    if (a->valid && b->valid) {
        both = bits(run);
        if (!both) {
            return run->e->rc;
        }
        for (uint32_t i = 0; i < (run->n + 63) / 64; i++) {
            both[i] = a->valid[i] & b->valid[i];
        }
        out->valid = both;
    }
    return PQ_OK;
}

/* Valid bits that can be cleared. */
static PqRc own_valid(const Run *run, PqNumbers *v, uint64_t **out)
{
    *out = bits(run);
    if (!*out) {
        return run->e->rc;
    }
    if (v->valid) {
        memcpy(*out, v->valid, (run->n + 63) / 64 * sizeof **out);
    } else {
        memset(*out, 0xff, (run->n + 63) / 64 * sizeof **out);
    }
    v->valid = *out;
    return PQ_OK;
}

/* The result is INT, with some rows REAL. */
static PqRc row_by_row(const Run *run, PqNumberOp op, const PqNumbers *a,
                       const PqNumbers *b, PqNumbers *out)
{
    int64_t *to = places(run, PQ_NUMBER_INT);
    uint64_t *valid = bits(run), *reals = bits(run);
    bool any = false;

    if (!to || !valid || !reals) {
        return run->e->rc;
    }
    for (uint32_t i = 0; i < run->n; i++) {
        Value x = value_at(a, i), y = value_at(b, i);
        Value v = combine(op, &x, &y);

        to[i] = 0;
        if (v.is_null) {
            continue;
        }
        set_bit(valid, i);
        if (v.is_real) {
            set_bit(reals, i);
            any = true;
            memcpy(&to[i], &v.r, sizeof v.r);
        } else {
            to[i] = v.i;
        }
    }
    *out = (PqNumbers){.kind = PQ_NUMBER_INT, .n = run->n, .values = to,
                       .valid = valid, .reals = any ? reals : NULL};
    return PQ_OK;
}

#define INT_LOOP(overflows)                                                  \
    for (uint32_t i = 0; i < run->n; i++) {                                  \
        over |= overflows(x[i], y[i], &to[i]);                               \
    }

static PqRc ints(const Run *run, PqNumberOp op, const PqNumbers *a,
                 const PqNumbers *b, PqNumbers *out)
{
    const int64_t *x = a->values, *y = b->values;
    int64_t *to = places(run, PQ_NUMBER_INT);
    bool over = a->reals || b->reals;

    if (!to) {
        return run->e->rc;
    }
    if (over || op == PQ_NUMBER_DIVIDE || op == PQ_NUMBER_REMAINDER) {
        return row_by_row(run, op, a, b, out);
    }
    if (op == PQ_NUMBER_ADD) {
        INT_LOOP(__builtin_add_overflow)
    } else if (op == PQ_NUMBER_SUBTRACT) {
        INT_LOOP(__builtin_sub_overflow)
    } else {
        INT_LOOP(__builtin_mul_overflow)
    }
    if (over) {
        return row_by_row(run, op, a, b, out);
    }
    *out = (PqNumbers){.kind = PQ_NUMBER_INT, .n = run->n, .values = to};
    return both_valid(run, a, b, out);
}

/* ---- reals ----------------------------------------------------------------- */

/* The same numbers as REALs. */
static PqRc to_reals(const Run *run, Operand *o)
{
    double *to;

    if (o->v.kind == PQ_NUMBER_REAL) {
        return PQ_OK;
    }
    to = places(run, PQ_NUMBER_REAL);
    if (!to) {
        return run->e->rc;
    }
    for (uint32_t i = 0; i < run->n; i++) {
        to[i] = o->is_literal ? o->r : real_at(&o->v, i);
    }
    o->v.kind = PQ_NUMBER_REAL;
    o->v.values = to;
    o->v.reals = NULL;
    return PQ_OK;
}

static bool real_loop(PqNumberOp op, const double *x, const double *y,
                      double *to, uint32_t n)
{
    bool odd = false;                /* some is NaN */

    switch (op) {
    case PQ_NUMBER_ADD:
        for (uint32_t i = 0; i < n; i++) {
            to[i] = x[i] + y[i];
            odd |= to[i] != to[i];
        }
        return odd;
    case PQ_NUMBER_SUBTRACT:
        for (uint32_t i = 0; i < n; i++) {
            to[i] = x[i] - y[i];
            odd |= to[i] != to[i];
        }
        return odd;
    case PQ_NUMBER_MULTIPLY:
        for (uint32_t i = 0; i < n; i++) {
            to[i] = x[i] * y[i];
            odd |= to[i] != to[i];
        }
        return odd;
    case PQ_NUMBER_DIVIDE:
        for (uint32_t i = 0; i < n; i++) {
            to[i] = y[i] == 0.0 ? (double)NAN : x[i] / y[i];
            odd |= to[i] != to[i];
        }
        return odd;
    default:
        for (uint32_t i = 0; i < n; i++) {
            int64_t a = cut(x[i]), b = cut(y[i]);

            to[i] = b == 0    ? (double)NAN
                    : b == -1 ? 0.0 : (double)(a % b);
            odd |= b == 0;
        }
        return odd;
    }
}

/* What is not a number is NULL. */
static PqRc drop_nans(const Run *run, double *v, PqNumbers *out)
{
    uint64_t *valid;

    PQ_TRY(own_valid(run, out, &valid));
    for (uint32_t i = 0; i < run->n; i++) {
        if (isnan(v[i])) {
            v[i] = 0.0;
            clear_bit(valid, i);
        }
    }
    return PQ_OK;
}

static PqRc reals(const Run *run, PqNumberOp op, Operand *a, Operand *b,
                  PqNumbers *out)
{
    double *to = places(run, PQ_NUMBER_REAL);

    if (!to) {
        return run->e->rc;
    }
    PQ_TRY(to_reals(run, a));
    PQ_TRY(to_reals(run, b));
    *out = (PqNumbers){.kind = PQ_NUMBER_REAL, .n = run->n, .values = to};
    PQ_TRY(both_valid(run, &a->v, &b->v, out));
    return real_loop(op, a->v.values, b->v.values, to, run->n)
               ? drop_nans(run, to, out) : PQ_OK;
}

/* ---- decimals -------------------------------------------------------------- */

static PqWide wide_at(const PqNumbers *v, uint32_t i)
{
    return v->kind == PQ_NUMBER_WIDE ? ((const PqWide *)v->values)[i]
                                     : ((const int64_t *)v->values)[i];
}

static PqWide ten_to(int k)
{
    PqWide p = 1;

    for (; k > 0; k--) {
        p *= 10;
    }
    return p;
}

static bool wide_overflows(PqNumberOp op, PqWide a, PqWide b, PqWide *out)
{
    __int128 to;
    bool over = op == PQ_NUMBER_ADD        ? __builtin_add_overflow(a, b, &to)
                : op == PQ_NUMBER_SUBTRACT ? __builtin_sub_overflow(a, b, &to)
                                           : __builtin_mul_overflow(a, b, &to);

    *out = over ? 0 : to;
    return over;
}

/* *over: some result does not fit. */
static PqRc wides(const Run *run, PqNumberOp op, const PqNumbers *a,
                  const PqNumbers *b, PqWide times_a, PqWide times_b,
                  PqNumbers *out, bool *over)
{
    PqWide *to = places(run, PQ_NUMBER_WIDE);

    if (!to) {
        return run->e->rc;
    }
    for (uint32_t i = 0; i < run->n; i++) {
        PqWide x, y;

        *over |= wide_overflows(PQ_NUMBER_MULTIPLY, wide_at(a, i), times_a,
                                &x);
        *over |= wide_overflows(PQ_NUMBER_MULTIPLY, wide_at(b, i), times_b,
                                &y);
        *over |= wide_overflows(op, x, y, &to[i]);
    }
    out->kind = PQ_NUMBER_WIDE;
    out->values = to;
    return PQ_OK;
}

/* Numbers times a power of ten.  True: some result does not fit. */
static bool times(const int64_t *x, int64_t power, int64_t *to, uint32_t n)
{
    bool over = false;

    for (uint32_t i = 0; i < n; i++) {
        over |= __builtin_mul_overflow(x[i], power, &to[i]);
    }
    return over;
}

/* In 64 bits.  False: some result does not fit.  Only one side is ever scaled:
** to the scale of the other. */
static bool narrow(PqNumberOp op, const int64_t *x, const int64_t *y,
                   int64_t times_x, int64_t times_y, int64_t *to, uint32_t n)
{
    bool over = false;

    if (times_x != 1) {
        over = times(x, times_x, to, n);
        x = to;
    } else if (times_y != 1) {
        over = times(y, times_y, to, n);
        y = to;
    }
    if (op == PQ_NUMBER_MULTIPLY) {
        for (uint32_t i = 0; i < n; i++) {
            over |= __builtin_mul_overflow(x[i], y[i], &to[i]);
        }
    } else if (op == PQ_NUMBER_ADD) {
        for (uint32_t i = 0; i < n; i++) {
            over |= __builtin_add_overflow(x[i], y[i], &to[i]);
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            over |= __builtin_sub_overflow(x[i], y[i], &to[i]);
        }
    }
    return !over;
}

static PqRc decimals(const Run *run, PqNumberOp op, Operand *a, Operand *b,
                     PqNumbers *out)
{
    enum { MOST_IN_64 = 18 };
    bool product = op == PQ_NUMBER_MULTIPLY, over = false;
    int sa = a->v.kind == PQ_NUMBER_INT ? 0 : a->v.scale;
    int sb = b->v.kind == PQ_NUMBER_INT ? 0 : b->v.scale;
    int scale = product ? sa + sb : sa > sb ? sa : sb;
    int more_a = product ? 0 : scale - sa, more_b = product ? 0 : scale - sb;

    if (scale > PQ_NUMBER_DIGITS) {
        return reals(run, op, a, b, out);
    }
    *out = (PqNumbers){.kind = PQ_NUMBER_DECIMAL, .scale = scale, .n = run->n};
    PQ_TRY(both_valid(run, &a->v, &b->v, out));
    if (a->v.kind != PQ_NUMBER_WIDE && b->v.kind != PQ_NUMBER_WIDE &&
        more_a <= MOST_IN_64 && more_b <= MOST_IN_64) {
        int64_t *to = places(run, PQ_NUMBER_DECIMAL);

        if (!to) {
            return run->e->rc;
        }
        out->values = to;
        if (narrow(op, a->v.values, b->v.values, (int64_t)ten_to(more_a),
                   (int64_t)ten_to(more_b), to, run->n)) {
            return PQ_OK;
        }
    }
    PQ_TRY(wides(run, op, &a->v, &b->v, ten_to(more_a), ten_to(more_b), out,
                 &over));
    return over ? reals(run, op, a, b, out) : PQ_OK;
}

/* ---- programs -------------------------------------------------------------- */

static bool is_exact(const Operand *o)
{
    return o->v.kind == PQ_NUMBER_DECIMAL || o->v.kind == PQ_NUMBER_WIDE;
}

/* Are the two added up as decimals? */
static bool stay_exact(PqNumberOp op, const Operand *a, const Operand *b)
{
    bool real = a->v.kind == PQ_NUMBER_REAL || b->v.kind == PQ_NUMBER_REAL ||
                a->v.reals || b->v.reals;
    bool by_column = (is_exact(a) && !a->is_literal) ||
                     (is_exact(b) && !b->is_literal);

    return by_column && !real && op != PQ_NUMBER_DIVIDE &&
           op != PQ_NUMBER_REMAINDER;
}

static PqRc binary(const Run *run, PqNumberOp op, Operand *a, Operand *b,
                   Operand *out)
{
    *out = (Operand){0};
    if (a->v.kind == PQ_NUMBER_INT && b->v.kind == PQ_NUMBER_INT) {
        return ints(run, op, &a->v, &b->v, &out->v);
    }
    return stay_exact(op, a, b) ? decimals(run, op, a, b, &out->v)
                                : reals(run, op, a, b, &out->v);
}

static PqRc constant(const Run *run, const PqNumberStep *s, Operand *out)
{
    int64_t *to = places(run, s->kind), v = s->i;

    if (!to) {
        return run->e->rc;
    }
    if (s->kind == PQ_NUMBER_REAL) {
        memcpy(&v, &s->r, sizeof v);
    }
    for (uint32_t i = 0; i < run->n; i++) {
        to[i] = v;
    }
    *out = (Operand){.v = {.kind = s->kind, .scale = s->scale, .n = run->n,
                           .values = to},
                     .is_literal = s->kind == PQ_NUMBER_DECIMAL, .r = s->r};
    return PQ_OK;
}

PqRc pq_numbers_run(const PqNumberProgram *p, const PqNumbers *columns,
                    uint32_t n, PqArena *a, PqNumbers *out, PqErr *e)
{
    Run run = {n, a, e};
    Operand *stack = pq_arena_zeros(a, p->n_steps + 1, sizeof *stack, e);
    uint32_t top = 0;

    if (!stack) {
        return e->rc;
    }
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const PqNumberStep *s = &p->steps[i];
        Operand made;

        if (s->op == PQ_NUMBER_COLUMN) {
            made = (Operand){.v = columns[s->column]};
        } else if (s->op == PQ_NUMBER_CONSTANT) {
            PQ_TRY(constant(&run, s, &made));
        } else {
            top -= 2;
            PQ_TRY(binary(&run, s->op, &stack[top], &stack[top + 1], &made));
        }
        stack[top++] = made;
    }
    if (stack[0].is_literal) {       /* nothing but a constant */
        PQ_TRY(to_reals(&run, &stack[0]));
    }
    *out = stack[0].v;
    return PQ_OK;
}
