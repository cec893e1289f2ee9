/*
** digits.h - writes decimal digits, two at a time.
*/
#ifndef PQ_DIGITS_H
#define PQ_DIGITS_H

#include "core/base/bytes.h"

enum { PQ_DIGITS_U64_MAX = 20 };

/* "000102...99" */
extern const char pq_digits_pairs[201];

/* Exactly two digits of v < 100. */
static inline char *pq_digits_2(char *out, uint32_t v)
{
    memcpy(out, pq_digits_pairs + 2 * v, 2);
    return out + 2;
}

/* Exactly three digits of v < 1000. */
static inline char *pq_digits_3(char *out, uint32_t v)
{
    *out = (char)('0' + v / 100);
    return pq_digits_2(out + 1, v % 100);
}

/* All digits of v, at least one, without a NUL; returns the end. */
char *pq_digits_u64(char *out, uint64_t v);

#endif
