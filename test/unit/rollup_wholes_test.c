/*
** rollup_wholes_test.c - groups that are equal in some keys have one number.
*/
#include "core/rollup/rollup_wholes.h"

#include "test/unit/test.h"

/* A list of every seventh group has other regions together than the first groups. */
enum { GROUPS = 30000, REGIONS = 700, KINDS = 3, STEP = 7 };

static int64_t region_of(int64_t i) { return i * 7919 % REGIONS - 50; }
static int64_t kind_of(int64_t i) { return i / 5 % KINDS; }

/* Group i has the keys region, kind and i. */
static PqRc make_groups(PqMem *mem, PqRollup **out, PqErr *e)
{
    static int64_t v[3][PQ_ROLLUP_ROWS];
    PqRollupKeyVector keys[3];
    PqRollupSpec spec = {.n_keys = 3, .memory = 256 << 20};
    PqRollupBatch b = {.keys = keys};
    uint32_t n;

    for (uint32_t k = 0; k < 3; k++) {
        keys[k] = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .as_is = true,
                                      .width = 8, .values = v[k]};
    }
    PQ_TRY(pq_rollup_new(mem, &spec, out, e));
    for (int64_t i = 0; i < GROUPS; i += b.n_rows) {
        b.n_rows = GROUPS - i < PQ_ROLLUP_ROWS ? (uint32_t)(GROUPS - i) : PQ_ROLLUP_ROWS;
        for (uint32_t k = 0; k < b.n_rows; k++) {
            v[0][k] = region_of(i + k);
            v[1][k] = kind_of(i + k);
            v[2][k] = i + k;
        }
        PQ_TRY(pq_rollup_add(*out, &b, e));
    }
    return pq_rollup_next(*out, &n, e);
}

/* Checks n wholes by the first n_keys keys, against pairs in the order of their first
** groups. */
static void check(Test *t, const PqRollup *r, uint32_t n_keys, const uint32_t *list,
                  uint32_t n)
{
    static uint32_t wholes[GROUPS], seen[REGIONS * KINDS];
    static const uint32_t keys[] = {0, 1};
    uint32_t n_wholes = 0, next = 0;

    memset(seen, 0, sizeof seen);
    CHECK_OK(pq_rollup_wholes(r, keys, n_keys, list, n, wholes, &n_wholes, t->e));
    for (uint32_t i = 0; i < n && !t->failed; i++) {
        uint32_t group = list ? list[i] : i;
        uint32_t pair = (uint32_t)(region_of(group) + 50) * KINDS +
                        (n_keys == 2 ? (uint32_t)kind_of(group) : 0);

        seen[pair] = seen[pair] ? seen[pair] : ++next;
        CHECK_INT(wholes[i], seen[pair] - 1);
    }
    CHECK_INT(n_wholes, next);
}

TEST(rollup_wholes, groups_are_numbered_by_some_of_their_keys)
{
    PqMem *mem = pq_mem_new((size_t)1 << 30);
    static uint32_t list[GROUPS / STEP];
    PqRollup *r = NULL;

    for (uint32_t i = 0; i < GROUPS / STEP; i++) {
        list[i] = GROUPS - 1 - STEP * i;
    }
    CHECK_OK(make_groups(mem, &r, t->e));
    for (uint32_t n_keys = 1; n_keys <= 2; n_keys++) {
        check(t, r, n_keys, NULL, GROUPS);
        check(t, r, n_keys, list, GROUPS / STEP);
        check(t, r, n_keys, list, 1);
    }
    pq_rollup_free(r);
    CHECK_INT(pq_mem_used(mem), 0);
    pq_mem_release(mem);
}
