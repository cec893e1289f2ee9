/*
** chunk_write_test.c - a chunk reads back as it was written, with all options;
** and its metadata is true.
*/
#include "core/column/chunk_write_inside.h"
#include "test/unit/folder_tree.h"
#include "test/unit/written_chunk.h"

#include <stdlib.h>

static const char path[] = "x.parquet";

static PqChunkOptions options(void)
{
    return (PqChunkOptions){.codec = PQ_CODEC_UNCOMPRESSED, .encoding = -1,
                            .statistics = true, .page_rows = 20000,
                            .page_bytes = 1 << 20};
}

/* Puts a name of the case before the text of a failure. */
static void say(const PqChunkOptions *o, const PqType *type, int shape,
                int contents, uint32_t n_rows)
{
    printf("     type %s/%d length %u, shape %d, contents %d, %u rows: "
           "encoding %d, dictionary %d, modern %d, v2 %d, codec %d, page_rows "
           "%u, page_bytes %u, bloom %d, total %d\n",
           pq_physical_name((int)type->physical), (int)type->logical,
           type->fixed_length, shape, contents, n_rows, o->encoding,
           (int)o->dictionary, o->modern, o->page_v2, o->codec, o->page_rows,
           o->page_bytes, (int)o->bloom, o->ieee754_order);
}

/* The metadata names the encodings that were asked for. */
static void check_encodings(Test *t, WrittenColumn *c, const PqChunkOptions *o)
{
    PqColumnMetaData m = written_meta(t, c, path);
    bool dictionary = written_has(&m, PQ_ENCODING_RLE_DICTIONARY);

    if (c->n_values == 0) {
        return;
    }
    if (o->dictionary == PQ_DICTIONARY_ALWAYS) {
        CHECK(dictionary == (c->leaf->type.physical != PQ_BOOLEAN));
    } else if (o->dictionary == PQ_DICTIONARY_NEVER || o->encoding >= 0) {
        CHECK(!dictionary);
    }
    if (o->encoding >= 0 && !dictionary) {
        CHECK(written_has(&m, o->encoding));
    }
    CHECK(PQ_HAS(&m, PQ_COLUMN_STATISTICS) == o->statistics);
}

static void there_and_back(Test *t, const PqChunkOptions *o,
                           const PqType *type, int shape, int contents,
                           uint32_t n_rows, Random *r)
{
    WrittenColumn c;

    written_make(t, &c, type, (WrittenShape)shape, (WrittenContents)contents,
                 n_rows, r);
    if (written_write(t, &c, o, 1 + random_below(r, n_rows), path) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    } else {
        written_check(t, &c, path);
        check_encodings(t, &c, o);
    }
    written_free(&c);
    if (t->failed) {
        say(o, type, shape, contents, n_rows);
    }
}

static bool holds(const PqType *type, int shape, int contents)
{
    return type->logical != PQ_TYPE_UNKNOWN ||
           (shape != WRITTEN_REQUIRED && contents == WRITTEN_NULLS);
}

/* Random codec, page sizes and filters. */
static void vary(PqChunkOptions *o, Random *r)
{
    static const int codecs[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                                 PQ_CODEC_ZSTD, PQ_CODEC_LZ4_RAW,
                                 PQ_CODEC_GZIP};

    o->codec = codecs[random_below(r, PQ_COUNT(codecs))];
    o->level = o->codec == PQ_CODEC_ZSTD ? 1 : 0;
    o->page_rows = random_below(r, 3) ? 1 + random_below(r, 100) : 20000;
    o->page_bytes = random_below(r, 3) ? 1 + random_below(r, 2000) : 1 << 20;
    o->bloom = (PqBloomUse)random_below(r, 3);
    o->ieee754_order = random_below(r, 4) == 0;
    o->statistics = random_below(r, 8) != 0;
}

static void each_shape(Test *t, PqChunkOptions o, const PqType *type,
                       Random *r)
{
    for (int shape = 0; shape < WRITTEN_SHAPES; shape++) {
        for (int contents = 0; contents < WRITTEN_CONTENTS; contents++) {
            uint32_t n = random_below(r, 4) ? 50 + random_below(r, 400)
                                            : 1 + random_below(r, 3);
            vary(&o, r);
            o.page_v2 = random_below(r, 2);
            if (!t->failed && holds(type, shape, contents)) {
                there_and_back(t, &o, type, shape, contents, n, r);
            }
        }
    }
}

TEST(chunk_write, every_type_comes_back_in_every_encoding_and_shape)
{
    Random r = {4711};
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        const PqType *type = &made_types[i];

        for (int e = -2; e < PQ_ENCODING_COUNT; e++) {
            PqChunkOptions o = options();

            if (e >= 0 && !pq_encodes(e, type->physical)) {
                continue;
            }
            o.encoding = e < 0 ? -1 : e;
            o.modern = e == -2;
            for (int use = 0; use < 3; use++) {
                o.dictionary = (PqDictionaryUse)use;
                each_shape(t, o, type, &r);
            }
        }
    }
    tree_end(&d);
}

/* So many rows that the dictionary is kept or left before the last batches,
** which have no values. */
TEST(chunk_write, batches_without_values_follow_every_dictionary)
{
    enum { ROWS = 150000, BATCH = 20000 };
    Random r = {11};
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        const PqType *type = &made_types[i];

        for (int use = 0; use < 3 && type->logical != PQ_TYPE_UNKNOWN; use++) {
            PqChunkOptions o = options();
            int shape = WRITTEN_OPTIONAL + ((int)i + use) % 3;
            WrittenColumn c;

            o.dictionary = (PqDictionaryUse)use;
            for (int few = 0; few < 2; few++) {
                written_make(t, &c, type, (WrittenShape)shape,
                             few ? WRITTEN_FEW_NULLS_LAST : WRITTEN_NULLS_LAST,
                             shape == WRITTEN_LIST ? ROWS / 2u : ROWS, &r);
                CHECK_OK(written_write(t, &c, &o, BATCH, path));
                written_check(t, &c, path);
                check_encodings(t, &c, &o);
                written_free(&c);
            }
        }
    }
    tree_end(&d);
}

/* --- dictionaries --------------------------------------------------------- */

static const PqType int64 = {.physical = PQ_INT64};
static const PqType number = {.physical = PQ_DOUBLE};
static const PqType text = {.physical = PQ_BYTE_ARRAY,
                            .logical = PQ_TYPE_STRING};

static int64_t *ints(const WrittenColumn *c)
{
    return (int64_t *)(void *)c->values;
}

/* Writes and checks the column; returns its metadata. */
static PqColumnMetaData write_and_check(Test *t, WrittenColumn *c,
                                        const PqChunkOptions *o)
{
    if (written_write(t, c, o, 20000, path) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        return (PqColumnMetaData){0};
    }
    written_check(t, c, path);
    return written_meta(t, c, path);
}

/* Many rows: the first values repeat, the later ones never do. */
TEST(chunk_write, a_dictionary_that_grows_too_large_is_left_in_the_middle)
{
    enum { ROWS = 500000, REPEATED = 200000 };
    PqChunkOptions o = options();
    PqColumnMetaData m;
    WrittenPage pages[60];
    WrittenColumn c;
    FolderTree d;
    uint32_t n, n_ids = 0, n_plain = 0;

    tree_begin(&d, "");
    written_empty(t, &c, &int64, WRITTEN_OPTIONAL, ROWS);
    for (int i = 0; i < ROWS; i++) {
        ints(&c)[i] = i < REPEATED ? i * (int64_t)7919 % 1000 : i;
    }
    m = write_and_check(t, &c, &o);
    CHECK(written_has(&m, PQ_ENCODING_RLE_DICTIONARY));
    CHECK_INT(m.encoding_stats.n, 3);
    CHECK(!PQ_HAS(&m.statistics, PQ_STATISTICS_DISTINCT_COUNT));
    n = written_pages(t, path, pages, PQ_COUNT(pages));
    CHECK_INT(pages[0].type, PQ_PAGE_DICTIONARY);
    for (uint32_t i = 1; i < n; i++) {
        CHECK(pages[i].encoding == PQ_ENCODING_PLAIN || n_plain == 0);
        n_plain += pages[i].encoding == PQ_ENCODING_PLAIN;
        n_ids += pages[i].encoding == PQ_ENCODING_RLE_DICTIONARY;
    }
    CHECK(n_ids >= REPEATED / 20000 && n_plain >= 5);
    CHECK(pages[0].n_raw <= 1 << 20);
    written_free(&c);
    tree_end(&d);
}

TEST(chunk_write, a_dictionary_that_is_asked_for_may_be_large)
{
    enum { ROWS = 400000 };
    PqChunkOptions o = options();
    PqColumnMetaData m;
    WrittenPage first;
    WrittenColumn c;
    FolderTree d;

    tree_begin(&d, "");
    o.dictionary = PQ_DICTIONARY_ALWAYS;
    written_empty(t, &c, &int64, WRITTEN_REQUIRED, ROWS);
    for (int i = 0; i < ROWS; i++) {
        ints(&c)[i] = i / 2 * INT64_C(1000003);
    }
    m = write_and_check(t, &c, &o);
    CHECK_INT(written_pages(t, path, &first, 1), 1);
    CHECK_INT(first.type, PQ_PAGE_DICTIONARY);
    CHECK_INT(first.n_raw, ROWS / 2 * 8);
    CHECK(PQ_HAS(&m.statistics, PQ_STATISTICS_DISTINCT_COUNT));
    CHECK_INT(m.statistics.distinct_count, ROWS / 2);
    written_free(&c);
    tree_end(&d);
}

TEST(chunk_write, values_that_hardly_repeat_have_no_dictionary)
{
    PqChunkOptions o = options();
    PqColumnMetaData m;
    WrittenColumn c;
    Random r = {1};
    FolderTree d;

    tree_begin(&d, "");
    written_make(t, &c, &text, WRITTEN_OPTIONAL, WRITTEN_MANY, 50000, &r);
    m = write_and_check(t, &c, &o);
    CHECK(!written_has(&m, PQ_ENCODING_RLE_DICTIONARY));
    CHECK(!PQ_HAS(&m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET));
    written_free(&c);
    tree_end(&d);
}

/* Nearly all of the first values are new, but only a tenth of all values. */
TEST(chunk_write, many_values_that_fit_a_dictionary_have_one)
{
    enum { ROWS = 1000000, DIFFERENT = 100000 };
    PqChunkOptions o = options();
    PqColumnMetaData m;
    WrittenColumn c;
    Random r = {7};
    FolderTree d;

    tree_begin(&d, "");
    written_empty(t, &c, &int64, WRITTEN_REQUIRED, ROWS);
    for (int i = 0; i < ROWS; i++) {
        ints(&c)[i] = random_below(&r, DIFFERENT) * INT64_C(1000003);
    }
    m = write_and_check(t, &c, &o);
    CHECK_INT(m.encoding_stats.n, 2);
    CHECK(written_has(&m, PQ_ENCODING_RLE_DICTIONARY));
    CHECK(m.total_compressed_size < 3500000);
    written_free(&c);
    tree_end(&d);
}

TEST(chunk_write, nulls_before_the_first_value_choose_nothing)
{
    PqChunkOptions o = options();
    PqColumnMetaData m;
    WrittenColumn c;
    FolderTree d;

    tree_begin(&d, "");
    o.modern = true;
    for (int use = 0; use < 2; use++) {
        o.dictionary = use ? PQ_DICTIONARY_NEVER : PQ_DICTIONARY_AUTO;
        written_empty(t, &c, &int64, WRITTEN_OPTIONAL, 300000);
        c.n_values = 0;
        for (uint32_t i = 0; i < c.n_entries; i++) {
            c.def[i] = i >= 150000;
            c.n_values += c.def[i];
        }
        for (uint32_t i = 0; i < c.n_values; i++) {
            ints(&c)[i] = INT64_C(1000000000000) + i;
        }
        m = write_and_check(t, &c, &o);
        CHECK(written_has(&m, PQ_ENCODING_DELTA_BINARY_PACKED));
        CHECK(written_has(&m, PQ_ENCODING_PLAIN));
        CHECK_INT(m.encoding_stats.n, 2);
        written_free(&c);
    }
    tree_end(&d);
}

/* A sample of so many values would be gigabytes. */
TEST(chunk_write, large_values_that_repeat_take_little_memory)
{
    enum { ROWS = 30000, BYTES = 300000 };
    PqChunkOptions o = options();
    uint8_t *bytes = calloc(1, BYTES);
    WrittenColumn c;
    FolderTree d;

    CHECK(bytes);
    tree_begin(&d, "");
    o.modern = true;
    written_empty(t, &c, &text, WRITTEN_REQUIRED, ROWS);
    for (int i = 0; i < ROWS; i++) {
        ((PqStr *)(void *)c.values)[i] = (PqStr){bytes,
                                                 (uint32_t)(BYTES - i % 2)};
    }
    CHECK_OK(written_write(t, &c, &o, 20000, path));
    CHECK(pq_mem_peak(t->mem) < (size_t)32 << 20);
    written_free(&c);
    tree_end(&d);
    free(bytes);
}

/* --- pages ---------------------------------------------------------------- */

TEST(chunk_write, pages_end_at_page_rows)
{
    PqChunkOptions o = options();
    WrittenPage pages[40];
    WrittenColumn c;
    Random r = {1};
    FolderTree d;
    uint32_t n;

    tree_begin(&d, "");
    o.page_rows = 100;
    for (int shape = 0; shape < WRITTEN_LIST; shape++) {
        written_make(t, &c, &number, (WrittenShape)shape, WRITTEN_MANY, 1050,
                     &r);
        write_and_check(t, &c, &o);
        n = written_pages(t, path, pages, PQ_COUNT(pages));
        CHECK_INT(n, 11);
        CHECK_INT(pages[0].n_entries, 100);
        CHECK_INT(pages[10].n_entries, 50);
        written_free(&c);
    }
    tree_end(&d);
}

TEST(chunk_write, pages_end_at_page_bytes)
{
    PqChunkOptions o = options();
    WrittenPage pages[400];
    WrittenColumn c;
    Random r = {1};
    FolderTree d;
    uint32_t n;

    tree_begin(&d, "");
    o.page_bytes = 1000;
    o.dictionary = PQ_DICTIONARY_NEVER;
    for (int i = 0; i < 4; i++) {
        const PqType *type = i % 2 ? &text : &number;

        written_make(t, &c, type, i < 2 ? WRITTEN_REQUIRED : WRITTEN_LIST,
                     WRITTEN_MANY, 1050, &r);
        write_and_check(t, &c, &o);
        n = written_pages(t, path, pages, PQ_COUNT(pages));
        CHECK(n >= 8);
        for (uint32_t k = 0; k + 1 < n; k++) {
            CHECK(pages[k].n_raw > 700 && pages[k].n_raw < 1200);
        }
        written_free(&c);
    }
    tree_end(&d);
}

TEST(chunk_write, a_row_that_alone_exceeds_a_page_has_a_page)
{
    enum { ELEMENTS = 5000 };
    PqChunkOptions o = options();
    WrittenPage pages[10];
    WrittenColumn c;
    FolderTree d;
    uint32_t n;

    tree_begin(&d, "");
    o.page_bytes = 1000;
    o.dictionary = PQ_DICTIONARY_NEVER;
    written_empty(t, &c, &int64, WRITTEN_LIST, 3 * ELEMENTS);
    c.n_rows = 0;
    for (uint32_t i = 0; i < c.n_entries; i++) {
        c.rep[i] = i % ELEMENTS != 0;
        c.n_rows += c.rep[i] == 0;
        ints(&c)[i] = i;
    }
    write_and_check(t, &c, &o);
    n = written_pages(t, path, pages, PQ_COUNT(pages));
    CHECK_INT(n, 3);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_INT(pages[i].n_entries, ELEMENTS);
    }
    written_free(&c);
    tree_end(&d);
}

TEST(chunk_write, a_value_larger_than_a_page_has_one_to_itself)
{
    PqChunkOptions o = options();
    WrittenPage pages[20];
    uint8_t *bytes = calloc(1, 100000);
    WrittenColumn c;
    FolderTree d;

    CHECK(bytes);
    tree_begin(&d, "");
    o.page_bytes = 1000;
    o.dictionary = PQ_DICTIONARY_NEVER;
    written_empty(t, &c, &text, WRITTEN_REQUIRED, 9);
    for (int i = 0; i < 9; i++) {
        ((PqStr *)(void *)c.values)[i] = (PqStr){bytes, i % 3 ? 10 : 100000};
    }
    write_and_check(t, &c, &o);
    CHECK_INT(written_pages(t, path, pages, PQ_COUNT(pages)), 6);
    CHECK_INT(pages[0].n_entries, 1);
    CHECK_INT(pages[1].n_entries, 2);
    written_free(&c);
    tree_end(&d);
    free(bytes);
}

/* --- filters -------------------------------------------------------------- */

static bool has_bloom(Test *t, WrittenColumn *c, const PqChunkOptions *o)
{
    PqColumnMetaData m = write_and_check(t, c, o);

    return PQ_HAS(&m, PQ_COLUMN_BLOOM_OFFSET);
}

/* A text that does not compress well, different for each seed. */
static void noise(uint8_t *p, uint32_t n, uint64_t seed)
{
    Random r = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};

    for (uint32_t k = 0; k < n; k++) {
        p[k] = (uint8_t)(' ' + random_below(&r, 95));
    }
}

/* 40,000 texts of so many bytes each, all different or each twice. */
static bool texts_have_bloom(Test *t, uint32_t n_bytes, uint32_t times)
{
    enum { ROWS = 40000 };
    PqChunkOptions o = options();
    uint8_t *bytes = calloc(ROWS, n_bytes);
    WrittenColumn c;
    bool has;

    if (!bytes) {
        abort();
    }
    written_empty(t, &c, &text, WRITTEN_REQUIRED, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint8_t *p = bytes + (size_t)i * n_bytes;

        noise(p, n_bytes, i / times);
        ((PqStr *)(void *)c.values)[i] = (PqStr){p, n_bytes};
    }
    has = has_bloom(t, &c, &o);
    written_free(&c);
    free(bytes);
    return has;
}

TEST(chunk_write, a_filter_that_was_not_asked_for_is_cheap)
{
    FolderTree d;

    tree_begin(&d, "");
    CHECK(texts_have_bloom(t, 100, 1));
    CHECK(texts_have_bloom(t, 100, 2));
    CHECK(!texts_have_bloom(t, 12, 1));
    tree_end(&d);
}

/* How many hashes are kept of 100,000 texts that compress to a few bytes each.
** They are chosen from n_different ones, and so long that not even the first
** batch fits a dictionary. */
static void keep_hashes(Test *t, uint32_t n_different, uint64_t *n_hashes)
{
    enum { ROWS = 100000, BATCH = 20000, BYTES = 64, NOISE = 8 };
    static const PqLeaf leaf = {.type = {.physical = PQ_BYTE_ARRAY,
                                         .logical = PQ_TYPE_STRING}};
    PqChunkOptions o = options();
    uint8_t *bytes = calloc(n_different, BYTES);
    PqStr *values = calloc(BATCH, sizeof *values);
    PqChunkWrite *w = NULL;
    uint32_t n_dict_pages = 0;
    Random r = {11};
    PqWriteCtx ctx;
    PqRc rc = PQ_OK;

    *n_hashes = 0;
    if (!bytes || !values) {
        abort();
    }
    for (uint32_t i = 0; i < n_different; i++) {
        noise(bytes + (size_t)i * BYTES, NOISE, i);
    }
    o.codec = PQ_CODEC_ZSTD;
    o.page_bytes = 1 << 16;
    PQ_GO(pq_write_ctx_init(&ctx, t->mem, t->e));
    PQ_GO(pq_chunk_write_new(t->mem, &leaf, &o, ROWS, &w, t->e));
    for (uint32_t at = 0, next = 0; at < ROWS; at += BATCH) {
        PqLeafBatch b = {.leaf = &leaf, .values = values, .n_values = BATCH,
                         .n_entries = BATCH, .n_rows = BATCH};

        for (uint32_t i = 0; i < BATCH; i++) {
            uint32_t which = n_different == ROWS ? next++
                                                 : random_below(&r, n_different);
            values[i] = (PqStr){bytes + (size_t)which * BYTES, BYTES};
        }
        PQ_GO(pq_chunk_write_batch(w, &b, &ctx, t->e));
    }
    *n_hashes = w->hashes.n_bytes / sizeof(uint64_t);
    n_dict_pages = w->n_dict_pages;
done:
    pq_chunk_write_free(w);
    pq_write_ctx_reset(&ctx);
    free(bytes);
    free(values);
    CHECK_OK(rc);
    CHECK_INT(n_dict_pages, 0);
}

TEST(chunk_write, no_value_is_hashed_for_a_filter_that_will_be_too_large)
{
    uint64_t n_hashes;

    keep_hashes(t, 100000, &n_hashes);
    CHECK_INT(n_hashes, 0);
    keep_hashes(t, 24000, &n_hashes);
    CHECK_INT(n_hashes, 100000);
}

/* Eight pages of texts that compress well, as many of NULLs, then texts that do
** not compress. */
static bool has_bloom_after(Test *t, uint32_t n_null_pages)
{
    enum { PAGE = 2500, FRONT = 8 * PAGE, BEHIND = 60000, BYTES = 100 };
    uint32_t n_nulls = n_null_pages * PAGE, n = FRONT + BEHIND, i;
    PqChunkOptions o = options();
    uint8_t *bytes = calloc(n, BYTES);
    WrittenColumn c;
    bool has;

    if (!bytes) {
        abort();
    }
    o.codec = PQ_CODEC_ZSTD;
    o.page_rows = PAGE;
    written_empty(t, &c, &text, WRITTEN_OPTIONAL, n + n_nulls);
    c.n_values = n;
    for (i = 0; i < n_nulls; i++) {
        c.def[FRONT + i] = 0;
    }
    for (i = 0; i < n; i++) {
        uint8_t *p = bytes + (size_t)i * BYTES;

        noise(p, i < FRONT ? 4 : BYTES, i);
        ((PqStr *)(void *)c.values)[i] = (PqStr){p, i < FRONT ? 40 : BYTES};
    }
    has = has_bloom(t, &c, &o);
    written_free(&c);
    free(bytes);
    return has;
}

TEST(chunk_write, a_costly_filter_is_given_up_before_nulls_or_after)
{
    FolderTree d;

    tree_begin(&d, "");
    CHECK(!has_bloom_after(t, 0));
    CHECK(!has_bloom_after(t, 1));
    CHECK(!has_bloom_after(t, 3));
    tree_end(&d);
}

TEST(chunk_write, a_filter_is_for_what_is_looked_for_unless_it_is_asked_for)
{
    static const PqType stamp = {.physical = PQ_INT64,
                                 .logical = PQ_TYPE_TIMESTAMP};
    static const struct {
        const PqType *type;
        WrittenContents contents;
        PqBloomUse use;
        bool has;
    } cases[] = {
        {&int64, WRITTEN_MANY, PQ_BLOOM_ALWAYS, true},
        {&text, WRITTEN_MANY, PQ_BLOOM_ALWAYS, true},
        {&int64, WRITTEN_MANY, PQ_BLOOM_NEVER, false},
        {&int64, WRITTEN_RISING, PQ_BLOOM_AUTO, false},
        {&int64, WRITTEN_RISING, PQ_BLOOM_ALWAYS, true},
        {&int64, WRITTEN_FEW, PQ_BLOOM_AUTO, false},
        {&int64, WRITTEN_FEW, PQ_BLOOM_ALWAYS, true},
        {&number, WRITTEN_MANY, PQ_BLOOM_AUTO, false},
        {&number, WRITTEN_MANY, PQ_BLOOM_ALWAYS, true},
        {&stamp, WRITTEN_MANY, PQ_BLOOM_AUTO, false},
        {&text, WRITTEN_NULLS, PQ_BLOOM_AUTO, false},
    };
    PqChunkOptions o = options();
    WrittenColumn c;
    Random r = {7};
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(cases) && !t->failed; i++) {
        o.bloom = cases[i].use;
        written_make(t, &c, cases[i].type,
                     cases[i].contents == WRITTEN_RISING ? WRITTEN_REQUIRED
                                                         : WRITTEN_OPTIONAL,
                     cases[i].contents, 60000, &r);
        if (has_bloom(t, &c, &o) != cases[i].has) {
            test_fail(t, __FILE__, __LINE__, "case %zu", i);
        }
        written_free(&c);
    }
    tree_end(&d);
}
