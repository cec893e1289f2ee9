/*
** time_parse.c - parses dates, times and timestamps.
**
** Columns mostly have one form, 2024-03-01 or 2024-03-01 13:45:00.  So these
** two are tried first, with digit pairs at fixed places.  Everything else is
** parsed part by part.
*/
#include "core/text/time_parse.h"

#include "core/text/calendar.h"

#include <math.h>

__extension__ typedef __int128 Wide;

enum {
    DATE_SIZE = 10,                  /* 2024-03-01                           */
    STAMP_SIZE = 19,                 /* 2024-03-01 13:45:00                  */
    YEAR_DIGITS = 9,
    WIDE_YEAR_DIGITS = 18,           /* of 96 bits                           */
    DAY_SECONDS = 86400,
    JULIAN_EPOCH = 2440588,          /* the Julian day of 1970-01-01         */
    ZONE_HOURS = 15,                 /* more than any zone has               */
    BILLION = 1000000000
};

/* More seconds than this fit no type; fewer fit an int64_t. */
#define SECONDS_MAX 0x1p60

/* Beyond the range of 96 bits of milliseconds. */
static const int64_t WIDE_YEAR_MAX = INT64_C(2000000000000000000);

/* The number of two digits; negative: they are not digits. */
static inline int two(const uint8_t *p)
{
    unsigned tens = (unsigned)p[0] - '0', ones = (unsigned)p[1] - '0';

    return tens < 10 && ones < 10 ? (int)(tens * 10 + ones) : -1;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline bool is_day(int64_t year, int month, int day)
{
    static const uint8_t length[] = {31, 28, 31, 30, 31, 30,
                                     31, 31, 30, 31, 30, 31};

    return month >= 1 && month <= 12 && day >= 1 &&
           (day <= 28 || day <= length[month - 1] ||
            (day == 29 && is_leap(year)));
}

/* Parses -MM-DD after a year. */
static inline bool end_date(const uint8_t *p, int64_t year, int64_t *days)
{
    int month = two(p + 1), day = two(p + 4);

    if (p[0] != '-' || p[3] != '-' || !is_day(year, month, day)) {
        return false;
    }
    *days = pq_days_of(year, month, day);
    return true;
}

/* Parses DATE_SIZE bytes, without a sign. */
static inline bool usual_date(const uint8_t *p, int64_t *days)
{
    int century = two(p), rest = two(p + 2);

    return century >= 0 && rest >= 0 &&
           end_date(p + 4, century * 100 + rest, days);
}

/* Parses HH:MM:SS, below 24:00:00. */
static inline bool usual_clock(const uint8_t *p, int32_t *seconds)
{
    int h = two(p), m = two(p + 3), s = two(p + 6);

    *seconds = h * 3600 + m * 60 + s;
    return (h | m | s) >= 0 && h < 24 && m < 60 && s < 60 && p[2] == ':' &&
           p[5] == ':';
}

/* ---- part by part -------------------------------------------------------- */

typedef struct Cursor {
    const uint8_t *p, *end;
} Cursor;

static Cursor cursor_of(PqSlice text)
{
    PqSlice s = pq_parse_trim(text);

    return (Cursor){s.p, s.n ? s.p + s.n : s.p};
}

static size_t left(const Cursor *c)
{
    return (size_t)(c->end - c->p);
}

static bool next_is(Cursor *c, char a)
{
    if (c->p < c->end && *c->p == (uint8_t)a) {
        c->p++;
        return true;
    }
    return false;
}

static bool take_two(Cursor *c, int *out)
{
    if (left(c) < 2 || (*out = two(c->p)) < 0) {
        return false;
    }
    c->p += 2;
    return true;
}

static bool skip_blanks(Cursor *c)
{
    const uint8_t *from = c->p;

    while (c->p < c->end && pq_ascii_is_blank(*c->p)) c->p++;
    return c->p > from;
}

/* A year of more than YEAR_DIGITS is PQ_PARSE_RANGE.  For a TIMESTAMP of 96
** bits that may still fit: *cycles are its whole cycles, and *days the rest. */
static PqParse take_date(Cursor *c, int64_t *days, int64_t *cycles)
{
    bool negative = left(c) && *c->p == '-', is_signed;
    int64_t year = 0;
    size_t n = 0;

    *cycles = 0;

    is_signed = negative || (left(c) && *c->p == '+');
    c->p += is_signed;
    for (; n < left(c) && pq_ascii_is_digit(c->p[n]); n++) {
        year = n <= WIDE_YEAR_DIGITS && year < WIDE_YEAR_MAX / 10
                   ? year * 10 + (c->p[n] - '0') : WIDE_YEAR_MAX;
    }
    year = negative ? -year : year;
    if (n > YEAR_DIGITS) {
        *cycles = year / PQ_CYCLE_YEARS;
        year %= PQ_CYCLE_YEARS;
    }
    if (n < 4 || (n > 4 && !is_signed) || left(c) - n < DATE_SIZE - 4 ||
        !end_date(c->p + n, year, days)) {
        return PQ_PARSE_NOT;
    }
    c->p += n + DATE_SIZE - 4;
    return n > YEAR_DIGITS ? PQ_PARSE_RANGE : PQ_PARSE_OK;
}

typedef struct Clock {
    int32_t  seconds;                /* in the day, up to DAY_SECONDS        */
    int32_t  zone;                   /* seconds ahead of UTC                 */
    uint32_t nanos;
    bool     finer;                  /* there are non-zero digits after      */
                                     /* the nanos                            */
    int64_t  cycles;                 /* of the date, see take_date           */
} Clock;

/* Takes the digits after a point. */
static bool take_fraction(Cursor *c, uint32_t *nanos, bool *finer)
{
    const uint8_t *from = c->p;
    uint32_t unit = BILLION;

    *nanos = 0;
    *finer = false;
    for (; c->p < c->end && pq_ascii_is_digit(*c->p); c->p++) {
        unit /= 10;
        *nanos += (uint32_t)(*c->p - '0') * unit;
        *finer = *finer || (unit == 0 && *c->p != '0');
    }
    return c->p > from;
}

/* Takes Z, +HH, +HHMM, +HH:MM or nothing; the text must end there. */
static bool take_zone(Cursor *c, int32_t *zone)
{
    bool behind;
    int h, m = 0;

    *zone = 0;
    skip_blanks(c);
    if (c->p == c->end) {
        return true;
    }
    if (next_is(c, 'Z') || next_is(c, 'z')) {
        return c->p == c->end;
    }
    behind = *c->p == '-';
    if ((!next_is(c, '-') && !next_is(c, '+')) || !take_two(c, &h)) {
        return false;
    }
    if (c->p < c->end) {
        next_is(c, ':');
        if (!take_two(c, &m)) {
            return false;
        }
    }
    *zone = (h * 3600 + m * 60) * (behind ? -1 : 1);
    return h <= ZONE_HOURS && m < 60 && c->p == c->end;
}

/* Takes a clock and a zone; the text must end there. */
static bool take_clock(Cursor *c, Clock *out)
{
    int h, m, s = 0;

    *out = (Clock){0};
    if (!take_two(c, &h) || !next_is(c, ':') || !take_two(c, &m)) {
        return false;
    }
    if (next_is(c, ':') &&
        (!take_two(c, &s) ||
         ((next_is(c, '.') || next_is(c, ',')) &&
          !take_fraction(c, &out->nanos, &out->finer)))) {
        return false;
    }
    out->seconds = h * 3600 + m * 60 + s;
    if (m >= 60 || s >= 60 || out->seconds > DAY_SECONDS ||
        (out->seconds == DAY_SECONDS && (out->nanos || out->finer))) {
        return false;
    }
    return take_zone(c, &out->zone);
}

/* Takes a date, or a date and a clock. */
static PqParse take_stamp(Cursor *c, int64_t *days, Clock *clock)
{
    int64_t cycles;
    PqParse parse = take_date(c, days, &cycles);

    *clock = (Clock){0};
    if (parse != PQ_PARSE_NOT && c->p < c->end &&
        ((!next_is(c, 'T') && !next_is(c, 't') && !skip_blanks(c)) ||
         !take_clock(c, clock))) {
        parse = PQ_PARSE_NOT;
    }
    clock->cycles = cycles;
    return parse;
}

/* Converts nanoseconds to units; false: there is a remainder, and cut is not
** set. */
static bool to_unit(uint32_t nanos, bool finer, PqUnit unit, bool cut,
                    int64_t *out)
{
    uint32_t tick = (uint32_t)(BILLION / pq_unit_per_second(unit));

    *out = nanos / tick;
    return cut || (!finer && nanos % tick == 0);
}

/* ---- values -------------------------------------------------------------- */

PqParse pq_time_parse_date(PqSlice text, int32_t *days)
{
    Cursor c = cursor_of(text);
    int64_t day = 0;
    Clock clock;

    if (text.n != DATE_SIZE || !usual_date(text.p, &day)) {
        PqParse parse = take_stamp(&c, &day, &clock);

        if (parse != PQ_PARSE_OK) {
            return parse;
        }
        if (clock.seconds || clock.zone || clock.nanos || clock.finer) {
            return PQ_PARSE_FINER;
        }
    }
    *days = (int32_t)day;
    return day == *days ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

/* Parses the text of a TIME outside its day, which is a number. */
static PqParse parse_outside(PqSlice text, PqUnit unit, int64_t *out)
{
    PqSlice s = pq_parse_trim(text);
    bool negative = s.n && s.p[0] == '-';
    size_t i = negative;
    int64_t v = 0;

    if (i == s.n) {
        return PQ_PARSE_NOT;
    }
    for (; i < s.n; i++) {
        int digit = s.p[i] - '0';

        if (digit < 0 || digit > 9) {
            return PQ_PARSE_NOT;
        }
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, negative ? -digit : digit, &v)) {
            return PQ_PARSE_RANGE;
        }
    }
    *out = v;
    return v < 0 || v >= DAY_SECONDS * pq_unit_per_second(unit)
               ? PQ_PARSE_OK : PQ_PARSE_NOT;
}

PqParse pq_time_parse_time(PqSlice text, PqUnit unit, bool cut, int64_t *out)
{
    int64_t per_second = pq_unit_per_second(unit), part;
    Cursor c = cursor_of(text);
    int32_t seconds;
    Clock clock;

    if (text.n == STAMP_SIZE - DATE_SIZE - 1 && usual_clock(text.p, &seconds)) {
        *out = seconds * per_second;
        return PQ_PARSE_OK;
    }
    if (!take_clock(&c, &clock)) {
        return parse_outside(text, unit, out);
    }
    if (clock.seconds == DAY_SECONDS) {
        return PQ_PARSE_RANGE;
    }
    if (!to_unit(clock.nanos, clock.finer, unit, cut, &part)) {
        return PQ_PARSE_FINER;
    }
    seconds = (clock.seconds - clock.zone + DAY_SECONDS) % DAY_SECONDS;
    *out = seconds * per_second + part;
    return PQ_PARSE_OK;
}

static PqParse parse_instant(int64_t seconds, uint32_t nanos, PqUnit unit,
                             bool cut, int64_t *out)
{
    int64_t part;
    Wide v;

    if (!to_unit(nanos, false, unit, cut, &part)) {
        return PQ_PARSE_FINER;
    }
    v = (Wide)seconds * pq_unit_per_second(unit) + part;
    *out = (int64_t)v;
    return *out == v ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

static PqParse parse_stamp(PqSlice text, bool cut, int64_t *seconds,
                           uint32_t *nanos)
{
    Cursor c = cursor_of(text);
    int64_t days = 0;
    Clock clock;
    PqParse parse = take_stamp(&c, &days, &clock);

    *seconds = days * DAY_SECONDS + clock.seconds - clock.zone;
    *nanos = clock.nanos;
    return parse == PQ_PARSE_OK && clock.finer && !cut ? PQ_PARSE_FINER
                                                       : parse;
}

PqParse pq_time_parse_timestamp(PqSlice text, PqUnit unit, bool cut,
                                int64_t *out)
{
    int64_t seconds, days;
    int32_t in_day;
    uint32_t nanos;

    if (text.n == STAMP_SIZE &&
        (text.p[DATE_SIZE] == ' ' || text.p[DATE_SIZE] == 'T') &&
        usual_date(text.p, &days) &&
        usual_clock(text.p + DATE_SIZE + 1, &in_day)) {
        return parse_instant(days * DAY_SECONDS + in_day, 0, unit, cut, out);
    }
    PqParse parse = parse_stamp(text, cut, &seconds, &nanos);

    return parse == PQ_PARSE_OK
               ? parse_instant(seconds, nanos, unit, cut, out)
               : parse;
}

/*
**   00 a0 c2 4d 19 2d 00 00   nanoseconds in the day, little-endian
**   5c 8c 25 00               Julian day
*/
PqParse pq_time_parse_instant96(int64_t seconds, uint32_t nanos,
                                uint8_t out[12])
{
    int64_t in_day = seconds % DAY_SECONDS, day = seconds / DAY_SECONDS;

    if (in_day < 0) {
        in_day += DAY_SECONDS;
        day--;
    }
    day += JULIAN_EPOCH;
    pq_store_u64(out, (uint64_t)in_day * BILLION + nanos);
    pq_store_u32(out + 8, (uint32_t)day);
    return day >= INT32_MIN && day <= INT32_MAX ? PQ_PARSE_OK
                                                : PQ_PARSE_RANGE;
}

PqParse pq_time_parse_int96(PqSlice text, bool cut, uint8_t out[12])
{
    int64_t seconds;
    uint32_t nanos;
    PqParse parse = parse_stamp(text, cut, &seconds, &nanos);

    return parse == PQ_PARSE_OK ? pq_time_parse_instant96(seconds, nanos, out)
                                : parse;
}

static PqParse store_wide(Wide v, uint8_t out[12])
{
    pq_store_u64(out, (uint64_t)v);
    pq_store_u32(out + 8, (uint32_t)(v >> 64));
    return v >> 95 == 0 || v >> 95 == -1 ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

PqParse pq_time_parse_wide(int64_t seconds, uint32_t nanos, PqUnit unit,
                           bool cut, uint8_t out[12])
{
    int64_t part;

    return to_unit(nanos, false, unit, cut, &part)
               ? store_wide((Wide)seconds * pq_unit_per_second(unit) + part,
                            out)
               : PQ_PARSE_FINER;
}

PqParse pq_time_parse_time96(PqSlice text, PqUnit unit, bool cut,
                             uint8_t out[12])
{
    Cursor c = cursor_of(text);
    int64_t days = 0, part;
    Clock clock;
    PqParse parse = take_stamp(&c, &days, &clock);
    Wide day;

    if (parse == PQ_PARSE_NOT) {
        return parse;
    }
    if (!to_unit(clock.nanos, clock.finer, unit, cut, &part)) {
        return PQ_PARSE_FINER;
    }
    day = (Wide)clock.cycles * PQ_CYCLE_DAYS + days;
    return store_wide((day * DAY_SECONDS + clock.seconds - clock.zone) *
                              pq_unit_per_second(unit) + part, out);
}

/* The fraction alone has enough precision to be rounded correctly:
**
**   1709300700.123456   1709300700 and 0.123456001..., 123456 us
*/
PqParse pq_time_split_seconds(double r, int64_t unit, int64_t *seconds,
                              int64_t *part)
{
    double whole = floor(r);

    if (isnan(r)) {
        return PQ_PARSE_NOT;
    }
    if (!(fabs(r) < SECONDS_MAX)) {
        return PQ_PARSE_RANGE;
    }
    *seconds = (int64_t)whole;
    *part = (int64_t)floor((r - whole) * (double)unit + 0.5);
    if (*part == unit) {
        *part = 0;
        ++*seconds;
    }
    return PQ_PARSE_OK;
}
