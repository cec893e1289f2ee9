/*
** rollup_tuple_test.c - tuples keep their numbers while the way they are found changes.
*/
#include "core/rollup/rollup_tuple.h"

#include "test/unit/test.h"

enum { BATCHES = 40, ROWS = 700, KEYS = 9 };

/* Codes grow with the batches; the first key has few. */
static uint32_t code_of(uint32_t batch, uint32_t row, uint32_t key, uint32_t most)
{
    uint64_t x = ((uint64_t)batch * ROWS + row) * KEYS + key;

    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 33) % (key == 0 ? 3 : most);
}

static uint32_t most_of(uint32_t batch, uint32_t key)
{
    return key == 0 ? 3 : 2 + batch * batch * batch * batch;
}

typedef struct Rows {
    uint32_t      codes[KEYS][ROWS];
    PqRollupCodes keys[KEYS];
    uint32_t      numbers[ROWS];
} Rows;

static void make_rows(Rows *r, uint32_t batch)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        r->keys[k] = (PqRollupCodes){.codes = r->codes[k], .most = most_of(batch, k)};
        for (uint32_t i = 0; i < ROWS; i++) {
            r->codes[k][i] = code_of(batch, i / 2, k, most_of(batch, k));
        }
    }
}

/* Is a row's number that of its codes, and is a new number the next one? */
static bool are_right(const PqRollupTuples *t, const Rows *r, uint32_t n_before)
{
    uint32_t next = n_before;

    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t *tuple = t->codes + (size_t)r->numbers[i] * t->n_keys;

        for (uint32_t k = 0; k < t->n_keys; k++) {
            if (tuple[k] != r->codes[k][i]) {
                return false;
            }
        }
        next += r->numbers[i] == next;
        if (r->numbers[i] >= next) {
            return false;
        }
    }
    return next == t->n;
}

/* Where memory runs out, the rows are found again with more. */
static void check(Test *t, uint32_t n_keys, size_t memory, PqRollupTupleWay last)
{
    static uint32_t first[BATCHES][ROWS];
    static Rows r;
    PqMem *mem = pq_mem_new(memory);
    PqRollupTuples tuples;
    uint32_t n;

    pq_rollup_tuples_init(&tuples, mem, n_keys, 7, NULL);
    for (uint32_t b = 0; b < BATCHES && !t->failed; b++) {
        make_rows(&r, b);
        n = tuples.n;
        while (pq_rollup_tuples_find(&tuples, r.keys, ROWS, r.numbers, t->e) == PQ_BUDGET) {
            pq_err_clear(t->e);
            memory += memory / 4;
            pq_mem_set_limit(mem, memory);
        }
        CHECK_INT(t->e->rc, PQ_OK);
        CHECK(are_right(&tuples, &r, n));
        memcpy(first[b], r.numbers, sizeof r.numbers);
    }
    CHECK_INT(tuples.way, last);
    n = tuples.n;
    for (uint32_t b = 0; b < BATCHES && !t->failed; b++) {
        make_rows(&r, b);
        CHECK_OK(pq_rollup_tuples_find(&tuples, r.keys, ROWS, r.numbers, t->e));
        CHECK(memcmp(first[b], r.numbers, sizeof r.numbers) == 0);
    }
    CHECK_INT(tuples.n, n);
    pq_rollup_tuples_free(&tuples);
    CHECK_INT(pq_mem_used(mem), 0);
    pq_mem_release(mem);
}

TEST(rollup_tuple, tuples_keep_their_numbers_while_codes_grow)
{
    check(t, 2, 1 << 30, PQ_TUPLES_BY_WORDS);
    check(t, 3, 1 << 30, PQ_TUPLES_BY_WORDS);
    check(t, 4, 1 << 30, PQ_TUPLES_BY_HASHES);
    check(t, KEYS, 1 << 30, PQ_TUPLES_BY_HASHES);
}

TEST(rollup_tuple, tuples_keep_their_numbers_when_memory_runs_out)
{
    check(t, 2, 2000, PQ_TUPLES_BY_WORDS);
    check(t, 4, 2000, PQ_TUPLES_BY_HASHES);
    check(t, KEYS, 2000, PQ_TUPLES_BY_HASHES);
}

/* The first key has a code for each row, as an id has, but every 16th row has the code of
** an earlier one; or few codes. */
static void make_rows_of_ids(Rows *r, uint32_t batch, bool ids)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t id = batch * ROWS + i;

        r->codes[0][i] = !ids ? i % 5 : i % 16 == 0 ? id / 2 : id;
        r->codes[1][i] = code_of(batch, i, 1, 300);
    }
    r->keys[0] = (PqRollupCodes){.codes = r->codes[0], .most = (batch + 1) * ROWS};
    r->keys[1] = (PqRollupCodes){.codes = r->codes[1], .most = 300};
}

TEST(rollup_tuple, the_first_group_of_each_code_of_an_id_is_not_a_word)
{
    static uint32_t found[BATCHES][ROWS];
    static Rows r;
    PqRollupTuples tuples;
    uint32_t n = 0;

    pq_rollup_tuples_init(&tuples, t->mem, 2, 7, NULL);
    for (uint32_t b = 0; b < 2 * BATCHES && !t->failed; b++) {
        uint32_t of = b % BATCHES;
        bool ids = of < BATCHES / 2;

        make_rows_of_ids(&r, of, ids);
        CHECK_OK(pq_rollup_tuples_find(&tuples, r.keys, ROWS, r.numbers, t->e));
        CHECK(are_right(&tuples, &r, n));
        CHECK(b > BATCHES / 2 ||
              (ids ? tuples.first && tuples.words.n < tuples.n / 6 : !tuples.first));
        CHECK(b < BATCHES || memcmp(found[of], r.numbers, sizeof r.numbers) == 0);
        memcpy(found[of], r.numbers, sizeof r.numbers);
        n = tuples.n;
    }
    pq_rollup_tuples_free(&tuples);
}
