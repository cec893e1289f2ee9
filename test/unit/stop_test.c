/*
** stop_test.c - interrupted work gives up at the next step and leaves nothing
** behind.
*/
#define _GNU_SOURCE
#include "core/base/pool.h"
#include "core/nested/json_rows.h"
#include "core/files/listing.h"
#include "core/text/json_text.h"
#include "test/unit/codec_check.h"
#include "test/unit/rows_fixture.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says "stop" from the n-th question on. */
typedef struct Patience {
    int n, asked;
} Patience;

static bool has_gone(void *arg)
{
    Patience *p = arg;

    return ++p->asked >= p->n;
}

/* The codecs that decode a large page in steps, and a size that is large for
** each of them. */
static const int stepping[] = {PQ_CODEC_GZIP, PQ_CODEC_BROTLI, PQ_CODEC_LZ4,
                               PQ_CODEC_ZSTD};
enum { LARGE = (16 << 20) + 12345 };

static PqRc pack_large(int codec, PqMem *mem, PqBuf *packed, uint8_t *plain,
                       PqErr *e)
{
    PqCodecState *s = NULL;
    PqRc rc;

    for (size_t i = 0; i < LARGE; i++) {
        plain[i] = (uint8_t)(i % 251 + i / 65536);
    }
    PQ_GO(pq_codec_state_new(mem, &s, e));
    PQ_GO(pq_codec_encode(s, codec, 1, PQ_SEARCH_LEVEL, pq_slice(plain, LARGE),
                          packed, e));
done:
    pq_codec_state_free(s);
    return rc;
}

TEST(stop, a_large_page_gives_up_at_the_second_step_and_is_whole_without)
{
    uint8_t *plain = malloc(LARGE), *out = malloc(LARGE);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(stepping); i++) {
        Patience two = {2, 0}, endless = {1 << 30, 0};
        PqStop stop = {has_gone, &two};
        int c = stepping[i];
        size_t used;

        packed.n = 0;
        CHECK_CODEC(c, pack_large(c, t->mem, &packed, plain, t->e) == PQ_OK);
        used = pq_mem_used(t->mem);
        CHECK_CODEC(c, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
        pq_codec_watch(s, &stop);
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out, LARGE,
                                       t->e) == PQ_STOPPED);
        CHECK_CODEC(c, two.asked == 2);
        pq_err_clear(t->e);
        stop.arg = &endless;           /* the state can be used again */
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out, LARGE,
                                       t->e) == PQ_OK);
        CHECK_CODEC(c, memcmp(plain, out, LARGE) == 0);
        CHECK_CODEC(c, endless.asked >= 4);
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out,
                                       LARGE - 1, t->e) == PQ_CORRUPT);
        pq_err_clear(t->e);
        CHECK_CODEC(c, pq_codec_decode(s, c,
                                       pq_slice(packed.p, packed.n - 5), out,
                                       LARGE, t->e) == PQ_CORRUPT);
        pq_err_clear(t->e);
        pq_codec_state_free(s);
        s = NULL;
        CHECK_CODEC(c, pq_mem_used(t->mem) == used);
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(plain);
    free(out);
}

/* Each of the first allocations of decoding in steps fails once. */
TEST(stop, steps_that_find_no_memory_leave_none_behind)
{
    uint8_t *plain = malloc(LARGE), *out = malloc(LARGE);
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(stepping); i++) {
        int c = stepping[i];
        int refused = 0;
        bool failed = true;

        packed.n = 0;
        CHECK_CODEC(c, pack_large(c, t->mem, &packed, plain, t->e) == PQ_OK);
        for (int64_t nth = 1; failed && nth <= 12; nth++) {
            size_t used = pq_mem_used(t->mem);
            PqCodecState *s = NULL;
            PqRc rc;

            pq_fault_set(nth);
            rc = pq_codec_state_new(t->mem, &s, t->e);
            if (rc == PQ_OK) {
                rc = pq_codec_decode(s, c, pq_buf_view(&packed), out, LARGE,
                                     t->e);
            }
            failed = pq_fault_count() >= nth;
            refused += failed;
            pq_fault_set(0);
            pq_codec_state_free(s);
            CHECK_CODEC(c, rc == (failed ? PQ_NOMEM : PQ_OK));
            CHECK_CODEC(c, pq_mem_used(t->mem) == used);
            pq_err_clear(t->e);
        }
        CHECK_CODEC(c, refused > 0);
    }
done:
    pq_buf_free(&packed);
    free(plain);
    free(out);
}

/* SNAPPY and LZ4_RAW are decoded whole, but can be stopped before that. */
TEST(stop, a_large_page_that_has_no_steps_gives_up_before_it_is_begun)
{
    static const int whole[] = {PQ_CODEC_SNAPPY, PQ_CODEC_LZ4_RAW};
    uint8_t *plain = malloc(LARGE), *out = malloc(LARGE);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(whole); i++) {
        Patience two = {2, 0};
        PqStop stop = {has_gone, &two};
        int c = whole[i];

        packed.n = 0;
        CHECK_CODEC(c, pack_large(c, t->mem, &packed, plain, t->e) == PQ_OK);
        CHECK_CODEC(c, pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
        pq_codec_watch(s, &stop);
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out, LARGE,
                                       t->e) == PQ_STOPPED);
        pq_err_clear(t->e);
        pq_codec_watch(s, NULL);
        CHECK_CODEC(c, pq_codec_decode(s, c, pq_buf_view(&packed), out, LARGE,
                                       t->e) == PQ_OK);
        CHECK_CODEC(c, memcmp(plain, out, LARGE) == 0);
        pq_codec_state_free(s);
        s = NULL;
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(plain);
    free(out);
}

/* ---- a job on another thread ------------------------------------------- */

typedef struct Endless {
    PqJob       job;
    atomic_bool has_begun, stop;
} Endless;

static void run_until_told(PqJob *job, int thread)
{
    Endless *x = (Endless *)(void *)job;

    atomic_store(&x->has_begun, true);
    while (!atomic_load(&x->stop)) {
        usleep(100);
    }
}

TEST(stop, a_thread_that_waits_for_a_job_can_stop_it)
{
    Endless x = {.job.run = run_until_told};
    int waits = 0;
    PqPool *p;

    CHECK_OK(pq_pool_new(t->mem, 1, &p, t->e));
    pq_pool_add(p, &x.job);
    while (!atomic_load(&x.has_begun)) {
        usleep(100);                   /* else the waiter would run it */
    }
    while (!pq_pool_wait_for(p, &x.job, 5)) {
        waits++;
        atomic_store(&x.stop, waits >= 3);
    }
    CHECK(waits >= 3);
    CHECK(x.job.state == PQ_JOB_NONE);
    pq_pool_free(p);
}

/* ---- values as JSON ------------------------------------------------------ */

static const Element words[] = {
    GROUP("root", 'r', 1),
    GROUP("s", 'r', 1),
    LEAF("w", 'o', .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_STRING)};

/* A character of two bytes and an invalid one lie across every end of a
** step. */
TEST(stop, a_long_text_in_json_is_the_same_in_parts_and_gives_up_between_them)
{
    enum { LONG_TEXT = 5 * PQ_STEP_BYTES + 77 };
    uint8_t *text = malloc(LONG_TEXT);
    Patience two = {2, 0};
    PqStop stop = {has_gone, &two};
    const PqStr *texts;
    PqBuf want;
    uint32_t n;
    Rows f;

    for (size_t i = 0; i < LONG_TEXT; i++) {
        text[i] = i % 7 == 3 ? '"' : 'x';
    }
    for (size_t at = PQ_STEP_BYTES; at < LONG_TEXT; at += PQ_STEP_BYTES) {
        memcpy(text + at - 1, "\xc3\xa9", 2);
        memset(text + at - 30, 0x80, at / PQ_STEP_BYTES % 2 ? 20 : 40);
    }
    pq_buf_init(&want, t->mem, t->e);
    pq_buf_text(&want, "{\"w\":");
    pq_json_text_string(pq_slice(text, LONG_TEXT), &want);
    pq_buf_text(&want, "}");
    rows_open(t, &f, words, PQ_COUNT(words), false);
    rows_bytes(&f, 0, NULL, "1", &(PqSlice){text, LONG_TEXT});
    CHECK_OK(rows_begin(&f, 1));
    CHECK_OK(pq_json_rows_write(f.plan, 0, 1, 0, &n, &texts, t->e));
    CHECK(pq_slice_equal(pq_slice(texts[0].p, texts[0].n),
                         pq_buf_view(&want)));
    pq_json_rows_watch(f.plan, &stop);
    CHECK_OK(rows_begin(&f, 1));
    CHECK_FAILS(pq_json_rows_write(f.plan, 0, 1, 0, &n, &texts, t->e),
                PQ_STOPPED, "interrupted");
    rows_close(&f);
    pq_buf_free(&want);
    free(text);
}

/* ---- listing -------------------------------------------------------------- */

TEST(stop, a_listing_gives_up_within_a_folder)
{
    enum { FILES = 1000 };
    char folder[] = "/tmp/pq_stop_XXXXXX", path[64];
    Patience three = {3, 0};
    PqStop stop = {has_gone, &three};
    PqListing l;
    int i;

    CHECK(mkdtemp(folder) != NULL);
    for (i = 0; i < FILES; i++) {
        FILE *f;
        snprintf(path, sizeof path, "%s/%d.parquet", folder, i);
        f = fopen(path, "w");
        CHECK(f != NULL);
        fclose(f);
    }
    CHECK_FAILS(pq_listing_make(folder, true, NULL, t->mem, &stop, &l, t->e),
                PQ_STOPPED, "interrupted");
    CHECK_INT(three.asked, 3);
    CHECK_OK(pq_listing_make(folder, true, NULL, t->mem, NULL, &l, t->e));
    CHECK_INT(l.n_files, FILES);
    pq_listing_free(&l);
    for (i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d.parquet", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

/* An interrupt names no column, wherever it was noticed. */
TEST(stop, an_interrupt_names_no_column)
{
    Patience none = {0, 0};
    PqStop stop = {has_gone, &none};

    t->e->where.column = "price";
    CHECK(pq_stop_poll(&stop, t->e) == PQ_STOPPED);
    CHECK(strcmp(t->e->text, "interrupted") == 0);
    t->e->where.column = NULL;
    pq_err_clear(t->e);
}
