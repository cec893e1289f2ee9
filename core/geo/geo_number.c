/*
** geo_number.c - prints coordinates, as PostGIS does.
**
** The digits come from core/text.  Most coordinates have few: whole numbers, or
** up to seven decimals.  For these there is a shorter way:
**
**   -71.1043482  * 1e7  ->  711043482   and  711043482 / 1e7  is the number
**
** The integer is below 10^15, so it and 1e7 are exact, and a parser of the text
** gets the same quotient.  No two texts of up to 15 digits are the same double,
** so this one has the fewest digits once its zeros are gone.
*/
#include "core/geo/wkt.h"
#include "core/text/number_text.h"

#include <math.h>

enum { DIGITS = 20 };

/* digits * 10^exponent */
typedef struct Decimal {
    uint64_t digits;
    int      exponent;
} Decimal;

static void strip(Decimal *d)
{
    while (d->digits && d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
}

/* Cuts the last k digits off and rounds. */
static void cut(Decimal *d, int k)
{
    uint64_t unit = 1, rest;

    if (k >= DIGITS) {
        d->digits = 0;
        return;
    }
    for (int i = 0; i < k; i++) {
        unit *= 10;
    }
    rest = d->digits % unit;
    d->digits /= unit;
    d->digits += rest > unit / 2 || (rest == unit / 2 && (d->digits & 1));
    d->exponent += k;
    strip(d);
}

/* a > 0 */
static Decimal decimal_of(double a)
{
    double scaled = a * 1e7;
    Decimal d;

    if (scaled < 1e15) {
        d = (Decimal){(uint64_t)(scaled + 0.5), -7};
        if ((double)d.digits / 1e7 == a) {
            strip(&d);
            return d;
        }
    }
    d.digits = pq_number_digits(a, &d.exponent);
    return d;
}

static char *put_fixed(Decimal d, char *out)
{
    char digit[PQ_NUMBER_TEXT_ROOM];
    int n = (int)pq_number_text_u64(d.digits, digit);

    return pq_digits_plain(digit, n, d.exponent + n - 1, out);
}

/* Beyond 1e308 nothing is rounded: 2e+308 could not be read. */
static char *put_exponent(Decimal d, int decimals, char *out)
{
    char digit[PQ_NUMBER_TEXT_ROOM];
    int n = (int)pq_number_text_u64(d.digits, digit), e;

    if (decimals >= 0 && n - 1 > decimals && d.exponent + n - 1 < 308) {
        cut(&d, n - 1 - decimals);
        n = (int)pq_number_text_u64(d.digits, digit);
    }
    e = d.exponent + n - 1;
    *out++ = digit[0];
    if (n > 1) {
        *out++ = '.';
        memcpy(out, digit + 1, (size_t)(n - 1));
        out += n - 1;
    }
    *out++ = 'e';
    *out++ = e < 0 ? '-' : '+';
    return out + pq_number_text_u64((uint64_t)(e < 0 ? -e : e), out);
}

static size_t put_special(double v, char *out)
{
    const char *text = v != v ? "NaN" : v > 0 ? "Infinity"
                     : v < 0 ? "-Infinity" : "0";
    size_t n = strlen(text);

    memcpy(out, text, n);
    return n;
}

size_t pq_geo_number_text(double v, int decimals, char *out)
{
    double a = fabs(v);
    char *end = out;
    Decimal d;

    if (!(a > 0 && a < (double)INFINITY)) {
        return put_special(v, out);
    }
    if (v < 0) {
        *end++ = '-';
    }
    if (a < 1e15 && a == (double)(uint64_t)a) {
        return (size_t)(end - out) + pq_number_text_u64((uint64_t)a, end);
    }
    d = decimal_of(a);
    if (a <= 1e-8 || a >= 1e15) {
        return (size_t)(put_exponent(d, decimals, end) - out);
    }
    if (decimals >= 0 && -d.exponent > decimals) {
        cut(&d, -d.exponent - decimals);
        if (d.digits == 0) {
            return put_special(0, out);
        }
    }
    return (size_t)(put_fixed(d, end) - out);
}
