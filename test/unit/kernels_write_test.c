/*
** kernels_write_test.c - the kernels of writers: every table this CPU runs
** against loops that are too simple to be wrong.
*/
#include "core/simd/kernels.h"
#include "test/unit/fenced.h"

#include <math.h>

/* Room for n bytes and what a packer may write after them. */
static Fenced packed_room(size_t n)
{
    Fenced f = fenced(n + PQ_PACK_SLACK);

    f.n = n;
    return f;
}

static bool packed_fence_holds(const Fenced *f)
{
    Fenced all = *f;

    all.n += PQ_PACK_SLACK;
    return fence_holds(&all);
}

/* The bits after the last value are zeros up to the end of its byte. */
static bool padded(const Fenced *f, size_t n_bits)
{
    return n_bits % 8 == 0 || f->p[f->n - 1] >> n_bits % 8 == 0;
}

static bool pack32_agrees(const PqKernels *k, unsigned width, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint32_t));
    Fenced out = packed_room(((size_t)n * width + 7) / 8);
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = width ? any64() >> (64 - width) : 0;
        pq_store_u32(in + 4 * i, (uint32_t)v);
    }
    k->pack32((uint32_t *)(void *)in, width, n, out.p);
    ok = packed_fence_holds(&out) && padded(&out, (size_t)n * width);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = bits_at(out.p, (size_t)i * width, width) ==
             pq_load_u32(in + 4 * i);
    }
    free(in);
    free(out.all);
    return ok;
}

static bool pack64_agrees(const PqKernels *k, unsigned width, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint64_t));
    Fenced out = packed_room(((size_t)n * width + 7) / 8);
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        pq_store_u64(in + 8 * i, width ? any64() >> (64 - width) : 0);
    }
    k->pack64((uint64_t *)(void *)in, width, n, out.p);
    ok = packed_fence_holds(&out) && padded(&out, (size_t)n * width);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = bits_at(out.p, (size_t)i * width, width) ==
             pq_load_u64(in + 8 * i);
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, pack32_takes_every_width_at_every_length)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 32; width++) {
            for (uint32_t n = 0; n < MOST; n = next_n(n)) {
                CHECK(pack32_agrees(all[j], width, n));
            }
        }
    }
}

TEST(kernels, pack64_takes_every_width_at_every_length)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 64; width++) {
            for (uint32_t n = 0; n < MOST; n = next_n(n)) {
                CHECK(pack64_agrees(all[j], width, n));
            }
        }
    }
}

/* All ones, so that a carry into a neighbour shows. */
TEST(kernels, the_largest_values_of_a_width_fill_their_bytes)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    uint32_t in32[64];
    uint64_t in64[64];

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 1; width <= 64; width++) {
            uint8_t out[64 * 8 + PQ_PACK_SLACK];

            for (int i = 0; i < 64; i++) {
                in64[i] = ~(uint64_t)0 >> (64 - width);
                in32[i] = (uint32_t)in64[i];
            }
            all[j]->pack64(in64, width, 64, out);
            for (unsigned i = 0; i < 8 * width; i++) {
                CHECK_INT(out[i], 0xff);
            }
            memset(out, 0, sizeof out);
            all[j]->pack32(in32, width < 32 ? width : 32, 64, out);
            for (unsigned i = 0; i < 8 * (width < 32 ? width : 32); i++) {
                CHECK_INT(out[i], 0xff);
            }
        }
    }
}

TEST(kernels, pack32_writes_the_example_of_the_format)
{
    static const uint32_t in[] = {0, 1, 2, 3, 4, 5, 6, 7};
    PqSlice want = test_hex(t, "88 c6 fa");
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        uint8_t out[3 + PQ_PACK_SLACK];

        all[j]->pack32(in, 3, 8, out);
        CHECK_BYTES(out, 3, want.p, want.n);
    }
}

static bool pack_bools_agrees(const PqKernels *k, uint32_t n)
{
    uint8_t *in = exactly(n);
    Fenced out = fenced((n + 7) / 8);
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        in[i] &= 1;
    }
    k->pack_bools(in, n, out.p);
    ok = fence_holds(&out) && padded(&out, n);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = bits_at(out.p, i, 1) == in[i];
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, bools_pack_to_bits_and_zeros_after_them)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            CHECK(pack_bools_agrees(all[j], n));
        }
    }
}

/* The bytes before and after, in each stream, are left alone. */
static bool split_agrees(const PqKernels *k, unsigned width, uint32_t n,
                         size_t before, size_t after)
{
    size_t stride = before + n + after;
    uint8_t *in = exactly((size_t)n * width);
    Fenced out = fenced(stride * width);
    bool ok;

    k->split(in, width, n, stride, before, out.p);
    ok = fence_holds(&out);
    for (unsigned b = 0; ok && b < width; b++) {
        for (size_t i = 0; i < stride; i++) {
            uint8_t got = out.p[b * stride + i];

            ok = ok && got == (i < before || i >= before + n
                                   ? 0xa5
                                   : in[(i - before) * width + b]);
        }
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, split_parts_every_width_to_anywhere)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 40; width++) {
            for (uint32_t n = 0; n < 500; n = next_n(n)) {
                CHECK(split_agrees(all[j], width, n, 0, 0));
                CHECK(split_agrees(all[j], width, n, any64() % 50,
                                   any64() % 50));
            }
        }
    }
}

/* Differences, the least of them, and what remains above it. */
static bool differ32_agrees(const PqKernels *k, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint32_t));
    Fenced out = fenced(n * sizeof(uint32_t));
    uint32_t *got = (uint32_t *)(void *)out.p, last = (uint32_t)any64();
    uint32_t before = last, any;
    int32_t least = INT32_MAX, found = INT32_MAX;
    bool ok = true;

    k->differ32((uint32_t *)(void *)in, n, last, got);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = pq_load_u32(in + 4 * i);

        ok = ok && got[i] == v - before;
        least = (int32_t)(v - before) < least ? (int32_t)(v - before) : least;
        before = v;
    }
    found = n ? k->least32(got, n) : found;
    any = k->lower32(got, n, (uint32_t)least);
    ok = ok && found == least && fence_holds(&out);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = pq_load_u32(in + 4 * i);

        ok = ok && got[i] == v - last - (uint32_t)least &&
             (got[i] & ~any) == 0;
        last = v;
    }
    free(in);
    free(out.all);
    return ok;
}

static bool differ64_agrees(const PqKernels *k, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint64_t));
    Fenced out = fenced(n * sizeof(uint64_t));
    uint64_t *got = (uint64_t *)(void *)out.p, last = any64();
    uint64_t before = last, any;
    int64_t least = INT64_MAX, found = INT64_MAX;
    bool ok = true;

    k->differ64((uint64_t *)(void *)in, n, last, got);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = pq_load_u64(in + 8 * i);

        ok = ok && got[i] == v - before;
        least = (int64_t)(v - before) < least ? (int64_t)(v - before) : least;
        before = v;
    }
    found = n ? k->least64(got, n) : found;
    any = k->lower64(got, n, (uint64_t)least);
    ok = ok && found == least && fence_holds(&out);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = pq_load_u64(in + 8 * i);

        ok = ok && got[i] == v - last - (uint64_t)least &&
             (got[i] & ~any) == 0;
        last = v;
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, differences_wrap_and_are_lowered_by_the_least)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            CHECK(differ32_agrees(all[j], n));
            CHECK(differ64_agrees(all[j], n));
        }
    }
}

TEST(kernels, the_bits_of_lowered_values_are_no_more_than_they_have)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t v64[37];
            uint32_t v32[37];

            for (uint32_t i = 0; i < 37; i++) {
                v64[i] = v32[i] = 100;
            }
            v64[bit % 37] += (uint64_t)1 << bit;
            v32[bit % 37] += (uint32_t)1 << bit % 32;
            CHECK(all[j]->lower64(v64, 37, 100) == (uint64_t)1 << bit);
            CHECK(all[j]->lower32(v32, 37, 100) == (uint32_t)1 << bit % 32);
        }
    }
}

TEST(kernels, the_least_is_found_wherever_it_is)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 1; n < 70; n++) {
            for (uint32_t at = 0; at < n; at++) {
                uint64_t v64[70];
                uint32_t v32[70];

                for (uint32_t i = 0; i < n; i++) {
                    v64[i] = i == at ? (uint64_t)INT64_MIN : INT64_MAX - i;
                    v32[i] = i == at ? (uint32_t)-5 : i;
                }
                CHECK(all[j]->least64(v64, n) == INT64_MIN);
                CHECK_INT(all[j]->least32(v32, n), -5);
            }
        }
    }
}

static uint32_t first_repeat(const uint32_t *v, uint32_t n)
{
    for (uint32_t i = 0; i + 8 <= n; i += 8) {
        uint32_t same = 1;

        while (same < 8 && v[i + same] == v[i]) {
            same++;
        }
        if (same == 8) {
            return i;
        }
    }
    return n / 8 * 8;
}

TEST(kernels, a_repeat_is_found_and_counted)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    uint32_t v[MOST];

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 1; n < 300; n = next_n(n)) {
            uint32_t start = (uint32_t)(any64() % n), same = start;
            uint32_t length = (uint32_t)(any64() % 40);

            for (uint32_t i = 0; i < n; i++) {
                v[i] = i >= start && i < start + length ? UINT32_MAX
                                                        : (uint32_t)any64();
            }
            CHECK_INT(all[j]->find_repeat(v, n), first_repeat(v, n));
            while (same < n && v[same] == v[start]) {
                same++;
            }
            CHECK_INT(all[j]->count_repeat(v + start, n - start),
                      same - start);
            for (uint32_t i = 0; i < n; i++) {
                v[i] = 7;
            }
            CHECK_INT(all[j]->find_repeat(v, n), 0);
            CHECK_INT(all[j]->count_repeat(v, n), n);
        }
        CHECK_INT(all[j]->find_repeat(v, 0), 0);
    }
}

/* Values for which ALP has an integer, and values for which it has none. */
static double some_real(void)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e300,
                                 5e-324, -1e17, 2147483648.0, -2147483648.0,
                                 4503599627370496.0, 0x1p51, -0x1p51,
                                 0x1p51 - 1, 0.1, -0.3};

    return any64() % 4 == 0
               ? odd[any64() % PQ_COUNT(odd)]
               : (double)((int64_t)(any64() >> 30) - (1 << 30)) / 100;
}

static bool alp_double_agrees(const PqKernels *k, const PqAlpDouble *by,
                              uint32_t n)
{
    double *in = (double *)(void *)exactly(n * sizeof(double));
    Fenced out = fenced(n * sizeof(uint64_t)), bad = fenced(n * 2);
    uint64_t *want = malloc((n + 1) * sizeof *want);
    uint16_t *want_bad = malloc((n + 1) * sizeof *want_bad);
    const uint64_t *got = (uint64_t *)(void *)out.p;
    uint32_t n_want, n_got;
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        in[i] = some_real();
    }
    n_want = pq_kernels_scalar.alp_double(in, n, by, want, want_bad);
    n_got = k->alp_double(in, n, by, (uint64_t *)(void *)out.p,
                          (uint16_t *)(void *)bad.p);
    ok = fence_holds(&out) && fence_holds(&bad) && n_got == n_want &&
         memcmp(bad.p, want_bad, n_want * sizeof *want_bad) == 0;
    for (uint32_t i = 0, b = 0; ok && i < n; i++) {
        double back = (double)(int64_t)got[i] * by->ten * by->tenth;

        if (b < n_want && want_bad[b] == i) {
            b++;
        } else {
            ok = got[i] == want[i] && memcmp(&back, &in[i], sizeof back) == 0;
        }
    }
    free(in);
    free(out.all);
    free(bad.all);
    free(want);
    free(want_bad);
    return ok;
}

static bool alp_float_agrees(const PqKernels *k, const PqAlpFloat *by,
                             uint32_t n)
{
    float *in = (float *)(void *)exactly(n * sizeof(float));
    Fenced out = fenced(n * sizeof(uint32_t)), bad = fenced(n * 2);
    uint32_t *want = malloc((n + 1) * sizeof *want);
    uint16_t *want_bad = malloc((n + 1) * sizeof *want_bad);
    const uint32_t *got = (uint32_t *)(void *)out.p;
    uint32_t n_want, n_got;
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        in[i] = (float)some_real();
    }
    n_want = pq_kernels_scalar.alp_float(in, n, by, want, want_bad);
    n_got = k->alp_float(in, n, by, (uint32_t *)(void *)out.p,
                         (uint16_t *)(void *)bad.p);
    ok = fence_holds(&out) && fence_holds(&bad) && n_got == n_want &&
         memcmp(bad.p, want_bad, n_want * sizeof *want_bad) == 0;
    for (uint32_t i = 0, b = 0; ok && i < n; i++) {
        float back = (float)(int32_t)got[i] * by->ten * by->tenth;

        if (b < n_want && want_bad[b] == i) {
            b++;
        } else {
            ok = got[i] == want[i] && memcmp(&back, &in[i], sizeof back) == 0;
        }
    }
    free(in);
    free(out.all);
    free(bad.all);
    free(want);
    free(want_bad);
    return ok;
}

TEST(kernels, what_alp_makes_of_a_value_gives_it_back_or_is_an_exception)
{
    static const PqAlpDouble doubles[] = {{1e2, 1e-0, 1e0, 1e-2},
                                          {1e14, 1e-12, 1e12, 1e-14},
                                          {1e0, 1e-0, 1e0, 1e-0}};
    static const PqAlpFloat floats[] = {{1e2f, 1e-0f, 1e0f, 1e-2f},
                                        {1e5f, 1e-3f, 1e3f, 1e-5f},
                                        {1e0f, 1e-0f, 1e0f, 1e-0f}};
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            for (size_t i = 0; i < PQ_COUNT(doubles); i++) {
                CHECK(alp_double_agrees(all[j], &doubles[i], n));
                CHECK(alp_float_agrees(all[j], &floats[i], n));
            }
        }
    }
}

TEST(kernels, alp_has_integers_for_decimals_and_exceptions_for_the_rest)
{
    static const double in[] = {1.25, -7.5, 0.0, -0.0, NAN, 1e-3, INFINITY,
                                3.0, 22517998136852.47, 1e300};
    static const uint16_t want[] = {3, 4, 5, 6, 9};
    static const PqAlpDouble by = {1e2, 1e-0, 1e0, 1e-2};
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        uint64_t out[PQ_COUNT(in)];
        uint16_t bad[PQ_COUNT(in)];

        CHECK_INT(all[j]->alp_double(in, PQ_COUNT(in), &by, out, bad), 5);
        CHECK_BYTES(bad, sizeof want, want, sizeof want);
        CHECK_INT(out[0], 125);
        CHECK_INT(out[1], -750);
        CHECK_INT(out[2], 0);
        CHECK_INT(out[7], 300);
        CHECK_INT(out[8], 2251799813685247);
    }
}
