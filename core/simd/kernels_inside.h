/*
** kernels_inside.h - the kernels in files of their own: pack_*.c, split_*.c,
** write_*.c.  The tables are in kernels_*.c.
*/
#ifndef PQ_KERNELS_INSIDE_H
#define PQ_KERNELS_INSIDE_H

#include "core/simd/kernels.h"

#define PQ_KERNEL_PARTS(of)                                                    \
    void pq_##of##_pack32(const uint32_t *in, unsigned width, uint32_t n,      \
                          uint8_t *out);                                       \
    void pq_##of##_pack64(const uint64_t *in, unsigned width, uint32_t n,      \
                          uint8_t *out);                                       \
    void pq_##of##_pack_bools(const uint8_t *in, uint32_t n, uint8_t *out);    \
    void pq_##of##_unsplit(const uint8_t *in, size_t stride, size_t first,     \
                           unsigned width, uint32_t n, uint8_t *out);          \
    void pq_##of##_split(const uint8_t *in, unsigned width, uint32_t n,        \
                         size_t stride, size_t first, uint8_t *out);           \
    void pq_##of##_differ32(const uint32_t *in, uint32_t n, uint32_t last,     \
                            uint32_t *out);                                    \
    void pq_##of##_differ64(const uint64_t *in, uint32_t n, uint64_t last,     \
                            uint64_t *out);                                    \
    int32_t pq_##of##_least32(const uint32_t *in, uint32_t n);                 \
    int64_t pq_##of##_least64(const uint64_t *in, uint32_t n);                 \
    uint32_t pq_##of##_lower32(uint32_t *v, uint32_t n, uint32_t by);          \
    uint64_t pq_##of##_lower64(uint64_t *v, uint32_t n, uint64_t by);          \
    uint32_t pq_##of##_find_repeat(const uint32_t *in, uint32_t n);            \
    uint32_t pq_##of##_count_repeat(const uint32_t *in, uint32_t n);           \
    uint32_t pq_##of##_alp_float(const float *in, uint32_t n,                  \
                                 const PqAlpFloat *by, uint32_t *out,          \
                                 uint16_t *exceptions);                        \
    uint32_t pq_##of##_alp_double(const double *in, uint32_t n,                \
                                  const PqAlpDouble *by, uint64_t *out,        \
                                  uint16_t *exceptions);

PQ_KERNEL_PARTS(scalar)
#if defined(__x86_64__)
PQ_KERNEL_PARTS(avx2)
#endif

/* For bodies that are expanded for each width: PQ_CASES writes the cases of eight
** widths, from w on.  The first argument of body is the width. */
#define PQ_CASE(w, body, ...)                                                  \
    case (w):                                                                  \
        body((w), __VA_ARGS__);                                                \
        break;
#define PQ_CASES(w, ...)                                                       \
    PQ_CASE((w), __VA_ARGS__) PQ_CASE((w) + 1, __VA_ARGS__)                    \
    PQ_CASE((w) + 2, __VA_ARGS__) PQ_CASE((w) + 3, __VA_ARGS__)                \
    PQ_CASE((w) + 4, __VA_ARGS__) PQ_CASE((w) + 5, __VA_ARGS__)                \
    PQ_CASE((w) + 6, __VA_ARGS__) PQ_CASE((w) + 7, __VA_ARGS__)

/* Bit i of byte becomes byte i of the result: the byte is copied eight times,
** each copy keeps another bit, and an addition carries that bit to the top. */
static inline uint64_t pq_bits_to_bytes(unsigned byte)
{
    uint64_t v = byte * UINT64_C(0x0101010101010101);

    v &= UINT64_C(0x8040201008040201);
    v += UINT64_C(0x7f7f7f7f7f7f7f7f);
    return v >> 7 & UINT64_C(0x0101010101010101);
}

/* Added to a double between -2^51 and 2^51, it leaves no room for a fraction:
** the sum is rounded, and its lowest bits are the integer.  TOP: sign and
** exponent of such a sum. */
#define PQ_ROUNDER 0x1.8p52
enum { PQ_ROUNDER_TOP = 0x433 };

/* Their lines in a table. */
#define PQ_KERNEL_PARTS_OF(of)                                                 \
    .pack32 = pq_##of##_pack32, .pack64 = pq_##of##_pack64,                    \
    .pack_bools = pq_##of##_pack_bools,                                        \
    .unsplit = pq_##of##_unsplit, .split = pq_##of##_split,                    \
    .differ32 = pq_##of##_differ32, .differ64 = pq_##of##_differ64,            \
    .least32 = pq_##of##_least32, .least64 = pq_##of##_least64,                \
    .lower32 = pq_##of##_lower32, .lower64 = pq_##of##_lower64,                \
    .find_repeat = pq_##of##_find_repeat,                                      \
    .count_repeat = pq_##of##_count_repeat,                                    \
    .alp_float = pq_##of##_alp_float, .alp_double = pq_##of##_alp_double

#endif
