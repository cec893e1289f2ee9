/*
** stored_time.c - reading is parsing what looks like it, and printing again:
** only what prints the same is the text of a stored value.
**
**   2024-03-01 13:45:00.5      parses, but prints .500: not a text we give
*/
#include "sql/value/stored_time.h"

#include <stdlib.h>

/* Exactly n digits. */
static bool digits(const char **z, int n, int64_t *out)
{
    *out = 0;
    for (; n > 0; n--, ++*z) {
        if (**z < '0' || **z > '9') {
            return false;
        }
        *out = *out * 10 + (**z - '0');
    }
    return true;
}

/* A sign or none, then as many digits as there are, up to nine. */
static bool year(const char **z, int64_t *out)
{
    bool negative = **z == '-';
    int n = 0;

    *z += negative || **z == '+';
    while (n < 10 && (*z)[n] >= '0' && (*z)[n] <= '9') {
        n++;
    }
    if (n < 4 || n > 9 || !digits(z, n, out)) {
        return false;
    }
    *out = negative ? -*out : *out;
    return true;
}

/* Days since 1970 of a day of the proleptic Gregorian calendar, by counting
** years from March, so that the leap day is the last. */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
    int64_t era, of_era, of_year;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    of_era = y - era * 400;
    of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           719468;
}

static bool date(const char **z, int64_t *days)
{
    int64_t y, m, d;

    if (!year(z, &y) || *(*z)++ != '-' || !digits(z, 2, &m) ||
        *(*z)++ != '-' || !digits(z, 2, &d) || m < 1 || m > 12 || d < 1 ||
        d > 31) {
        return false;
    }
    *days = days_of(y, m, d);
    return true;
}

/* HH:MM:SS and a fraction, in units. */
static bool time_of_day(const char **z, int64_t per_second, int64_t *out)
{
    int64_t h, m, s, fraction = 0, scale = per_second;

    if (!digits(z, 2, &h) || *(*z)++ != ':' || !digits(z, 2, &m) ||
        *(*z)++ != ':' || !digits(z, 2, &s)) {
        return false;
    }
    if (**z == '.') {
        for (++*z; **z >= '0' && **z <= '9' && scale > 1; ++*z) {
            scale /= 10;
            fraction += (**z - '0') * scale;
        }
    }
    *out = (h * 3600 + m * 60 + s) * per_second + fraction;
    return true;
}

static PqsqlRead read_date(const char *z, int64_t *out)
{
    char again[PQ_TIME_TEXT_ROOM];
    const char *at = z;

    if (!date(&at, out) || *at || *out < INT32_MIN || *out > INT32_MAX) {
        return PQSQL_READ_NONE;
    }
    pq_time_text_date((int32_t)*out, again);
    return strcmp(z, again) == 0 ? PQSQL_READ_ONE : PQSQL_READ_NONE;
}

/* A TIME outside its day is given as its digits. */
static PqsqlRead read_time_number(const PqType *t, const char *z, int64_t *out)
{
    char again[PQ_NUMBER_TEXT_ROOM], text[PQ_TIME_TEXT_ROOM];
    char *end;

    *out = strtoll(z, &end, 10);
    pq_number_text_i64(*out, again);
    return *end == 0 && strcmp(z, again) == 0 &&
                   pq_time_text_time(*out, t->unit, text) == 0
               ? PQSQL_READ_ONE : PQSQL_READ_NONE;
}

static PqsqlRead read_time(const PqType *t, const char *z, int64_t *out)
{
    char again[PQ_TIME_TEXT_ROOM];
    const char *at = z;

    if (!time_of_day(&at, pq_unit_per_second(t->unit), out) || *at) {
        return read_time_number(t, z, out);
    }
    return pq_time_text_time(*out, t->unit, again) && strcmp(z, again) == 0
               ? PQSQL_READ_ONE : PQSQL_READ_NONE;
}

static PqsqlRead read_timestamp(const PqType *t, const char *z, int64_t *out)
{
    int64_t per_second = pq_unit_per_second(t->unit), days, part;
    char again[PQ_TIME_TEXT_ROOM];
    const char *at = z;

    if (!date(&at, &days) || *at++ != ' ' ||
        !time_of_day(&at, per_second, &part) || *at) {
        return PQSQL_READ_NONE;
    }
    if (__builtin_mul_overflow(days * 86400, per_second, out) ||
        __builtin_add_overflow(*out, part, out)) {
        return PQSQL_READ_UNKNOWN;   /* at the very ends of 64 bits */
    }
    pq_time_text_timestamp(*out, t->unit, again);
    return strcmp(z, again) == 0 ? PQSQL_READ_ONE : PQSQL_READ_NONE;
}

PqsqlRead pqsql_read_time(const PqType *t, const char *z, int64_t *out)
{
    switch (t->logical) {
    case PQ_TYPE_DATE:
        return read_date(z, out);
    case PQ_TYPE_TIME:
        return read_time(t, z, out);
    default:
        return read_timestamp(t, z, out);
    }
}

/* Years of more digits than are read here have a sign. */
PqsqlRead pqsql_read_time96(const PqType *t, const char *z,
                            uint8_t out[PQ_TIME96_SIZE])
{
    int64_t per_second = pq_unit_per_second(t->unit), days, part;
    char again[PQ_TIME_TEXT_ROOM];
    const char *at = z;

    if (*z == '+' || *z == '-') {
        return PQSQL_READ_UNKNOWN;
    }
    if (!date(&at, &days) || *at++ != ' ' ||
        !time_of_day(&at, per_second, &part) || *at ||
        pq_time_parse_wide(days * 86400 + part / per_second,
                           (uint32_t)(part % per_second *
                                      (1000000000 / per_second)),
                           t->unit, false, out) != PQ_PARSE_OK) {
        return PQSQL_READ_NONE;
    }
    pq_time_text_time96(out, t->unit, again);
    return strcmp(z, again) == 0 ? PQSQL_READ_ONE : PQSQL_READ_NONE;
}
