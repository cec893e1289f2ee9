/*
** key_test_test.c - rows are dropped by the value of a key, against a model that
** computes each value.
*/
#include "core/rollup/key_test.h"

#include "test/unit/test.h"

#include <stdlib.h>

enum { MOST_ENTRIES = 700, BATCHES = 40, KINDS = 90 };

typedef enum Source { BY_INT, BY_LONG, BY_TEXT, BY_CELL, CONSTANT, SOURCES } Source;

typedef struct Course {
    Source   source;
    bool     ids, nulls, null_passes, as_is;
    uint32_t n_rows, n_entries;
    size_t   memory;
} Course;

typedef struct Model {
    Course   course;
    int64_t  stored[PQ_ROLLUP_ROWS];             /* by row, or by entry     */
    int32_t  narrow[PQ_ROLLUP_ROWS];
    PqStr    texts[PQ_ROLLUP_ROWS];
    char     bytes[PQ_ROLLUP_ROWS][8];
    uint32_t ids[PQ_ROLLUP_ROWS];
    uint64_t valid[PQ_ROLLUP_ROWS / 64], keep[PQ_ROLLUP_ROWS / 64];
    uint64_t before[PQ_ROLLUP_ROWS / 64];
    bool     asked[MOST_ENTRIES];
    bool     asked_of_dropped, asked_again;
    uint64_t random;
    char     room[16];
} Model;

static uint64_t next_random(Model *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return m->random >> 33;
}

static bool is_null(const Model *m, uint32_t row)
{
    return m->course.nulls && !pq_bit(m->valid, row);
}

static int64_t stored_of(const Model *m, uint32_t row)
{
    return m->stored[m->course.source == CONSTANT ? 0
                     : m->course.ids              ? m->ids[row] : row];
}

/* What the host shows: an integer, the equal REAL, a text, or NULL. */
static PqCell value_of(Model *m, uint32_t row)
{
    int64_t v = stored_of(m, row);

    if (is_null(m, row)) {
        return (PqCell){.kind = PQ_CELL_NULL};
    }
    if (m->course.as_is) {
        return pq_cell_int(v);
    }
    switch (v % 4) {
    case 0:
        return pq_cell_int(v / 8);
    case 1:
        return pq_cell_real((double)(v / 8));
    case 2:
        snprintf(m->room, sizeof m->room, "t%d", (int)(v / 8));
        return pq_cell_text(pq_slice_text(m->room));
    default:
        return (PqCell){.kind = PQ_CELL_NULL};
    }
}

static PqRc cell(void *arg, uint32_t key, uint32_t row, PqCell *out, PqErr *e)
{
    Model *m = arg;
    bool *asked = m->course.ids ? &m->asked[m->ids[row]] : NULL;

    (void)key;
    (void)e;
    m->asked_of_dropped |= !pq_bit(m->before, row) && m->course.source != CONSTANT;
    m->asked_again |= asked && *asked;
    if (asked) {
        *asked = true;
    }
    *out = value_of(m, row);
    return PQ_OK;
}

static bool holds(const void *of, const PqCell *v)
{
    return v->kind == PQ_CELL_NULL   ? ((const Model *)of)->course.null_passes
           : v->kind == PQ_CELL_TEXT ? v->n % 2 == 0
                                     : (int64_t)pq_cell_double(v) % 3 != 1;
}

static void make_values(Model *m)
{
    uint32_t n = m->course.ids ? m->course.n_entries : m->course.n_rows;

    for (uint32_t i = 0; i < n; i++) {
        m->stored[i] = (int64_t)(next_random(m) % KINDS);
        m->narrow[i] = (int32_t)m->stored[i];
        snprintf(m->bytes[i], sizeof m->bytes[i], "%d", m->narrow[i]);
        m->texts[i] = (PqStr){.p = (const uint8_t *)m->bytes[i],
                              .n = (uint32_t)strlen(m->bytes[i])};
    }
    memset(m->asked, 0, sizeof m->asked);
}

/* In some batches most rows are dropped before. */
static void make_rows(Model *m, uint32_t batch)
{
    memset(m->valid, 0, sizeof m->valid);
    memset(m->keep, 0, sizeof m->keep);
    for (uint32_t i = 0; i < m->course.n_rows; i++) {
        if (next_random(m) % 5 > 0) {
            pq_bit_set(m->valid, i);
        }
        if (batch % 3 == 0 || next_random(m) % (batch % 3 == 1 ? 2 : 40) == 0) {
            pq_bit_set(m->keep, i);
        }
        m->ids[i] = (uint32_t)(next_random(m) % m->course.n_entries);
    }
    memcpy(m->before, m->keep, sizeof m->keep);
}

static PqRollupKeyVector key_of(const Model *m, uint32_t batch)
{
    static const PqGroupForm forms[] = {PQ_GROUP_INTS, PQ_GROUP_INTS, PQ_GROUP_BYTES,
                                        PQ_GROUP_CELLS, PQ_GROUP_CELLS};
    const void *values[] = {m->narrow, m->stored, m->texts, NULL, NULL};
    Course c = m->course;

    return (PqRollupKeyVector){
        .form = forms[c.source], .constant = c.source == CONSTANT, .as_is = c.as_is,
        .width = c.source == BY_INT ? 4 : 8, .valid = c.nulls ? m->valid : NULL,
        .values = values[c.source], .ids = c.ids ? m->ids : NULL,
        .n_entries = c.ids ? c.n_entries : 0, .entries_serial = 1 + batch / 5};
}

static void compare(Test *t, Model *m)
{
    for (uint32_t i = 0; i < m->course.n_rows; i++) {
        PqCell v = value_of(m, i);

        CHECK_INT(pq_bit(m->keep, i), pq_bit(m->before, i) && holds(m, &v));
    }
    for (uint32_t i = m->course.n_rows; i < PQ_ROLLUP_ROWS; i++) {
        CHECK(!pq_bit(m->keep, i));
    }
}

static void run(Test *t, Course course)
{
    Model *m = calloc(1, sizeof *m);
    PqRollupSpec spec = {.n_keys = 1, .memory = course.memory, .arg = m, .cell = cell};
    PqKeyTest test;

    m->course = course;
    m->random = (uint64_t)course.source + course.n_rows;
    pq_key_test_init(&test, t->mem, &spec);
    test.holds = holds;
    test.of = m;
    for (uint32_t i = 0; i < BATCHES && !t->failed; i++) {
        PqRollupKeyVector v;

        if (!course.ids || i % 5 == 0) {
            make_values(m);
        }
        make_rows(m, i);
        v = key_of(m, i);
        CHECK_OK(pq_key_test_rows(&test, &v, course.n_rows, m->keep, t->e));
        compare(t, m);
    }
    pq_key_test_free(&test);
    CHECK(!m->asked_of_dropped);
    CHECK(!m->asked_again);
    free(m);
}

TEST(key_test, rows_that_stay_are_those_whose_value_passes)
{
    static const uint32_t rows[] = {1, 63, 64, 65, 1000, PQ_ROLLUP_ROWS},
                          entries[] = {1, 5, 256, MOST_ENTRIES};

    for (uint32_t i = 0; i < PQ_COUNT(rows) * SOURCES; i++) {
        for (uint32_t how = 0; how < 4 * (1 + PQ_COUNT(entries)) && !t->failed; how++) {
            Course c = {.source = (Source)(i % SOURCES), .n_rows = rows[i / SOURCES],
                        .nulls = how & 1,
                        .null_passes = i & 1, .memory = how & 2 ? 1 : 1 << 20,
                        .ids = how / 4 > 0,
                        .n_entries = entries[how / 4 > 0 ? how / 4 - 1 : 0]};

            if (c.source == CONSTANT && (c.ids || c.nulls)) {
                continue;
            }
            run(t, c);
            c.as_is = c.source <= BY_LONG;
            if (c.as_is) {
                run(t, c);
            }
        }
    }
}

/* The same dictionary, whose entries come in some batches only: each is judged when a
** row has it. */
TEST(key_test, an_entry_is_known_only_if_a_row_had_it)
{
    static const int64_t entries[] = {0, 8, 16, 24};
    uint32_t ids[] = {0, 1, 2, 3};
    uint64_t keep = 3;
    Model *m = calloc(1, sizeof *m);
    PqRollupSpec spec = {.n_keys = 1, .memory = 1 << 20, .arg = m, .cell = cell};
    PqRollupKeyVector v = {.form = PQ_GROUP_INTS, .width = 8, .values = entries,
                           .ids = ids, .n_entries = 4, .entries_serial = 7};
    PqKeyTest test;

    m->course = (Course){.ids = true, .n_rows = 4, .n_entries = 4};
    memcpy(m->stored, entries, sizeof entries);
    memcpy(m->ids, ids, sizeof ids);
    pq_key_test_init(&test, t->mem, &spec);
    test.holds = holds;
    test.of = m;
    m->before[0] = keep;
    CHECK_OK(pq_key_test_rows(&test, &v, 4, &keep, t->e));
    CHECK_INT(keep, 1);              /* 1 % 3 is 1 */
    CHECK(m->asked[0] && m->asked[1] && !m->asked[2] && !m->asked[3]);
    keep = m->before[0] = 15;
    CHECK_OK(pq_key_test_rows(&test, &v, 4, &keep, t->e));
    CHECK_INT(keep, 13);
    CHECK(m->asked[2] && m->asked[3] && !m->asked_again && !m->asked_of_dropped);
    pq_key_test_free(&test);
    free(m);
}
