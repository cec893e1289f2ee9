/*
** encode_inside.h - what the encoders share: where they write to, the functions
** of a pair of encoding and type, and the two streams of integers that other
** encodings use, runs and deltas.
*/
#ifndef PQ_ENCODE_INSIDE_H
#define PQ_ENCODE_INSIDE_H

#include "core/encoding/encoder.h"
#include "core/simd/kernels.h"

/* Longest varint: 64 bits, seven in a byte. */
enum { PQ_VARINT_MOST = 10 };

/* Where a call writes to. */
typedef struct PqOut {
    PqBuf           *buf;
    size_t           start;          /* of what this call appends */
    const PqKernels *k;
} PqOut;

/* The values of a call to pq_encode. */
typedef struct PqEncodeJob {
    PqPhysical       type;
    uint32_t         n;
    uint32_t         width;          /* bytes of a value; 0 for BYTE_ARRAY */
    const void      *values;
    const PqKernels *k;
} PqEncodeJob;

typedef PqRc PqEncoder(const PqEncodeJob *job, PqOut *o, PqErr *e);

/* PQ_USAGE when this call cannot append to buf. */
PqRc pq_out_begin(PqOut *o, PqBuf *buf, uint32_t n_values, PqErr *e);

/* Removes what was appended if rc is a failure; returns rc. */
PqRc pq_out_end(PqOut *o, PqRc rc);

/* Room for n bytes after the end, which the caller writes and adds to
** o->buf->n.  NULL when there is none, or when a page cannot have n bytes
** more. */
uint8_t *pq_out_room(PqOut *o, size_t n, PqErr *e);

/* Runs of values of width bits, 1 to 32, and of single bits. */
PqRc pq_runs_write(PqOut *o, const uint32_t *v, uint32_t n, unsigned width,
                   PqErr *e);
PqRc pq_bit_runs_write(PqOut *o, const uint64_t *bits, uint64_t bit_at,
                       uint32_t n, PqErr *e);

/* How many bits v has, 0 for 0. */
static inline unsigned pq_bits_of(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* A whole DELTA_BINARY_PACKED stream. */
PqRc pq_delta_write32(PqOut *o, const uint32_t *v, uint32_t n, PqErr *e);

static inline uint8_t *pq_put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        *p++ = (uint8_t)(v | 0x80);
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint64_t pq_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? ~(uint64_t)0 : 0);
}

/* memcpy for the short strings that most columns have.  It reads and writes
** exactly n bytes. */
static inline void pq_copy_short(uint8_t *to, const uint8_t *from, uint32_t n)
{
    if (PQ_UNLIKELY(n > 32)) {
        memcpy(to, from, n);
    } else if (n >= 16) {
        memcpy(to, from, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        uint64_t low = pq_load_u64(from), high = pq_load_u64(from + n - 8);

        pq_store_u64(to, low);
        pq_store_u64(to + n - 8, high);
    } else if (n >= 4) {
        uint32_t low = pq_load_u32(from), high = pq_load_u32(from + n - 4);

        pq_store_u32(to, low);
        pq_store_u32(to + n - 4, high);
    } else if (n > 0) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

PqEncoder pq_encode_plain_bool, pq_encode_plain_number,
    pq_encode_plain_byte_array, pq_encode_plain_fixed;
PqEncoder pq_encode_rle_bool;
PqEncoder pq_encode_delta_int32, pq_encode_delta_int64;
PqEncoder pq_encode_delta_length, pq_encode_delta_prefix;
PqEncoder pq_encode_split_number, pq_encode_split_fixed;
PqEncoder pq_encode_alp;

#endif
