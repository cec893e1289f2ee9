/*
** number_text.c - prints integers, and converts half precision to single.
**
** Digits are written in pairs from a table, which halves the divisions.
*/
#include "core/text/digits.h"
#include "core/text/number_text.h"

const char pq_digits_pairs[201] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

char *pq_digits_u64(char *out, uint64_t v)
{
    char back[PQ_DIGITS_U64_MAX], *p = back + sizeof back;
    size_t n;

    for (; v >= 100; v /= 100) {
        p -= 2;
        pq_digits_2(p, (uint32_t)(v % 100));
    }
    if (v >= 10) {
        p -= 2;
        pq_digits_2(p, (uint32_t)v);
    } else {
        *--p = (char)('0' + v);
    }
    n = (size_t)(back + sizeof back - p);
    memcpy(out, p, n);
    return out + n;
}

size_t pq_number_text_u64(uint64_t v, char *out)
{
    char *end = pq_digits_u64(out, v);

    *end = 0;
    return (size_t)(end - out);
}

size_t pq_number_text_i64(int64_t v, char *out)
{
    if (v >= 0) {
        return pq_number_text_u64((uint64_t)v, out);
    }
    *out = '-';
    return 1 + pq_number_text_u64(0 - (uint64_t)v, out + 1);
}

/*
**   half    s eeeee  mmmmmmmmmm           bias 15
**   single  s eeeeeeee mmmmmmmmmm 0...    bias 127
**
** Every half fits a single exactly, so nothing is rounded.
*/
float pq_float16_value(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31;
    uint32_t mantissa = bits & 0x3ff;
    uint32_t wide;
    float v;

    if (exponent == 0) {                          /* zero or subnormal */
        v = (float)mantissa * 0x1p-24f;
        return sign ? -v : v;
    }
    exponent = exponent == 31 ? 255 : exponent + (127 - 15);
    wide = sign | exponent << 23 | mantissa << 13;
    memcpy(&v, &wide, sizeof v);
    return v;
}
