/*
** rollup_sum_test.c - sums at the ends of their ranges; the least of numbers.
*/
#include "core/rollup/rollup.h"
#include "test/unit/test.h"

#include <math.h>

typedef struct One {
    PqRollup *r;
    PqRollupOp measure;
    PqRollupInputVector in;
    PqRollupValue v;
} One;

static PqRc open_one(Test *t, One *o, PqRollupOp op)
{
    PqRollupSpec spec = {.n_measures = 1, .measures = &o->measure,
                         .memory = 1 << 20};

    *o = (One){.measure = op};
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_NULL);
    CHECK_OK(open_one(t, &o, PQ_ROLLUP_COUNT_ROWS));
    CHECK_OK(finish(t, &o));
    CHECK_INT(o.v.cell.kind, PQ_CELL_INT);
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

TEST(rollup_sum, batches_may_leave_the_range_on_either_side)
{
    static const int64_t v[][5] = {
        {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 5},
        {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, 5},
    };

    for (int k = 0; k < 2; k++) {
        One o;

        CHECK_OK(open_one(t, &o, PQ_ROLLUP_SUM));
        for (int i = 0; i < 5; i++) {
            CHECK_OK(add(t, &o, PQ_NUMBER_INT, 0, &v[k][i], 1));
        }
        CHECK_OK(finish(t, &o));
        CHECK_INT(o.v.cell.i, 3);
    }
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_REAL);
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
    CHECK(o.v.cell.kind == PQ_CELL_REAL && o.v.cell.r == 3.5);
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_NULL);
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_REAL);
    CHECK(fabs(o.v.cell.r / ldexp(1, 128) - 1) < 1e-15);
}

/* ---- of many groups --------------------------------------------------------- */

enum { GROUPS = 7, ROWS = 500, BATCHES = 40, ENTRIES = 11 };

typedef struct Many {
    PqRollupOp measure;
    PqRollup *r;
    int32_t  keys[ROWS];
    int64_t  values[ROWS], entries[ENTRIES];
    uint32_t kept[ROWS];
    uint64_t random;
    __int128 sums[GROUPS];           /* as they should be, with scale 4     */
} Many;

static uint64_t next_random(Many *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return m->random >> 17;
}

/* A decimal of up to 18 digits, of either sign. */
static int64_t any_decimal(Many *m)
{
    static const int64_t ranges[] = {100, 1000000000,
                                     INT64_C(1000000000000000000)};
    int64_t range = ranges[next_random(m) % PQ_COUNT(ranges)];

    return (int64_t)(next_random(m) % (uint64_t)range) - range / 3;
}

/* A batch of decimals of a scale, with a dictionary or not, all rows or some. */
static PqRc add_many(Test *t, Many *m, int scale, bool dictionary, bool some)
{
    PqRollupKeyVector key = {
        .form = PQ_GROUP_INTS, .as_is = true, .width = 4, .values = m->keys};
    PqRollupInputVector in = {.kind = PQ_ROLLUP_NUMBERS};
    PqRollupBatch b = {.n_rows = ROWS,
                       .kept = some ? m->kept : NULL,
                       .keys = &key,
                       .inputs = &in};

    in.numbers = (PqNumbers){.kind = PQ_NUMBER_DECIMAL,
                             .scale = scale,
                             .n = ROWS,
                             .values = m->values};
    for (uint32_t i = 0; i < ENTRIES; i++) {
        m->entries[i] = any_decimal(m);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        __int128 v;

        m->keys[i] = (int32_t)(next_random(m) % GROUPS);
        m->values[i] = dictionary ? m->entries[next_random(m) % ENTRIES]
                                  : any_decimal(m);
        v = m->values[i];
        if (!some || next_random(m) % 3) {
            m->sums[m->keys[i]] += scale == 2 ? v * 100 : v;
            m->kept[b.n_kept++] = i;
        }
    }
    in.numbers.n_entries = dictionary ? ENTRIES : 0;
    return pq_rollup_add(m->r, &b, t->e);
}

/* Most of these sums outgrow 64 bits; with little memory they leave it, too. */
static void compare_many(Test *t, size_t memory, bool two_scales, bool merge)
{
    Many *m = pq_mem_zeros(t->mem, 1, sizeof *m, t->e);
    PqRollupSpec spec = {.n_keys = 1, .n_measures = 1, .memory = memory};
    PqRollup *all = NULL;
    uint32_t n, seen = 0;

    m->measure = PQ_ROLLUP_SUM;
    m->random = memory + two_scales;
    spec.measures = &m->measure;
    CHECK_OK(pq_rollup_new(t->mem, &spec, &all, t->e));
    m->r = all;
    for (uint32_t i = 0; i < BATCHES; i++) {
        if (merge) {
            CHECK_OK(pq_rollup_new(t->mem, &spec, &m->r, t->e));
        }
        CHECK_OK(
            add_many(t, m, two_scales && i % 3 == 0 ? 2 : 4, i % 2, i % 4 > 1));
        if (merge) {
            CHECK_OK(pq_rollup_merge(all, m->r, t->e));
            pq_rollup_free(m->r);
        }
    }
    do {
        CHECK_OK(pq_rollup_next(all, &n, t->e));
        for (uint32_t g = 0; g < n; g++, seen++) {
            PqRollupValue v;

            CHECK_OK(pq_rollup_value(all, 0, g, &v, t->e));
            CHECK(v.is_decimal);
            CHECK_INT(v.scale, 4);
            CHECK(v.decimal == m->sums[pq_rollup_key(all, 0, g)->i]);
        }
    } while (n > 0);
    CHECK_INT(seen, GROUPS);
    pq_rollup_free(all);
    pq_mem_free(m);
}

TEST(rollup_sum, decimals_of_many_groups_are_exact_beyond_64_bits)
{
    compare_many(t, 1 << 20, false, false);
    compare_many(t, 1 << 20, true, false);
    compare_many(t, 1 << 20, false, true);
    compare_many(t, 1 << 20, true, true);
    compare_many(t, 1, false, false);
    compare_many(t, 1, true, false);
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_INT);
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
    CHECK_INT(o.v.cell.kind, PQ_CELL_REAL);
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
