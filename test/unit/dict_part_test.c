/*
** dict_part_test.c - a few rows of a chunk with a large dictionary, which is
** unpacked only as late as their entries; and rows that are not asked for.
*/
#include "test/unit/encoders.h"
#include "test/unit/made_chunk.h"

enum { ENTRIES = 60000, ROWS = 256, ID_BITS = 32, LENGTH = 12, LATE = 50000 };

static const int codecs[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                             PQ_CODEC_GZIP, PQ_CODEC_BROTLI, PQ_CODEC_ZSTD,
                             PQ_CODEC_LZ4_RAW, PQ_CODEC_LZ4};
static const int types[] = {PQ_INT64, PQ_BYTE_ARRAY, PQ_FIXED, PQ_INT32,
                            PQ_DOUBLE, PQ_INT96};

typedef struct Reading {
    int          type;
    bool         nulls;
    MadeFile     m;
    PqReadCtx    ctx;
    PqLeafReader r;
    size_t       dict_at;            /* of its page in the file */
    size_t       dict_end;
} Reading;

/* Row 0 has entry 5; then late and early entries take turns. */
static uint32_t entry_of(uint32_t row)
{
    return row == 0 ? 5 : row % 2 ? LATE + row : row;
}

static bool is_null(const Reading *x, uint32_t row)
{
    return x->nulls && row % 5 == 4;
}

/* The bytes of an entry, which do not compress well. */
static size_t bytes_of(const Reading *x, uint32_t entry, char *out)
{
    uint64_t v = (entry + 1) * UINT64_C(0x9e3779b97f4a7c15);
    size_t n = x->type == PQ_BYTE_ARRAY ? 8 + entry % 7 : LENGTH;

    for (size_t i = 0; i < n; i++) {
        out[i] = (char)('a' + (v >> i * 4 & 15));
    }
    return x->type == PQ_INT64 || x->type == PQ_DOUBLE ? 8
           : x->type == PQ_INT32                       ? 4
                                                       : n;
}

static void put_dictionary(Test *t, Reading *x)
{
    char z[80];
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t n = (uint32_t)bytes_of(x, i, z);

        if (x->type == PQ_BYTE_ARRAY) {
            pq_buf_add(&b, &n, 4);
        }
        pq_buf_add(&b, z, n);
    }
    x->dict_at = x->m.bytes.n;
    made_dictionary(&x->m, ENTRIES, b.p, b.n, PQ_ENCODING_PLAIN);
    x->dict_end = x->m.bytes.n;
    pq_buf_free(&b);
}

static void put_page(Test *t, Reading *x)
{
    uint64_t ids[ROWS];
    uint16_t def[ROWS];
    uint32_t n = 0;
    PqBuf b;

    for (uint32_t i = 0; i < ROWS; i++) {
        def[i] = !is_null(x, i);
        if (def[i]) {
            ids[n++] = entry_of(i);
        }
    }
    pq_buf_init(&b, t->mem, t->e);
    pq_buf_byte(&b, ID_BITS);
    put_groups(&b, ids, n, ID_BITS);
    made_page_v1(&x->m, ROWS, NULL, def, PQ_ENCODING_RLE_DICTIONARY, b.p, b.n);
    pq_buf_free(&b);
}

static void begin(Test *t, Reading *x, int type, int codec, bool nulls,
                  bool crc)
{
    PqSchemaElement el[2] = {
        made_group("root", 0, 1, -1),
        made_leaf("v", nulls ? PQ_OPTIONAL : PQ_REQUIRED, type)};

    if (type == PQ_FIXED) {
        el[1].has |= 1u << PQ_SCHEMA_TYPE_LENGTH;
        el[1].type_length = LENGTH;
    }
    memset(x, 0, sizeof *x);
    x->type = type;
    x->nulls = nulls;
    made_begin(t, &x->m, el, 2);
    x->m.codec = codec;
    x->m.crc = crc;
    made_chunk(&x->m, type, 0, nulls);
    put_dictionary(t, x);
    put_page(t, x);
}

static PqRc open_leaf(Test *t, Reading *x)
{
    PqArena *a;

    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->m.footer, 0, 0, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->m.in, &x->m.footer->schema.leaves[0],
                               0, ROWS, (PqSlice){NULL, 0}, false, t->e);
}

static PqRc open_file(Test *t, Reading *x)
{
    PQ_TRY(made_end(&x->m, ROWS));
    PQ_TRY(pq_read_ctx_init(&x->ctx, t->mem, t->e));
    return open_leaf(t, x);
}

static void close_file(Test *t, Reading *x)
{
    pq_leaf_reader_reset(&x->r);
    pq_read_ctx_reset(&x->ctx);
    pq_where_reset(t->e);
    made_free(&x->m);
}

static bool row_is(const Reading *x, const PqVector *v, uint32_t row)
{
    const void *at = pq_vector_at(v, pq_physical_width((PqPhysical)x->type), row);
    const PqStr *s = at;
    char z[80];
    size_t n = bytes_of(x, entry_of(row), z);

    if (x->type == PQ_BYTE_ARRAY || x->type == PQ_FIXED) {
        return s->n == n && memcmp(s->p, z, n) == 0 &&
               (x->type == PQ_FIXED || s->p[n] == 0);
    }
    return memcmp(at, z, n) == 0;
}

/* Is each row of bits itself, and every other one as a null? */
static bool rows_are(const Reading *x, const PqVector *v, const uint64_t *bits)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        bool there = pq_bit(bits, i) && !is_null(x, i);

        if (pq_vector_is_valid(v, i) != there || (there && !row_is(x, v, i))) {
            return false;
        }
    }
    return true;
}

static PqRc read_some(Test *t, Reading *x, const uint64_t *bits, bool few)
{
    PqVector v;

    PQ_TRY(pq_leaf_read_some(&x->r, 0, ROWS, bits, few, &v, t->e));
    if (few && v.dict) {
        return pq_fail(t->e, PQ_USAGE, "a dictionary");
    }
    return rows_are(x, &v, bits) ? PQ_OK
                                 : pq_fail(t->e, PQ_USAGE, "wrong rows");
}

static PqRc read_all(Test *t, Reading *x)
{
    static const uint64_t all[ROWS / 64] = {~(uint64_t)0, ~(uint64_t)0,
                                            ~(uint64_t)0, ~(uint64_t)0};
    PqVector v;

    PQ_TRY(pq_leaf_read(&x->r, 0, ROWS, &v, t->e));
    if (!v.dict || v.dict->n != ENTRIES) {
        return pq_fail(t->e, PQ_USAGE, "no dictionary");
    }
    return rows_are(x, &v, all) ? PQ_OK
                                : pq_fail(t->e, PQ_USAGE, "wrong rows");
}

#define CHECK_CASE(x, cond)                                            \
    do {                                                               \
        if (!(cond)) {                                                 \
            test_fail(t, __FILE__, __LINE__, "%s, %s: %s: %s",         \
                      pq_codec_name((x).m.codec),                      \
                      pq_physical_name((x).type), #cond, t->e->text);  \
            return;                                                    \
        }                                                              \
    } while (0)

static const uint64_t first[ROWS / 64] = {1};
static const uint64_t early[ROWS / 64] = {1 | 1 << 4, 0, 0, 1 << 6};
static const uint64_t late[ROWS / 64] = {1 << 1 | 1 << 3, 0, 1};

/* Some, more, some that are there already, all; every codec and type. */
TEST(dict_part, entries_are_there_when_rows_have_them)
{
    unsigned turn = 0;
    Reading x;

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        for (size_t k = 0; k < PQ_COUNT(types); k++, turn++) {
            begin(t, &x, types[k], codecs[i], turn % 2, turn % 3 == 0);
            CHECK_CASE(x, open_file(t, &x) == PQ_OK);
            CHECK_CASE(x, read_some(t, &x, first, true) == PQ_OK);
            CHECK_CASE(x, read_some(t, &x, early, true) == PQ_OK);
            CHECK_CASE(x, read_some(t, &x, late, true) == PQ_OK);
            CHECK_CASE(x, read_some(t, &x, early, true) == PQ_OK);
            CHECK_CASE(x, read_all(t, &x) == PQ_OK);
            CHECK_CASE(x, !x.r.part.arrival.is_open);
            CHECK_CASE(x, read_some(t, &x, late, true) == PQ_OK);
            CHECK_CASE(x, read_some(t, &x, late, false) == PQ_OK);
            close_file(t, &x);
        }
    }
}

TEST(dict_part, little_more_than_the_entries_need_is_unpacked)
{
    Reading x;

    for (size_t i = 0; i < PQ_COUNT(codecs); i++) {
        uint64_t unpacked;

        begin(t, &x, PQ_BYTE_ARRAY, codecs[i], false, false);
        CHECK_CASE(x, open_file(t, &x) == PQ_OK);
        CHECK_CASE(x, read_some(t, &x, first, true) == PQ_OK);
        unpacked = x.ctx.bytes_unpacked;
        CHECK_CASE(x, codecs[i] == PQ_CODEC_LZ4 || x.r.part.n == 6);
        CHECK_CASE(x, read_all(t, &x) == PQ_OK);
        CHECK_CASE(x, codecs[i] == PQ_CODEC_LZ4 ||
                          unpacked < x.ctx.bytes_unpacked / 2);
        close_file(t, &x);
    }
}

/* Who asks for the dictionary gets all of it, whatever was read before. */
TEST(dict_part, the_dictionary_is_never_seen_in_part)
{
    const PqDict *dict;
    Reading x;
    char z[80];

    begin(t, &x, PQ_BYTE_ARRAY, PQ_CODEC_ZSTD, false, false);
    CHECK_OK(open_file(t, &x));
    CHECK_OK(read_some(t, &x, first, true));
    CHECK(x.r.part.arrival.is_open);
    CHECK_OK(pq_leaf_dictionary(&x.r, &dict, t->e));
    CHECK(dict && dict->n == ENTRIES && !x.r.part.arrival.is_open);
    for (uint32_t i = 0; dict && i < ENTRIES; i++) {
        const PqStr *s = (const PqStr *)dict->values + i;

        CHECK(s->n == bytes_of(&x, i, z) && memcmp(s->p, z, s->n) == 0 &&
              s->p[s->n] == 0);
    }
    close_file(t, &x);
}

/* The same error as when the dictionary is read whole, once an entry after the
** damage is wanted. */
TEST(dict_part, damage_is_told_when_its_entries_are_wanted)
{
    static const int in[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                             PQ_CODEC_ZSTD};
    Reading x;

    for (size_t i = 0; i < PQ_COUNT(in); i++) {
        begin(t, &x, PQ_BYTE_ARRAY, in[i], false, false);
        memset(x.m.bytes.p + x.dict_at + (x.dict_end - x.dict_at) / 4 * 3,
               0xff, 2000);
        CHECK_CASE(x, open_file(t, &x) == PQ_OK);
        CHECK_FAILS(read_all(t, &x), PQ_CORRUPT, "column v");
        pq_leaf_reader_reset(&x.r);
        CHECK_OK(open_leaf(t, &x));
        CHECK_CASE(x, read_some(t, &x, first, true) == PQ_OK);
        CHECK_FAILS(read_some(t, &x, late, true), PQ_CORRUPT, "column v");
        CHECK_FAILS(read_all(t, &x), PQ_CORRUPT, "column v");
        close_file(t, &x);
    }
}

TEST(dict_part, a_checksum_is_looked_at_before_the_first_entry)
{
    static const int in[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                             PQ_CODEC_ZSTD};
    Reading x;

    for (size_t i = 0; i < PQ_COUNT(in); i++) {
        begin(t, &x, PQ_BYTE_ARRAY, in[i], false, true);
        x.m.bytes.p[x.dict_end - 1] ^= 1;
        CHECK_CASE(x, open_file(t, &x) == PQ_OK);
        CHECK_FAILS(read_some(t, &x, first, true), PQ_CORRUPT, "checksum");
        pq_leaf_reader_reset(&x.r);
        x.ctx.verify_crc = false;
        CHECK_OK(open_leaf(t, &x));
        CHECK_CASE(x, read_some(t, &x, first, true) == PQ_OK);
        close_file(t, &x);
    }
}

/* A count that the bytes cannot hold is known before any entry is read. */
TEST(dict_part, an_impossible_count_is_an_error_at_once)
{
    Reading x;
    size_t at;

    begin(t, &x, PQ_INT64, PQ_CODEC_UNCOMPRESSED, false, false);
    /* num_values is a varint of three bytes: 60,000 as zigzag is 120,000. */
    for (at = x.dict_at; at < x.dict_at + 60 &&
         memcmp(x.m.bytes.p + at, "\xc0\xa9\x07", 3) != 0; at++) {
    }
    CHECK(at < x.dict_at + 60);
    memcpy(x.m.bytes.p + at, "\xfe\xff\x7f", 3);
    CHECK_OK(open_file(t, &x));
    CHECK_FAILS(read_some(t, &x, first, true), PQ_CORRUPT,
                "a dictionary of 1048575 values");
    close_file(t, &x);
}

/* Too little memory for the window of a part: it is taken whole, or the error
** is about memory. */
TEST(dict_part, short_memory_is_an_error_of_memory)
{
    int n_ok = 0;

    for (size_t most = 1 << 16; most < 8 << 20; most += most / 3) {
        Reading x;
        PqRc rc;

        begin(t, &x, PQ_BYTE_ARRAY, PQ_CODEC_ZSTD, false, false);
        CHECK_OK(open_file(t, &x));
        pq_leaf_reader_reset(&x.r);
        pq_mem_set_limit(t->mem, pq_mem_used(t->mem) + most);
        rc = open_leaf(t, &x);
        if (rc == PQ_OK) {
            rc = read_some(t, &x, late, true);
        }
        CHECK(rc == PQ_OK || rc == PQ_BUDGET);
        n_ok += rc == PQ_OK;
        pq_err_clear(t->e);
        pq_mem_set_limit(t->mem, SIZE_MAX);
        close_file(t, &x);
    }
    CHECK(n_ok > 0);
}
