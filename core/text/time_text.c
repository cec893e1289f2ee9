/*
** time_text.c - prints dates, times and timestamps.
**
** A timestamp is divided into a day, by floor division, and the time of that
** day, which is never negative:
**
**   -1 ms   ->   day -1, 86399999 ms   ->   1969-12-31 23:59:59.999
**
** Neighbouring timestamps often fall on the same day, so the text of the last
** day is kept.  A batch allocates room once, for the longest texts of its type,
** and fills it without gaps.
*/
#include "core/base/bits.h"
#include "core/text/calendar.h"
#include "core/text/digits.h"
#include "core/text/time_text.h"

enum {
    DATE_ROOM = 16,                  /* -292275055-05-16, no NUL            */
    DATES_ROOM = 16,                 /* each in a batch: +5881580-07-11     */
    TIMES_ROOM = 19,                 /* 13:45:00.123456789                  */
    TIMESTAMPS_ROOM = 30,            /* -292275055-05-16 16:47:04.192       */
    INT96S_ROOM = 34,                /* +5875190-09-12 23:47:16.854775807   */
    TIME96S_ROOM = 46,   /* +1255346903226000000-01-01 00:00:00.999, and more */
    DAY_SECONDS = 86400,
    JULIAN_EPOCH = 2440588           /* the Julian day of 1970-01-01        */
};

static const int64_t day_nanos = DAY_SECONDS * INT64_C(1000000000);

int64_t pq_unit_per_second(PqUnit unit)
{
    return unit == PQ_MILLIS ? 1000 : unit == PQ_MICROS ? 1000000 : 1000000000;
}

static char *put_year(int64_t year, char *out)
{
    uint64_t size = (uint64_t)(year < 0 ? -year : year);

    if (year < 0 || year > 9999) {
        *out++ = year < 0 ? '-' : '+';
    }
    if (size > 9999) {
        return pq_digits_u64(out, size);
    }
    out = pq_digits_2(out, (uint32_t)size / 100);
    return pq_digits_2(out, (uint32_t)size % 100);
}

/* At most DATE_ROOM bytes, no NUL. */
static char *put_civil(PqCivil c, char *out)
{
    out = put_year(c.year, out);
    *out++ = '-';
    out = pq_digits_2(out, c.month);
    *out++ = '-';
    return pq_digits_2(out, c.day);
}

static char *put_date(int64_t days, char *out)
{
    return put_civil(pq_civil_of(days), out);
}

typedef struct LastDay {
    int64_t day;
    size_t  n;                       /* 0: no day yet */
    char    text[DATE_ROOM];
} LastDay;

/* Always writes DATE_ROOM bytes. */
static inline char *put_day(LastDay *last, int64_t day, char *out)
{
    if (day != last->day || last->n == 0) {
        last->n = (size_t)(put_date(day, last->text) - last->text);
        last->day = day;
    }
    memcpy(out, last->text, DATE_ROOM);
    return out + last->n;
}

/* .123, .123456 or .123456789, and nothing for 0. */
static inline char *put_fraction(uint32_t fraction, int64_t per_second,
                                 char *out)
{
    if (fraction == 0) {
        return out;
    }
    *out++ = '.';
    for (; per_second > 1000 && fraction % 1000 == 0; per_second /= 1000) {
        fraction /= 1000;
    }
    if (per_second == 1000000000) {
        out = pq_digits_3(out, fraction / 1000000);
        fraction %= 1000000;
    }
    if (per_second >= 1000000) {
        out = pq_digits_3(out, fraction / 1000);
        fraction %= 1000;
    }
    return pq_digits_3(out, fraction);
}

/* A time in its day; no NUL. */
static inline char *put_clock(int64_t in_day, int64_t per_second, char *out)
{
    uint32_t seconds = (uint32_t)(in_day / per_second);

    out = pq_digits_2(out, seconds / 3600);
    *out++ = ':';
    out = pq_digits_2(out, seconds / 60 % 60);
    *out++ = ':';
    out = pq_digits_2(out, seconds % 60);
    return put_fraction((uint32_t)(in_day % per_second), per_second, out);
}

/* Ends the text from out to end with a NUL; returns its length. */
static inline size_t ended(char *out, char *end)
{
    *end = 0;
    return (size_t)(end - out);
}

static inline size_t put_time(int64_t v, int64_t per_second, char *out)
{
    if (v < 0 || v >= per_second * DAY_SECONDS) {
        return ended(out, out);
    }
    return ended(out, put_clock(v, per_second, out));
}

/* A day, and what is left of it. */
static inline size_t put_instant(LastDay *last, int64_t day, int64_t in_day,
                                 int64_t per_second, char *out)
{
    char *p = put_day(last, day, out);

    *p++ = ' ';
    return ended(out, put_clock(in_day, per_second, p));
}

static inline size_t put_timestamp(LastDay *last, int64_t v,
                                   int64_t per_second, char *out)
{
    int64_t day = v / (per_second * DAY_SECONDS);
    int64_t rest = v % (per_second * DAY_SECONDS);

    if (rest < 0) {
        rest += per_second * DAY_SECONDS;
        day--;
    }
    return put_instant(last, day, rest, per_second, out);
}

/* day since 1970, and 0 <= nanos < day_nanos. */
static void int96_split(const uint8_t v[12], int64_t *day, int64_t *nanos)
{
    int64_t stored = (int64_t)pq_load_u64(v);

    *day = (int32_t)pq_load_u32(v + 8) - (int64_t)JULIAN_EPOCH;
    *day += stored / day_nanos;
    *nanos = stored % day_nanos;
    if (*nanos < 0) {
        *nanos += day_nanos;
        --*day;
    }
}

static size_t put_int96(LastDay *last, const uint8_t v[12], char *out)
{
    int64_t day, nanos;

    int96_split(v, &day, &nanos);
    return put_instant(last, day, nanos, 1000000000, out);
}

/* ---- 96 bits ------------------------------------------------------------- */

__extension__ typedef __int128 Wide;

static Wide load_96(const uint8_t v[12])
{
    return (Wide)(int32_t)pq_load_u32(v + 8) * ((Wide)1 << 64) +
           (Wide)pq_load_u64(v);
}

/* By floor division: 0 <= *rest < by. */
static Wide divide(Wide v, int64_t by, int64_t *rest)
{
    Wide whole = v / by;

    *rest = (int64_t)(v % by);
    if (*rest < 0) {
        *rest += by;
        whole--;
    }
    return whole;
}

/* The days of 96 bits of milliseconds do not fit 64 bits, so cycles are counted
** separately. */
static size_t put_time96(LastDay *last, const uint8_t v[12],
                         int64_t per_second, char *out)
{
    int64_t rest, in_cycle;
    Wide day = divide(load_96(v), per_second * DAY_SECONDS, &rest), cycle;
    char *p;

    if (day == (int32_t)day) {
        return put_instant(last, (int64_t)day, rest, per_second, out);
    }
    cycle = divide(day + PQ_EPOCH_IN_CYCLES, PQ_CYCLE_DAYS, &in_cycle);
    p = put_civil(pq_civil_of_cycle((int64_t)cycle, (uint32_t)in_cycle), out);
    *p++ = ' ';
    return ended(out, put_clock(rest, per_second, p));
}

size_t pq_time_text_time96(const uint8_t v[12], PqUnit unit, char *out)
{
    LastDay last = {0};

    return put_time96(&last, v, pq_unit_per_second(unit), out);
}

bool pq_time96_fits_i64(const uint8_t v[12], int64_t *out)
{
    Wide wide = load_96(v);

    *out = (int64_t)wide;
    return *out == wide;
}

bool pq_time96_instant(const uint8_t v[12], PqUnit unit, int64_t *seconds,
                       uint32_t *nanos, double *real)
{
    int64_t per_second = pq_unit_per_second(unit), part;
    Wide whole = divide(load_96(v), per_second, &part);

    *seconds = (int64_t)whole;
    *nanos = (uint32_t)(part * (1000000000 / per_second));
    *real = (double)whole;
    return *seconds == whole;
}

void pq_time96_store(int64_t v, uint8_t out[12])
{
    pq_store_u64(out, (uint64_t)v);
    pq_store_u32(out + 8, v < 0 ? UINT32_MAX : 0);
}

/* ---- one value ----------------------------------------------------------- */

size_t pq_time_text_date(int32_t days, char *out)
{
    return ended(out, put_date(days, out));
}

size_t pq_time_text_time(int64_t v, PqUnit unit, char *out)
{
    return put_time(v, pq_unit_per_second(unit), out);
}

size_t pq_time_text_timestamp(int64_t v, PqUnit unit, char *out)
{
    LastDay last = {0};

    return put_timestamp(&last, v, pq_unit_per_second(unit), out);
}

size_t pq_time_text_int96(const uint8_t v[12], char *out)
{
    LastDay last = {0};

    return put_int96(&last, v, out);
}

void pq_int96_instant(const uint8_t v[12], int64_t *seconds, uint32_t *nanos)
{
    int64_t day, in_day;

    int96_split(v, &day, &in_day);
    *seconds = day * DAY_SECONDS + in_day / 1000000000;
    *nanos = (uint32_t)(in_day % 1000000000);
}

/* ---- whole columns ------------------------------------------------------- */

/* Writes the text of value i of v; returns its length, 0: it has none. */
typedef size_t PutText(LastDay *last, const void *v, uint32_t i,
                       int64_t per_second, char *out);

static inline size_t date_at(LastDay *last, const void *v, uint32_t i,
                             int64_t per_second, char *out)
{
    return ended(out, put_day(last, ((const int32_t *)v)[i], out));
}

static inline size_t time_at(LastDay *last, const void *v, uint32_t i,
                             int64_t per_second, char *out)
{
    return put_time(((const int64_t *)v)[i], per_second, out);
}

static inline size_t timestamp_at(LastDay *last, const void *v, uint32_t i,
                                  int64_t per_second, char *out)
{
    return put_timestamp(last, ((const int64_t *)v)[i], per_second, out);
}

static inline size_t int96_at(LastDay *last, const void *v, uint32_t i,
                              int64_t per_second, char *out)
{
    return put_int96(last, (const uint8_t *)v + 12 * (size_t)i, out);
}

static inline size_t time96_at(LastDay *last, const void *v, uint32_t i,
                               int64_t per_second, char *out)
{
    return put_time96(last, ((const PqStr *)v)[i].p, per_second, out);
}

/* Texts of at most `each` bytes, NULs included, one after the other. */
PQ_INLINE PqRc
put_texts(PutText *put, size_t each, const void *v, const uint64_t *valid,
          uint32_t n, int64_t per_second, PqStr *out, PqArena *a, PqErr *e)
{
    char *at = (char *)pq_arena_bytes(a, n * each + DATE_ROOM, e);
    LastDay last = {0};

    if (!at) {
        return e->rc;
    }
    PQ_EACH_BIT(i, valid, n) {
        size_t length = put(&last, v, i, per_second, at);

        out[i] = length ? (PqStr){(const uint8_t *)at, (uint32_t)length}
                        : (PqStr){NULL, 0};
        at += length ? length + 1 : 0;
    }
    return PQ_OK;
}

/* The same for a unit.  Constants make division cheap. */
PQ_INLINE PqRc
put_unit_texts(PutText *put, size_t each, const void *v, const uint64_t *valid,
               uint32_t n, PqUnit unit, PqStr *out, PqArena *a, PqErr *e)
{
    switch (unit) {
    case PQ_MILLIS:
        return put_texts(put, each, v, valid, n, 1000, out, a, e);
    case PQ_MICROS:
        return put_texts(put, each, v, valid, n, 1000000, out, a, e);
    default:
        return put_texts(put, each, v, valid, n, 1000000000, out, a, e);
    }
}

PqRc pq_time_text_dates(const int32_t *v, const uint64_t *valid, uint32_t n,
                        PqStr *out, PqArena *a, PqErr *e)
{
    return put_texts(date_at, DATES_ROOM, v, valid, n, 0, out, a, e);
}

PqRc pq_time_text_times(const int64_t *v, const uint64_t *valid, uint32_t n,
                        PqUnit unit, PqStr *out, PqArena *a, PqErr *e)
{
    return put_unit_texts(time_at, TIMES_ROOM, v, valid, n, unit, out, a, e);
}

PqRc pq_time_text_timestamps(const int64_t *v, const uint64_t *valid,
                             uint32_t n, PqUnit unit, PqStr *out, PqArena *a,
                             PqErr *e)
{
    return put_unit_texts(timestamp_at, TIMESTAMPS_ROOM, v, valid, n, unit, out,
                          a, e);
}

PqRc pq_time_text_int96s(const uint8_t *v, const uint64_t *valid, uint32_t n,
                         PqStr *out, PqArena *a, PqErr *e)
{
    return put_texts(int96_at, INT96S_ROOM, v, valid, n, 0, out, a, e);
}

PqRc pq_time_text_time96s(const PqStr *v, const uint64_t *valid, uint32_t n,
                          PqUnit unit, PqStr *out, PqArena *a, PqErr *e)
{
    return put_texts(time96_at, TIME96S_ROOM, v, valid, n,
                     pq_unit_per_second(unit), out, a, e);
}
