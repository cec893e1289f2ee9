/*
** write_avx2.c - the kernels of writers, four or eight values at a time.
**
** AVX2 cannot turn doubles into 64-bit integers, but adding PQ_ROUNDER does.
*/
#include "core/simd/avx2.h"

#if defined(__x86_64__)

AVX2 void pq_avx2_differ32(const uint32_t *in, uint32_t n, uint32_t last,
                           uint32_t *out)
{
    uint32_t i = n > 0;

    pq_scalar_differ32(in, i, last, out);
    for (; i + 8 <= n; i += 8) {
        store(out + i, _mm256_sub_epi32(load(in + i), load(in + i - 1)));
    }
    if (i < n) {
        pq_scalar_differ32(in + i, n - i, in[i - 1], out + i);
    }
}

AVX2 void pq_avx2_differ64(const uint64_t *in, uint32_t n, uint64_t last,
                           uint64_t *out)
{
    uint32_t i = n > 0;

    pq_scalar_differ64(in, i, last, out);
    for (; i + 4 <= n; i += 4) {
        store(out + i, _mm256_sub_epi64(load(in + i), load(in + i - 1)));
    }
    if (i < n) {
        pq_scalar_differ64(in + i, n - i, in[i - 1], out + i);
    }
}

AVX2 int32_t pq_avx2_least32(const uint32_t *in, uint32_t n)
{
    __m256i least = _mm256_set1_epi32((int)in[0]);
    uint32_t some[9];

    for (; n >= 8; n -= 8, in += 8) {
        least = _mm256_min_epi32(least, load(in));
    }
    store(some, least);
    some[8] = n > 0 ? (uint32_t)pq_scalar_least32(in, n) : some[0];
    return pq_scalar_least32(some, 9);
}

AVX2 static inline __m256i lesser(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* Two minima at once: each has to wait for its last comparison. */
AVX2 int64_t pq_avx2_least64(const uint64_t *in, uint32_t n)
{
    __m256i least = _mm256_set1_epi64x((long long)in[0]), other = least;
    uint64_t some[5];

    for (; n >= 16; n -= 16, in += 16) {
        least = lesser(least, lesser(load(in), load(in + 4)));
        other = lesser(other, lesser(load(in + 8), load(in + 12)));
    }
    for (; n >= 4; n -= 4, in += 4) {
        least = lesser(least, load(in));
    }
    store(some, lesser(least, other));
    some[4] = n > 0 ? (uint64_t)pq_scalar_least64(in, n) : some[0];
    return pq_scalar_least64(some, 5);
}

AVX2 uint32_t pq_avx2_lower32(uint32_t *v, uint32_t n, uint32_t by)
{
    const __m256i less = _mm256_set1_epi32((int)by);
    __m256i any = _mm256_setzero_si256();
    uint32_t some[8], bits = 0;

    for (; n >= 8; n -= 8, v += 8) {
        __m256i lower = _mm256_sub_epi32(load(v), less);

        store(v, lower);
        any = _mm256_or_si256(any, lower);
    }
    store(some, any);
    for (int i = 0; i < 8; i++) {
        bits |= some[i];
    }
    return bits | pq_scalar_lower32(v, n, by);
}

AVX2 uint64_t pq_avx2_lower64(uint64_t *v, uint32_t n, uint64_t by)
{
    const __m256i less = _mm256_set1_epi64x((long long)by);
    __m256i any = _mm256_setzero_si256();
    uint64_t some[4];

    for (; n >= 4; n -= 4, v += 4) {
        __m256i lower = _mm256_sub_epi64(load(v), less);

        store(v, lower);
        any = _mm256_or_si256(any, lower);
    }
    store(some, any);
    return some[0] | some[1] | some[2] | some[3] |
           pq_scalar_lower64(v, n, by);
}

/* A bit for each of eight values: is it equal to wanted? */
AVX2 static inline unsigned same_8(const uint32_t *in, __m256i wanted)
{
    return (unsigned)_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(load(in), wanted)));
}

AVX2 uint32_t pq_avx2_find_repeat(const uint32_t *in, uint32_t n)
{
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        if (same_8(in + i, _mm256_set1_epi32((int)in[i])) == 0xff) {
            break;
        }
    }
    return i;
}

AVX2 uint32_t pq_avx2_count_repeat(const uint32_t *in, uint32_t n)
{
    const __m256i first = _mm256_set1_epi32((int)in[0]);
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        unsigned same = same_8(in + i, first);

        if (same != 0xff) {
            return i + (uint32_t)__builtin_ctz(~same);
        }
    }
    while (i < n && in[i] == in[0]) {
        i++;
    }
    return i;
}

/* Writes the index of each set bit, plus first. */
static inline uint32_t list_exceptions(unsigned bits, uint32_t first,
                                       uint16_t *out)
{
    uint32_t n = 0;

    for (; bits; bits &= bits - 1) {
        out[n++] = (uint16_t)(first + (uint32_t)__builtin_ctz(bits));
    }
    return n;
}

/* Adds `at` to the exceptions that the scalar kernel found from there on. */
static inline uint32_t moved(uint16_t *exceptions, uint32_t n, uint32_t at)
{
    for (uint32_t i = 0; i < n; i++) {
        exceptions[i] = (uint16_t)(exceptions[i] + at);
    }
    return n;
}

AVX2 uint32_t pq_avx2_alp_float(const float *in, uint32_t n,
                                const PqAlpFloat *by, uint32_t *out,
                                uint16_t *exceptions)
{
    const __m256 up = _mm256_set1_ps(by->up), down = _mm256_set1_ps(by->down);
    const __m256 ten = _mm256_set1_ps(by->ten);
    const __m256 tenth = _mm256_set1_ps(by->tenth);
    uint32_t n_exceptions = 0, i;

    for (i = 0; i + 8 <= n; i += 8) {
        __m256 v = _mm256_loadu_ps(in + i), back;
        __m256i integer = _mm256_cvtps_epi32(
            _mm256_mul_ps(_mm256_mul_ps(v, up), down));
        unsigned same;

        store(out + i, integer);
        back = _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(integer), ten),
                             tenth);
        same = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(
            _mm256_cmpeq_epi32(_mm256_castps_si256(back),
                               _mm256_castps_si256(v))));
        if (same != 0xff) {
            n_exceptions += list_exceptions(~same & 0xff, i,
                                            exceptions + n_exceptions);
        }
    }
    exceptions += n_exceptions;
    return n_exceptions +
           moved(exceptions, pq_scalar_alp_float(in + i, n - i, by, out + i,
                                                 exceptions), i);
}

AVX2 uint32_t pq_avx2_alp_double(const double *in, uint32_t n,
                                 const PqAlpDouble *by, uint64_t *out,
                                 uint16_t *exceptions)
{
    const __m256d up = _mm256_set1_pd(by->up), down = _mm256_set1_pd(by->down);
    const __m256d ten = _mm256_set1_pd(by->ten);
    const __m256d tenth = _mm256_set1_pd(by->tenth);
    const __m256d rounder = _mm256_set1_pd(PQ_ROUNDER);
    const __m256i top = _mm256_set1_epi64x(PQ_ROUNDER_TOP);
    uint32_t n_exceptions = 0, i;

    for (i = 0; i + 4 <= n; i += 4) {
        __m256d v = _mm256_loadu_pd(in + i), back;
        __m256d sum = _mm256_add_pd(
            _mm256_mul_pd(_mm256_mul_pd(v, up), down), rounder);
        __m256i bits = _mm256_castpd_si256(sum), good;
        unsigned same;

        store(out + i, _mm256_sub_epi64(bits, _mm256_castpd_si256(rounder)));
        back = _mm256_mul_pd(_mm256_mul_pd(_mm256_sub_pd(sum, rounder), ten),
                             tenth);
        good = _mm256_and_si256(
            _mm256_cmpeq_epi64(_mm256_castpd_si256(back),
                               _mm256_castpd_si256(v)),
            _mm256_cmpeq_epi64(_mm256_srli_epi64(bits, 52), top));
        same = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(good));
        if (same != 0xf) {
            n_exceptions += list_exceptions(~same & 0xf, i,
                                            exceptions + n_exceptions);
        }
    }
    exceptions += n_exceptions;
    return n_exceptions +
           moved(exceptions, pq_scalar_alp_double(in + i, n - i, by, out + i,
                                                  exceptions), i);
}

#endif
