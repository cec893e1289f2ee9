/*
** kernels_scalar.c - every kernel in plain C: it runs on any CPU, and the tests
** compare the other tables with it.
**
** Unpacking is one inline body, expanded for each width by a switch.  Eight
** values of width bits are width bytes, so within a group the compiler knows
** every offset and every shift.
**
**   width 3:   byte 0    byte 1    byte 2
**             76543210  76543210  76543210
**             22111000  54443332  77766655      which value a bit belongs to
**
** To get a value, eight bytes are loaded from the byte it begins in.  The last
** groups, where that would read past the end, are copied to a padded buffer
** first.
*/
#include "core/simd/kernels_inside.h"

#define APART static __attribute__((noinline))

enum { GROUP = 8, WIDEST_LOAD = 9 };

/* Value i of those packed from in on; reads at most WIDEST_LOAD bytes. */
PQ_INLINE uint64_t value_at(const uint8_t *in, unsigned width, unsigned i)
{
    unsigned bit = i * width, shift = bit % 8;
    uint64_t v = pq_load_u64(in + bit / 8) >> shift;

    if (shift + width > 64) {
        v |= (uint64_t)in[bit / 8 + 8] << (64 - shift);
    }
    return width == 64 ? v : v & (((uint64_t)1 << width) - 1);
}

/* Writes value i, of `size` bytes. */
PQ_INLINE void put_value(void *out, unsigned i, uint64_t v, size_t size)
{
    if (size == sizeof(uint32_t)) {
        ((uint32_t *)out)[i] = (uint32_t)v;
    } else {
        ((uint64_t *)out)[i] = v;
    }
}

/* Eight values, unrolled by hand: at -O2 the compiler does not unroll. */
PQ_INLINE void unpack_group(const uint8_t *in, unsigned width, void *out,
                            size_t size)
{
    put_value(out, 0, value_at(in, width, 0), size);
    put_value(out, 1, value_at(in, width, 1), size);
    put_value(out, 2, value_at(in, width, 2), size);
    put_value(out, 3, value_at(in, width, 3), size);
    put_value(out, 4, value_at(in, width, 4), size);
    put_value(out, 5, value_at(in, width, 5), size);
    put_value(out, 6, value_at(in, width, 6), size);
    put_value(out, 7, value_at(in, width, 7), size);
}

/* The last values; reads only the bytes they are in. */
APART void unpack_last(const uint8_t *in, unsigned width, uint32_t n, void *out,
                       size_t size)
{
    for (uint32_t i = 0; i < n; i += GROUP, in += width) {
        uint8_t room[64 + WIDEST_LOAD] = {0};
        uint32_t some = n - i < GROUP ? n - i : GROUP;

        memcpy(room, in, (some * width + 7) / 8);
        for (uint32_t j = 0; j < some; j++) {
            put_value(out, i + j, value_at(room, width, j), size);
        }
    }
}

PQ_INLINE void unpack_width(unsigned width, const uint8_t *in, size_t n_in,
                            uint32_t n, void *values, size_t size)
{
    uint8_t *out = values;

    while (n >= GROUP && n_in >= width + WIDEST_LOAD) {
        unpack_group(in, width, out, size);
        in += width;
        n_in -= width;
        out += GROUP * size;
        n -= GROUP;
    }
    unpack_last(in, width, n, out, size);
}

static void unpack32(const uint8_t *in, size_t n_in, unsigned width,
                     uint32_t n, uint32_t *out)
{
    if (width == 0 && n > 0) {
        memset(out, 0, n * sizeof *out);
    }
    switch (width) {
        PQ_CASES(1, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(9, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(17, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(25, unpack_width, in, n_in, n, out, sizeof *out)
    }
}

static void unpack64(const uint8_t *in, size_t n_in, unsigned width,
                     uint32_t n, uint64_t *out)
{
    if (width == 0 && n > 0) {
        memset(out, 0, n * sizeof *out);
    }
    switch (width) {
        PQ_CASES(1, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(9, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(17, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(25, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(33, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(41, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(49, unpack_width, in, n_in, n, out, sizeof *out)
        PQ_CASES(57, unpack_width, in, n_in, n, out, sizeof *out)
    }
}

static uint32_t delta32(const uint32_t *packed, uint32_t n, uint32_t last,
                        uint32_t min_delta, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        last += min_delta + packed[i];
        out[i] = last;
    }
    return last;
}

static uint64_t delta64(const uint64_t *packed, uint32_t n, uint64_t last,
                        uint64_t min_delta, uint64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        last += min_delta + packed[i];
        out[i] = last;
    }
    return last;
}

static void unpack_bools(const uint8_t *in, size_t first, uint32_t n,
                         uint8_t *out)
{
    unsigned shift = first % 8;

    in += first / 8;
    for (; n >= 8; n -= 8, in++, out += 8) {
        unsigned byte = (unsigned)in[0] >> shift;

        if (shift) {
            byte |= (unsigned)in[1] << (8 - shift);
        }
        pq_store_u64(out, pq_bits_to_bytes(byte & 0xff));
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = in[(shift + i) / 8] >> (shift + i) % 8 & 1;
    }
}

static void scale_add32(const uint32_t *a, uint32_t by, const uint32_t *b,
                        uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = a[i] * by + b[i];
    }
}

static bool any_at_least(const uint32_t *in, uint32_t n, uint32_t limit)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < n; i++) {
        any |= in[i] >= limit;
    }
    return any != 0;
}

static size_t count_zeros(const uint8_t *in, size_t n)
{
    size_t zeros = 0;

    for (size_t i = 0; i < n; i++) {
        zeros += in[i] == 0;
    }
    return zeros;
}

static void narrow16(const uint32_t *in, uint32_t n, uint16_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (uint16_t)in[i];
    }
}

static uint64_t match64(const uint32_t *in, uint32_t n, uint32_t value)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        bits |= (uint64_t)(in[i] == value) << i;
    }
    return bits;
}

static uint64_t look_up64(const uint8_t *table, const uint32_t *in, uint32_t n)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        bits |= (uint64_t)table[in[i]] << i;
    }
    return bits;
}

static uint64_t look_up_few64(const uint32_t *table, const uint32_t *in,
                              uint32_t n)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        bits |= (uint64_t)(table[in[i] / 32] >> in[i] % 32 & 1) << i;
    }
    return bits;
}

static uint32_t count_bits(const uint64_t *bits, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        count += (uint32_t)__builtin_popcountll(bits[i]);
    }
    return count;
}

static uint32_t list_bits(const uint64_t *bits, uint32_t n, uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t left = bits[i]; left; left &= left - 1) {
            out[count++] = i * 64 + (uint32_t)__builtin_ctzll(left);
        }
    }
    return count;
}

/* Goes from the back: values only move up, so each one has moved before it is
** overwritten. */
static void spread32(uint32_t *values, const uint64_t *valid, uint32_t n,
                     uint32_t n_set)
{
    for (uint32_t i = n; i-- > 0;) {
        uint32_t bit = valid[i / 64] >> i % 64 & 1;

        n_set -= bit;
        values[i] = values[n_set] & (0 - bit);
    }
}

static void spread64(uint64_t *values, const uint64_t *valid, uint32_t n,
                     uint32_t n_set)
{
    for (uint32_t i = n; i-- > 0;) {
        uint64_t bit = valid[i / 64] >> i % 64 & 1;

        n_set -= (uint32_t)bit;
        values[i] = values[n_set] & (0 - bit);
    }
}

/* Sets bit i of bits to `test`, an expression of i, for all n. */
#define EACH_BIT(test)                                                       \
    for (uint32_t at = 0; at < n; at += 64) {                                \
        uint32_t end = n - at < 64 ? n : at + 64;                            \
        uint64_t word = 0;                                                   \
                                                                             \
        for (uint32_t i = at; i < end; i++) {                                \
            word |= (uint64_t)(test) << (i - at);                            \
        }                                                                    \
        bits[at / 64] = word;                                                \
    }

static void between32(const uint32_t *in, uint32_t n, uint32_t low,
                      uint32_t span, uint64_t *bits)
{
    EACH_BIT(in[i] - low <= span)
}

static void between64(const uint64_t *in, uint32_t n, uint64_t low,
                      uint64_t span, uint64_t *bits)
{
    EACH_BIT(in[i] - low <= span)
}

static void between_float(const float *in, uint32_t n, float low, float high,
                          uint64_t *bits)
{
    EACH_BIT((in[i] >= low) & (in[i] <= high))
}

static void between_double(const double *in, uint32_t n, double low,
                           double high, uint64_t *bits)
{
    EACH_BIT((in[i] >= low) & (in[i] <= high))
}

static void equal8(const uint8_t *in, uint32_t n, uint8_t value, uint64_t *bits)
{
    EACH_BIT(in[i] == value)
}

static unsigned folded(unsigned c, bool fold)
{
    return fold && c - 'A' <= 'Z' - 'A' ? c + ('a' - 'A') : c;
}

static const uint8_t *find(const uint8_t *text, size_t n, const uint8_t *part,
                           size_t n_part, bool fold)
{
    for (size_t at = 0; at + n_part <= n; at++) {
        size_t i = 0;

        while (i < n_part && folded(text[at + i], fold) ==
                                 folded(part[i], fold)) {
            i++;
        }
        if (i == n_part) {
            return text + at;
        }
    }
    return NULL;
}

const PqKernels pq_kernels_scalar = {
    .name = "scalar",
    .unpack32 = unpack32, .unpack64 = unpack64, .unpack_bools = unpack_bools,
    .delta32 = delta32, .delta64 = delta64, .scale_add32 = scale_add32,
    .spread32 = spread32, .spread64 = spread64, .narrow16 = narrow16,
    .any_at_least = any_at_least, .count_zeros = count_zeros,
    .match64 = match64, .equal8 = equal8,
    .between32 = between32, .between64 = between64,
    .between_float = between_float, .between_double = between_double,
    .look_up64 = look_up64, .look_up_few64 = look_up_few64,
    .count_bits = count_bits, .list_bits = list_bits, .find = find,
    PQ_KERNEL_PARTS_OF(scalar),
};
