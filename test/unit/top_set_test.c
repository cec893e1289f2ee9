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
    PqSortValue v[2];
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

static PqSortValue integer(int64_t i)
{
    return (PqSortValue){.kind = PQ_SORT_INT, .as.i = i};
}

static PqSortValue real(double d)
{
    return (PqSortValue){.kind = PQ_SORT_REAL, .as.r = d};
}

static PqSortValue text(PqSortKind kind, const char *s)
{
    PqSortValue v;

    pq_sort_value_of_bytes(kind, pq_slice_text(s), &v);
    return v;
}

static PqSortValue some_text(Rows *r, char *room)
{
    snprintf(room, TEXT, "%.*sz%u", (int)chance(r, 12), "aaaaaaaaaaaa",
             (unsigned)chance(r, 200));
    return text(chance(r, 2) ? PQ_SORT_TEXT : PQ_SORT_BLOB, room);
}

static PqSortValue some_value(Rows *r, Kind kind, uint32_t at, char *room)
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
                row->v[c] = (PqSortValue){.kind = PQ_SORT_NULL};
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
            CHECK_INT(pq_sort_value_compare(&row->values[c], &r->row[i].v[c]),
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

        pq_top_set_init(&s, t->mem, 1 + i % 2);
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
    PqSortValue v = integer(7);
    PqTopSet s;

    pq_top_set_init(&s, t->mem, 1);
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

    pq_top_set_init(&s, t->mem, 2);
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

    pq_top_set_init(&s, little, 2);
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

        pq_top_set_init(&s, t->mem, 2);
        s.mixed = true;
        s.limit = 4000;
        make_rows(r, TEXTS, ROWS, wanted);
        check_rows(t, r, &s, wanted);
        pq_top_set_free(&s);
        pq_top_set_init(&s, little, 1);
        make_rows(r, INTS, ROWS, wanted);
        check_rows(t, r, &s, wanted);
        pq_top_set_free(&s);
        pq_mem_release(little);
    }
    free(r);
}

/* Ascending, and no two of them equal. */
TEST(sort_value, kinds_follow_upon_each_other_and_numbers_are_exact)
{
    const PqSortValue v[] = {
        {.kind = PQ_SORT_NULL}, real(-DBL_MAX), integer(INT64_MIN),
        real(-9007199254740994.0), integer(-9007199254740993),
        integer(-1), real(-0.5), integer(0), real(0.25), integer(1),
        real(1.5), integer(2), integer(9007199254740993),
        real(9007199254740994.0), integer(INT64_MAX),
        real(9223372036854775808.0), real(DBL_MAX), text(PQ_SORT_TEXT, ""),
        text(PQ_SORT_TEXT, "10"), text(PQ_SORT_TEXT, "9"),
        text(PQ_SORT_TEXT, "9a"), text(PQ_SORT_BLOB, ""),
        text(PQ_SORT_BLOB, "1")};

    for (uint32_t i = 0; i < PQ_COUNT(v); i++) {
        for (uint32_t k = 0; k < PQ_COUNT(v); k++) {
            int c = pq_sort_value_compare(&v[i], &v[k]);

            CHECK_INT((c > 0) - (c < 0), (i > k) - (i < k));
        }
    }
}

TEST(sort_value, an_integer_equals_the_real_of_the_same_number)
{
    CHECK_INT(pq_sort_value_int_real(INT64_MIN, -9223372036854775808.0), 0);
    CHECK_INT(pq_sort_value_int_real(INT64_C(1) << 53, 9007199254740992.0), 0);
    CHECK_INT(pq_sort_value_int_real(0, -0.0), 0);
}

static void check_heads(Test *t, const PqSortValue *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            if (pq_sort_value_head(&v[i]) < pq_sort_value_head(&v[k])) {
                CHECK(pq_sort_value_compare(&v[i], &v[k]) < 0);
            }
        }
    }
}

TEST(sort_value, of_two_heads_that_differ_the_smaller_is_the_smaller_values)
{
    const PqSortValue null = {.kind = PQ_SORT_NULL};
    const PqSortValue ints[] = {null, integer(INT64_MIN), integer(-1),
                                integer(0), integer(1), integer(INT64_MAX)};
    const PqSortValue reals[] = {null, real(-DBL_MAX), real(-1.5), real(-0.0),
                                 real(0.0), real(1e-300), real(2),
                                 real(DBL_MAX)};
    const PqSortValue texts[] = {null, text(PQ_SORT_TEXT, ""),
                                 text(PQ_SORT_TEXT, "a"),
                                 text(PQ_SORT_TEXT, "ab"),
                                 text(PQ_SORT_TEXT, "abcdefgh"),
                                 text(PQ_SORT_TEXT, "abcdefghi"),
                                 text(PQ_SORT_TEXT, "\xff")};

    CHECK_INT(pq_sort_value_head(&reals[3]) == pq_sort_value_head(&reals[4]),
              1);
    check_heads(t, ints, PQ_COUNT(ints));
    check_heads(t, reals, PQ_COUNT(reals));
    check_heads(t, texts, PQ_COUNT(texts));
}
