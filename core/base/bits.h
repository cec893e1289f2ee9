/*
** bits.h - arrays of bits: which values are there, which rows are wanted.
**
** Bit i is bit i % 64 of word i / 64.  Where bits may be NULL, that stands for
** all of them.
*/
#ifndef PQ_BITS_H
#define PQ_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool pq_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

static inline void pq_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* A word with its n lowest bits set; n is 1 to 64. */
static inline uint64_t pq_bits_low(uint32_t n)
{
    return ~(uint64_t)0 >> (64 - n);
}

/* The n (1 to 64) bits from bit i on; zeros above. */
static inline uint64_t pq_bits_from(const uint64_t *bits, uint64_t i,
                                    uint32_t n)
{
    uint32_t shift = i % 64;
    uint64_t v = bits[i / 64] >> shift;

    if (shift + n > 64) {
        v |= bits[i / 64 + 1] << (64 - shift);
    }
    return v & pq_bits_low(n);
}

/* Sets the n (1 to 64) bits from bit i on to the lowest bits of v. */
static inline void pq_bits_put(uint64_t *bits, uint64_t i, uint32_t n,
                               uint64_t v)
{
    uint64_t mask = pq_bits_low(n);
    uint32_t shift = i % 64;

    v &= mask;
    bits += i / 64;
    bits[0] = (bits[0] & ~(mask << shift)) | v << shift;
    if (shift + n > 64) {
        bits[1] = (bits[1] & ~(mask >> (64 - shift))) | v >> (64 - shift);
    }
}

static inline void pq_bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* The first bit that is set from i on; n or more if none below n is.  Whole
** words without a bit are passed at once: filters often leave few rows. */
static inline uint32_t pq_next_bit(const uint64_t *bits, uint32_t i, uint32_t n)
{
    uint64_t left;

    if (!bits || i >= n) {
        return i;
    }
    left = bits[i >> 6] >> (i & 63);
    if (left) {
        return i + (uint32_t)__builtin_ctzll(left);
    }
    for (i = (i | 63) + 1; i < n && !bits[i >> 6]; i += 64) {
    }
    return i < n ? i + (uint32_t)__builtin_ctzll(bits[i >> 6]) : i;
}

#define PQ_EACH_BIT(i, bits, n) \
    for (uint32_t i = pq_next_bit(bits, 0, n); i < (n); \
         i = pq_next_bit(bits, i + 1, n))

#endif
