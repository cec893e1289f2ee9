/*
** number_parse.c - parses integers and floating point numbers.
**
** For integers and most REALs the digits fit 64 bits.  More digits go to
** strtod, but without the point, which depends on the locale of the host:
**
**   123456789012345678901.5   ->   1234567890123456789015e-1
**
** 767 digits are enough to tell any double from the midpoint to its neighbour.
** Of the digits after those, it only matters whether one is not zero.
*/
#include "core/text/number_scan.h"
#include "core/text/number_text.h"

#include <math.h>
#include <stdlib.h>

enum {
    EXPONENT_MAX = 1000000000,
    DIGITS_ENOUGH = 800,
    INFINITE = 999                   /* from this exponent on: infinity      */
};

const uint64_t pq_scan_ten_to[PQ_SCAN_SMALL + 1] = {
    1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
    1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u,
    100000000000000u, 1000000000000000u, 10000000000000000u,
    100000000000000000u, 1000000000000000000u, 10000000000000000000u
};

/* Takes digits; leading zeros do not count. */
static inline const uint8_t *take_digits(const uint8_t *p, const uint8_t *end,
                                         PqNumber *x)
{
    if (x->n == 0) {
        while (p < end && *p == '0') p++;
        x->first = p;
    }
    for (; p < end && pq_ascii_is_digit(*p); p++) {
        x->small = x->small * 10 + (uint64_t)(*p - '0');
        x->n++;
    }
    return p;
}

/* Takes e [sign] digits, up to the end of the text. */
static bool take_exponent(const uint8_t *p, const uint8_t *end, PqNumber *x)
{
    bool negative = false;
    int64_t v = 0;

    if (*p != 'e' && *p != 'E') {
        return false;
    }
    p++;
    if (p < end && (*p == '-' || *p == '+')) {
        negative = *p++ == '-';
    }
    if (p == end) {
        return false;
    }
    for (; p < end; p++) {
        if (!pq_ascii_is_digit(*p)) {
            return false;
        }
        v = v < EXPONENT_MAX ? v * 10 + (*p - '0') : v;
    }
    x->exponent += negative ? -v : v;
    return true;
}

bool pq_number_scan(PqSlice text, PqNumber *out)
{
    PqSlice s = pq_parse_trim(text);
    const uint8_t *p = s.p, *end = s.n ? s.p + s.n : s.p, *from;
    size_t n_digits;

    *out = (PqNumber){0};
    if (p < end && (*p == '-' || *p == '+')) {
        out->negative = *p++ == '-';
    }
    from = p;
    p = take_digits(p, end, out);
    n_digits = (size_t)(p - from);
    if (p < end && *p == '.') {
        from = ++p;
        p = take_digits(p, end, out);
        n_digits += (size_t)(p - from);
        out->exponent = -(int64_t)(p - from);
    }
    return n_digits && (p == end || take_exponent(p, end, out));
}

void pq_number_scan_strip(PqNumber *x, int64_t most)
{
    const uint8_t *p = x->first;
    size_t left, n = 0;

    for (left = x->n; left; left--) {    /* past the last digit */
        pq_scan_digit(&p);
    }
    while (most > 0 && n + 1 < x->n) {
        if (p[-1] == '0') {
            n++;
            most--;
        } else if (p[-1] != '.') {
            break;
        }
        p--;
    }
    if (x->n <= PQ_SCAN_SMALL) {
        x->small /= pq_scan_ten_to[n];
    } else {
        x->small = 0;                /* wraps if there are still too many */
        for (p = x->first, left = x->n - n; left; left--) {
            x->small = x->small * 10 + pq_scan_digit(&p);
        }
    }
    x->n -= n;
    x->exponent += (int64_t)n;
}

/* ---- integers ------------------------------------------------------------ */

/* The number without its sign, as an integer. */
static PqParse size_of(PqNumber *x, uint64_t *out)
{
    *out = 0;
    if (x->n == 0) {
        return PQ_PARSE_OK;
    }
    if (x->exponent < 0) {
        pq_number_scan_strip(x, -x->exponent);
        if (x->exponent < 0) {
            return PQ_PARSE_FINER;
        }
    }
    if ((int64_t)x->n + x->exponent > PQ_SCAN_SMALL + 1) {
        return PQ_PARSE_RANGE;
    }
    if (x->n <= PQ_SCAN_SMALL) {
        return __builtin_mul_overflow(x->small, pq_scan_ten_to[x->exponent],
                                      out) ? PQ_PARSE_RANGE : PQ_PARSE_OK;
    }
    *out = x->small;                 /* twenty digits; have they wrapped?    */
    return x->first[0] == '1' && x->small >= pq_scan_ten_to[PQ_SCAN_SMALL]
               ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

PqParse pq_number_parse_u64(PqSlice text, uint64_t *out)
{
    PqParse parse;
    PqNumber x;

    if (!pq_number_scan(text, &x)) {
        return PQ_PARSE_NOT;
    }
    parse = size_of(&x, out);
    return parse == PQ_PARSE_OK && x.negative && *out ? PQ_PARSE_RANGE : parse;
}

PqParse pq_number_parse_i64(PqSlice text, int64_t *out)
{
    uint64_t size;
    PqParse parse;
    PqNumber x;

    if (!pq_number_scan(text, &x)) {
        return PQ_PARSE_NOT;
    }
    parse = size_of(&x, &size);
    *out = (int64_t)(x.negative ? 0 - size : size);
    return parse == PQ_PARSE_OK && size > (uint64_t)INT64_MAX + x.negative
               ? PQ_PARSE_RANGE : parse;
}

/* ---- floating point ------------------------------------------------------ */

static bool is_special(PqSlice text, double *out)
{
    PqSlice s = pq_parse_trim(text);
    bool negative = s.n && s.p[0] == '-';
    double v;

    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
        s.p++;
        s.n--;
    }
    if (pq_parse_is_word(s, "nan")) {
        v = (double)NAN;
    } else if (pq_parse_is_word(s, "inf") || pq_parse_is_word(s, "infinity")) {
        v = (double)INFINITY;
    } else {
        return false;
    }
    *out = copysign(v, negative ? -1.0 : 1.0);
    return true;
}

enum { LONG_ROOM = DIGITS_ENOUGH + 32 };

/* The digits that matter and the exponent, for strtod. */
static const char *plain_text(const PqNumber *x, char room[LONG_ROOM])
{
    const uint8_t *p = x->first;
    int64_t exponent = x->exponent;
    bool more = false;
    char *to = room;

    if (x->negative) {
        *to++ = '-';
    }
    for (size_t i = 0; i < x->n; i++) {
        uint32_t digit = pq_scan_digit(&p);

        if (i < DIGITS_ENOUGH) {
            *to++ = (char)('0' + digit);
        } else {
            more = more || digit;
            exponent++;
        }
    }
    if (more) {                      /* a digit that was left out is not 0   */
        *to++ = '1';
        exponent--;
    }
    *to++ = 'e';
    pq_number_text_i64(exponent, to);
    return room;
}

/* Is it so large that it stands for infinity? */
static bool is_infinite(const PqNumber *x)
{
    return (int64_t)x->n + x->exponent - 1 >= INFINITE;
}

PqParse pq_number_parse_double(PqSlice text, double *out)
{
    char room[LONG_ROOM];
    PqNumber x;

    if (!pq_number_scan(text, &x)) {
        return is_special(text, out) ? PQ_PARSE_OK : PQ_PARSE_NOT;
    }
    if (x.n == 0) {
        *out = x.negative ? -0.0 : 0.0;
    } else if (x.n < PQ_SCAN_SMALL && x.exponent > -400 && x.exponent < 400) {
        int64_t v = (int64_t)x.small;

        *out = pq_decimal_real_i64(x.negative ? -v : v, -(int32_t)x.exponent);
    } else {
        *out = strtod(plain_text(&x, room), NULL);
    }
    return isinf(*out) && !is_infinite(&x) ? PQ_PARSE_RANGE : PQ_PARSE_OK;
}

PqParse pq_number_parse_float(PqSlice text, float *out)
{
    char room[LONG_ROOM];
    PqNumber x;
    double v;

    if (!pq_number_scan(text, &x)) {
        bool special = is_special(text, &v);

        *out = special ? (float)v : 0;
        return special ? PQ_PARSE_OK : PQ_PARSE_NOT;
    }
    if (x.n == 0) {
        *out = x.negative ? -0.0f : 0.0f;
    } else {
        *out = strtof(plain_text(&x, room), NULL);
    }
    return isinf(*out) && !is_infinite(&x) ? PQ_PARSE_RANGE : PQ_PARSE_OK;
}

/*
**   double  s eeeeeeeeeee mmm...   52 bits of mantissa, bias 1023
**   half    s eeeee mmmmmmmmmm     bias 15
**
** The bits that a half has no room for decide how its last bit is rounded.
** Rounding up to the next power of two carries into the exponent, as it should.
*/
bool pq_float16_bits(double v, uint16_t *out)
{
    enum { DROPPED = 52 - 10, SMALLEST = -14 };
    uint64_t bits, m, kept, rest, half;
    int e, drop;
    uint32_t sign;

    memcpy(&bits, &v, sizeof bits);
    sign = (uint32_t)(bits >> 63) << 15;
    e = (int)(bits >> 52 & 0x7ff) - 1023;
    m = bits & (((uint64_t)1 << 52) - 1);
    if (e == 1024) {                              /* NaN or infinity */
        *out = (uint16_t)(sign | (m ? 0x7e00u : 0x7c00u));
        return true;
    }
    drop = e < SMALLEST ? DROPPED + (SMALLEST - e) : DROPPED;
    if (drop > 53) {                              /* below half the smallest */
        *out = (uint16_t)sign;
        return true;
    }
    m |= (uint64_t)1 << 52;
    kept = m >> drop;
    rest = m & (((uint64_t)1 << drop) - 1);
    half = (uint64_t)1 << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    kept += e < SMALLEST ? 0 : (uint64_t)(e - SMALLEST) << 10;
    *out = (uint16_t)(sign | kept);
    return kept < 0x7c00;
}
