/*
** decimal_text.c - prints a DECIMAL as exact text, and converts it to the
** nearest REAL.
**
** The unscaled integer may have any width.  It becomes limbs of nine digits by
** Horner's rule over its 32-bit words, the most significant word first.  A
** negative integer is complemented, and one is added:
**
**   ff fe   ->   complement 00 01   ->   1 + 1   ->   -2
**
** That is quadratic in the width, and a file may claim any width.  So the width
** without repeated sign bytes is limited, and so is the scale.
**
** A REAL must be what a correct parser makes of the text.  If both numbers are
** exact doubles, one division does that; if both fit 64 bits, one division of
** 128 by 64 bits.  Otherwise strtod gets the digits and an exponent, but no
** decimal point, because that depends on the locale of the host.
*/
#include "core/base/bits.h"
#include "core/text/digits.h"
#include "core/text/number_text.h"

#include <assert.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 Wide;

enum {
    BYTES_MAX = 4096,              /* 9864 digits                          */
    SCALE_MAX = 10000,
    LIMB = 1000000000,
    LIMB_DIGITS = 9,
    LIMBS_MAX = 1098,
    LIMBS_OF_128 = 5,
    EXPONENT_ROOM = 16             /* sign, e, exponent, NUL               */
};

/* Little-endian limbs; zero has one. */
typedef struct Decimal {
    uint32_t limb[LIMBS_MAX];
    size_t   n;
    bool     negative;
} Decimal;

static void from_i128(__int128 v, Decimal *d)
{
    Wide size = v < 0 ? 0 - (Wide)v : (Wide)v;
    uint64_t small;

    d->negative = v < 0;
    d->n = 0;
    for (; size > UINT64_MAX; size /= LIMB) {
        d->limb[d->n++] = (uint32_t)(size % LIMB);
    }
    small = (uint64_t)size;          /* dividing it is faster */
    do {
        d->limb[d->n++] = (uint32_t)(small % LIMB);
        small /= LIMB;
    } while (small);
}

/* d = d * 2^32 + carry */
static void append_word(Decimal *d, uint64_t carry)
{
    for (size_t i = 0; i < d->n; i++) {
        uint64_t t = ((uint64_t)d->limb[i] << 32) + carry;
        d->limb[i] = (uint32_t)(t % LIMB);
        carry = t / LIMB;
    }
    for (; carry; carry /= LIMB) {
        assert(d->n < LIMBS_MAX);
        d->limb[d->n++] = (uint32_t)(carry % LIMB);
    }
}

static void add_one(Decimal *d)
{
    for (size_t i = 0; i < d->n; i++) {
        if (++d->limb[i] < LIMB) {
            return;
        }
        d->limb[i] = 0;
    }
    assert(d->n < LIMBS_MAX);
    d->limb[d->n++] = 1;
}

/* Without leading bytes that only repeat the sign. */
static PqSlice trim(PqSlice be)
{
    while (be.n > 1 && ((be.p[0] == 0x00 && be.p[1] < 0x80) ||
                        (be.p[0] == 0xff && be.p[1] >= 0x80))) {
        be.p++;
        be.n--;
    }
    return be;
}

static PqRc from_bytes(PqSlice be, Decimal *d, PqErr *e)
{
    uint32_t flip, word = 0;

    be = trim(be);
    if (be.n > BYTES_MAX) {
        return pq_fail(e, PQ_UNSUPPORTED, "a DECIMAL of %zu bytes", be.n);
    }
    d->n = 0;
    d->negative = be.n && be.p[0] >= 0x80;
    flip = d->negative ? UINT32_MAX : 0;
    word = flip;
    for (size_t i = 0; i < be.n; i++) {
        word = word << 8 | be.p[i];
        if ((be.n - 1 - i) % 4 == 0) {
            append_word(d, word ^ flip);
        }
    }
    if (d->negative) {
        add_one(d);
    } else if (d->n == 0) {
        d->limb[d->n++] = 0;
    }
    return PQ_OK;
}

static size_t count_digits(const Decimal *d)
{
    uint32_t top = d->limb[d->n - 1];
    size_t n = (d->n - 1) * LIMB_DIGITS + 1;

    for (; top >= 10; top /= 10) n++;
    return n;
}

/* All digits, no sign. */
static char *put_digits(const Decimal *d, char *out)
{
    size_t i = d->n - 1;

    out = pq_digits_u64(out, d->limb[i]);
    while (i-- > 0) {
        uint32_t v = d->limb[i];
        out = pq_digits_3(out, v / 1000000);
        out = pq_digits_3(out, v / 1000 % 1000);
        out = pq_digits_3(out, v % 1000);
    }
    return out;
}

/* n zeros */
static char *put_zeros(char *out, size_t n)
{
    memset(out, '0', n);
    return out + n;
}

/*
** digits 12345   scale 0   12345      scale -2   1234500
**                scale 3   12.345     scale 7    0.0012345
*/
static char *put_scaled(const Decimal *d, int32_t scale, char *out)
{
    size_t n = count_digits(d), after = scale > 0 ? (size_t)scale : 0;

    if (d->negative) {
        *out++ = '-';
    }
    if (after >= n) {
        *out++ = '0';
        *out++ = '.';
        return put_digits(d, put_zeros(out, after - n));
    }
    out = put_digits(d, out);
    if (after) {
        char *point = out - after;
        memmove(point + 1, point, after);
        *point = '.';
        return out + 1;
    }
    if (n > 1 || d->limb[0]) {
        out = put_zeros(out, (size_t)-scale);
    }
    return out;
}

static void append(const Decimal *d, int32_t scale, PqBuf *out)
{
    size_t room = count_digits(d) + (size_t)(scale < 0 ? -scale : scale) + 3;
    char *to = (char *)pq_buf_room(out, room);

    if (to) {
        out->n += (size_t)(put_scaled(d, scale, to) - to);
    }
}

static bool scale_is_sane(int32_t scale, PqErr *e)
{
    if (scale > SCALE_MAX || scale < -SCALE_MAX) {
        pq_fail(e, PQ_UNSUPPORTED, "a DECIMAL of scale %d", (int)scale);
        return false;
    }
    return true;
}

void pq_decimal_text_i128(__int128 unscaled, int32_t scale, PqBuf *out)
{
    Decimal d;

    assert(out->sink);
    if (scale_is_sane(scale, out->sink)) {
        from_i128(unscaled, &d);
        append(&d, scale, out);
    }
}

void pq_decimal_text_bytes(PqSlice be, int32_t scale, PqBuf *out)
{
    Decimal d;

    assert(out->sink);
    if (scale_is_sane(scale, out->sink) &&
        from_bytes(be, &d, out->sink) == PQ_OK) {
        append(&d, scale, out);
    }
}

bool pq_decimal_fits_i64(PqSlice be, int64_t *out)
{
    uint64_t v;

    be = trim(be);
    if (be.n > 8) {
        return false;
    }
    v = be.n && be.p[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < be.n; i++) v = v << 8 | be.p[i];
    *out = (int64_t)v;
    return true;
}

/* The REAL by strtod; text has room for all digits and EXPONENT_ROOM. */
static double parse(const Decimal *d, int32_t scale, char *text)
{
    int64_t exponent = -(int64_t)scale;
    char *p = text;

    if (d->negative) {
        *p++ = '-';
    }
    p = put_digits(d, p);
    *p++ = 'e';
    if (exponent < 0) {
        *p++ = '-';
    }
    p = pq_digits_u64(p, (uint64_t)(exponent < 0 ? -exponent : exponent));
    *p = 0;
    return strtod(text, NULL);
}

/* u / d correctly rounded; both are above zero.  The quotient has at least 63
** bits; its last bit is also set if there is a remainder.  It is rounded
** once. */
static double divide(uint64_t u, uint64_t d)
{
    int up = __builtin_clzll(u), down = __builtin_clzll(d);
    Wide top = (Wide)(u << up) << 63;
    uint64_t bottom = d << down;
    uint64_t q = (uint64_t)(top / bottom);
    uint64_t power = (uint64_t)(1023 + down - up - 63) << 52;
    double unit;

    q |= top - (Wide)q * bottom != 0;
    memcpy(&unit, &power, sizeof unit);                /* 2^(down-up-63) */
    return (double)q * unit;
}

static const double exact[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* Is it exactly a double? */
static inline bool is_whole(int64_t v)
{
    const int64_t limit = (int64_t)1 << 53;

    return v >= -limit && v <= limit;
}

double pq_decimal_real_i64(int64_t unscaled, int32_t scale)
{
    const int32_t largest = (int32_t)PQ_COUNT(exact) - 1;
    uint64_t size = unscaled < 0 ? 0 - (uint64_t)unscaled : (uint64_t)unscaled;
    char text[PQ_DIGITS_U64_MAX + EXPONENT_ROOM];
    double real;
    Decimal d;

    if (scale == 0 || unscaled == 0) {
        return (double)unscaled;
    }
    if (is_whole(unscaled)) {
        if (scale > 0 && scale <= largest) {
            return (double)unscaled / exact[scale];
        }
        if (scale < 0 && scale >= -largest) {
            return (double)unscaled * exact[-scale];
        }
    }
    if (scale > 0 && scale <= 19) {                /* 10^19 fits 64 bits */
        real = divide(size, (uint64_t)exact[scale]);
        return unscaled < 0 ? -real : real;
    }
    from_i128(unscaled, &d);
    return parse(&d, scale, text);
}

/* Is one division by a power of ten enough? */
static bool is_plain_scale(int32_t scale)
{
    return scale >= 0 && scale < (int32_t)PQ_COUNT(exact);
}

void pq_decimal_reals_i32(const int32_t *unscaled, const uint64_t *valid,
                          uint32_t n, int32_t scale, double *out)
{
    bool plain = is_plain_scale(scale);
    double unit = plain ? exact[scale] : 0;

    PQ_EACH_BIT(i, valid, n) {
        out[i] = plain ? unscaled[i] / unit
                       : pq_decimal_real_i64(unscaled[i], scale);
    }
}

void pq_decimal_reals_i64(const int64_t *unscaled, const uint64_t *valid,
                          uint32_t n, int32_t scale, double *out)
{
    bool plain = is_plain_scale(scale);
    double unit = plain ? exact[scale] : 0;

    PQ_EACH_BIT(i, valid, n) {
        out[i] = plain && is_whole(unscaled[i])
                     ? (double)unscaled[i] / unit
                     : pq_decimal_real_i64(unscaled[i], scale);
    }
}

double pq_decimal_real_i128(__int128 unscaled, int32_t scale)
{
    char text[LIMBS_OF_128 * LIMB_DIGITS + EXPONENT_ROOM];
    Decimal d;

    if ((int64_t)unscaled == unscaled) {
        return pq_decimal_real_i64((int64_t)unscaled, scale);
    }
    from_i128(unscaled, &d);
    return parse(&d, scale, text);
}

PqRc pq_decimal_real_bytes(PqSlice be, int32_t scale, PqBuf *scratch,
                           double *out, PqErr *e)
{
    int64_t small;
    Decimal d;

    if (pq_decimal_fits_i64(be, &small)) {
        *out = pq_decimal_real_i64(small, scale);
        return PQ_OK;
    }
    PQ_TRY(from_bytes(be, &d, e));
    PQ_TRY(pq_buf_resize(scratch, d.n * LIMB_DIGITS + EXPONENT_ROOM, e));
    *out = parse(&d, scale, (char *)scratch->p);
    return PQ_OK;
}
