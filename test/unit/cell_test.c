/*
** cell_test.c - how cells are compared, hashed and numbered.
*/
#include "core/numbering/cell.h"
#include "test/unit/test.h"

#include <float.h>
#include <math.h>

static PqCell integer(int64_t i)
{
    return pq_cell_int(i);
}

static PqCell real(double r)
{
    return pq_cell_real(r);
}

static PqCell text(const char *z)
{
    return pq_cell_text(pq_slice_text(z));
}

static PqCell blob(const char *z)
{
    return pq_cell_bytes(PQ_CELL_BLOB, pq_slice_text(z));
}

/* Ascending, and no two of them equal. */
TEST(cell, classes_follow_upon_each_other_and_numbers_are_exact)
{
    const PqCell v[] = {
        {.kind = PQ_CELL_NULL}, real(-DBL_MAX), integer(INT64_MIN),
        real(-9007199254740994.0), integer(-9007199254740993),
        integer(-1), real(-0.5), integer(0), real(0.25), integer(1),
        real(1.5), integer(2), integer(9007199254740993),
        real(9007199254740994.0), integer(INT64_MAX),
        real(9223372036854775808.0), real(DBL_MAX), text(""),
        text("10"), text("9"),
        text("9a"), blob(""),
        blob("1")};

    for (uint32_t i = 0; i < PQ_COUNT(v); i++) {
        for (uint32_t k = 0; k < PQ_COUNT(v); k++) {
            int c = pq_cell_compare(&v[i], &v[k]);

            CHECK_INT((c > 0) - (c < 0), (i > k) - (i < k));
        }
    }
}

TEST(cell, an_integer_equals_the_real_of_the_same_number)
{
    CHECK_INT(pq_int_real_compare(INT64_MIN, -9223372036854775808.0), 0);
    CHECK_INT(pq_int_real_compare(INT64_C(1) << 53, 9007199254740992.0), 0);
    CHECK_INT(pq_int_real_compare(0, -0.0), 0);
}

static void check_heads(Test *t, const PqCell *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            if (pq_cell_head(&v[i]) < pq_cell_head(&v[k])) {
                CHECK(pq_cell_compare(&v[i], &v[k]) < 0);
            }
        }
    }
}

TEST(cell, of_two_heads_that_differ_the_smaller_is_the_smaller_values)
{
    const PqCell null = {.kind = PQ_CELL_NULL};
    const PqCell ints[] = {null, integer(INT64_MIN), integer(-1),
                                integer(0), integer(1), integer(INT64_MAX)};
    const PqCell reals[] = {null, real(-DBL_MAX), real(-1.5), real(-0.0),
                                 real(0.0), real(1e-300), real(2),
                                 real(DBL_MAX)};
    const PqCell texts[] = {null, text(""),
                                 text("a"),
                                 text("ab"),
                                 text("abcdefgh"),
                                 text("abcdefghi"),
                                 text("\xff")};

    CHECK(pq_cell_head(&reals[3]) == pq_cell_head(&reals[4]));
    check_heads(t, ints, PQ_COUNT(ints));
    check_heads(t, reals, PQ_COUNT(reals));
    check_heads(t, texts, PQ_COUNT(texts));
}

/* Pairs of equal cells, no two pairs equal. */
TEST(cell, equal_cells_have_one_hash_and_one_plain_form)
{
    const PqCell null = {.kind = PQ_CELL_NULL};
    const PqCell v[] = {
        null, null, integer(5), real(5.0), real(0.0), real(-0.0),
        integer(INT64_MIN), real(-9223372036854775808.0),
        real(9223372036854775808.0), real(9223372036854775808.0),
        integer(INT64_MAX), integer(INT64_MAX), real(0.5), real(0.5),
        text("5"), text("5"), blob("5"), blob("5")};

    for (uint32_t i = 0; i < PQ_COUNT(v); i++) {
        PqCell x = pq_cell_plain(&v[i]);

        for (uint32_t k = 0; k < PQ_COUNT(v); k++) {
            PqCell y = pq_cell_plain(&v[k]);
            bool equal = i / 2 == k / 2;

            CHECK_INT(pq_cell_compare(&v[i], &v[k]) == 0, equal);
            CHECK_INT(pq_cell_same(&x, &y), equal);
            CHECK_INT(pq_cell_hash(&v[i], 7) == pq_cell_hash(&v[k], 7), equal);
        }
    }
}

TEST(cell, nan_is_null)
{
    PqCell nan = real(NAN), plain = pq_cell_plain(&nan);
    PqCell shown = pq_cell_shown_real(NAN);

    CHECK_INT(plain.kind, PQ_CELL_NULL);
    CHECK_INT(shown.kind, PQ_CELL_NULL);
}
