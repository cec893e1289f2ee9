/*
** decimal_parse.c - parses a DECIMAL from exact text or from a REAL.
**
** A number is digits * 10^exponent.  Its unscaled value is
** digits * 10^(exponent + scale), which must be an integer:
**
**   12.345   scale 4   12345 * 10^1
**   12.300   scale 1   12300 * 10^-2: two zeros are dropped, 123
**   12.345   scale 2   FINER
**
** The number of its digits, and so whether the precision allows it, is known
** before it is computed.  Up to 38 digits are computed in 128 bits.  More
** digits, up to what PQ_DECIMAL_BYTES hold, are computed by Horner's rule over
** 32-bit limbs, nine digits at a time.
*/
#include "core/text/number_scan.h"
#include "core/text/number_text.h"

#include <assert.h>
#include <math.h>

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 Signed;

enum {
    WIDE_DIGITS = 38,
    LIMBS_MAX = PQ_DECIMAL_BYTES / 4,
    DIGITS_MAX = 9864,               /* more never fit PQ_DECIMAL_BYTES      */
    STEP_DIGITS = 9
};

/* Scales x: afterwards the unscaled value is x's digits * 10^exponent.  Fails
** if that is not an integer, or has more digits than the precision. */
static PqParse put_to_scale(PqNumber *x, int32_t precision, int32_t scale)
{
    x->exponent += scale;
    if (x->n == 0) {
        return PQ_PARSE_OK;
    }
    if (x->exponent < 0) {
        pq_number_scan_strip(x, -x->exponent);
        if (x->exponent < 0) {
            return PQ_PARSE_FINER;
        }
    }
    return (int64_t)x->n + x->exponent > precision ? PQ_PARSE_RANGE
                                                   : PQ_PARSE_OK;
}

static Wide times_ten_to(Wide v, int64_t k)
{
    for (; k > PQ_SCAN_SMALL; k -= PQ_SCAN_SMALL) {
        v *= pq_scan_ten_to[PQ_SCAN_SMALL];
    }
    return v * pq_scan_ten_to[k];
}

/* The value of a scaled number that has at most WIDE_DIGITS digits. */
static Signed wide_of(const PqNumber *x)
{
    const uint8_t *p;
    Wide v = x->small;
    size_t left;

    if (x->n == 0) {
        return 0;
    }
    if (x->n > PQ_SCAN_SMALL) {
        v = 0;
        for (p = x->first, left = x->n; left; left--) {
            v = v * 10 + pq_scan_digit(&p);
        }
    }
    v = times_ten_to(v, x->exponent);
    return x->negative ? -(Signed)v : (Signed)v;
}

static bool is_wide(const PqNumber *x)
{
    return x->n == 0 || (int64_t)x->n + x->exponent <= WIDE_DIGITS;
}

PqParse pq_decimal_parse_i64(PqSlice text, int32_t precision, int32_t scale,
                             int64_t *out)
{
    PqParse parse;
    PqNumber x;
    Signed v;

    if (!pq_number_scan(text, &x)) {
        return PQ_PARSE_NOT;
    }
    parse = put_to_scale(&x, precision, scale);
    if (parse != PQ_PARSE_OK || !is_wide(&x)) {
        return parse == PQ_PARSE_OK ? PQ_PARSE_RANGE : parse;
    }
    v = wide_of(&x);
    *out = (int64_t)v;
    return *out == v ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

/* ---- bytes --------------------------------------------------------------- */

/* Removes leading bytes that only repeat the sign; returns the new length. */
static size_t fewest(uint8_t *p, size_t n)
{
    size_t skip = 0;

    while (skip + 1 < n && ((p[skip] == 0x00 && p[skip + 1] < 0x80) ||
                            (p[skip] == 0xff && p[skip + 1] >= 0x80))) {
        skip++;
    }
    memmove(p, p + skip, n - skip);
    return n - skip;
}

static size_t put_wide(Signed v, uint8_t *out)
{
    if (v == (int64_t)v) {
        pq_store_u64_be(out, (uint64_t)v);
        return fewest(out, sizeof(uint64_t));
    }
    pq_store_i128_be(out, v);
    return fewest(out, sizeof v);
}

/* Little-endian limbs. */
typedef struct Big {
    uint32_t limb[LIMBS_MAX];
    size_t   n;
} Big;

/* b = b * by + carry; false: there is no room. */
static bool big_append(Big *b, uint32_t by, uint64_t carry)
{
    for (size_t i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * by;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        if (b->n == LIMBS_MAX) {
            return false;
        }
        b->limb[b->n++] = (uint32_t)carry;
    }
    return true;
}

static bool big_of(const PqNumber *x, Big *b)
{
    size_t left = x->n + (size_t)x->exponent, i = 0;
    const uint8_t *p = x->first;

    b->n = 0;
    while (left) {
        uint32_t step = 0;
        size_t k = left % STEP_DIGITS ? left % STEP_DIGITS : STEP_DIGITS;

        left -= k;
        for (uint64_t j = k; j; j--, i++) {
            uint32_t digit = i < x->n ? pq_scan_digit(&p) : 0;

            step = step * 10 + digit;    /* the exponent adds zeros */
        }
        if (!big_append(b, (uint32_t)pq_scan_ten_to[k], step)) {
            return false;
        }
    }
    return true;
}

/* Writes two's complement; false: it needs one byte more than there is. */
static bool put_big(const Big *b, bool negative, uint8_t *out, size_t *n)
{
    size_t at = b->n * 4;
    uint32_t carry = negative;

    for (size_t i = 0; i < b->n; i++, at -= 4) {
        uint64_t limb = negative ? (uint64_t)(uint32_t)~b->limb[i] + carry
                                 : b->limb[i];

        carry = (uint32_t)(limb >> 32);
        out[at - 1] = (uint8_t)limb;
        out[at - 2] = (uint8_t)(limb >> 8);
        out[at - 3] = (uint8_t)(limb >> 16);
        out[at - 4] = (uint8_t)(limb >> 24);
    }
    *n = b->n * 4;
    if ((out[0] >= 0x80) == negative) {
        *n = fewest(out, *n);
        return true;
    }
    if (*n == PQ_DECIMAL_BYTES) {
        return false;
    }
    memmove(out + 1, out, *n);       /* the sign needs a bit of its own */
    out[0] = negative ? 0xff : 0x00;
    ++*n;
    return true;
}

PqParse pq_decimal_parse_bytes(PqSlice text, int32_t precision, int32_t scale,
                               uint8_t out[PQ_DECIMAL_BYTES], size_t *n)
{
    PqParse parse;
    PqNumber x;
    Big b;

    if (!pq_number_scan(text, &x)) {
        return PQ_PARSE_NOT;
    }
    parse = put_to_scale(&x, precision < DIGITS_MAX ? precision : DIGITS_MAX,
                         scale);
    if (parse != PQ_PARSE_OK) {
        return parse;
    }
    if (is_wide(&x)) {
        *n = put_wide(wide_of(&x), out);
        return PQ_PARSE_OK;
    }
    return big_of(&x, &b) && put_big(&b, x.negative, out, n) ? PQ_PARSE_OK
                                                             : PQ_PARSE_RANGE;
}

/* ---- rounded ------------------------------------------------------------- */

/* Keeps the first digits of x, a number with more; returns whether the next one
** rounds them up. */
static bool keep_digits(PqNumber *x, size_t keep)
{
    const uint8_t *p = x->first;

    x->small = 0;                    /* not used if there are too many       */
    for (size_t i = 0; i < keep; i++) {
        x->small = x->small * 10 + pq_scan_digit(&p);
    }
    x->n = keep;
    x->exponent = 0;
    return pq_scan_digit(&p) >= 5;
}

PqParse pq_decimal_parse_rounded(PqSlice text, int32_t precision,
                                 int32_t scale, uint8_t out[PQ_DECIMAL_WIDE],
                                 size_t *n)
{
    bool up = false;
    Signed v, limit;
    PqNumber x;

    assert(precision <= WIDE_DIGITS);
    if (!pq_number_scan(text, &x)) {
        return PQ_PARSE_NOT;
    }
    x.exponent += scale;
    if (x.n && x.exponent < 0) {
        if (-x.exponent > (int64_t)x.n) {
            x.n = 0;                 /* less than half of the last place */
        } else {
            up = keep_digits(&x, x.n - (size_t)-x.exponent);
        }
    }
    if (!is_wide(&x)) {
        return PQ_PARSE_RANGE;
    }
    v = wide_of(&x) + (up ? x.negative ? -1 : 1 : 0);
    limit = (Signed)times_ten_to(1, precision);
    *n = put_wide(v, out);
    return v > -limit && v < limit ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}

/* ---- REAL ---------------------------------------------------------------- */

/* Parses v, which is finite, by the digits of its text. */
static PqParse real_by_text(double v, int32_t precision, int32_t scale,
                            int64_t *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = pq_number_text_double(v, text);
    int64_t drop, size;
    uint64_t unit;
    PqNumber x;

    pq_number_scan(pq_slice(text, n), &x);
    if (x.n) {
        pq_number_scan_strip(&x, (int64_t)x.n);
    }
    drop = -(x.exponent + scale);
    if (x.n == 0 || drop > (int64_t)x.n) {
        *out = 0;                    /* less than half of the last place */
        return PQ_PARSE_OK;
    }
    if ((int64_t)x.n - drop > precision) {
        return PQ_PARSE_RANGE;
    }
    if (drop <= 0) {
        size = (int64_t)(x.small * pq_scan_ten_to[-drop]);
    } else {
        unit = pq_scan_ten_to[drop];
        size = (int64_t)(x.small / unit + (x.small % unit >= unit / 2));
    }
    *out = x.negative ? -size : size;
    return size < (int64_t)pq_scan_ten_to[precision] ? PQ_PARSE_OK
                                                     : PQ_PARSE_RANGE;
}

/*
** The product v * 10^scale has a relative error below 2^-52: it is rounded, and
** v is not exactly its text.  If the product is so close to a half that the
** error decides which way to round, the digits of the text are used.
*/
PqParse pq_decimal_parse_real(double v, int32_t precision, int32_t scale,
                              int64_t *out)
{
    double product, size, whole;

    assert(precision <= PQ_DECIMAL_REAL_DIGITS);
    if (isnan(v)) {
        return PQ_PARSE_NOT;
    }
    if (scale < 0 || scale > PQ_SCAN_SMALL) {
        return isinf(v) ? PQ_PARSE_RANGE
                        : real_by_text(v, precision, scale, out);
    }
    product = v * (double)pq_scan_ten_to[scale];
    size = fabs(product);
    if (size >= (double)pq_scan_ten_to[precision]) {
        return PQ_PARSE_RANGE;
    }
    whole = (double)(int64_t)size;
    if (fabs(size - whole - 0.5) <= size * 0x1p-51) {
        return real_by_text(v, precision, scale, out);
    }
    *out = (int64_t)size + (size - whole > 0.5);
    *out = product < 0 ? -*out : *out;
    return *out < (int64_t)pq_scan_ten_to[precision] &&
                   *out > -(int64_t)pq_scan_ten_to[precision]
               ? PQ_PARSE_OK : PQ_PARSE_RANGE;
}
