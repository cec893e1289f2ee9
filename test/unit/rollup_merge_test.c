/*
** rollup_merge_test.c - groups of several rollups become those of one.
**
** Three lanes have 5,000 groups in common, each in another order, and 2,000 of their
** own.  So merging goes through several blocks, and codes differ.  Sums of two lanes
** do not fit in 64 bits; with the third they do.
*/
#include "core/rollup/rollup.h"

#include "test/unit/test.h"

enum { LANES = 3, COMMON = 5000, OWN = 2000, ROWS = COMMON + OWN, MEASURES = 7,
       PLENTY = 64 << 20, STEPS = 16, RESERVE = 160 << 10 };

static const PqRollupOp measures[MEASURES] = {
    PQ_ROLLUP_COUNT_ROWS, PQ_ROLLUP_SUM, PQ_ROLLUP_SUM,
    PQ_ROLLUP_SUM,        PQ_ROLLUP_MIN, PQ_ROLLUP_MAX,
    PQ_ROLLUP_COUNT};

static const int64_t large[LANES] = {INT64_C(1) << 62, INT64_C(1) << 62,
                                     -(INT64_C(1) << 62)};

/* The last lane has another scale. */
static const int64_t decimal[LANES] = {INT64_C(9000000000000000000),
                                       INT64_C(9000000000000000000), 5};
static const int scale[LANES] = {2, 2, 4};

/* The key of a row of a lane. */
static int64_t key_of(uint32_t lane, uint32_t i)
{
    return i < COMMON ? (lane % 2 ? COMMON - 1 - i : (i * 7 + lane) % COMMON)
                      : (lane + 1) * 100000 + i;
}

/* Does the last measure count it?  Neighbours, and groups of two blocks at one
** place, differ. */
static bool is_counted(int64_t key)
{
    return key % 3 == 0;
}

static PqRc add_rows(Test *t, PqRollup *r, uint32_t lane, uint32_t first,
                     uint32_t n)
{
    int64_t keys[PQ_ROLLUP_ROWS], ints[PQ_ROLLUP_ROWS], cents[PQ_ROLLUP_ROWS];
    double reals[PQ_ROLLUP_ROWS];
    uint64_t counted[PQ_ROLLUP_ROWS / 64] = {0};
    PqRollupKeyVector key = {
        .form = PQ_GROUP_INTS, .as_is = true, .width = 8, .values = keys};
    PqRollupInputVector in[MEASURES] = {{.kind = PQ_ROLLUP_NO_INPUT}};
    PqRollupBatch b = {.n_rows = n, .keys = &key, .inputs = in};

    for (uint32_t i = 0; i < n; i++) {
        keys[i] = key_of(lane, first + i);
        ints[i] = large[lane] + keys[i];
        cents[i] = decimal[lane] - keys[i];
        reals[i] = (double)keys[i] / 2 + lane;
        counted[i / 64] |= (uint64_t)is_counted(keys[i]) << i % 64;
    }
    for (uint32_t m = 1; m < MEASURES; m++) {
        in[m].kind = PQ_ROLLUP_NUMBERS;
        in[m].numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = ints};
    }
    in[2].numbers = (PqNumbers){.kind = PQ_NUMBER_DECIMAL, .scale = scale[lane],
                                .n = n, .values = cents};
    in[3].numbers = (PqNumbers){.kind = PQ_NUMBER_REAL, .n = n, .values = reals};
    in[6].numbers.valid = counted;
    return pq_rollup_add(r, &b, t->e);
}

static PqRollup *new_lane(Test *t, PqMem *mem, uint32_t lane, size_t memory)
{
    PqRollupSpec spec = {.n_keys = 1, .n_measures = MEASURES,
                         .measures = measures, .memory = memory};
    PqRollup *r = NULL;

    if (pq_rollup_new(mem, &spec, &r, t->e) != PQ_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < ROWS; i += PQ_ROLLUP_ROWS) {
        uint32_t n = ROWS - i < PQ_ROLLUP_ROWS ? ROWS - i : PQ_ROLLUP_ROWS;

        if (add_rows(t, r, lane, i, n) != PQ_OK) {
            pq_rollup_free(r);
            return NULL;
        }
    }
    return r;
}

/* ---- what has to be there ------------------------------------------------- */

static void check_int(Test *t, PqRollup *r, uint32_t m, uint32_t g,
                      int64_t wanted)
{
    PqRollupValue v;

    CHECK_OK(pq_rollup_value(r, m, g, &v, t->e));
    CHECK_INT(v.cell.kind, PQ_CELL_INT);
    CHECK_INT(v.cell.i, wanted);
}

/* A group of lanes [first, end). */
static void check_group(Test *t, PqRollup *r, uint32_t g, uint32_t first,
                        uint32_t end)
{
    int64_t key = pq_rollup_key(r, 0, g)->i;
    __int128 cents = 0, ints = 0;
    double reals = 0;
    PqRollupValue v;

    for (uint32_t lane = first; lane < end; lane++) {
        ints += large[lane] + key;
        cents += (__int128)(decimal[lane] - key) * (scale[lane] == 2 ? 100 : 1);
        reals += (double)key / 2 + lane;
    }
    check_int(t, r, 0, g, end - first);
    check_int(t, r, 1, g, (int64_t)ints);
    CHECK_OK(pq_rollup_value(r, 2, g, &v, t->e));
    CHECK(v.is_decimal);
    CHECK(v.decimal * (v.scale == 2 ? 100 : 1) == cents);
    CHECK_OK(pq_rollup_value(r, 3, g, &v, t->e));
    CHECK(v.cell.kind == PQ_CELL_REAL && v.cell.r == reals);
    check_int(t, r, 4, g, large[end - 1] + key);
    check_int(t, r, 5, g, large[first] + key);
    check_int(t, r, 6, g, is_counted(key) ? end - first : 0);
}

static void check_all(Test *t, PqRollup *r)
{
    uint32_t n, n_common = 0, n_own = 0;

    do {
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        for (uint32_t g = 0; g < n && !t->failed; g++) {
            int64_t key = pq_rollup_key(r, 0, g)->i;
            uint32_t lane = (uint32_t)(key / 100000);

            if (key < COMMON) {
                check_group(t, r, g, 0, LANES);
                n_common++;
            } else {
                check_group(t, r, g, lane - 1, lane);
                n_own++;
            }
        }
    } while (n > 0);
    CHECK_INT(n_common, COMMON);
    CHECK_INT(n_own, LANES * OWN);
}

/* `all` has the groups of the first lane. */
static PqRc merge(Test *t, PqRollup *all)
{
    PqRc rc = PQ_OK;

    for (uint32_t i = 1; i < LANES && rc == PQ_OK; i++) {
        PqRollup *lane = new_lane(t, t->mem, i, PLENTY);

        rc = lane ? pq_rollup_merge(all, lane, t->e) : t->e->rc;
        pq_rollup_free(lane);
    }
    return rc;
}

/* What the groups of the first lane take. */
static size_t bytes_of_one(Test *t)
{
    PqRollup *one = new_lane(t, t->mem, 0, PLENTY);
    size_t n = one ? pq_rollup_bytes(one) : 0;

    pq_rollup_free(one);
    return n;
}

/* The groups may take this memory; while lanes are merged, the allocator gives so many
** bytes more, and if it refuses what the file needs, merging fails.  *n_spilled: one
** more if groups left memory. */
static void merge_in(Test *t, size_t memory, size_t more, uint32_t *n_spilled)
{
    PqMem *mem = pq_mem_new(PLENTY);
    PqRollup *all = new_lane(t, mem, 0, memory);
    uint64_t times, bytes;
    uint32_t n;

    CHECK(all && pq_rollup_is_whole(all, &n));
    pq_mem_set_limit(mem, pq_mem_used(mem) + more);
    if (merge(t, all) == PQ_OK) {
        *n_spilled += pq_rollup_has_spilled(all, &times, &bytes);
        pq_mem_set_limit(mem, PLENTY);
        check_all(t, all);
    } else {
        CHECK_INT(t->e->rc, PQ_BUDGET);
        CHECK(more < PLENTY);
        pq_err_clear(t->e);
    }
    pq_rollup_free(all);
    pq_mem_release(mem);
}

TEST(rollup_merge, groups_of_all_lanes_are_added_up)
{
    uint32_t n_spilled = 0;

    merge_in(t, PLENTY, PLENTY, &n_spilled);
    CHECK_INT(n_spilled, 0);
}

/* From what the groups of the first lane take to twice as much. */
TEST(rollup_merge, what_does_not_fit_follows_to_the_file)
{
    size_t least = bytes_of_one(t);
    uint32_t n_spilled = 0;

    for (size_t i = 0; i < STEPS && !t->failed; i++) {
        merge_in(t, least + least * i / STEPS, PLENTY, &n_spilled);
    }
    CHECK(n_spilled >= STEPS / 2);
}

TEST(rollup_merge, what_the_allocator_refuses_follows_to_the_file)
{
    size_t least = bytes_of_one(t);
    uint32_t n_spilled = 0;

    for (size_t i = 0; i < STEPS && !t->failed; i++) {
        merge_in(t, least * 5 / 4, RESERVE * (1 + i), &n_spilled);
    }
    CHECK(n_spilled >= 4);
}
