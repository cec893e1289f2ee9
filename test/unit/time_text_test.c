/*
** time_text_test.c - compared with a calendar counted day by day, with the C
** library, and with the format's own examples.
*/
#define _POSIX_C_SOURCE 200809L      /* gmtime_r */

#include "core/text/time_text.h"
#include "test/unit/test.h"

#include <time.h>

static const char *date(int32_t days)
{
    static char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_date(days, text);

    return n == strlen(text) ? text : "wrong length";
}

static const char *clock_text(int64_t v, PqUnit unit)
{
    static char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_time(v, unit, text);

    return n == strlen(text) ? text : "wrong length";
}

static const char *stamp(int64_t v, PqUnit unit)
{
    static char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_timestamp(v, unit, text);

    return n == strlen(text) ? text : "wrong length";
}

static void int96_bytes(int64_t nanos, int32_t julian, uint8_t out[12])
{
    pq_store_u64(out, (uint64_t)nanos);
    pq_store_u32(out + 8, (uint32_t)julian);
}

static const char *int96(int64_t nanos, int32_t julian)
{
    static char text[PQ_TIME_TEXT_ROOM];
    uint8_t v[12];
    size_t n;

    int96_bytes(nanos, julian, v);
    n = pq_time_text_int96(v, text);
    return n == strlen(text) ? text : "wrong length";
}

static const char *interval(uint32_t months, uint32_t days, uint32_t millis)
{
    static char text[PQ_TIME_TEXT_ROOM];
    uint8_t v[12];
    size_t n;

    pq_store_u32(v, months);
    pq_store_u32(v + 4, days);
    pq_store_u32(v + 8, millis);
    n = pq_time_text_interval(v, text);
    return n == strlen(text) ? text : "wrong length";
}

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

TEST(time_text, known_dates_have_their_names)
{
    CHECK_TEXT(date(0), "1970-01-01");
    CHECK_TEXT(date(-1), "1969-12-31");
    CHECK_TEXT(date(19783), "2024-03-01");
    CHECK_TEXT(date(11016), "2000-02-29");
    CHECK_TEXT(date(-25509), "1900-02-28");
    CHECK_TEXT(date(-25508), "1900-03-01");
    CHECK_TEXT(date(-141427), "1582-10-15");
    CHECK_TEXT(date(-141428), "1582-10-14");      /* proleptic: no gap */
    CHECK_TEXT(date(-719162), "0001-01-01");
}

TEST(time_text, years_beyond_four_digits_have_a_sign)
{
    CHECK_TEXT(date(-719528), "0000-01-01");
    CHECK_TEXT(date(-719529), "-0001-12-31");
    CHECK_TEXT(date(2932896), "9999-12-31");
    CHECK_TEXT(date(2932897), "+10000-01-01");
    CHECK_TEXT(date(INT32_MAX), "+5881580-07-11");
    CHECK_TEXT(date(INT32_MIN), "-5877641-06-23");
}

static int month_length(int year, int month)
{
    static const int length[] = {31, 28, 31, 30, 31, 30,
                                 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return length[month - 1] + (month == 2 && leap);
}

TEST(time_text, every_day_from_0000_to_9999_follows_the_one_before)
{
    int year = 0, month = 1, day = 1;
    int32_t days;
    char got[PQ_TIME_TEXT_ROOM], want[PQ_TIME_TEXT_ROOM];

    snprintf(want, sizeof want, "%04d-%02d-", year, month);
    for (days = -719528; days <= 2932896; days++) {
        want[8] = (char)('0' + day / 10);
        want[9] = (char)('0' + day % 10);
        want[10] = 0;
        pq_time_text_date(days, got);
        CHECK_TEXT(got, want);
        if (++day > month_length(year, month)) {
            day = 1;
            year += month == 12;
            month = month % 12 + 1;
            snprintf(want, sizeof want, "%04d-%02d-", year, month);
        }
    }
    CHECK_INT(year, 10000);
}

TEST(time_text, a_fraction_has_the_fewest_of_3_6_9_digits_that_are_exact)
{
    CHECK_TEXT(clock_text(49500000, PQ_MILLIS), "13:45:00");
    CHECK_TEXT(clock_text(49500010, PQ_MILLIS), "13:45:00.010");
    CHECK_TEXT(clock_text(49500000000, PQ_MICROS), "13:45:00");
    CHECK_TEXT(clock_text(49500100000, PQ_MICROS), "13:45:00.100");
    CHECK_TEXT(clock_text(49500100001, PQ_MICROS), "13:45:00.100001");
    CHECK_TEXT(clock_text(1, PQ_NANOS), "00:00:00.000000001");
    CHECK_TEXT(clock_text(1000, PQ_NANOS), "00:00:00.000001");
    CHECK_TEXT(clock_text(1000000, PQ_NANOS), "00:00:00.001");
    CHECK_TEXT(clock_text(1000001, PQ_NANOS), "00:00:00.001000001");
    CHECK_TEXT(clock_text(1000000000, PQ_NANOS), "00:00:01");
}

TEST(time_text, a_time_outside_its_day_has_no_text)
{
    CHECK_TEXT(clock_text(0, PQ_MILLIS), "00:00:00");
    CHECK_TEXT(clock_text(86399999, PQ_MILLIS), "23:59:59.999");
    CHECK_TEXT(clock_text(86399999999, PQ_MICROS), "23:59:59.999999");
    CHECK_TEXT(clock_text(86399999999999, PQ_NANOS), "23:59:59.999999999");
    CHECK_TEXT(clock_text(86400000, PQ_MILLIS), "");
    CHECK_TEXT(clock_text(86400000000, PQ_MICROS), "");
    CHECK_TEXT(clock_text(86400000000000, PQ_NANOS), "");
    CHECK_TEXT(clock_text(-1, PQ_NANOS), "");
    CHECK_TEXT(clock_text(INT64_MIN, PQ_MILLIS), "");
    CHECK_TEXT(clock_text(INT64_MAX, PQ_MICROS), "");
}

TEST(time_text, before_1970_a_timestamp_is_floored)
{
    CHECK_TEXT(stamp(0, PQ_MILLIS), "1970-01-01 00:00:00");
    CHECK_TEXT(stamp(-1, PQ_MILLIS), "1969-12-31 23:59:59.999");
    CHECK_TEXT(stamp(-1, PQ_MICROS), "1969-12-31 23:59:59.999999");
    CHECK_TEXT(stamp(-1, PQ_NANOS), "1969-12-31 23:59:59.999999999");
    CHECK_TEXT(stamp(-86400000, PQ_MILLIS), "1969-12-31 00:00:00");
    CHECK_TEXT(stamp(-86400001, PQ_MILLIS), "1969-12-30 23:59:59.999");
    CHECK_TEXT(stamp(1709300700000, PQ_MILLIS), "2024-03-01 13:45:00");
}

TEST(time_text, the_ends_of_64_bits_have_a_text)
{
    CHECK_TEXT(stamp(INT64_MIN, PQ_MILLIS), "-292275055-05-16 16:47:04.192");
    CHECK_TEXT(stamp(INT64_MAX, PQ_MILLIS), "+292278994-08-17 07:12:55.807");
    CHECK_TEXT(stamp(INT64_MIN, PQ_MICROS), "-290308-12-21 19:59:05.224192");
    CHECK_TEXT(stamp(INT64_MAX, PQ_MICROS), "+294247-01-10 04:00:54.775807");
    CHECK_TEXT(stamp(INT64_MIN, PQ_NANOS), "1677-09-21 00:12:43.145224192");
    CHECK_TEXT(stamp(INT64_MAX, PQ_NANOS), "2262-04-11 23:47:16.854775807");
}

TEST(time_text, random_timestamps_are_what_the_c_library_says)
{
    int i;

    random_state = 0x9e3779b97f4a7c15;
    for (i = 0; i < 20000; i++) {        /* years 0000 to 9999 */
        int64_t seconds = (int64_t)(random_bits() % 315569520000) -
                          62167219200;
        int64_t micros = (int64_t)(random_bits() % 1000000);
        time_t at = (time_t)seconds;
        struct tm tm;
        char want[128];

        CHECK(gmtime_r(&at, &tm) != NULL);
        snprintf(want, sizeof want, "%04d-%02d-%02d %02d:%02d:%02d.%06d",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                 tm.tm_min, tm.tm_sec, (int)micros);
        if (micros % 1000 == 0) {
            want[micros ? 23 : 19] = 0;
        }
        CHECK_TEXT(stamp(seconds * 1000000 + micros, PQ_MICROS), want);
    }
}

TEST(time_text, int96_is_a_julian_day_and_nanoseconds)
{
    CHECK_TEXT(int96(0, 2440588), "1970-01-01 00:00:00");
    CHECK_TEXT(int96(49500000000000, 2460371), "2024-03-01 13:45:00");
    CHECK_TEXT(int96(1, 2440587), "1969-12-31 00:00:00.000000001");
    CHECK_TEXT(int96(0, 0), "-4713-11-24 00:00:00");
}

TEST(time_text, int96_nanoseconds_beyond_the_day_carry)
{
    CHECK_TEXT(int96(86400000000000, 2440588), "1970-01-02 00:00:00");
    CHECK_TEXT(int96(-1, 2440588), "1969-12-31 23:59:59.999999999");
    CHECK_TEXT(int96(INT64_MAX, 2440588), "2262-04-11 23:47:16.854775807");
    CHECK_TEXT(int96(INT64_MIN, 2440588), "1677-09-21 00:12:43.145224192");
    CHECK_TEXT(int96(INT64_MAX, INT32_MAX),
               "+5875190-09-12 23:47:16.854775807");
    CHECK_TEXT(int96(INT64_MIN, INT32_MIN),
               "-5884615-02-03 00:12:43.145224192");
}

TEST(time_text, int96_splits_into_seconds_and_nanoseconds)
{
    uint8_t v[12];
    int64_t seconds;
    uint32_t nanos;

    int96_bytes(-1, 2440588, v);
    pq_int96_instant(v, &seconds, &nanos);
    CHECK_INT(seconds, -1);
    CHECK_INT(nanos, 999999999);
    int96_bytes(86400000000001, 2440589, v);
    pq_int96_instant(v, &seconds, &nanos);
    CHECK_INT(seconds, 172800);
    CHECK_INT(nanos, 1);
    int96_bytes(0, INT32_MIN, v);
    pq_int96_instant(v, &seconds, &nanos);
    CHECK_INT(seconds, (INT32_MIN - INT64_C(2440588)) * 86400);
}

TEST(time_text, an_interval_leaves_out_what_is_zero_and_carries_nothing)
{
    CHECK_TEXT(interval(0, 0, 0), "PT0S");
    CHECK_TEXT(interval(1, 0, 0), "P1M");
    CHECK_TEXT(interval(0, 1, 0), "P1D");
    CHECK_TEXT(interval(0, 0, 1000), "PT1S");
    CHECK_TEXT(interval(0, 0, 1), "PT0.001S");
    CHECK_TEXT(interval(0, 0, 500), "PT0.500S");
    CHECK_TEXT(interval(14, 3, 12345), "P14M3DT12.345S");
    CHECK_TEXT(interval(UINT32_MAX, UINT32_MAX, UINT32_MAX),
               "P4294967295M4294967295DT4294967.295S");
}

TEST(time_text, a_batch_says_what_the_single_calls_say)
{
    enum { N = 1000 };
    static const int64_t edge[] = {
        INT64_MIN, INT64_MAX, -1, 0, 86399999, 86400000, 86399999999999
    };
    static int64_t v[N];
    static int32_t days[N];
    static uint8_t wide[N][12];
    static PqStr stamps[N], dates[N], times[N], wides[N];
    uint64_t valid[(N + 63) / 64];
    PqArena a;
    int i, unit;

    random_state = 42;
    for (i = 0; i < N; i++) {
        v[i] = i % 5 == 0 ? edge[random_bits() % PQ_COUNT(edge)]
                          : (int64_t)random_bits() >> random_bits() % 60;
        days[i] = (int32_t)random_bits() >> random_bits() % 30;
        int96_bytes(v[i], days[i], wide[i]);
    }
    for (i = 0; i < (int)PQ_COUNT(valid); i++) valid[i] = random_bits();
    pq_arena_init(&a, t->mem);
    for (unit = PQ_MILLIS; unit <= PQ_NANOS; unit++) {
        PqUnit u = (PqUnit)unit;
        memset(stamps, 0x55, sizeof stamps);
        CHECK_OK(pq_time_text_timestamps(v, valid, N, u, stamps, &a, t->e));
        CHECK_OK(pq_time_text_times(v, NULL, N, u, times, &a, t->e));
        CHECK_OK(pq_time_text_dates(days, NULL, N, dates, &a, t->e));
        CHECK_OK(pq_time_text_int96s(wide[0], NULL, N, wides, &a, t->e));
        for (i = 0; i < N; i++) {
            char one[PQ_TIME_TEXT_ROOM];
            if (valid[i / 64] >> i % 64 & 1) {
                CHECK_TEXT((const char *)stamps[i].p, stamp(v[i], u));
                CHECK_INT(stamps[i].n, strlen(stamp(v[i], u)));
            } else {
                CHECK_INT(stamps[i].n, 0x55555555);
            }
            if (pq_time_text_time(v[i], u, one)) {
                CHECK_TEXT((const char *)times[i].p, one);
            } else {
                CHECK(times[i].p == NULL && times[i].n == 0);
            }
            CHECK_TEXT((const char *)dates[i].p, date(days[i]));
            CHECK_INT(dates[i].n, strlen(date(days[i])));
            pq_time_text_int96(wide[i], one);
            CHECK_TEXT((const char *)wides[i].p, one);
        }
        pq_arena_reset(&a);
    }
    pq_arena_free(&a);
}

TEST(time_text, a_batch_of_the_longest_texts_fits_its_room)
{
    enum { N = 64 };
    int64_t v[N];
    int32_t days[N];
    uint8_t wide[N][12];
    PqStr out[N];
    PqArena a;
    int i;

    for (i = 0; i < N; i++) {
        v[i] = INT64_MIN;
        days[i] = i % 2 ? INT32_MIN : INT32_MAX;
        int96_bytes(86399999999999, days[i], wide[i]);
    }
    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_time_text_timestamps(v, NULL, N, PQ_MILLIS, out, &a, t->e));
    CHECK_INT(out[N - 1].n, 29);
    pq_arena_free(&a);
    CHECK_OK(pq_time_text_dates(days, NULL, N, out, &a, t->e));
    CHECK_INT(out[N - 1].n, 14);
    pq_arena_free(&a);
    CHECK_OK(pq_time_text_int96s(wide[0], NULL, N, out, &a, t->e));
    CHECK_INT(out[N - 1].n, 33);
    pq_arena_free(&a);
    CHECK_OK(pq_time_text_dates(days, NULL, 0, out, &a, t->e));
    pq_arena_free(&a);
}

TEST(time_text, a_batch_beyond_the_budget_fails)
{
    int64_t v[8] = {0};
    PqStr out[8];
    PqArena a;

    pq_mem_set_limit(t->mem, 16);
    pq_arena_init(&a, t->mem);
    CHECK(pq_time_text_timestamps(v, NULL, 8, PQ_NANOS, out, &a, t->e) ==
          PQ_BUDGET);
    pq_arena_free(&a);
}
