/*
** pack_avx2.c - bit packing by pairs.  Two values become one value of twice the
** width, two of these become one of four times the width, until a group of
** eight lies in one or two words.
**
**   width 5, 32 values as bytes    a b c d e f g h ...     one byte each
**   a + b * 2^5                    ba dc fe hg             two, 10 bits
**   ba + dc * 2^10                 dcba hgfe               four, 20 bits
**   dcba | hgfe << 20              hgfedcba                eight, 40 bits
**
** Up to 7 bits the first two steps are one multiplication each, of 32 values at
** once.  Up to 16 bits all steps are shifts, of eight values at once.  Wider
** values are left to the scalar loop: a group then takes three words or more,
** and putting these together costs what the steps before would gain.
*/
#include "core/simd/avx2.h"

#if defined(__x86_64__)

enum { WIDEST = 16, MANY = 32, CHUNK = 256 };

/* Packs 8 values into two words, 4 in each. */
AVX2 static inline __m256i fours_of_8(const uint32_t *in, unsigned width)
{
    const __m256i low = _mm256_set1_epi64x(0xffffffff);
    __m256i v = load(in);

    /* This shift to the right moves the lower value of a pair out entirely. */
    v = _mm256_or_si256(
        _mm256_and_si256(v, low),
        _mm256_srl_epi64(v, _mm_cvtsi32_si128((int)(32 - width))));
    return _mm256_or_si256(
        v, _mm256_sll_epi64(_mm256_srli_si256(v, 8),
                            _mm_cvtsi32_si128((int)(2 * width))));
}

/* width is 1 to 15; writes 16 bytes. */
AVX2 static inline void pack_8(const uint32_t *in, unsigned width, uint8_t *out)
{
    __m256i v = fours_of_8(in, width);
    uint64_t a = (uint64_t)_mm256_extract_epi64(v, 0);
    uint64_t b = (uint64_t)_mm256_extract_epi64(v, 2);

    pq_store_u64(out, a | b << (4 * width));
    pq_store_u64(out + 8, b >> (64 - 4 * width));
}

/* 32 values to bytes.  Neighbours stay together in fours; permuting by FOURS
** puts the fours in order. */
#define FOURS _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)

AVX2 static inline __m256i bytes_of_32(const uint32_t *in)
{
    __m256i a = _mm256_packus_epi32(load(in), load(in + 8));
    __m256i b = _mm256_packus_epi32(load(in + 16), load(in + 24));

    return _mm256_packus_epi16(a, b);
}

typedef struct Packer {
    __m256i by1, by2;                /* 1 and 2^width, 1 and 2^(2 * width) */
    __m128i shift4;                  /* 4 * width */
} Packer;

AVX2 static inline Packer packer(unsigned width)
{
    return (Packer){
        _mm256_set1_epi16((short)(1u << width << 8 | 1)),
        _mm256_set1_epi32((int)(1u << 2 * width << 16 | 1)),
        _mm_cvtsi32_si128((int)(4 * width)),
    };
}

/* width is 1 to 7; stores 8 bytes four times. */
AVX2 static inline void pack_32(const uint32_t *in, const Packer *p,
                                unsigned width, uint8_t *out)
{
    const __m256i low = _mm256_set1_epi64x(0xffffffff);
    __m256i v = _mm256_maddubs_epi16(p->by1, bytes_of_32(in));

    v = _mm256_permutevar8x32_epi32(_mm256_madd_epi16(v, p->by2), FOURS);
    v = _mm256_or_si256(
        _mm256_and_si256(v, low),
        _mm256_sll_epi64(_mm256_srli_epi64(v, 32), p->shift4));
    pq_store_u64(out, (uint64_t)_mm256_extract_epi64(v, 0));
    out += width;
    pq_store_u64(out, (uint64_t)_mm256_extract_epi64(v, 1));
    out += width;
    pq_store_u64(out, (uint64_t)_mm256_extract_epi64(v, 2));
    out += width;
    pq_store_u64(out, (uint64_t)_mm256_extract_epi64(v, 3));
}

AVX2 void pq_avx2_pack32(const uint32_t *in, unsigned width, uint32_t n,
                         uint8_t *out)
{
    if (width == 0 || width > WIDEST) {
        pq_scalar_pack32(in, width, n, out);
        return;
    }
    if (width < 8) {
        Packer p = packer(width);

        for (; n >= MANY; n -= MANY, in += MANY, out += 4 * width) {
            pack_32(in, &p, width, out);
        }
    } else if (width == 8) {
        for (; n >= MANY; n -= MANY, in += MANY, out += MANY) {
            store(out, _mm256_permutevar8x32_epi32(bytes_of_32(in), FOURS));
        }
    } else if (width == 16) {
        for (; n >= 16; n -= 16, in += 16, out += 32) {
            __m256i v = _mm256_packus_epi32(load(in), load(in + 8));

            store(out, _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0)));
        }
    }
    for (; width < 16 && n >= 8; n -= 8, in += 8, out += width) {
        pack_8(in, width, out);
    }
    pq_scalar_pack32(in, width, n, out);
}

/* The low halves of 8 values. */
AVX2 static inline __m256i narrow_8(const uint64_t *in)
{
    __m256 v = _mm256_shuffle_ps(_mm256_castsi256_ps(load(in)),
                                 _mm256_castsi256_ps(load(in + 4)),
                                 _MM_SHUFFLE(2, 0, 2, 0));

    return _mm256_permute4x64_epi64(_mm256_castps_si256(v),
                                    _MM_SHUFFLE(3, 1, 2, 0));
}

AVX2 void pq_avx2_pack64(const uint64_t *in, unsigned width, uint32_t n,
                         uint8_t *out)
{
    uint32_t narrow[CHUNK];

    if (width > 0 && width <= WIDEST) {
        while (n >= 8) {
            uint32_t some = n < CHUNK ? n / 8 * 8 : CHUNK;

            for (uint32_t i = 0; i < some; i += 8) {
                store(narrow + i, narrow_8(in + i));
            }
            pq_avx2_pack32(narrow, width, some, out);
            n -= some;
            in += some;
            out += some / 8 * width;
        }
    }
    pq_scalar_pack64(in, width, n, out);
}

/* Moves the lowest bit of each byte to its top, where movemask takes it. */
AVX2 void pq_avx2_pack_bools(const uint8_t *in, uint32_t n, uint8_t *out)
{
    for (; n >= 32; n -= 32, in += 32, out += 4) {
        __m256i v = _mm256_slli_epi16(load(in), 7);

        pq_store_u32(out, (uint32_t)_mm256_movemask_epi8(v));
    }
    pq_scalar_pack_bools(in, n, out);
}

#endif
