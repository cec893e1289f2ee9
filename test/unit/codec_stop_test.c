/*
** codec_stop_test.c - large pages are compressed in steps: they decode to what
** was encoded, and the steps ask often enough whether to stop.
*/
#include "test/unit/codec_check.h"

#include <time.h>

enum { MEGABYTE = 1 << 20 };

/* n bytes, and the most of them between two questions.  These take about a
** twentieth of a second at that level. */
static const struct Pace {
    int codec, level;
    size_t n, most;
} paces[] = {
    {PQ_CODEC_SNAPPY, 0, 5 * MEGABYTE + 77, MEGABYTE},
    {PQ_CODEC_GZIP, 9, MEGABYTE + 1, 1 << 14},
    {PQ_CODEC_BROTLI, 0, MEGABYTE + 3, 1 << 18},
    {PQ_CODEC_BROTLI, 1, 9 * MEGABYTE, 4 * MEGABYTE},
    {PQ_CODEC_BROTLI, 9, MEGABYTE, 1 << 16},
    {PQ_CODEC_BROTLI, 11, 300000, 1 << 16},
    {PQ_CODEC_LZ4, 9, MEGABYTE, 1 << 17},
    {PQ_CODEC_ZSTD, 0, 9 * MEGABYTE, MEGABYTE},
    {PQ_CODEC_ZSTD, 9, 3 * MEGABYTE, 1 << 17},
    {PQ_CODEC_ZSTD, 15, MEGABYTE + 5, 1 << 17},
    {PQ_CODEC_ZSTD, 19, 300001, 1 << 15},
    {PQ_CODEC_ZSTD, 22, 300000, 1 << 15},
    {PQ_CODEC_LZ4_RAW, 0, 9 * MEGABYTE + 5, MEGABYTE},
    {PQ_CODEC_LZ4_RAW, 3, MEGABYTE + 11, 1 << 17},
    {PQ_CODEC_LZ4_RAW, 12, MEGABYTE, 1 << 17},
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Words, then noise, then one byte repeated, and so on, each for many steps, a
** few steps, or a part of one. */
static void fill(uint8_t *p, size_t n, uint32_t seed)
{
    size_t i = 0;

    while (i < n) {
        uint32_t kind = next_random(&seed) % 3;
        size_t end = i + (64u << next_random(&seed) % 13);

        for (; i < n && i < end; i++) {
            uint32_t r = next_random(&seed);
            p[i] = kind == 0              ? (uint8_t)r
                   : kind == 1 || i < 300 ? (uint8_t)'z'
                   : r % 8                ? p[i - 7 - (i >> 9) % 290]
                                          : (uint8_t)r;
        }
    }
}

typedef struct Asked {
    size_t n, until;                   /* 0: never */
} Asked;

static bool asked(void *arg)
{
    Asked *a = arg;

    return ++a->n == a->until;
}

#define CHECK_PACE(p, cond)                                                 \
    do {                                                                    \
        if (!(cond)) {                                                      \
            test_fail(t, __FILE__, __LINE__, "%s %d, %zu bytes: %s: %s",    \
                      pq_codec_name((p)->codec), (p)->level, (p)->n, #cond, \
                      t->e->text);                                          \
            goto done;                                                      \
        }                                                                   \
    } while (0)

TEST(codec_stop, large_pages_come_back_whole_and_ask_on_the_way)
{
    uint8_t *in = malloc(10 * MEGABYTE);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    CHECK_PACE(&paces[0], pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < 3 * PQ_COUNT(paces); i++) {
        const struct Pace *p = &paces[i / 3];
        Asked a = {0, 0};
        PqStop stop = {asked, &a};

        fill(in, p->n, (uint32_t)i);
        packed.n = 0;
        pq_codec_watch(s, &stop);
        CHECK_PACE(p, pq_codec_encode(s, p->codec, p->level, PQ_SEARCH_LEVEL,
                                      pq_slice(in, p->n), &packed, t->e) == PQ_OK);
        CHECK_PACE(p, a.n >= (p->n - 1) / p->most);
        pq_codec_watch(s, NULL);
        CHECK_PACE(p, gives(t, p->codec, pq_slice(packed.p, packed.n),
                            pq_slice(in, p->n)));
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
}

TEST(codec_stop, an_encoder_that_is_stopped_adds_nothing_and_can_begin_again)
{
    uint8_t *in = malloc(10 * MEGABYTE);
    PqCodecState *s = NULL;
    PqBuf packed;

    pq_buf_init(&packed, t->mem, NULL);
    CHECK_PACE(&paces[0], pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(paces); i++) {
        const struct Pace *p = &paces[i];

        fill(in, p->n, (uint32_t)i);
        for (size_t until = 1; until <= (p->n - 1) / p->most; until *= 3) {
            Asked a = {0, until};
            PqStop stop = {asked, &a};
            PqErr e;

            pq_err_init(&e);
            packed.n = 0;
            pq_buf_text(&packed, "kept");
            pq_codec_watch(s, &stop);
            CHECK_PACE(p, pq_codec_encode(s, p->codec, p->level,
                                          PQ_SEARCH_LEVEL, pq_slice(in, p->n),
                                          &packed, &e) == PQ_STOPPED);
            CHECK_PACE(p, a.n == until);
            CHECK_PACE(p, packed.n == 4 && memcmp(packed.p, "kept", 4) == 0);
        }
        pq_codec_watch(s, NULL);
        packed.n = 0;
        CHECK_PACE(p, pq_codec_encode(s, p->codec, p->level, PQ_SEARCH_LEVEL,
                                      pq_slice(in, 5000), &packed, t->e) == PQ_OK);
        CHECK_PACE(p, gives(t, p->codec, pq_slice(packed.p, packed.n),
                            pq_slice(in, 5000)));
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
}

/* Pieces that refer to each other become about as small as the whole. */
TEST(codec_stop, little_is_lost_by_steps)
{
    static const struct { int codec, level; } far_back[] = {
        {PQ_CODEC_LZ4_RAW, 9}, {PQ_CODEC_LZ4_RAW, 12}, {PQ_CODEC_GZIP, 9},
        {PQ_CODEC_ZSTD, 15}, {PQ_CODEC_ZSTD, 19}, {PQ_CODEC_BROTLI, 10},
    };
    size_t n = 400000, twice;
    uint8_t *in = malloc(n);
    uint32_t seed = 5;
    PqCodecState *s = NULL;
    PqBuf packed;

    /* Noise that repeats after every 30,000 bytes. */
    for (size_t i = 0; i < n; i++) {
        in[i] = i < 30000 ? (uint8_t)next_random(&seed) : in[i - 30000];
    }
    pq_buf_init(&packed, t->mem, t->e);
    CHECK(pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(far_back); i++) {
        packed.n = 0;
        CHECK(pq_codec_encode(s, far_back[i].codec, far_back[i].level,
                              PQ_SEARCH_LEVEL, pq_slice(in, n), &packed, t->e) == PQ_OK);
        twice = 30000 + 5000;
        if (packed.n > twice) {
            test_fail(t, __FILE__, __LINE__, "%s %d: %zu bytes",
                      pq_codec_name(far_back[i].codec), far_back[i].level,
                      packed.n);
        }
    }
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
}

/* Words, for which the highest levels take longest. */
static void fill_words(uint8_t *p, size_t n)
{
    uint32_t seed = 11;

    for (size_t i = 0; i < n;) {
        char word[16];
        int k = snprintf(word, sizeof word, "w%u ", next_random(&seed) % 5000);

        for (int at = 0; at < k && i < n; at++) {
            p[i++] = (uint8_t)word[at];
        }
    }
}

/* CPU time of this thread: other processes may use the CPU too. */
static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

typedef struct Waits {
    double last, longest;
} Waits;

static bool waited(void *arg)
{
    Waits *w = arg;
    double now = now_ms();

    w->longest = now - w->last > w->longest ? now - w->last : w->longest;
    w->last = now;
    return false;
}

/* The tests above count the questions; this one checks that they are spread
** over the page.  A step takes its share of the time of the page in this very
** run, or twice that where a table is filled.  Four times that, in the best of
** some runs, is a failure.  `make bench` measures the milliseconds. */
TEST(codec_stop, no_step_takes_much_more_than_its_part)
{
    enum { TIMES = 4, RUNS = 20 };
    uint8_t *in = malloc(10 * MEGABYTE);
    PqCodecState *s = NULL;
    PqBuf packed;

    fill_words(in, 10 * MEGABYTE);
    pq_buf_init(&packed, t->mem, t->e);
    CHECK_PACE(&paces[0], pq_codec_state_new(t->mem, &s, t->e) == PQ_OK);
    for (size_t i = 0; i < PQ_COUNT(paces); i++) {
        const struct Pace *p = &paces[i];
        double parts = (double)(p->n - 1) / (double)p->most, least = 1e9;

        for (int run = 0; run < RUNS && least > TIMES; run++) {
            double start = now_ms(), part;
            Waits w = {start, 0};
            PqStop stop = {waited, &w};

            packed.n = 0;
            pq_codec_watch(s, &stop);
            CHECK_PACE(p, pq_codec_encode(s, p->codec, p->level,
                                          PQ_SEARCH_LEVEL, pq_slice(in, p->n),
                                          &packed, t->e) == PQ_OK);
            waited(&w);
            part = (w.last - start) / parts;
            least = w.longest < least * part ? w.longest / part : least;
        }
        if (least > TIMES) {
            test_fail(t, __FILE__, __LINE__, "%s %d: a step of %.1f parts",
                      pq_codec_name(p->codec), p->level, least);
        }
    }
done:
    pq_codec_state_free(s);
    pq_buf_free(&packed);
    free(in);
}
