/*
** rollup_by_id_test.c - few groups, whose key comes by ids of a dictionary, against
** a model that adds row by row.
*/
#include "core/rollup/rollup.h"
#include "test/unit/test.h"

#include <stdlib.h>

enum { ROWS = 2000, BATCHES = 60, MOST_ENTRIES = 300, KEYS = 400 };

/* How a run goes. */
typedef struct Course {
    uint32_t n_entries;
    uint32_t batches_of_dictionary;
    bool     kept, nulls, rare;      /* rare: an id comes late, or never    */
    bool     decimals;
    uint32_t n_measures;
    size_t   memory;
} Course;

/* count(*), count(a) in some batches and count(b) in others, sum(b) of reals, sum(a) of
** integers or decimals.  Beside sum(a), nothing is added by id. */
enum { COUNT, COUNT_ANY, SUM_B, SUM_A, MEASURES };

typedef struct Model {
    Course   course;
    int64_t  entries[MOST_ENTRIES];  /* keys                                */
    uint32_t n_entries;
    uint32_t ids[ROWS], kept[ROWS];
    int64_t  a[ROWS];
    double   b[ROWS];
    uint64_t valid[ROWS / 64 + 1];
    uint64_t random;
    int64_t  n[KEYS], n_any[KEYS];
    bool     has_a[KEYS], has_b[KEYS];
    __int128 sum_a[KEYS];            /* decimals: times 100                 */
    __int128 sum_b[KEYS];            /* times 4                             */
} Model;

static uint64_t next_random(Model *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return m->random >> 16;
}

/* Two ids may have one key. */
static void make_dictionary(Model *m)
{
    m->n_entries = m->course.n_entries;
    for (uint32_t i = 0; i < m->n_entries; i++) {
        m->entries[i] = (int64_t)(next_random(m) % KEYS);
    }
}

/* Large integers that add up to little, and reals of which one is far larger than the
** others: what rounding loses comes back. */
static void make_row(Model *m, uint32_t i)
{
    uint32_t few = m->course.rare ? m->n_entries / 2 + 1 : m->n_entries;

    m->ids[i] = (uint32_t)(next_random(m) %
                           (next_random(m) % 500 ? few : m->n_entries));
    m->a[i] = i % 5 == 0 ? INT64_MAX - (int64_t)i
              : i % 5 == 1 ? INT64_MIN + (int64_t)i
                           : (int64_t)(next_random(m) % 1000) - 500;
    m->b[i] = (double)((int64_t)(next_random(m) % 100000) - 50000) / 4;
    m->valid[i / 64] |= (uint64_t)(next_random(m) % 3 != 0) << i % 64;
}

static void count_row(Model *m, uint32_t i, bool nulls, bool b_nulls,
                      bool counts_a)
{
    int64_t key = m->entries[m->ids[i]];

    m->n[key]++;
    m->n_any[key] += !(counts_a ? nulls : b_nulls) || pq_bit(m->valid, i);
    if (!nulls || pq_bit(m->valid, i)) {
        m->has_a[key] = true;
        m->sum_a[key] += m->a[i];
    }
    if (!b_nulls || pq_bit(m->valid, i)) {
        m->has_b[key] = true;
        m->sum_b[key] += (__int128)(m->b[i] * 4);
    }
}

static PqRc add_batch(Test *t, Model *m, PqRollup *r, uint32_t batch)
{
    bool nulls = m->course.nulls && batch % 2, counts_a = batch % 4 < 2;
    bool b_nulls = m->course.nulls && batch % 3 == 2;
    PqRollupKeyVector key = {.form = PQ_GROUP_INTS, .as_is = true, .width = 8,
                             .values = m->entries, .ids = m->ids,
                             .n_entries = m->n_entries,
                             .entries_serial =
                                 1 + batch / m->course.batches_of_dictionary};
    bool decimals = m->course.decimals;
    PqNumbers a = {.kind = decimals ? PQ_NUMBER_DECIMAL : PQ_NUMBER_INT,
                   .scale = decimals ? 2 : 0, .n = ROWS, .values = m->a,
                   .valid = nulls ? m->valid : NULL};
    PqNumbers b = {.kind = PQ_NUMBER_REAL, .n = ROWS, .values = m->b,
                   .valid = b_nulls ? m->valid : NULL};
    PqRollupInputVector in[MEASURES] = {
        [COUNT_ANY] = {.kind = PQ_ROLLUP_NUMBERS,
                       .numbers = counts_a ? a : b},
        [SUM_A] = {.kind = PQ_ROLLUP_NUMBERS, .numbers = a},
        [SUM_B] = {.kind = PQ_ROLLUP_NUMBERS, .numbers = b}};
    PqRollupBatch all = {.n_rows = ROWS, .keys = &key, .inputs = in};

    memset(m->valid, 0, sizeof m->valid);
    for (uint32_t i = 0; i < ROWS; i++) {
        make_row(m, i);
    }
    if (batch % 9 == 4) {            /* a batch of one group */
        memset(m->ids, 0, sizeof m->ids);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!m->course.kept || next_random(m) % 3) {
            m->kept[all.n_kept++] = i;
            count_row(m, i, nulls, b_nulls, counts_a);
        }
    }
    all.kept = m->course.kept ? m->kept : NULL;
    return pq_rollup_add(r, &all, t->e);
}

static __int128 integer_of(const PqRollupValue *v)
{
    return v->is_decimal ? v->decimal : v->cell.i;
}

static void compare_group(Test *t, const Model *m, const PqRollup *r, uint32_t g)
{
    int64_t key = pq_rollup_key(r, 0, g)->i;
    bool fits = m->course.decimals || m->sum_a[key] == (int64_t)m->sum_a[key];
    PqRollupValue v[MEASURES];

    memset(v, 0, sizeof v);
    for (uint32_t k = 0; k < m->course.n_measures; k++) {
        if (k == SUM_A && !fits) {
            CHECK_FAILS(pq_rollup_value(r, k, g, &v[k], t->e), PQ_USAGE,
                        "integer overflow");
            pq_err_clear(t->e);
        } else {
            CHECK_OK(pq_rollup_value(r, k, g, &v[k], t->e));
        }
    }
    CHECK_INT(v[COUNT].cell.i, m->n[key]);
    CHECK_INT(v[COUNT_ANY].cell.i, m->n_any[key]);
    if (m->course.n_measures > SUM_B) {
        CHECK_INT(v[SUM_B].cell.kind != PQ_CELL_NULL, m->has_b[key]);
        CHECK(!m->has_b[key] || v[SUM_B].cell.r == (double)m->sum_b[key] / 4);
    }
    if (m->course.n_measures > SUM_A) {
        CHECK_INT(v[SUM_A].cell.kind != PQ_CELL_NULL, fits && m->has_a[key]);
        CHECK(v[SUM_A].cell.kind == PQ_CELL_NULL ||
              integer_of(&v[SUM_A]) == m->sum_a[key]);
    }
}

static void run(Test *t, Course course)
{
    static const PqRollupOp measures[MEASURES] = {
        PQ_ROLLUP_COUNT_ROWS, PQ_ROLLUP_COUNT, PQ_ROLLUP_SUM,
        PQ_ROLLUP_SUM};
    PqRollupSpec spec = {.n_keys = 1, .n_measures = course.n_measures,
                         .memory = course.memory, .measures = measures};
    Model *m = calloc(1, sizeof *m);
    PqRollup *r = NULL;
    uint32_t n, n_seen = 0, n_wanted = 0;

    m->course = course;
    m->random = course.n_entries + course.decimals;
    CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
    for (uint32_t i = 0; i < BATCHES; i++) {
        if (i % course.batches_of_dictionary == 0) {
            make_dictionary(m);
        }
        CHECK_OK(add_batch(t, m, r, i));
    }
    do {
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        for (uint32_t g = 0; g < n; g++, n_seen++) {
            compare_group(t, m, r, g);
        }
    } while (n > 0);
    for (uint32_t k = 0; k < KEYS; k++) {
        n_wanted += m->n[k] > 0;
    }
    CHECK_INT(n_seen, n_wanted);
    pq_rollup_free(r);
    free(m);
}

TEST(rollup_by_id, groups_are_those_of_the_rows)
{
    static const uint32_t entries[] = {1, 2, 7, 40, 250, 256, 257, 300};

    for (size_t i = 0; i < PQ_COUNT(entries); i++) {
        for (unsigned how = 0; how < 16; how++) {
            Course course = {.n_entries = entries[i],
                             .batches_of_dictionary = 2 + how % 8 * 3,
                             .kept = how & 1, .nulls = how & 2, .rare = how & 4,
                             .decimals = how & 8,
                             .memory = 1 << 22};

            course.n_measures = MEASURES;
            run(t, course);
            course.memory = 1;
            run(t, course);
            course.n_measures = SUM_A;
            run(t, course);
            course.memory = 1 << 22;
            run(t, course);
            course.n_measures = SUM_B;
            run(t, course);
        }
    }
}

/* Sums of even rows, and of odd ones, would be infinite.  In the first batch of ids their
** groups are not known yet; a batch of one group is added in another way again. */
TEST(rollup_by_id, what_would_overflow_is_added_in_order)
{
    static const int64_t entries[] = {1, 2};
    static const PqRollupOp measures[] = {PQ_ROLLUP_SUM};
    enum { N = 400 };
    uint32_t ids[N], n;
    double values[N];
    PqRollupKeyVector key = {.form = PQ_GROUP_INTS, .as_is = true, .width = 8,
                             .values = entries, .ids = ids, .n_entries = 2,
                             .entries_serial = 1};
    PqRollupInputVector in = {
        .kind = PQ_ROLLUP_NUMBERS,
        .numbers = {.kind = PQ_NUMBER_REAL, .n = N, .values = values}};
    PqRollupBatch b = {.n_rows = N, .keys = &key, .inputs = &in};
    PqRollupSpec spec = {.n_keys = 1, .n_measures = 1, .memory = 1 << 20,
                         .measures = measures};

    for (int few = 0; few < 2; few++) {
        PqRollup *r = NULL;

        for (uint32_t i = 0; i < N; i++) {
            ids[i] = few ? i / 2 % 2 : 0;
            values[i] = i % 4 == 0 || i % 4 == 3 ? 1e308 : -1e308;
        }
        CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(pq_rollup_add(r, &b, t->e));
        }
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        CHECK_INT(n, 1 + few);
        for (uint32_t g = 0; g < n; g++) {
            PqRollupValue v;

            CHECK_OK(pq_rollup_value(r, 0, g, &v, t->e));
            CHECK(v.cell.kind == PQ_CELL_REAL && v.cell.r == 0);
        }
        pq_rollup_free(r);
    }
}

/* An infinity, and reals that swallow others, in rows of either parity: they go to the
** left and to the right (rollup_sum_rows.c). */
TEST(rollup_by_id, what_rounding_loses_is_kept)
{
    static const int64_t entries[] = {1, 2, 3};
    static const PqRollupOp measures[] = {PQ_ROLLUP_SUM};
    enum { N = 300, HALF = N / 2 };
    uint32_t ids[N], n;
    double values[N];
    PqRollupKeyVector key = {.form = PQ_GROUP_INTS, .as_is = true, .width = 8,
                             .values = entries, .ids = ids, .n_entries = 3,
                             .entries_serial = 1};
    PqRollupInputVector in = {
        .kind = PQ_ROLLUP_NUMBERS,
        .numbers = {.kind = PQ_NUMBER_REAL, .n = N, .values = values}};
    PqRollupBatch b = {.n_rows = N, .keys = &key, .inputs = &in};
    PqRollupSpec spec = {.n_keys = 1, .n_measures = 1, .memory = 1 << 20,
                         .measures = measures};
    PqRollup *r = NULL;

    for (uint32_t i = 0; i < N; i++) {
        ids[i] = i % 3;
        values[i] = i == 30 || i == 35 ? 1e16 : i == 60 || i == 65 ? -1e16
                    : i % 3 == 2 ? 0.5 : 1;
    }
    CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
    for (int i = 0; i < 3; i++) {
        values[HALF + 1] = i < 2 ? 1 : 1.0 / 0.0;        /* then row by row */
        CHECK_OK(pq_rollup_add(r, &b, t->e));
    }
    CHECK_OK(pq_rollup_next(r, &n, t->e));
    CHECK_INT(n, 3);
    for (uint32_t g = 0; g < n; g++) {
        static const double want[] = {3 * 98, 1.0 / 0.0, 3 * 49};
        PqRollupValue v;

        CHECK_OK(pq_rollup_value(r, 0, g, &v, t->e));
        CHECK(v.cell.r == want[pq_rollup_key(r, 0, g)->i - 1]);
    }
    pq_rollup_free(r);
}
