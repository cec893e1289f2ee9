/*
** unpack_test.c - pages in steps: each codec decodes as far as it is asked, and
** handles streams that are unusual or damaged.
**
** The feed gives no more bytes than it was asked for, and moves its bytes each
** time.  So a sanitizer catches a codec that reads elsewhere.
*/
#define ZSTD_STATIC_LINKING_ONLY
#include "core/codec/unpack.h"
#include "test/unit/codec_check.h"
#include "test/unit/encoders.h"

#include <zstd.h>

enum { N = (1 << 20) + 12345 };

static const int codecs[] = {PQ_CODEC_SNAPPY, PQ_CODEC_GZIP, PQ_CODEC_BROTLI,
                             PQ_CODEC_ZSTD, PQ_CODEC_LZ4_RAW};

typedef enum Data { NUMBERS, TEXT, NOISE, N_DATA } Data;

static void make_data(Data kind, uint8_t *p, size_t n)
{
    Random r = {7};

    for (size_t i = 0; i < n; i++) {
        uint64_t all = kind == NUMBERS ? i / 8 >> (i % 8 * 8)
                     : kind == TEXT
                           ? (uint64_t)"words and more "[random_below(&r, 15)]
                           : random_u64(&r);

        p[i] = (uint8_t)all;
    }
}

/* ---- one page at a time -------------------------------------------------- */

typedef struct Feeding {
    PqFeed   feed;
    PqSlice  all;
    uint8_t *block;                  /* what feed.p points into             */
} Feeding;

static PqRc feed_more(PqFeed *f, size_t n, PqErr *e)
{
    Feeding *x = (Feeding *)(void *)f;
    uint8_t *block = malloc(PQ_FEED_BEFORE + n + 1);

    if (!block || n <= f->n || n > f->n + f->left || pq_fault_here()) {
        free(block);
        return pq_fail(e, PQ_IO, "the feed has no more");
    }
    memcpy(block + PQ_FEED_BEFORE, f->p, f->n);
    memcpy(block + PQ_FEED_BEFORE + f->n, x->all.p + (x->all.n - f->left),
           n - f->n);
    free(x->block);
    x->block = block;
    f->left -= n - f->n;
    f->n = n;
    f->p = block + PQ_FEED_BEFORE;
    return PQ_OK;
}

static void feed_begin(Feeding *x, PqSlice all)
{
    *x = (Feeding){.feed = {.left = all.n, .more = feed_more}, .all = all,
                   .block = malloc(PQ_FEED_BEFORE)};
    x->feed.p = x->block + PQ_FEED_BEFORE;
}

typedef struct Page {
    Test         *t;
    int           codec;
    uint8_t      *plain, *out;
    PqBuf         packed;
    PqCodecState *state;
    Feeding       x;
    PqUnpack      u;
} Page;

static void page_make(Test *t, Page *p, int codec, Data kind)
{
    memset(p, 0, sizeof *p);
    p->t = t;
    p->codec = codec;
    p->plain = malloc(N);
    p->out = malloc(N + 1);
    pq_buf_init(&p->packed, t->mem, t->e);
    make_data(kind, p->plain, N);
    if (pq_codec_state_new(t->mem, &p->state, t->e) == PQ_OK) {
        pq_codec_encode(p->state, codec, 1, PQ_SEARCH_LEVEL,
                        pq_slice(p->plain, N), &p->packed, t->e);
    }
}

static PqRc page_begin(Page *p)
{
    PqRc rc;

    free(p->x.block);
    feed_begin(&p->x, pq_buf_view(&p->packed));
    memset(p->out, 0xee, N + 1);
    rc = pq_unpack_begin(&p->u, p->state, p->codec, &p->x.feed, N, p->t->e);
    p->u.out = p->out;
    return rc;
}

/* The bytes decoded so far are right. */
static bool page_is_right(const Page *p)
{
    size_t gap = p->u.gap_end ? p->u.gap : p->u.at, after = p->u.gap_end ? p->u.gap_end : p->u.at;

    return gap <= after && after <= p->u.at && p->u.at <= N &&
           memcmp(p->out, p->plain, gap) == 0 &&
           memcmp(p->out + after, p->plain + after, p->u.at - after) == 0 &&
           p->out[N] == 0xee;
}

static void page_free(Page *p)
{
    pq_unpack_end(&p->u);
    pq_unpack_free(&p->u);
    pq_codec_state_free(p->state);
    pq_buf_free(&p->packed);
    free(p->x.block);
    free(p->plain);
    free(p->out);
}

/* ---- what is asked for --------------------------------------------------- */

TEST(unpack, as_much_is_there_as_was_wanted_and_little_more)
{
    static const size_t wants[] = {1, 5000, 65535, 65536, 65537, 131072, 200000,
                                   N / 4, N / 2, N / 2 + 1, N - 1, N};
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs) * N_DATA; i++) {
        int c = codecs[i / N_DATA];

        page_make(t, &p, c, (Data)(i % N_DATA));
        for (size_t k = 0; k < PQ_COUNT(wants); k++) {
            CHECK_CODEC(c, page_begin(&p) == PQ_OK && !p.u.whole);
            CHECK_CODEC(c, pq_unpack_more(&p.u, wants[k], 0, t->e) ==
                               PQ_OK);
            CHECK_CODEC(c, page_is_right(&p));
            if (p.u.whole) {
                CHECK_CODEC(c, !pq_unpack_resumes(c) && wants[k] > N / 5);
                continue;
            }
            CHECK_CODEC(c, p.u.at >= wants[k]);
            CHECK_CODEC(c, p.u.at == N || p.u.at < wants[k] + (1 << 17) ||
                               c == PQ_CODEC_LZ4_RAW);
            CHECK_CODEC(c, p.u.at < N || p.x.feed.left == 0);
            CHECK_CODEC(c, wants[k] > 70000 || c == PQ_CODEC_LZ4_RAW ||
                               p.x.feed.left > p.packed.n / 2);
        }
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

TEST(unpack, steps_of_any_size_lead_to_the_end_or_to_all_at_once)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs) * N_DATA * 2; i++) {
        int c = codecs[i / N_DATA / 2];
        Random r = {i + 1};

        page_make(t, &p, c, (Data)(i % N_DATA));
        CHECK_CODEC(c, page_begin(&p) == PQ_OK);
        while (!p.u.whole && p.u.at < N) {
            size_t most = 1 + random_below(&r, i % 2 ? 20000 : 400000);
            size_t upto = p.u.at + 1 + random_below(&r, (uint32_t)most);

            upto = upto < N ? upto : N;
            CHECK_CODEC(c, pq_unpack_more(&p.u, upto,
                                          random_below(&r, 40) ? 0 : N,
                                          t->e) == PQ_OK);
            CHECK_CODEC(c, p.u.whole || p.u.at >= upto);
            CHECK_CODEC(c, page_is_right(&p));
        }
        CHECK_CODEC(c, !p.u.whole || !pq_unpack_resumes(c));
        CHECK_CODEC(c, p.u.whole || p.x.feed.n + p.x.feed.left == 0);
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

/* One PqUnpack decodes page after page, as a reader uses it. */
TEST(unpack, one_state_serves_the_next_page_even_of_another_codec)
{
    PqUnpack u = {0};
    Page p = {0};

    for (size_t i = 0; i < 3 * PQ_COUNT(codecs); i++) {
        int c = codecs[i % 2 ? i % PQ_COUNT(codecs) : i / 3];

        page_make(t, &p, c, TEXT);
        p.u = u;
        CHECK_CODEC(c, page_begin(&p) == PQ_OK && !p.u.whole);
        CHECK_CODEC(c, pq_unpack_more(&p.u, 70000, 0, t->e) == PQ_OK);
        CHECK_CODEC(c, p.u.at >= 70000 && page_is_right(&p));
        pq_unpack_end(&p.u);
        u = p.u;
        memset(&p.u, 0, sizeof p.u);
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
    pq_unpack_free(&u);
}

TEST(unpack, codecs_that_cannot_resume_decode_what_will_be_wanted)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i];

        page_make(t, &p, c, TEXT);
        CHECK_CODEC(c, page_begin(&p) == PQ_OK);
        CHECK_CODEC(c, pq_unpack_more(&p.u, 100, 0, t->e) == PQ_OK);
        CHECK_CODEC(c, !p.u.whole && p.u.at < 150000);
        CHECK_CODEC(c, pq_unpack_more(&p.u, 150000, N, t->e) == PQ_OK);
        CHECK_CODEC(c, page_is_right(&p));
        CHECK_CODEC(c, pq_unpack_resumes(c) ? p.u.at < N / 2
                                            : p.u.whole || p.u.at == N);
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

/* A block of SNAPPY that nobody wants is not decoded, and one of which little is wanted
** no further than that. */
TEST(unpack, snappy_passes_over_blocks_that_are_not_wanted)
{
    enum { BLOCK = 65536, FIRST = 4096, ELEMENT = 64, FROM = 5 * BLOCK + 777 };
    size_t came;
    Page p;

    for (int kind = 0; kind < N_DATA; kind++) {
        page_make(t, &p, PQ_CODEC_SNAPPY, (Data)kind);
        CHECK_OK(page_begin(&p));
        CHECK_OK(pq_unpack_more(&p.u, 1000, 0, t->e));
        p.u.from = FROM;
        CHECK_OK(pq_unpack_more(&p.u, FROM + 10, 0, t->e));
        CHECK(!p.u.whole && page_is_right(&p));
        CHECK_INT(p.u.gap_end, 5 * BLOCK);
        CHECK_INT(p.u.gap + p.u.n_passed, 5 * BLOCK);
        CHECK(p.u.gap >= 1000 && p.u.gap <= BLOCK);
        came = p.u.at - 5 * BLOCK;
        CHECK(came >= FIRST && came <= (kind == TEXT ? FIRST + ELEMENT : BLOCK));
        for (size_t i = p.u.gap; i < p.u.gap_end; i++) {
            CHECK(p.out[i] == 0xee);
        }
        p.u.from = 8 * BLOCK - 1;            /* its block, too, is decoded  */
        CHECK_OK(pq_unpack_more(&p.u, 8 * BLOCK + 1, 0, t->e));
        CHECK(!p.u.whole && page_is_right(&p));
        CHECK_INT(p.u.gap_end, 7 * BLOCK);
        CHECK_INT(p.u.gap + p.u.n_passed + came, 7 * BLOCK);
        CHECK(p.u.at >= 8 * BLOCK + FIRST && p.u.at <= 9 * BLOCK);
        page_free(&p);
    }
}

TEST(unpack, steps_that_pass_over_anything_give_the_rest_right)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs) * N_DATA * 4; i++) {
        int c = codecs[i / N_DATA / 4];
        Random r = {i + 1};

        page_make(t, &p, c, (Data)(i % N_DATA));
        CHECK_CODEC(c, page_begin(&p) == PQ_OK);
        while (!p.u.whole && p.u.at < N) {
            size_t from = p.u.at + random_below(&r, i % 2 ? 20000 : 400000), upto;

            p.u.from = from < N ? from : N - 1;
            upto = p.u.from + 1 + random_below(&r, 70000);
            CHECK_CODEC(c, pq_unpack_more(&p.u, upto < N ? upto : N,
                                          random_below(&r, 40) ? 0 : N, t->e) == PQ_OK);
            CHECK_CODEC(c, p.u.whole || p.u.at >= (upto < N ? upto : N));
            CHECK_CODEC(c, p.u.gap_end <= p.u.from && page_is_right(&p));
        }
        CHECK_CODEC(c, !p.u.gap_end || c == PQ_CODEC_SNAPPY);
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

/* ---- unusual streams ---------------------------------------------------- */

/* The decoded bytes are right, and every cut stream sets `whole` in the end. */
TEST(unpack, cut_streams_never_end)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs) * N_DATA; i++) {
        int c = codecs[i / N_DATA];
        size_t n;

        page_make(t, &p, c, (Data)(i % N_DATA));
        n = p.packed.n;
        for (size_t k = 0; k < 12; k++) {
            p.packed.n = k < 6 ? k : k < 10 ? n * k / 12 : n + k - 12;
            CHECK_CODEC(c, page_begin(&p) == PQ_OK);
            while (!p.u.whole && p.u.at < N) {
                size_t upto = p.u.at + 30000;

                CHECK_CODEC(c, pq_unpack_more(&p.u, upto < N ? upto : N, 0,
                                              t->e) == PQ_OK);
                CHECK_CODEC(c, page_is_right(&p));
            }
            CHECK_CODEC(c, p.u.whole);
        }
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

/* A damaged stream may still be valid; then it gives the same bytes as when it
** is decoded whole. */
TEST(unpack, damaged_streams_give_what_they_give_whole)
{
    uint8_t *again = malloc(N);
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs) * N_DATA; i++) {
        int c = codecs[i / N_DATA];
        Random r = {i + 1};

        page_make(t, &p, c, (Data)(i % N_DATA));
        for (int k = 0; k < 20; k++) {
            size_t at = random_below(&r, k % 2 ? 40 : (uint32_t)p.packed.n);
            uint8_t bit = (uint8_t)(1u << random_below(&r, 8));

            p.packed.p[at] ^= bit;
            CHECK_CODEC(c, page_begin(&p) == PQ_OK);
            while (!p.u.whole && p.u.at < N) {
                size_t upto = p.u.at + 1 + random_below(&r, 100000);

                p.u.from = k % 3 ? 0 : upto - 1 < N ? upto - 1 : N - 1;
                CHECK_CODEC(c, pq_unpack_more(&p.u, upto < N ? upto : N, 0,
                                              t->e) == PQ_OK);
            }
            if (!p.u.whole) {
                /* Damage that was passed over is not found. */
                bool found = pq_codec_decode(p.state, c, pq_buf_view(&p.packed), again,
                                             N, t->e) != PQ_OK;
                size_t gap = p.u.gap_end ? p.u.gap : 0;

                CHECK_CODEC(c, !found || p.u.gap_end);
                CHECK_CODEC(c, found || memcmp(again, p.out, gap) == 0);
                CHECK_CODEC(c, found || memcmp(again + p.u.gap_end, p.out + p.u.gap_end,
                                               N - p.u.gap_end) == 0);
                pq_err_clear(t->e);
            }
            p.packed.p[at] ^= bit;
        }
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
    free(again);
}

TEST(unpack, a_size_that_cannot_be_is_told_before_anything_is_allocated)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        static const size_t wrong[] = {N - 1, N + 1, INT32_MAX};
        int c = codecs[i];

        page_make(t, &p, c, NUMBERS);
        for (size_t k = 0; k < PQ_COUNT(wrong); k++) {
            size_t used = pq_mem_used(t->mem);
            bool can = pq_codec_check_claim(c, pq_buf_view(&p.packed),
                                            wrong[k], t->e) == PQ_OK;

            pq_err_clear(t->e);
            free(p.x.block);
            feed_begin(&p.x, pq_buf_view(&p.packed));
            CHECK_CODEC(c, pq_unpack_begin(&p.u, p.state, c, &p.x.feed,
                                           wrong[k], t->e) == PQ_OK);
            CHECK_CODEC(c, can || p.u.whole);
            CHECK_CODEC(c, !p.u.whole || pq_mem_used(t->mem) == used);
            pq_unpack_free(&p.u);
        }
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}

/* Decodes a page to its end, or until whole is set. */
static void run(Test *t, Page *p)
{
    CHECK_OK(page_begin(p));
    while (!p->u.whole && p->u.at < N) {
        size_t upto = p->u.at + 50000;

        CHECK_OK(pq_unpack_more(&p->u, upto < N ? upto : N, 0, t->e));
        CHECK(page_is_right(p));
    }
}

TEST(unpack, zstd_frames_that_are_several_or_have_no_size_are_left_whole)
{
    Page p;
    ZSTD_CCtx *lib = ZSTD_createCCtx();
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;

    page_make(t, &p, PQ_CODEC_ZSTD, TEXT);
    pq_buf_add(&p.packed, "\x50\x2a\x4d\x18\x02\0\0\0??", 10);
    run(t, &p);
    CHECK(p.u.whole && p.u.at == N);     /* it sees the next frame */
    p.packed.n = 0;
    CHECK_OK(pq_codec_encode(p.state, PQ_CODEC_ZSTD, 1, PQ_SEARCH_LEVEL,
                             pq_slice(p.plain, 5000), &p.packed, t->e));
    CHECK_OK(pq_codec_encode(p.state, PQ_CODEC_ZSTD, 1, PQ_SEARCH_LEVEL,
                             pq_slice(p.plain + 5000, N - 5000), &p.packed,
                             t->e));
    run(t, &p);
    CHECK(p.u.whole && p.u.at == 0);
    in = (ZSTD_inBuffer){p.plain, N, 0};
    out = (ZSTD_outBuffer){p.packed.p, p.packed.room, 0};
    ZSTD_compressStream2(lib, &out, &in, ZSTD_e_continue);
    CHECK_INT(ZSTD_compressStream2(lib, &out, &in, ZSTD_e_end), 0);
    p.packed.n = out.pos;
    run(t, &p);
    CHECK(p.u.whole && p.u.at == 0);
    CHECK_GIVES(PQ_CODEC_ZSTD, pq_buf_view(&p.packed), pq_slice(p.plain, N));
    page_free(&p);
    ZSTD_freeCCtx(lib);
}

TEST(unpack, zstd_looks_at_the_checksum_in_the_end)
{
    ZSTD_CCtx *lib = ZSTD_createCCtx();
    Page p;

    page_make(t, &p, PQ_CODEC_ZSTD, TEXT);
    ZSTD_CCtx_setParameter(lib, ZSTD_c_checksumFlag, 1);
    p.packed.n = ZSTD_compress2(lib, p.packed.p, p.packed.room, p.plain, N);
    CHECK(!ZSTD_isError(p.packed.n));
    run(t, &p);
    CHECK(!p.u.whole && p.u.at == N);
    p.packed.p[p.packed.n - 1] ^= 1;
    run(t, &p);
    CHECK(p.u.whole);
    page_free(&p);
    ZSTD_freeCCtx(lib);
}

/* ---- SNAPPY by hand ------------------------------------------------------ */

static void put_literal(PqBuf *b, const uint8_t *p, size_t n)
{
    pq_buf_byte(b, 62 << 2);
    pq_buf_byte(b, (uint8_t)(n - 1));
    pq_buf_byte(b, (uint8_t)((n - 1) >> 8));
    pq_buf_byte(b, (uint8_t)((n - 1) >> 16));
    pq_buf_add(b, p, n);
}

static void put_copy(PqBuf *b, unsigned n, uint32_t offset)
{
    pq_buf_byte(b, (uint8_t)((n - 1) << 2 | 3));
    pq_buf_add(b, &offset, 4);
}

/* The second 64 KiB are copies of the first. */
TEST(unpack, snappy_that_looks_back_beyond_a_block_is_left_whole)
{
    Page p;

    page_make(t, &p, PQ_CODEC_SNAPPY, NOISE);
    memcpy(p.plain + 65536, p.plain, 65536);
    p.packed.n = 0;
    pq_buf_varint(&p.packed, N);
    put_literal(&p.packed, p.plain, 65536);
    for (int i = 0; i < 1024; i++) {
        put_copy(&p.packed, 64, 65536);
    }
    put_literal(&p.packed, p.plain + 131072, N - 131072);
    run(t, &p);
    CHECK(p.u.whole);
    CHECK_INT(p.u.at, 65536);
    CHECK_OK(page_begin(&p));
    p.u.from = 70000;                /* the block that is looked back to is passed */
    CHECK_OK(pq_unpack_more(&p.u, 70001, 0, t->e));
    CHECK(p.u.whole);
    CHECK_GIVES(PQ_CODEC_SNAPPY, pq_buf_view(&p.packed), pq_slice(p.plain, N));
    page_free(&p);
}

/* A damaged copy of a passed block would move the rows after it. */
TEST(unpack, snappy_that_looks_back_too_far_in_a_passed_block_is_left_whole)
{
    static const uint8_t wrong[][3] = {{2 | 7 << 2, 9, 0}, {2 | 7 << 2, 0, 0},
                                       {1 | 4 << 2, 9, 0}, {1 | 4 << 2 | 1 << 5, 0, 0}};
    static const uint8_t right[] = {2 | 7 << 2, 8, 0};
    Page p;

    page_make(t, &p, PQ_CODEC_SNAPPY, NOISE);
    memcpy(p.plain + 8, p.plain, 8);
    for (size_t i = 0; i <= PQ_COUNT(wrong); i++) {
        size_t n = i && (wrong[i - 1][0] & 3) == 1 ? 2 : 3;

        p.packed.n = 0;
        pq_buf_varint(&p.packed, N);
        pq_buf_byte(&p.packed, 7 << 2);
        pq_buf_add(&p.packed, p.plain, 8);
        pq_buf_add(&p.packed, i ? wrong[i - 1] : right, n);
        put_literal(&p.packed, p.plain + 16, 65520);
        put_literal(&p.packed, p.plain + 65536, 65536);
        put_literal(&p.packed, p.plain + 131072, N - 131072);
        CHECK_OK(page_begin(&p));
        p.u.from = 70000;
        CHECK_OK(pq_unpack_more(&p.u, 70001, 0, t->e));
        CHECK_INT(p.u.whole, i > 0);
        CHECK(page_is_right(&p));
    }
    page_free(&p);
}

/* A short literal and a copy after it are looked at together, whatever their sizes. */
TEST(unpack, snappy_sees_all_of_an_offset_after_a_literal_of_any_size)
{
    Page p;

    page_make(t, &p, PQ_CODEC_SNAPPY, NOISE);
    for (unsigned n = 1; n <= 10; n++) {
        for (unsigned more = 0; more <= 256; more += 256) {
            size_t had = n + 8;

            for (size_t i = n; i < had; i++) {
                p.plain[i] = p.plain[i - n];
            }
            p.packed.n = 0;
            pq_buf_varint(&p.packed, N);
            pq_buf_byte(&p.packed, (uint8_t)((n - 1) << 2));
            pq_buf_add(&p.packed, p.plain, n);
            pq_buf_byte(&p.packed, 2 | 7 << 2);
            pq_buf_byte(&p.packed, (uint8_t)n);
            pq_buf_byte(&p.packed, (uint8_t)(more >> 8));
            put_literal(&p.packed, p.plain + had, 65536 - had);
            put_literal(&p.packed, p.plain + 65536, 65536);
            put_literal(&p.packed, p.plain + 131072, N - 131072);
            CHECK_OK(page_begin(&p));
            p.u.from = 70000;
            CHECK_OK(pq_unpack_more(&p.u, 70001, 0, t->e));
            CHECK_INT(p.u.whole, more > 0);
            CHECK(page_is_right(&p));
        }
    }
    page_free(&p);
}

TEST(unpack, snappy_whose_elements_cross_the_blocks_is_left_whole)
{
    Page p;

    page_make(t, &p, PQ_CODEC_SNAPPY, NOISE);
    p.packed.n = 0;
    pq_buf_varint(&p.packed, N);
    put_literal(&p.packed, p.plain, 65530);
    put_literal(&p.packed, p.plain + 65530, N - 65530);
    CHECK_OK(page_begin(&p));
    CHECK_OK(pq_unpack_more(&p.u, 1000, 0, t->e));
    CHECK(!p.u.whole && p.u.at == 65530 && page_is_right(&p));
    p.u.from = 200000;
    CHECK_OK(pq_unpack_more(&p.u, 200001, 0, t->e));
    CHECK(p.u.whole);
    run(t, &p);
    CHECK(p.u.whole);
    CHECK_GIVES(PQ_CODEC_SNAPPY, pq_buf_view(&p.packed), pq_slice(p.plain, N));
    page_free(&p);
}

/* ---- what else can happen ------------------------------------------------ */

TEST(unpack, steps_that_find_no_memory_or_no_bytes_leave_nothing_behind)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i], refused = 0;
        bool failed = true;

        for (int64_t nth = 1; failed && nth <= 40; nth++) {
            PqRc rc;

            page_make(t, &p, c, TEXT);
            pq_fault_set(nth);
            rc = page_begin(&p);
            for (size_t upto = 1; rc == PQ_OK && upto < 200000; upto += 40000) {
                if (upto > p.u.at && !p.u.whole) {
                    rc = pq_unpack_more(&p.u, upto, 0, t->e);
                }
            }
            failed = pq_fault_count() >= nth;
            refused += failed;
            pq_fault_set(0);
            CHECK_CODEC(c, failed ? rc == PQ_NOMEM || rc == PQ_IO
                                  : rc == PQ_OK);
            CHECK_CODEC(c, page_is_right(&p));
            pq_err_clear(t->e);
            page_free(&p);
            memset(&p, 0, sizeof p);
        }
        CHECK_CODEC(c, refused > 0 && !failed);
    }
done:
    page_free(&p);
}

static bool at_once(void *asked)
{
    ++*(int *)asked;
    return true;
}

TEST(unpack, every_step_asks_whether_to_go_on)
{
    Page p = {0};

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        int c = codecs[i], asked = 0;
        PqStop stop = {at_once, &asked};

        page_make(t, &p, c, TEXT);
        CHECK_CODEC(c, page_begin(&p) == PQ_OK);
        pq_codec_watch(p.state, &stop);
        CHECK_CODEC(c, pq_unpack_more(&p.u, 200000, 0, t->e) ==
                           PQ_STOPPED);
        CHECK_CODEC(c, asked == 1 && page_is_right(&p));
        pq_err_clear(t->e);
        page_free(&p);
        memset(&p, 0, sizeof p);
    }
done:
    page_free(&p);
}
