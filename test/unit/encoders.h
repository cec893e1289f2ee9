/*
** encoders.h - encodings written the slow and obvious way, for tests to read.
*/
#ifndef ENCODERS_H
#define ENCODERS_H

#include "test/unit/test.h"

#include <stdlib.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_u64(Random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint32_t random_below(Random *r, uint32_t n)
{
    return (uint32_t)((random_u64(r) >> 32) % n);
}

/* width random bits. */
static inline uint64_t random_bits(Random *r, unsigned width)
{
    return width ? random_u64(r) >> (64 - width) : 0;
}

/* A copy of bytes with exactly one byte after it, freed by the caller. */
static inline uint8_t *page_copy(PqSlice bytes)
{
    uint8_t *p = malloc(bytes.n + 1);

    if (!p) {
        abort();
    }
    if (bytes.n) {
        memcpy(p, bytes.p, bytes.n);
    }
    p[bytes.n] = 0xee;
    return p;
}

/* Least significant bit first, the last byte padded with zeros. */
static inline void put_packed(PqBuf *b, const uint64_t *v, size_t n,
                              unsigned width)
{
    unsigned byte = 0, n_bits = 0;

    for (size_t i = 0; i < n; i++) {
        for (unsigned bit = 0; bit < width; bit++) {
            byte |= (unsigned)(v[i] >> bit & 1) << n_bits++;
            if (n_bits == 8) {
                pq_buf_byte(b, (uint8_t)byte);
                byte = n_bits = 0;
            }
        }
    }
    if (n_bits) {
        pq_buf_byte(b, (uint8_t)byte);
    }
}

static inline void put_repeat(PqBuf *b, uint64_t count, uint64_t value,
                              unsigned width)
{
    pq_buf_varint(b, count << 1);
    for (unsigned i = 0; i < width; i += 8) {
        pq_buf_byte(b, (uint8_t)(value >> i));
    }
}

/* n values, padded with zeros to groups of eight. */
static inline void put_groups(PqBuf *b, const uint64_t *v, size_t n,
                              unsigned width)
{
    uint64_t last[8] = {0};
    size_t whole = n / 8 * 8;

    pq_buf_varint(b, (n + 7) / 8 << 1 | 1);
    put_packed(b, v, whole, width);
    if (n > whole) {
        memcpy(last, v + whole, (n - whole) * sizeof *v);
        put_packed(b, last, 8, width);
    }
}

/* Random values in random runs; v receives them. */
static inline void put_runs(PqBuf *b, Random *r, uint64_t *v, size_t n,
                            unsigned width)
{
    for (size_t at = 0; at < n;) {
        size_t some = 1 + random_below(r, random_below(r, 4) ? 40 : 600);
        bool repeat = random_below(r, 2);

        some = some < n - at ? some : n - at;
        if (!repeat && at + some < n) {
            some = (some + 7) / 8 * 8;         /* only the last is padded */
            some = some < n - at ? some : n - at;
        }
        v[at] = random_bits(r, width);
        for (size_t i = 1; i < some; i++) {
            v[at + i] = repeat ? v[at] : random_bits(r, width);
        }
        if (repeat) {
            put_repeat(b, some, v[at], width);
        } else {
            put_groups(b, v + at, some, width);
        }
        at += some;
    }
}

static inline void put_zigzag(PqBuf *b, int64_t v)
{
    pq_buf_varint(b, (uint64_t)v << 1 ^ (v < 0 ? ~(uint64_t)0 : 0));
}

static inline unsigned bits_of(uint64_t v)
{
    unsigned n = 0;

    for (; v; v >>= 1) {
        n++;
    }
    return n;
}

/* The smallest delta as a number of bits bits, and the packed rest. */
static inline void put_delta_block(PqBuf *b, const int64_t *v, size_t n,
                                   size_t per_mini, size_t minis,
                                   unsigned bits, uint8_t filler)
{
    uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    uint64_t *packed = calloc(per_mini * minis, sizeof *packed);
    int64_t min = INT64_MAX;

    if (!packed) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t d = ((uint64_t)v[i] - (uint64_t)v[(ptrdiff_t)i - 1]) & mask;
        int64_t s = bits == 64 ? (int64_t)d : (int32_t)(uint32_t)d;
        min = s < min ? s : min;
        packed[i] = d;
    }
    put_zigzag(b, min);
    for (size_t i = 0; i < n; i++) {
        packed[i] = (packed[i] - (uint64_t)min) & mask;
    }
    for (size_t m = 0; m < minis; m++) {
        uint64_t any = 0;
        for (size_t i = 0; i < per_mini; i++) {
            any |= packed[m * per_mini + i];
        }
        pq_buf_byte(b, m * per_mini < n ? (uint8_t)bits_of(any) : filler);
    }
    for (size_t m = 0; m * per_mini < n; m++) {
        uint64_t any = 0;
        for (size_t i = 0; i < per_mini; i++) {
            any |= packed[m * per_mini + i];
            if (m * per_mini + i >= n && filler) {
                packed[m * per_mini + i] = ~(uint64_t)0;
            }
        }
        put_packed(b, packed + m * per_mini, per_mini, bits_of(any));
    }
    free(packed);
}

/* DELTA_BINARY_PACKED; filler goes where readers must not look. */
static inline void put_delta(PqBuf *b, const int64_t *v, size_t n,
                             size_t block, size_t minis, unsigned bits,
                             uint8_t filler)
{
    pq_buf_varint(b, block);
    pq_buf_varint(b, minis);
    pq_buf_varint(b, n);
    put_zigzag(b, n ? v[0] : 0);
    for (size_t i = 1; i < n; i += block) {
        size_t some = n - i < block ? n - i : block;
        put_delta_block(b, v + i, some, block / minis, minis, bits, filler);
    }
}

#endif
