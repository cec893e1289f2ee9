/*
** summary_test.c - the sketches of a column against what is true.
*/
#include "core/numbering/hash.h"
#include "core/summary/hyperloglog.h"
#include "core/summary/summary.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

/* Different values in an order without a pattern: i -> i * odd, mod 2^32. */
static int64_t shuffled(uint32_t i)
{
    return (int64_t)(uint32_t)(i * 2654435761u);
}

TEST(summary, hashes_are_counted_within_three_percent)
{
    static uint8_t registers[PQ_HLL_REGISTERS];
    static const uint32_t sizes[] = {1, 100, 5000, 60000, 100000, 1000000};
    uint32_t n = 0;

    memset(registers, 0, sizeof registers);
    for (size_t k = 0; k < PQ_COUNT(sizes); k++) {
        double found;

        for (; n < sizes[k]; n++) {
            pq_hll_add(registers, pq_hash_mix(n, 0));
            pq_hll_add(registers, pq_hash_mix(n, 0));
        }
        found = pq_hll_estimate(registers);
        CHECK(fabs(found - n) <= 0.03 * n + 0.5);
    }
}

/* The rank of v among the n values 0 .. n-1 is v + 1. */
static bool ranks_are_near(PqRanks *r, uint64_t n, Test *t)
{
    uint64_t ranks[5] = {1, n / 4, n / 2, n / 4 * 3, n};
    int64_t found[5] = {0};
    bool near = pq_ranks_find(r, ranks, 5, found, t->e) == PQ_OK;

    for (int i = 0; i < 5; i++) {
        near = near && fabs((double)found[i] + 1 - (double)ranks[i]) <=
                           0.01 * (double)n;
    }
    return near && r->total == n;
}

TEST(summary, ranks_are_within_one_percent_in_any_order)
{
    const uint32_t n = 1u << 21;
    int64_t batch[1000];

    for (int order = 0; order < 3; order++) {
        PqRanks r;
        bool near;

        pq_ranks_init(&r, t->mem);
        for (uint32_t i = 0, k = 0; i < n; i++) {
            batch[k++] = order == 0   ? i
                         : order == 1 ? n - 1 - i
                                      : (int64_t)(i * 2654435761u & (n - 1));
            if (k == PQ_COUNT(batch) || i + 1 == n) {
                CHECK_OK(pq_ranks_add(&r, batch, k, t->e));
                k = 0;
            }
        }
        near = ranks_are_near(&r, n, t);
        pq_ranks_free(&r);
        CHECK(near);
    }
}

TEST(summary, values_with_counts_have_the_ranks_of_all_of_them)
{
    const int64_t values = 100000;
    uint64_t total = 0;
    int64_t found[1];
    PqRanks r;

    pq_ranks_init(&r, t->mem);
    for (int64_t v = 0; v < values; v++) {
        uint64_t times = 1 + (uint64_t)v % 100;

        CHECK_OK(pq_ranks_add_times(&r, v, times, t->e));
        total += times;
        CHECK_OK(pq_ranks_add(&r, &v, 1, t->e));
        total++;
    }
    uint64_t half[1] = {total / 2}, sum = r.total;
    CHECK_OK(pq_ranks_find(&r, half, 1, found, t->e));
    pq_ranks_free(&r);
    CHECK(sum == total);
    CHECK(llabs(found[0] - values / 2) < values / 100);
}

TEST(summary, a_value_that_occurs_too_often_for_the_levels_is_an_error)
{
    PqRanks r;
    PqRc rc;

    pq_ranks_init(&r, t->mem);
    rc = pq_ranks_add_times(&r, 7, UINT64_C(1) << 62, t->e);
    pq_ranks_free(&r);
    CHECK_INT(rc, PQ_UNSUPPORTED);
}

/* The next value after v whose place is the first one of a small table. */
static int64_t meets_others(int64_t v)
{
    do {
        v++;
    } while (pq_hash_mix((uint64_t)v, 0) & 0xfff);
    return v;
}

TEST(summary, values_whose_hashes_were_made_to_meet_are_spread)
{
    enum { N = 2000 };
    static int64_t v[N];
    static uint64_t hashes[N];
    PqCounts c;
    PqCount top;
    uint64_t before, after;
    bool exact;

    v[0] = meets_others(0);
    for (uint32_t i = 1; i < N; i++) {
        v[i] = meets_others(v[i - 1]);
    }
    pq_counts_init(&c, t->mem, false);
    pq_counts_hash(&c, v, N, hashes);
    CHECK_OK(pq_counts_add(&c, v, hashes, NULL, N, t->e));
    before = c.probes;
    CHECK_OK(pq_counts_add(&c, v, hashes, NULL, N, t->e));
    CHECK_OK(pq_counts_add(&c, v + 5, hashes + 5, NULL, 1, t->e));
    after = c.probes;
    CHECK(pq_counts_top(&c, &top, &exact));
    CHECK_INT(c.n, N);
    pq_counts_free(&c);
    CHECK(before > (uint64_t)N * 100);
    CHECK(after - before < (uint64_t)N * 10);
    CHECK(exact && top.key.i == v[5] && top.count == 3);
}

TEST(summary, few_values_keep_their_exact_ranks)
{
    int64_t v[1000], found[3];
    uint64_t ranks[3] = {1, 500, 1000};
    PqRanks r;

    for (uint32_t i = 0; i < 1000; i++) {
        v[i] = (int64_t)(i * 7919 % 1000) - 500;
    }
    pq_ranks_init(&r, t->mem);
    CHECK_OK(pq_ranks_add(&r, v, 1000, t->e));
    CHECK_OK(pq_ranks_find(&r, ranks, 3, found, t->e));
    pq_ranks_free(&r);
    CHECK_INT(found[0], -500);
    CHECK_INT(found[1], -1);
    CHECK_INT(found[2], 499);
}

TEST(summary, reals_have_the_order_of_their_ranks)
{
    static const double v[] = {-INFINITY, -1e300, -1, -5e-324, 0, 5e-324, 1,
                               1e300, INFINITY};

    for (size_t i = 0; i < PQ_COUNT(v); i++) {
        CHECK(pq_ranks_to_real(pq_ranks_of_real(v[i])) == v[i]);
        CHECK(i == 0 || pq_ranks_of_real(v[i - 1]) < pq_ranks_of_real(v[i]));
    }
    CHECK(pq_ranks_of_real(-0.0) == pq_ranks_of_real(0.0));
}

/* A summary of n values by a function, in batches. */
typedef int64_t (*Value)(uint32_t i);

static PqRc sum_up(Test *t, Value value, uint32_t n, PqSummary **s,
                   PqSummaryResult *out)
{
    PqLeaf leaf = {.type = {.physical = PQ_INT64}};
    int64_t batch[2048];
    uint32_t i = 0;

    PQ_TRY(pq_summary_new(t->mem, PQ_SUMMARY_INTS, PQ_SUMMARY_ALL, NULL, s,
                          t->e));
    while (i < n) {
        PqVector v = {.leaf = &leaf, .values = batch};

        while (v.n_slots < 2048 && i < n) {
            batch[v.n_slots++] = value(i++);
        }
        v.n_rows = v.n_slots;
        PQ_TRY(pq_summary_vector(*s, &v, t->e));
    }
    return pq_summary_finish(*s, out, t->e);
}

static int64_t of_ten(uint32_t i)
{
    return i % 10 * (i % 10);
}

TEST(summary, few_different_values_are_all_exact)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_up(t, of_ten, 200001, &s, &r));
    pq_summary_free(s);
    CHECK(r.distinct_exact && r.quartiles_exact && r.top_exact);
    CHECK_INT(r.n_distinct, 10);
    CHECK_INT(r.min.i, 0);
    CHECK_INT(r.max.i, 81);
    CHECK_INT(r.quartile[0].i, 4);
    CHECK_INT(r.quartile[1].i, 16);
    CHECK_INT(r.quartile[2].i, 49);
    CHECK_INT(r.top.i, 0);
    CHECK_INT(r.top_count, 20001);
    CHECK(fabs(r.mean - 28.5) < 1e-3);
}

TEST(summary, different_values_have_no_top)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_up(t, shuffled, 500000, &s, &r));
    pq_summary_free(s);
    CHECK(!r.distinct_exact && !r.quartiles_exact && !r.top.is_there);
    CHECK(llabs((int64_t)r.n_distinct - 500000) < 15000);
}

static int64_t one_of_many(uint32_t i)
{
    return i % 50 == 49 ? -7 : shuffled(i);
}

TEST(summary, a_frequent_value_among_many_is_counted_exactly)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_up(t, one_of_many, 1000000, &s, &r));
    pq_summary_free(s);
    CHECK(r.top.is_there && r.top_exact);
    CHECK_INT(r.top.i, -7);
    CHECK_INT(r.top_count, 20000);
}

/* It comes only after the table has been cut. */
static int64_t late(uint32_t i)
{
    return i > 500000 && i % 2 ? -7 : shuffled(i);
}

TEST(summary, a_late_frequent_value_has_a_lower_bound)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_up(t, late, 1000000, &s, &r));
    pq_summary_free(s);
    CHECK(r.top.is_there && !r.top_exact);
    CHECK_INT(r.top.i, -7);
    CHECK(r.top_count <= 250000 && r.top_count > 240000);
}

static int64_t far_apart(uint32_t i)
{
    return i % 2 ? INT64_MAX : INT64_MIN;
}

static int64_t far_away(uint32_t i)
{
    return INT64_MAX - i % 2;
}

TEST(summary, large_integers_have_a_mean_and_a_deviation)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_up(t, far_apart, 10000, &s, &r));
    pq_summary_free(s);
    CHECK(r.mean == -0.5);
    CHECK(fabs(r.deviation / 0x1p63 - 1) < 1e-4);
    CHECK_OK(sum_up(t, far_away, 10000, &s, &r));
    pq_summary_free(s);
    CHECK(fabs(r.deviation - 0.5) < 1e-4);
}

static PqRc sum_reals(Test *t, const double *v, uint32_t n, PqSummaryResult *r)
{
    PqSummary *s;
    PqRc rc;

    PQ_TRY(pq_summary_new(t->mem, PQ_SUMMARY_REALS, PQ_SUMMARY_ALL, NULL, &s,
                          t->e));
    rc = pq_summary_reals(s, v, NULL, n, t->e);
    rc = rc == PQ_OK ? pq_summary_finish(s, r, t->e) : rc;
    pq_summary_free(s);
    return rc;
}

TEST(summary, reals_lose_nothing_by_adding)
{
    static const double v[] = {1e20, 1, 1, 1, -1e20, 1};
    static const double infinite[] = {1, INFINITY, 2};
    static const double both[] = {-INFINITY, INFINITY, 2};
    static const double nan[] = {NAN, 2, NAN, -0.0, 0.0};
    PqSummaryResult r;

    CHECK_OK(sum_reals(t, v, 6, &r));
    CHECK(r.mean == 4.0 / 6);
    CHECK_OK(sum_reals(t, infinite, 3, &r));
    CHECK(r.mean == INFINITY && isnan(r.deviation));
    CHECK_OK(sum_reals(t, both, 3, &r));
    CHECK(isnan(r.mean) && isnan(r.deviation));
    CHECK_OK(sum_reals(t, nan, 5, &r));
    CHECK_INT(r.n_nulls, 2);
    CHECK_INT(r.n_values, 3);
    CHECK_INT(r.n_distinct, 2);
    CHECK(r.top_count == 2 && r.min.r == 0 && r.max.r == 2);
}

TEST(summary, ids_of_a_dictionary_are_the_values_they_stand_for)
{
    static double entries[] = {5, NAN, 7, 9};
    static const uint32_t ids[] = {0, 2, 0, 1, 2, 2, 0};
    static const uint64_t valid[] = {0x3f};
    PqDict dict = {.type = PQ_DOUBLE, .n = 4, .values = entries, .serial = 99};
    PqLeaf leaf = {.type = {.physical = PQ_DOUBLE}};
    PqVector v = {.leaf = &leaf, .n_rows = 7, .n_slots = 7, .valid = valid,
                  .dict = &dict, .ids = ids};
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(pq_summary_new(t->mem, PQ_SUMMARY_REALS, PQ_SUMMARY_ALL, NULL, &s,
                            t->e));
    CHECK_OK(pq_summary_vector(s, &v, t->e));
    CHECK_OK(pq_summary_end_chunk(s, t->e));
    CHECK_OK(pq_summary_finish(s, &r, t->e));
    pq_summary_free(s);
    CHECK_INT(r.n_nulls, 2);         /* one is NaN */
    CHECK_INT(r.n_distinct, 2);
    CHECK(r.top.r == 7 && r.top_count == 3 && r.max.r == 7);
    CHECK(r.mean == (5 * 2 + 7 * 3) / 5.0);
}

/* Texts of about `length` bytes, all different. */
static PqRc sum_texts(Test *t, uint32_t n, uint32_t length, PqSummary **s,
                      PqSummaryResult *r)
{
    char *text = pq_mem_alloc(t->mem, length + 1u, t->e);
    PqRc rc = text ? PQ_OK : t->e->rc;

    PQ_TRY(pq_summary_new(t->mem, PQ_SUMMARY_BYTES, PQ_SUMMARY_ALL, NULL, s,
                          t->e));
    for (uint32_t i = 0; i < n && rc == PQ_OK; i++) {
        PqStr v = {.p = (const uint8_t *)text, .n = length};
        char digits[16];

        memset(text, '.', length);
        snprintf(digits, sizeof digits, "%08u",
                 (unsigned)(i * 2654435761u % n));
        memcpy(text, digits, 8);
        rc = pq_summary_bytes(*s, &v, NULL, 1, t->e);
    }
    pq_mem_free(text);
    return rc == PQ_OK ? pq_summary_finish(*s, r, t->e) : rc;
}

static double share_of(const PqSummaryValue *v, uint32_t n)
{
    char digits[9] = "";

    memcpy(digits, v->bytes.p, 8);
    return atof(digits) / n;
}

TEST(summary, texts_have_quartiles_within_three_percent)
{
    static const uint32_t length[] = {8, 100, 4000};
    static const uint32_t n[] = {1 << 19, 1 << 17, 1 << 13};
    static const double most[] = {0.03, 0.03, 0.12};   /* fewer are kept */

    for (int k = 0; k < 3; k++) {
        PqSummaryResult r;
        PqSummary *s;
        bool near = true;

        CHECK_OK(sum_texts(t, n[k], length[k], &s, &r));
        for (int q = 0; q < 3; q++) {
            near = near && r.quartile[q].is_there &&
                   fabs(share_of(&r.quartile[q], n[k]) - 0.25 * (q + 1)) <
                       most[k];
        }
        pq_summary_free(s);
        CHECK(near);
        CHECK(!r.quartiles_exact && !r.top.is_there);
    }
}

TEST(summary, what_is_too_long_has_bounds_but_no_quartiles)
{
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_texts(t, 32, PQ_COUNTS_LONGEST + 1, &s, &r));
    CHECK(r.min.is_there && r.min.bytes.n == PQ_COUNTS_LONGEST + 1);
    pq_summary_free(s);
    CHECK(!r.quartile[0].is_there && !r.top.is_there);
    CHECK_INT(r.n_distinct, 32);
}

/* Texts that are as long as can be counted: 128 MB of them in one batch. */
TEST(summary, memory_does_not_grow_with_long_texts)
{
    enum { N = PQ_SUMMARY_AT_ONCE, LONG = PQ_COUNTS_LONGEST };
    PqMem *mem = pq_mem_new((size_t)9 << 20);
    uint8_t *text = pq_mem_alloc(t->mem, N + LONG, t->e);
    PqStr *v = pq_mem_alloc(t->mem, N * sizeof *v, t->e);
    uint64_t random = 1;
    PqSummaryResult r;
    PqSummary *s;

    CHECK(mem && text && v);
    for (uint32_t i = 0; i < N + LONG; i++) {
        text[i] = (uint8_t)pq_ranks_random(&random);
    }
    for (uint32_t i = 0; i < N; i++) {
        v[i] = (PqStr){.p = text + i, .n = LONG};
    }
    v[N - 2] = v[N - 3] = v[N - 1];
    CHECK_OK(pq_summary_new(mem, PQ_SUMMARY_BYTES, PQ_SUMMARY_ALL, NULL, &s,
                            t->e));
    CHECK_OK(pq_summary_bytes(s, v, NULL, N, t->e));
    CHECK_OK(pq_summary_finish(s, &r, t->e));
    CHECK_INT(r.n_values, N);
    CHECK((double)r.n_distinct > N * 0.97 && (double)r.n_distinct < N * 1.03);
    pq_summary_free(s);
    pq_mem_release(mem);
    pq_mem_free(text);
    pq_mem_free(v);
}

TEST(summary, memory_does_not_grow_with_values)
{
    size_t before = pq_mem_used(t->mem), used;
    PqSummaryResult r;
    PqSummary *s;

    CHECK_OK(sum_texts(t, 1 << 18, 60, &s, &r));
    used = pq_mem_used(t->mem) - before;
    pq_summary_free(s);
    CHECK(used < 9u << 20);
    CHECK_INT(pq_mem_used(t->mem), before);
}
