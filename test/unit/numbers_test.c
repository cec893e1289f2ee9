/*
** numbers_test.c - arithmetic over vectors, against SQLite's rules.
*/
#include "test/unit/test.h"

#include "core/rollup/numbers.h"

#include <math.h>

static PqNumberStep column(uint32_t i)
{
    return (PqNumberStep){.op = PQ_NUMBER_COLUMN, .column = i};
}

static PqNumberStep integer(int64_t i)
{
    return (PqNumberStep){.op = PQ_NUMBER_CONSTANT, .i = i};
}

static PqNumberStep literal(int64_t unscaled, int scale, double r)
{
    return (PqNumberStep){.op = PQ_NUMBER_CONSTANT, .kind = PQ_NUMBER_DECIMAL,
                          .i = unscaled, .scale = scale, .r = r};
}

static PqNumberStep op(PqNumberOp which)
{
    return (PqNumberStep){.op = which};
}

typedef struct Machine {
    PqMem  *mem;
    PqArena arena;
    PqErr   e;
} Machine;

static void begin(Machine *m)
{
    pq_err_init(&m->e);
    m->mem = pq_mem_new(1 << 20);
    pq_arena_init(&m->arena, m->mem);
}

static void end(Machine *m)
{
    pq_arena_free(&m->arena);
    pq_mem_release(m->mem);
}

static PqNumbers run(Machine *m, PqNumberStep *steps, uint32_t n_steps,
                     const PqNumbers *columns, uint32_t n)
{
    PqNumberProgram p = {.steps = steps, .n_steps = n_steps};
    PqNumbers out = {0};

    (void)pq_numbers_run(&p, columns, n, &m->arena, &out, &m->e);
    return out;
}

static PqNumbers ints(const int64_t *v, uint32_t n, const uint64_t *valid)
{
    return (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = v,
                       .valid = valid};
}

static bool is_null(const PqNumbers *v, uint32_t i)
{
    return v->valid && !pq_bit(v->valid, i);
}

static bool is_real(const PqNumbers *v, uint32_t i)
{
    return v->kind == PQ_NUMBER_REAL || (v->reals && pq_bit(v->reals, i));
}

static int64_t int_at(const PqNumbers *v, uint32_t i)
{
    return ((const int64_t *)v->values)[i];
}

static double real_at(const PqNumbers *v, uint32_t i)
{
    return ((const double *)v->values)[i];
}

TEST(numbers, an_overflow_makes_one_row_a_real)
{
    static const int64_t v[] = {1, INT64_MAX, -5};
    PqNumberStep steps[] = {column(0), integer(1), op(PQ_NUMBER_ADD)};
    PqNumbers in = ints(v, 3, NULL), out;
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 3);
    CHECK(out.kind == PQ_NUMBER_INT && out.reals);
    CHECK(!is_real(&out, 0) && int_at(&out, 0) == 2);
    CHECK(is_real(&out, 1) && real_at(&out, 1) == 9223372036854775808.0);
    CHECK(!is_real(&out, 2) && int_at(&out, 2) == -4);
    end(&m);
}

TEST(numbers, integers_are_cut_and_zero_divides_to_null)
{
    static const int64_t a[] = {7, -7, 7, INT64_MIN, INT64_MIN},
                         b[] = {2, 2, 0, -1, -1};
    PqNumberStep divide[] = {column(0), column(1), op(PQ_NUMBER_DIVIDE)};
    PqNumberStep rest[] = {column(0), column(1), op(PQ_NUMBER_REMAINDER)};
    PqNumbers in[] = {ints(a, 5, NULL), ints(b, 5, NULL)}, out;
    Machine m;

    begin(&m);
    out = run(&m, divide, 3, in, 5);
    CHECK(int_at(&out, 0) == 3 && int_at(&out, 1) == -3 && is_null(&out, 2));
    CHECK(is_real(&out, 3) && real_at(&out, 3) == 9223372036854775808.0);
    out = run(&m, rest, 3, in, 5);
    CHECK(int_at(&out, 0) == 1 && int_at(&out, 1) == -1 && is_null(&out, 2));
    CHECK(int_at(&out, 3) == 0 && !is_null(&out, 3));
    end(&m);
}

TEST(numbers, what_is_not_a_number_is_null)
{
    static const double a[] = {INFINITY, 1.5, 0.0}, b[] = {INFINITY, 0.5, 0.0};
    PqNumbers in[] = {{.kind = PQ_NUMBER_REAL, .n = 3, .values = a},
                      {.kind = PQ_NUMBER_REAL, .n = 3, .values = b}}, out;
    PqNumberStep minus[] = {column(0), column(1), op(PQ_NUMBER_SUBTRACT)};
    PqNumberStep divide[] = {column(0), column(1), op(PQ_NUMBER_DIVIDE)};
    Machine m;

    begin(&m);
    out = run(&m, minus, 3, in, 3);
    CHECK(is_null(&out, 0) && !is_null(&out, 1) && real_at(&out, 1) == 1.0);
    out = run(&m, divide, 3, in, 3);
    CHECK(is_null(&out, 0) && real_at(&out, 1) == 3.0 && is_null(&out, 2));
    end(&m);
}

TEST(numbers, decimals_stay_exact_beside_constants)
{
    static const int64_t price[] = {1999, 10}, discount[] = {7, 50};
    PqNumbers in[] = {
        {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = price},
        {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = discount}};
    PqNumberStep steps[] = {column(0), integer(1), column(1),
                            op(PQ_NUMBER_SUBTRACT), op(PQ_NUMBER_MULTIPLY),
                            literal(5, 1, 0.5), op(PQ_NUMBER_ADD)};
    PqNumbers out;
    Machine m;

    begin(&m);                       /* 19.99 * (1 - 0.07) + 0.5 */
    out = run(&m, steps, 7, in, 2);
    CHECK(out.kind == PQ_NUMBER_DECIMAL && out.scale == 4);
    CHECK(int_at(&out, 0) == 1999 * 93 + 5000);
    CHECK(int_at(&out, 1) == 10 * 50 + 5000);
    end(&m);
}

TEST(numbers, a_product_that_64_bits_cannot_hold_is_wide)
{
    static const int64_t v[] = {INT64_C(900000000000000000), 1};
    PqNumbers in = {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = v},
              out;
    PqNumberStep steps[] = {column(0), column(0), op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 2);
    CHECK(out.kind == PQ_NUMBER_WIDE && out.scale == 4);
    CHECK(((const PqWide *)out.values)[0] == (PqWide)v[0] * v[0]);
    CHECK(((const PqWide *)out.values)[1] == 1);
    end(&m);
}

TEST(numbers, a_decimal_beyond_128_bits_is_a_real)
{
    static const int64_t v[] = {INT64_MAX};
    PqNumbers in = {.kind = PQ_NUMBER_DECIMAL, .scale = 1, .n = 1, .values = v},
              out;
    PqNumberStep steps[] = {column(0), column(0), op(PQ_NUMBER_MULTIPLY),
                            column(0), op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 5, &in, 1);
    CHECK(out.kind == PQ_NUMBER_REAL);
    CHECK(fabs(real_at(&out, 0) / 7.846377169233350e53 - 1) < 1e-12);
    end(&m);
}

TEST(numbers, a_constant_with_a_point_is_a_real_beside_integers)
{
    static const int64_t v[] = {3, 4};
    static const uint64_t valid[] = {2};
    PqNumbers in = ints(v, 2, valid), out;
    PqNumberStep steps[] = {column(0), literal(15, 1, 1.5),
                            op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 2);
    CHECK(out.kind == PQ_NUMBER_REAL);
    CHECK(is_null(&out, 0) && !is_null(&out, 1) && real_at(&out, 1) == 6.0);
    end(&m);
}
