/*
** kernels_avx2.c - the kernels with AVX2, mostly eight values at a time.
**
** Unpacking: the 8 values of a group lie in width bytes.  The group is loaded
** as two halves of four values, each in its own 128-bit lane.  A byte shuffle
** brings the four bytes of each value to its 32-bit slot.  Then a shift drops
** the bits before the value, and a mask those after it:
**
**   width 5:  bytes       a b c | c d e       (half 1 begins in byte 20 / 8)
**             slots       ab ab bc bc | cd de de e.
**             shifts       0  5  2  7 |  4  1  6  3
**
** Up to WIDEST bits a value and the bits before it fit four bytes.  Wider
** values are rare (dictionary ids and deltas are small) and left to the scalar
** loop, which takes about a cycle each.
*/
#include "core/simd/avx2.h"

#if defined(__x86_64__)

enum { WIDEST = 25 };

/* Which bytes go to which slot, and the shifts, for one width. */
typedef struct Shuffle {
    uint8_t  byte[32];
    uint32_t shift[8];
} Shuffle;

/* Byte b of slot i, counted from where the half of i is loaded. */
#define BYTE(w, i, b) ((i) * (w) / 8 - ((i) < 4 ? 0 : (w) / 2) + (b))
#define SLOT(w, i) \
    BYTE(w, i, 0), BYTE(w, i, 1), BYTE(w, i, 2), BYTE(w, i, 3)
#define ROW(w)                                                            \
    {{SLOT(w, 0), SLOT(w, 1), SLOT(w, 2), SLOT(w, 3), SLOT(w, 4),         \
      SLOT(w, 5), SLOT(w, 6), SLOT(w, 7)},                                \
     {0, (w) % 8, 2 * (w) % 8, 3 * (w) % 8, 4 * (w) % 8, 5 * (w) % 8,     \
      6 * (w) % 8, 7 * (w) % 8}}

static const Shuffle shuffles[WIDEST + 1] = {
    ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),
    ROW(7),  ROW(8),  ROW(9),  ROW(10), ROW(11), ROW(12), ROW(13),
    ROW(14), ROW(15), ROW(16), ROW(17), ROW(18), ROW(19), ROW(20),
    ROW(21), ROW(22), ROW(23), ROW(24), ROW(25),
};

/* How many bytes a group reads: its second half begins in byte width / 2. */
static size_t group_reads(unsigned width)
{
    return width / 2 + 16;
}

typedef struct Unpacker {
    unsigned width;
    __m256i  byte, shift, mask;
} Unpacker;

AVX2 static inline Unpacker unpacker(unsigned width)
{
    const Shuffle *s = &shuffles[width];

    return (Unpacker){width, load(s->byte), load(s->shift),
                      _mm256_set1_epi32((int)((1u << width) - 1))};
}

AVX2 static inline __m256i group_at(const Unpacker *u, const uint8_t *in)
{
    __m256i v = _mm256_castsi128_si256(load16(in));

    v = _mm256_inserti128_si256(v, load16(in + u->width / 2), 1);
    v = _mm256_shuffle_epi8(v, u->byte);
    return _mm256_and_si256(_mm256_srlv_epi32(v, u->shift), u->mask);
}

AVX2 static inline __m256i last_group(const Unpacker *u, const uint8_t *in,
                                      uint32_t n)
{
    uint8_t room[WIDEST / 2 + 16] = {0};

    memcpy(room, in, (n * u->width + 7) / 8);
    return group_at(u, room);
}

/* Stores eight values, of `size` bytes each. */
AVX2 PQ_INLINE void store_values(uint8_t *out, __m256i v, size_t size)
{
    if (size == sizeof(uint32_t)) {
        store(out, v);
        return;
    }
    store(out, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(v)));
    store(out + 32, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(v, 1)));
}

AVX2 PQ_INLINE void unpack(const uint8_t *in, size_t n_in, unsigned width,
                           uint32_t n, uint8_t *out, size_t size)
{
    const Unpacker u = unpacker(width);
    uint8_t group[8 * sizeof(uint64_t)];

    for (; n >= 8 && n_in >= group_reads(width); n -= 8, out += 8 * size) {
        store_values(out, group_at(&u, in), size);
        in += width;
        n_in -= width;
    }
    for (; n >= 8; n -= 8, out += 8 * size, in += width) {
        store_values(out, last_group(&u, in, 8), size);
    }
    if (n > 0) {
        store_values(group, last_group(&u, in, n), size);
        memcpy(out, group, n * size);
    }
}

AVX2 static void unpack32(const uint8_t *in, size_t n_in, unsigned width,
                          uint32_t n, uint32_t *out)
{
    if (width == 0 || width > WIDEST) {
        pq_kernels_scalar.unpack32(in, n_in, width, n, out);
    } else {
        unpack(in, n_in, width, n, (uint8_t *)out, sizeof *out);
    }
}

AVX2 static void unpack64(const uint8_t *in, size_t n_in, unsigned width,
                          uint32_t n, uint64_t *out)
{
    if (width == 0 || width > WIDEST) {
        pq_kernels_scalar.unpack64(in, n_in, width, n, out);
    } else {
        unpack(in, n_in, width, n, (uint8_t *)out, sizeof *out);
    }
}

/* Sums up each half, then adds the first half's total to the second.  Only one
** addition goes from group to group, because the total of a group does not
** depend on the groups before it. */
AVX2 static uint32_t delta32(const uint32_t *packed, uint32_t n, uint32_t last,
                             uint32_t min_delta, uint32_t *out)
{
    const __m256i min = _mm256_set1_epi32((int)min_delta);
    const __m256i top = _mm256_set1_epi32(7);
    const __m256i low_half = _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
    __m256i sum = _mm256_set1_epi32((int)last);

    for (; n >= 8; n -= 8, packed += 8, out += 8) {
        __m256i v = _mm256_add_epi32(load(packed), min), low;

        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
        low = _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(3));
        v = _mm256_add_epi32(v, _mm256_and_si256(low, low_half));
        store(out, _mm256_add_epi32(v, sum));
        sum = _mm256_add_epi32(sum, _mm256_permutevar8x32_epi32(v, top));
    }
    last = (uint32_t)_mm256_extract_epi32(sum, 0);
    return pq_kernels_scalar.delta32(packed, n, last, min_delta, out);
}

AVX2 static uint64_t delta64(const uint64_t *packed, uint32_t n, uint64_t last,
                             uint64_t min_delta, uint64_t *out)
{
    const __m256i min = _mm256_set1_epi64x((long long)min_delta);
    const __m256i low_half = _mm256_setr_epi64x(0, 0, -1, -1);
    __m256i sum = _mm256_set1_epi64x((long long)last);

    for (; n >= 4; n -= 4, packed += 4, out += 4) {
        __m256i v = _mm256_add_epi64(load(packed), min), low;

        v = _mm256_add_epi64(v, _mm256_slli_si256(v, 8));
        low = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(1, 1, 1, 1));
        v = _mm256_add_epi64(v, _mm256_and_si256(low, low_half));
        store(out, _mm256_add_epi64(v, sum));
        v = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 3, 3, 3));
        sum = _mm256_add_epi64(sum, v);
    }
    last = (uint64_t)_mm256_extract_epi64(sum, 0);
    return pq_kernels_scalar.delta64(packed, n, last, min_delta, out);
}

AVX2 static void unpack_bools(const uint8_t *in, size_t first, uint32_t n,
                              uint8_t *out)
{
    const __m256i one_bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    const __m256i spread = _mm256_setr_epi64x(
        0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    unsigned shift = first % 8;

    for (; n >= 32; n -= 32, first += 32, out += 32) {
        const uint8_t *p = in + first / 8;
        uint64_t bits = pq_load_u32(p);
        __m256i v;

        if (shift) {
            bits |= (uint64_t)p[4] << 32;
        }
        v = _mm256_set1_epi32((int)(uint32_t)(bits >> shift));
        v = _mm256_and_si256(_mm256_shuffle_epi8(v, spread), one_bit);
        v = _mm256_cmpeq_epi8(v, one_bit);
        store(out, _mm256_and_si256(v, _mm256_set1_epi8(1)));
    }
    pq_kernels_scalar.unpack_bools(in, first, n, out);
}

AVX2 static void scale_add32(const uint32_t *a, uint32_t by, const uint32_t *b,
                             uint32_t n, uint32_t *out)
{
    const __m256i scale = _mm256_set1_epi32((int)by);

    for (; n >= 8; n -= 8, a += 8, b += 8, out += 8) {
        store(out, _mm256_add_epi32(_mm256_mullo_epi32(load(a), scale),
                                    load(b)));
    }
    pq_kernels_scalar.scale_add32(a, by, b, n, out);
}

AVX2 static bool any_at_least(const uint32_t *in, uint32_t n, uint32_t limit)
{
    __m256i most = _mm256_setzero_si256(), least;
    bool any = false;

    if (n >= 8) {
        for (; n >= 8; n -= 8, in += 8) {
            most = _mm256_max_epu32(most, load(in));
        }
        least = _mm256_max_epu32(most, _mm256_set1_epi32((int)limit));
        least = _mm256_cmpeq_epi32(least, most);
        any = !_mm256_testz_si256(least, least);
    }
    return any || pq_kernels_scalar.any_at_least(in, n, limit);
}

AVX2 static size_t count_zeros(const uint8_t *in, size_t n)
{
    const __m256i zero = _mm256_setzero_si256();
    size_t zeros = 0;

    for (; n >= 32; n -= 32, in += 32) {
        __m256i same = _mm256_cmpeq_epi8(load(in), zero);

        zeros += (unsigned)_mm_popcnt_u32((unsigned)_mm256_movemask_epi8(same));
    }
    return zeros + pq_kernels_scalar.count_zeros(in, n);
}

/* A pack gives the order 0-3 8-11 4-7 12-15, which the permutation undoes. */
AVX2 static void narrow16(const uint32_t *in, uint32_t n, uint16_t *out)
{
    const __m256i low = _mm256_set1_epi32(0xffff);

    for (; n >= 16; n -= 16, in += 16, out += 16) {
        __m256i a = _mm256_and_si256(load(in), low);
        __m256i b = _mm256_and_si256(load(in + 8), low);

        store(out, _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b),
                                            _MM_SHUFFLE(3, 1, 2, 0)));
    }
    pq_kernels_scalar.narrow16(in, n, out);
}

AVX2 static uint64_t match64(const uint32_t *in, uint32_t n, uint32_t value)
{
    const __m256i wanted = _mm256_set1_epi32((int)value);
    uint64_t bits = 0;
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        __m256i same = _mm256_cmpeq_epi32(load(in + i), wanted);

        bits |= (uint64_t)(unsigned)_mm256_movemask_ps(
                    _mm256_castsi256_ps(same))
                << i;
    }
    if (i < n) {
        bits |= pq_kernels_scalar.match64(in + i, n - i, value) << i;
    }
    return bits;
}

/* The eight bits of valid from slot i on. */
static inline unsigned valid_at(const uint64_t *valid, uint32_t i)
{
    return valid[i / 64] >> i % 64 & 0xff;
}

/* For each of eight slots, how many slots before it are set.  Each byte of the
** product is the sum of its own flag and of those below. */
static inline uint64_t ranks_of(uint64_t flags)
{
    return flags * UINT64_C(0x0101010101010101) - flags;
}

AVX2 static inline __m256i eight_slots(const uint32_t *packed, uint64_t flags)
{
    __m128i rank = _mm_cvtsi64_si128((long long)ranks_of(flags));
    __m128i flag = _mm_cvtsi64_si128((long long)flags);
    __m256i set = _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(flag),
                                     _mm256_setzero_si256());

    return _mm256_and_si256(
        _mm256_permutevar8x32_epi32(load(packed), _mm256_cvtepu8_epi32(rank)),
        set);
}

/* Goes from the back, so that no value is overwritten before it has moved, and
** ends as soon as all values before are in their places. */
AVX2 static void spread32(uint32_t *values, const uint64_t *valid, uint32_t n,
                          uint32_t n_set)
{
    for (; n % 8 != 0; n--) {
        uint32_t bit = valid[(n - 1) / 64] >> (n - 1) % 64 & 1;

        n_set -= bit;
        values[n - 1] = values[n_set] & (0 - bit);
    }
    while (n > n_set) {
        unsigned bits = valid_at(valid, n -= 8);

        n_set -= (uint32_t)_mm_popcnt_u32(bits);
        store(values + n, eight_slots(values + n_set, pq_bits_to_bytes(bits)));
    }
}

AVX2 static inline __m256i four_slots(const uint64_t *packed, uint64_t flags)
{
    __m256i rank = _mm256_cvtepu8_epi64(
        _mm_cvtsi64_si128((long long)ranks_of(flags)));
    __m256i set = _mm256_cmpgt_epi64(
        _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((long long)flags)),
        _mm256_setzero_si256());

    /* Slot pairs: rank r means the 32-bit halves 2r and 2r + 1. */
    rank = _mm256_slli_epi64(rank, 1);
    rank = _mm256_or_si256(rank, _mm256_slli_epi64(rank, 32));
    rank = _mm256_or_si256(rank, _mm256_set1_epi64x((long long)1 << 32));
    return _mm256_and_si256(_mm256_permutevar8x32_epi32(load(packed), rank),
                            set);
}

AVX2 static void spread64(uint64_t *values, const uint64_t *valid, uint32_t n,
                          uint32_t n_set)
{
    for (; n % 4 != 0; n--) {
        uint64_t bit = valid[(n - 1) / 64] >> (n - 1) % 64 & 1;

        n_set -= (uint32_t)bit;
        values[n - 1] = values[n_set] & (0 - bit);
    }
    while (n > n_set) {
        unsigned bits = valid_at(valid, n -= 4) & 0xf;

        n_set -= (uint32_t)_mm_popcnt_u32(bits);
        store(values + n, four_slots(values + n_set, pq_bits_to_bytes(bits)));
    }
}

/* Whole words of 64 tests by SIMD, the last one by the scalar twin. */
#define EACH_WORD(scalar_rest, step, test)                                   \
    uint32_t at = 0;                                                         \
                                                                             \
    for (; at + 64 <= n; at += 64) {                                         \
        uint64_t word = 0;                                                   \
                                                                             \
        for (uint32_t i = 0; i < 64; i += (step)) {                          \
            word |= (uint64_t)(unsigned)(test) << i;                         \
        }                                                                    \
        bits[at / 64] = word;                                                \
    }                                                                        \
    if (at < n) {                                                            \
        scalar_rest;                                                         \
    }

AVX2 static inline __m256i eight_in_span(const uint32_t *in, __m256i low,
                                         __m256i span)
{
    __m256i v = _mm256_sub_epi32(load(in), low);

    return _mm256_cmpeq_epi32(_mm256_min_epu32(v, span), v);
}

/* The answers of 32 values become bytes, which a permutation puts in order. */
AVX2 static inline int in_span32(const uint32_t *in, __m256i low, __m256i span)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i a = _mm256_packs_epi32(eight_in_span(in, low, span),
                                   eight_in_span(in + 8, low, span));
    __m256i b = _mm256_packs_epi32(eight_in_span(in + 16, low, span),
                                   eight_in_span(in + 24, low, span));

    return _mm256_movemask_epi8(
        _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order));
}

AVX2 static void between32(const uint32_t *in, uint32_t n, uint32_t low,
                           uint32_t span, uint64_t *bits)
{
    const __m256i lows = _mm256_set1_epi32((int)low);
    const __m256i spans = _mm256_set1_epi32((int)span);

    EACH_WORD(pq_kernels_scalar.between32(in + at, n - at, low, span,
                                          bits + at / 64),
              32, in_span32(in + at + i, lows, spans))
}

/* Flipping the highest bit turns unsigned order into signed order.  span comes
** with its bit flipped. */
AVX2 static inline int in_span64(const uint64_t *in, __m256i low, __m256i span)
{
    const __m256i first = _mm256_set1_epi64x(INT64_MIN);
    __m256i v = _mm256_sub_epi64(load(in), low);
    __m256i above = _mm256_cmpgt_epi64(_mm256_xor_si256(v, first), span);

    return ~_mm256_movemask_pd(_mm256_castsi256_pd(above)) & 15;
}

AVX2 static void between64(const uint64_t *in, uint32_t n, uint64_t low,
                           uint64_t span, uint64_t *bits)
{
    const __m256i lows = _mm256_set1_epi64x((int64_t)low);
    const __m256i spans =
        _mm256_set1_epi64x((int64_t)(span ^ (uint64_t)INT64_MIN));

    EACH_WORD(pq_kernels_scalar.between64(in + at, n - at, low, span,
                                          bits + at / 64),
              4, in_span64(in + at + i, lows, spans))
}

AVX2 static inline int in_floats(const float *in, __m256 low, __m256 high)
{
    __m256 v = _mm256_loadu_ps(in);

    return _mm256_movemask_ps(
        _mm256_and_ps(_mm256_cmp_ps(v, low, _CMP_GE_OQ),
                      _mm256_cmp_ps(v, high, _CMP_LE_OQ)));
}

AVX2 static void between_float(const float *in, uint32_t n, float low,
                               float high, uint64_t *bits)
{
    const __m256 lows = _mm256_set1_ps(low), highs = _mm256_set1_ps(high);

    EACH_WORD(pq_kernels_scalar.between_float(in + at, n - at, low, high,
                                              bits + at / 64),
              8, in_floats(in + at + i, lows, highs))
}

AVX2 static inline int in_doubles(const double *in, __m256d low, __m256d high)
{
    __m256d v = _mm256_loadu_pd(in);

    return _mm256_movemask_pd(
        _mm256_and_pd(_mm256_cmp_pd(v, low, _CMP_GE_OQ),
                      _mm256_cmp_pd(v, high, _CMP_LE_OQ)));
}

AVX2 static void between_double(const double *in, uint32_t n, double low,
                                double high, uint64_t *bits)
{
    const __m256d lows = _mm256_set1_pd(low), highs = _mm256_set1_pd(high);

    EACH_WORD(pq_kernels_scalar.between_double(in + at, n - at, low, high,
                                               bits + at / 64),
              4, in_doubles(in + at + i, lows, highs))
}

AVX2 static inline int same_bytes(const uint8_t *in, __m256i value)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(load(in), value));
}

AVX2 static void equal8(const uint8_t *in, uint32_t n, uint8_t value,
                        uint64_t *bits)
{
    const __m256i values = _mm256_set1_epi8((char)value);

    EACH_WORD(pq_kernels_scalar.equal8(in + at, n - at, value, bits + at / 64),
              32, same_bytes(in + at + i, values))
}

/* Fetches four bytes for each entry; only the lowest counts. */
AVX2 static uint64_t look_up64(const uint8_t *table, const uint32_t *in,
                               uint32_t n)
{
    uint64_t bits = 0;
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        __m256i entries = _mm256_i32gather_epi32((const int *)(const void *)
                                                 table, load(in + i), 1);

        bits |= (uint64_t)(unsigned)_mm256_movemask_ps(
                    _mm256_castsi256_ps(_mm256_slli_epi32(entries, 31)))
                << i;
    }
    if (i < n) {
        bits |= pq_kernels_scalar.look_up64(table, in + i, n - i) << i;
    }
    return bits;
}

/* All eight words are in one register: a permutation picks the word of each bit
** without a load. */
AVX2 static uint64_t look_up_few64(const uint32_t *table, const uint32_t *in,
                                   uint32_t n)
{
    const __m256i words = load(table), low = _mm256_set1_epi32(31);
    uint64_t bits = 0;
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        __m256i at = load(in + i);
        __m256i word = _mm256_permutevar8x32_epi32(words,
                                                   _mm256_srli_epi32(at, 5));
        /* Moves the bit to the top: 31 - at % 32 to the left. */
        __m256i bit = _mm256_sllv_epi32(word, _mm256_andnot_si256(at, low));

        bits |= (uint64_t)(unsigned)_mm256_movemask_ps(
                    _mm256_castsi256_ps(bit)) << i;
    }
    if (i < n) {
        bits |= pq_kernels_scalar.look_up_few64(table, in + i, n - i) << i;
    }
    return bits;
}

/* Compiled to popcnt, and bmi1 for the list: any CPU with AVX2 has both. */
AVX2 static uint32_t count_bits(const uint64_t *bits, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        count += (uint32_t)__builtin_popcountll(bits[i]);
    }
    return count;
}

/* The bits that are set in four, in the lowest places. */
static const uint8_t of_four[16][4] = {
    {0},    {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3},    {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};

/* Which bits a word has, four by four. */
__attribute__((target("avx2,popcnt"))) static void
list_many(uint64_t word, uint32_t first, uint32_t *out)
{
    const __m128i four = _mm_set1_epi32(4);
    __m128i base = _mm_set1_epi32((int)first);

    for (uint32_t k = 0; k < 16; k++, word >>= 4) {
        int some;

        memcpy(&some, of_four[word & 15], sizeof some);
        _mm_storeu_si128(
            (__m128i *)(void *)out,
            _mm_add_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(some)), base));
        out += _mm_popcnt_u32((unsigned)word & 15);
        base = _mm_add_epi32(base, four);
    }
}

enum { MANY_BITS = 24 };

/* Writes four at a time, which may be more than there are.  The processor
** cannot predict how many bits a word has, but it can predict whether there are
** more than four. */
__attribute__((target("avx2,popcnt,bmi"))) static uint32_t
list_bits(const uint64_t *bits, uint32_t n, uint32_t *out)
{
    uint32_t *at = out;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t left = bits[i];
        uint32_t count = (uint32_t)_mm_popcnt_u64(left);

        if (left == ~(uint64_t)0) {
            for (uint32_t k = 0; k < 64; k++) {
                at[k] = i * 64 + k;
            }
        } else if (count >= MANY_BITS) {
            list_many(left, i * 64, at);
        } else {
            for (uint32_t k = 0; k < count; k += 4) {
                for (uint32_t j = 0; j < 4; j++, left &= left - 1) {
                    at[k + j] = i * 64 + (uint32_t)_tzcnt_u64(left);
                }
            }
        }
        at += count;
    }
    return (uint32_t)(at - out);
}

/* A byte to look for.  A letter's two forms differ in one bit, which or_with
** sets in the text. */
typedef struct Wanted {
    __m256i value, or_with;
} Wanted;

AVX2 static inline Wanted wanted_byte(uint8_t c, bool fold)
{
    bool letter = (uint8_t)((c | 0x20) - 'a') < 26;
    uint8_t bit = fold && letter ? 0x20 : 0;

    return (Wanted){_mm256_set1_epi8((char)(c | bit)),
                    _mm256_set1_epi8((char)bit)};
}

AVX2 static inline __m256i bytes_like(const uint8_t *at, const Wanted *w)
{
    return _mm256_cmpeq_epi8(_mm256_or_si256(load(at), w->or_with), w->value);
}

/* Compares only the first, the middle and the last byte of part at 32 places at
** once, then checks the places where they match.  Two bytes are too few: a slash and
** a digit lie at their distance in every eighth URL. */
AVX2 static const uint8_t *find(const uint8_t *text, size_t n,
                                const uint8_t *part, size_t n_part, bool fold)
{
    const Wanted first = wanted_byte(part[0], fold);
    const Wanted middle = wanted_byte(part[n_part / 2], fold);
    const Wanted last = wanted_byte(part[n_part - 1], fold);
    size_t at = 0;

    for (; at + n_part - 1 + 32 <= n; at += 32) {
        __m256i all = _mm256_and_si256(
            _mm256_and_si256(bytes_like(text + at, &first),
                             bytes_like(text + at + n_part / 2, &middle)),
            bytes_like(text + at + n_part - 1, &last));
        unsigned bits = (unsigned)_mm256_movemask_epi8(all);

        for (; bits; bits &= bits - 1) {
            const uint8_t *here = text + at + (unsigned)__builtin_ctz(bits);

            if (pq_kernels_scalar.find(here, n_part, part, n_part, fold)) {
                return here;
            }
        }
    }
    return pq_kernels_scalar.find(text + at, n - at, part, n_part, fold);
}

const PqKernels pq_kernels_avx2 = {
    .name = "avx2",
    .unpack32 = unpack32, .unpack64 = unpack64, .unpack_bools = unpack_bools,
    .delta32 = delta32, .delta64 = delta64, .scale_add32 = scale_add32,
    .spread32 = spread32, .spread64 = spread64, .narrow16 = narrow16,
    .any_at_least = any_at_least, .count_zeros = count_zeros,
    .match64 = match64, .equal8 = equal8,
    .between32 = between32, .between64 = between64,
    .between_float = between_float, .between_double = between_double,
    .look_up64 = look_up64, .look_up_few64 = look_up_few64,
    .count_bits = count_bits, .list_bits = list_bits, .find = find,
    PQ_KERNEL_PARTS_OF(avx2),
};

#endif
