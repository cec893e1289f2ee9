/*
** bloom_test.c - probes of Bloom filters: of filters made here literally by the
** specification, and of those of sample files.
*/
#include "core/meta/bloom.h"
#include "test/unit/small_file.h"

#include <stdlib.h>

/* A "file" that has a filter at byte 16. */
typedef struct Filter {
    PqBloomFilterHeader header;
    PqBuf               bytes;
    size_t              first;       /* where the blocks begin */
    PqColumnChunk       chunk;
    PqSource           *source;
    PqInput             in;
    PqBloom             bloom;
} Filter;

static void filter_init(Filter *f, int32_t n_bytes)
{
    memset(f, 0, sizeof *f);
    f->header.has = 0x1e;
    f->header.num_bytes = n_bytes;
    f->header.algorithm.has = 1u << PQ_BLOOM_ONLY;
    f->header.hash.has = 1u << PQ_BLOOM_ONLY;
    f->header.compression.has = 1u << PQ_BLOOM_ONLY;
    f->chunk.meta_data.has = 1u << PQ_COLUMN_BLOOM_OFFSET;
    f->chunk.meta_data.bloom_filter_offset = 16;
}

/* The "file", with room zero bytes of bits. */
static PqRc filter_build(Test *t, Filter *f, size_t room)
{
    pq_buf_init(&f->bytes, t->mem, t->e);
    pq_buf_add(&f->bytes, "0123456789abcdef", 16);
    pq_format_write_bloom_header(&f->header, &f->bytes);
    f->first = f->bytes.n;
    PQ_TRY(pq_buf_resize(&f->bytes, f->first + room, t->e));
    memset(f->bytes.p + f->first, 0, room);
    PQ_TRY(pq_source_open_memory(t->mem, "filter", pq_buf_view(&f->bytes),
                                 &f->source, t->e));
    f->in.source = f->source;
    return PQ_OK;
}

static PqRc filter_open(Test *t, Filter *f)
{
    return pq_bloom_open(&f->in, &f->chunk, 1, 2, t->mem, &f->bloom, t->e);
}

static void filter_free(Filter *f)
{
    pq_bloom_close(&f->bloom);
    pq_source_close(f->source);
    pq_buf_free(&f->bytes);
}

/* filter_insert and block_insert of the specification, bit by bit. */
static void spec_insert(uint8_t *blocks, uint32_t n_blocks, uint64_t h)
{
    static const uint32_t salt[8] = {
        0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
        0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U,
    };
    uint64_t i = ((h >> 32) * n_blocks) >> 32;
    uint32_t word;

    for (word = 0; word < 8; word++) {
        uint32_t bit = ((uint32_t)h * salt[word]) >> 27;
        blocks[i * 32 + word * 4 + bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

static uint64_t hash_of(int64_t v)
{
    return pq_bloom_hash(pq_slice(&v, sizeof v));
}

TEST(bloom, the_hash_is_xxh64_with_seed_0)
{
    CHECK(pq_bloom_hash(pq_slice(NULL, 0)) == 0xef46db3751d8e999);
    CHECK(pq_bloom_hash(pq_slice_text("a")) == 0xd24ec4f1a98c6e5b);
    CHECK(pq_bloom_hash(pq_slice_text("abc")) == 0x44bc2cf5ad770999);
}

/* 7 is not a power of two: the specification does not require one. */
TEST(bloom, what_was_inserted_is_always_found_and_the_rest_rarely)
{
    static const uint32_t sizes[] = {1, 2, 7, 64, 1024};
    size_t s;

    for (s = 0; s < PQ_COUNT(sizes); s++) {
        int64_t n = sizes[s] * 16, i, wrong = 0;
        Filter f;

        filter_init(&f, (int32_t)sizes[s] * 32);
        CHECK_OK(filter_build(t, &f, sizes[s] * 32));
        for (i = 0; i < n; i++) {
            spec_insert(f.bytes.p + f.first, sizes[s], hash_of(i));
        }
        CHECK_OK(filter_open(t, &f));
        CHECK_INT(f.bloom.n_blocks, sizes[s]);
        CHECK_INT(f.bloom.offset, f.first);
        for (i = 0; i < 2 * n; i++) {
            bool maybe = false;
            CHECK_OK(pq_bloom_probe(&f.in, &f.bloom, hash_of(i), &maybe,
                                    t->e));
            CHECK(maybe || i >= n);
            wrong += maybe && i >= n;
        }
        CHECK(wrong <= n / 8 + 1);
        filter_free(&f);
    }
}

TEST(bloom, a_probe_reads_one_block)
{
    bool maybe;
    Filter f;

    filter_init(&f, 1024 * 32);
    CHECK_OK(filter_build(t, &f, 1024 * 32));
    CHECK_OK(filter_open(t, &f));
    CHECK_OK(pq_bloom_probe(&f.in, &f.bloom, UINT64_MAX, &maybe, t->e));
    CHECK(!maybe);
    CHECK_INT(f.in.bytes_by_kind[PQ_MODULE_BLOOM_BITS], 32);
    CHECK(pq_source_bytes_read(f.source) < 400);
    filter_free(&f);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Probes a filter of n_blocks blocks with n hashes.  inserted: the index of the
** one that is in the filter, or -1. */
static void check_any(Test *t, uint32_t n_blocks, uint32_t n, int inserted,
                      uint64_t most_bytes)
{
    uint64_t hashes[512];
    bool maybe;
    uint32_t i;
    Filter f;

    for (i = 0; i < n; i++) {
        hashes[i] = hash_of(i + 1000);
    }
    qsort(hashes, n, sizeof hashes[0], ascending);
    filter_init(&f, (int32_t)n_blocks * 32);
    CHECK_OK(filter_build(t, &f, n_blocks * 32));
    if (inserted >= 0) {
        spec_insert(f.bytes.p + f.first, n_blocks, hashes[inserted]);
    }
    CHECK_OK(filter_open(t, &f));
    CHECK_OK(pq_bloom_probe_any(&f.in, &f.bloom, hashes, n, &maybe, t->e));
    CHECK(maybe == (inserted >= 0));
    CHECK(f.in.bytes_by_kind[PQ_MODULE_BLOOM_BITS] <= most_bytes);
    filter_free(&f);
}

TEST(bloom, any_of_many_is_found_wherever_it_stands_in_the_list)
{
    int i;

    for (i = -1; i < 100; i++) {
        check_any(t, 1 << 14, 100, i, 100 * 32 * 17);   /* runs of blocks */
        check_any(t, 1 << 10, 100, i, (1 << 10) * 32 + 64);     /* whole */
        check_any(t, 7, 100, i, 7 * 32 + 64);
    }
}

TEST(bloom, a_list_reads_at_most_the_filter)
{
    check_any(t, 64, 512, -1, 64 * 32 + 64);
    check_any(t, 1 << 16, 2, -1, 2 * 32);
}

TEST(bloom, none_of_no_values_is_there)
{
    check_any(t, 64, 0, -1, 0);
}

TEST(bloom, a_chunk_without_a_filter_may_hold_anything)
{
    bool maybe = false;
    Filter f;

    filter_init(&f, 32);
    CHECK_OK(filter_build(t, &f, 32));
    f.chunk.meta_data.bloom_filter_offset = 0;
    CHECK_OK(filter_open(t, &f));
    CHECK_INT(f.bloom.n_blocks, 0);
    CHECK_OK(pq_bloom_probe(&f.in, &f.bloom, 1, &maybe, t->e));
    CHECK(maybe);
    filter_free(&f);
}

TEST(bloom, an_unknown_kind_of_filter_is_ignored)
{
    int kind;

    for (kind = 0; kind < 4; kind++) {
        Filter f;
        filter_init(&f, 31);                 /* is not read */
        f.header.algorithm.has = kind == 0 ? 0 : 2;
        f.header.hash.has = kind == 1 ? 0 : 2;
        f.header.compression.has = kind == 2 ? 0 : 2;
        f.header.has = kind == 3 ? 2 : 0x1e; /* the unions are absent */
        CHECK_OK(filter_build(t, &f, 32));
        CHECK_OK(filter_open(t, &f));
        CHECK_INT(f.bloom.n_blocks, 0);
        filter_free(&f);
    }
}

TEST(bloom, a_size_that_cannot_be_is_corrupt)
{
    static const int32_t sizes[] = {0, -32, 31, 33, 96, INT32_MIN, 0x7fffffe0};
    size_t i;

    for (i = 0; i < PQ_COUNT(sizes); i++) {
        Filter f;
        filter_init(&f, sizes[i]);
        CHECK_OK(filter_build(t, &f, 64));   /* room for two blocks */
        CHECK_FAILS(filter_open(t, &f), PQ_CORRUPT, "row group 1, byte 16: a "
                                                    "Bloom filter of");
        filter_free(&f);
    }
}

TEST(bloom, a_filter_outside_the_file_is_corrupt)
{
    static const int64_t places[] = {-1, INT64_MIN, 1000, INT64_MAX};
    size_t i;
    Filter f;

    filter_init(&f, 32);
    CHECK_OK(filter_build(t, &f, 32));
    for (i = 0; i < PQ_COUNT(places); i++) {
        f.chunk.meta_data.bloom_filter_offset = places[i];
        CHECK_FAILS(filter_open(t, &f), PQ_CORRUPT, "a Bloom filter beyond");
    }
    f.chunk.meta_data.bloom_filter_offset = (int64_t)f.bytes.n;
    CHECK_FAILS(filter_open(t, &f), PQ_CORRUPT, "is cut off");
    filter_free(&f);
}

TEST(bloom, a_changed_header_ends_in_an_error_or_a_filter)
{
    unsigned i, x, opened = 0;
    Filter f;

    filter_init(&f, 64);
    CHECK_OK(filter_build(t, &f, 64));
    for (i = 16; i < f.first; i++) {
        for (x = 1; x < 256; x++) {
            bool maybe;
            f.bytes.p[i] ^= (uint8_t)x;
            if (filter_open(t, &f) == PQ_OK) {
                opened++;
                CHECK_OK(pq_bloom_probe(&f.in, &f.bloom, x * 0x9e3779b97f4a7c15,
                                        &maybe, t->e));
            }
            pq_err_clear(t->e);
            f.bytes.p[i] ^= (uint8_t)x;
        }
    }
    filter_free(&f);
    CHECK(opened > 10);
}

/* A sample that is a filter and nothing else, placed after 16 bytes. */
static PqRc open_sample(Test *t, const char *name, Filter *f)
{
    const char *root = getenv("PARQUET_TESTING");
    char path[1024];
    PqSource *s;
    size_t n;

    filter_init(f, 32);
    snprintf(path, sizeof path, "%s/%s",
             root ? root : "../shared/parquet-testing", name);
    if (access(path, R_OK) != 0) {
        t->skipped = NO_SAMPLES;
        return PQ_IO;
    }
    PQ_TRY(filter_build(t, f, 0));
    pq_source_close(f->source);
    f->source = NULL;
    PQ_TRY(pq_source_open(t->mem, path, &s, t->e));
    n = (size_t)pq_source_size(s);
    f->bytes.n = 16;
    if (pq_buf_resize(&f->bytes, 16 + n, t->e) == PQ_OK) {
        (void)pq_source_read(s, 0, n, f->bytes.p + 16, t->e);
    }
    pq_source_close(s);
    PQ_TRY(pq_source_open_memory(t->mem, name, pq_buf_view(&f->bytes),
                                 &f->source, t->e));
    f->in.source = f->source;
    return filter_open(t, f);
}

TEST(bloom, the_sample_filter_holds_its_four_words)
{
    static const char *const words[] = {"hello", "parquet", "bloom", "filter"};
    bool maybe[4] = {0}, other = true;
    PqRc rc;
    Filter f;
    int i;

    rc = open_sample(t, "data/bloom_filter.xxhash.bin", &f);
    for (i = 0; i < 4 && rc == PQ_OK; i++) {
        rc = pq_bloom_probe(&f.in, &f.bloom,
                            pq_bloom_hash(pq_slice_text(words[i])), &maybe[i],
                            t->e);
    }
    if (rc == PQ_OK) {
        rc = pq_bloom_probe(&f.in, &f.bloom,
                            pq_bloom_hash(pq_slice_text("goodbye")), &other,
                            t->e);
    }
    filter_free(&f);
    if (t->skipped) {
        return;
    }
    CHECK_OK(rc);
    CHECK(maybe[0] && maybe[1] && maybe[2] && maybe[3]);
    CHECK(!other);
}

TEST(bloom, a_filter_of_the_murmur_days_is_refused)
{
    Filter f;
    PqRc rc = open_sample(t, "data/bloom_filter.bin", &f);

    filter_free(&f);
    if (t->skipped) {
        return;
    }
    CHECK_FAILS(rc, PQ_CORRUPT, "BloomFilterHeader.numBytes is missing");
}

/* Column String of both files: the filter knows what the chunk's bounds say
** occurs. */
TEST(bloom, sample_files_hold_their_own_bounds)
{
    static const char *const names[] = {
        "data/data_index_bloom_encoding_stats.parquet",
        "data/data_index_bloom_encoding_with_length.parquet"};
    size_t i;

    for (i = 0; i < PQ_COUNT(names); i++) {
        bool low = false, high = false, other = true;
        PqColumnChunk c;
        PqBloom b = {0};
        PqArena a;
        Small s;
        PqRc rc;

        pq_arena_init(&a, t->mem);
        PQ_GO(small_open_sample(t, names[i], &s));
        PQ_GO(pq_footer_chunk(s.footer, 0, 0, &a, &c, t->e));
        PQ_GO(pq_bloom_open(&s.in, &c, 0, 0, t->mem, &b, t->e));
        PQ_GO(pq_bloom_probe(&s.in, &b,
                             pq_bloom_hash(c.meta_data.statistics.min_value),
                             &low, t->e));
        PQ_GO(pq_bloom_probe(&s.in, &b,
                             pq_bloom_hash(c.meta_data.statistics.max_value),
                             &high, t->e));
        PQ_GO(pq_bloom_probe(&s.in, &b,
                             pq_bloom_hash(pq_slice_text("never written")),
                             &other, t->e));
    done:
        pq_bloom_close(&b);
        pq_arena_free(&a);
        small_close(&s);
        if (t->skipped) {
            return;
        }
        CHECK_OK(rc);
        CHECK(low && high && !other);
    }
}
