/*
** float_text.c - the fewest digits that read back as the same number.
**
** A finite number is m * 2^e.  Everything between the midpoints to its
** neighbours reads back as that number; the midpoints themselves do too if m is
** even (ties go to even).  In quarters of 2^e that is
**
**   low = 4m - 2         v = 4m         high = 4m + 2
**
** with low = 4m - 1 if m is the smallest of its binade, where the neighbour
** below is nearer.  All three are multiplied by the same 10^k, so that v lies
** between 10^16 and 2 * 10^17 (10^8 and 2 * 10^9 for a float).  Then at least
** one integer lies between low and high, and the shortest decimal is the one
** with the most trailing zeros:
**
**   0.3   low 29999999999999996.1   v 29999999999999998.9
**        high 30000000000000001.7   -> 30000000000000000   -> 0.3
**
** Nothing is approximated.  floor(c * 2^e * 10^k) is computed with 128-bit
** integers for most data (1e-11 to 1e43), and with an array of 64-bit limbs
** beyond that.  c * 5^k fits either one exactly.  The bits after the point only
** matter if one is set.
**
** The road not taken: Ryu and similar algorithms are faster, but need ten
** kilobytes of tables that nobody can check by reading.
*/
#include "core/text/digits.h"
#include "core/text/number_text.h"

#include <assert.h>

__extension__ typedef unsigned __int128 Wide;

enum {
    FIVES = 27,               /* the largest power of 5 in 64 bits          */
    LIMBS = 16,               /* 8m * 5^340 needs 846 bits                  */
    PLAIN_MIN = -4,           /* exponents printed without e, as SQLite's   */
    PLAIN_MAX = 14            /* own printf does                            */
};

static const uint64_t five_to[FIVES + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625,
    48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625,
    762939453125, 3814697265625, 19073486328125, 95367431640625,
    476837158203125, 2384185791015625, 11920928955078125, 59604644775390625,
    298023223876953125, 1490116119384765625, 7450580596923828125
};

/* The integer part of a number; more: its fraction is not zero. */
typedef struct Cut {
    uint64_t whole;
    bool     more;
} Cut;

/* Little-endian limbs, n of them in use; the others are zero. */
typedef struct Big {
    uint64_t limb[LIMBS];
    int      n;
} Big;

/* c << shift */
static void big_set(Big *b, uint64_t c, int shift)
{
    int at = shift / 64, bits = shift % 64;

    assert(shift >= 0 && at + 2 <= LIMBS);
    memset(b->limb, 0, sizeof b->limb);
    b->limb[at] = c << bits;
    b->limb[at + 1] = bits ? c >> (64 - bits) : 0;
    b->n = at + 2;
}

static void big_multiply(Big *b, uint64_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < b->n; i++) {
        Wide t = (Wide)b->limb[i] * by + carry;
        b->limb[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry) {
        assert(b->n < LIMBS);
        b->limb[b->n++] = carry;
    }
}

/* Returns whether there was a remainder. */
static bool big_divide(Big *b, uint64_t by)
{
    uint64_t rest = 0;

    for (int i = b->n; i-- > 0;) {
        Wide t = (Wide)rest << 64 | b->limb[i];
        b->limb[i] = (uint64_t)(t / by);
        rest = (uint64_t)(t % by);
    }
    return rest != 0;
}

/* floor(b / 2^shift), which fits 64 bits. */
static Cut big_cut(const Big *b, int shift)
{
    int at = shift / 64, bits = shift % 64;
    Cut cut = {0, false};

    assert(shift >= 0 && at + 1 < LIMBS);
    for (int i = 0; i < at; i++) cut.more |= b->limb[i] != 0;
    cut.more |= (b->limb[at] & (((uint64_t)1 << bits) - 1)) != 0;
    cut.whole = b->limb[at] >> bits;
    cut.whole |= bits ? b->limb[at + 1] << (64 - bits) : 0;
    return cut;
}

/* floor(c * 2^e * 10^k), k > 0. */
static PQ_COLD Cut scale_tiny(uint64_t c, int e, int k)
{
    int shift = -(e + k);
    Big b;

    big_set(&b, c, 0);
    for (; k > FIVES; k -= FIVES) big_multiply(&b, five_to[FIVES]);
    big_multiply(&b, five_to[k]);
    return big_cut(&b, shift);
}

/* The same with k < 0.  Dividing in steps is exact: the floor of a floor is the
** floor, and there is a remainder if any step has one. */
static PQ_COLD Cut scale_huge(uint64_t c, int e, int k)
{
    bool more = false;
    Big b;
    Cut cut;

    big_set(&b, c, e + k);
    for (; k < -FIVES; k += FIVES) more |= big_divide(&b, five_to[FIVES]);
    more |= big_divide(&b, five_to[-k]);
    cut = big_cut(&b, 0);
    cut.more |= more;
    return cut;
}

/* floor(c * 2^e * 10^k): c below 2^56, the result below 2^62. */
static inline Cut scale(uint64_t c, int e, int k)
{
    int shift = e + k;
    Wide t, mask;

    if (PQ_UNLIKELY(k > FIVES)) {
        return scale_tiny(c, e, k);
    }
    if (PQ_UNLIKELY(k < -FIVES)) {
        return scale_huge(c, e, k);
    }
    if (k < 0) {
        t = (Wide)c << shift;
        return (Cut){(uint64_t)(t / five_to[-k]), t % five_to[-k] != 0};
    }
    t = (Wide)c * five_to[k];
    if (shift >= 0) {
        return (Cut){(uint64_t)t << shift, false};
    }
    mask = ((Wide)1 << -shift) - 1;
    return (Cut){(uint64_t)(t >> -shift), (t & mask) != 0};
}

/* digits * 10^exponent */
typedef struct Decimal {
    uint64_t digits;
    int      exponent;
} Decimal;

/*
** The shortest decimal of m * 2^e; of several, the nearest.  narrow: the
** neighbour below is at half the distance.  places: one less than the digits
** that are enough for every number of the type.
*/
static Decimal shortest(uint64_t m, int e, bool narrow, int places)
{
    int bits = 63 - __builtin_clzll(m) + e;      /* 2^bits <= m * 2^e     */
    int k = places - (int)((bits * (int64_t)315653) >> 20); /* log10(2)   */
    bool even = !(m & 1);
    Cut low = scale(4 * m - (narrow ? 1 : 2), e - 2, k);
    Cut high = scale(4 * m + 2, e - 2, k);
    Cut twice = scale(8 * m, e - 2, k);
    uint64_t first = low.whole + (low.more || !even);
    uint64_t last = high.whole - (!high.more && !even);
    uint64_t unit = 1, q, rest;
    int exponent = -k;

    while ((first + 9) / 10 <= last / 10) {
        first = (first + 9) / 10;
        last /= 10;
        unit *= 10;
        exponent++;
    }
    q = twice.whole / (2 * unit);
    rest = twice.whole % (2 * unit);
    q += rest > unit || (rest == unit && (twice.more || (q & 1)));
    q = q < first ? first : q > last ? last : q;
    return (Decimal){q, exponent};
}

/* d.ddde+xx, at least one digit on each side of the point. */
static char *put_scientific(const char *digit, int n, int exponent, char *out)
{
    uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);

    *out++ = digit[0];
    *out++ = '.';
    if (n == 1) {
        *out++ = '0';
    }
    memcpy(out, digit + 1, (size_t)n - 1);
    out += n - 1;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    return size < 100 ? pq_digits_2(out, size) : pq_digits_3(out, size);
}

char *pq_digits_plain(const char *digit, int n, int exponent, char *out)
{
    int before = exponent + 1;                  /* digits before the point */

    if (before <= 0) {
        memcpy(out, "0.", 2);
        memset(out + 2, '0', (size_t)-before);
        out += 2 - before;
        memcpy(out, digit, (size_t)n);
        return out + n;
    }
    if (before >= n) {
        memcpy(out, digit, (size_t)n);
        memset(out + n, '0', (size_t)(before - n));
        return out + before;
    }
    memcpy(out, digit, (size_t)before);
    out[before] = '.';
    memcpy(out + before + 1, digit + before, (size_t)(n - before));
    return out + n + 1;
}

/* With at least one digit on each side of the point. */
static char *put_plain(const char *digit, int n, int exponent, char *out)
{
    out = pq_digits_plain(digit, n, exponent, out);
    if (exponent + 1 >= n) {
        *out++ = '.';
        *out++ = '0';
    }
    return out;
}

static size_t put(bool negative, Decimal d, char *out)
{
    char digit[PQ_DIGITS_U64_MAX], *end = out;
    int n = (int)(pq_digits_u64(digit, d.digits) - digit);
    int exponent = d.exponent + n - 1;

    if (negative) {
        *end++ = '-';
    }
    end = exponent >= PLAIN_MIN && exponent <= PLAIN_MAX
              ? put_plain(digit, n, exponent, end)
              : put_scientific(digit, n, exponent, end);
    *end = 0;
    return (size_t)(end - out);
}

static size_t put_infinity(bool negative, char *out)
{
    const char *text = negative ? "-9e999" : "9e999";

    memcpy(out, text, strlen(text) + 1);
    return strlen(text);
}

/*
**   double  s eeeeeeeeeee mmm...   52 bits of mantissa, bias 1023
**   float   s eeeeeeee mmm...      23 bits of mantissa, bias 127
*/
static Decimal of_parts(uint64_t m, int e, int bits, int bias, int places)
{
    return e == 0 ? shortest(m, 1 - bias - bits, false, places)
                  : shortest(m | (uint64_t)1 << bits, e - bias - bits,
                             m == 0 && e > 1, places);
}

static Decimal of_double(uint64_t bits)
{
    return of_parts(bits & (((uint64_t)1 << 52) - 1), (int)(bits >> 52 & 0x7ff),
                    52, 1023, 16);
}

size_t pq_number_text_double(double v, char *out)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        return put_infinity(bits >> 63, out);
    }
    return put(bits >> 63, bits << 1 ? of_double(bits) : (Decimal){0, 0}, out);
}

uint64_t pq_number_digits(double v, int *exponent)
{
    uint64_t bits;
    Decimal d;

    memcpy(&bits, &v, sizeof bits);
    d = of_double(bits);
    *exponent = d.exponent;
    return d.digits;
}

size_t pq_number_text_float(float v, char *out)
{
    Decimal d = {0, 0};
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    if ((bits >> 23 & 0xff) == 0xff) {
        return put_infinity(bits >> 31, out);
    }
    if (bits << 1) {
        d = of_parts(bits & (((uint32_t)1 << 23) - 1), (int)(bits >> 23 & 0xff),
                     23, 127, 8);
    }
    return put(bits >> 31, d, out);
}
