/*
** kernels.h - the loops that are worth more than one instruction set.
**
** pq_kernels() picks one table the first time it is asked; nobody else asks
** the CPU.  Every table is held against pq_kernels_scalar by the unit tests.
** No kernel reads or writes outside the ranges given here, unless it says so.
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

    /* n values of width bits (0..32, 0..64), least significant bit first,
    ** from in, which holds at least n_in bytes; n_in is enough for n values.
    ** Reads stay within n_in. */
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

    /* True when some in[i] >= limit. */
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

    /* Bit i of bits, for all n values (the words' other bits are zero):
    ** (uint)(in[i] - low) <= span, which is low <= in[i] <= low + span for
    ** signed and for unsigned integers alike. */
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

    /* Bit i, for n <= 64 values: table[in[i]] is 1, else it is 0.  Reads may go
    ** PQ_TABLE_SLACK bytes behind the entry. */
    uint64_t (*look_up64)(const uint8_t *table, const uint32_t *in,
                          uint32_t n);

    /* Likewise: bit in[i] of the 256 bits of table; every in[i] is below. */
    uint64_t (*look_up_few64)(const uint32_t *table, const uint32_t *in,
                              uint32_t n);

    /* How many bits are set in n words; and which, to out. */
    uint32_t (*count_bits)(const uint64_t *bits, uint32_t n);
    uint32_t (*list_bits)(const uint64_t *bits, uint32_t n, uint32_t *out);

    /* Where part begins in text, or NULL; n_part >= 1.  With fold, ASCII
    ** letters are found in either case. */
    const uint8_t *(*find)(const uint8_t *text, size_t n, const uint8_t *part,
                           size_t n_part, bool fold);

    /* For writers: the reverse of unpack.  n values of width bits, none with
    ** bits beyond, to (n * width + 7) / 8 bytes, the last filled up with
    ** zeros.  May write PQ_PACK_SLACK bytes of anything behind them. */
    void (*pack32)(const uint32_t *in, unsigned width, uint32_t n,
                   uint8_t *out);
    void (*pack64)(const uint64_t *in, unsigned width, uint32_t n,
                   uint8_t *out);

    /* Bytes 0/1 to bits, (n + 7) / 8 bytes, the last filled up with zeros. */
    void (*pack_bools)(const uint8_t *in, uint32_t n, uint8_t *out);

    /* Values to byte streams: out[b*stride + first + i] = in[i*width + b]. */
    void (*split)(const uint8_t *in, unsigned width, uint32_t n,
                  size_t stride, size_t first, uint8_t *out);

    /* out[i] = in[i] - in[i - 1], in[0] - last first; wraps.  out is not
    ** in. */
    void (*differ32)(const uint32_t *in, uint32_t n, uint32_t last,
                     uint32_t *out);
    void (*differ64)(const uint64_t *in, uint32_t n, uint64_t last,
                     uint64_t *out);

    /* The least of n >= 1 signed values. */
    int32_t (*least32)(const uint32_t *in, uint32_t n);
    int64_t (*least64)(const uint64_t *in, uint32_t n);

    /* v[i] -= by; wraps.  Returns the bits that are set in any of them. */
    uint32_t (*lower32)(uint32_t *v, uint32_t n, uint32_t by);
    uint64_t (*lower64)(uint64_t *v, uint32_t n, uint64_t by);

    /* Where the first group of eight equal values begins, counting in groups of
    ** eight; n without what is no whole group if there is none. */
    uint32_t (*find_repeat)(const uint32_t *in, uint32_t n);

    /* How many of n >= 1 values, from the first on, are equal to it. */
    uint32_t (*count_repeat)(const uint32_t *in, uint32_t n);

    /* The integers of n <= 65536 values.  The value of out[i] is in[i] in every
    ** bit, or i is put to exceptions, which has room for n, and out[i] is
    ** anything.  Returns how many exceptions there are. */
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
