/*
** lazy_page_test.c - rows of large pages, which are read and unpacked only
** as far as needed: each codec with each encoding, and every kind of damage.
*/
#include "test/unit/encoders.h"
#include "test/unit/made_chunk.h"

enum { N = 81920, ENTRIES = 1000, ID_BITS = 32 };

/* ---- what the pages hold ------------------------------------------------- */

static const struct Kind {
    const char *name;
    int type, encoding;
} kinds[] = {
    {"numbers", PQ_INT64, PQ_ENCODING_PLAIN},
    {"texts", PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN},
    {"entries", PQ_INT64, PQ_ENCODING_RLE_DICTIONARY},
    {"deltas", PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED},
    {"lengths", PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY},
    {"prefixes", PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_BYTE_ARRAY},
    {"streams", PQ_INT64, PQ_ENCODING_BYTE_STREAM_SPLIT},
};
static const int codecs[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                             PQ_CODEC_GZIP, PQ_CODEC_BROTLI, PQ_CODEC_ZSTD,
                             PQ_CODEC_LZ4_RAW, PQ_CODEC_LZ4};

static bool is_null(int64_t row)
{
    return row % 7 == 3;
}

static int64_t number_of(const struct Kind *k, int64_t row)
{
    uint64_t v = (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) >> 24;

    return (int64_t)(k->encoding == PQ_ENCODING_RLE_DICTIONARY ? v % ENTRIES
                                                               : v);
}

static PqStr text_of(int64_t row, char *z)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t n = 0, hash = (uint32_t)row * 2654435761u;

    memcpy(z, "the hash of row ", 16);
    for (n = 16; n < 21; n++, row /= 16) {
        z[n] = digits[row % 16];
    }
    for (; hash; hash /= 16) {                /* 1 to 8 of them, or none */
        z[n++] = digits[hash % 16];
    }
    memcpy(z + n, "more of it", n % 11);
    return (PqStr){(const uint8_t *)z, n + n % 11};
}

/* Their values, row by row, without those that are null. */
static void put_values(const struct Kind *k, int64_t first, bool nulls,
                       PqBuf *out)
{
    int64_t *v = malloc(N * sizeof *v);
    uint64_t *u = malloc(N * sizeof *u);
    size_t n = 0;
    PqBuf texts;
    char z[80];

    pq_buf_init(&texts, out->mem, out->sink);
    for (int64_t row = first; row < first + N; row++) {
        PqStr s = text_of(row, z);

        if (nulls && is_null(row)) {
            continue;
        }
        v[n] = k->type == PQ_INT64 ? number_of(k, row) : s.n;
        u[n] = (uint64_t)v[n];
        n++;
        if (k->encoding == PQ_ENCODING_PLAIN && k->type == PQ_BYTE_ARRAY) {
            pq_buf_add(&texts, &s.n, 4);
        }
        pq_buf_add(&texts, s.p, s.n);
    }
    if (k->encoding == PQ_ENCODING_DELTA_BYTE_ARRAY) {
        uint64_t *none = calloc(n, sizeof *none);

        put_delta(out, (int64_t *)none, n, 128, 4, 32, 0);
        free(none);
    }
    switch (k->encoding) {
    case PQ_ENCODING_PLAIN:
        if (k->type == PQ_INT64) {
            pq_buf_add(out, v, n * 8);
        }
        break;
    case PQ_ENCODING_RLE_DICTIONARY:
        pq_buf_byte(out, ID_BITS);
        put_groups(out, u, n, ID_BITS);
        break;
    case PQ_ENCODING_BYTE_STREAM_SPLIT:
        for (size_t i = 0; i < n * 8; i++) {
            pq_buf_byte(out, (uint8_t)(u[i % n] >> i / n * 8));
        }
        break;
    default:
        put_delta(out, v, n, 128, 4,
                  k->encoding == PQ_ENCODING_DELTA_BINARY_PACKED ? 64 : 32, 0);
        break;
    }
    if (k->type == PQ_BYTE_ARRAY) {
        pq_buf_add(out, texts.p, texts.n);
    }
    pq_buf_free(&texts);
    free(u);
    free(v);
}

/* ---- a chunk of such pages ----------------------------------------------- */

typedef struct Reading {
    const struct Kind *k;
    bool         nulls;
    MadeFile     m;
    PqReadCtx    ctx;
    PqLeafReader r;
} Reading;

/* The dictionary has all entries, used ones and many that are not. */
static void put_dictionary(Reading *x)
{
    int64_t entries[ENTRIES];

    for (int64_t i = 0; i < ENTRIES; i++) {
        entries[i] = i;
    }
    made_dictionary(&x->m, ENTRIES, entries, sizeof entries,
                    PQ_ENCODING_PLAIN);
}

static void put_page(Test *t, Reading *x, int page, bool v2)
{
    uint16_t *def = malloc(N * sizeof *def);
    PqBuf values;

    for (int64_t i = 0; i < N; i++) {
        def[i] = x->nulls && is_null((int64_t)page * N + i) ? 0 : 1;
    }
    pq_buf_init(&values, t->mem, t->e);
    put_values(x->k, (int64_t)page * N, x->nulls, &values);
    (v2 ? made_page_v2 : made_page_v1)(&x->m, N, NULL, def, x->k->encoding,
                                       values.p, values.n);
    pq_buf_free(&values);
    free(def);
}

static void begin(Test *t, Reading *x, const struct Kind *k, int codec,
                  bool nulls, bool crc)
{
    PqSchemaElement el[2] = {
        made_group("root", 0, 1, -1),
        made_leaf("v", nulls ? PQ_OPTIONAL : PQ_REQUIRED, k->type)};

    memset(x, 0, sizeof *x);
    x->k = k;
    x->nulls = nulls;
    made_begin(t, &x->m, el, 2);
    x->m.codec = codec;
    x->m.crc = crc;
    made_chunk(&x->m, k->type, 0, nulls);
    if (k->encoding == PQ_ENCODING_RLE_DICTIONARY) {
        put_dictionary(x);
    }
}

static PqRc open_file(Test *t, Reading *x, int n_pages)
{
    PQ_TRY(made_end(&x->m, (int64_t)n_pages * N));
    return pq_read_ctx_init(&x->ctx, t->mem, t->e);
}

static PqRc open_leaf(Test *t, Reading *x, int n_pages)
{
    PqArena *a;

    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->m.footer, 0, 0, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->m.in, &x->m.footer->schema.leaves[0],
                               0, (int64_t)n_pages * N, (PqSlice){NULL, 0},
                               false, t->e);
}

static void close_leaf(Reading *x)
{
    pq_leaf_reader_reset(&x->r);
}

static void close_file(Test *t, Reading *x)
{
    pq_read_ctx_reset(&x->ctx);
    pq_where_reset(t->e);            /* the name is the file's */
    made_free(&x->m);
}

/* Opens a page of such values for reading. */
static PqRc one_page(Test *t, Reading *x, const char *name, int codec)
{
    const struct Kind *k = kinds;

    while (strcmp(k->name, name) != 0) {
        k++;
    }
    begin(t, x, k, codec, false, false);
    put_page(t, x, 0, false);
    PQ_TRY(open_file(t, x, 1));
    return open_leaf(t, x, 1);
}

static void end(Test *t, Reading *x)
{
    close_leaf(x);
    close_file(t, x);
}

/* Are these the rows from `row` on? */
static bool rows_are(const Reading *x, const PqVector *v, int64_t row,
                     uint32_t n)
{
    char z[80];

    for (uint32_t i = 0; i < n; i++) {
        bool null = x->nulls && is_null(row + i);

        if (pq_vector_is_valid(v, i) == null) {
            return false;
        }
        if (null) {
            continue;
        }
        if (x->k->type == PQ_INT64) {
            if (*(const int64_t *)pq_vector_at(v, 8, i) !=
                number_of(x->k, row + i)) {
                return false;
            }
        } else {
            const PqStr *s = pq_vector_at(v, sizeof *s, i);
            PqStr want = text_of(row + i, z);

            if (s->n != want.n || memcmp(s->p, want.p, s->n) != 0 ||
                s->p[s->n] != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Reads and checks n rows. */
static PqRc read_rows(Test *t, Reading *x, int64_t row, uint32_t n)
{
    PqVector v;

    PQ_TRY(pq_leaf_read(&x->r, row, n, &v, t->e));
    return rows_are(x, &v, row, n) ? PQ_OK
                                   : pq_fail(t->e, PQ_USAGE, "wrong rows");
}

#define CHECK_KIND(x, cond)                                            \
    do {                                                               \
        if (!(cond)) {                                                 \
            test_fail(t, __FILE__, __LINE__, "%s, %s: %s: %s",         \
                      pq_codec_name((x).m.codec), (x).k->name, #cond,  \
                      t->e->text);                                     \
            return;                                                    \
        }                                                              \
    } while (0)

/* ---- right rows, wherever they are --------------------------------------- */

/* Version, nulls and checksum vary, so that all combinations occur. */
TEST(page_arrival, a_row_anywhere_is_itself_for_every_codec_and_encoding)
{
    static const int64_t rows[] = {0, 1, 8191, 8192, N / 3, N / 2, N - 3};
    Reading x;
    unsigned turn = 0;

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        for (size_t j = 0; j < PQ_COUNT(kinds); j++, turn++) {
            begin(t, &x, &kinds[j], codecs[i], turn / 2 % 2, turn % 5 == 0);
            put_page(t, &x, 0, turn % 2);
            CHECK_KIND(x, open_file(t, &x, 1) == PQ_OK);
            for (size_t k = 0; k < PQ_COUNT(rows); k++) {
                CHECK_KIND(x, open_leaf(t, &x, 1) == PQ_OK);
                CHECK_KIND(x, read_rows(t, &x, rows[k], 3) == PQ_OK);
                CHECK_KIND(x, x.r.arrival.is_open ==
                                  (codecs[i] != PQ_CODEC_LZ4 &&
                                   (codecs[i] || !x.m.crc)));
                close_leaf(&x);
            }
            close_file(t, &x);
        }
    }
}

/* Random runs of rows with random gaps.  Sometimes the walk goes back. */
TEST(page_arrival, a_walk_over_pages_meets_every_row)
{
    for (size_t i = 0; i < PQ_COUNT(codecs) * PQ_COUNT(kinds); i++) {
        Reading x;
        Random r = {i + 1};
        int backs = 0;

        begin(t, &x, &kinds[i % PQ_COUNT(kinds)], codecs[i / PQ_COUNT(kinds)],
              i % 3 == 0, false);
        put_page(t, &x, 0, i % 2);
        put_page(t, &x, 1, i % 2);
        CHECK_KIND(x, open_file(t, &x, 2) == PQ_OK);
        CHECK_KIND(x, open_leaf(t, &x, 2) == PQ_OK);
        for (int64_t row = 0; row < 2 * N;) {
            int64_t n = 1 + random_below(&r, random_below(&r, 3) ? 9000 : 90);

            n = n < 2 * N - row ? n : 2 * N - row;
            CHECK_KIND(x, read_rows(t, &x, row, (uint32_t)n) == PQ_OK);
            row += n;
            if (random_below(&r, 2)) {
                row += random_below(&r, 20000);
            }
            if (row > N && backs < 2) {
                backs++;
                row = random_below(&r, N);
            }
        }
        end(t, &x);
    }
}

/* ---- no more than that --------------------------------------------------- */

/* A row at an eighth of the page: what is unpacked and read for it. */
TEST(page_arrival, little_more_than_the_rows_need_is_read_and_unpacked)
{
    enum { ROW = N / 8 };

    for (size_t i = 0; i < PQ_COUNT(codecs) * PQ_COUNT(kinds); i++) {
        const struct Kind *k = &kinds[i % PQ_COUNT(kinds)];
        int codec = codecs[i / PQ_COUNT(kinds)];
        uint64_t read, unpacked, all, packed;
        bool parts = codec != PQ_CODEC_LZ4;
        Reading x;

        if (k->encoding == PQ_ENCODING_BYTE_STREAM_SPLIT) {
            parts = false;
        }
        CHECK_OK(one_page(t, &x, k->name, codec));
        packed = (uint64_t)x.r.chunk.chunk.meta_data.total_compressed_size;
        read = x.m.in.bytes_by_kind[PQ_MODULE_DATA_PAGE];
        CHECK_KIND(x, read_rows(t, &x, ROW, 1) == PQ_OK);
        read = x.m.in.bytes_by_kind[PQ_MODULE_DATA_PAGE] - read;
        unpacked = x.ctx.bytes_unpacked;
        close_leaf(&x);
        x.ctx.bytes_unpacked = 0;
        CHECK_OK(open_leaf(t, &x, 1));
        CHECK_KIND(x, read_rows(t, &x, 0, N) == PQ_OK);
        all = x.ctx.bytes_unpacked;
        /* Prefixes and lengths are stored before all the texts. */
        CHECK_KIND(x, parts ? unpacked < all / 2 : unpacked == all);
        /* Of SNAPPY, whole blocks are read. */
        CHECK_KIND(x, !parts || codec == PQ_CODEC_LZ4_RAW || read < packed * 2 / 3);
        end(t, &x);
    }
}

TEST(page_arrival, a_page_after_one_that_was_used_up_is_taken_whole)
{
    Reading x;

    begin(t, &x, &kinds[0], PQ_CODEC_ZSTD, false, false);
    for (int page = 0; page < 3; page++) {
        put_page(t, &x, page, false);
    }
    CHECK_OK(open_file(t, &x, 3));
    CHECK_OK(open_leaf(t, &x, 3));
    CHECK_OK(read_rows(t, &x, 0, 10));
    CHECK(x.r.arrival.is_open);
    CHECK_OK(read_rows(t, &x, N - 10, 20));
    CHECK(!x.r.arrival.is_open);
    CHECK_OK(read_rows(t, &x, 2 * N + 10, 20));       /* skipped, not read */
    CHECK(x.r.arrival.is_open);
    end(t, &x);
}

TEST(page_arrival, a_reader_of_all_takes_pages_whole_where_stopping_costs)
{
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        Reading x;

        CHECK_OK(one_page(t, &x, "numbers", codecs[i]));
        x.r.reads_all = true;
        CHECK_KIND(x, read_rows(t, &x, 0, 10) == PQ_OK);
        CHECK_KIND(x, x.r.arrival.is_open ==
                          (codecs[i] == PQ_CODEC_UNCOMPRESSED ||
                           codecs[i] == PQ_CODEC_BROTLI ||
                           codecs[i] == PQ_CODEC_ZSTD));
        end(t, &x);
    }
}

/* SNAPPY pays for each step.  Where the third row is, more rows are to be expected. */
TEST(page_arrival, a_reader_that_goes_from_row_to_row_takes_the_rest_at_once)
{
    Reading x;

    CHECK_OK(one_page(t, &x, "numbers", PQ_CODEC_SNAPPY));
    CHECK_OK(read_rows(t, &x, 10, 1));
    CHECK_OK(read_rows(t, &x, 20, 1));
    CHECK(x.r.arrival.is_open && !pq_lazy_bytes_is_over(&x.r.arrival.bytes));
    CHECK_OK(read_rows(t, &x, N / 4, 1));
    CHECK(x.r.arrival.bytes.here == x.r.arrival.bytes.end);
    end(t, &x);
}

/* Blocks of SNAPPY before a row are passed over, and its own is decoded no further than to
** the row.  If they are wanted after all, the page is decoded whole. */
TEST(page_arrival, what_was_passed_over_is_there_when_it_is_wanted)
{
    enum { ROW = N / 2, BLOCK = 1 << 16 };

    for (int c = 0; c < 2; c++) {
        PqLazyBytes *a;
        uint64_t n_all;
        int64_t got;
        Reading x;

        CHECK_OK(one_page(t, &x, "numbers", c ? PQ_CODEC_SNAPPY : PQ_CODEC_ZSTD));
        a = &x.r.arrival.bytes;
        CHECK_OK(read_rows(t, &x, ROW, 1));
        n_all = x.ctx.bytes_unpacked;
        CHECK(c ? n_all > 0 && n_all <= BLOCK / 2 + 64 : n_all > ROW * 8);
        CHECK(!c == !a->gap && a->here != a->end);
        if (c) {
            CHECK(a->gap == a->begin && a->gap_end == a->begin + ROW * 8 / BLOCK * BLOCK);
        }
        CHECK_OK(pq_lazy_bytes_want(a, a->begin + ROW * 8 - 8, 16, t->e));
        CHECK(!a->gap && (!c || pq_lazy_bytes_is_over(a)));
        CHECK_INT(x.ctx.bytes_unpacked, a->here - a->begin);
        memcpy(&got, a->begin + ROW * 8 - 8, 8);
        CHECK_INT(got, number_of(x.k, ROW - 1));
        CHECK_OK(read_rows(t, &x, ROW + 1, N - ROW - 1));
        end(t, &x);
    }
}

/* ---- what can be wrong --------------------------------------------------- */

/* The last byte of the page's body. */
static uint8_t *last_byte(Reading *x)
{
    const PqPageLocation *p = &x->m.page[0][0];

    return x->m.bytes.p + p->offset + p->compressed_page_size - 1;
}

TEST(page_arrival, a_checksum_is_looked_at_before_the_first_row)
{
    static const int with[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                               PQ_CODEC_ZSTD};

    for (size_t i = 0; i < PQ_COUNT(with); i++) {
        Reading x;

        begin(t, &x, &kinds[0], with[i], false, true);
        put_page(t, &x, 0, false);
        *last_byte(&x) ^= 1;
        CHECK_OK(open_file(t, &x, 1));
        CHECK_OK(open_leaf(t, &x, 1));
        CHECK_FAILS(read_rows(t, &x, 0, 1), PQ_CORRUPT, "checksum");
        close_leaf(&x);
        x.ctx.verify_crc = false;
        CHECK_OK(open_leaf(t, &x, 1));
        CHECK_KIND(x, read_rows(t, &x, 0, 1) == PQ_OK);
        CHECK_KIND(x, x.r.arrival.is_open);
        end(t, &x);
    }
}

/* Damage after the bytes that are wanted is not noticed.  Damage within them is
** an error that names the place. */
TEST(page_arrival, damage_is_told_when_its_rows_are_wanted)
{
    static const int in[] = {PQ_CODEC_SNAPPY, PQ_CODEC_GZIP, PQ_CODEC_BROTLI,
                             PQ_CODEC_ZSTD, PQ_CODEC_LZ4_RAW};

    for (size_t i = 0; i < PQ_COUNT(in); i++) {
        Reading x;
        uint8_t *damage;

        CHECK_OK(one_page(t, &x, "texts", in[i]));
        damage = last_byte(&x);
        memset(damage - 2000, 0xff, 2001);
        CHECK_KIND(x, read_rows(t, &x, 0, 100) == PQ_OK);
        CHECK_FAILS(read_rows(t, &x, N - 1000, 1000), PQ_CORRUPT,
                    "row group 0, column v, page 0, byte 4: ");
        CHECK_FAILS(read_rows(t, &x, N - 1000, 1000), PQ_CORRUPT, "");
        end(t, &x);
    }
}

TEST(page_arrival, a_page_cut_by_the_end_of_its_stream_is_told)
{
    static const int in[] = {PQ_CODEC_BROTLI, PQ_CODEC_ZSTD};

    for (size_t i = 0; i < PQ_COUNT(in); i++) {
        PqPageHeader *h;
        Reading x;

        CHECK_OK(one_page(t, &x, "numbers", in[i]));
        CHECK_OK(read_rows(t, &x, 0, 1));
        h = &x.r.chunk.header;
        CHECK(h->compressed_page_size > 100000);
        x.r.arrival.feed.left -= 5000;       /* as if the header had said so */
        x.r.arrival.body.n -= 5000;
        CHECK_FAILS(read_rows(t, &x, N - 1, 1), PQ_CORRUPT, "damaged");
        end(t, &x);
    }
}

static bool at_once(void *arg)
{
    return true;
}

TEST(page_arrival, what_comes_can_be_stopped)
{
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        Reading x;

        CHECK_OK(one_page(t, &x, "texts", codecs[i]));
        CHECK_KIND(x, read_rows(t, &x, 0, 10) == PQ_OK);
        x.ctx.stop.asked = at_once;
        if (x.r.arrival.is_open) {
            CHECK_KIND(x, read_rows(t, &x, N - 10, 10) == PQ_STOPPED);
        }
        pq_err_clear(t->e);
        end(t, &x);
    }
}

/* A page is taken in parts only if less than half of the budget is in use.  If
** the memory that parts need is not there, the page is taken whole. */
TEST(page_arrival, where_memory_is_short_pages_are_taken_whole)
{
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        size_t limit = pq_mem_limit(t->mem);
        Reading x;

        CHECK_OK(one_page(t, &x, "numbers", codecs[i]));
        pq_mem_set_limit(t->mem, pq_mem_used(t->mem) + (3 << 20));
        CHECK_KIND(x, read_rows(t, &x, 0, 10) == PQ_OK);
        CHECK_KIND(x, read_rows(t, &x, N - 10, 10) == PQ_OK);
        close_leaf(&x);
        pq_mem_set_limit(t->mem, limit);
        close_file(t, &x);
    }
}

TEST(page_arrival, every_allocation_and_every_read_may_fail)
{
    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        bool failed = true;
        Reading x;

        begin(t, &x, &kinds[1], codecs[i], false, i % 2);
        put_page(t, &x, 0, i % 2);
        CHECK_OK(open_file(t, &x, 1));
        for (int64_t nth = 1; failed; nth++) {
            size_t used = pq_mem_used(t->mem);
            PqRc rc;

            pq_fault_set(nth);
            rc = open_leaf(t, &x, 1);
            for (int64_t row = 0; rc == PQ_OK && row < N - 10; row += N / 9) {
                rc = read_rows(t, &x, row, 10);
            }
            failed = pq_fault_count() >= nth;
            pq_fault_set(0);
            CHECK_KIND(x, failed ? rc != PQ_OK : rc == PQ_OK);
            CHECK_KIND(x, rc == PQ_OK || rc == PQ_NOMEM || rc == PQ_IO);
            pq_err_clear(t->e);
            close_leaf(&x);
            pq_read_ctx_reset(&x.ctx);
            CHECK_OK(pq_read_ctx_init(&x.ctx, t->mem, t->e));
            CHECK_KIND(x, nth == 1 || pq_mem_used(t->mem) == used);
        }
        close_file(t, &x);
    }
}
