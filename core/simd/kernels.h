/*
** kernels.h - the loops that are written for more than one instruction set.
**
** The first call of pq_kernels() picks a table; nothing else asks the CPU.  The
** unit tests compare every table with pq_kernels_scalar.  No kernel reads or
** writes outside the ranges given here, unless it says so.
*/
#ifndef PQ_KERNELS_H
#define PQ_KERNELS_H

#include "core/base/bytes.h"

enum { PQ_TABLE_SLACK = 3, PQ_PACK_SLACK = 16 };

/* ALP: the integer of a value is value * up * down, rounded; the value of an
** integer is integer * ten * tenth. */
typedef struct PqAlpFloat {
    float up, down, ten, tenth;
} PqAlpFloat;

typedef struct PqAlpDouble {
    double up, down, ten, tenth;
} PqAlpDouble;

typedef struct PqKernels {
    const char *name;                /* "scalar", "avx2" */

    /* Unpacks n values of width bits (0..32, 0..64), least significant bit
    ** first.  in has n_in bytes, which is enough for n values; no byte after
    ** them is read. */
    void (*unpack32)(const uint8_t *in, size_t n_in, unsigned width,
                     uint32_t n, uint32_t *out);
    void (*unpack64)(const uint8_t *in, size_t n_in, unsigned width,
                     uint32_t n, uint64_t *out);

    /* out[i] = last += min_delta + packed[i]; wraps.  Returns the new last.
    ** packed may be out. */
    uint32_t (*delta32)(const uint32_t *packed, uint32_t n, uint32_t last,
                        uint32_t min_delta, uint32_t *out);
    uint64_t (*delta64)(const uint64_t *packed, uint32_t n, uint64_t last,
                        uint64_t min_delta, uint64_t *out);

    /* Byte streams to values: out[i*width + b] = in[b*stride + first + i]. */
    void (*unsplit)(const uint8_t *in, size_t stride, size_t first,
                    unsigned width, uint32_t n, uint8_t *out);

    /* Bits, least significant first, to bytes 0/1, from bit first of in. */
    void (*unpack_bools)(const uint8_t *in, size_t first, uint32_t n,
                         uint8_t *out);

    /* True when any in[i] >= limit. */
    bool (*any_at_least)(const uint32_t *in, uint32_t n, uint32_t limit);

    /* How many of n bytes are 0. */
    size_t (*count_zeros)(const uint8_t *in, size_t n);

    /* The low halves of n values. */
    void (*narrow16)(const uint32_t *in, uint32_t n, uint16_t *out);

    /* Bit i, for n <= 64 values: in[i] == value. */
    uint64_t (*match64)(const uint32_t *in, uint32_t n, uint32_t value);

    /* Spreads n_set packed values, in place, over n slots: bit i of valid says
    ** whether slot i gets the next one.  values has room for n; the other
    ** slots become zero. */
    void (*spread32)(uint32_t *values, const uint64_t *valid, uint32_t n,
                     uint32_t n_set);
    void (*spread64)(uint64_t *values, const uint64_t *valid, uint32_t n,
                     uint32_t n_set);

    /* Bit i of bits, for all n values: (uint)(in[i] - low) <= span.  For signed
    ** and for unsigned integers that is low <= in[i] <= low + span.  The other
    ** bits of the last word are zero. */
    void (*between32)(const uint32_t *in, uint32_t n, uint32_t low,
                      uint32_t span, uint64_t *bits);
    void (*between64)(const uint64_t *in, uint32_t n, uint64_t low,
                      uint64_t span, uint64_t *bits);

    /* ... low <= in[i] <= high; a NaN is never between. */
    void (*between_float)(const float *in, uint32_t n, float low, float high,
                          uint64_t *bits);
    void (*between_double)(const double *in, uint32_t n, double low,
                           double high, uint64_t *bits);

    /* Bit i of bits, likewise: in[i] == value. */
    void (*equal8)(const uint8_t *in, uint32_t n, uint8_t value,
                   uint64_t *bits);

    /* Bit i, for n <= 64 values: table[in[i]], which is 0 or 1.  Up to
    ** PQ_TABLE_SLACK bytes after the entry may be read. */
    uint64_t (*look_up64)(const uint8_t *table, const uint32_t *in, uint32_t n);

    /* Likewise: bit in[i] of the 256 bits of table; every in[i] < 256. */
    uint64_t (*look_up_few64)(const uint32_t *table, const uint32_t *in,
                              uint32_t n);

    /* How many bits are set in n words; list_bits also writes which to out,
    ** which has room for n * 64. */
    uint32_t (*count_bits)(const uint64_t *bits, uint32_t n);
    uint32_t (*list_bits)(const uint64_t *bits, uint32_t n, uint32_t *out);

    /* Where part first occurs in text, or NULL; n_part >= 1.  With fold, the
    ** case of ASCII letters is ignored. */
    const uint8_t *(*find)(const uint8_t *text, size_t n, const uint8_t *part,
                           size_t n_part, bool fold);

    /* The reverse of unpack: n values, none wider than width bits, to
    ** (n * width + 7) / 8 bytes.  Unused bits of the last byte are zero.  Up to
    ** PQ_PACK_SLACK bytes after it may be overwritten with anything. */
    void (*pack32)(const uint32_t *in, unsigned width, uint32_t n,
                   uint8_t *out);
    void (*pack64)(const uint64_t *in, unsigned width, uint32_t n,
                   uint8_t *out);

    /* Bytes 0/1 to bits: (n + 7) / 8 bytes, unused bits of the last are
    ** zero. */
    void (*pack_bools)(const uint8_t *in, uint32_t n, uint8_t *out);

    /* Values to byte streams: out[b*stride + first + i] = in[i*width + b]. */
    void (*split)(const uint8_t *in, unsigned width, uint32_t n,
                  size_t stride, size_t first, uint8_t *out);

    /* out[i] = in[i] - in[i - 1], and out[0] = in[0] - last; wraps.  out must
    ** not be in. */
    void (*differ32)(const uint32_t *in, uint32_t n, uint32_t last,
                     uint32_t *out);
    void (*differ64)(const uint64_t *in, uint32_t n, uint64_t last,
                     uint64_t *out);

    /* out[i] = a[i] * by + b[i]; wraps.  out may be a. */
    void (*scale_add32)(const uint32_t *a, uint32_t by, const uint32_t *b,
                        uint32_t n, uint32_t *out);

    /* The least of n >= 1 signed values. */
    int32_t (*least32)(const uint32_t *in, uint32_t n);
    int64_t (*least64)(const uint64_t *in, uint32_t n);

    /* v[i] -= by; wraps.  Returns the bits that are set in any of them. */
    uint32_t (*lower32)(uint32_t *v, uint32_t n, uint32_t by);
    uint64_t (*lower64)(uint64_t *v, uint32_t n, uint64_t by);

    /* Index of the first group of eight equal values; only multiples of eight
    ** are looked at.  If there is none: n rounded down to a multiple of 8. */
    uint32_t (*find_repeat)(const uint32_t *in, uint32_t n);

    /* How many of n >= 1 values, from the start, are equal to the first. */
    uint32_t (*count_repeat)(const uint32_t *in, uint32_t n);

    /* The integers of n <= 65536 values.  If out[i] does not give back every
    ** bit of in[i], then i is added to exceptions, which has room for n, and
    ** out[i] may be anything.  Returns the number of exceptions. */
    uint32_t (*alp_float)(const float *in, uint32_t n, const PqAlpFloat *by,
                          uint32_t *out, uint16_t *exceptions);
    uint32_t (*alp_double)(const double *in, uint32_t n, const PqAlpDouble *by,
                           uint64_t *out, uint16_t *exceptions);
} PqKernels;

extern const PqKernels pq_kernels_scalar;
#if defined(__x86_64__)
extern const PqKernels pq_kernels_avx2;
#endif
const PqKernels *pq_kernels(void);

/* Every table this CPU can run, scalar first; returns how many. */
size_t pq_kernels_all(const PqKernels *const **out);

#endif
