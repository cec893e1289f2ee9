/*
** encrypted_pages_test.c - reads encrypted pages of chunks made by hand: every
** way a page can lie in a file, and what must not open.
**
** A file has one column of optional INT64, in pages of N rows.  Row i holds
** 7 i, and is null if i is a multiple of 5.
*/
#include "test/unit/made_chunk.h"

#include <stdlib.h>

enum { N = 40, ENTRIES = 64, UNIQUE = 8 };

/* ---- a file with keys ----------------------------------------------------- */

typedef struct Sealed {
    MadeFile     m;
    PqKeyRing   *ring;
    PqKeyChoice  keys;
    PqLock       footer, own;
    int          n_pages;
    uint32_t     n;                  /* rows of a page */
    bool         v2, dictionary;
    PqReadCtx    ctx;
    PqLeafReader r;
} Sealed;

static PqRc make_keys(Test *t, Sealed *x, bool ctr)
{
    static const uint8_t unique[UNIQUE] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const char kf[] = "0123456789abcdef", k1[] = "0123456789abcdef"
                                                        "0123456789abcdeg";

    PQ_TRY(pq_key_ring_new(t->mem, &x->ring, t->e));
    PQ_TRY(pq_key_ring_put(x->ring, "kf", pq_slice_text(kf), t->e));
    PQ_TRY(pq_key_ring_put(x->ring, "k1", pq_slice_text(k1), t->e));
    x->footer = (PqLock){.key = pq_key_ring_find(x->ring, pq_slice_text("kf")),
                         .ctr = ctr, .aad = pq_slice(unique, UNIQUE)};
    x->own = x->footer;
    x->own.key = pq_key_ring_find(x->ring, pq_slice_text("k1"));
    x->keys.ring = x->ring;
    return PQ_OK;
}

/* A file whose column has its own key; what is to differ is set after this. */
static PqRc begin(Test *t, Sealed *x, bool ctr)
{
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_OPTIONAL, PQ_INT64)};

    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 2);
    PQ_TRY(make_keys(t, x, ctr));
    x->m.seal.footer = &x->footer;
    x->m.seal.keys = &x->keys;
    x->m.lock = &x->own;
    x->n_pages = 3;
    x->n = N;
    return PQ_OK;
}

static int64_t value_of(int64_t row)
{
    return row * 7;
}

static bool is_null(int64_t row)
{
    return row % 5 == 0;
}

static void put_page(Test *t, Sealed *x, int page)
{
    uint16_t *def = malloc(x->n * sizeof *def);
    PqBuf values;

    pq_buf_init(&values, t->mem, t->e);
    if (x->dictionary) {             /* bit width, one bit-packed run */
        pq_buf_byte(&values, 8);
        pq_buf_varint(&values, (x->n + 7) / 8 << 1 | 1);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t row = (int64_t)page * x->n + i, v = value_of(row);

        def[i] = !is_null(row);
        if (!is_null(row) && x->dictionary) {
            pq_buf_byte(&values, (uint8_t)row);
        } else if (!is_null(row)) {
            pq_buf_add(&values, &v, sizeof v);
        }
    }
    for (uint32_t i = 0; x->dictionary && i < x->n / 5 + 8; i++) {
        pq_buf_byte(&values, 0);
    }
    (x->v2 ? made_page_v2 : made_page_v1)(
        &x->m, x->n, NULL, def,
        x->dictionary ? PQ_ENCODING_RLE_DICTIONARY : PQ_ENCODING_PLAIN,
        values.p, values.n);
    pq_buf_free(&values);
    free(def);
}

static void put_pages(Test *t, Sealed *x)
{
    int64_t entries[256];

    made_chunk(&x->m, PQ_INT64, 0, 1);
    for (int64_t i = 0; i < 256; i++) {
        entries[i] = value_of(i);
    }
    if (x->dictionary) {
        made_dictionary(&x->m, 256, entries, sizeof entries,
                        PQ_ENCODING_PLAIN);
    }
    for (int i = 0; i < x->n_pages; i++) {
        put_page(t, x, i);
    }
}

static PqRc open_column(Test *t, Sealed *x)
{
    PqArena *a;

    PQ_TRY(pq_read_ctx_init(&x->ctx, t->mem, t->e));
    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->m.footer, 0, 0, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->m.in, &x->m.footer->schema.leaves[0],
                               0, (int64_t)x->n_pages * x->n,
                               (PqSlice){NULL, 0}, false, t->e);
}

static void close_column(Sealed *x)
{
    if (x->ctx.codec) {
        pq_leaf_reader_reset(&x->r);
        pq_read_ctx_reset(&x->ctx);
    }
}

static void end(Test *t, Sealed *x)
{
    close_column(x);
    pq_where_reset(t->e);
    made_free(&x->m);
    pq_key_ring_free(x->ring);
}

static PqRc finish(Test *t, Sealed *x)
{
    PQ_TRY(made_end(&x->m, (int64_t)x->n_pages * x->n));
    return open_column(t, x);
}

/* Reads rows and compares them.  Another value is PQ_USAGE. */
static PqRc read_rows(Test *t, Sealed *x, int64_t row, uint32_t n)
{
    PqVector v;

    PQ_TRY(pq_leaf_read(&x->r, row, n, &v, t->e));
    for (uint32_t i = 0; i < n; i++) {
        bool null = is_null(row + i);

        if (pq_vector_is_valid(&v, i) == null ||
            (!null && *(const int64_t *)pq_vector_at(&v, 8, i) !=
                          value_of(row + i))) {
            return pq_fail(t->e, PQ_USAGE, "row %lld is wrong",
                           (long long)(row + i));
        }
    }
    return PQ_OK;
}

/* The last row, an earlier one, and then all of them. */
static PqRc read_all(Test *t, Sealed *x)
{
    uint32_t n = (uint32_t)x->n_pages * x->n;

    PQ_TRY(read_rows(t, x, n - 1, 1));
    PQ_TRY(read_rows(t, x, x->n + 3, 1));
    PQ_TRY(read_rows(t, x, 3, 1));
    return read_rows(t, x, 0, n);
}

/* ---- what can be read ------------------------------------------------------ */

/* One bit for each choice. */
enum {
    CTR = 1, V2 = 2, DICTIONARY = 4, CRC = 8, FOOTER_KEY = 16, SIGNED = 32,
    INDEX = 64, CLEAR_LEVELS = 128, PADDED = 256, OFFSET = 512, ALL = 1024
};

static PqRc write_and_read(Test *t, Sealed *x, int codec, int how)
{
    PQ_TRY(begin(t, x, how & CTR));
    x->v2 = how & V2;
    x->dictionary = how & DICTIONARY;
    x->m.codec = codec;
    x->m.crc = how & CRC;
    x->m.lock = how & FOOTER_KEY ? &x->footer : &x->own;
    x->m.seal.is_signed = how & SIGNED;
    x->m.seal.clear_levels = how & CLEAR_LEVELS;
    x->m.seal.padded = how & PADDED;
    put_pages(t, x);
    if (how & INDEX) {
        made_offset_index(&x->m, 0);
    }
    if (how & DICTIONARY && how & OFFSET) {
        PqColumnMetaData *m = &x->m.chunk[0].meta_data;

        m->has |= 1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET;
        m->dictionary_page_offset = m->data_page_offset;
        m->data_page_offset = x->m.page[0][0].offset;
    }
    PQ_TRY(finish(t, x));
    return read_all(t, x);
}

TEST(encrypted_pages, all_ways_to_write_a_page_are_read)
{
    static const int codecs[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                                 PQ_CODEC_ZSTD};

    for (size_t c = 0; c < PQ_COUNT(codecs); c++) {
        for (int how = 0; how < ALL; how++) {
            Sealed x;
            PqRc rc = write_and_read(t, &x, codecs[c], how);

            end(t, &x);
            if (rc != PQ_OK) {
                test_fail(t, __FILE__, __LINE__, "codec %d, %d: %s",
                          codecs[c], how, t->e->text);
                return;
            }
        }
    }
}

TEST(encrypted, a_struct_may_be_followed_by_more_bytes)
{
    Sealed x;
    PqRc rc = write_and_read(t, &x, PQ_CODEC_SNAPPY, PADDED | INDEX);
    uint32_t n = x.r.chunk.index.page_locations.n;

    end(t, &x);
    CHECK_OK(rc);
    CHECK_INT(n, 3);
}

TEST(encrypted, levels_in_the_clear_before_sealed_values)
{
    uint8_t *header;
    Sealed x;
    PqRc rc = write_and_read(t, &x, PQ_CODEC_SNAPPY, V2 | CLEAR_LEVELS);

    end(t, &x);
    CHECK_OK(rc);
    rc = begin(t, &x, false);        /* the checksum is of them, too */
    x.v2 = x.m.crc = x.m.seal.clear_levels = true;
    put_pages(t, &x);
    header = x.m.bytes.p + x.m.page[0][0].offset;
    header[4 + pq_load_u32(header) + 2] ^= 1;
    rc = rc == PQ_OK ? finish(t, &x) : rc;
    rc = rc == PQ_OK ? read_rows(t, &x, 0, N) : rc;
    end(t, &x);
    CHECK_FAILS(rc, PQ_CORRUPT, "checksum");
}

/* ---- a large page ----------------------------------------------------------- */

TEST(encrypted_pages, a_large_page_is_unpacked_as_far_as_it_is_wanted)
{
    static const int codecs[] = {PQ_CODEC_SNAPPY, PQ_CODEC_GZIP,
                                 PQ_CODEC_BROTLI, PQ_CODEC_ZSTD,
                                 PQ_CODEC_LZ4_RAW, PQ_CODEC_UNCOMPRESSED};

    for (size_t c = 0; c < PQ_COUNT(codecs); c++) {
        uint64_t unpacked = 0;
        Sealed x;
        PqRc rc = begin(t, &x, c % 2);

        x.n = 200000;
        x.n_pages = 2;
        x.v2 = c % 3 == 0;
        x.m.codec = codecs[c];
        put_pages(t, &x);
        rc = rc == PQ_OK ? finish(t, &x) : rc;
        rc = rc == PQ_OK ? read_rows(t, &x, 1000, 3) : rc;
        unpacked = x.ctx.bytes_unpacked;
        rc = rc == PQ_OK ? read_rows(t, &x, 150000, 3) : rc;
        rc = rc == PQ_OK ? read_rows(t, &x, 5, 100000) : rc;
        rc = rc == PQ_OK ? read_rows(t, &x, 199990, 2000) : rc;
        end(t, &x);
        if (rc != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "codec %d: %s", codecs[c],
                      t->e->text);
            return;
        }
        CHECK((unpacked < x.n * 8 / 2) ==
              (codecs[c] != PQ_CODEC_UNCOMPRESSED));
    }
}

/* ---- what must not open ------------------------------------------------------ */

/* Reads the file as it is now, with one byte changed. */
static PqRc read_changed(Test *t, Sealed *x)
{
    PqRc rc;

    pq_source_close(x->m.source);
    x->m.source = NULL;
    PQ_TRY(pq_source_open_memory(t->mem, "made.parquet",
                                 pq_buf_view(&x->m.bytes), &x->m.source,
                                 t->e));
    x->m.in.source = x->m.source;
    rc = pq_footer_read(&x->m.in, &x->keys, t->mem, &x->m.footer, t->e);
    rc = rc == PQ_OK ? open_column(t, x) : rc;
    rc = rc == PQ_OK ? read_all(t, x) : rc;
    close_column(x);
    memset(&x->ctx, 0, sizeof x->ctx);
    pq_footer_release(x->m.footer);
    x->m.footer = NULL;
    pq_where_reset(t->e);
    return rc;
}

/* Changes every byte.  Counts how often nothing failed; *wrong: how often a
** value differed. */
static PqRc change_each(Test *t, Sealed *x, uint32_t *n_fine, uint32_t *n_wrong)
{
    *n_fine = *n_wrong = 0;
    for (size_t i = 0; i < x->m.bytes.n; i++) {
        static const uint8_t bits[] = {1, 0x80, 0xff};
        PqRc rc;

        x->m.bytes.p[i] ^= bits[i % PQ_COUNT(bits)];
        rc = read_changed(t, x);
        x->m.bytes.p[i] ^= bits[i % PQ_COUNT(bits)];
        *n_fine += rc == PQ_OK;
        *n_wrong += rc == PQ_USAGE;
        if (rc != PQ_OK && rc != PQ_USAGE && rc != PQ_CORRUPT &&
            rc != PQ_UNSUPPORTED) {
            return rc;
        }
        pq_err_clear(t->e);
    }
    return PQ_OK;
}

TEST(encrypted_pages, no_changed_byte_gives_another_value)
{
    for (int how = 0; how < 16; how++) {
        uint32_t n_fine = 0, n_wrong = 0, size;
        Sealed x;
        PqRc rc = begin(t, &x, false);

        x.dictionary = how & 1;
        x.v2 = how & 2;
        x.m.seal.is_signed = how & 4;
        x.m.codec = how & 8 ? PQ_CODEC_ZSTD : PQ_CODEC_UNCOMPRESSED;
        x.keys.footer_key = "kf";
        put_pages(t, &x);
        made_offset_index(&x.m, 0);
        rc = rc == PQ_OK ? finish(t, &x) : rc;
        rc = rc == PQ_OK ? read_all(t, &x) : rc;
        close_column(&x);
        memset(&x.ctx, 0, sizeof x.ctx);
        pq_footer_release(x.m.footer);
        x.m.footer = NULL;
        rc = rc == PQ_OK ? change_each(t, &x, &n_fine, &n_wrong) : rc;
        size = (uint32_t)x.m.bytes.n;
        end(t, &x);
        CHECK_OK(rc);
        CHECK_INT(n_wrong, 0);
        /* The magic in front, and an index that does not open. */
        CHECK(n_fine >= 4 && n_fine < size / 4);
    }
}

/* A dictionary without an offset is tried as a data page first.  Where a fault
** comes after that, it must not be taken for damage. */
TEST(encrypted_pages, no_fault_looks_like_damage)
{
    for (int how = 0; how < 4; how++) {
        bool through = false;

        for (int64_t i = 1; !through; i++) {
            Sealed x;
            PqRc rc = begin(t, &x, how & 1);

            x.dictionary = true;
            x.v2 = how & 2;
            put_pages(t, &x);
            rc = rc == PQ_OK ? finish(t, &x) : rc;
            CHECK_OK(rc);
            pq_fault_set(i);
            rc = read_all(t, &x);
            through = pq_fault_count() < i;
            pq_fault_set(0);
            end(t, &x);
            CHECK(rc == PQ_OK || (!through && (rc == PQ_NOMEM || rc == PQ_IO)));
            pq_err_clear(t->e);
        }
    }
}

static void swap_pages(Sealed *x, int a, int b)
{
    const PqPageLocation *p = x->m.page[0];
    uint8_t *pa = x->m.bytes.p + p[a].offset, *pb = x->m.bytes.p + p[b].offset;

    for (int32_t i = 0; i < p[a].compressed_page_size; i++) {
        uint8_t c = pa[i];

        pa[i] = pb[i];
        pb[i] = c;
    }
}

TEST(encrypted_pages, pages_that_changed_places_do_not_open)
{
    Sealed x;
    PqRc rc = begin(t, &x, false);

    put_pages(t, &x);
    swap_pages(&x, 1, 2);
    rc = rc == PQ_OK ? finish(t, &x) : rc;
    rc = rc == PQ_OK ? read_all(t, &x) : rc;
    end(t, &x);
    CHECK_FAILS(rc, PQ_CORRUPT, "made.parquet, row group 0, column v, page 1");
    rc = begin(t, &x, true);         /* the headers are authenticated */
    put_pages(t, &x);
    swap_pages(&x, 0, 2);
    rc = rc == PQ_OK ? finish(t, &x) : rc;
    rc = rc == PQ_OK ? read_all(t, &x) : rc;
    end(t, &x);
    CHECK_FAILS(rc, PQ_CORRUPT, "data page header does not authenticate");
}

TEST(encrypted_pages, a_header_is_of_the_kind_that_was_authenticated)
{
    Sealed x;
    PqRc rc = begin(t, &x, false);

    x.dictionary = true;
    x.m.seal.swaps_headers = true;
    put_pages(t, &x);
    rc = rc == PQ_OK ? finish(t, &x) : rc;
    rc = rc == PQ_OK ? read_all(t, &x) : rc;
    end(t, &x);
    CHECK_FAILS(rc, PQ_CORRUPT, "a page header of type 2, sealed as a data "
                                "page header");
}

TEST(encrypted_pages, damage_under_ctr_is_found_by_a_checksum)
{
    Sealed x;
    PqRc rc = begin(t, &x, true);

    x.m.crc = true;
    put_pages(t, &x);
    x.m.bytes.p[x.m.bytes.n - 9] ^= 1;
    rc = rc == PQ_OK ? finish(t, &x) : rc;
    rc = rc == PQ_OK ? read_all(t, &x) : rc;
    end(t, &x);
    CHECK_FAILS(rc, PQ_CORRUPT, "checksum");
}
