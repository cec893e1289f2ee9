/*
** join_bounds_test.c - every row group that may have a key is found, and bounds
** that overlap much are told from those that hardly do.
*/
#include "core/join/join_bounds.h"
#include "test/unit/test.h"

enum { MANY = 600, KEYS = 700 };

static uint32_t chance(uint32_t *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8;
}

/* Ranges of one width.  From the last row group to the first, each begins a
** step after the one before. */
static void in_steps(PqJoinBounds *v, uint32_t n, int64_t step, int64_t width)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t min = (int64_t)(n - i) * step;

        v[i] = (PqJoinBounds){.min = min, .max = min + width, .of = i};
    }
}

TEST(key_bounds, each_one_that_may_have_a_key_is_found_once)
{
    PqJoinBounds v[MANY];
    uint32_t seed = 1, found[MANY];

    for (uint32_t i = 0; i < MANY; i++) {
        int64_t min = chance(&seed) % KEYS;

        v[i] = (PqJoinBounds){.min = min, .max = min + chance(&seed) % 9,
                             .of = i};
    }
    pq_join_bounds_sort(v, MANY, 1);
    for (int64_t key = -1; key <= KEYS + 9; key++) {
        uint32_t i = pq_join_bounds_last(v, MANY, key);
        uint64_t steps = 0;

        memset(found, 0, sizeof found);
        for (; pq_join_bounds_next(v, MANY, key, &i, &steps); i--) {
            found[v[i].of]++;
        }
        for (i = 0; i < MANY; i++) {
            CHECK_INT(found[v[i].of], v[i].min <= key && key <= v[i].max);
        }
    }
}

TEST(key_bounds, nothing_is_found_in_none)
{
    uint32_t i = pq_join_bounds_last(NULL, 0, 7);
    uint64_t steps = 0;

    CHECK(!pq_join_bounds_next(NULL, 0, 7, &i, &steps));
    CHECK(pq_join_bounds_sort(NULL, 0, 1));
}

TEST(key_bounds, sorted_ones_hardly_overlap_and_random_ones_do)
{
    PqJoinBounds v[MANY];

    in_steps(v, MANY, 100, 99);
    CHECK(pq_join_bounds_sort(v, MANY, 1));
    in_steps(v, MANY, 100, 199);
    CHECK(pq_join_bounds_sort(v, MANY, 1));
    in_steps(v, MANY, 100, 999);
    CHECK(!pq_join_bounds_sort(v, MANY, 1));
    in_steps(v, MANY, 0, 999);
    CHECK(!pq_join_bounds_sort(v, MANY, 1));
}

TEST(key_bounds, one_that_reaches_over_ten_others_does_no_harm)
{
    PqJoinBounds v[MANY];

    in_steps(v, MANY, 100, 99);
    v[17].max += 1000;
    CHECK(pq_join_bounds_sort(v, MANY, 1));
}

TEST(key_bounds, those_that_a_sample_leaves_out_overlap_likewise)
{
    PqJoinBounds v[MANY];

    in_steps(v, MANY, 100, 199);
    CHECK(pq_join_bounds_sort(v, MANY, 2));
    CHECK(!pq_join_bounds_sort(v, MANY, 10));
    in_steps(v, MANY, 100, 99);
    CHECK(pq_join_bounds_sort(v, MANY, 1000));
}

TEST(key_bounds, a_few_that_are_alike_do_overlap)
{
    PqJoinBounds v[6];

    in_steps(v, 3, 0, 1000000);
    CHECK(pq_join_bounds_sort(v, 3, 1));
    in_steps(v, 6, 0, 1000000);
    CHECK(!pq_join_bounds_sort(v, 6, 1));
    in_steps(v, 6, 1, 1000000);
    CHECK(!pq_join_bounds_sort(v, 6, 1));
}
