/*
** bloom_make_test.c - filters as they are written, probed by the reading side
** and compared with filters made literally by the specification.
*/
#include "core/meta/bloom_make.h"
#include "test/unit/made_values.h"

/* A made filter in a "file", opened. */
typedef struct Asked {
    PqBuf     file;
    PqSource *source;
    PqInput   in;
    PqBloom   bloom;
} Asked;

/* Header and bits, as in a file that is not encrypted. */
static PqRc put(PqBloomMake *b, PqBuf *out, PqErr *e)
{
    const PqModule header = {.kind = PQ_MODULE_BLOOM_HEADER};

    pq_bloom_make_fold(b);
    return pq_bloom_put(&header, pq_bloom_make_bits(b), b->mem, out, e);
}

static PqRc ask(Test *t, PqBloomMake *b, Asked *a)
{
    PqColumnChunk chunk = {0};

    memset(a, 0, sizeof *a);
    pq_buf_init(&a->file, t->mem, t->e);
    pq_buf_add(&a->file, "front", 5);
    PQ_TRY(put(b, &a->file, t->e));
    PQ_TRY(pq_source_open_memory(t->mem, "made", pq_buf_view(&a->file),
                                 &a->source, t->e));
    a->in.source = a->source;
    chunk.meta_data.bloom_filter_offset = 5;
    PQ_TRY(pq_bloom_open(&a->in, &chunk, 0, 0, t->mem, &a->bloom, t->e));
    return a->bloom.offset + (uint64_t)a->bloom.n_blocks * 32 == a->file.n
               ? PQ_OK
               : pq_fail(t->e, PQ_CORRUPT, "bytes after the filter");
}

static void asked_free(Asked *a)
{
    pq_bloom_close(&a->bloom);
    pq_source_close(a->source);
    pq_buf_free(&a->file);
}

static bool passes(Test *t, Asked *a, const void *p, size_t n)
{
    bool maybe = false;

    return pq_bloom_probe(&a->in, &a->bloom, pq_bloom_hash(pq_slice(p, n)),
                          &maybe, t->e) == PQ_OK && maybe;
}

static void add(Test *t, PqBloomMake *b, const PqType *type,
                const void *values, uint32_t n)
{
    uint64_t *hashes = pq_mem_array(t->mem, (size_t)n + PQ_BLOOM_MORE,
                                    sizeof *hashes, t->e);

    CHECK(hashes != NULL);
    pq_bloom_make_add_hashes(b, hashes,
                             pq_bloom_make_hash(type, values, n, hashes));
    pq_mem_free(hashes);
}

/* The false positive rate: the mean over the blocks of the probability to find
** eight bits that are set. */
static double rate(const PqBloomMake *b)
{
    double sum = 0;

    for (uint32_t block = 0; block < b->n_blocks; block++) {
        double product = 1;

        for (uint32_t i = 0; i < 8; i++) {
            product *= __builtin_popcount(b->blocks[block * 8 + i]) / 32.0;
        }
        sum += product;
    }
    return sum / b->n_blocks;
}

TEST(bloom_make, values_of_all_types_are_found)
{
    static MadeValues m;
    Random r = {59};

    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        PqBloomMake b;
        Asked a;

        made_values(&m, &made_types[i], MADE_MOST, &r);
        CHECK_OK(pq_bloom_make_init(&b, MADE_MOST, 0.01, t->mem, t->e));
        add(t, &b, m.type, made_from(&m, 0), 77);
        add(t, &b, m.type, made_from(&m, 77), MADE_MOST - 77);
        CHECK_OK(ask(t, &b, &a));
        for (uint32_t k = 0; k < MADE_MOST; k++) {
            CHECK(passes(t, &a, m.plain[k].p, m.plain[k].n));
        }
        asked_free(&a);
        pq_bloom_make_free(&b);
    }
}

TEST(bloom_make, a_zero_is_found_under_either_sign)
{
    static const float zero = 0, minus_zero = -0.0f;
    static const double zeros[] = {1.5, -0.0};
    static const uint8_t half[] = {0x00, 0x80};
    const PqStr halves[] = {{half, 2}};
    const PqType single = {.physical = PQ_FLOAT};
    const PqType twice = {.physical = PQ_DOUBLE};
    const PqType short_float = {.physical = PQ_FIXED, .fixed_length = 2,
                                .logical = PQ_TYPE_FLOAT16};
    const struct { const PqType *type; const void *values; uint32_t n; } given[] = {
        {&single, &zero, 1}, {&twice, zeros, 2}, {&short_float, halves, 1},
    };
    double minus = -0.0, plus = 0;

    for (size_t i = 0; i < PQ_COUNT(given); i++) {
        PqBloomMake b;
        Asked a;

        CHECK_OK(pq_bloom_make_init(&b, 10, 0.01, t->mem, t->e));
        add(t, &b, given[i].type, given[i].values, given[i].n);
        CHECK_OK(ask(t, &b, &a));
        if (i == 0) {
            CHECK(passes(t, &a, &zero, 4) && passes(t, &a, &minus_zero, 4));
        } else if (i == 1) {
            CHECK(passes(t, &a, &plus, 8) && passes(t, &a, &minus, 8));
        } else {
            CHECK(passes(t, &a, "\0\0", 2) && passes(t, &a, half, 2));
        }
        asked_free(&a);
        pq_bloom_make_free(&b);
    }
}

/* filter_insert and block_insert of the specification, bit by bit. */
static void spec_insert(uint8_t *blocks, uint32_t n_blocks, uint64_t h)
{
    static const uint32_t salt[8] = {
        0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
        0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U,
    };
    uint64_t i = ((h >> 32) * n_blocks) >> 32;

    for (uint32_t word = 0; word < 8; word++) {
        uint32_t bit = ((uint32_t)h * salt[word]) >> 27;
        blocks[i * 32 + word * 4 + bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

static PqRc add_numbers(Test *t, PqBloomMake *b, int64_t n)
{
    static const PqType type = {.physical = PQ_INT64};
    int64_t *v = pq_mem_array(t->mem, (size_t)n + 1, sizeof *v, t->e);

    if (!v) {
        return t->e->rc;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = i;
    }
    add(t, b, &type, v, (uint32_t)n);
    pq_mem_free(v);
    return PQ_OK;
}

TEST(bloom_make, a_folded_filter_is_the_one_made_at_its_size)
{
    static const int64_t counts[] = {0, 1, 20, 1000, 30000};

    for (size_t k = 0; k < PQ_COUNT(counts); k++) {
        PqBloomMake b;
        PqBuf want;
        uint32_t before;
        Asked a;

        CHECK_OK(pq_bloom_make_init(&b, 100000, 0.01, t->mem, t->e));
        before = b.n_blocks;
        CHECK_OK(add_numbers(t, &b, counts[k]));
        CHECK_OK(ask(t, &b, &a));
        CHECK(a.bloom.n_blocks < before);
        pq_buf_init(&want, t->mem, NULL);
        CHECK_OK(pq_buf_resize(&want, (size_t)a.bloom.n_blocks * 32, t->e));
        memset(want.p, 0, want.n);
        for (int64_t i = 0; i < counts[k]; i++) {
            spec_insert(want.p, a.bloom.n_blocks,
                        pq_bloom_hash(pq_slice(&i, 8)));
        }
        CHECK_BYTES(a.file.p + a.bloom.offset, want.n, want.p, want.n);
        pq_buf_free(&want);
        asked_free(&a);
        pq_bloom_make_free(&b);
    }
}

/* Would half the blocks of b be too few for the numbers below n? */
static bool half_would_not_do(Test *t, const PqBloomMake *b, int64_t n)
{
    PqBloomMake half;
    bool enough = true;

    if (pq_bloom_make_init(&half, (uint64_t)n * 10, b->fpp, t->mem, t->e) ==
        PQ_OK) {
        half.n_blocks = b->n_blocks / 2;
        enough = add_numbers(t, &half, n) != PQ_OK ||
                 rate(&half) <= b->fpp;
    }
    pq_bloom_make_free(&half);
    return !enough;
}

TEST(bloom_make, false_positives_stay_below_what_was_asked_for)
{
    static const double rates[] = {0.1, 0.01, 0.001};

    for (size_t k = 0; k < PQ_COUNT(rates); k++) {
        for (int64_t n = 100; n <= 20000; n = n * 5 / 2) {
            int64_t n_passed = 0, n_asked = 100000;
            double said;
            PqBloomMake b;
            Asked a;

            CHECK_OK(pq_bloom_make_init(&b, (uint64_t)n * 10, rates[k],
                                        t->mem, t->e));
            CHECK_OK(add_numbers(t, &b, n));
            CHECK_OK(ask(t, &b, &a));
            said = rate(&b);
            for (int64_t i = n; i < n + n_asked; i++) {
                n_passed += passes(t, &a, &i, 8);
            }
            CHECK(said <= rates[k]);
            CHECK(half_would_not_do(t, &b, n));
            CHECK((double)n_passed < said * 1.3 * (double)n_asked + 20);
            CHECK((double)n_passed > said * 0.7 * (double)n_asked - 20);
            asked_free(&a);
            pq_bloom_make_free(&b);
        }
    }
}

/* 1,024 blocks: the specification has these rates. */
TEST(bloom_make, rates_counted_are_those_of_the_specification)
{
    static const struct { int64_t n; double low, high; } want[] = {
        {13107, 0.0003, 0.0005}, {26214, 0.0118, 0.0134}, {52428, 0.17, 0.19}};

    for (size_t k = 0; k < PQ_COUNT(want); k++) {
        PqBloomMake b;

        CHECK_OK(pq_bloom_make_init(&b, 26214, 0.0135, t->mem, t->e));
        CHECK_INT(b.n_blocks, 1024);
        CHECK_OK(add_numbers(t, &b, want[k].n));
        CHECK(rate(&b) > want[k].low);
        CHECK(rate(&b) < want[k].high);
        pq_bloom_make_free(&b);
    }
}

TEST(bloom_make, room_follows_values_and_rate_and_has_an_end)
{
    CHECK_INT(pq_bloom_make_room(0, 0.01), 32);
    CHECK_INT(pq_bloom_make_room(1, 0.01), 32);
    CHECK_INT(pq_bloom_make_room(1000000, 0.01), 2 << 20);
    CHECK_INT(pq_bloom_make_room(1000000, 0), 2 << 20);
    CHECK_INT(pq_bloom_make_room(1000000, 0.2), 1 << 20);
    CHECK_INT(pq_bloom_make_room(UINT64_MAX, 0.01), PQ_BLOOM_MOST_BYTES);
}

TEST(bloom_make, an_allocation_that_fails_fails_cleanly)
{
    PqRc rc = PQ_NOMEM;
    int64_t nth;

    for (nth = 1; rc != PQ_OK; nth++) {
        PqBloomMake b = {0};
        PqBuf out;

        pq_buf_init(&out, t->mem, NULL);
        pq_fault_set(nth);
        rc = pq_bloom_make_init(&b, 100, 0.01, t->mem, t->e);
        if (rc == PQ_OK) {
            rc = put(&b, &out, t->e);
        }
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        pq_err_clear(t->e);
        pq_buf_free(&out);
        pq_bloom_make_free(&b);
    }
    CHECK(nth > 2);
}
