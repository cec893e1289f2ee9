/*
** time_parse_test.c - what time_text.h writes is read back.  Each form is
** tested with its limits.
*/
#include "core/text/parse.h"
#include "core/text/json_text.h"
#include "core/text/time_parse.h"
#include "test/unit/test.h"

#include <math.h>

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* A random number of a random size. */
static int64_t random_i64(void)
{
    return (int64_t)random_bits() >> (random_bits() % 64);
}

static PqParse date(const char *text, int32_t *out)
{
    return pq_time_parse_date(pq_slice_text(text), out);
}

static PqParse micros(const char *text, int64_t *out)
{
    return pq_time_parse_timestamp(pq_slice_text(text), PQ_MICROS, false, out);
}

static PqParse clock_micros(const char *text, int64_t *out)
{
    return pq_time_parse_time(pq_slice_text(text), PQ_MICROS, false, out);
}

TEST(time_parse, dates_come_back_from_their_text)
{
    static const int32_t edges[] = {0, -1, INT32_MIN, INT32_MAX, -719528,
                                    -719529, 2932896, 2932897, 11016};
    char text[PQ_TIME_TEXT_ROOM];
    int i;

    random_state = 88172645463325252;
    for (i = 0; i < 300000; i++) {
        int32_t v = (size_t)i < PQ_COUNT(edges) ? edges[i]
                    : i % 2 ? (int32_t)random_i64()
                            : (int32_t)(random_bits() % 4000000) - 800000;
        int32_t got;

        pq_time_text_date(v, text);
        CHECK_INT(date(text, &got), PQ_PARSE_OK);
        CHECK_INT(got, v);
    }
}

TEST(time_parse, every_day_of_a_cycle_is_the_next_one)
{
    char text[PQ_TIME_TEXT_ROOM];
    int32_t want = -135140, got;     /* 1600-01-01 */

    for (int year = 1600; year <= 2000; year++) {
        for (int month = 1; month <= 12; month++) {
            int day;

            for (day = 1; day <= 32; day++) {
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month,
                         day);
                if (date(text, &got) != PQ_PARSE_OK) {
                    break;
                }
                CHECK_INT(got, want++);
            }
            CHECK(day > 28);
        }
    }
    CHECK_INT(want, -135140 + 146097 + 366);
}

TEST(time_parse, times_and_timestamps_come_back_from_their_text)
{
    char text[PQ_TIME_TEXT_ROOM];
    int i;

    random_state = 362436069;
    for (i = 0; i < 300000; i++) {
        PqUnit unit = (PqUnit)(i % 3);
        int64_t day = 86400 * pq_unit_per_second(unit), got;
        int64_t v = i < 6 ? (i < 3 ? INT64_MIN : INT64_MAX) : random_i64();
        int64_t time = (int64_t)(random_bits() % (uint64_t)day);
        size_t n = pq_time_text_timestamp(v, unit, text);

        CHECK_INT(pq_time_parse_timestamp(pq_slice(text, n), unit, false,
                                          &got), PQ_PARSE_OK);
        CHECK_INT(got, v);
        time = i % 2 ? time : time - time % pq_unit_per_second(unit);
        n = pq_time_text_time(time, unit, text);
        CHECK_INT(pq_time_parse_time(pq_slice(text, n), unit, false, &got),
                  PQ_PARSE_OK);
        CHECK_INT(got, time);
    }
}

TEST(time_parse, int96_and_intervals_come_back_from_their_text)
{
    char text[PQ_TIME_TEXT_ROOM];
    uint8_t v[12], got[12];
    int i, k;

    random_state = 521288629;
    for (i = 0; i < 100000; i++) {
        size_t n;

        pq_store_u64(v, random_bits() % UINT64_C(86400000000000));
        pq_store_u32(v + 8, i == 0   ? (uint32_t)INT32_MIN
                            : i == 1 ? (uint32_t)INT32_MAX
                                     : (uint32_t)random_i64());
        n = pq_time_text_int96(v, text);
        CHECK_INT(pq_time_parse_int96(pq_slice(text, n), false, got),
                  PQ_PARSE_OK);
        CHECK_BYTES(got, 12, v, 12);
        for (k = 0; k < 3; k++) {
            pq_store_u32(v + 4 * k, i == 0 ? UINT32_MAX
                                           : (uint32_t)random_i64());
        }
        n = pq_time_text_interval(v, text);
        CHECK_INT(pq_time_parse_interval(pq_slice(text, n), false, got),
                  PQ_PARSE_OK);
        CHECK_BYTES(got, 12, v, 12);
    }
}

TEST(time_parse, timestamps_of_96_bits_come_back_from_their_text)
{
    static const struct { uint64_t low; uint32_t high; } edges[] = {
        {0, 0x80000000}, {UINT64_MAX, 0x7fffffff}, {UINT64_MAX, UINT32_MAX},
        {0, 0}, {INT64_MAX, 0}, {(uint64_t)1 << 63, 0},
    };
    char text[PQ_TIME_TEXT_ROOM];
    uint8_t v[PQ_TIME96_SIZE], got[PQ_TIME96_SIZE];

    random_state = 2463534242;
    for (uint32_t i = 0; i < 100000; i++) {
        PqUnit unit = (PqUnit)(i % 3);
        bool edge = i / 3 < PQ_COUNT(edges);
        uint32_t high = edge ? edges[i / 3].high
                             : (uint32_t)((int64_t)random_bits() >>
                                          (32 + random_bits() % 32));
        size_t n;

        pq_store_u64(v, edge ? edges[i / 3].low : random_bits());
        pq_store_u32(v + 8, high);
        n = pq_time_text_time96(v, unit, text);
        CHECK_INT(pq_time_parse_time96(pq_slice(text, n), unit, false, got),
                  PQ_PARSE_OK);
        CHECK_BYTES(got, PQ_TIME96_SIZE, v, PQ_TIME96_SIZE);
    }
}

TEST(time_parse, a_date_is_read_in_these_forms_and_no_others)
{
    static const char *const good[] = {
        "2024-03-01", " 2024-03-01 ", "+2024-03-01", "2024-03-01 00:00",
        "2024-03-01T00:00:00.000Z"};
    static const char *const bad[] = {
        "", "2024", "2024-3-1", "2024-03", "2024-03-01x", "24-03-01",
        "2024/03/01", "20240301", "2024-13-01", "2024-00-01", "2024-01-00",
        "2024-02-30", "2023-02-29", "1900-02-29", "2024-04-31", "12024-03-01",
        "+024-03-01", "2024-03-01T", "2024-03-0 1", "2024--3-01", "now",
        "2460000.5", "13:45", "2024-03-01 25:00"};
    int32_t v;

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        CHECK_INT(date(good[i], &v), PQ_PARSE_OK);
        CHECK_INT(v, 19783);
    }
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        if (date(bad[i], &v) != PQ_PARSE_NOT) {
            test_fail(t, __FILE__, __LINE__, "%s", bad[i]);
        }
    }
    CHECK_INT(date("2024-03-01 13:45", &v), PQ_PARSE_FINER);
    CHECK_INT(date("2024-03-01 00:00+01:00", &v), PQ_PARSE_FINER);
    CHECK_INT(date("+5881580-07-12", &v), PQ_PARSE_RANGE);
    CHECK_INT(date("-5877641-06-22", &v), PQ_PARSE_RANGE);
    CHECK_INT(date("+123456789012-01-01", &v), PQ_PARSE_RANGE);
    CHECK_INT(date("2000-02-29", &v), PQ_PARSE_OK);
    CHECK_INT(v, 11016);
    CHECK_INT(date("0000-01-01", &v), PQ_PARSE_OK);
    CHECK_INT(v, -719528);
}

TEST(time_parse, a_timestamp_is_read_in_these_forms)
{
    static const struct { const char *text; int64_t us; } rows[] = {
        {"2024-03-01 13:45:00", 1709300700000000},
        {"2024-03-01T13:45:00", 1709300700000000},
        {"2024-03-01   13:45", 1709300700000000},
        {"2024-03-01 13:45:00Z", 1709300700000000},
        {"2024-03-01T13:45:00.123456z", 1709300700123456},
        {"2024-03-01 13:45:00.5", 1709300700500000},
        {"2024-03-01 13:45:00.12345600000000", 1709300700123456},
        {"2024-03-01 15:45:00+02:00", 1709300700000000},
        {"2024-03-01 15:45:00 +02:00 ", 1709300700000000},
        {"2024-03-01 15:45+02", 1709300700000000},
        {"2024-03-01 08:15:00-0530", 1709300700000000},
        {"2024-03-01", 1709251200000000},
        {"2024-02-29 24:00", 1709251200000000},
        {"1969-12-31 23:59:59.999999", -1},
        {"+2024-03-01 13:45:00", 1709300700000000},
        {"2024-03-01t13:45:00,5z", 1709300700500000}};
    int64_t v;

    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        CHECK_INT(micros(rows[i].text, &v), PQ_PARSE_OK);
        CHECK_INT(v, rows[i].us);
    }
}

TEST(time_parse, other_texts_are_no_timestamps)
{
    static const char *const bad[] = {
        "", "13:45:00", "now", "2460000.5", "1709300700",
        "2024-03-01 1:45", "2024-03-01 13", "2024-03-01 13:45:60",
        "2024-03-01 13:60:00", "2024-03-01 24:00:01", "2024-03-01 25:00:00",
        "2024-03-01 24:00:00.1", "2024-03-01 13:45:00.",
        "2024-03-01 13:45:00.x", "2024-03-01 13:45:00 UTC",
        "2024-03-01 13:45:00+2", "2024-03-01 13:45:00+02:0",
        "2024-03-01 13:45:00+16:00", "2024-03-01 13:45:00+02:60",
        "2024-03-01 13:45:00Z+01:00", "2024-03-01x13:45:00",
        "2024-02-30 13:45:00", "2024-03-01T 13:45:00", "2024-03-01-13:45:00",
        "2024-03-01tT13:45:00", "2024-03-01 13:45:00,", "2024-03-01 13,5"};
    int64_t v;

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        if (micros(bad[i], &v) != PQ_PARSE_NOT) {
            test_fail(t, __FILE__, __LINE__, "%s", bad[i]);
        }
    }
}

TEST(time_parse, what_is_finer_than_the_unit_is_refused_or_cut)
{
    PqSlice fine = pq_slice_text("1969-12-31 23:59:59.9999999999");
    PqSlice nanos = pq_slice_text("1970-01-01 00:00:00.000000001");
    int64_t v;
    uint8_t out[12];

    CHECK_INT(pq_time_parse_timestamp(fine, PQ_NANOS, false, &v),
              PQ_PARSE_FINER);
    CHECK_INT(pq_time_parse_timestamp(fine, PQ_NANOS, true, &v), PQ_PARSE_OK);
    CHECK_INT(v, -1);
    CHECK_INT(pq_time_parse_timestamp(fine, PQ_MILLIS, true, &v),
              PQ_PARSE_OK);
    CHECK_INT(v, -1);
    CHECK_INT(pq_time_parse_timestamp(nanos, PQ_MICROS, false, &v),
              PQ_PARSE_FINER);
    CHECK_INT(pq_time_parse_timestamp(nanos, PQ_NANOS, false, &v),
              PQ_PARSE_OK);
    CHECK_INT(v, 1);
    CHECK_INT(pq_time_parse_int96(fine, false, out), PQ_PARSE_FINER);
    CHECK_INT(pq_time_parse_int96(fine, true, out), PQ_PARSE_OK);
    CHECK_INT(pq_time_parse_time(pq_slice_text("00:00:00.0001"), PQ_MILLIS,
                                 false, &v), PQ_PARSE_FINER);
    CHECK_INT(pq_time_parse_time(pq_slice_text("00:00:00.0019"), PQ_MILLIS,
                                 true, &v), PQ_PARSE_OK);
    CHECK_INT(v, 1);
}

TEST(time_parse, seconds_are_split_into_the_nearest_units)
{
    static const struct {
        double  r;
        int64_t seconds, micros;
    } rows[] = {
        {0, 0, 0}, {-0.0, 0, 0}, {1.25, 1, 250000}, {-1.25, -2, 750000},
        {1709300700.123456, 1709300700, 123456}, {-1e-9, 0, 0},
        {-1e-6, -1, 999999}, {0.9999999, 1, 0}, {1e15, 1000000000000000, 0},
        {-0x1p59, -((int64_t)1 << 59), 0}};
    int64_t seconds, micros;

    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        CHECK_INT(pq_time_split_seconds(rows[i].r, 1000000, &seconds, &micros),
                  PQ_PARSE_OK);
        CHECK_INT(seconds, rows[i].seconds);
        CHECK_INT(micros, rows[i].micros);
    }
    CHECK_INT(pq_time_split_seconds(0x1p60, 1, &seconds, &micros),
              PQ_PARSE_RANGE);
    CHECK_INT(pq_time_split_seconds(-INFINITY, 1, &seconds, &micros),
              PQ_PARSE_RANGE);
    CHECK_INT(pq_time_split_seconds(NAN, 1, &seconds, &micros), PQ_PARSE_NOT);
}

TEST(time_parse, timestamps_beyond_64_bits_are_out_of_range)
{
    int64_t v;

    CHECK_INT(pq_time_parse_timestamp(
                  pq_slice_text("2262-04-11 23:47:16.854775807"), PQ_NANOS,
                  false, &v), PQ_PARSE_OK);
    CHECK_INT(v, INT64_MAX);
    CHECK_INT(pq_time_parse_timestamp(
                  pq_slice_text("2262-04-11 23:47:16.854775808"), PQ_NANOS,
                  false, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_time_parse_timestamp(pq_slice_text("2263-01-01 00:00:00"),
                                      PQ_NANOS, false, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_time_parse_timestamp(pq_slice_text("+999999999-01-01"),
                                      PQ_MILLIS, false, &v), PQ_PARSE_RANGE);
    CHECK_INT(pq_time_parse_timestamp(pq_slice_text("+9999999999-01-01"),
                                      PQ_MILLIS, false, &v), PQ_PARSE_RANGE);
}

TEST(time_parse, a_time_stays_within_its_day)
{
    int64_t v;

    CHECK_INT(clock_micros("13:45", &v), PQ_PARSE_OK);
    CHECK_INT(v, 49500000000);
    CHECK_INT(clock_micros(" 13:45:00.25 ", &v), PQ_PARSE_OK);
    CHECK_INT(v, 49500250000);
    CHECK_INT(clock_micros("01:00+02:00", &v), PQ_PARSE_OK);
    CHECK_INT(v, 82800000000);
    CHECK_INT(clock_micros("23:00:00-02:00", &v), PQ_PARSE_OK);
    CHECK_INT(v, 3600000000);
    CHECK_INT(clock_micros("24:00:00", &v), PQ_PARSE_RANGE);
    CHECK_INT(clock_micros("24:00:01", &v), PQ_PARSE_NOT);
    CHECK_INT(clock_micros("2024-03-01 13:45:00", &v), PQ_PARSE_NOT);
    CHECK_INT(clock_micros("86400000000", &v), PQ_PARSE_OK);
    CHECK_INT(v, 86400000000);
    CHECK_INT(clock_micros("-1", &v), PQ_PARSE_OK);
    CHECK_INT(v, -1);
    CHECK_INT(clock_micros("-9223372036854775808", &v), PQ_PARSE_OK);
    CHECK_INT(v, INT64_MIN);
    CHECK_INT(clock_micros("9223372036854775808", &v), PQ_PARSE_RANGE);
    CHECK_INT(clock_micros("5", &v), PQ_PARSE_NOT);
    CHECK_INT(clock_micros("-", &v), PQ_PARSE_NOT);
    CHECK_INT(clock_micros("", &v), PQ_PARSE_NOT);
}

static PqParse interval(const char *text, uint8_t out[12])
{
    return pq_time_parse_interval(pq_slice_text(text), false, out);
}

TEST(time_parse, an_interval_is_a_duration_of_iso_8601)
{
    static const char *const bad[] = {
        "", "P", "PT", "P1", "1M", "P1MT", "P1S", "PT1D", "P1D1M", "P1M1M",
        "P1T1S", "P-1M", "P1.5M", "PT1.5M", "PT1.S", "PT.5S",
        "p1m", "PT1S1S", "PT1M1H", "P1MT1ST", "PTT1S", "P1DX"};
    uint8_t v[12];

    CHECK_INT(interval("P1Y2M1W3DT1H1M1.5S", v), PQ_PARSE_OK);
    CHECK_INT(pq_load_u32(v), 14);
    CHECK_INT(pq_load_u32(v + 4), 10);
    CHECK_INT(pq_load_u32(v + 8), 3661500);
    CHECK_INT(interval(" PT0S ", v), PQ_PARSE_OK);
    CHECK_INT(pq_load_u32(v + 8), 0);
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        if (interval(bad[i], v) != PQ_PARSE_NOT) {
            test_fail(t, __FILE__, __LINE__, "%s", bad[i]);
        }
    }
    CHECK_INT(interval("P4294967296M", v), PQ_PARSE_RANGE);
    CHECK_INT(interval("P357913942Y", v), PQ_PARSE_RANGE);
    CHECK_INT(interval("P99999999999999999999999D", v), PQ_PARSE_RANGE);
    CHECK_INT(interval("PT4294967.296S", v), PQ_PARSE_RANGE);
    CHECK_INT(interval("PT0.0001S", v), PQ_PARSE_FINER);
    CHECK_INT(interval("PT0.0010S", v), PQ_PARSE_OK);
    CHECK_INT(pq_load_u32(v + 8), 1);
    CHECK_INT(pq_time_parse_interval(pq_slice_text("PT0.0019S"), true, v),
              PQ_PARSE_OK);
    CHECK_INT(pq_load_u32(v + 8), 1);
}

/* ---- hex ----------------------------------------------------------------- */

TEST(hex_parse, bytes_come_back_from_their_digits)
{
    uint8_t all[256], got[256];
    PqBuf text;
    bool good;

    for (int i = 0; i < 256; i++) all[i] = (uint8_t)i;
    pq_buf_init(&text, t->mem, t->e);
    pq_hex_text(pq_slice(all, sizeof all), &text);
    good = pq_hex_parse(pq_buf_view(&text), got) == PQ_PARSE_OK &&
           memcmp(got, all, sizeof all) == 0;
    pq_buf_free(&text);
    CHECK(good);
    CHECK_INT(pq_hex_parse(pq_slice_text("aBcD"), got), PQ_PARSE_OK);
    CHECK(got[0] == 0xab && got[1] == 0xcd);
    CHECK_INT(pq_hex_parse(pq_slice_text(""), got), PQ_PARSE_OK);
    CHECK_INT(pq_hex_parse(pq_slice_text("abc"), got), PQ_PARSE_NOT);
    CHECK_INT(pq_hex_parse(pq_slice_text("0g"), got), PQ_PARSE_NOT);
    CHECK_INT(pq_hex_parse(pq_slice_text("g0"), got), PQ_PARSE_NOT);
    CHECK_INT(pq_hex_parse(pq_slice_text("0 "), got), PQ_PARSE_NOT);
}

TEST(hex_parse, a_uuid_is_32_digits_with_hyphens_where_they_may_be)
{
    static const char *const good[] = {
        "00112233-4455-6677-8899-aabbccddeeff",
        "00112233-4455-6677-8899-AABBCCDDEEFF",
        "{00112233-4455-6677-8899-aabbccddeeff}",
        "00112233445566778899aabbccddeeff",
        "{00112233445566778899aabbccddeeff}",
        "0011-2233-4455-6677-8899-aabb-ccdd-eeff",
        " 00112233-4455-6677-8899-aabbccddeeff "};
    static const char *const bad[] = {
        "", "{}", "00112233-4455-6677-8899-aabbccddeef",
        "00112233-4455-6677-8899-aabbccddeefff",
        "00112233-4455-6677-8899-aabbccddeefg",
        "{00112233-4455-6677-8899-aabbccddeeff",
        "001-12233-4455-6677-8899-aabbccddeeff",
        "00112233-4455-6677-8899-aabbccddeeff-",
        "-00112233445566778899aabbccddeeff",
        "00112233--4455-6677-8899aabbccddeeff"};
    uint8_t v[16];

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        CHECK_INT(pq_uuid_parse(pq_slice_text(good[i]), v), PQ_PARSE_OK);
        for (int k = 0; k < 16; k++) CHECK_INT(v[k], 0x11 * k);
    }
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_INT(pq_uuid_parse(pq_slice_text(bad[i]), v), PQ_PARSE_NOT);
    }
}
