/*
** rollup_sum_test.c - sums at the ends of their ranges; the least of numbers.
*/
#include "core/rollup/rollup.h"
#include "test/unit/test.h"

#include <math.h>

typedef struct One {
    PqRollup *r;
    PqRollupMeasure measure;
    PqRollupInputVector in;
    PqRollupValue v;
} One;

static PqRc open_one(Test *t, One *o, PqRollupOp op)
{
    PqRollupSpec spec = {.n_measures = 1, .measures = &o->measure,
                         .memory = 1 << 20};

    *o = (One){.measure = {op}};
    return pq_rollup_new(t->mem, &spec, &o->r, t->e);
}

static PqRc add(Test *t, One *o, PqNumberKind kind, int scale, const void *values,
                uint32_t n)
{
    PqRollupBatch b = {.n_rows = n, .inputs = &o->in};

    o->in = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    o->in.numbers = (PqNumbers){.kind = kind, .scale = scale, .n = n,
                                .values = values};
    return pq_rollup_add(o->r, &b, t->e);
}

static PqRc finish(Test *t, One *o)
{
    uint32_t n;
    PqRc rc = pq_rollup_next(o->r, &n, t->e);

    if (rc == PQ_OK) {
        rc = pq_rollup_value(o->r, 0, 0, &o->v, t->e);
    }
    pq_rollup_free(o->r);
    return rc;
}

TEST(rollup_sum, of_nothing_is_null)
{
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_NULL);
    CHECK_OK(open_one(t, &o, PQ_ROLLUP_COUNT_ROWS));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_INT);
    CHECK_INT(o.v.cell.i, 0);
}

TEST(rollup_sum, only_a_total_that_does_not_fit_overflows)
{
    int64_t v[] = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 5};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, v, 5));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.i, 3);
    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, v, 2));
    CHECK_FAILS(finish(t, &o), PQ_USAGE, "integer overflow");
}

TEST(rollup_sum, an_integer_and_a_real_make_a_real)
{
    int64_t i[] = {INT64_MAX, 1};
    double r[] = {0.5};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, i, 2));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, r, 1));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_REAL);
    CHECK(o.v.cell.r == 9223372036854775808.0);
}

TEST(rollup_sum, a_real_among_integers_makes_a_real)
{
    double half = 0.5;
    int64_t v[] = {1, 0, 2};
    uint64_t reals = 2;
    PqRollupBatch b = {.n_rows = 3};
    One o;

    memcpy(&v[1], &half, sizeof half);
    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    o.in = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    o.in.numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = 3, .values = v,
                               .reals = &reals};
    b.inputs = &o.in;
    CHECK_OK(pq_rollup_add(o.r, &b, t->e));
    CHECK_OK(finish(t, &o));
    CHECK(o.v.cell.kind == PQ_GROUP_REAL && o.v.cell.r == 3.5);
}

TEST(rollup_sum, infinities_meet_as_in_sqlite)
{
    double v[] = {INFINITY, 1, 2, 3, 4, 5, 6, 7, 8, -INFINITY};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, v, 9));
    CHECK_OK(finish(t, &o));
    CHECK(isinf(o.v.cell.r) && o.v.cell.r > 0);
    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, v, 10));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_NULL);
}

TEST(rollup_sum, what_rounding_loses_is_kept)
{
    double v[] = {1e16, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1e16};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, v, PQ_COUNT(v)));
    CHECK_OK(finish(t, &o));
    CHECK(o.v.cell.r == 10);
}

TEST(rollup_sum, decimals_of_different_scales_are_exact)
{
    int64_t a[] = {150, 25}, b[] = {5};          /* 1.50 0.25, 0.005 */
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_DECIMAL, 2, a, 2));
    CHECK_OK(add(t, &o, PQ_NUMBER_DECIMAL, 3, b, 1));
    CHECK_OK(add(t, &o, PQ_NUMBER_DECIMAL, 2, a, 1));
    CHECK_OK(finish(t, &o));
    CHECK(o.v.is_decimal);
    CHECK_INT(o.v.scale, 3);
    CHECK_INT(o.v.decimal, 3255);
    CHECK(o.v.cell.r == 3.255);
}

TEST(rollup_sum, decimals_that_do_not_fit_become_a_real)
{
    __int128 most = (((__int128)1 << 126) - 1) * 2 + 1, v[] = {most, most};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
    CHECK_OK(add(t, &o, PQ_NUMBER_WIDE, 0, v, 2));
    CHECK_OK(finish(t, &o));
    CHECK(!o.v.is_decimal);
    CHECK_INT(o.v.cell.kind, PQ_GROUP_REAL);
    CHECK(fabs(o.v.cell.r / ldexp(1, 128) - 1) < 1e-15);
}

TEST(rollup_best, integers_and_reals_are_compared_exactly)
{
    int64_t i[] = {9007199254740993};
    double r[] = {9007199254740992.0}, same[] = {9007199254740993.0};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_MAX));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, r, 1));
    CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, i, 1));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, same, 1));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_INT);
    CHECK_INT(o.v.cell.i, i[0]);
}

TEST(rollup_best, among_equal_numbers_the_first_stays)
{
    int64_t i[] = {1};
    double r[] = {1.0};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_MIN));
    CHECK_OK(add(t, &o, PQ_NUMBER_REAL, 0, r, 1));
    CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, i, 1));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_GROUP_REAL);
}

TEST(rollup_known, counts_are_added_without_rows)
{
    int64_t seven[] = {7};
    PqRollupBatch b = {0};
    One o;

    CHECK_OK(open_one(t, &o, PQ_ROLLUP_COUNT));
    o.in = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    o.in.numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = 1, .values = seven};
    b.inputs = &o.in;
    CHECK_OK(pq_rollup_add_known(o.r, &b, 9, t->e));
    CHECK_OK(pq_rollup_add_known(o.r, &b, 9, t->e));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.i, 14);
}
