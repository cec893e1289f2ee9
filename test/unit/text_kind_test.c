/*
** text_kind_test.c - each form and its near misses.  A text is an INTEGER or a
** DATE only if it is spelled as the value will be written.
*/
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/text_kind.h"
#include "core/text/time_parse.h"
#include "test/unit/test.h"

#include <math.h>

enum {
    B = PQ_KIND_BOOLEAN,
    I = PQ_KIND_INTEGER | PQ_KIND_REAL,
    R = PQ_KIND_REAL,
    D = PQ_KIND_DATE,
    S = PQ_KIND_STAMP,
    Z = PQ_KIND_STAMP_UTC
};

TEST(text_kind, a_text_is_what_its_form_says)
{
    static const struct {
        const char *text;
        unsigned    kinds;
    } t_of[] = {
        {"", 0}, {" ", 0}, {"a", 0}, {"-", 0}, {".", 0}, {"-.", 0}, {"+", 0},
        {"0", I}, {"7", I}, {"-7", I}, {"-0", R}, {"+7", 0}, {"07", 0},
        {"00", 0}, {"-07", 0}, {" 7", 0}, {"7 ", 0}, {"7x", 0}, {"0x7", 0},
        {"1,000", 0}, {"1_000", 0}, {"--7", 0},
        {"9007199254740992", I}, {"9007199254740993", PQ_KIND_INTEGER},
        {"-9007199254740993", PQ_KIND_INTEGER},
        {"9223372036854775807", PQ_KIND_INTEGER}, {"9223372036854775808", 0},
        {"-9223372036854775808", PQ_KIND_INTEGER},
        {"-9223372036854775809", 0}, {"99999999999999999999", 0},
        {"1.5", R}, {"-1.50", R}, {"0.5", R}, {".5", R}, {"-.5", R}, {"5.", R},
        {"00.5", 0}, {"007.5", 0}, {"1.5.2", 0}, {"1e5", R}, {"1E+05", R},
        {"-1.5e-7", R}, {"1e", 0}, {"1e+", 0}, {"e5", 0}, {".e5", 0},
        {"1e5x", 0}, {"1e5.5", 0}, {"1e308", R}, {"1e309", 0}, {"1e999", 0},
        {"1e9999999999", 0}, {"1e-400", 0}, {"0e-400", R}, {"0.000", R},
        {"5e-324", R}, {"nan", 0}, {"NaN", 0}, {"inf", 0}, {"-inf", 0},
        {"Infinity", 0}, {"null", 0}, {"NULL", 0},
        {"true", B}, {"FALSE", B}, {"True", B}, {"t", 0}, {"yes", 0},
        {"on", 0}, {"true ", 0}, {"truer", 0},
        {"2024-02-29", D}, {"2023-02-29", 0}, {"0000-01-01", D},
        {"9999-12-31", D}, {"2024-13-01", 0}, {"2024-00-10", 0},
        {"2024-1-1", 0}, {"2024-01-01x", 0}, {"2024-01-01 ", 0},
        {"2024/01/01", 0}, {"20240101", I}, {"2024-01-01Z", 0},
        {"12345-6789", 0}, {"555-123-4567", 0}, {"1234-56-789", 0},
        {"2024-01-01 12:00", S}, {"2024-01-01T12:00", S},
        {"2024-01-01 12:00:00", S}, {"2024-01-01 12:00:00.5", S},
        {"2024-01-01 12:00:00.123456", S},
        {"2024-01-01 12:00:00.1234567", PQ_KIND_STAMP_NANOS},
        {"2024-01-01 12:00:00.1234560000", S},
        {"2024-01-01 12:00:00.1234567891", 0},
        {"1500-01-01 12:00:00", PQ_KIND_STAMP_MICROS},
        {"1500-01-01 12:00:00.1234567", 0},
        {"2024-01-01 24:00:00", 0}, {"2024-01-01 23:60:00", 0},
        {"2024-01-01 12", 0}, {"2024-01-01 12:", 0}, {"2024-01-01_12:00", 0},
        {"2024-01-01 1:00:00", 0}, {"2024-01-01 12:00:00 ", 0},
        {"2024-01-01 12:00:00,5", 0}, {"2024-02-30 12:00:00", 0},
        {"2024-01-01T12:00:00Z", Z}, {"2024-01-01 12:00:00.5+01:00", Z},
        {"2024-01-01 12:00:00-0130", Z}, {"2024-01-01 12:00:00+00", Z},
        {"2024-01-01 12:00Z", Z}, {"2024-01-01T12:00:00z", 0},
        {"2024-01-01 12:00:00+25:00", 0}, {"2024-01-01 12:00:00 CET", 0},
        {"2024-01-01 12:00:00.1234567Z", PQ_KIND_STAMP_UTC_NANOS},
        {"-2024-01-01", 0}, {"+2024-01-01", 0}, {"12:00:00", 0},
    };

    for (size_t i = 0; i < PQ_COUNT(t_of); i++) {
        unsigned kinds = pq_text_kinds(pq_slice_text(t_of[i].text));

        if (kinds != t_of[i].kinds) {
            test_fail(t, __FILE__, __LINE__, "'%s' is %u, not %u",
                      t_of[i].text, kinds, t_of[i].kinds);
        }
    }
    CHECK_INT(pq_text_kinds(pq_slice("1\0", 2)), 0);
    CHECK_INT(pq_text_kinds(pq_slice("true\0", 5)), 0);
}

/* Random texts of a few letters: the kinds that are claimed are true. */
TEST(text_kind, what_is_claimed_holds)
{
    static const char letters[] = "00112459-+.:eETZ ";
    uint64_t random = 88172645463325252;

    for (int i = 0; i < 400000; i++) {
        char text[24] = "2024-01-01 12:00:00.5+1";
        char again[PQ_NUMBER_TEXT_ROOM];
        size_t n = (size_t)(random >> 7) % sizeof text, k;
        int64_t v;
        int32_t days;
        double r;
        unsigned kinds;
        PqSlice s = pq_slice(text, n);

        for (k = i % 2 ? 0 : n / 2; k < n; k++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if (i % 2 || random % 4 == 0) {
                text[k] = letters[(random >> 9) % (sizeof letters - 1)];
            }
        }
        random = random * 6364136223846793005u + 1442695040888963407u;
        kinds = pq_text_kinds(s);
        if (kinds & PQ_KIND_INTEGER) {
            CHECK_INT(pq_number_parse_i64(s, &v), PQ_PARSE_OK);
            CHECK(pq_number_text_i64(v, again) == n &&
                  memcmp(text, again, n) == 0);
        }
        if (kinds & PQ_KIND_REAL) {
            CHECK_INT(pq_number_parse_double(s, &r), PQ_PARSE_OK);
            CHECK(isfinite(r));
        }
        if (kinds & PQ_KIND_DATE) {
            CHECK_INT(pq_time_parse_date(s, &days), PQ_PARSE_OK);
            CHECK(n == 10);
        }
        if (kinds & (PQ_KIND_STAMP | PQ_KIND_STAMP_UTC)) {
            CHECK_INT(pq_time_parse_timestamp(s, PQ_MICROS, true, &v),
                      PQ_PARSE_OK);
            CHECK(!(kinds & (unsigned)~(kinds & PQ_KIND_STAMP
                                            ? PQ_KIND_STAMP
                                            : PQ_KIND_STAMP_UTC)));
        }
    }
}
