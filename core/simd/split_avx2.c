/*
** split_avx2.c - byte streams, 16 values at a time.
**
** Weaving (streams to values) interleaves the bytes of neighbouring streams,
** then pairs of bytes, then fours: eight streams take three rounds.  Unweaving
** (values to streams) interleaves values i and i + 8, then these with i + 4 and
** i + 12, and so on.  After four rounds each stream has its 16 bytes in order.
**
**   values     a0 a1 .. a7   b0 b1 .. b7 ...   p0 .. p7      (8 bytes each)
**   round 1    a0 i0 a1 i1 ...         a and i, b and j, ...
**   round 2    a0 e0 i0 m0 a1 e1 ...   a e i m, b f j n, ...
**   round 3    a0 c0 e0 g0 i0 ...
**   round 4    a0 b0 c0 ... p0  a1 b1 ... p1
*/
#include "core/simd/avx2.h"

#if defined(__x86_64__)

/* 16 values of two streams. */
AVX2 static void weave2(const uint8_t *in, size_t stride, uint8_t *out)
{
    __m128i a = load16(in), b = load16(in + stride);

    store16(out, _mm_unpacklo_epi8(a, b));
    store16(out + 16, _mm_unpackhi_epi8(a, b));
}

/* 16 values of four streams: v[0] has values 0 to 3, v[1] 4 to 7, ... */
AVX2 static inline void weave4(const uint8_t *in, size_t stride, __m128i *v)
{
    __m128i a = load16(in), b = load16(in + stride);
    __m128i c = load16(in + 2 * stride), d = load16(in + 3 * stride);
    __m128i ab = _mm_unpacklo_epi8(a, b), cd = _mm_unpacklo_epi8(c, d);

    v[0] = _mm_unpacklo_epi16(ab, cd);
    v[1] = _mm_unpackhi_epi16(ab, cd);
    ab = _mm_unpackhi_epi8(a, b);
    cd = _mm_unpackhi_epi8(c, d);
    v[2] = _mm_unpacklo_epi16(ab, cd);
    v[3] = _mm_unpackhi_epi16(ab, cd);
}

/* 16 values of eight streams; the values are put width bytes apart. */
AVX2 static void weave8(const uint8_t *in, size_t stride, unsigned width,
                        uint8_t *out)
{
    __m128i low[4], high[4];

    weave4(in, stride, low);
    weave4(in + 4 * stride, stride, high);
    for (int i = 0; i < 4; i++, out += 4 * (size_t)width) {
        __m128i a = _mm_unpacklo_epi32(low[i], high[i]);
        __m128i b = _mm_unpackhi_epi32(low[i], high[i]);

        _mm_storel_epi64((__m128i *)(void *)out, a);
        _mm_storel_epi64((__m128i *)(void *)(out + width),
                         _mm_unpackhi_epi64(a, a));
        _mm_storel_epi64((__m128i *)(void *)(out + 2 * (size_t)width), b);
        _mm_storel_epi64((__m128i *)(void *)(out + 3 * (size_t)width),
                         _mm_unpackhi_epi64(b, b));
    }
}

/* 16 values of any width; eight streams at a time, the last eight may overlap
** those before. */
AVX2 static void weave(const uint8_t *in, size_t stride, unsigned width,
                       uint8_t *out)
{
    __m128i v[4];
    unsigned b;

    if (width == 2) {
        weave2(in, stride, out);
    } else if (width == 4) {
        weave4(in, stride, v);
        for (int i = 0; i < 4; i++) {
            store16(out + 16 * i, v[i]);
        }
    } else {
        for (b = 0; b + 8 <= width; b += 8) {
            weave8(in + b * stride, stride, width, out + b);
        }
        if (b < width) {
            b = width - 8;
            weave8(in + b * stride, stride, width, out + b);
        }
    }
}

/* Is it worth it to take 16 values of this width at a time? */
static inline bool suits(unsigned width)
{
    return width == 2 || width == 4 || width >= 8;
}

AVX2 void pq_avx2_unsplit(const uint8_t *in, size_t stride, size_t first,
                          unsigned width, uint32_t n, uint8_t *out)
{
    if (suits(width)) {
        for (; n >= 16; n -= 16, first += 16, out += 16 * (size_t)width) {
            weave(in + first, stride, width, out);
        }
    }
    pq_scalar_unsplit(in, stride, first, width, n, out);
}

/* 16 values of two bytes. */
AVX2 static void unweave2(const uint8_t *in, size_t stride, uint8_t *out)
{
    const __m128i low = _mm_set1_epi16(0xff);
    __m128i a = load16(in), b = load16(in + 16);

    store16(out, _mm_packus_epi16(_mm_and_si128(a, low),
                                  _mm_and_si128(b, low)));
    store16(out + stride, _mm_packus_epi16(_mm_srli_epi16(a, 8),
                                           _mm_srli_epi16(b, 8)));
}

/* 16 values of four bytes: four values at a time are put in the order of the
** streams, then all four fours. */
AVX2 static void unweave4(const uint8_t *in, size_t stride, uint8_t *out)
{
    const __m128i by_stream = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
                                            14, 3, 7, 11, 15);
    __m128i a = _mm_shuffle_epi8(load16(in), by_stream);
    __m128i b = _mm_shuffle_epi8(load16(in + 16), by_stream);
    __m128i c = _mm_shuffle_epi8(load16(in + 32), by_stream);
    __m128i d = _mm_shuffle_epi8(load16(in + 48), by_stream);
    __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);

    store16(out, _mm_unpacklo_epi64(ab, cd));
    store16(out + stride, _mm_unpackhi_epi64(ab, cd));
    ab = _mm_unpackhi_epi32(a, b);
    cd = _mm_unpackhi_epi32(c, d);
    store16(out + 2 * stride, _mm_unpacklo_epi64(ab, cd));
    store16(out + 3 * stride, _mm_unpackhi_epi64(ab, cd));
}

AVX2 static inline __m128i load8(const uint8_t *p)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)p);
}

/* 8 bytes of each of 16 values that lie width bytes apart. */
AVX2 static void unweave8(const uint8_t *in, unsigned width, size_t stride,
                          uint8_t *out)
{
    __m128i one[8], two[8], four[8];
    size_t step = width;

    for (int i = 0; i < 8; i++) {
        one[i] = _mm_unpacklo_epi8(load8(in + (size_t)i * step),
                                   load8(in + (size_t)(i + 8) * step));
    }
    for (int i = 0; i < 4; i++) {        /* bytes 0 to 3 in two[i], 4 to 7 */
        two[i] = _mm_unpacklo_epi8(one[i], one[i + 4]);
        two[i + 4] = _mm_unpackhi_epi8(one[i], one[i + 4]);
    }
    for (int i = 0; i < 8; i += 4) {     /* 0 and 1 in four[0] and [1], ... */
        four[i] = _mm_unpacklo_epi8(two[i], two[i + 2]);
        four[i + 1] = _mm_unpacklo_epi8(two[i + 1], two[i + 3]);
        four[i + 2] = _mm_unpackhi_epi8(two[i], two[i + 2]);
        four[i + 3] = _mm_unpackhi_epi8(two[i + 1], two[i + 3]);
    }
    for (int i = 0; i < 8; i += 2, out += 2 * stride) {
        store16(out, _mm_unpacklo_epi8(four[i], four[i + 1]));
        store16(out + stride, _mm_unpackhi_epi8(four[i], four[i + 1]));
    }
}

/* 16 values of any width; eight streams at a time, the last eight may overlap
** those before. */
AVX2 static void unweave(const uint8_t *in, unsigned width, size_t stride,
                         uint8_t *out)
{
    unsigned b;

    if (width == 2) {
        unweave2(in, stride, out);
    } else if (width == 4) {
        unweave4(in, stride, out);
    } else {
        for (b = 0; b + 8 <= width; b += 8) {
            unweave8(in + b, width, stride, out + b * stride);
        }
        if (b < width) {
            b = width - 8;
            unweave8(in + b, width, stride, out + b * stride);
        }
    }
}

AVX2 void pq_avx2_split(const uint8_t *in, unsigned width, uint32_t n,
                        size_t stride, size_t first, uint8_t *out)
{
    if (suits(width)) {
        for (; n >= 16; n -= 16, first += 16, in += 16 * (size_t)width) {
            unweave(in, width, stride, out + first);
        }
    }
    pq_scalar_split(in, width, n, stride, first, out);
}

#endif
