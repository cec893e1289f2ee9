/*
** packed.h - bit-packed integers, taken a few at a time.
**
** Values lie back to back, least significant bit first, width bits each.  Eight
** of them fill width bytes.  So a position in the stream is the group of eight
** that the next value is in, and how many of that group were read.
**
**   width 3, after 2 values:   p -> 88 c6 fa     at = 2
**
** The kernels begin at a whole byte, so `at` counts values and not bits.  `end`
** is how far bytes may be read, not where the values end: kernels are faster
** when they may load beyond the values.  The caller counts the values.
*/
#ifndef PQ_PACKED_H
#define PQ_PACKED_H

#include "core/simd/kernels.h"

typedef struct PqPacked {
    const uint8_t *p, *end;
    unsigned       width;            /* 0..32 for read32, 0..64 for read64 */
    unsigned       at;               /* 0..7 */
} PqPacked;

void pq_packed_read32(PqPacked *b, const PqKernels *k, uint32_t n,
                      uint32_t *out);
void pq_packed_read64(PqPacked *b, const PqKernels *k, uint32_t n,
                      uint64_t *out);

static inline void pq_packed_skip(PqPacked *b, uint32_t n)
{
    size_t at = b->at + (size_t)n;

    b->p += at / 8 * b->width;
    b->at = at % 8;
}

#endif
