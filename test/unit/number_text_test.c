/*
** number_text_test.c - integers, decimals, and the shortest floats, compared
** with the C library's snprintf and strtod for each number of digits.
*/
#include "core/text/number_text.h"
#include "test/unit/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static const char *i64(int64_t v)
{
    static char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = pq_number_text_i64(v, text);

    return n == strlen(text) ? text : "wrong length";
}

static const char *u64(uint64_t v)
{
    static char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = pq_number_text_u64(v, text);

    return n == strlen(text) ? text : "wrong length";
}

static const char *real(double v)
{
    static char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = pq_number_text_double(v, text);

    return n == strlen(text) ? text : "wrong length";
}

static const char *single(float v)
{
    static char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = pq_number_text_float(v, text);

    return n == strlen(text) ? text : "wrong length";
}

TEST(number_text, integers_of_every_length)
{
    uint64_t v = 1;
    char want[PQ_NUMBER_TEXT_ROOM];
    int i;

    CHECK_TEXT(i64(0), "0");
    CHECK_TEXT(i64(-1), "-1");
    CHECK_TEXT(i64(INT64_MAX), "9223372036854775807");
    CHECK_TEXT(i64(INT64_MIN), "-9223372036854775808");
    CHECK_TEXT(u64(UINT64_MAX), "18446744073709551615");
    for (i = 0; i < 20; i++, v *= 10) {
        snprintf(want, sizeof want, "%llu", (unsigned long long)v);
        CHECK_TEXT(u64(v), want);
        snprintf(want, sizeof want, "%llu", (unsigned long long)v - 1);
        CHECK_TEXT(u64(v - 1), want);
    }
}

TEST(number_text, doubles_look_like_those_of_sqlite)
{
    CHECK_TEXT(real(0.0), "0.0");
    CHECK_TEXT(real(-0.0), "-0.0");
    CHECK_TEXT(real(1.0), "1.0");
    CHECK_TEXT(real(-17.25), "-17.25");
    CHECK_TEXT(real(0.1), "0.1");
    CHECK_TEXT(real(0.3), "0.3");
    CHECK_TEXT(real(0.1 + 0.2), "0.30000000000000004");
    CHECK_TEXT(real(100.0), "100.0");
    CHECK_TEXT(real(0.0001), "0.0001");
    CHECK_TEXT(real(0.00012345678901234567), "0.00012345678901234567");
    CHECK_TEXT(real(0.00001), "1.0e-05");
    CHECK_TEXT(real(100000000000000.0), "100000000000000.0");
    CHECK_TEXT(real(1e15), "1.0e+15");
    CHECK_TEXT(real(1e22), "1.0e+22");
    CHECK_TEXT(real(1e23), "1.0e+23");
    CHECK_TEXT(real(1e300), "1.0e+300");
    CHECK_TEXT(real(-1.5e-300), "-1.5e-300");
    CHECK_TEXT(real(HUGE_VAL), "9e999");
    CHECK_TEXT(real(-HUGE_VAL), "-9e999");
}

TEST(number_text, the_ends_of_the_doubles)
{
    CHECK_TEXT(real(DBL_MAX), "1.7976931348623157e+308");
    CHECK_TEXT(real(DBL_MIN), "2.2250738585072014e-308");
    CHECK_TEXT(real(5e-324), "5.0e-324");
    CHECK_TEXT(real(1e-323), "1.0e-323");
    CHECK_TEXT(real(2.2250738585072011e-308), "2.225073858507201e-308");
    CHECK_TEXT(real(9007199254740992.0), "9.007199254740992e+15");
    CHECK_TEXT(real(9007199254740993.0), "9.007199254740992e+15");
    /* A power of two.  The nearest 16 digits end in 1, and read back as the
    ** neighbour below, where numbers are closer to each other. */
    CHECK_TEXT(real(0x1p-44), "5.684341886080802e-14");
}

TEST(number_text, floats_have_the_digits_of_a_float)
{
    CHECK_TEXT(single(0.1f), "0.1");
    CHECK_TEXT(single(16777216.0f), "16777216.0");
    CHECK_TEXT(single(3.4028235e38f), "3.4028235e+38");
    CHECK_TEXT(single(1.17549435e-38f), "1.1754944e-38");
    CHECK_TEXT(single(1e-45f), "1.0e-45");
    CHECK_TEXT(single(-0.0f), "-0.0");
    CHECK_TEXT(single(33554432.0f), "33554432.0");
    CHECK_TEXT(single(HUGE_VALF), "9e999");
    CHECK_TEXT(single(-HUGE_VALF), "-9e999");
}

/* The digits of text, without zeros at either end, sign and point. */
static int significant(const char *text)
{
    const char *p;
    int n = 0, zeros = 0;

    for (p = text; *p && *p != 'e'; p++) {
        if (*p < '0' || *p > '9' || (*p == '0' && n == 0)) {
            continue;
        }
        n++;
        zeros = *p == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* What is wrong with text as the shortest double v, or NULL. */
static const char *judge_double(double v, const char *text)
{
    int n = significant(text);
    char other[64];

    if (strtod(text, NULL) != v) {
        return "reads back as another number";
    }
    snprintf(other, sizeof other, "%.*e", n - 1, v);
    if (strtod(other, NULL) == v) {
        char diff[64];
        snprintf(diff, sizeof diff, "%.*e", n - 1, strtod(text, NULL));
        if (strcmp(other, diff) != 0 || significant(other) != n) {
            return "is not the nearest of its length";
        }
    }
    if (n > 1) {
        snprintf(other, sizeof other, "%.*e", n - 2, v);
        if (strtod(other, NULL) == v) {
            return "is not the shortest";
        }
    }
    return NULL;
}

static const char *judge_float(float v, const char *text)
{
    int n = significant(text);
    char other[64];

    if (strtof(text, NULL) != v) {
        return "reads back as another number";
    }
    if (n > 1) {
        snprintf(other, sizeof other, "%.*e", n - 2, (double)v);
        if (strtof(other, NULL) == v) {
            return "is not the shortest";
        }
    }
    return NULL;
}

TEST(number_text, random_doubles_are_shortest)
{
    int i;

    random_state = 0x853c49e6748fea9b;
    for (i = 0; i < 40000; i++) {
        uint64_t bits = random_bits();
        const char *wrong;
        double v;

        if (i % 4 == 1) {                              /* few mantissa bits */
            bits &= ~(uint64_t)0 << random_bits() % 53;
        } else if (i % 4 == 2) {                       /* near 1 */
            bits = (bits & ((uint64_t)-1 >> 6)) | (uint64_t)0x3c << 56;
        }
        memcpy(&v, &bits, sizeof v);
        if (i % 4 == 3) {                              /* as data often is */
            v = (double)(int64_t)(bits >> 40) / 1000;
        }
        if (!isfinite(v) || v == 0) {
            continue;
        }
        wrong = judge_double(v, real(v));
        if (wrong) {
            test_fail(t, __FILE__, __LINE__, "%a: \"%s\" %s", v, real(v),
                      wrong);
            return;
        }
    }
}

TEST(number_text, powers_of_two_and_ten_and_their_neighbours_are_shortest)
{
    int i, j;

    for (i = -1074; i <= 1023 + 617; i++) {
        double at = i <= 1023 ? ldexp(1.0, i) : pow(10.0, i - 1023 - 309);
        double v[3] = {nextafter(at, 0), at, nextafter(at, HUGE_VAL)};
        for (j = 0; j < 3; j++) {
            const char *wrong;
            if (v[j] == 0 || isinf(v[j])) {
                continue;
            }
            wrong = judge_double(v[j], real(v[j]));
            if (wrong) {
                test_fail(t, __FILE__, __LINE__, "%a: \"%s\" %s", v[j],
                          real(v[j]), wrong);
                return;
            }
        }
    }
}

TEST(number_text, random_floats_are_shortest)
{
    int i;

    random_state = 0xda3e39cb94b95bdb;
    for (i = 0; i < 40000; i++) {
        uint32_t bits = (uint32_t)random_bits();
        const char *wrong;
        float v;

        if (i % 4 == 1) {
            bits &= ~(uint32_t)0 << random_bits() % 24;
        }
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v) || v == 0) {
            continue;
        }
        wrong = judge_float(v, single(v));
        if (wrong) {
            test_fail(t, __FILE__, __LINE__, "%a: \"%s\" %s", (double)v,
                      single(v), wrong);
            return;
        }
    }
}

/* The text of a decimal given as hex, or as an integer when hex is NULL. */
static const char *decimal(Test *t, const char *hex, int64_t v, int32_t scale)
{
    static char text[256];
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    if (hex) {
        pq_decimal_text_bytes(test_hex(t, hex), scale, &out);
    } else {
        pq_decimal_text_i128(v, scale, &out);
    }
    snprintf(text, sizeof text, "%.*s", (int)out.n, (const char *)out.p);
    pq_buf_free(&out);
    return t->e->rc == PQ_OK ? text : t->e->text;
}

TEST(number_text, decimals_keep_every_digit)
{
    CHECK_TEXT(decimal(t, NULL, 12345, 3), "12.345");
    CHECK_TEXT(decimal(t, NULL, -5, 2), "-0.05");
    CHECK_TEXT(decimal(t, NULL, 5, 1), "0.5");
    CHECK_TEXT(decimal(t, NULL, -12345, 5), "-0.12345");
    CHECK_TEXT(decimal(t, NULL, 12345, 0), "12345");
    CHECK_TEXT(decimal(t, NULL, 0, 0), "0");
    CHECK_TEXT(decimal(t, NULL, 0, 2), "0.00");
    CHECK_TEXT(decimal(t, NULL, 100, 2), "1.00");
    CHECK_TEXT(decimal(t, NULL, 1000000000, 9), "1.000000000");
    CHECK_TEXT(decimal(t, NULL, INT64_MIN, 4), "-922337203685477.5808");
    CHECK_TEXT(decimal(t, NULL, INT64_MAX, 0), "9223372036854775807");
    CHECK_TEXT(decimal(t, NULL, 7, -3), "7000");
    CHECK_TEXT(decimal(t, NULL, 0, -3), "0");
}

TEST(number_text, decimal_bytes_are_big_endian_two_s_complement)
{
    CHECK_TEXT(decimal(t, "", 0, 0), "0");
    CHECK_TEXT(decimal(t, "00", 0, 2), "0.00");
    CHECK_TEXT(decimal(t, "30 39", 0, 3), "12.345");
    CHECK_TEXT(decimal(t, "fb", 0, 2), "-0.05");
    CHECK_TEXT(decimal(t, "ff ff ff ff fb", 0, 2), "-0.05");
    CHECK_TEXT(decimal(t, "00 80", 0, 0), "128");
    CHECK_TEXT(decimal(t, "80", 0, 0), "-128");
    CHECK_TEXT(decimal(t, "ff 00 00 00 00", 0, 0), "-4294967296");
    CHECK_TEXT(decimal(t, "80 00 00 00 00 00 00 00", 0, 0),
               "-9223372036854775808");
    CHECK_TEXT(decimal(t, "00 ff ff ff ff ff ff ff ff", 0, 0),
               "18446744073709551615");
    CHECK_TEXT(decimal(t, "7f ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff",
                       0, 10),
               "17014118346046923173168730371.5884105727");
    CHECK_TEXT(decimal(t, "80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
                       0, 38),
               "-1.70141183460469231731687303715884105728");
    CHECK_TEXT(decimal(t, "4b 3b 4c a8 5a 86 c4 7a 09 8a 22 3f ff ff ff ff",
                       0, 38),
               "0.99999999999999999999999999999999999999");
    CHECK_TEXT(decimal(t, "80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
                          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
                       0, 0),
               "-578960446186580977117854925043439539266"
               "34992332820282019728792003956564819968");
}

TEST(number_text, a_power_of_a_billion_keeps_its_zeros)
{
    CHECK_TEXT(decimal(t, "0d e0 b6 b3 a7 64 00 00", 0, 0),
               "1000000000000000000");
    CHECK_TEXT(decimal(t, "f2 1f 49 4c 58 9c 00 00", 0, 0),
               "-1000000000000000000");
    CHECK_TEXT(decimal(t, "03 27 cb 27 34 11 9d 3b 7a 90 00 00 00", 0, 0),
               "250000000000000000000000000000");
}

TEST(number_text, absurd_claims_about_decimals_fail)
{
    uint8_t *wide = calloc(1, 4098);
    PqBuf out;
    double real_value;

    CHECK(wide);
    pq_buf_init(&out, t->mem, t->e);
    pq_decimal_text_i128(1, INT32_MAX, &out);
    CHECK_FAILS(t->e->rc, PQ_UNSUPPORTED, "scale 2147483647");
    pq_decimal_text_i128(1, INT32_MIN, &out);
    CHECK_FAILS(t->e->rc, PQ_UNSUPPORTED, "scale -2147483648");
    pq_decimal_text_i128(7, 10000, &out);
    CHECK(t->e->rc == PQ_OK);
    CHECK_INT(out.n, 10002);
    CHECK(out.p[0] == '0' && out.p[1] == '.' && out.p[10001] == '7');
    out.n = 0;

    wide[0] = 1;
    pq_decimal_text_bytes(pq_slice(wide, 4098), 0, &out);
    CHECK_FAILS(t->e->rc, PQ_UNSUPPORTED, "4098 bytes");
    CHECK_FAILS(pq_decimal_real_bytes(pq_slice(wide, 4098), 0, &out,
                                      &real_value, t->e),
                PQ_UNSUPPORTED, "4098 bytes");
    CHECK_INT(out.n, 0);
    wide[0] = 0x80;
    pq_decimal_text_bytes(pq_slice(wide, 4096), 0, &out);
    CHECK(t->e->rc == PQ_OK);
    CHECK_INT(out.n, 9865);                    /* the sign, 9864 digits */
    CHECK(memcmp(out.p, "-7077", 5) == 0);
    CHECK_OK(pq_decimal_real_bytes(pq_slice(wide, 4096), 9864, &out,
                                   &real_value, t->e));
    CHECK(real_value > -0.71 && real_value < -0.70);
    wide[0] = 0;                               /* zeros are free */
    wide[4097] = 9;
    out.n = 0;
    pq_decimal_text_bytes(pq_slice(wide, 4098), 0, &out);
    CHECK(t->e->rc == PQ_OK);
    CHECK_BYTES(out.p, out.n, "9", 1);
    pq_buf_free(&out);
    free(wide);
}

TEST(number_text, the_real_of_a_decimal_is_the_nearest)
{
    CHECK(pq_decimal_real_i64(12345, 3) == 12.345);
    CHECK(pq_decimal_real_i64(-5, 2) == -0.05);
    CHECK(pq_decimal_real_i64(0, 9) == 0.0);
    CHECK(!signbit(pq_decimal_real_i64(0, 9)));
    CHECK(pq_decimal_real_i64(INT64_MAX, 0) == 9223372036854775807.0);
    CHECK(pq_decimal_real_i64(INT64_MIN, 4) == -922337203685477.5808);
    CHECK(pq_decimal_real_i64(9007199254740993, 0) == 9007199254740992.0);
    CHECK(pq_decimal_real_i64(90071992547409930, 1) == 9007199254740992.0);
    CHECK(pq_decimal_real_i64(90071992547409931, 1) == 9007199254740994.0);
    CHECK(pq_decimal_real_i64(3, -2) == 300.0);
    CHECK(pq_decimal_real_i64(3, -300) == 3e300);
    CHECK(pq_decimal_real_i64(3, 300) == 3e-300);
    CHECK(pq_decimal_real_i64(-1, INT32_MIN) == -HUGE_VAL);
    CHECK(pq_decimal_real_i64(1, INT32_MAX) == 0.0);
}

TEST(number_text, the_reals_of_many_decimals_are_those_of_each)
{
    static const int64_t wide[] = {12345, -5, 0, INT64_MAX, INT64_MIN,
                                   9007199254740992, 9007199254740993,
                                   -9007199254740993, 90071992547409931};
    static const int32_t narrow[] = {12345, -5, 0, INT32_MAX, INT32_MIN};
    static const int32_t scales[] = {0, 1, 2, 18, 19, 22, 23, 300, -2, -300};
    static const uint64_t all_but_the_second = ~(uint64_t)2;
    double out[PQ_COUNT(wide)];
    uint32_t i, k;

    for (k = 0; k < PQ_COUNT(scales); k++) {
        pq_decimal_reals_i64(wide, NULL, PQ_COUNT(wide), scales[k], out);
        for (i = 0; i < PQ_COUNT(wide); i++) {
            CHECK(out[i] == pq_decimal_real_i64(wide[i], scales[k]));
        }
        pq_decimal_reals_i32(narrow, NULL, PQ_COUNT(narrow), scales[k], out);
        for (i = 0; i < PQ_COUNT(narrow); i++) {
            CHECK(out[i] == pq_decimal_real_i64(narrow[i], scales[k]));
        }
    }
    out[0] = out[1] = -1;
    pq_decimal_reals_i64(wide, &all_but_the_second, 2, 2, out);
    CHECK(out[0] == 123.45 && out[1] == -1);
    out[0] = out[1] = -1;
    pq_decimal_reals_i32(narrow, &all_but_the_second, 2, 2, out);
    CHECK(out[0] == 123.45 && out[1] == -1);
}

TEST(number_text, random_reals_of_decimals_are_what_strtod_says)
{
    PqBuf scratch;
    int i;

    random_state = 7;
    pq_buf_init(&scratch, t->mem, t->e);
    for (i = 0; i < 40000; i++) {
        int64_t high = (int64_t)random_bits() >> random_bits() % 64;
        uint64_t low = random_bits();
        int32_t scale = (int32_t)(random_bits() % 45) - 3;
        uint8_t be[16];
        char text[300];
        unsigned __int128 wide = (unsigned __int128)(uint64_t)high << 64 | low;
        double got;
        int j;

        snprintf(text, sizeof text, "%llde%d", (long long)high, -scale);
        if (pq_decimal_real_i64(high, scale) != strtod(text, NULL)) {
            test_fail(t, __FILE__, __LINE__, "%s is another REAL", text);
            return;
        }
        for (j = 0; j < 8; j++) {
            be[j] = (uint8_t)((uint64_t)high >> (56 - 8 * j));
            be[8 + j] = (uint8_t)(low >> (56 - 8 * j));
        }
        scratch.n = 0;
        pq_decimal_text_bytes(pq_slice(be, 16), scale, &scratch);
        pq_buf_byte(&scratch, 0);
        CHECK_OK(t->e->rc);
        snprintf(text, sizeof text, "%s", (const char *)scratch.p);
        CHECK_OK(pq_decimal_real_bytes(pq_slice(be, 16), scale, &scratch,
                                       &got, t->e));
        if (got != strtod(text, NULL) ||
            got != pq_decimal_real_i128((__int128)wide, scale)) {
            test_fail(t, __FILE__, __LINE__, "%s is another REAL", text);
            return;
        }
    }
    pq_buf_free(&scratch);
}

TEST(number_text, a_decimal_fits_64_bits_or_does_not)
{
    int64_t v = 1;

    CHECK(pq_decimal_fits_i64(test_hex(t, ""), &v) && v == 0);
    CHECK(pq_decimal_fits_i64(test_hex(t, "ff"), &v) && v == -1);
    CHECK(pq_decimal_fits_i64(test_hex(t, "00 00 00 00 00 00 00 00 00 ff"),
                              &v) && v == 255);
    CHECK(pq_decimal_fits_i64(test_hex(t, "ff ff 80 00 00 00 00 00 00 00"),
                              &v) && v == INT64_MIN);
    CHECK(pq_decimal_fits_i64(test_hex(t, "7f ff ff ff ff ff ff ff"), &v) &&
          v == INT64_MAX);
    CHECK(!pq_decimal_fits_i64(test_hex(t, "00 80 00 00 00 00 00 00 00"), &v));
    CHECK(!pq_decimal_fits_i64(test_hex(t, "ff 7f ff ff ff ff ff ff ff"), &v));
}

TEST(number_text, half_precision_is_exact)
{
    int bits;

    CHECK(pq_float16_value(0x0000) == 0 && !signbit(pq_float16_value(0)));
    CHECK(pq_float16_value(0x8000) == 0 && signbit(pq_float16_value(0x8000)));
    CHECK(pq_float16_value(0x3c00) == 1.0f);
    CHECK(pq_float16_value(0xc000) == -2.0f);
    CHECK(pq_float16_value(0x7bff) == 65504.0f);
    CHECK(pq_float16_value(0x0400) == 0x1p-14f);
    CHECK(pq_float16_value(0x0001) == 0x1p-24f);
    CHECK(pq_float16_value(0x83ff) == -0x1.ff8p-15f);
    CHECK(isinf(pq_float16_value(0x7c00)) && pq_float16_value(0x7c00) > 0);
    CHECK(isinf(pq_float16_value(0xfc00)) && pq_float16_value(0xfc00) < 0);
    CHECK(isnan(pq_float16_value(0x7e00)) && isnan(pq_float16_value(0x7c01)));
    for (bits = 0; bits < 0x7c00; bits++) {
        int exponent = bits >> 10, mantissa = bits & 0x3ff;
        double want = exponent ? ldexp(1024 + mantissa, exponent - 25)
                               : ldexp(mantissa, -24);
        CHECK((double)pq_float16_value((uint16_t)bits) == want);
        CHECK((double)pq_float16_value((uint16_t)(bits | 0x8000)) == -want);
    }
}
