/*
** tally_test.c - counts and bounds of pages, and their sum over a chunk.
*/
#include "core/meta/tally.h"
#include "test/unit/test.h"

#include <math.h>

typedef struct Bench {
    PqNode  node;
    PqLeaf  leaf;
    PqTally tally;
} Bench;

static PqRc bench(Test *t, Bench *b, PqPhysical physical, PqLogical logical,
                  PqOrder order)
{
    memset(b, 0, sizeof *b);
    b->leaf.node = &b->node;
    b->leaf.type.physical = physical;
    b->leaf.type.logical = logical;
    b->leaf.max_def = 2;
    b->leaf.max_rep = 1;
    return pq_tally_init(&b->tally, &b->leaf, order, t->mem, t->e);
}

static int64_t i64_of(const PqBuf *b)
{
    return (int64_t)pq_load_u64(b->p);
}

static double double_of(const PqBuf *b)
{
    double d;

    memcpy(&d, b->p, sizeof d);
    return d;
}

TEST(tally, levels_are_counted_in_slots_rows_values_and_nulls)
{
    static const uint16_t rep[] = {0, 1, 0, 0, 1}, def[] = {2, 1, 0, 2, 2};
    Bench b;

    CHECK_OK(bench(t, &b, PQ_INT64, PQ_TYPE_NONE, PQ_ORDER_SIGNED));
    pq_tally_levels(&b.tally, rep, def, 5);
    int64_t own = b.tally.n_own_nulls, zero = b.tally.defs[0],
            one = b.tally.reps[1], values = b.tally.n_values,
            rows = b.tally.n_rows;
    pq_tally_free(&b.tally);
    CHECK_INT(rows, 3);
    CHECK_INT(values, 3);
    CHECK_INT(own, 1);
    CHECK_INT(zero, 1);
    CHECK_INT(one, 2);
}

TEST(tally, unsigned_numbers_are_ordered_as_such)
{
    static const int64_t v[] = {-1, 3, 1};
    Bench b;

    CHECK_OK(bench(t, &b, PQ_INT64, PQ_TYPE_INT, PQ_ORDER_UNSIGNED));
    PqRc rc = pq_tally_values(&b.tally, v, 3, t->e);
    int64_t min = i64_of(&b.tally.bounds.min), max = i64_of(&b.tally.bounds.max);
    pq_tally_free(&b.tally);
    CHECK_INT(rc, PQ_OK);
    CHECK_INT(min, 1);
    CHECK_INT(max, -1);
}

TEST(tally, nan_is_counted_and_is_no_bound)
{
    double v[] = {1.5, NAN, -2.0, -NAN, -INFINITY};
    Bench b;

    CHECK_OK(bench(t, &b, PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_FLOAT));
    PqRc rc = pq_tally_values(&b.tally, v, 5, t->e);
    double min = double_of(&b.tally.bounds.min), max = double_of(&b.tally.bounds.max);
    int64_t nans = b.tally.n_nans;
    bool nan_bounds = b.tally.nan_bounds.has;
    pq_tally_free(&b.tally);
    CHECK_INT(rc, PQ_OK);
    CHECK(min == -INFINITY && max == 1.5);
    CHECK_INT(nans, 2);
    CHECK(nan_bounds);
}

TEST(tally, in_total_order_the_zeros_differ)
{
    double v[] = {0.0, -0.0};
    Bench b;

    CHECK_OK(bench(t, &b, PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_FLOAT_TOTAL));
    PqRc rc = pq_tally_values(&b.tally, v, 2, t->e);
    bool negative = signbit(double_of(&b.tally.bounds.min)) != 0;
    pq_tally_free(&b.tally);
    CHECK_INT(rc, PQ_OK);
    CHECK(negative);
}

TEST(tally, decimals_in_bytes_are_ordered_by_value)
{
    static const uint8_t a[] = {0xff, 0x00}, c[] = {0x01}, d[] = {0x00, 0x7f};
    const PqStr v[] = {{a, 2}, {c, 1}, {d, 2}};
    Bench b;

    CHECK_OK(bench(t, &b, PQ_BYTE_ARRAY, PQ_TYPE_DECIMAL,
                   PQ_ORDER_SIGNED_BYTES));
    PqRc rc = pq_tally_values(&b.tally, v, 3, t->e);
    bool right = b.tally.bounds.min.n == 2 && b.tally.bounds.min.p[0] == 0xff &&
                 b.tally.bounds.max.n == 2 && b.tally.bounds.max.p[1] == 0x7f;
    int64_t bytes = b.tally.n_bytes;
    pq_tally_free(&b.tally);
    CHECK_INT(rc, PQ_OK);
    CHECK(right);
    CHECK_INT(bytes, 5);
}

TEST(tally, a_chunk_is_the_sum_of_its_pages)
{
    static const int64_t low[] = {4, 2}, high[] = {9, 3};
    Bench page, chunk;

    CHECK_OK(bench(t, &page, PQ_INT64, PQ_TYPE_NONE, PQ_ORDER_SIGNED));
    CHECK_OK(bench(t, &chunk, PQ_INT64, PQ_TYPE_NONE, PQ_ORDER_SIGNED));
    PqRc rc = pq_tally_values(&page.tally, high, 2, t->e);
    rc = rc ? rc : pq_tally_add(&chunk.tally, &page.tally, t->e);
    pq_tally_restart(&page.tally);
    rc = rc ? rc : pq_tally_values(&page.tally, low, 2, t->e);
    rc = rc ? rc : pq_tally_add(&chunk.tally, &page.tally, t->e);
    int64_t min = i64_of(&chunk.tally.bounds.min), max = i64_of(&chunk.tally.bounds.max);
    pq_tally_free(&page.tally);
    pq_tally_free(&chunk.tally);
    CHECK_INT(rc, PQ_OK);
    CHECK_INT(min, 2);
    CHECK_INT(max, 9);
}
