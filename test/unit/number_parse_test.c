/*
** number_parse_test.c - what number_text.h writes is read back; the rest is
** compared with the C library.
*/
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static PqParse i64(const char *text, int64_t *out)
{
    return pq_number_parse_i64(pq_slice_text(text), out);
}

static PqParse u64(const char *text, uint64_t *out)
{
    return pq_number_parse_u64(pq_slice_text(text), out);
}

static PqParse real(const char *text, double *out)
{
    return pq_number_parse_double(pq_slice_text(text), out);
}

static PqParse decimal(const char *text, int32_t p, int32_t s, int64_t *out)
{
    return pq_decimal_parse_i64(pq_slice_text(text), p, s, out);
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

TEST(number_parse, integers_are_read_in_every_spelling)
{
    static const struct { const char *text; int64_t v; } rows[] = {
        {"0", 0}, {"-0", 0}, {"+7", 7}, {"007", 7}, {" 12 ", 12},
        {"12.", 12}, {"12.0", 12}, {"12.000e0", 12}, {"1e3", 1000},
        {"1.5e1", 15}, {"150e-1", 15}, {"0.00015E5", 15}, {"0e99999999", 0},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-9223372036854775808.00000000", INT64_MIN},
        {"9007199254740993.0", 9007199254740993},
        {"0000000000000000000000000000000000000000017", 17},
        {"1700000000000000000000000000000000e-32", 17}};
    int64_t v;

    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        CHECK_INT(i64(rows[i].text, &v), PQ_PARSE_OK);
        CHECK_INT(v, rows[i].v);
    }
}

TEST(number_parse, what_is_no_integer_says_why)
{
    static const char *const none[] = {
        "", " ", "-", "+", ".", "e5", "1e", "1e+", "1x", "x1", "1 2", "--1",
        "1.2.3", "0x10", "1e5.", "NaN", "inf", "1,5", "1e 5"};
    int64_t v;
    uint64_t u;

    for (size_t i = 0; i < PQ_COUNT(none); i++) {
        CHECK_INT(i64(none[i], &v), PQ_PARSE_NOT);
        CHECK_INT(u64(none[i], &u), PQ_PARSE_NOT);
    }
    CHECK_INT(i64("9223372036854775808", &v), PQ_PARSE_RANGE);
    CHECK_INT(i64("-9223372036854775809", &v), PQ_PARSE_RANGE);
    CHECK_INT(i64("1e19", &v), PQ_PARSE_RANGE);
    CHECK_INT(i64("1e999999999999999999999", &v), PQ_PARSE_RANGE);
    CHECK_INT(i64("1e-999999999999999999999", &v), PQ_PARSE_FINER);
    CHECK_INT(i64("1.5", &v), PQ_PARSE_FINER);
    CHECK_INT(i64("123456789012345678901234567890.5", &v), PQ_PARSE_FINER);
    CHECK_INT(i64("100000000000000000000000000000000", &v), PQ_PARSE_RANGE);
}

TEST(number_parse, unsigned_integers_go_up_to_64_bits)
{
    uint64_t v;

    CHECK_INT(u64("18446744073709551615", &v), PQ_PARSE_OK);
    CHECK(v == UINT64_MAX);
    CHECK_INT(u64("18446744073709551615.00000", &v), PQ_PARSE_OK);
    CHECK(v == UINT64_MAX);
    CHECK_INT(u64("1844674407370955161.5e1", &v), PQ_PARSE_OK);
    CHECK(v == UINT64_MAX);
    CHECK_INT(u64("10000000000000000000", &v), PQ_PARSE_OK);
    CHECK(v == UINT64_C(10000000000000000000));
    CHECK_INT(u64("18446744073709551616", &v), PQ_PARSE_RANGE);
    CHECK_INT(u64("20000000000000000000", &v), PQ_PARSE_RANGE);
    CHECK_INT(u64("99999999999999999999", &v), PQ_PARSE_RANGE);
    CHECK_INT(u64("-1", &v), PQ_PARSE_RANGE);
    CHECK_INT(u64("-0", &v), PQ_PARSE_OK);
    CHECK(v == 0);
}

TEST(number_parse, reals_come_back_from_their_text)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    int i;

    random_state = 88172645463325252;
    for (i = 0; i < 200000; i++) {
        uint64_t bits = random_bits();
        uint32_t half = (uint32_t)random_bits();
        double v, d;
        float w, f;

        memcpy(&v, &bits, sizeof v);
        memcpy(&w, &half, sizeof w);
        if (!isnan(v)) {
            pq_number_text_double(v, text);
            CHECK_INT(real(text, &d), PQ_PARSE_OK);
            CHECK(same_double(d, v));
        }
        if (!isnan(w)) {
            pq_number_text_float(w, text);
            CHECK_INT(pq_number_parse_float(pq_slice_text(text), &f),
                      PQ_PARSE_OK);
            CHECK(memcmp(&f, &w, sizeof f) == 0);
        }
    }
}

TEST(number_parse, reals_are_those_of_the_c_library)
{
    char text[64];
    int i;

    random_state = 362436069;
    for (i = 0; i < 200000; i++) {
        int n = 1 + (int)(random_bits() % 30), k;
        double d;
        float f;

        for (k = 0; k < n; k++) {
            text[k] = (char)('0' + random_bits() % 10);
        }
        text[random_bits() % (unsigned)n] = '.';
        snprintf(text + n, sizeof text - (size_t)n, "%de%d", (int)(i % 10),
                 (int)(random_bits() % 60) - 30);
        CHECK_INT(real(text, &d), PQ_PARSE_OK);
        CHECK(same_double(d, strtod(text, NULL)));
        CHECK_INT(pq_number_parse_float(pq_slice_text(text), &f),
                  isinf(strtof(text, NULL)) ? PQ_PARSE_RANGE : PQ_PARSE_OK);
        CHECK(f == strtof(text, NULL));
    }
}

TEST(number_parse, a_digit_after_hundreds_of_others_decides_a_tie)
{
    /* 1 + 2^-53, the midpoint between 1 and its neighbour. */
    char text[2000] = "1.00000000000000011102230246251565404236316680908203125";
    size_t n = strlen(text);
    double d;

    CHECK_INT(real(text, &d), PQ_PARSE_OK);
    CHECK(same_double(d, 1.0));
    memset(text + n, '0', 1500);
    text[n + 1500] = 0;
    CHECK_INT(real(text, &d), PQ_PARSE_OK);
    CHECK(same_double(d, 1.0));
    text[n + 1499] = '1';
    CHECK_INT(real(text, &d), PQ_PARSE_OK);
    CHECK(same_double(d, 1.0 + 0x1p-52));
}

TEST(number_parse, words_and_overflow_have_their_values)
{
    double d;
    float f;

    CHECK_INT(real("NaN", &d), PQ_PARSE_OK);
    CHECK(isnan(d) && !signbit(d));
    CHECK_INT(real(" -nan ", &d), PQ_PARSE_OK);
    CHECK(isnan(d) && signbit(d));
    CHECK_INT(real("-Infinity", &d), PQ_PARSE_OK);
    CHECK(isinf(d) && d < 0);
    CHECK_INT(real("+inf", &d), PQ_PARSE_OK);
    CHECK(isinf(d) && d > 0);
    CHECK_INT(real("-9e999", &d), PQ_PARSE_OK);
    CHECK(isinf(d) && d < 0);
    CHECK_INT(real("9.0e+999", &d), PQ_PARSE_OK);
    CHECK(isinf(d));
    CHECK_INT(real("1e400", &d), PQ_PARSE_RANGE);
    CHECK_INT(real("1e309", &d), PQ_PARSE_RANGE);
    CHECK_INT(real("1e-400", &d), PQ_PARSE_OK);
    CHECK(same_double(d, 0.0));
    CHECK_INT(real("-0", &d), PQ_PARSE_OK);
    CHECK(same_double(d, -0.0));
    CHECK_INT(real("infinit", &d), PQ_PARSE_NOT);
    CHECK_INT(real("nano", &d), PQ_PARSE_NOT);
    CHECK_INT(pq_number_parse_float(pq_slice_text("1e39"), &f),
              PQ_PARSE_RANGE);
    CHECK_INT(pq_number_parse_float(pq_slice_text("-inf"), &f), PQ_PARSE_OK);
    CHECK(isinf(f) && f < 0);
    CHECK_INT(pq_number_parse_float(pq_slice_text("x"), &f), PQ_PARSE_NOT);
    /* Through a double it would be rounded twice, and up. */
    CHECK_INT(pq_number_parse_float(
                  pq_slice_text("1.00000005960464477539062500000001"), &f),
              PQ_PARSE_OK);
    CHECK(f == 0x1.000002p0f);
}

TEST(number_parse, every_half_comes_back_and_middles_go_to_even)
{
    uint32_t bits;
    uint16_t got;

    for (bits = 0; bits <= UINT16_MAX; bits++) {
        double v = (double)pq_float16_value((uint16_t)bits);

        CHECK(pq_float16_bits(v, &got));
        if (isnan(v)) {
            CHECK_INT(got, 0x7e00u | (bits & 0x8000u));
        } else {
            CHECK_INT(got, bits);
        }
    }
    for (bits = 0; bits < 0x7bff; bits++) {
        double low = (double)pq_float16_value((uint16_t)bits);
        double high = (double)pq_float16_value((uint16_t)(bits + 1));
        double middle = (low + high) / 2;

        CHECK(pq_float16_bits(middle, &got));
        CHECK_INT(got, bits + (bits & 1));
        CHECK(pq_float16_bits(nextafter(middle, 0), &got));
        CHECK_INT(got, bits);
        CHECK(pq_float16_bits(nextafter(middle, high), &got));
        CHECK_INT(got, bits + 1);
    }
    CHECK(pq_float16_bits(65519.99, &got));
    CHECK_INT(got, 0x7bff);
    CHECK(!pq_float16_bits(65520, &got));
    CHECK(!pq_float16_bits(-1e300, &got));
    CHECK(pq_float16_bits(5e-324, &got));
    CHECK_INT(got, 0);
}

/* ---- decimals ------------------------------------------------------------ */

TEST(number_parse, decimals_are_exact_or_nothing)
{
    int64_t v;

    CHECK_INT(decimal("12.345", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 12345);
    CHECK_INT(decimal("-.05", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, -50);
    CHECK_INT(decimal("12", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 12000);
    CHECK_INT(decimal("12.3450000", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 12345);
    CHECK_INT(decimal("1.2e4", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 12000000);
    CHECK_INT(decimal("12.3456", 9, 3, &v), PQ_PARSE_FINER);
    CHECK_INT(decimal("0.0001", 9, 3, &v), PQ_PARSE_FINER);
    CHECK_INT(decimal("999999.999", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 999999999);
    CHECK_INT(decimal("1000000", 9, 3, &v), PQ_PARSE_RANGE);
    CHECK_INT(decimal("0.00000", 9, 3, &v), PQ_PARSE_OK);
    CHECK_INT(v, 0);
    CHECK_INT(decimal("-999999999999999999", 18, 0, &v), PQ_PARSE_OK);
    CHECK_INT(v, -999999999999999999);
    CHECK_INT(decimal("1e18", 18, 0, &v), PQ_PARSE_RANGE);
    CHECK_INT(decimal("9223372036854775807", 19, 0, &v), PQ_PARSE_OK);
    CHECK_INT(decimal("9223372036854775808", 19, 0, &v), PQ_PARSE_RANGE);
    CHECK_INT(decimal("1e40", 60, 0, &v), PQ_PARSE_RANGE);
    CHECK_INT(decimal("NaN", 9, 3, &v), PQ_PARSE_NOT);
}

static size_t trimmed(const uint8_t *p, size_t n)
{
    size_t skip = 0;

    while (skip + 1 < n && ((p[skip] == 0 && p[skip + 1] < 0x80) ||
                            (p[skip] == 0xff && p[skip + 1] >= 0x80))) {
        skip++;
    }
    return skip;
}

TEST(number_parse, decimals_of_any_width_come_back_from_their_text)
{
    uint8_t be[60], got[PQ_DECIMAL_BYTES];
    size_t n, k, skip, got_n;
    PqBuf text;
    int i;

    random_state = 521288629;
    pq_buf_init(&text, t->mem, t->e);
    for (i = 0; i < 20000 && !t->failed; i++) {
        int32_t scale = (int32_t)(random_bits() % 40);

        n = 1 + random_bits() % sizeof be;
        for (k = 0; k < n; k++) {
            be[k] = i % 3 == 0   ? (uint8_t)(0 - (random_bits() & 1))
                    : i % 3 == 1 ? (uint8_t)(k == 0 ? random_bits() : 0)
                                 : (uint8_t)random_bits();
        }
        text.n = 0;
        pq_decimal_text_bytes(pq_slice(be, n), scale, &text);
        skip = trimmed(be, n);
        if (pq_decimal_parse_bytes(pq_buf_view(&text), 200, scale, got,
                                   &got_n) != PQ_PARSE_OK ||
            got_n != n - skip || memcmp(got, be + skip, got_n) != 0) {
            test_fail(t, __FILE__, __LINE__, "%.*s scale %d", (int)text.n,
                      (char *)text.p, (int)scale);
        }
    }
    pq_buf_free(&text);
}

TEST(number_parse, the_widest_decimals_are_read_and_no_wider)
{
    static uint8_t be[PQ_DECIMAL_BYTES], got[PQ_DECIMAL_BYTES];
    static char nines[PQ_DECIMAL_BYTES * 3];
    size_t got_n = 0;
    PqBuf text;
    int sign;

    pq_buf_init(&text, t->mem, t->e);
    for (sign = 0; sign < 2; sign++) {
        memset(be, sign ? 0x00 : 0xff, sizeof be);
        be[0] = sign ? 0x80 : 0x7f;              /* least, greatest */
        text.n = 0;
        pq_decimal_text_bytes(pq_slice(be, sizeof be), 0, &text);
        CHECK_INT(pq_decimal_parse_bytes(pq_buf_view(&text), 1000000, 0, got,
                                         &got_n), PQ_PARSE_OK);
        CHECK_BYTES(got, got_n, be, sizeof be);
        text.p[text.n - 1]++;                    /* one more than that */
        CHECK_INT(pq_decimal_parse_bytes(pq_buf_view(&text), 1000000, 0, got,
                                         &got_n), PQ_PARSE_RANGE);
    }
    pq_buf_free(&text);
    memset(nines, '9', sizeof nines);
    CHECK_INT(pq_decimal_parse_bytes(pq_slice(nines, sizeof nines), 1000000, 0,
                                     got, &got_n), PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_bytes(pq_slice(nines, 9864), 1000000, 0, got,
                                     &got_n), PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_bytes(pq_slice(nines, 9863), 1000000, 0, got,
                                     &got_n), PQ_PARSE_OK);
    CHECK_INT(pq_decimal_parse_bytes(pq_slice(nines, 39), 38, 0, got, &got_n),
              PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_bytes(pq_slice(nines, 38), 38, 0, got, &got_n),
              PQ_PARSE_OK);
    CHECK_INT(got_n, 16);
}

TEST(number_parse, a_real_of_fifteen_digits_is_its_decimal)
{
    int i;

    random_state = 1234567;
    for (i = 0; i < 300000; i++) {
        int64_t limit = INT64_C(1000000000000000), v, got, want;
        int32_t scale = (int32_t)(random_bits() % 16);
        double r;

        for (int k = (int)(random_bits() % 15); k > 0; k--) limit /= 10;
        v = (int64_t)(random_bits() % (uint64_t)limit);
        v = i & 1 ? -v : v;
        r = pq_decimal_real_i64(v, scale);
        CHECK_INT(pq_decimal_parse_real(r, 15, scale, &got), PQ_PARSE_OK);
        CHECK_INT(got, v);
        if (scale >= 2) {                        /* halves away from zero */
            want = (v < 0 ? v - 50 : v + 50) / 100;
            CHECK_INT(pq_decimal_parse_real(r, 15, scale - 2, &got),
                      PQ_PARSE_OK);
            CHECK_INT(got, want);
        }
    }
}

TEST(number_parse, halves_of_a_real_are_those_of_its_text)
{
    int64_t v;

    CHECK_INT(pq_decimal_parse_real(0.125, 9, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, 13);
    CHECK_INT(pq_decimal_parse_real(1.005, 9, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, 101);               /* the double is a little less */
    CHECK_INT(pq_decimal_parse_real(-2.675, 9, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, -268);
    CHECK_INT(pq_decimal_parse_real(0.004, 9, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, 0);
    CHECK_INT(pq_decimal_parse_real(0.5, 1, 0, &v), PQ_PARSE_OK);
    CHECK_INT(v, 1);
    CHECK_INT(pq_decimal_parse_real(5e-324, 15, 15, &v), PQ_PARSE_OK);
    CHECK_INT(v, 0);
    CHECK_INT(pq_decimal_parse_real(-0.0, 9, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, 0);
    CHECK_INT(pq_decimal_parse_real(99.994, 4, 2, &v), PQ_PARSE_OK);
    CHECK_INT(v, 9999);
    CHECK_INT(pq_decimal_parse_real(99.995, 4, 2, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_real(-99.999, 4, 2, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_real(1e300, 15, 0, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_real((double)INFINITY, 15, 0, &v),
              PQ_PARSE_RANGE);
    CHECK_INT(pq_decimal_parse_real((double)NAN, 15, 0, &v), PQ_PARSE_NOT);
}
