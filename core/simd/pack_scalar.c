/*
** pack_scalar.c - bit packing in plain C, the reverse of the picture in
** kernels_scalar.c.
**
** Eight values of width bits are gathered in as many 64-bit words as they fill.
** One inline body is expanded for each width by a switch, so the compiler knows
** every word and every shift and keeps the words in registers.
**
**   width 20:  word 0   0 1 2 and 4 bits of 3
**              word 1   the rest of 3, 4 5 and 8 bits of 6
**              word 2   the rest of 6, 7            20 bytes, 4 of slack
*/
#include "core/simd/kernels_inside.h"

#define APART static __attribute__((noinline))

enum { GROUP = 8, MOST_WORDS = 8 };

_Static_assert(PQ_PACK_SLACK >= 7, "whole words are stored");

PQ_INLINE void put_at(uint64_t *word, unsigned width, unsigned i, uint64_t v)
{
    unsigned bit = i * width, shift = bit % 64;

    word[bit / 64] |= v << shift;
    if (shift + width > 64) {
        word[bit / 64 + 1] |= v >> (64 - shift);
    }
}

PQ_INLINE void store_at(const uint64_t *word, unsigned width, unsigned i,
                        uint8_t *out)
{
    if (8 * i < width) {
        pq_store_u64(out + 8 * (size_t)i, word[i]);
    }
}

/* Value i of those at in, of `size` bytes. */
PQ_INLINE uint64_t value_at(const void *in, unsigned i, size_t size)
{
    return size == sizeof(uint32_t) ? ((const uint32_t *)in)[i]
                                    : ((const uint64_t *)in)[i];
}

/* Unrolled by hand: at -O2 the compiler does not unroll. */
PQ_INLINE void pack_group(const void *in, size_t size, unsigned width,
                          uint8_t *out)
{
    uint64_t word[MOST_WORDS] = {0};

    put_at(word, width, 0, value_at(in, 0, size));
    put_at(word, width, 1, value_at(in, 1, size));
    put_at(word, width, 2, value_at(in, 2, size));
    put_at(word, width, 3, value_at(in, 3, size));
    put_at(word, width, 4, value_at(in, 4, size));
    put_at(word, width, 5, value_at(in, 5, size));
    put_at(word, width, 6, value_at(in, 6, size));
    put_at(word, width, 7, value_at(in, 7, size));
    store_at(word, width, 0, out);
    store_at(word, width, 1, out);
    store_at(word, width, 2, out);
    store_at(word, width, 3, out);
    store_at(word, width, 4, out);
    store_at(word, width, 5, out);
    store_at(word, width, 6, out);
    store_at(word, width, 7, out);
}

/* n < GROUP values; writes only the bytes they are in. */
APART void pack_last(const void *in, size_t size, unsigned width, uint32_t n,
                     uint8_t *out)
{
    uint64_t word[MOST_WORDS] = {0};

    for (uint32_t i = 0; i < n; i++) {
        put_at(word, width, i, value_at(in, i, size));
    }
    memcpy(out, word, (n * width + 7) / 8);
}

PQ_INLINE void pack_width(unsigned width, const void *values, size_t size,
                          uint32_t n, uint8_t *out)
{
    const uint8_t *in = values;

    for (; n >= GROUP; n -= GROUP, in += GROUP * size, out += width) {
        pack_group(in, size, width, out);
    }
    if (n > 0) {
        pack_last(in, size, width, n, out);
    }
}

void pq_scalar_pack32(const uint32_t *in, unsigned width, uint32_t n,
                      uint8_t *out)
{
    switch (width) {
        PQ_CASES(1, pack_width, in, sizeof *in, n, out)
        PQ_CASES(9, pack_width, in, sizeof *in, n, out)
        PQ_CASES(17, pack_width, in, sizeof *in, n, out)
        PQ_CASES(25, pack_width, in, sizeof *in, n, out)
    }
}

void pq_scalar_pack64(const uint64_t *in, unsigned width, uint32_t n,
                      uint8_t *out)
{
    switch (width) {
        PQ_CASES(1, pack_width, in, sizeof *in, n, out)
        PQ_CASES(9, pack_width, in, sizeof *in, n, out)
        PQ_CASES(17, pack_width, in, sizeof *in, n, out)
        PQ_CASES(25, pack_width, in, sizeof *in, n, out)
        PQ_CASES(33, pack_width, in, sizeof *in, n, out)
        PQ_CASES(41, pack_width, in, sizeof *in, n, out)
        PQ_CASES(49, pack_width, in, sizeof *in, n, out)
        PQ_CASES(57, pack_width, in, sizeof *in, n, out)
    }
}

/* Byte i of eight becomes bit i of the product's highest byte.  The factor has
** a bit for each byte, and no two of their products overlap. */
static uint8_t bytes_to_bits(uint64_t bytes)
{
    return (uint8_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}

void pq_scalar_pack_bools(const uint8_t *in, uint32_t n, uint8_t *out)
{
    uint8_t last[8] = {0};

    for (; n >= 8; n -= 8, in += 8) {
        *out++ = bytes_to_bits(pq_load_u64(in));
    }
    if (n > 0) {
        memcpy(last, in, n);
        *out = bytes_to_bits(pq_load_u64(last));
    }
}
