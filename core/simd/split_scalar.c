/*
** split_scalar.c - byte streams in plain C, both directions.
**
** A stream touches one byte of each value, so going through a page stream by
** stream would load the values once per stream.  Blocks of values that stay in
** the nearest cache avoid that.
*/
#include "core/simd/kernels_inside.h"

enum { BLOCK = 128 };

void pq_scalar_unsplit(const uint8_t *in, size_t stride, size_t first,
                       unsigned width, uint32_t n, uint8_t *out)
{
    while (n > 0) {
        uint32_t some = n < BLOCK ? n : BLOCK;

        for (unsigned b = 0; b < width; b++) {
            const uint8_t *stream = in + b * stride + first;

            for (uint32_t i = 0; i < some; i++) {
                out[(size_t)i * width + b] = stream[i];
            }
        }
        first += some;
        out += (size_t)some * width;
        n -= some;
    }
}

void pq_scalar_split(const uint8_t *in, unsigned width, uint32_t n,
                     size_t stride, size_t first, uint8_t *out)
{
    while (n > 0) {
        uint32_t some = n < BLOCK ? n : BLOCK;

        for (unsigned b = 0; b < width; b++) {
            uint8_t *stream = out + b * stride + first;

            for (uint32_t i = 0; i < some; i++) {
                stream[i] = in[(size_t)i * width + b];
            }
        }
        first += some;
        in += (size_t)some * width;
        n -= some;
    }
}
