/*
** top_set_test.c - the best rows of many are those that a full sort puts first.
*/
#include "core/top/top_set.h"
#include "test/unit/test.h"

#include <float.h>
#include <stdlib.h>

enum { ROWS = 3000, TEXT = 24 };

/* What the values of the first column are. */
typedef enum Kind { INTS, FEW, ASCENDING, REALS, TEXTS, ANY, KINDS } Kind;

typedef struct Row {
    int64_t     rowid;
    PqCell  v[2];
} Row;

typedef struct Rows {
    Row      row[ROWS];
    char     text[ROWS][2][TEXT];
    uint32_t n;
    uint64_t seed;
} Rows;

static uint64_t chance(Rows *r, uint64_t n)
{
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return (r->seed >> 33) % n;
}

static PqCell integer(int64_t i)
{
    return (PqCell){.kind = PQ_CELL_INT, .i = i};
}

static PqCell real(double d)
{
    return (PqCell){.kind = PQ_CELL_REAL, .r = d};
}

static PqCell text(PqCellClass kind, const char *s)
{
    return pq_cell_bytes(kind, pq_slice_text(s));
}

static PqCell some_text(Rows *r, char *room)
{
    snprintf(room, TEXT, "%.*sz%u", (int)chance(r, 12), "aaaaaaaaaaaa",
             (unsigned)chance(r, 200));
    return text(chance(r, 2) ? PQ_CELL_TEXT : PQ_CELL_BLOB, room);
}

static PqCell some_value(Rows *r, Kind kind, uint32_t at, char *room)
{
    switch (kind) {
    case INTS:
        return integer((int64_t)(chance(r, INT64_MAX) << 1));
    case FEW:
        return integer((int64_t)chance(r, 5) - 2);
    case ASCENDING:
        return integer(at / 3);
    case REALS:
        return real((double)(int64_t)chance(r, 2000) / 8 - 100);
    case TEXTS:
        return some_text(r, room);
    default:
        return some_value(r, (Kind)chance(r, ANY), at, room);
    }
}

static void make_rows(Rows *r, Kind kind, uint32_t n, uint64_t seed)
{
    r->n = n;
    r->seed = seed;
    for (uint32_t i = 0; i < n; i++) {
        Row *row = &r->row[i];

        row->rowid = (int64_t)((i * UINT64_C(7919)) % ROWS);
        row->v[0] = some_value(r, kind, i, r->text[i][0]);
        row->v[1] = some_value(r, chance(r, 2) ? FEW : TEXTS, i, r->text[i][1]);
        for (uint32_t c = 0; c < 2; c++) {
            if (chance(r, 10) == 0) {
                row->v[c] = (PqCell){.kind = PQ_CELL_NULL};
            }
        }
    }
}

static const PqTopSet *order;        /* of compare_rows */

static int compare_rows(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;

    return pq_top_set_compare(order, a->v, a->rowid, b->v, b->rowid);
}

/* Offers all rows, and compares those of the set with the first of all.  When
** rows go, many go: otherwise each row that comes would take as long as all. */
static void check_rows(Test *t, Rows *r, PqTopSet *s, uint32_t most)
{
    pq_top_set_begin(s, most);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t n = s->n;

        CHECK_OK(pq_top_set_offer(s, r->row[i].v, r->row[i].rowid, t->e));
        CHECK(s->n >= n || s->n <= n - n / 4);
    }
    pq_top_set_sort(s);
    order = s;
    qsort(r->row, r->n, sizeof *r->row, compare_rows);
    for (uint32_t i = 0; i < s->n; i++) {
        const PqTopRow *row = pq_top_set_at(s, i);

        CHECK_INT(row->rowid, r->row[i].rowid);
        for (uint32_t c = 0; c < s->n_columns; c++) {
            CHECK_INT(pq_cell_compare(&row->values[c], &r->row[i].v[c]),
                      0);
        }
    }
}

TEST(top_set, keeps_the_rows_that_a_full_sort_puts_first)
{
    static const uint32_t most[] = {1, 2, 7, 100, ROWS - 1, ROWS, 2 * ROWS};
    Rows *r = malloc(sizeof *r);

    for (uint32_t i = 0; i < 4 * KINDS * PQ_COUNT(most); i++) {
        uint32_t wanted = most[i / (4 * KINDS)];
        Kind kind = (Kind)(i / 4 % KINDS);
        PqTopSet s;

        pq_top_set_init(&s, t->mem, 1 + i % 2, 1 + i % 2);
        s.desc[0] = i / 2 % 2 != 0;
        s.desc[1] = i % 3 == 0;
        s.mixed = kind == ANY || kind == TEXTS;
        make_rows(r, kind, ROWS, i);
        check_rows(t, r, &s, wanted);
        if (!t->failed && s.n != (wanted < ROWS ? wanted : ROWS)) {
            test_fail(t, __FILE__, __LINE__, "%u of %u rows", s.n, wanted);
        }
        pq_top_set_free(&s);
        if (t->failed) {
            break;
        }
    }
    free(r);
}

TEST(top_set, has_no_worst_row_before_it_has_as_many_as_are_wanted)
{
    PqCell v = integer(7);
    PqTopSet s;

    pq_top_set_init(&s, t->mem, 1, 1);
    pq_top_set_begin(&s, 2);
    CHECK_OK(pq_top_set_offer(&s, &v, 1, t->e));
    CHECK(!pq_top_set_worst(&s));
    CHECK_OK(pq_top_set_offer(&s, &v, 2, t->e));
    CHECK_INT(pq_top_set_worst(&s)->rowid, 2);
    CHECK_OK(pq_top_set_offer(&s, &v, 3, t->e));
    CHECK_INT(s.n, 2);               /* a later row with the same value */
    CHECK_OK(pq_top_set_offer(&s, &v, 0, t->e));
    pq_top_set_tighten(&s);
    CHECK_INT(pq_top_set_worst(&s)->rowid, 1);
    pq_top_set_free(&s);
}

TEST(top_set, that_has_too_many_bytes_keeps_fewer_rows_and_the_best)
{
    Rows *r = malloc(sizeof *r);
    PqTopSet s;

    pq_top_set_init(&s, t->mem, 2, 2);
    s.mixed = true;
    s.limit = 4000;
    make_rows(r, TEXTS, ROWS, 1);
    check_rows(t, r, &s, ROWS);
    if (!t->failed && (s.n < 10 || s.n > ROWS / 4 || !pq_top_set_worst(&s))) {
        test_fail(t, __FILE__, __LINE__, "%u rows", s.n);
    }
    pq_top_set_free(&s);
    free(r);
}

TEST(top_set, that_gets_no_memory_keeps_fewer_rows_and_the_best)
{
    Rows *r = malloc(sizeof *r);
    PqMem *little = pq_mem_new(30000);
    PqTopSet s;

    pq_top_set_init(&s, little, 2, 2);
    make_rows(r, INTS, ROWS, 2);
    for (uint32_t i = 0; i < ROWS; i++) {
        r->row[i].v[1] = integer(i % 3);
    }
    check_rows(t, r, &s, ROWS);
    if (!t->failed && (s.n < 10 || s.n > 600 || !pq_top_set_worst(&s))) {
        test_fail(t, __FILE__, __LINE__, "%u rows", s.n);
    }
    pq_top_set_free(&s);
    pq_mem_release(little);
    free(r);
}

/* However near the rows that are wanted come to those that fit. */
TEST(top_set, that_is_nearly_large_enough_drops_many_rows_at_once)
{
    Rows *r = malloc(sizeof *r);

    for (uint32_t wanted = 10; wanted < 300 && !t->failed; wanted += 3) {
        PqMem *little = pq_mem_new(10000);
        PqTopSet s;

        pq_top_set_init(&s, t->mem, 2, 2);
        s.mixed = true;
        s.limit = 4000;
        make_rows(r, TEXTS, ROWS, wanted);
        check_rows(t, r, &s, wanted);
        pq_top_set_free(&s);
        pq_top_set_init(&s, little, 1, 1);
        make_rows(r, INTS, ROWS, wanted);
        check_rows(t, r, &s, wanted);
        pq_top_set_free(&s);
        pq_mem_release(little);
    }
    free(r);
}
