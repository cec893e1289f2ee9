/*
** rollup_order_test.c - groups come in their order, whatever memory is left.
*/
#include "core/rollup/rollup_order.h"

#include "test/unit/test.h"

enum { VALUES = 3000, OTHERS = 3, GROUPS = VALUES * OTHERS };

/* One group for each pair of values; none comes in its order. */
static PqRc make_groups(PqMem *mem, PqRollup **out, PqErr *e)
{
    static int64_t v[2][PQ_ROLLUP_ROWS];
    PqRollupKeyVector keys[2];
    PqRollupSpec spec = {.n_keys = 2, .memory = 256 << 20};
    PqRollupBatch b = {.keys = keys};
    uint32_t n;

    for (uint32_t k = 0; k < 2; k++) {
        keys[k] = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .as_is = true,
                                      .width = 8, .values = v[k]};
    }
    PQ_TRY(pq_rollup_new(mem, &spec, out, e));
    for (int64_t i = 0; i < GROUPS; i += b.n_rows) {
        b.n_rows = GROUPS - i < PQ_ROLLUP_ROWS ? (uint32_t)(GROUPS - i)
                                               : PQ_ROLLUP_ROWS;
        for (int64_t k = 0; k < b.n_rows; k++) {
            v[0][k] = (i + k) * 1009 % VALUES;
            v[1][k] = (i + k) / VALUES;
        }
        PQ_TRY(pq_rollup_add(*out, &b, e));
    }
    return pq_rollup_next(*out, &n, e);
}

static void check_rows(Test *t, PqRollupOrder *o, uint32_t n, int64_t *next)
{
    for (uint32_t i = 0; i < n; i++, ++*next) {
        const PqCell *cell;

        CHECK_OK(pq_rollup_order_cell(o, 0, i, &cell, t->e));
        CHECK_INT(cell->i, VALUES - 1 - *next / OTHERS);
        CHECK_OK(pq_rollup_order_cell(o, 1, i, &cell, t->e));
        CHECK_INT(cell->i, *next % OTHERS);
    }
}

/* With so many bytes left. */
static PqRc order_groups(Test *t, PqMem *mem, PqRollup *groups, size_t left,
                         int64_t *n_given)
{
    PqRollupOrderSpec spec = {
        .groups = groups, .whole = true, .n = GROUPS, .n_keys = 2,
        .by = {{0, true}, {1, false}}, .n_by = 2, .mem = mem,
        .memory = 256 << 20};
    PqRollupOrder *o = NULL;
    uint32_t n = 1;
    PqRc rc;

    pq_mem_set_limit(mem, pq_mem_used(mem) + left);
    rc = pq_rollup_order_new(&spec, &o, t->e);
    while (rc == PQ_OK && n > 0 && !t->failed) {
        rc = pq_rollup_order_next(o, &n, t->e);
        if (rc == PQ_OK) {
            check_rows(t, o, n, n_given);
        }
    }
    pq_rollup_order_free(o);
    return rc;
}

TEST(rollup_order, little_memory_costs_no_group)
{
    PqMem *mem = pq_mem_new((size_t)1 << 30);
    PqRollup *groups = NULL;

    CHECK_OK(make_groups(mem, &groups, t->e));
    for (size_t left = 1 << 15; left < 2 << 20 && !t->failed; left += left / 3) {
        int64_t n = 0;

        CHECK_OK(order_groups(t, mem, groups, left, &n));
        CHECK_INT(n, GROUPS);
    }
    pq_rollup_free(groups);
    pq_mem_release(mem);
}

/* ---- groups in a file -------------------------------------------------------- */

enum { LARGE = 150000, AROUND = 2000 };

/* The groups of 7 take far more than memory, so they are cut by hashes, again and again;
** and AROUND values of the first key, which are smaller or larger, have a group each. */
static PqRc make_large(PqMem *mem, PqRollup **out, PqErr *e)
{
    static int64_t v[2][PQ_ROLLUP_ROWS];
    PqRollupKeyVector keys[2];
    PqRollupSpec spec = {.n_keys = 2, .memory = 128 << 10, .by = {{0, false}}, .n_by = 1};
    PqRollupBatch b = {.keys = keys};

    for (uint32_t k = 0; k < 2; k++) {
        keys[k] = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .as_is = true,
                                      .width = 8, .values = v[k]};
    }
    PQ_TRY(pq_rollup_new(mem, &spec, out, e));
    for (int64_t i = 0; i < LARGE + AROUND; i += b.n_rows) {
        b.n_rows = PQ_ROLLUP_ROWS;
        for (int64_t k = 0; k < PQ_ROLLUP_ROWS; k++) {
            int64_t n = (i + k) * 50021 % (LARGE + AROUND);

            v[0][k] = n < LARGE ? 7 : n - LARGE - AROUND / 2;
            v[1][k] = n;
        }
        PQ_TRY(pq_rollup_add(*out, &b, e));
    }
    return PQ_OK;
}

/* Neither hashes nor splits cut a key that has very many groups for ever. */
TEST(rollup_order, a_key_of_too_many_groups_is_cut_by_the_others)
{
    PqMem *mem = pq_mem_new((size_t)1 << 30);
    PqRollup *r = NULL;
    uint64_t n_groups = 0, blocks = 0, of_seven = 0;
    int64_t last = INT64_MIN;
    uint32_t n = 1;

    CHECK_OK(make_large(mem, &r, t->e));
    CHECK_OK(pq_rollup_next(r, &n, t->e));
    while (n > 0 && !t->failed) {
        PqRollupLineUp how = {.by = &(PqRollupBy){0, false}, .n_by = 1, .sorted = true,
                              .n = n};
        uint32_t *list;
        PqArena a;

        CHECK(pq_rollup_bytes(r) < 1 << 20);
        pq_arena_init(&a, mem);
        CHECK_OK(pq_rollup_line_up(r, &how, &a, &list, t->e));
        for (uint32_t i = 0; i < n; i++) {
            int64_t key = pq_rollup_key(r, 0, list[i])->i;

            CHECK(key >= last);
            last = key;
            of_seven += key == 7;
        }
        pq_arena_free(&a);
        n_groups += n;
        blocks++;
        CHECK_OK(pq_rollup_next(r, &n, t->e));
    }
    CHECK_INT(n_groups, LARGE + AROUND);
    CHECK_INT(of_seven, LARGE + 1);
    CHECK(blocks > 32);
    pq_rollup_free(r);
    pq_mem_release(mem);
}
