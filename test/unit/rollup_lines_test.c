/*
** rollup_lines_test.c - sums of several measures, which are gathered side by side.
*/
#include "core/rollup/rollup.h"
#include "test/unit/test.h"

#include <stdlib.h>

enum { GROUPS = 5000, ROWS = 700, BATCHES = 100, ENTRIES = 11, MEASURES = 6 };

/* How a run goes. */
typedef struct Course {
    uint32_t n_measures;
    unsigned bits;                   /* of values                           */
    uint32_t n_groups;
    size_t   memory;
    bool     merge;                  /* each batch has a rollup of its own  */
    bool     drift;                  /* scales and kinds change             */
    bool     nulls;
    bool     small_first;            /* values of measure 0 have few bits   */
    uint64_t limit;                  /* of all memory; 0: none              */
} Course;

/* The measures are sums, and then a count of rows. */
typedef struct Model {
    Course          course;
    PqRollupOp measures[MEASURES + 1];
    int32_t  keys[ROWS];
    int64_t  values[MEASURES][ROWS], entries[MEASURES][ENTRIES];
    uint64_t valid[MEASURES][ROWS / 64 + 1];
    uint32_t kept[ROWS];
    uint64_t random;
    __int128 sums[MEASURES][GROUPS]; /* as they should be, with scale 4     */
    int64_t  n[GROUPS];
} Model;

static uint64_t next_random(Model *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return m->random >> 8;
}

/* Sums of measure 0 fit in 64 bits. */
static int64_t any_value(Model *m, uint32_t measure)
{
    unsigned bits = m->course.bits;
    uint64_t range;

    if (measure == 0) {
        bits = m->course.small_first ? 7 : bits > 40 ? 40 : bits;
    }
    range = UINT64_C(1) << bits;

    return (int64_t)(next_random(m) % range) -
           (next_random(m) % 3 ? 0 : (int64_t)(range / 2));
}

/* Measure 0 is of integers, and now and then of decimals; the others are decimals. */
static int scale_of(const Model *m, uint32_t measure, uint32_t batch)
{
    if (measure == 0) {
        return m->course.drift && batch % 7 == 5 ? 2 : 0;
    }
    return m->course.drift && batch % 11 < 3 ? 2 : 4;
}

static void put_input(Model *m, uint32_t k, uint32_t batch,
                      PqRollupInputVector *in)
{
    int scale = scale_of(m, k, batch);
    bool dictionary = (batch / 5 + k) % 3 == 0;
    bool nulls = m->course.nulls && (batch + k) % 4 == 0;

    for (uint32_t i = 0; i < ENTRIES; i++) {
        m->entries[k][i] = any_value(m, k);
    }
    memset(m->valid[k], 0, sizeof m->valid[k]);
    for (uint32_t i = 0; i < ROWS; i++) {
        m->values[k][i] = dictionary ? m->entries[k][next_random(m) % ENTRIES]
                                     : any_value(m, k);
        m->valid[k][i / 64] |= (uint64_t)(next_random(m) % 4 != 0) << i % 64;
    }
    *in = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    in->numbers = (PqNumbers){
        .kind = scale ? PQ_NUMBER_DECIMAL : PQ_NUMBER_INT,
        .scale = scale,
        .n = ROWS,
        .values = m->values[k],
        .n_entries = dictionary ? ENTRIES : 0,
        .valid = nulls ? m->valid[k] : NULL};
}

static void count_row(Model *m, uint32_t row, uint32_t batch,
                      const PqRollupInputVector *in)
{
    static const int64_t up[] = {10000, 0, 100, 0, 1};

    for (uint32_t k = 0; k < m->course.n_measures; k++) {
        const PqNumbers *v = &in[k].numbers;
        const int64_t *values = v->values;
        __int128 x = values[row];

        if (!v->valid || pq_bit(v->valid, row)) {
            m->sums[k][m->keys[row]] += x * up[scale_of(m, k, batch)];
        }
    }
    m->n[m->keys[row]]++;
}

static PqRc add_batch(Test *t, Model *m, PqRollup *r, uint32_t batch)
{
    PqRollupKeyVector key = {
        .form = PQ_GROUP_INTS, .as_is = true, .width = 4, .values = m->keys};
    PqRollupInputVector in[MEASURES + 1] = {{0}};
    PqRollupBatch b = {.n_rows = ROWS,
                       .kept = batch % 3 ? m->kept : NULL,
                       .keys = &key,
                       .inputs = in};

    for (uint32_t i = 0; i < ROWS; i++) {
        m->keys[i] = (int32_t)(next_random(m) % m->course.n_groups);
    }
    for (uint32_t k = 0; k < m->course.n_measures; k++) {
        put_input(m, k, batch, &in[k]);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!b.kept || next_random(m) % 5) {
            m->kept[b.n_kept++] = i;
            count_row(m, i, batch, in);
        }
    }
    return pq_rollup_add(r, &b, t->e);
}

/* The sum of a group, with scale 4. */
static __int128 sum_of(const PqRollupValue *v)
{
    __int128 sum = v->is_decimal ? v->decimal : v->cell.i;

    for (int scale = v->is_decimal ? v->scale : 0; scale < 4; scale++) {
        sum *= 10;
    }
    return sum;
}

static void compare(Test *t, Model *m, PqRollup *r)
{
    uint32_t n, n_seen = 0, n_wanted = 0;

    do {
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        for (uint32_t g = 0; g < n; g++, n_seen++) {
            int64_t key = pq_rollup_key(r, 0, g)->i;
            PqRollupValue count;

            CHECK_OK(pq_rollup_value(r, m->course.n_measures, g, &count, t->e));
            CHECK_INT(count.cell.i, m->n[key]);
            for (uint32_t k = 0; k < m->course.n_measures; k++) {
                PqRollupValue v;

                CHECK_OK(pq_rollup_value(r, k, g, &v, t->e));
                CHECK(v.cell.kind == PQ_CELL_NULL
                          ? m->sums[k][key] == 0
                          : sum_of(&v) == m->sums[k][key]);
            }
        }
    } while (n > 0);
    for (uint32_t g = 0; g < GROUPS; g++) {
        n_wanted += m->n[g] > 0;
    }
    CHECK_INT(n_seen, n_wanted);
}

static void run(Test *t, Course course)
{
    Model *m = calloc(1, sizeof *m);
    PqMem *mem = pq_mem_new(course.limit ? course.limit : SIZE_MAX / 2);
    PqRollupSpec spec = {.n_keys = 1,
                         .n_measures = course.n_measures + 1,
                         .memory = course.memory,
                         .measures = m->measures};
    PqRollup *all = NULL, *r;

    m->course = course;
    m->random = course.bits + course.n_measures;
    for (uint32_t k = 0; k < MEASURES; k++) {
        m->measures[k] = PQ_ROLLUP_SUM;
    }
    m->measures[course.n_measures] = PQ_ROLLUP_COUNT_ROWS;
    CHECK_OK(pq_rollup_new(mem, &spec, &all, t->e));
    for (uint32_t i = 0; i < BATCHES; i++) {
        r = all;
        if (course.merge && i % 4) {
            CHECK_OK(pq_rollup_new(mem, &spec, &r, t->e));
        }
        CHECK_OK(add_batch(t, m, r, i));
        if (r != all) {
            CHECK_OK(pq_rollup_merge(all, r, t->e));
            pq_rollup_free(r);
        }
    }
    compare(t, m, all);
    pq_rollup_free(all);
    pq_mem_release(mem);
    free(m);
}

/* Values of 28 and 50 bits fill the lines after some batches, so that the states get
** them early; beside those of 40 bits no rows are counted, nor beside those of 28 once
** groups are many; those of 61 bits are never gathered. */
TEST(rollup_lines, sums_are_exact_whatever_is_gathered)
{
    static const unsigned bits[] = {7, 20, 28, 40, 50, 61};

    for (uint32_t n = 2; n <= MEASURES; n++) {
        for (size_t k = 0; k < PQ_COUNT(bits); k++) {
            run(t, (Course){.n_measures = n, .bits = bits[k], .n_groups = 2,
                            .memory = 1 << 22});
            run(t, (Course){.n_measures = n, .bits = bits[k], .n_groups = 40,
                            .memory = 1 << 22, .drift = true});
            run(t, (Course){.n_measures = n, .bits = bits[k], .n_groups = GROUPS,
                            .memory = 1 << 22, .nulls = true});
            run(t, (Course){.n_measures = n, .bits = bits[k], .n_groups = GROUPS,
                            .memory = 1 << 22, .small_first = true});
        }
    }
}

TEST(rollup_lines, sums_leave_memory_and_are_merged)
{
    for (uint32_t n = 2; n <= MEASURES; n++) {
        run(t, (Course){.n_measures = n, .bits = 40, .n_groups = GROUPS,
                        .memory = 1});
        run(t, (Course){.n_measures = n, .bits = 40, .n_groups = GROUPS,
                        .memory = 1, .drift = true, .merge = true});
        run(t, (Course){.n_measures = n, .bits = 40, .n_groups = 100,
                        .memory = 1 << 22, .drift = true, .merge = true});
    }
}

/* Where memory has no room for lines, the states do without. */
TEST(rollup_lines, they_need_no_memory)
{
    for (uint64_t limit = 800 << 10; limit < 1800 << 10; limit += 100 << 10) {
        run(t, (Course){.n_measures = 4, .bits = 30, .n_groups = GROUPS,
                        .memory = 1 << 22, .limit = limit});
    }
}

/* More rows of a group than a word can count, and sums below 0 beside them. */
TEST(rollup_lines, rows_are_counted_however_many)
{
    enum { N = PQ_ROLLUP_ROWS, TIMES = (1 << 24) / N + 20 };
    static const PqRollupOp measures[] = {
        PQ_ROLLUP_SUM, PQ_ROLLUP_COUNT_ROWS, PQ_ROLLUP_SUM};
    static int32_t keys[N];
    static int64_t values[N];
    PqRollupKeyVector key = {
        .form = PQ_GROUP_INTS, .as_is = true, .width = 4, .values = keys};
    PqRollupInputVector sum = {
        .kind = PQ_ROLLUP_NUMBERS,
        .numbers = {.kind = PQ_NUMBER_INT, .n = N, .values = values}};
    PqRollupInputVector in[] = {sum, {.kind = PQ_ROLLUP_NO_INPUT}, sum};
    PqRollupBatch b = {.n_rows = N, .keys = &key, .inputs = in};
    PqRollupSpec spec = {.n_keys = 1, .n_measures = 3, .memory = 1 << 20,
                         .measures = measures};
    PqRollup *r = NULL;
    uint32_t n;

    for (uint32_t i = 0; i < N; i++) {
        keys[i] = i == 0;            /* the other group has all rows but one */
        values[i] = -7;
    }
    CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
    for (int i = 0; i < TIMES; i++) {
        CHECK_OK(pq_rollup_add(r, &b, t->e));
    }
    CHECK_OK(pq_rollup_next(r, &n, t->e));
    CHECK_INT(n, 2);
    for (uint32_t g = 0; g < n; g++) {
        int64_t rows = (int64_t)TIMES * (pq_rollup_key(r, 0, g)->i ? 1 : N - 1);
        PqRollupValue v[3];

        for (uint32_t k = 0; k < 3; k++) {
            CHECK_OK(pq_rollup_value(r, k, g, &v[k], t->e));
        }
        CHECK_INT(v[0].cell.i, -7 * rows);
        CHECK_INT(v[1].cell.i, rows);
        CHECK_INT(v[2].cell.i, -7 * rows);
    }
    pq_rollup_free(r);
}
