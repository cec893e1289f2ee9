/*
** numbers.c - computes an operation over the vectors of its operands.
**
** An operation has a loop for each common pair of kinds, and for a constant on
** either side.  Where integers overflow or are divided, it computes the batch
** row by row, and marks each row that became REAL (row_by_row).
*/
#include "core/rollup/numbers_inside.h"

#include "core/text/number_text.h"

#include <math.h>

typedef PqNumberOperand Operand;
typedef PqNumberRun Run;

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

/* Cuts a REAL to an integer, as SQLite does. */
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

/* The place of a row's value. */
static uint32_t place_of(const Operand *o, uint32_t row)
{
    return o->is_constant ? 0 : o->v.ids ? o->v.ids[row] : row;
}

static Value value_at(const Operand *o, uint32_t row)
{
    const PqNumbers *v = &o->v;
    uint32_t i = place_of(o, row);

    if (v->valid && !pq_bit(v->valid, row)) {
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

/* ---- bounds --------------------------------------------------------------- */

uint64_t pq_numbers_bound_of(const int64_t *v, uint32_t n)
{
    int64_t all = 0;

    for (uint32_t i = 0; i < n; i++) {
        all |= v[i];
    }
    if (all < 0) {
        all = 0;
        for (uint32_t i = 0; i < n; i++) {
            all |= v[i] < 0 ? ~v[i] : v[i];
        }
    }
    return (uint64_t)all + 1;
}

uint64_t pq_numbers_bound(const PqNumbers *v)
{
    if (v->bound != 0) {
        return v->bound;
    }
    return v->ids && v->n_entries > v->n
               ? PQ_NUMBERS_UNBOUNDED
               : pq_numbers_bound_of(v->values, v->ids ? v->n_entries : v->n);
}

/* The bound of an operation's results, from the bounds of its operands; 0: some
** may not fit in 64 bits.
**
**   price                  at most 131072
**   1 + tax                at most 1 + 128
**   price * (1 + tax)      at most 131072 * 129, which fits
**
** So a look at the operands says that no result overflows. */
static uint64_t bound_after(PqNumberOp op, uint64_t a, uint64_t b)
{
    uint64_t bound;
    bool over = op == PQ_NUMBER_MULTIPLY ? __builtin_mul_overflow(a, b, &bound)
                                         : __builtin_add_overflow(a, b, &bound);

    return over || bound > INT64_MAX ? 0 : bound;
}

/* ---- vectors --------------------------------------------------------------- */

static PqRc both_valid(const Run *run, const PqNumbers *a, const PqNumbers *b,
                       PqNumbers *out)
{
    uint64_t *both;

    out->valid = a->valid ? a->valid : b->valid;
    if (a->valid && b->valid) {
        both = bits(run);
        PQ_TRY(both ? PQ_OK : run->e->rc);
        for (uint32_t i = 0; i < (run->n + 63) / 64; i++) {
            both[i] = a->valid[i] & b->valid[i];
        }
        out->valid = both;
    }
    return PQ_OK;
}

PqRc pq_numbers_drop_nans(PqNumbers *v, double *values, PqArena *a, PqErr *e)
{
    uint64_t *valid = pq_arena_zeros(a, v->n / 64 + 1, sizeof *valid, e);

    PQ_TRY(valid ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < v->n; i++) {
        if (isnan(values[i])) {
            values[i] = 0.0;
        } else if (!v->valid || pq_bit(v->valid, i)) {
            pq_bit_set(valid, i);
        }
    }
    v->valid = valid;
    return PQ_OK;
}

/* The result is INT, with some rows REAL. */
static PqRc row_by_row(const Run *run, PqNumberOp op, const Operand *a,
                       const Operand *b, PqNumbers *out)
{
    int64_t *to = places(run, PQ_NUMBER_INT);
    uint64_t *valid = bits(run), *reals = bits(run);
    bool any = false;

    PQ_TRY(to && valid && reals ? PQ_OK : run->e->rc);
    for (uint32_t i = 0; i < run->n; i++) {
        Value x = value_at(a, i), y = value_at(b, i);
        Value v = combine(op, &x, &y);

        to[i] = 0;
        if (v.is_null) {
            continue;
        }
        pq_bit_set(valid, i);
        if (v.is_real) {
            pq_bit_set(reals, i);
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

/* The values of an operand, for loops over rows. */
typedef struct Side {
    const void     *values;
    const uint32_t *ids;
    bool            is_constant;
    uint64_t        bound;           /* of integers                         */
} Side;

static Side side_of(const Operand *o)
{
    return (Side){o->v.values, o->v.ids, o->is_constant, 0};
}

static Side integers_of(const Operand *o)
{
    Side s = side_of(o);

    s.bound = o->is_constant ? pq_numbers_bound_of(o->v.values, 1)
                             : pq_numbers_bound(&o->v);
    return s;
}

/* Runs body for each row i < n, where x is the value of a, and y of b. */
#define EACH_PAIR(type, x_is, y_is, body)                                      \
    for (uint32_t i = 0; i < n; i++) {                                         \
        type x = (x_is), y = (y_is);                                           \
        body;                                                                  \
    }
#define EACH_ROW(type, body)                                                   \
    do {                                                                       \
        const type *av = a.values, *bv = b.values;                             \
        if (a.is_constant) {                                                   \
            type one = av[0];                                                  \
            if (b.ids) {                                                       \
                EACH_PAIR(type, one, bv[b.ids[i]], body)                       \
            } else {                                                           \
                EACH_PAIR(type, one, bv[i], body)                              \
            }                                                                  \
        } else if (b.is_constant) {                                            \
            type one = bv[0];                                                  \
            if (a.ids) {                                                       \
                EACH_PAIR(type, av[a.ids[i]], one, body)                       \
            } else {                                                           \
                EACH_PAIR(type, av[i], one, body)                              \
            }                                                                  \
        } else if (a.ids) {                                                    \
            EACH_PAIR(type, av[a.ids[i]], bv[i], body)                         \
        } else if (b.ids) {                                                    \
            EACH_PAIR(type, av[i], bv[b.ids[i]], body)                         \
        } else {                                                               \
            EACH_PAIR(type, av[i], bv[i], body)                                \
        }                                                                      \
    } while (0)

/* No result overflows. */
static void add_up_within(PqNumberOp op, Side a, Side b, int64_t *to, uint32_t n)
{
    switch (op) {
    case PQ_NUMBER_ADD:
        EACH_ROW(int64_t, to[i] = x + y);
        break;
    case PQ_NUMBER_SUBTRACT:
        EACH_ROW(int64_t, to[i] = x - y);
        break;
    default:
        EACH_ROW(int64_t, to[i] = x * y);
        break;
    }
}

/* False: some result does not fit.  *bound becomes the bound of the results, or
** 0. */
static bool add_up(PqNumberOp op, Side a, Side b, int64_t *to, uint32_t n,
                   uint64_t *bound)
{
    bool over = false;

    *bound = bound_after(op, a.bound, b.bound);
    if (*bound != 0) {
        add_up_within(op, a, b, to, n);
        return true;
    }
    switch (op) {
    case PQ_NUMBER_ADD:
        EACH_ROW(int64_t, over |= __builtin_add_overflow(x, y, &to[i]));
        break;
    case PQ_NUMBER_SUBTRACT:
        EACH_ROW(int64_t, over |= __builtin_sub_overflow(x, y, &to[i]));
        break;
    default:
        EACH_ROW(int64_t, over |= __builtin_mul_overflow(x, y, &to[i]));
        break;
    }
    return !over;
}

static PqRc ints(const Run *run, PqNumberOp op, const Operand *a,
                 const Operand *b, PqNumbers *out)
{
    int64_t *to = places(run, PQ_NUMBER_INT);
    uint64_t bound;

    PQ_TRY(to ? PQ_OK : run->e->rc);
    if (a->v.reals || b->v.reals || op == PQ_NUMBER_DIVIDE ||
        op == PQ_NUMBER_REMAINDER ||
        !add_up(op, integers_of(a), integers_of(b), to, run->n, &bound)) {
        return row_by_row(run, op, a, b, out);
    }
    *out = (PqNumbers){.kind = PQ_NUMBER_INT, .n = run->n, .values = to,
                       .bound = bound};
    return both_valid(run, &a->v, &b->v, out);
}

/* ---- reals ----------------------------------------------------------------- */

/* The same numbers as REALs. */
static PqRc to_reals(const Run *run, Operand *o)
{
    uint32_t n = o->is_constant ? 1 : run->n;
    double *to;

    if (o->v.kind == PQ_NUMBER_REAL) {
        return PQ_OK;
    }
    to = places(run, PQ_NUMBER_REAL);
    PQ_TRY(to ? PQ_OK : run->e->rc);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = o->is_literal ? o->r : real_at(&o->v, place_of(o, i));
    }
    o->v.kind = PQ_NUMBER_REAL;
    o->v.values = to;
    o->v.reals = NULL;
    o->v.ids = NULL;
    o->v.bound = 0;
    return PQ_OK;
}

#define REAL_ROWS(result)                                                      \
    EACH_ROW(double, {                                                         \
        to[i] = (result);                                                      \
        odd |= to[i] != to[i];                                                 \
    })

/* True: some result is NaN. */
static bool real_loop(PqNumberOp op, Side a, Side b, double *to, uint32_t n)
{
    bool odd = false;

    switch (op) {
    case PQ_NUMBER_ADD:
        REAL_ROWS(x + y);
        break;
    case PQ_NUMBER_SUBTRACT:
        REAL_ROWS(x - y);
        break;
    case PQ_NUMBER_MULTIPLY:
        REAL_ROWS(x * y);
        break;
    default:
        REAL_ROWS(y == 0.0 ? (double)NAN : x / y);
        break;
    }
    return odd;
}

static PqRc reals(const Run *run, PqNumberOp op, Operand *a, Operand *b,
                  PqNumbers *out)
{
    double *to = places(run, PQ_NUMBER_REAL);

    PQ_TRY(to ? PQ_OK : run->e->rc);
    PQ_TRY(to_reals(run, a));
    PQ_TRY(to_reals(run, b));
    *out = (PqNumbers){.kind = PQ_NUMBER_REAL, .n = run->n, .values = to};
    PQ_TRY(both_valid(run, &a->v, &b->v, out));
    return real_loop(op, side_of(a), side_of(b), to, run->n)
               ? pq_numbers_drop_nans(out, to, run->a, run->e) : PQ_OK;
}

/* ---- decimals -------------------------------------------------------------- */

static PqWide wide_at(const Operand *o, uint32_t row)
{
    uint32_t i = place_of(o, row);

    return o->v.kind == PQ_NUMBER_WIDE ? ((const PqWide *)o->v.values)[i]
                                       : ((const int64_t *)o->v.values)[i];
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
static PqRc wides(const Run *run, PqNumberOp op, const Operand *a,
                  const Operand *b, PqWide times_a, PqWide times_b,
                  PqNumbers *out, bool *over)
{
    PqWide *to = places(run, PQ_NUMBER_WIDE);

    PQ_TRY(to ? PQ_OK : run->e->rc);
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

/* Numbers times a power of ten.  False: some result does not fit. */
static bool times(Side *s, int64_t power, int64_t *to, uint32_t n)
{
    Side by = {.values = &power, .is_constant = true, .bound = (uint64_t)power};
    bool fits;

    if (power == 1) {
        return true;
    }
    fits = add_up(PQ_NUMBER_MULTIPLY, *s, by, to, s->is_constant ? 1 : n,
                  &s->bound);
    s->bound = s->bound ? s->bound : PQ_NUMBERS_UNBOUNDED;
    s->values = to;
    s->ids = NULL;
    return fits;
}

/* Computes in 64 bits.  False: some result does not fit.  At most one side is
** scaled, to the scale of the other.  A constant is scaled in a place of its
** own, because `to` becomes the result. */
static bool narrow(PqNumberOp op, Side a, Side b, int64_t times_a,
                   int64_t times_b, int64_t *to, uint32_t n, uint64_t *bound)
{
    int64_t constant;

    return times(&a, times_a, a.is_constant ? &constant : to, n) &&
           times(&b, times_b, b.is_constant ? &constant : to, n) &&
           add_up(op, a, b, to, n, bound);
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

        PQ_TRY(to ? PQ_OK : run->e->rc);
        out->values = to;
        if (narrow(op, integers_of(a), integers_of(b),
                   (int64_t)ten_to(more_a), (int64_t)ten_to(more_b), to, run->n,
                   &out->bound)) {
            return PQ_OK;
        }
        out->bound = 0;
    }
    PQ_TRY(wides(run, op, a, b, ten_to(more_a), ten_to(more_b), out, &over));
    return over ? reals(run, op, a, b, out) : PQ_OK;
}

/* ---- any two operands ------------------------------------------------------ */

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

/* A constant gets a place for each row. */
static PqRc spread(const Run *run, Operand *o)
{
    const int64_t *from = o->v.values;
    int64_t *to;

    if (!o->is_constant) {
        return PQ_OK;
    }
    to = places(run, o->v.kind);
    PQ_TRY(to ? PQ_OK : run->e->rc);
    for (uint32_t i = 0; i < run->n; i++) {
        to[i] = *from;
    }
    o->v.values = to;
    o->is_constant = false;
    return PQ_OK;
}

PqRc pq_numbers_by_row(PqNumbers *v, PqArena *a, PqErr *e)
{
    const int64_t *from = v->values;
    int64_t *to;

    if (!v->ids) {
        return PQ_OK;
    }
    to = pq_arena_alloc(a, (v->n + 1u) * sizeof *to, e);
    PQ_TRY(to ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < v->n; i++) {
        to[i] = from[v->ids[i]];
    }
    v->values = to;
    v->ids = NULL;
    return PQ_OK;
}

static PqRc combine_rows(const Run *run, PqNumberOp op, Operand *a, Operand *b,
                         PqNumbers *out)
{
    if (a->v.kind == PQ_NUMBER_INT && b->v.kind == PQ_NUMBER_INT) {
        return ints(run, op, a, b, out);
    }
    if (op == PQ_NUMBER_REMAINDER) { /* a REAL may not hold its integers */
        return row_by_row(run, op, a, b, out);
    }
    return stay_exact(op, a, b) ? decimals(run, op, a, b, out)
                                : reals(run, op, a, b, out);
}

/* Combines a dictionary and a constant, once per entry.  *done false: an entry
** gives NULL, or a REAL among integers, or the results are WIDE. */
static PqRc combine_entries(const Run *run, PqNumberOp op, const Operand *a,
                            const Operand *b, PqNumbers *out, bool *done)
{
    const PqNumbers *v = a->is_constant ? &b->v : &a->v;
    Run entries = {v->n_entries, run->a, run->e};
    Operand x = *a, y = *b;

    *done = false;
    if (!v->ids || !(a->is_constant || b->is_constant) ||
        v->n_entries > run->n) {
        return PQ_OK;
    }
    x.v.ids = y.v.ids = NULL;
    x.v.n = y.v.n = v->n_entries;
    x.v.valid = y.v.valid = NULL;
    PQ_TRY(combine_rows(&entries, op, &x, &y, out));
    *done = !out->valid && !out->reals && out->kind != PQ_NUMBER_WIDE;
    out->valid = v->valid;
    out->ids = v->ids;
    out->n_entries = v->n_entries;
    out->n = run->n;
    return PQ_OK;
}

PqRc pq_numbers_combine(const Run *run, PqNumberOp op, Operand a, Operand b,
                        Operand *out)
{
    bool done;

    *out = (Operand){0};
    if (a.is_constant && b.is_constant) {
        PQ_TRY(spread(run, &a));
    }
    PQ_TRY(combine_entries(run, op, &a, &b, &out->v, &done));
    if (done) {
        return PQ_OK;
    }
    if (a.v.ids && b.v.ids) {
        PQ_TRY(pq_numbers_by_row(&a.v, run->a, run->e));
    }
    return combine_rows(run, op, &a, &b, &out->v);
}

PqRc pq_numbers_give(const Run *run, Operand o, PqNumbers *out)
{
    if (o.is_literal) { /* the program is just a constant: a REAL */
        PQ_TRY(to_reals(run, &o));
    }
    PQ_TRY(spread(run, &o));
    *out = o.v;
    return pq_numbers_by_row(out, run->a, run->e);
}
