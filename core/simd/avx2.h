/*
** avx2.h - what the files of AVX2 kernels share.
**
** Each function names its instruction set itself.  So these files need no
** compiler flags: the table is built everywhere and chosen at run time.
*/
#ifndef PQ_AVX2_H
#define PQ_AVX2_H

#include "core/simd/kernels_inside.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

AVX2 static inline __m256i load(const void *p)
{
    return _mm256_loadu_si256(p);
}

AVX2 static inline void store(void *p, __m256i v)
{
    _mm256_storeu_si256(p, v);
}

AVX2 static inline __m128i load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

AVX2 static inline void store16(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

#endif
#endif
