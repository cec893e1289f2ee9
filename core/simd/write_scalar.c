/*
** write_scalar.c - the kernels of writers in plain C: differences, the least
** value, runs, and the integers of ALP.
**
** ALP is hard: an integer is good only if it gives back every bit of the value,
** so both tables have to round exactly alike, and infinities, NaN and -0 must
** come out as exceptions.
*/
#include "core/simd/kernels_inside.h"

void pq_scalar_differ32(const uint32_t *in, uint32_t n, uint32_t last,
                        uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = in[i] - last;
        last = in[i];
    }
}

void pq_scalar_differ64(const uint64_t *in, uint32_t n, uint64_t last,
                        uint64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = in[i] - last;
        last = in[i];
    }
}

int32_t pq_scalar_least32(const uint32_t *in, uint32_t n)
{
    int32_t least = (int32_t)in[0];

    for (uint32_t i = 1; i < n; i++) {
        least = (int32_t)in[i] < least ? (int32_t)in[i] : least;
    }
    return least;
}

int64_t pq_scalar_least64(const uint64_t *in, uint32_t n)
{
    int64_t least = (int64_t)in[0];

    for (uint32_t i = 1; i < n; i++) {
        least = (int64_t)in[i] < least ? (int64_t)in[i] : least;
    }
    return least;
}

uint32_t pq_scalar_lower32(uint32_t *v, uint32_t n, uint32_t by)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < n; i++) {
        v[i] -= by;
        any |= v[i];
    }
    return any;
}

uint64_t pq_scalar_lower64(uint64_t *v, uint32_t n, uint64_t by)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < n; i++) {
        v[i] -= by;
        any |= v[i];
    }
    return any;
}

uint32_t pq_scalar_find_repeat(const uint32_t *in, uint32_t n)
{
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        uint32_t other = 0;

        for (uint32_t j = 1; j < 8; j++) {
            other |= in[i + j] ^ in[i];
        }
        if (other == 0) {
            break;
        }
    }
    return i;
}

uint32_t pq_scalar_count_repeat(const uint32_t *in, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && in[i] == in[0]) {
        i++;
    }
    return i;
}

#define ROUNDER_BITS UINT64_C(0x4338000000000000)        /* of PQ_ROUNDER */

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The nearest integer as two's complement; INT32_MIN if v is out of range. */
static uint32_t nearest32(double v)
{
    if (v >= INT32_MIN && v <= INT32_MAX) {
        return (uint32_t)(bits_of(v + PQ_ROUNDER) - ROUNDER_BITS);
    }
    return UINT32_C(1) << 31;
}

uint32_t pq_scalar_alp_float(const float *in, uint32_t n,
                             const PqAlpFloat *by, uint32_t *out,
                             uint16_t *exceptions)
{
    uint32_t n_exceptions = 0;

    for (uint32_t i = 0; i < n; i++) {
        float back;

        out[i] = nearest32(in[i] * by->up * by->down);
        back = (float)(int32_t)out[i] * by->ten * by->tenth;
        if (bits_of_float(back) != bits_of_float(in[i])) {
            exceptions[n_exceptions++] = (uint16_t)i;
        }
    }
    return n_exceptions;
}

uint32_t pq_scalar_alp_double(const double *in, uint32_t n,
                              const PqAlpDouble *by, uint64_t *out,
                              uint16_t *exceptions)
{
    uint32_t n_exceptions = 0;

    for (uint32_t i = 0; i < n; i++) {
        double sum = in[i] * by->up * by->down + PQ_ROUNDER;
        double back = (sum - PQ_ROUNDER) * by->ten * by->tenth;

        out[i] = bits_of(sum) - ROUNDER_BITS;
        if (bits_of(sum) >> 52 != PQ_ROUNDER_TOP ||
            bits_of(back) != bits_of(in[i])) {
            exceptions[n_exceptions++] = (uint16_t)i;
        }
    }
    return n_exceptions;
}
