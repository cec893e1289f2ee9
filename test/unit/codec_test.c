/*
** codec_test.c - decoding gives back what was encoded, or an error that names
** the codec.
*/
#include "test/unit/codec_check.h"

static const int codecs[] = {
    PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY, PQ_CODEC_GZIP,    PQ_CODEC_BROTLI,
    PQ_CODEC_LZ4,          PQ_CODEC_ZSTD,   PQ_CODEC_LZ4_RAW,
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Words and noise: somewhat compressible. */
static void fill(uint8_t *p, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t r = next_random(&seed);
        p[i] = i >= 40 && r % 16 ? p[i - 7 - i % 31] : (uint8_t)r;
    }
}

TEST(codec, every_codec_gives_back_what_it_got)
{
    static const size_t sizes[] = {0, 1, 2, 7, 255, 4097, 131072, 1 << 20};
    static const int levels[] = {0, -3, 1, 4, 1000};
    uint8_t *in = malloc(1 << 20), *out = malloc(1 << 20);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    fill(in, 1 << 20, 7);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(codecs) * PQ_COUNT(levels); i++) {
        int c = codecs[i / PQ_COUNT(levels)];
        int level = levels[i % PQ_COUNT(levels)];
        for (size_t k = 0; k < PQ_COUNT(sizes); k++) {
            size_t n = sizes[k];
            PqSlice rest;

            if (n > 300000 && level == 1000) {
                continue;              /* slow, and nothing new */
            }
            packed.n = 0;
            pq_buf_text(&packed, "kept");
            CHECK_CODEC(c, pq_codec_encode(s, c, level, PQ_SEARCH_LEVEL,
                                           pq_slice(n ? in : NULL, n), &packed,
                                           t->e) == PQ_OK);
            CHECK_CODEC(c, memcmp(packed.p, "kept", 4) == 0);
            CHECK_CODEC(c, c == 0 || n < 4097 || packed.n < n);
            rest = pq_slice(packed.p + 4, packed.n - 4);
            memset(out, 0xee, n);
            CHECK_CODEC(c, pq_codec_check_claim(c, rest, n, t->e) == PQ_OK);
            CHECK_CODEC(c, pq_codec_decode(s, c, rest, n ? out : NULL, n,
                                           t->e) == PQ_OK);
            CHECK_CODEC(c, memcmp(in, out, n) == 0);
        }
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
    free(out);
}

static size_t packed_by(PqCodecState *s, PqSearch search, PqSlice in,
                        PqBuf *packed, PqErr *e)
{
    packed->n = 0;
    return pq_codec_encode(s, PQ_CODEC_ZSTD, 0, search, in, packed, e) ==
                   PQ_OK ? packed->n : SIZE_MAX;
}

TEST(codec, however_an_encoder_searches_the_bytes_come_back)
{
    static const size_t sizes[] = {0, 1, 4097, 1 << 20};
    static const int levels[] = {0, 1, 3, 4, 5, 1000};
    uint8_t *in = malloc(1 << 20), *out = malloc(1 << 20);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    fill(in, 1 << 20, 7);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(codecs) * PQ_COUNT(levels); i++) {
        int c = codecs[i / PQ_COUNT(levels)];
        int level = levels[i % PQ_COUNT(levels)];
        for (size_t k = 0; k < PQ_COUNT(sizes) * PQ_SEARCH_COUNT; k++) {
            size_t n = level == 1000 ? sizes[k % 3]
                                     : sizes[k / PQ_SEARCH_COUNT];
            packed.n = 0;
            CHECK_CODEC(c, pq_codec_encode(s, c, level,
                                           (PqSearch)(k % PQ_SEARCH_COUNT),
                                           pq_slice(n ? in : NULL, n), &packed,
                                           t->e) == PQ_OK);
            CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed),
                                           n ? out : NULL, n,
                                           t->e) == PQ_OK);
            CHECK_CODEC(c, memcmp(in, out, n) == 0);
        }
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
    free(out);
}

TEST(codec, only_levels_of_two_tables_have_searches)
{
    CHECK(pq_codec_has_searches(PQ_CODEC_ZSTD, 0));
    CHECK(pq_codec_has_searches(PQ_CODEC_ZSTD, 3));
    CHECK(!pq_codec_has_searches(PQ_CODEC_ZSTD, 1));
    CHECK(!pq_codec_has_searches(PQ_CODEC_ZSTD, 5));
    CHECK(!pq_codec_has_searches(PQ_CODEC_ZSTD, 1000));
    CHECK(!pq_codec_has_searches(PQ_CODEC_GZIP, 3));
}

/* Two rows of the table of codec.h, with made-up pages: counting numbers pack
** best with small tables, and repetitions from far back with large ones. */
TEST(codec, the_best_search_depends_on_the_bytes)
{
    enum { N = 1 << 20 };
    uint8_t *in = malloc(N);
    PqCodecState *s = NULL;
    size_t level, near, fast;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < N / 8; i++) {
        pq_store_u64(in + i * 8, i);
    }
    level = packed_by(s, PQ_SEARCH_LEVEL, pq_slice(in, N), &packed, t->e);
    near = packed_by(s, PQ_SEARCH_NEAR, pq_slice(in, N), &packed, t->e);
    fast = packed_by(s, PQ_SEARCH_FAST, pq_slice(in, N), &packed, t->e);
    CHECK_CODEC(PQ_CODEC_ZSTD, fast < near && near < level);
    fill(in, N / 4, 11);
    for (size_t i = 1; i < 4; i++) {
        memcpy(in + i * (N / 4), in, N / 4);
    }
    level = packed_by(s, PQ_SEARCH_LEVEL, pq_slice(in, N), &packed, t->e);
    near = packed_by(s, PQ_SEARCH_NEAR, pq_slice(in, N), &packed, t->e);
    CHECK_CODEC(PQ_CODEC_ZSTD, level < near);
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
}

TEST(codec, noise_survives_every_codec)
{
    enum { N = 200001 };
    uint8_t *in = malloc(N), *out = malloc(N);
    uint32_t seed = 99;
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    for (size_t i = 0; i < N; i++) {
        in[i] = (uint8_t)next_random(&seed);
    }
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i];

        packed.n = 0;
        CHECK_CODEC(c, pq_codec_encode(s, c, 0, PQ_SEARCH_LEVEL,
                                       pq_slice(in, N), &packed, t->e) == PQ_OK);
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out, N,
                                       t->e) == PQ_OK);
        CHECK_CODEC(c, memcmp(in, out, N) == 0);
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
    free(out);
}

/* Every damage gives an error that begins with the codec's name, and the state
** can be used again. */
TEST(codec, damage_is_an_error_and_leaves_the_state_usable)
{
    enum { N = 3001 };
    uint8_t in[N], out[N + 1];
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    fill(in, N, 3);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i];
        const char *name = pq_codec_name(c);
        PqSlice whole;

        packed.n = 0;
        CHECK_CODEC(c, pq_codec_encode(s, c, 0, PQ_SEARCH_LEVEL,
                                       pq_slice(in, N), &packed, t->e) == PQ_OK);
        whole = pq_buf_view(&packed);
        for (size_t n = 0; n < whole.n; n++) {
            PqSlice cut = {whole.p, n};

            CHECK_CODEC(c, pq_codec_decode(s, c, cut, out, N, t->e) ==
                               PQ_CORRUPT);
            CHECK_CODEC(c, strncmp(t->e->text, name, strlen(name)) == 0);
            pq_err_clear(t->e);
        }
        for (size_t wrong = 0; wrong <= N + 1; wrong++) {
            if (wrong != N) {
                CHECK_CODEC(c, pq_codec_decode(s, c, whole, out, wrong,
                                               t->e) == PQ_CORRUPT);
                pq_err_clear(t->e);
            }
        }
        CHECK_CODEC(c, pq_codec_decode(s, c, whole, out, N, t->e) == PQ_OK);
        CHECK_CODEC(c, memcmp(in, out, N) == 0);
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
}

/* Only the address sanitizer and the bytes after `out` show it. */
TEST(codec, garbage_never_writes_past_the_page)
{
    enum { N = 1500 };
    uint8_t in[N];
    uint32_t seed = 12345;
    PqBuf packed;
    PqCodecState *s = NULL;

    pq_buf_init(&packed, t->mem, t->e);
    fill(in, N, 5);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < 7 * 400; i++) {
        int c = codecs[i % 7];
        size_t n_out = i % 3 ? N : next_random(&seed) % 3000;

        packed.n = 0;
        CHECK_CODEC(c, pq_codec_encode(s, c, 0, PQ_SEARCH_LEVEL,
                                       pq_slice(in, N), &packed, t->e) == PQ_OK);
        for (int k = 0; k < 3; k++) {
            packed.p[next_random(&seed) % packed.n] =
                (uint8_t)next_random(&seed);
        }
        if (i % 5 == 0) {
            for (size_t k = 0; k < packed.n; k++) {
                packed.p[k] = (uint8_t)next_random(&seed);
            }
        }
        (void)pq_codec_check_claim(c, pq_buf_view(&packed), n_out, t->e);
        pq_err_clear(t->e);
        CHECK_CODEC(c, decode(t, c, pq_buf_view(&packed), n_out) !=
                           PQ_STOPPED);
        pq_err_clear(t->e);
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
}

TEST(codec, no_bytes_are_a_page_of_no_bytes)
{
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        CHECK_GIVES(codecs[i], pq_slice(NULL, 0), pq_slice(NULL, 0));
        CHECK(decode(t, codecs[i], pq_slice(NULL, 0), 1) == PQ_CORRUPT);
        pq_err_clear(t->e);
        CHECK(pq_codec_check_claim(codecs[i], pq_slice(NULL, 0), 1, t->e) ==
              PQ_CORRUPT);
        pq_err_clear(t->e);
    }
}

TEST(codec, a_codec_that_is_not_here_is_named)
{
    PqSlice in = test_hex(t, "00");
    PqCodecState *s;
    PqBuf out;

    CHECK_FAILS(decode(t, PQ_CODEC_LZO, in, 1), PQ_UNSUPPORTED,
                "compression LZO is not supported");
    CHECK_FAILS(decode(t, 8, in, 1), PQ_UNSUPPORTED,
                "unknown compression number 8");
    CHECK_FAILS(pq_codec_check_claim(-1, in, 1, t->e), PQ_UNSUPPORTED,
                "unknown compression number -1");
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_LZO, in, 1, t->e),
                PQ_UNSUPPORTED, "LZO");
    pq_buf_init(&out, t->mem, NULL);
    CHECK_OK(pq_codec_state_new(t->mem, &s, t->e));
    CHECK_FAILS(pq_codec_encode(s, PQ_CODEC_LZO, 0, PQ_SEARCH_LEVEL, in, &out,
                                t->e),
                PQ_UNSUPPORTED, "LZO");
    pq_codec_state_free(s);
    CHECK_TEXT(pq_codec_name(PQ_CODEC_LZO), "LZO");
    CHECK(pq_codec_name(8) == NULL);
    CHECK(pq_codec_name(-1) == NULL);
}

TEST(codec, a_claim_is_refused_where_the_format_rules_it_out)
{
    PqSlice four = test_hex(t, "10 00 00 00"), one = test_hex(t, "00");
    PqSlice frame = test_hex(t, ZSTD_FRAME);
    enum { RUN = 128 * 1024 };

    CHECK_OK(pq_codec_check_claim(PQ_CODEC_UNCOMPRESSED, four, 4, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_UNCOMPRESSED, four, 3, t->e),
                PQ_CORRUPT,
                "UNCOMPRESSED: 4 compressed bytes cannot decompress to 3 "
                "bytes");
    CHECK_OK(pq_codec_check_claim(PQ_CODEC_SNAPPY, four, 16, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_SNAPPY, four, 15, t->e),
                PQ_CORRUPT, "SNAPPY");
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_SNAPPY,
                                     test_hex(t, "ffffffff0f"), 0xffffffff,
                                     t->e),
                PQ_CORRUPT, "SNAPPY");
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_SNAPPY, test_hex(t, "ffff"), 4,
                                     t->e),
                PQ_CORRUPT, "SNAPPY: the data is damaged");
    CHECK_OK(pq_codec_check_claim(PQ_CODEC_GZIP, four, 4 * 1032, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_GZIP, four, 4 * 1032 + 1, t->e),
                PQ_CORRUPT, "GZIP");
    CHECK_OK(pq_codec_check_claim(PQ_CODEC_LZ4, four, 4 * 255, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_LZ4, four, 4 * 255 + 1, t->e),
                PQ_CORRUPT, "LZ4");
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_LZ4_RAW, four, 1021, t->e),
                PQ_CORRUPT, "LZ4_RAW");
    CHECK_OK(pq_codec_check_claim(PQ_CODEC_BROTLI, one, 3 << 20, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_BROTLI, one, 4 << 20, t->e),
                PQ_CORRUPT, "BROTLI");
    CHECK_OK(pq_codec_check_claim(PQ_CODEC_ZSTD, frame, RUN + 2, t->e));
    CHECK_FAILS(pq_codec_check_claim(PQ_CODEC_ZSTD, frame, 2 * RUN + 1, t->e),
                PQ_CORRUPT, "ZSTD");
    /* a frame that claims 2^40 bytes and has one block of one byte */
    CHECK_FAILS(pq_codec_check_claim(
                    PQ_CODEC_ZSTD,
                    test_hex(t, "28b52ffd e0 0000000000010000 090000 61"), 1,
                    t->e),
                PQ_CORRUPT, "ZSTD: the data is damaged (a frame claims");
}

/* Zeros are the densest data that each encoder can write. */
TEST(codec, a_claim_of_zeros_is_believed)
{
    enum { N = 8 << 20 };
    uint8_t *zeros = calloc(1, N);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    CHECK_CODEC(0, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i];

        packed.n = 0;
        CHECK_CODEC(c, pq_codec_encode(s, c, 9, PQ_SEARCH_LEVEL,
                                       pq_slice(zeros, N), &packed, t->e) == PQ_OK);
        CHECK_CODEC(c, gives(t, c, pq_buf_view(&packed), pq_slice(zeros, N)));
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(zeros);
}

/* One round trip with a state of its own.  rc: whether it failed. */
static PqRc round_trip(PqMem *mem, int codec, int level, PqSlice in,
                       uint8_t *out, PqErr *e)
{
    PqCodecState *s = NULL;
    PqBuf packed;
    PqRc rc;

    pq_buf_init(&packed, mem, e);
    PQ_GO(pq_codec_state_new(mem, &s, e));
    PQ_GO(pq_codec_encode(s, codec, level, PQ_SEARCH_LEVEL, in, &packed, e));
    PQ_GO(pq_codec_decode(s, codec, pq_buf_view(&packed), out, in.n, e));
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    return rc;
}

TEST(codec, every_allocation_may_fail)
{
    enum { N = 70000 };
    uint8_t *in = malloc(N), *out = malloc(N);

    fill(in, N, 11);
    for (size_t i = 0; i < PQ_COUNT(codecs) * 2; i++) {
        int c = codecs[i / 2], level = i % 2 ? 9 : 0;
        PqRc rc = PQ_NOMEM;
        int64_t nth = 0;

        while (rc != PQ_OK) {
            pq_fault_set(++nth);
            rc = round_trip(t->mem, c, level, pq_slice(in, N), out, t->e);
            pq_fault_set(0);
            CHECK_CODEC(c, rc == PQ_OK || rc == PQ_NOMEM);
            CHECK_CODEC(c, rc == t->e->rc);
            CHECK_CODEC(c, nth < 1000);
            CHECK_CODEC(c, pq_mem_used(t->mem) == 0);
            pq_err_clear(t->e);
        }
        CHECK_CODEC(c, nth > 1 && memcmp(in, out, N) == 0);
    }
done:
    pq_fault_set(0);
    free(in);
    free(out);
}

TEST(codec, every_allocation_of_a_frame_may_fail)
{
    PqRc rc = PQ_NOMEM;
    int64_t nth = 0;

    while (rc != PQ_OK) {
        pq_fault_set(++nth);
        rc = decode(t, PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME), 26);
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        pq_err_clear(t->e);
    }
    CHECK(nth > 3);
}

TEST(codec, no_library_passes_the_budget)
{
    enum { N = 300000 };
    uint8_t *in = malloc(N), *out = malloc(N);
    PqMem *mem = pq_mem_new(0);

    fill(in, N, 13);
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i];
        PqRc rc = PQ_BUDGET;

        for (size_t limit = 100; rc != PQ_OK; limit += limit / 2) {
            pq_mem_set_limit(mem, limit);
            rc = round_trip(mem, c, 0, pq_slice(in, N), out, t->e);
            CHECK_CODEC(c, rc == PQ_OK || rc == PQ_BUDGET);
            CHECK_CODEC(c, rc == PQ_OK || strstr(t->e->text, "memory="));
            CHECK_CODEC(c, pq_mem_peak(mem) <= limit);
            CHECK_CODEC(c, limit < (size_t)1 << 30);
            pq_err_clear(t->e);
        }
        pq_mem_release(mem);
        mem = pq_mem_new(0);
    }
done:
    pq_mem_release(mem);
    free(in);
    free(out);
}

TEST(codec, sizes_no_page_can_have_are_refused)
{
    size_t huge = (size_t)INT32_MAX + 1;
    uint8_t byte = 0;
    PqCodecState *s;
    PqBuf out;

    pq_buf_init(&out, t->mem, NULL);
    CHECK_OK(pq_codec_state_new(t->mem, &s, t->e));
    CHECK_FAILS(pq_codec_encode(s, PQ_CODEC_ZSTD, 0, PQ_SEARCH_LEVEL,
                                pq_slice(&byte, huge), &out, t->e),
                PQ_USAGE, "ZSTD: 2147483648 bytes are too many");
    CHECK_FAILS(pq_codec_decode(s, PQ_CODEC_ZSTD, pq_slice(&byte, 1), &byte,
                                huge, t->e),
                PQ_USAGE, "ZSTD: 2147483648 bytes are too many");
    pq_codec_state_free(s);
}

/* A window is no larger than what is packed. */
TEST(codec, the_last_levels_of_brotli_take_little_for_a_page)
{
    enum { PAGE = 1 << 16 };
    uint8_t *in = malloc(PAGE);

    fill(in, PAGE, 3);
    for (int level = 10; level <= 11; level++) {
        PqMem *mem = pq_mem_new((size_t)12 << 20);
        PqCodecState *s = NULL;
        PqBuf packed;

        pq_buf_init(&packed, mem, NULL);
        CHECK_OK(pq_codec_state_new(mem, &s, t->e));
        CHECK_OK(pq_codec_encode(s, PQ_CODEC_BROTLI, level, PQ_SEARCH_LEVEL,
                                 pq_slice(in, PAGE), &packed, t->e));
        pq_codec_state_free(s);
        pq_buf_free(&packed);
        pq_mem_release(mem);
    }
    free(in);
}

/* confines: 0, or of the encoder. */
static PqRc pack_within(size_t budget, size_t confines, int codec, int level,
                        PqSlice in, uint8_t *out, PqErr *e)
{
    PqMem *mem = pq_mem_new(budget);
    PqCodecState *s = NULL;
    PqBuf packed;
    PqRc rc;

    pq_buf_init(&packed, mem, NULL);
    PQ_GO(pq_codec_state_new(mem, &s, e));
    pq_codec_confine(s, confines);
    PQ_GO(pq_codec_encode(s, codec, level, PQ_SEARCH_LEVEL, in, &packed, e));
    pq_mem_set_limit(mem, (size_t)1 << 30);
    PQ_GO(pq_codec_decode(s, codec, pq_buf_view(&packed), out, in.n, e));
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    pq_mem_release(mem);
    return rc;
}

/* An encoder has its four megabytes of working memory, and its output. */
TEST(codec, confined_encoders_do_with_less)
{
    enum { PAGE = 1 << 20, CONFINES = 4 << 20, BUDGET = 9 << 20 };
    static const struct { int codec, level; } wide[] = {
        {PQ_CODEC_BROTLI, 4},  {PQ_CODEC_BROTLI, 7}, {PQ_CODEC_BROTLI, 9},
        {PQ_CODEC_BROTLI, 10}, {PQ_CODEC_ZSTD, 15},  {PQ_CODEC_ZSTD, 19},
        {PQ_CODEC_ZSTD, 22}};
    uint8_t *in = calloc(1, PAGE), *out = malloc(PAGE);
    PqSlice page = pq_slice(in, PAGE);

    fill(in, PAGE, 3);
    for (size_t i = 0; i < PQ_COUNT(wide); i++) {
        int c = wide[i].codec, level = wide[i].level;

        CHECK_INT(pack_within(BUDGET, 0, c, level, page, out, t->e), PQ_BUDGET);
        pq_err_clear(t->e);
        memset(out, 0, PAGE);
        CHECK_OK(pack_within(BUDGET, CONFINES, c, level, page, out, t->e));
        CHECK_BYTES(out, PAGE, in, PAGE);
    }
    free(in);
    free(out);
}

TEST(codec, versions_name_every_library)
{
    static const char *const names[] = {"zstd 1.", "snappy", "lz4 1.",
                                        "brotli 1.", "zlib 1.", "inflate by"};
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_codec_versions(&out);
    pq_buf_byte(&out, 0);
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        if (!strstr((const char *)out.p, names[i])) {
            test_fail(t, __FILE__, __LINE__, "%s: not in %s", names[i],
                      (const char *)out.p);
        }
    }
    pq_buf_free(&out);
}
