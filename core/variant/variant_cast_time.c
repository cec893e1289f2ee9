/*
** variant_cast_time.c - values of a Variant as dates, times and timestamps.
**
** SQLite has no time zone for a connection.  Everything is UTC: a date begins
** at midnight UTC.  Numbers are seconds since 1970.
**
** Texts are read as Spark reads them, which is more than time_parse.h takes:
**
**   2024   2024-3   2024-3-1   2024-03-01 5:16:07.25   2024-03-01T05:16+1
**
** So a text is first written with two digits everywhere.  A timestamp_ntz drops
** the zone, but the zone must be valid.  What comes after the blank or the T of
** a date is not even looked at: 2024-03-01Tuesday.
*/
#include "core/variant/variant_cast_inside.h"

#include "core/text/calendar.h"
#include "core/text/time_parse.h"

#include <math.h>

enum { MICROS = 1000000, DAY = 86400, ROOM = 96 };

/* Rounded down. */
PqCastResult pq_cast_units(const PqCast *c)
{
    int64_t one = pq_unit_per_second(c->v->unit), v = c->v->u.i;
    int64_t other = pq_unit_per_second(c->type->unit);

    if (one >= other) {
        c->out->u.i = pq_floor_div(v, one / other);
        return PQ_CAST_OK;
    }
    return __builtin_mul_overflow(v, other / one, &c->out->u.i)
               ? PQ_CAST_RANGE : PQ_CAST_OK;
}

/* ---- out of other kinds -------------------------------------------------- */

PqCastResult pq_cast_date_timestamp(const PqCast *c)
{
    c->out->u.i = pq_floor_div(c->v->u.i, pq_unit_per_second(c->v->unit) * DAY);
    return PQ_CAST_OK;
}

static PqCastResult put_seconds(const PqCast *c, int64_t seconds)
{
    return __builtin_mul_overflow(seconds, pq_unit_per_second(c->type->unit),
                                  &c->out->u.i) ? PQ_CAST_RANGE : PQ_CAST_OK;
}

PqCastResult pq_cast_timestamp_date(const PqCast *c)
{
    return put_seconds(c, c->v->u.i * DAY);
}

PqCastResult pq_cast_timestamp_int(const PqCast *c)
{
    return put_seconds(c, c->v->u.i);
}

PqCastResult pq_cast_timestamp_real(const PqCast *c)
{
    double v = pq_cast_real_of(c->v) *
               (double)pq_unit_per_second(c->type->unit);

    if (!pq_cast_fits_i64(v)) {
        return PQ_CAST_RANGE;
    }
    c->out->u.i = (int64_t)v;
    return PQ_CAST_OK;
}

/* Digits that the unit cannot hold are cut off, toward zero. */
PqCastResult pq_cast_timestamp_decimal(const PqCast *c)
{
    PqPlace v = c->v->u.decimal, most = INT64_MAX;
    int64_t unit = pq_unit_per_second(c->type->unit);
    int32_t scale = c->v->scale;

    while (scale && unit > 1) {
        unit /= 10;
        scale--;
    }
    for (; scale; scale--) {
        v /= 10;
    }
    if (v > most || v < -most || v * unit > most || v * unit < -most - 1) {
        return PQ_CAST_RANGE;
    }
    c->out->u.i = (int64_t)(v * unit);
    return PQ_CAST_OK;
}

/* ---- out of texts -------------------------------------------------------- */

typedef struct Writer {
    PqSlice in;                      /* what is left                         */
    char    text[ROOM];
    size_t  n;
    bool    failed;
} Writer;

static void put(Writer *w, char ch)
{
    if (w->n < ROOM) {
        w->text[w->n++] = ch;
    } else {
        w->failed = true;
    }
}

static bool next_is(const Writer *w, char ch)
{
    return w->in.n && w->in.p[0] == (uint8_t)ch;
}

static bool take(Writer *w, char ch)
{
    if (!next_is(w, ch)) {
        return false;
    }
    w->in = pq_slice(w->in.p + 1, w->in.n - 1);
    return true;
}

static void take_blanks(Writer *w)
{
    while (w->in.n && pq_ascii_is_blank(w->in.p[0])) {
        w->in = pq_slice(w->in.p + 1, w->in.n - 1);
    }
}

/* Copies digits, with zeros before them if there are fewer than least. */
static void put_digits(Writer *w, size_t least, size_t most)
{
    size_t n = 0;

    while (n < w->in.n && pq_ascii_is_digit(w->in.p[n])) {
        n++;
    }
    w->failed |= n == 0 || n > most;
    for (size_t i = n; i < least; i++) {
        put(w, '0');
    }
    for (size_t i = 0; i < n && !w->failed; i++) {
        put(w, (char)w->in.p[i]);
    }
    w->in = pq_slice(w->in.p + n, w->in.n - n);
}

static void put_two(Writer *w, char before)
{
    put(w, before);
    put_digits(w, 2, 2);
}

/* A year of four digits or more, which then needs its sign. */
static void put_year(Writer *w)
{
    bool sign = next_is(w, '-') || next_is(w, '+');

    if (sign) {
        put(w, (char)w->in.p[0]);
        take(w, (char)w->in.p[0]);
    }
    w->failed |= w->in.n < 4 || !pq_ascii_is_digit(w->in.p[3]);
    put_digits(w, 4, 7);
    if (!sign && w->n > 4) {
        memmove(w->text + 1, w->text, w->n++);
        w->text[0] = '+';
    }
}

/* A month or a day, if `more` follows; one that is missing is the first. */
static bool put_part(Writer *w, bool more)
{
    more = more && take(w, '-');
    if (more) {
        put_two(w, '-');
    } else {
        put(w, '-');
        put(w, '0');
        put(w, '1');
    }
    return more;
}

/* 2024, 2024-3, 2024-3-1.  Returns whether a day was there: then more may
** follow. */
static bool put_date(Writer *w)
{
    put_year(w);
    return put_part(w, put_part(w, true));
}

/* 5:16, 05:16:07, 05:16:07.25 */
static void put_clock(Writer *w)
{
    put_digits(w, 2, 2);
    w->failed |= !take(w, ':');
    put_two(w, ':');
    if (take(w, ':')) {
        put_two(w, ':');
        if (take(w, '.')) {
            put(w, '.');
            put_digits(w, 1, 30);
        }
    }
}

/* Z, UTC, +1, +01:30, +0130 */
static void put_zone(Writer *w)
{
    take_blanks(w);
    if (w->in.n == 0) {
        return;
    }
    if (pq_parse_is_word(w->in, "z") || pq_parse_is_word(w->in, "utc") ||
        pq_parse_is_word(w->in, "gmt")) {
        w->in.n = 0;
        put(w, 'Z');
    } else if (next_is(w, '+') || next_is(w, '-')) {
        put(w, (char)w->in.p[0]);
        take(w, (char)w->in.p[0]);
        put_digits(w, 2, 4);
        if (take(w, ':')) {
            put_two(w, ':');
        }
    }
    w->failed |= w->in.n != 0;
}

/* The text of v as a timestamp in a unit, rounded down. */
static PqParse read_timestamp(const PqVariantValue *v, bool with_zone,
                              PqUnit unit, int64_t *out)
{
    Writer w = {.in = pq_parse_trim(v->bytes)};
    bool has_day = put_date(&w);
    size_t end = w.n;
    PqParse parse;

    if (w.in.n && !w.failed) {
        w.failed = !has_day;
        if (!take(&w, 'T')) {
            take_blanks(&w);
        }
        put(&w, ' ');
        put_clock(&w);
        end = w.n;
        put_zone(&w);
    }
    if (w.failed) {
        return PQ_PARSE_NOT;
    }
    parse = pq_time_parse_timestamp(pq_slice(w.text, w.n), unit, true, out);
    return with_zone || end == w.n || parse == PQ_PARSE_NOT
               ? parse
               : pq_time_parse_timestamp(pq_slice(w.text, end), unit, true,
                                         out);
}

PqCastResult pq_cast_timestamp_string(const PqCast *c)
{
    return pq_cast_of_parse(read_timestamp(c->v, c->type->utc, c->type->unit,
                                           &c->out->u.i));
}

PqCastResult pq_cast_date_string(const PqCast *c)
{
    Writer w = {.in = pq_parse_trim(c->v->bytes)};
    bool has_day = put_date(&w);
    PqParse parse;
    int64_t v = 0;

    if (w.failed || (w.in.n && (!has_day || (!next_is(&w, ' ') &&
                                             !next_is(&w, 'T'))))) {
        return PQ_CAST_NOT;
    }
    parse = pq_time_parse_timestamp(pq_slice(w.text, w.n), PQ_MILLIS, true, &v);
    if (parse != PQ_PARSE_OK) {
        return pq_cast_of_parse(parse);
    }
    c->out->u.i = pq_floor_div(v, (int64_t)1000 * DAY);
    return (int32_t)c->out->u.i == c->out->u.i ? PQ_CAST_OK : PQ_CAST_RANGE;
}

PqCastResult pq_cast_time_string(const PqCast *c)
{
    Writer w = {.in = pq_parse_trim(c->v->bytes)};
    PqParse parse;
    size_t end;

    put_clock(&w);
    end = w.n;
    put_zone(&w);
    if (w.failed) {
        return PQ_CAST_NOT;
    }
    parse = pq_time_parse_time(pq_slice(w.text, w.n), c->type->unit, true,
                               &c->out->u.i);
    if (parse == PQ_PARSE_OK) {      /* the zone is one: without it */
        parse = pq_time_parse_time(pq_slice(w.text, end), c->type->unit, true,
                                   &c->out->u.i);
    }
    return pq_cast_of_parse(parse);
}
