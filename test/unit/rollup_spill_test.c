/*
** rollup_spill_test.c - nearly a group per row: small sets follow a large one.
**
** Each group has two rows, far from each other.  The keys are a number that differs in
** nearly all groups, and lies apart, near, or in a few places; and one of few values.
*/
#include "core/rollup/rollup.h"

#include "test/unit/test.h"

enum { GROUPS = 40000, ROWS = 2 * GROUPS, KEYS = 2, MEASURES = 3, MEMORY = 1 << 20,
       FEW = 7, KINDS = 3 };

static const PqRollupOp measures[MEASURES] = {PQ_ROLLUP_COUNT_ROWS, PQ_ROLLUP_SUM,
                                              PQ_ROLLUP_MAX};

/* The group of a row. */
static uint32_t group_of(uint32_t row)
{
    return (uint32_t)((uint64_t)row * 7919 % GROUPS);
}

/* Its first key, from which the group follows. */
static int64_t key_of(uint32_t kind, uint32_t group)
{
    switch (kind) {
    case 0:  return (int64_t)((uint64_t)(group + 1) * UINT64_C(0x9e3779b97f4a7c15));
    case 1:  return 1000000 - (int64_t)group;
    default: return (int64_t)(group / FEW) << 40;
    }
}

static PqRc add_rows(Test *t, PqRollup *r, uint32_t kind, uint32_t first, uint32_t n)
{
    int64_t keys[PQ_ROLLUP_ROWS], few[PQ_ROLLUP_ROWS], rows[PQ_ROLLUP_ROWS];
    PqRollupKeyVector key[KEYS] = {
        {.form = PQ_GROUP_INTS, .as_is = true, .width = 8, .values = keys},
        {.form = PQ_GROUP_INTS, .as_is = true, .width = 8, .values = few}};
    PqRollupInputVector in[MEASURES] = {{.kind = PQ_ROLLUP_NO_INPUT}};
    PqRollupBatch b = {.n_rows = n, .keys = key, .inputs = in};

    for (uint32_t i = 0; i < n; i++) {
        rows[i] = first + i;
        keys[i] = key_of(kind, group_of(first + i));
        few[i] = group_of(first + i) % FEW;
    }
    for (uint32_t m = 1; m < MEASURES; m++) {
        in[m].kind = PQ_ROLLUP_NUMBERS;
        in[m].numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = rows};
    }
    return pq_rollup_add(r, &b, t->e);
}

/* Sums of the rows of each group, found in the groups that come back. */
static void check_all(Test *t, PqRollup *r, uint32_t kind)
{
    uint32_t n, n_groups = 0;
    int64_t sums = 0;
    PqRollupValue v[MEASURES];

    do {
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        for (uint32_t g = 0; g < n && !t->failed; g++, n_groups++) {
            for (uint32_t m = 0; m < MEASURES; m++) {
                CHECK_OK(pq_rollup_value(r, m, g, &v[m], t->e));
            }
            CHECK_INT(v[0].cell.i, 2);
            CHECK_INT(v[1].cell.i, 2 * v[2].cell.i - GROUPS);
            CHECK_INT(pq_rollup_key(r, 0, g)->i,
                      key_of(kind, group_of((uint32_t)v[2].cell.i)));
            CHECK_INT(pq_rollup_key(r, 1, g)->i, group_of((uint32_t)v[2].cell.i) % FEW);
            sums += v[1].cell.i;
        }
    } while (n > 0 && !t->failed);
    CHECK_INT(n_groups, GROUPS);
    CHECK_INT(sums, (int64_t)ROWS * (ROWS - 1) / 2);
}

TEST(rollup_spill, groups_of_small_sets_come_back_once)
{
    PqRollupSpec spec = {.n_keys = KEYS, .n_measures = MEASURES, .measures = measures,
                         .memory = MEMORY};

    for (uint32_t kind = 0; kind < KINDS && !t->failed; kind++) {
        PqRollup *r = NULL;
        uint64_t times, bytes;

        CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
        for (uint32_t i = 0; i < ROWS && !t->failed; i += PQ_ROLLUP_ROWS) {
            uint32_t n = ROWS - i < PQ_ROLLUP_ROWS ? ROWS - i : PQ_ROLLUP_ROWS;

            CHECK_OK(add_rows(t, r, kind, i, n));
        }
        CHECK(pq_rollup_has_spilled(r, &times, &bytes) && bytes > MEMORY);
        check_all(t, r, kind);
        CHECK_OK(pq_rollup_rewind(r, t->e));
        check_all(t, r, kind);
        pq_rollup_free(r);
    }
}
