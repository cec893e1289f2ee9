/*
** kernels_test.c - every table this CPU runs against loops that are too simple
** to be wrong.  Those of writers are in kernels_write_test.c.
*/
#include "core/simd/kernels.h"
#include "test/unit/fenced.h"

#include <math.h>

static bool unpack32_agrees(const PqKernels *k, unsigned width, uint32_t n,
                            size_t extra)
{
    size_t n_in = ((size_t)n * width + 7) / 8 + extra;
    uint8_t *in = exactly(n_in);
    Fenced out = fenced(n * sizeof(uint32_t));
    bool ok;

    k->unpack32(in, n_in, width, n, (uint32_t *)(void *)out.p);
    ok = fence_holds(&out);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = pq_load_u32(out.p + 4 * i) ==
             bits_at(in, (size_t)i * width, width);
    }
    free(in);
    free(out.all);
    return ok;
}

static bool unpack64_agrees(const PqKernels *k, unsigned width, uint32_t n,
                            size_t extra)
{
    size_t n_in = ((size_t)n * width + 7) / 8 + extra;
    uint8_t *in = exactly(n_in);
    Fenced out = fenced(n * sizeof(uint64_t));
    bool ok;

    k->unpack64(in, n_in, width, n, (uint64_t *)(void *)out.p);
    ok = fence_holds(&out);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = pq_load_u64(out.p + 8 * i) ==
             bits_at(in, (size_t)i * width, width);
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, unpack32_gives_every_width_at_every_length)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 32; width++) {
            for (uint32_t n = 0; n < MOST; n = next_n(n)) {
                CHECK(unpack32_agrees(all[j], width, n, 0));
                CHECK(unpack32_agrees(all[j], width, n, any64() % 40));
            }
        }
    }
}

TEST(kernels, unpack64_gives_every_width_at_every_length)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 64; width++) {
            for (uint32_t n = 0; n < MOST; n = next_n(n)) {
                CHECK(unpack64_agrees(all[j], width, n, 0));
                CHECK(unpack64_agrees(all[j], width, n, any64() % 40));
            }
        }
    }
}

TEST(kernels, unpack32_reads_the_example_of_the_format)
{
    PqSlice in = test_hex(t, "88 c6 fa");
    uint32_t out[8];

    pq_kernels()->unpack32(in.p, in.n, 3, 8, out);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_INT(out[i], i);
    }
}

static bool delta32_agrees(const PqKernels *k, uint32_t n, bool in_place)
{
    uint8_t *in = exactly(n * sizeof(uint32_t));
    Fenced out = fenced(n * sizeof(uint32_t));
    uint32_t min = (uint32_t)any64(), first = (uint32_t)any64();
    uint32_t last = first, got;
    bool ok = true;

    if (in_place && n) {
        memcpy(out.p, in, out.n);
    }
    got = k->delta32((uint32_t *)(void *)(in_place ? out.p : in), n, first, min,
                     (uint32_t *)(void *)out.p);
    for (uint32_t i = 0; ok && i < n; i++) {
        last += min + pq_load_u32(in + 4 * i);
        ok = pq_load_u32(out.p + 4 * i) == last;
    }
    ok = ok && got == last && fence_holds(&out);
    free(in);
    free(out.all);
    return ok;
}

static bool delta64_agrees(const PqKernels *k, uint32_t n, bool in_place)
{
    uint8_t *in = exactly(n * sizeof(uint64_t));
    Fenced out = fenced(n * sizeof(uint64_t));
    uint64_t min = any64(), first = any64(), last = first, got;
    bool ok = true;

    if (in_place && n) {
        memcpy(out.p, in, out.n);
    }
    got = k->delta64((uint64_t *)(void *)(in_place ? out.p : in), n, first, min,
                     (uint64_t *)(void *)out.p);
    for (uint32_t i = 0; ok && i < n; i++) {
        last += min + pq_load_u64(in + 8 * i);
        ok = pq_load_u64(out.p + 8 * i) == last;
    }
    ok = ok && got == last && fence_holds(&out);
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, deltas_add_up_and_wrap_in_place_too)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            CHECK(delta32_agrees(all[j], n, false));
            CHECK(delta32_agrees(all[j], n, true));
            CHECK(delta64_agrees(all[j], n, false));
            CHECK(delta64_agrees(all[j], n, true));
        }
    }
}

static bool unsplit_agrees(const PqKernels *k, unsigned width, uint32_t n,
                           size_t before, size_t after)
{
    size_t stride = before + n + after;
    uint8_t *in = exactly(stride * width);
    Fenced out = fenced((size_t)n * width);
    bool ok;

    k->unsplit(in, stride, before, width, n, out.p);
    ok = fence_holds(&out);
    for (uint32_t i = 0; ok && i < n; i++) {
        for (unsigned b = 0; b < width; b++) {
            ok = ok && out.p[i * width + b] == in[b * stride + before + i];
        }
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, unsplit_weaves_every_width_from_anywhere)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned width = 0; width <= 40; width++) {
            for (uint32_t n = 0; n < 500; n = next_n(n)) {
                CHECK(unsplit_agrees(all[j], width, n, 0, 0));
                CHECK(unsplit_agrees(all[j], width, n, any64() % 50,
                                     any64() % 50));
            }
        }
    }
}

static bool bools_agree(const PqKernels *k, uint32_t n, size_t first)
{
    uint8_t *in = exactly((first + n + 7) / 8);
    Fenced out = fenced(n);
    bool ok;

    k->unpack_bools(in, first, n, out.p);
    ok = fence_holds(&out);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = out.p[i] == bits_at(in, first + i, 1);
    }
    free(in);
    free(out.all);
    return ok;
}

TEST(kernels, bools_unpack_from_any_bit)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            for (size_t first = 0; first < 20; first++) {
                CHECK(bools_agree(all[j], n, first));
            }
        }
    }
}

TEST(kernels, any_at_least_finds_one_wherever_it_is)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    static const uint32_t limits[] = {1, 7, 0x7fffffff, 0x80000000,
                                      0xffffffff};
    uint32_t in[100];

    for (size_t j = 0; j < n_all; j++) {
        CHECK(!all[j]->any_at_least(in, 0, 0));
        for (size_t l = 0; l < PQ_COUNT(limits); l++) {
            for (uint32_t i = 0; i < 100; i++) {
                in[i] = limits[l] - 1;
            }
            CHECK(!all[j]->any_at_least(in, 100, limits[l]));
            for (uint32_t n = 1; n <= 100; n++) {
                in[n - 1] = limits[l];
                CHECK(all[j]->any_at_least(in, n, limits[l]));
                CHECK(!all[j]->any_at_least(in, n - 1, limits[l]));
                in[n - 1] = UINT32_MAX;
                CHECK(all[j]->any_at_least(in, n, limits[l]));
                in[n - 1] = limits[l] - 1;
            }
        }
        in[0] = 0;
        CHECK(all[j]->any_at_least(in, 1, 0));
    }
}

TEST(kernels, scale_add_may_be_in_place)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    static const uint32_t by[] = {0, 1, 2526, 0x80000001};
    uint32_t a[100], b[100], out[101];

    for (uint32_t i = 0; i < 100; i++) {
        a[i] = i * 0x01234567;
        b[i] = UINT32_MAX - i * i;
    }
    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n <= 100; n++) {
            memcpy(out, a, sizeof a);
            out[n] = n < 100 ? a[n] : 77;
            all[j]->scale_add32(out, by[n % 4], b, n, out);
            for (uint32_t i = 0; i < n; i++) {
                CHECK_INT(out[i], (uint32_t)(a[i] * by[n % 4] + b[i]));
            }
            CHECK_INT(out[n], n < 100 ? a[n] : 77);
        }
    }
}

typedef bool (*Agrees)(const PqKernels *k, uint32_t n);

/* Do all tables agree, for 0 to 64 values, which are the bits of a word? */
static bool words_agree(Agrees agrees, int times)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    bool ok = true;

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n <= 64; n++) {
            for (int i = 0; ok && i < times; i++) {
                ok = agrees(all[j], n);
            }
        }
    }
    return ok;
}

/* The same for longer arrays. */
static bool arrays_agree(Agrees agrees, int times)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    bool ok = true;

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            for (int i = 0; ok && i < times; i++) {
                ok = agrees(all[j], n);
            }
        }
    }
    return ok;
}

static bool narrow_agrees(const PqKernels *k, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint32_t));
    Fenced out = fenced(n * sizeof(uint16_t));
    bool ok;

    k->narrow16((uint32_t *)(void *)in, n, (uint16_t *)(void *)out.p);
    ok = fence_holds(&out);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = pq_load_u16(out.p + 2 * i) == pq_load_u16(in + 4 * i);
    }
    free(in);
    free(out.all);
    return ok;
}

static bool look_up_agrees(const PqKernels *k, uint32_t n)
{
    enum { ENTRIES = 300 };
    uint8_t *table = exactly(ENTRIES + PQ_TABLE_SLACK);
    uint8_t *in = exactly(n * sizeof(uint32_t));
    uint64_t want = 0, got;

    for (uint32_t i = 0; i < ENTRIES + PQ_TABLE_SLACK; i++) {
        table[i] = i < ENTRIES ? any64() >> 60 & 1 : 0xff;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = any64() % 4 ? (uint32_t)(any64() % ENTRIES) : ENTRIES - 1;

        pq_store_u32(in + 4 * i, id);
        want |= (uint64_t)table[id] << i;
    }
    got = k->look_up64(table, (uint32_t *)(void *)in, n);
    free(table);
    free(in);
    return got == want;
}

static bool look_up_few_agrees(const PqKernels *k, uint32_t n)
{
    uint8_t *table = exactly(32), *in = exactly(n * sizeof(uint32_t));
    uint64_t want = 0, got;

    for (uint32_t i = 0; i < 32; i++) {
        table[i] = (uint8_t)any64();
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)(any64() % 256);

        pq_store_u32(in + 4 * i, at);
        want |= (uint64_t)(table[at / 8] >> at % 8 & 1) << i;
    }
    got = k->look_up_few64((uint32_t *)(void *)table,
                           (uint32_t *)(void *)in, n);
    free(table);
    free(in);
    return got == want;
}

TEST(kernels, look_up_of_a_few_entries)
{
    CHECK(words_agree(look_up_few_agrees, 1));
}

TEST(kernels, look_up_reads_the_entries_and_nothing_after_the_slack)
{
    CHECK(words_agree(look_up_agrees, 4));
}

/* Words of all bits, of none and of some. */
static bool bits_are_listed(const PqKernels *k, uint32_t n)
{
    uint8_t *in = exactly(n * sizeof(uint64_t));
    uint32_t *want = malloc((n + 1) * 64 * sizeof *want), n_want = 0;
    Fenced out;
    bool well;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t kind = any64() >> 62;
        uint64_t word = kind == 0 ? 0 : kind == 1 ? ~(uint64_t)0
                        : kind == 2 ? any64() & any64() & any64() : any64();

        pq_store_u64(in + 8 * i, word);
        for (uint32_t b = 0; b < 64; b++) {
            if (word >> b & 1) {
                want[n_want++] = i * 64 + b;
            }
        }
    }
    out = fenced((size_t)n * 64 * sizeof(uint32_t));
    well = k->count_bits((uint64_t *)(void *)in, n) == n_want &&
           k->list_bits((uint64_t *)(void *)in, n,
                        (uint32_t *)(void *)out.p) == n_want &&
           memcmp(out.p, want, n_want * sizeof *want) == 0 &&
           fence_holds(&out);
    free(in);
    free(want);
    free(out.all);
    return well;
}

TEST(kernels, set_bits_are_counted_and_listed)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n <= 40; n++) {
            CHECK(bits_are_listed(all[j], n));
        }
    }
}

static bool match_agrees(const PqKernels *k, uint32_t n, uint32_t value)
{
    uint8_t *in = exactly(n * sizeof(uint32_t));
    uint64_t want = 0, got;

    for (uint32_t i = 0; i < n; i++) {
        bool same = any64() >> 60 & 1;

        want |= (uint64_t)same << i;
        pq_store_u32(in + 4 * i, same ? value : ~value >> i % 3);
    }
    got = k->match64((uint32_t *)(void *)in, n, value);
    free(in);
    return got == want;
}

TEST(kernels, narrow_keeps_the_low_halves)
{
    CHECK(arrays_agree(narrow_agrees, 1));
}

static bool zeros_agree(const PqKernels *k, uint32_t n, uint32_t one_in)
{
    uint8_t *in = exactly(n);
    size_t want = 0, got;

    for (uint32_t i = 0; i < n; i++) {
        in[i] = (uint8_t)((uint8_t)(any64() >> 40) % one_in ? 1u << i % 8 : 0);
        want += in[i] == 0;
    }
    got = k->count_zeros(in, n);
    free(in);
    return got == want;
}

TEST(kernels, zeros_are_counted)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            CHECK(zeros_agree(all[j], n, 1));
            CHECK(zeros_agree(all[j], n, 5));
        }
    }
}

TEST(kernels, match_finds_every_equal_and_no_other)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n <= 64; n++) {
            CHECK(match_agrees(all[j], n, 3));
            CHECK(match_agrees(all[j], n, UINT32_MAX));
        }
    }
}

/* Bits set with a probability of density / 8. */
static uint32_t some_bits(uint64_t *valid, uint32_t n, unsigned density)
{
    uint32_t n_set = 0;

    memset(valid, 0xff, (n + 63) / 64 * 8);
    for (uint32_t i = 0; i < n; i++) {
        if ((any64() >> 40 & 7) < density) {
            n_set++;
        } else {
            valid[i / 64] &= ~((uint64_t)1 << i % 64);
        }
    }
    return n_set;
}

static bool spread_agrees(const PqKernels *k, uint32_t n, unsigned density)
{
    uint64_t *valid = malloc((n + 63) / 64 * 8 + 1);
    Fenced v32 = fenced(n * 4), v64 = fenced((size_t)n * 8);
    uint32_t n_set, at = 0;
    bool ok;

    if (!valid) {
        abort();
    }
    n_set = some_bits(valid, n, density);
    for (uint32_t i = 0; i < n; i++) {
        pq_store_u32(v32.p + 4 * i, i < n_set ? i + 1 : 0x55555555);
        pq_store_u64(v64.p + 8 * i, i < n_set ? ~(uint64_t)i : 0x55555555);
    }
    k->spread32((uint32_t *)(void *)v32.p, valid, n, n_set);
    k->spread64((uint64_t *)(void *)v64.p, valid, n, n_set);
    ok = fence_holds(&v32) && fence_holds(&v64);
    for (uint32_t i = 0; ok && i < n; i++) {
        bool set = valid[i / 64] >> i % 64 & 1;

        ok = pq_load_u32(v32.p + 4 * i) == (set ? at + 1 : 0) &&
             pq_load_u64(v64.p + 8 * i) == (set ? ~(uint64_t)at : 0);
        at += set;
    }
    free(valid);
    free(v32.all);
    free(v64.all);
    return ok;
}

TEST(kernels, spread_puts_each_value_in_its_slot)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (unsigned density = 0; density <= 8; density++) {
            for (uint32_t n = 0; n < MOST; n = next_n(n)) {
                CHECK(spread_agrees(all[j], n, density));
            }
        }
    }
}

TEST(kernels, the_table_chosen_is_the_best_that_runs_here)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    CHECK(all[0] == &pq_kernels_scalar);
    CHECK(pq_kernels() == all[n_all - 1]);
    CHECK(pq_kernels() == pq_kernels());
}

/* Values at and next to the ends of ranges, and any others. */
static uint64_t near_a_range(uint64_t low, uint64_t span)
{
    switch (any64() >> 61) {
    case 0: return low;
    case 1: return low + span;
    case 2: return low - 1;
    case 3: return low + span + 1;
    default: return any64() >> (any64() & 63);
    }
}

static bool bit_agrees(const uint64_t *bits, uint32_t n, const uint64_t *want)
{
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        if (bits[w] != want[w]) {
            return false;
        }
    }
    return true;
}

static bool between_agrees(const PqKernels *k, uint32_t n)
{
    uint64_t low = any64() >> (any64() & 63), span = any64() >> (any64() & 63);
    uint32_t low32 = (uint32_t)low, span32 = (uint32_t)span;
    uint8_t *in64 = exactly(n * sizeof(uint64_t));
    uint8_t *in32 = exactly(n * sizeof(uint32_t));
    Fenced out = fenced((n + 63) / 64 * sizeof(uint64_t));
    uint64_t want64[MOST / 64 + 1] = {0}, want32[MOST / 64 + 1] = {0};
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = near_a_range(low, span);
        uint32_t v32 = (uint32_t)near_a_range(low32, span32);

        pq_store_u64(in64 + 8 * i, v);
        pq_store_u32(in32 + 4 * i, v32);
        want64[i / 64] |= (uint64_t)(v - low <= span) << i % 64;
        want32[i / 64] |= (uint64_t)(v32 - low32 <= span32) << i % 64;
    }
    k->between64((uint64_t *)(void *)in64, n, low, span,
                 (uint64_t *)(void *)out.p);
    ok = fence_holds(&out) &&
         bit_agrees((uint64_t *)(void *)out.p, n, want64);
    k->between32((uint32_t *)(void *)in32, n, low32, span32,
                 (uint64_t *)(void *)out.p);
    ok = ok && fence_holds(&out) &&
         bit_agrees((uint64_t *)(void *)out.p, n, want32);
    free(in64);
    free(in32);
    free(out.all);
    return ok;
}

TEST(kernels, between_takes_both_ends_and_no_more)
{
    CHECK(arrays_agree(between_agrees, 8));
}

static bool between_reals_agrees(const PqKernels *k, uint32_t n)
{
    static const double some[] = {-INFINITY, -2, -0.0, 0.0, 1, 1.5, 2, INFINITY,
                                  NAN};
    double low = some[any64() % 8], high = some[any64() % 8];
    uint8_t *wide = exactly(n * sizeof(double));
    uint8_t *narrow = exactly(n * sizeof(float));
    Fenced out = fenced((n + 63) / 64 * sizeof(uint64_t));
    uint64_t want[MOST / 64 + 1] = {0};
    bool ok;

    for (uint32_t i = 0; i < n; i++) {
        double v = some[any64() % 9];
        float f = (float)v;

        memcpy(wide + 8 * i, &v, sizeof v);
        memcpy(narrow + 4 * i, &f, sizeof f);
        want[i / 64] |= (uint64_t)(v >= low && v <= high) << i % 64;
    }
    k->between_double((double *)(void *)wide, n, low, high,
                      (uint64_t *)(void *)out.p);
    ok = fence_holds(&out) && bit_agrees((uint64_t *)(void *)out.p, n, want);
    k->between_float((float *)(void *)narrow, n, (float)low, (float)high,
                     (uint64_t *)(void *)out.p);
    ok = ok && fence_holds(&out) &&
         bit_agrees((uint64_t *)(void *)out.p, n, want);
    free(wide);
    free(narrow);
    free(out.all);
    return ok;
}

TEST(kernels, between_reals_knows_zeros_infinities_and_nan)
{
    CHECK(arrays_agree(between_reals_agrees, 16));
}

TEST(kernels, equal8_marks_the_equal)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            uint8_t *in = exactly(n);
            Fenced out = fenced((n + 63) / 64 * sizeof(uint64_t));
            uint64_t want[MOST / 64 + 1] = {0};

            for (uint32_t i = 0; i < n; i++) {
                in[i] = (uint8_t)(any64() % 3 + 254);
                want[i / 64] |= (uint64_t)(in[i] == 255) << i % 64;
            }
            all[j]->equal8(in, n, 255, (uint64_t *)(void *)out.p);
            CHECK(fence_holds(&out) &&
                  bit_agrees((uint64_t *)(void *)out.p, n, want));
            free(in);
            free(out.all);
        }
    }
}

/* Few letters, so that parts occur.  The text ends where its memory ends. */
static bool find_agrees(const PqKernels *k, uint32_t n, uint32_t n_part,
                        bool fold)
{
    static const char some[] = "abAB@`{[/";
    uint8_t *text = exactly(n), part[8];
    const uint8_t *want, *got;

    for (uint32_t i = 0; i < n; i++) {
        text[i] = (uint8_t)some[any64() % (sizeof some - 1)];
    }
    for (uint32_t i = 0; i < n_part; i++) {
        part[i] = (uint8_t)some[any64() % (sizeof some - 1)];
    }
    want = pq_kernels_scalar.find(text, n, part, n_part, fold);
    got = k->find(text, n, part, n_part, fold);
    free(text);
    return want == got;
}

TEST(kernels, find_finds_the_first)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);

    for (size_t j = 0; j < n_all; j++) {
        for (uint32_t n = 0; n < MOST; n = next_n(n)) {
            for (uint32_t part = 1; part <= 8; part++) {
                CHECK(find_agrees(all[j], n, part, part & 1));
                CHECK(find_agrees(all[j], n, part, !(part & 1)));
            }
        }
    }
}

TEST(kernels, find_knows_what_a_letter_is)
{
    const PqKernels *const *all;
    size_t n_all = pq_kernels_all(&all);
    uint8_t text[40];

    for (size_t j = 0; j < n_all; j++) {
        for (int c = 0; c < 256; c++) {
            for (int other = 0; other < 256; other++) {
                uint8_t part = (uint8_t)other;
                bool letters = c != other && (c ^ other) == 0x20 &&
                               (c | 0x20) >= 'a' && (c | 0x20) <= 'z';

                memset(text, c, sizeof text);
                CHECK((all[j]->find(text, sizeof text, &part, 1, true) !=
                       NULL) == (c == other || letters));
                CHECK((all[j]->find(text, sizeof text, &part, 1, false) !=
                       NULL) == (c == other));
            }
        }
    }
}
