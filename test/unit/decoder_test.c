/*
** decoder_test.c - each encoding of each type: the examples of the format byte
** by byte, random pages read and skipped in random steps, and hostile pages.
**
** The memory of a page ends one byte after it.  A decoder may use that byte,
** and no more.  Each page is also read while its bytes arrive.
*/
#include "core/encoding/decoder.h"
#include "test/unit/arriving.h"
#include "test/unit/encoders.h"

enum { MOST = 3000 };

/* What a page is opened with, and what it should give. */
typedef struct Case {
    PqValueShape shape;
    PqSlice      bytes;
    const void  *want;               /* PqStr for the two string types */
    uint32_t     n;
} Case;

static bool is_string(PqPhysical type)
{
    return type == PQ_BYTE_ARRAY || type == PQ_FIXED;
}

static bool strings_equal(PqPhysical type, const PqStr *got, const PqStr *want,
                          uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (got[i].n != want[i].n ||
            (want[i].n && memcmp(got[i].p, want[i].p, want[i].n) != 0)) {
            return false;
        }
    }
    for (uint32_t i = 0; type == PQ_BYTE_ARRAY && i < n; i++) {
        if (got[i].p[got[i].n] != 0) {
            return false;
        }
    }
    return true;
}

static bool values_equal(PqPhysical type, const void *got, const void *want,
                         uint32_t from, uint32_t n)
{
    size_t width = pq_physical_width(type);
    const uint8_t *w = (const uint8_t *)want + from * width;

    return is_string(type)
               ? strings_equal(type, got, (const PqStr *)want + from, n)
               : n == 0 || memcmp(got, w, n * width) == 0;
}

/* One walk over a page.  Seed 0 reads all at once.  Seeds from ARRIVING on do
** the same while bytes arrive.  Strings of a read are checked before the
** arena's next reset. */
enum { ARRIVING = 100 };

static PqRc walk(PqDecoder *d, PqMem *mem, const Case *c, uint64_t seed,
                 bool *equal, PqErr *e)
{
    size_t width = pq_physical_width(c->shape.type);
    uint8_t *page = page_copy(c->bytes), *got = malloc(c->n * width + 1);
    Arriving a;
    Random r = {seed % ARRIVING};
    PqArena arena;
    PqRc rc;

    pq_arena_init(&arena, mem);
    *equal = true;
    if (seed < ARRIVING) {
        PQ_GO(pq_decoder_open(d, &c->shape, page, c->bytes.n, e));
    } else {
        arriving_begin(&a, page, c->bytes, seed % 3 * 7, seed % 2);
        PQ_GO(pq_decoder_open_arriving(d, &c->shape, page, c->bytes.n,
                                       &a.bytes, e));
    }
    for (uint32_t at = 0; at < c->n;) {
        uint32_t n = c->n - at, most;

        if (seed % ARRIVING) {
            most = random_below(&r, 3) ? 20 : 1000;
            most = random_below(&r, most + 1);
            n = n < most ? n : most;
        }
        if (seed % ARRIVING && random_below(&r, 3) == 0) {
            PQ_GO(pq_decoder_skip(d, n, e));
        } else {
            PQ_GO(pq_decoder_read(d, n, got, &arena, e));
            *equal = *equal &&
                     values_equal(c->shape.type, got, c->want, at, n);
        }
        pq_arena_reset(&arena);
        at += n;
    }
    rc = PQ_OK;
done:
    pq_arena_free(&arena);
    free(got);
    free(page);
    return rc;
}

/* How many bytes of the page are there after `skip` values were skipped and
** then n read. */
static size_t wanted(Test *t, const Case *c, uint32_t skip, uint32_t n)
{
    uint8_t *page = page_copy(c->bytes);
    void *got = malloc(n * pq_physical_width(c->shape.type) + 1);
    PqDecoder *d;
    PqArena arena;
    Arriving a;
    PqRc rc = pq_decoder_new(t->mem, &d, t->e);

    pq_arena_init(&arena, t->mem);
    arriving_begin(&a, page, c->bytes, 0, false);
    PQ_GO(rc);
    PQ_GO(pq_decoder_open_arriving(d, &c->shape, page, c->bytes.n, &a.bytes,
                                   t->e));
    PQ_GO(pq_decoder_skip(d, skip, t->e));
    PQ_GO(pq_encoding_is_dictionary(c->shape.encoding)
              ? pq_decoder_read_ids(d, n, UINT32_MAX, got, t->e)
              : pq_decoder_read(d, n, got, &arena, t->e));
done:
    pq_arena_free(&arena);
    pq_decoder_free(d);
    free(got);
    free(page);
    return rc == PQ_OK ? (size_t)(a.bytes.here - a.bytes.begin) : SIZE_MAX;
}

/* The page gives its values in whatever steps it is read. */
static bool agrees(Test *t, const Case *c)
{
    PqDecoder *d;
    bool equal = false;

    if (pq_decoder_new(t->mem, &d, t->e) != PQ_OK) {
        return false;
    }
    for (uint64_t seed = 0; seed < ARRIVING + 12; seed++) {
        seed = seed == 12 ? ARRIVING : seed;
        if (walk(d, t->mem, c, seed, &equal, t->e) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
            equal = false;
        }
        if (!equal) {
            break;
        }
    }
    pq_decoder_free(d);
    return equal;
}

/* The message is the same while the page arrives. */
static void read_arriving(Test *t, PqDecoder *d, const Case *c)
{
    PqErr e;
    bool equal;

    pq_err_init(&e);
    CHECK(walk(d, t->mem, c, ARRIVING, &equal, &e) == t->e->rc);
    CHECK_TEXT(e.text, t->e->text);
}

/* A page that fails, when opened or when its n values are read. */
static PqRc read_all(Test *t, const Case *c)
{
    PqDecoder *d;
    bool equal;
    PqRc rc = pq_decoder_new(t->mem, &d, t->e);

    if (rc == PQ_OK) {
        rc = walk(d, t->mem, c, 0, &equal, t->e);
        read_arriving(t, d, c);
    }
    pq_decoder_free(d);
    return rc;
}

/* Every shorter page is corrupt; padding bytes at the end may be missing. */
static bool no_prefix_does(Test *t, const Case *c, size_t padding)
{
    for (size_t n = 0; n + padding < c->bytes.n; n++) {
        Case cut = *c;

        cut.bytes.n = n;
        if (read_all(t, &cut) != PQ_CORRUPT) {
            test_fail(t, __FILE__, __LINE__, "%zu of %zu bytes suffice", n,
                      c->bytes.n);
            return false;
        }
        pq_err_clear(t->e);
    }
    return true;
}

static Case a_case(PqPhysical type, int encoding, PqSlice bytes,
                   const void *want, uint32_t n)
{
    return (Case){{type, 0, encoding, n}, bytes, want, n};
}

static PqStr str(const char *z)
{
    return (PqStr){(const uint8_t *)z, (uint32_t)strlen(z)};
}

/* Random noise of n bytes in b. */
static void put_noise(PqBuf *b, Random *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pq_buf_byte(b, (uint8_t)random_u64(r));
    }
}

/* Random strings in b, which must not grow afterwards. */
static void make_strings(Test *t, PqBuf *b, Random *r, PqStr *v, uint32_t n,
                         uint32_t longest)
{
    CHECK_OK(pq_buf_reserve(b, (size_t)n * longest + 1, t->e));
    for (uint32_t i = 0; i < n; i++) {
        v[i].n = random_below(r, longest + 1);
        v[i].p = b->p + b->n;
        put_noise(b, r, v[i].n);
    }
}

/* Names. */

TEST(decoder, names_are_those_of_the_format)
{
    CHECK_TEXT(pq_encoding_name(PQ_ENCODING_PLAIN), "PLAIN");
    CHECK(pq_encoding_name(1) == NULL);
    CHECK_TEXT(pq_encoding_name(10), "ALP");
    CHECK(pq_encoding_name(11) == NULL);
    CHECK(pq_encoding_name(-1) == NULL);
    CHECK_TEXT(pq_physical_name(PQ_FIXED), "FIXED_LEN_BYTE_ARRAY");
    CHECK(pq_physical_name(8) == NULL);
    CHECK(pq_physical_name(-1) == NULL);
    CHECK_INT(pq_physical_width(PQ_INT96), 12);
}

TEST(decoder, pairs_the_format_does_not_know_are_named)
{
    static const struct {
        int type, encoding;
        PqRc rc;
        const char *text;
    } bad[] = {
        {PQ_INT32, PQ_ENCODING_ALP, PQ_CORRUPT, "ALP is not allowed for INT32"},
        {PQ_INT96, PQ_ENCODING_DELTA_BINARY_PACKED, PQ_CORRUPT, "for INT96"},
        {PQ_INT32, PQ_ENCODING_RLE, PQ_CORRUPT, "RLE is not allowed for INT32"},
        {PQ_BOOLEAN, PQ_ENCODING_BIT_PACKED, PQ_CORRUPT, "BIT_PACKED"},
        {PQ_FIXED, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY, PQ_CORRUPT, "FIXED"},
        {PQ_BYTE_ARRAY, PQ_ENCODING_BYTE_STREAM_SPLIT, PQ_CORRUPT, "SPLIT"},
        {PQ_INT32, 1, PQ_UNSUPPORTED, "encoding 1"},
        {PQ_INT32, 11, PQ_UNSUPPORTED, "encoding 11"},
        {PQ_INT32, -7, PQ_UNSUPPORTED, "encoding -7"},
    };

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        Case c = a_case((PqPhysical)bad[i].type, bad[i].encoding,
                        test_hex(t, "00"), NULL, 0);
        CHECK_FAILS(read_all(t, &c), bad[i].rc, bad[i].text);
    }
}

TEST(decoder, every_allowed_pair_takes_a_page_without_bytes_or_values)
{
    int allowed = 0;

    for (int type = 0; type < PQ_PHYSICAL_COUNT; type++) {
        for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            PqValueShape s = {(PqPhysical)type, 7, encoding, 100};
            PqDecoder *d;

            CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
            if (pq_decoder_open(d, &s, NULL, 0, t->e) == PQ_OK) {
                allowed++;
                CHECK_OK(pq_decoder_skip(d, 0, t->e));
                CHECK(pq_decoder_skip(d, 1, t->e) == PQ_CORRUPT);
            }
            pq_err_clear(t->e);
            pq_decoder_free(d);
        }
    }
    CHECK_INT(allowed, 8 + 2 * 8 + 1 + 2 + 1 + 2 + 5 + 2);
}

/* PLAIN. */

TEST(decoder, plain_numbers_are_the_bytes_of_the_page)
{
    static const PqPhysical types[] = {PQ_INT32, PQ_INT64, PQ_INT96, PQ_FLOAT,
                                       PQ_DOUBLE};
    Random r = {3};

    for (size_t i = 0; i < PQ_COUNT(types); i++) {
        PqBuf b;
        Case c;

        pq_buf_init(&b, t->mem, t->e);
        put_noise(&b, &r, 500 * pq_physical_width(types[i]));
        c = a_case(types[i], PQ_ENCODING_PLAIN, pq_buf_view(&b), b.p, 500);
        CHECK(agrees(t, &c));
        c.n = c.shape.n_values = 3;
        c.bytes.n = 3 * pq_physical_width(types[i]);
        CHECK(no_prefix_does(t, &c, 0));
        pq_buf_free(&b);
    }
}

TEST(decoder, plain_booleans_are_bits_from_the_lowest)
{
    static const uint8_t want[] = {1, 0, 1, 0, 1, 1, 0, 1, 1};
    Case c = a_case(PQ_BOOLEAN, PQ_ENCODING_PLAIN, test_hex(t, "b5 01"), want,
                    9);
    uint8_t many[MOST], bits[MOST / 8 + 1] = {0};
    Random r = {4};

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
    for (uint32_t i = 0; i < MOST; i++) {
        many[i] = (uint8_t)random_below(&r, 2);
        bits[i / 8] = (uint8_t)(bits[i / 8] | many[i] << i % 8);
    }
    c = a_case(PQ_BOOLEAN, PQ_ENCODING_PLAIN,
               pq_slice(bits, (MOST + 7) / 8), many, MOST);
    CHECK(agrees(t, &c));
}

TEST(decoder, plain_strings_are_walked_and_ended)
{
    PqStr want[] = {str("hello"), str(""), str("world"), str(""), str("")};
    Case c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN,
                    test_hex(t, "05 00 00 00 68 65 6c 6c 6f  00 00 00 00"
                                "05 00 00 00 77 6f 72 6c 64  00 00 00 00"
                                "00 00 00 00"),
                    want, 5);
    PqStr many[MOST];
    PqBuf text, page;
    Random r = {8};

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
    pq_buf_init(&text, t->mem, t->e);
    pq_buf_init(&page, t->mem, t->e);
    make_strings(t, &text, &r, many, MOST, 30);
    for (uint32_t i = 0; i < MOST; i++) {
        pq_buf_add(&page, &many[i].n, 4);
        pq_buf_add(&page, many[i].p, many[i].n);
    }
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN, pq_buf_view(&page), many,
               MOST);
    CHECK(agrees(t, &c));
    pq_buf_free(&text);
    pq_buf_free(&page);
}

TEST(decoder, plain_strings_end_with_a_nul_in_the_byte_after_the_page)
{
    PqValueShape s = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_PLAIN, 2};
    uint8_t page[] = {2, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 'c', 0xee, 0xee};
    PqDecoder *d;
    PqStr got[2];

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    CHECK_OK(pq_decoder_open(d, &s, page, 11, t->e));
    CHECK_OK(pq_decoder_read(d, 1, &got[0], NULL, t->e));
    CHECK_INT(page[6], 0);
    CHECK_OK(pq_decoder_read(d, 1, &got[1], NULL, t->e));
    CHECK(got[0].p == page + 4 && got[1].p == page + 10);
    CHECK_TEXT((const char *)got[0].p, "ab");
    CHECK_TEXT((const char *)got[1].p, "c");
    CHECK_INT(page[12], 0xee);
    pq_decoder_free(d);
}

TEST(decoder, plain_strings_longer_than_the_page_are_corrupt)
{
    PqStr none[4] = {{NULL, 0}};
    Case c;

    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN,
               test_hex(t, "ff ff ff ff 61"), none, 1);
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT,
                "a string of 4294967295 bytes where 1 are left");
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN,
               test_hex(t, "02 00 00 00 61"), none, 1);
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "a string of 2 bytes");
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN,
               test_hex(t, "00 00 00 00 00 00 00"), none, 2);
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "a page of 7 bytes ends before");
}

static void check_plain_fixed(Test *t, uint32_t width)
{
    PqStr want[100];
    PqBuf b;
    Random r = {width};
    Case c;

    pq_buf_init(&b, t->mem, t->e);
    put_noise(&b, &r, (size_t)100 * width);
    for (uint32_t i = 0; i < 100; i++) {
        want[i] = (PqStr){width ? b.p + (size_t)i * width : NULL, width};
    }
    c = a_case(PQ_FIXED, PQ_ENCODING_PLAIN, pq_buf_view(&b), want, 100);
    c.shape.fixed_length = width;
    CHECK(agrees(t, &c));
    c.n = c.shape.n_values = 3;
    c.bytes.n = 3 * width;
    CHECK(no_prefix_does(t, &c, 0));
    pq_buf_free(&b);
}

TEST(decoder, plain_fixed_values_point_into_the_page)
{
    static const uint32_t widths[] = {0, 1, 2, 12, 16, 100};

    for (size_t i = 0; i < PQ_COUNT(widths); i++) {
        check_plain_fixed(t, widths[i]);
    }
}

/* RLE booleans. */

TEST(decoder, rle_booleans_follow_their_length)
{
    static const uint8_t want[] = {1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1};
    Case c = a_case(PQ_BOOLEAN, PQ_ENCODING_RLE,
                    test_hex(t, "04 00 00 00 0a 01 03 b5"), want, 13);
    uint8_t many[MOST];
    uint64_t bits[MOST];
    uint32_t length;
    Random r = {6};
    PqBuf b;

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
    c.bytes = test_hex(t, "05 00 00 00 0a 01 03 b5");
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "5 bytes of boolean runs");

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_add(&b, "....", 4);
    put_runs(&b, &r, bits, MOST, 1);
    length = (uint32_t)b.n - 4;
    pq_store_u32(b.p, length);
    for (uint32_t i = 0; i < MOST; i++) {
        many[i] = (uint8_t)bits[i];
    }
    c = a_case(PQ_BOOLEAN, PQ_ENCODING_RLE, pq_buf_view(&b), many, MOST);
    CHECK(agrees(t, &c));
    pq_buf_free(&b);
}

/* Dictionary ids. */

TEST(decoder, ids_are_entries_of_the_dictionary)
{
    PqValueShape s = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_RLE_DICTIONARY, 20};
    PqSlice bytes = test_hex(t, "03 03 88 c6 fa 18 02");
    uint8_t *page = page_copy(bytes);
    uint32_t ids[20];
    PqDecoder *d;

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    CHECK_OK(pq_decoder_open(d, &s, page, bytes.n, t->e));
    CHECK_OK(pq_decoder_read_ids(d, 3, 8, ids, t->e));
    CHECK(ids[0] == 0 && ids[1] == 1 && ids[2] == 2);
    CHECK_OK(pq_decoder_skip(d, 6, t->e));
    CHECK_OK(pq_decoder_read_ids(d, 11, 3, ids, t->e));
    CHECK(ids[0] == 2 && ids[10] == 2);
    CHECK_FAILS(pq_decoder_read_ids(d, 1, 3, ids, t->e), PQ_CORRUPT,
                "1 values of BYTE_ARRAY wanted, 0 left");

    s.encoding = PQ_ENCODING_PLAIN_DICTIONARY;
    CHECK_OK(pq_decoder_open(d, &s, page, bytes.n, t->e));
    CHECK_FAILS(pq_decoder_read_ids(d, 8, 7, ids, t->e), PQ_CORRUPT,
                "id 7 in a dictionary of 7 entries");
    pq_decoder_free(d);
    free(page);
}

TEST(decoder, ids_of_width_zero_are_all_the_first_entry)
{
    PqValueShape s = {PQ_INT32, 0, PQ_ENCODING_RLE_DICTIONARY, 9};
    uint8_t page[] = {0, 0xee};
    uint32_t ids[9];
    PqDecoder *d;

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    CHECK_OK(pq_decoder_open(d, &s, page, 1, t->e));
    CHECK_OK(pq_decoder_read_ids(d, 8, 1, ids, t->e));
    CHECK(ids[0] == 0 && ids[7] == 0);
    CHECK_FAILS(pq_decoder_read_ids(d, 1, 0, ids, t->e), PQ_CORRUPT,
                "id 0 in a dictionary of 0 entries");
    pq_decoder_free(d);
}

TEST(decoder, a_page_of_nulls_needs_no_ids)
{
    PqValueShape s = {PQ_INT32, 0, PQ_ENCODING_RLE_DICTIONARY, 9};
    uint32_t id;
    PqDecoder *d;

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    CHECK_OK(pq_decoder_open(d, &s, NULL, 0, t->e));
    CHECK_OK(pq_decoder_read_ids(d, 0, 0, NULL, t->e));
    CHECK_FAILS(pq_decoder_read_ids(d, 1, 1, &id, t->e), PQ_CORRUPT,
                "1 values of INT32 wanted, 0 left in 0 bytes");
    pq_decoder_free(d);
}

TEST(decoder, ids_wider_than_an_integer_are_corrupt)
{
    PqValueShape s = {PQ_INT32, 0, PQ_ENCODING_RLE_DICTIONARY, 9};
    uint8_t page[] = {33, 2, 0, 0, 0, 0, 0xee};
    uint32_t id;
    PqDecoder *d;

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    CHECK_FAILS(pq_decoder_open(d, &s, page, 6, t->e), PQ_CORRUPT,
                "33 bits wide");
    page[0] = 32;
    CHECK_OK(pq_decoder_open(d, &s, page, 6, t->e));
    CHECK_OK(pq_decoder_read_ids(d, 1, 1, &id, t->e));
    pq_decoder_free(d);
}

/* BYTE_STREAM_SPLIT. */

TEST(decoder, split_weaves_the_example_of_the_format)
{
    PqSlice want = test_hex(t, "aa bb cc dd 00 11 22 33 a3 b4 c5 d6");
    Case c = a_case(PQ_FLOAT, PQ_ENCODING_BYTE_STREAM_SPLIT,
                    test_hex(t, "aa 00 a3 bb 11 b4 cc 22 c5 dd 33 d6"),
                    want.p, 3);

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
    c.shape.n_values = 2;
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "3 values in byte streams, 2");
    c.shape.n_values = 4;
    c.bytes.n = 11;
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "4 byte streams in 11 bytes");
}

static void check_split(Test *t, PqPhysical type, uint32_t width, uint32_t n)
{
    PqBuf values, page;
    PqStr *strings = calloc(n, sizeof *strings);
    Random r = {width + n};
    Case c;

    pq_buf_init(&values, t->mem, t->e);
    pq_buf_init(&page, t->mem, t->e);
    put_noise(&values, &r, (size_t)width * n);
    for (uint32_t b = 0; b < width; b++) {
        for (uint32_t i = 0; i < n; i++) {
            pq_buf_byte(&page, values.p[i * width + b]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        strings[i] = (PqStr){width ? values.p + i * width : NULL, width};
    }
    c = a_case(type, PQ_ENCODING_BYTE_STREAM_SPLIT, pq_buf_view(&page),
               type == PQ_FIXED ? (void *)strings : (void *)values.p, n);
    c.shape.fixed_length = width;
    CHECK(agrees(t, &c));
    free(strings);
    pq_buf_free(&values);
    pq_buf_free(&page);
}

TEST(decoder, split_weaves_every_type)
{
    for (uint32_t n = 1; n < 700; n += 1 + n / 3) {
        check_split(t, PQ_INT32, 4, n);
        check_split(t, PQ_FLOAT, 4, n);
        check_split(t, PQ_INT64, 8, n);
        check_split(t, PQ_DOUBLE, 8, n);
        for (uint32_t width = 0; width < 20; width++) {
            check_split(t, PQ_FIXED, width, n);
        }
    }
}

/* DELTA_BINARY_PACKED. */

TEST(decoder, delta_reads_the_examples_of_the_format)
{
    static const int32_t one[] = {1, 2, 3, 4, 5};
    static const int64_t two[] = {7, 5, 3, 1, 2, 3, 4, 5};
    Case c;

    c = a_case(PQ_INT32, PQ_ENCODING_DELTA_BINARY_PACKED,
               test_hex(t, "08 01 05 02  02 00"), one, 5);
    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
    c = a_case(PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED,
               test_hex(t, "08 01 08 0e  03 02 c0 3f"), two, 8);
    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
}

static void check_delta(Test *t, const int64_t *v, uint32_t n, size_t block,
                        size_t minis, uint8_t filler)
{
    int32_t narrow[MOST];
    int64_t wide[MOST];
    PqBuf b;
    Case c;

    for (uint32_t i = 0; i < n; i++) {
        narrow[i] = (int32_t)(uint32_t)(uint64_t)v[i];
        wide[i] = narrow[i];
    }
    pq_buf_init(&b, t->mem, t->e);
    put_delta(&b, v, n, block, minis, 64, filler);
    c = a_case(PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED, pq_buf_view(&b), v,
               n);
    CHECK(agrees(t, &c));
    b.n = 0;
    put_delta(&b, wide, n, block, minis, 32, filler);
    c = a_case(PQ_INT32, PQ_ENCODING_DELTA_BINARY_PACKED, pq_buf_view(&b),
               narrow, n);
    CHECK(agrees(t, &c));
    b.n = 0;                         /* 33 bits are too many but harmless */
    put_delta(&b, wide, n, block, minis, 64, filler);
    c.bytes = pq_buf_view(&b);
    CHECK(agrees(t, &c));
    pq_buf_free(&b);
}

TEST(decoder, delta_reads_every_width_and_wraps)
{
    int64_t v[MOST];
    Random r = {21};

    for (unsigned width = 0; width <= 64; width++) {
        uint32_t n = 1 + random_below(&r, 1000);

        for (uint32_t i = 0; i < n; i++) {
            v[i] = (int64_t)random_bits(&r, width);
        }
        check_delta(t, v, n, 128, 4, 0);
        check_delta(t, v, n, 256, 4, 0);
        check_delta(t, v, n, 128, 1, 0xff);
        check_delta(t, v, n, 24, 3, 0x99);
        for (uint32_t i = 1; i < n; i++) {
            v[i] = (int64_t)((uint64_t)v[i - 1] + random_bits(&r, width));
        }
        check_delta(t, v, n, 128, 4, 0xff);
    }
}

TEST(decoder, delta_pages_of_any_length_end_where_they_end)
{
    int64_t v[300];

    for (uint32_t i = 0; i < 300; i++) {
        v[i] = (int64_t)i * i;
    }
    for (uint32_t n = 1; n < 300; n++) {
        check_delta(t, v, n, 128, 4, n % 2 ? 0xff : 0);
    }
}

TEST(decoder, delta_does_not_miss_the_padding_of_the_last_miniblock)
{
    static const int64_t want[] = {7, 5, 3, 1, 2};
    Case c = a_case(PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED,
                    test_hex(t, "08 01 05 0e  03 02 c0"), want, 5);

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
}

TEST(decoder, delta_headers_that_lie_are_corrupt)
{
    static const struct {
        const char *page, *text;
    } bad[] = {
        {"00 01 05 02 02 00", "blocks of 0 values in 1 miniblocks"},
        {"08 00 05 02 02 00", "blocks of 8 values in 0 miniblocks"},
        {"80 01 03 05 02 02 00 00 00", "blocks of 128 values in 3"},
        {"08 02 05 02 02 00 00", "blocks of 8 values in 2"},
        {"80 80 80 80 80 80 80 80 10 01 05 02 02 00", "blocks of 1152921504"},
        {"80 80 80 80 80 80 80 80 10 80 80 80 80 80 80 80 80 01 05 02 02 00",
         "blocks of 1152921504"},
        {"80 01 04 80 80 80 80 80 80 80 80 10 02 02 00 00 00 00",
         "1152921504606846976 delta values in a page of 5"},
        {"80 01 04 06 02 02 00 00 00 00", "6 delta values in a page of 5"},
        {"80 01 04 04 02 02 00 00 00 00", "5 values of INT64 wanted, 4 left"},
        {"08 01 05 02 02 41 00 00 00 00 00 00 00 00 00", "65 bits wide"},
        {"08 01 05 02 02 08 00 00 00", "is cut off: 4 values of 8 bits in 3"},
        {"80 01 04 05 02 02 00 00 00", "5 delta values in a page of 5, in 4"},
        {"80 01 04 05 02 80 01 00 00 00", "a delta block is cut off"},
        {"80", "cut off"},
        {"80 80 80 80 80 80 80 80 80 80 01 04 05 02", "wider than 64 bits"},
    };
    int64_t none[5] = {0};

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        Case c = a_case(PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED,
                        test_hex(t, bad[i].page), none, 5);
        CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, bad[i].text);
    }
}

TEST(decoder, delta_may_hold_fewer_values_than_the_page_has_rows)
{
    static const int32_t want[] = {1, 2, 3, 4, 5};
    Case c = a_case(PQ_INT32, PQ_ENCODING_DELTA_BINARY_PACKED,
                    test_hex(t, "08 01 05 02  02 00"), want, 5);

    c.shape.n_values = 1000;
    CHECK(agrees(t, &c));
    c.n = 6;
    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "6 values of INT32 wanted, 5");
}

/* DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. */

static void put_lengths(PqBuf *b, const PqStr *v, uint32_t n)
{
    int64_t lengths[MOST];

    for (uint32_t i = 0; i < n; i++) {
        lengths[i] = v[i].n;
    }
    put_delta(b, lengths, n, 128, 4, 32, 0xff);
    for (uint32_t i = 0; i < n; i++) {
        pq_buf_add(b, v[i].p, v[i].n);
    }
}

static void put_prefixed(PqBuf *b, const PqStr *v, uint32_t n)
{
    int64_t prefixes[MOST];
    PqStr suffixes[MOST];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;

        while (i > 0 && same < v[i].n && same < v[i - 1].n &&
               v[i].p[same] == v[i - 1].p[same]) {
            same++;
        }
        prefixes[i] = same;
        suffixes[i] = (PqStr){v[i].p + same, v[i].n - same};
    }
    put_delta(b, prefixes, n, 128, 4, 32, 0);
    put_lengths(b, suffixes, n);
}

TEST(decoder, delta_lengths_read_the_example_of_the_format)
{
    PqStr want[] = {str("Hello"), str("World"), str("Foobar"), str("ABCDEF")};
    Case c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                    test_hex(t, "08 01 04 0a  00 01 02"
                                "48656c6c6f 576f726c64 466f6f626172"
                                "414243444546"),
                    want, 4);

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
}

TEST(decoder, delta_strings_read_the_example_of_the_format)
{
    PqStr want[] = {str("axis"), str("axle"), str("babble"), str("babyhood")};
    Case c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_BYTE_ARRAY,
                    test_hex(t, "08 01 04 00  03 03 44 01 00"  /* 0 2 0 3 */
                                "08 01 04 08  03 03 70 00 00"  /* 4 2 6 5 */
                                "61786973 6c65 626162626c65 79686f6f64"),
                    want, 4);

    CHECK(agrees(t, &c));
    CHECK(no_prefix_does(t, &c, 0));
}

static void check_strings(Test *t, const PqStr *v, uint32_t n)
{
    PqBuf b;
    Case c;

    pq_buf_init(&b, t->mem, t->e);
    put_lengths(&b, v, n);
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
               pq_buf_view(&b), v, n);
    CHECK(agrees(t, &c));
    b.n = 0;
    put_prefixed(&b, v, n);
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_BYTE_ARRAY, pq_buf_view(&b), v,
               n);
    CHECK(agrees(t, &c));
    pq_buf_free(&b);
}

TEST(decoder, delta_strings_of_every_length_agree)
{
    static const uint32_t longest[] = {0, 1, 5, 15, 16, 17, 40, 700};
    PqStr v[MOST];
    Random r = {31};

    for (size_t i = 0; i < PQ_COUNT(longest); i++) {
        PqBuf text;

        pq_buf_init(&text, t->mem, t->e);
        make_strings(t, &text, &r, v, MOST, longest[i]);
        check_strings(t, v, MOST);
        for (size_t j = 0; j < text.n; j++) {
            text.p[j] &= 1;                    /* now they share prefixes */
        }
        check_strings(t, v, MOST);
        pq_buf_free(&text);
    }
}

TEST(decoder, delta_strings_serve_fixed_lengths_too)
{
    static const uint32_t widths[] = {0, 1, 2, 12, 16, 17, 33};
    PqStr v[500];
    Random r = {32};

    for (size_t w = 0; w < PQ_COUNT(widths); w++) {
        PqBuf text, b;
        Case c;

        pq_buf_init(&text, t->mem, t->e);
        pq_buf_init(&b, t->mem, t->e);
        put_noise(&text, &r, widths[w] * 500 + 1);
        for (uint32_t i = 0; i < 500; i++) {
            v[i] = (PqStr){text.p + i * widths[w], widths[w]};
            if (widths[w]) {
                text.p[i * widths[w]] &= 1;
            }
        }
        put_prefixed(&b, v, 500);
        c = a_case(PQ_FIXED, PQ_ENCODING_DELTA_BYTE_ARRAY, pq_buf_view(&b), v,
                   500);
        c.shape.fixed_length = widths[w];
        CHECK(agrees(t, &c));
        c.shape.fixed_length = widths[w] + 1;
        CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "in a column of");
        pq_buf_free(&text);
        pq_buf_free(&b);
    }
}

static void put_numbers(PqBuf *b, int64_t x, int64_t y)
{
    int64_t v[2] = {x, y};

    put_delta(b, v, 2, 8, 1, 64, 0);
}

TEST(decoder, delta_strings_that_lie_are_corrupt)
{
    static const struct {
        int64_t prefix[2], suffix[2];
        const char *text;
    } bad[] = {
        {{0, 0}, {-1, 2}, "a negative string length"},
        {{0, 0}, {2, -1}, "a negative string length"},
        {{0, 0}, {2, 3}, "5 bytes of strings where 4 are left"},
        {{0, 0}, {INT32_MAX, INT32_MAX}, "4294967294 bytes of strings"},
        {{0, -1}, {2, 2}, "a negative prefix length"},
        {{1, 0}, {2, 2}, "a prefix of 1 bytes of a value of 0"},
        {{0, 3}, {2, 2}, "a prefix of 3 bytes of a value of 2"},
        {{0, INT32_MAX}, {2, 2}, "2147483647 bytes of a value of 2"},
    };
    PqStr none[2] = {{NULL, 0}};

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        PqBuf b;
        Case c;

        pq_buf_init(&b, t->mem, t->e);
        put_numbers(&b, bad[i].prefix[0], bad[i].prefix[1]);
        put_numbers(&b, bad[i].suffix[0], bad[i].suffix[1]);
        pq_buf_add(&b, "abcd", 4);
        c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_BYTE_ARRAY,
                   pq_buf_view(&b), none, 2);
        CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, bad[i].text);
        pq_buf_free(&b);
    }
}

TEST(decoder, delta_strings_need_a_suffix_for_each_prefix)
{
    Case c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_BYTE_ARRAY,
                    test_hex(t, "08 01 02 00 00 00  08 01 01 02 61"), NULL, 2);

    CHECK_FAILS(read_all(t, &c), PQ_CORRUPT, "2 prefixes and 1 suffixes");
}

/* A long first value that all others repeat: a page of kilobytes with gigabytes
** of values. */
TEST(decoder, delta_strings_cannot_exceed_the_budget)
{
    enum { LONG = 1 << 20 };
    int64_t prefixes[MOST], suffixes[MOST];
    uint8_t *text = calloc(LONG, 1);
    PqStr got[MOST];
    PqValueShape s = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_DELTA_BYTE_ARRAY, MOST};
    PqMem *mem = pq_mem_new(16 << 20);
    PqDecoder *d;
    PqArena arena;
    PqBuf b;

    for (int i = 0; i < MOST; i++) {
        prefixes[i] = i ? LONG : 0;
        suffixes[i] = i ? 0 : LONG;
    }
    pq_buf_init(&b, t->mem, t->e);
    put_delta(&b, prefixes, MOST, 128, 4, 32, 0);
    put_delta(&b, suffixes, MOST, 128, 4, 32, 0);
    pq_buf_add(&b, text, LONG);
    pq_buf_byte(&b, 0);
    pq_arena_init(&arena, mem);
    CHECK_OK(pq_decoder_new(mem, &d, t->e));
    CHECK_OK(pq_decoder_open(d, &s, b.p, b.n - 1, t->e));
    CHECK_OK(pq_decoder_read(d, 5, got, &arena, t->e));
    CHECK_INT(got[4].n, LONG);
    CHECK(pq_decoder_read(d, 1000, got, &arena, t->e) == PQ_BUDGET);
    pq_decoder_free(d);
    pq_arena_free(&arena);
    CHECK_INT(pq_mem_used(mem), 0);
    pq_mem_release(mem);
    pq_buf_free(&b);
    free(text);
}

/* All kinds at once. */

/* ---- bytes that arrive --------------------------------------------------- */

TEST(decoder, no_byte_after_the_last_value_of_a_fixed_size_is_wanted)
{
    uint8_t bytes[80 * 100] = {0};
    Case c = a_case(PQ_INT64, PQ_ENCODING_PLAIN, pq_slice(bytes, 8000), NULL,
                    1000);

    CHECK_INT(wanted(t, &c, 0, 10), 80);
    CHECK_INT(wanted(t, &c, 300, 1), 2408);
    CHECK_INT(wanted(t, &c, 300, 0), 0);
    CHECK_INT(wanted(t, &c, 999, 1), 8000);
    c.shape = (PqValueShape){PQ_FIXED, 80, PQ_ENCODING_PLAIN, 100};
    CHECK_INT(wanted(t, &c, 1, 2), 240);
    c.shape = (PqValueShape){PQ_BOOLEAN, 0, PQ_ENCODING_PLAIN, 64000};
    CHECK_INT(wanted(t, &c, 9, 8), 3);
    c.shape = (PqValueShape){PQ_DOUBLE, 0, PQ_ENCODING_BYTE_STREAM_SPLIT,
                             1000};
    CHECK_INT(wanted(t, &c, 1, 0), 0);
    CHECK_INT(wanted(t, &c, 1, 1), 8000);      /* up to its last byte */
}

/* 1000 strings of 6 bytes: a value and the length after it. */
TEST(decoder, of_strings_only_the_length_after_them_is_wanted)
{
    PqStr v[1000];
    PqBuf b;
    Case c;

    pq_buf_init(&b, t->mem, t->e);
    for (uint32_t i = 0; i < 1000; i++) {
        v[i] = str("string");
        pq_buf_add(&b, &v[i].n, 4);
        pq_buf_add(&b, v[i].p, 6);
    }
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_PLAIN, pq_buf_view(&b), v, 1000);
    CHECK_INT(wanted(t, &c, 0, 0), 4);
    CHECK_INT(wanted(t, &c, 0, 3), 34);
    CHECK_INT(wanted(t, &c, 700, 3), 7034);
    CHECK_INT(wanted(t, &c, 700, 150), 8504);
    /* That many are not copied: all of them stay where they are. */
    CHECK_INT(wanted(t, &c, 0, 200), 10000);
    b.n = 0;
    put_lengths(&b, v, 1000);
    c = a_case(PQ_BYTE_ARRAY, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
               pq_buf_view(&b), v, 1000);
    CHECK(wanted(t, &c, 0, 0) < b.n - 6000 + 10);
    CHECK_INT(wanted(t, &c, 500, 10), b.n - 6000 + 3060);
    pq_buf_free(&b);
}

TEST(decoder, of_runs_only_those_begun_are_wanted)
{
    enum { HEADER = 10 + 4 };        /* always whole */
    uint64_t v[800] = {0};
    int64_t w[1000];
    PqBuf b;
    Case c;

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_byte(&b, 5);
    put_groups(&b, v, 800, 5);       /* 2 bytes of header */
    put_repeat(&b, 1000, 7, 5);
    put_groups(&b, v, 800, 5);
    c = a_case(PQ_INT32, PQ_ENCODING_RLE_DICTIONARY, pq_buf_view(&b), NULL,
               2600);
    CHECK_INT(wanted(t, &c, 0, 0), 1);
    CHECK_INT(wanted(t, &c, 0, 1), 1 + HEADER);
    CHECK_INT(wanted(t, &c, 400, 8), 3 + 408 * 5 / 8);
    CHECK_INT(wanted(t, &c, 1000, 700), 503 + HEADER);
    CHECK_INT(wanted(t, &c, 2599, 1), b.n);
    b.n = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        w[i] = (int64_t)i * i;
    }
    put_delta(&b, w, 1000, 128, 4, 64, 0);
    c = a_case(PQ_INT64, PQ_ENCODING_DELTA_BINARY_PACKED, pq_buf_view(&b), w,
               1000);
    CHECK(wanted(t, &c, 0, 0) == 40);
    CHECK(wanted(t, &c, 100, 100) < b.n * 3 / 10);
    CHECK(wanted(t, &c, 900, 100) == b.n);
    pq_buf_free(&b);
}

static PqRc nothing_comes(PqLazyBytes *a, size_t n, PqErr *e)
{
    return pq_fail(e, PQ_IO, "byte %zu does not come", n);
}

/* A reader must want bytes before it reads them: else this is garbage. */
TEST(decoder, what_does_not_arrive_fails_every_read)
{
    static const uint8_t page[64];
    int tried = 0;

    for (int type = 0; type < PQ_PHYSICAL_COUNT; type++) {
        for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            PqValueShape s = {(PqPhysical)type, 8, encoding, 16};
            uint8_t *bytes = page_copy(pq_slice(page, sizeof page));
            PqLazyBytes a = {bytes, bytes, bytes + sizeof page, nothing_comes};
            PqArena arena;
            uint64_t out[8];
            PqDecoder *d;
            PqRc rc;

            pq_arena_init(&arena, t->mem);
            CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
            rc = pq_decoder_open_arriving(d, &s, bytes, sizeof page, &a, t->e);
            if (rc == PQ_OK) {
                rc = pq_encoding_is_dictionary(encoding)
                         ? pq_decoder_read_ids(d, 1, 1, (uint32_t *)out, t->e)
                         : pq_decoder_read(d, 1, out, &arena, t->e);
            }
            tried += rc == PQ_IO;
            CHECK(rc != PQ_OK);
            pq_err_clear(t->e);
            pq_decoder_free(d);
            pq_arena_free(&arena);
            free(bytes);
        }
    }
    CHECK_INT(tried, 8 + 2 * 8 + 1 + 2 + 1 + 2 + 5 + 2);
}

TEST(decoder, noise_never_reads_past_its_end)
{
    static uint64_t got[2 * 600];
    Random r = {41};
    PqDecoder *d;

    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    for (int round = 0; round < 20000; round++) {
        uint8_t noise[120], *page;
        size_t n = random_below(&r, sizeof noise);
        PqValueShape s = {(PqPhysical)random_below(&r, 8),
                          random_below(&r, 20), (int)random_below(&r, 11),
                          random_below(&r, 600)};
        uint32_t some = random_below(&r, s.n_values + 1);
        PqArena arena;
        PqRc rc;

        for (size_t i = 0; i < n; i++) {
            noise[i] = (uint8_t)random_bits(&r, random_below(&r, 9));
        }
        page = page_copy(pq_slice(noise, n));
        pq_arena_init(&arena, t->mem);
        rc = pq_decoder_open(d, &s, page, n, t->e);
        if (rc == PQ_OK && pq_encoding_is_dictionary(s.encoding)) {
            rc = pq_decoder_read_ids(d, some, 50, (uint32_t *)(void *)got,
                                     t->e);
        } else if (rc == PQ_OK) {
            rc = pq_decoder_read(d, some, got, &arena, t->e);
        }
        if (rc == PQ_OK) {
            pq_decoder_skip(d, s.n_values - some, t->e);
        }
        pq_err_clear(t->e);
        pq_arena_free(&arena);
        free(page);
    }
    pq_decoder_free(d);
}
