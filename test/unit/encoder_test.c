/*
** encoder_test.c - the examples of the format byte for byte, and what all
** encodings share: pairs that are not allowed, memory that runs out, pages that
** would be too large.
*/
#include "test/unit/encode_check.h"

static PqStr str(const char *z)
{
    return (PqStr){(const uint8_t *)z, (uint32_t)strlen(z)};
}

/* The page is exactly these bytes, and decodes to its values. */
static bool is_page(Test *t, PqPhysical type, uint32_t fixed_length,
                    int encoding, const void *values, uint32_t n,
                    const char *hex)
{
    PqValueShape s = {type, fixed_length, encoding, n};
    PqSlice want = test_hex(t, hex);
    PqBuf b;
    bool ok;

    pq_buf_init(&b, t->mem, t->e);
    ok = encode_is_right(t, &s, values, &b);
    if (ok && !pq_slice_equal(pq_buf_view(&b), want)) {
        test_fail(t, __FILE__, __LINE__, "%s of %s: %zu other bytes",
                  pq_encoding_name(encoding), pq_physical_name((int)type),
                  b.n);
        for (size_t i = 0; i < b.n; i++) {
            printf(" %02x", b.p[i]);
        }
        printf("\n");
        ok = false;
    }
    pq_buf_free(&b);
    return ok;
}

TEST(encoder, plain_pages_are_values_back_to_back)
{
    static const uint8_t bools[] = {1, 0, 1, 0, 1, 1, 0, 1, 1};
    static const int32_t ints[] = {1, -2};
    static const double doubles[] = {1.0};
    const PqStr texts[] = {str("hello"), str(""), str("world")};
    const PqStr fixed[] = {str("abc"), str("def")};

    CHECK(is_page(t, PQ_BOOLEAN, 0, PQ_ENCODING_PLAIN, bools, 9, "b5 01"));
    CHECK(is_page(t, PQ_INT32, 0, PQ_ENCODING_PLAIN, ints, 2,
                  "01 00 00 00 fe ff ff ff"));
    CHECK(is_page(t, PQ_DOUBLE, 0, PQ_ENCODING_PLAIN, doubles, 1,
                  "00 00 00 00 00 00 f0 3f"));
    CHECK(is_page(t, PQ_BYTE_ARRAY, 0, PQ_ENCODING_PLAIN, texts, 3,
                  "05 00 00 00 68 65 6c 6c 6f  00 00 00 00"
                  "05 00 00 00 77 6f 72 6c 64"));
    CHECK(is_page(t, PQ_FIXED, 3, PQ_ENCODING_PLAIN, fixed, 2,
                  "61 62 63 64 65 66"));
}

TEST(encoder, deltas_are_those_of_the_format)
{
    static const int32_t one[] = {1, 2, 3, 4, 5};
    static const int64_t two[] = {7, 5, 3, 1, 2, 3, 4, 5};
    static const int64_t first[] = {-1};

    CHECK(is_page(t, PQ_INT32, 0, PQ_ENCODING_DELTA_BINARY_PACKED, one, 5,
                  "80 01 04 05 02  02 00 00 00 00"));
    CHECK(is_page(t, PQ_INT64, 0, PQ_ENCODING_DELTA_BINARY_PACKED, two, 8,
                  "80 01 04 08 0e  03 02 00 00 00  c0 3f 00 00 00 00 00 00"));
    CHECK(is_page(t, PQ_INT64, 0, PQ_ENCODING_DELTA_BINARY_PACKED, first, 1,
                  "80 01 04 01 01"));
    CHECK(is_page(t, PQ_INT64, 0, PQ_ENCODING_DELTA_BINARY_PACKED, NULL, 0,
                  "80 01 04 00 00"));
}

TEST(encoder, delta_strings_are_those_of_the_format)
{
    const PqStr lengths[] = {str("Hello"), str("World"), str("Foobar"),
                             str("ABCDEF")};
    const PqStr prefixes[] = {str("axis"), str("axle"), str("babble"),
                              str("babyhood")};

    CHECK(is_page(t, PQ_BYTE_ARRAY, 0, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                  lengths, 4,
                  "80 01 04 04 0a  00 01 00 00 00  02 00 00 00"
                  "48 65 6c 6c 6f 57 6f 72 6c 64"
                  "46 6f 6f 62 61 72 41 42 43 44 45 46"));
    CHECK(is_page(t, PQ_BYTE_ARRAY, 0, PQ_ENCODING_DELTA_BYTE_ARRAY, prefixes,
                  4,
                  "80 01 04 04 00  03 03 00 00 00"
                  "44 01 00 00 00 00 00 00 00 00 00 00"
                  "80 01 04 04 08  03 03 00 00 00"
                  "70 00 00 00 00 00 00 00 00 00 00 00"
                  "61 78 69 73 6c 65 62 61 62 62 6c 65 79 68 6f 6f 64"));
}

TEST(encoder, byte_streams_are_those_of_the_format)
{
    PqSlice floats = test_hex(t, "aa bb cc dd 00 11 22 33 a3 b4 c5 d6");
    PqStr fixed[3];

    for (int i = 0; i < 3; i++) {
        fixed[i] = (PqStr){floats.p + 4 * i, 4};
    }
    CHECK(is_page(t, PQ_FLOAT, 0, PQ_ENCODING_BYTE_STREAM_SPLIT, floats.p, 3,
                  "aa 00 a3 bb 11 b4 cc 22 c5 dd 33 d6"));
    CHECK(is_page(t, PQ_FIXED, 4, PQ_ENCODING_BYTE_STREAM_SPLIT, fixed, 3,
                  "aa 00 a3 bb 11 b4 cc 22 c5 dd 33 d6"));
}

/* The encoder may choose the exponent.  The example of the format has another
** one, but exponent minus factor is 1 in both, so all other bytes are the
** same. */
TEST(encoder, alp_is_that_of_the_format_from_the_frame_on)
{
    PqSlice want = test_hex(t, "00 00 0a 04 00 00 00  04 00 00 00"
                               "04 03 01 00  07 0d 00 00 00 00 00 00  0f"
                               "91 ad c8 56 28 15 00 00"
                               "01 00  00 00 00 00 00 00 f8 7f");
    double values[] = {1500.0, 0.0, 2500.0, 333.5};
    PqValueShape s = {PQ_DOUBLE, 0, PQ_ENCODING_ALP, 4};
    PqBuf b;

    memcpy(&values[1], want.p + want.n - 8, 8);
    pq_buf_init(&b, t->mem, t->e);
    CHECK(encode_is_right(t, &s, values, &b));
    CHECK_INT(b.p[11] - b.p[12], 1);
    CHECK_BYTES(b.p, 11, want.p, 11);
    CHECK_BYTES(b.p + 13, b.n - 13, want.p + 13, want.n - 13);
    pq_buf_free(&b);
}

TEST(encoder, alp_packs_above_the_frame_as_the_format_does)
{
    static const float values[] = {1.23f, 4.56f, 7.89f, 0.12f};
    PqSlice want = test_hex(t, "0c 00 00 00  0a  6f f0 96 30 00");
    PqValueShape s = {PQ_FLOAT, 0, PQ_ENCODING_ALP, 4};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    CHECK(encode_is_right(t, &s, values, &b));
    CHECK_INT(b.p[11] - b.p[12], 2);
    CHECK_INT(b.p[13], 0);
    CHECK_BYTES(b.p + 15, b.n - 15, want.p, want.n);
    pq_buf_free(&b);
}

TEST(encoder, pages_without_values_are_read_as_such)
{
    for (int type = 0; type < PQ_PHYSICAL_COUNT; type++) {
        for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            PqValueShape s = {(PqPhysical)type, 5, encoding, 0};
            PqBuf b;

            if (!pq_encodes(encoding, s.type)) {
                continue;
            }
            pq_buf_init(&b, t->mem, t->e);
            CHECK(encode_is_right(t, &s, NULL, &b));
            pq_buf_free(&b);
        }
    }
}

TEST(encoder, pairs_the_format_does_not_know_are_refused)
{
    static const struct {
        int         type, encoding;
        const char *text;
    } bad[] = {
        {PQ_INT32, PQ_ENCODING_ALP, "encoding ALP is not allowed for INT32"},
        {PQ_INT96, PQ_ENCODING_DELTA_BINARY_PACKED, "for INT96"},
        {PQ_INT32, PQ_ENCODING_RLE, "encoding RLE is not allowed for INT32"},
        {PQ_BOOLEAN, PQ_ENCODING_BIT_PACKED, "BIT_PACKED is not allowed"},
        {PQ_INT64, PQ_ENCODING_RLE_DICTIONARY, "RLE_DICTIONARY is not"},
        {PQ_FIXED, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY, "for FIXED"},
        {PQ_BYTE_ARRAY, PQ_ENCODING_BYTE_STREAM_SPLIT, "for BYTE_ARRAY"},
        {PQ_INT32, 1, "encoding 1"},
        {PQ_INT32, 11, "encoding 11"},
        {PQ_INT32, -7, "encoding -7"},
    };
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        PqValueShape s = {(PqPhysical)bad[i].type, 4, bad[i].encoding, 1};

        CHECK(!pq_encodes(s.encoding, s.type));
        CHECK_FAILS(pq_encode(&s, "", &b, t->e), PQ_USAGE, bad[i].text);
    }
    CHECK_INT(b.n, 0);
}

TEST(encoder, what_is_written_can_be_read_pair_by_pair)
{
    int n = 0;

    for (int type = 0; type < PQ_PHYSICAL_COUNT; type++) {
        for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            PqValueShape s = {(PqPhysical)type, 4, encoding, 0};
            PqDecoder *d;

            CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
            if (!pq_encoding_is_dictionary(encoding)) {
                CHECK((pq_decoder_open(d, &s, NULL, 0, t->e) == PQ_OK) ==
                      pq_encodes(encoding, s.type));
            }
            pq_err_clear(t->e);
            pq_decoder_free(d);
            n += pq_encodes(encoding, s.type);
        }
    }
    CHECK_INT(n, 8 + 1 + 2 + 1 + 2 + 5 + 2);
}

/* Values for every pair, of more than one block and vector. */
enum { SOME = 3000 };

static union {
    uint8_t bools[SOME];
    int64_t int64[SOME];
    double  doubles[SOME];
    float   floats[SOME];
    PqStr   strings[SOME];
} some;

static void make_some(PqPhysical type)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";

    for (uint32_t i = 0; i < SOME; i++) {
        switch (type) {
        case PQ_BOOLEAN:
            some.bools[i] = i % 3 == 0 || i > 200;
            break;
        case PQ_FLOAT:
            some.floats[i] = (float)(i * 7 % 1000) / 10;
            break;
        case PQ_DOUBLE:
            some.doubles[i] = i * 7 % 1000 / 10.0;
            break;
        case PQ_BYTE_ARRAY:
        case PQ_FIXED:
            some.strings[i] = (PqStr){(const uint8_t *)text + i % 7,
                                      type == PQ_FIXED ? 30 : i % 30};
            break;
        default:
            some.int64[i] = (int64_t)i * i * 1000003;
        }
    }
}

/* Each allocation fails once.  The buffer is then as it was, and can be used
** again. */
static bool survives(Test *t, const PqValueShape *s)
{
    PqRc rc = PQ_NOMEM;

    for (int64_t nth = 1; rc != PQ_OK; nth++) {
        PqBuf b;
        bool well;

        pq_buf_init(&b, t->mem, NULL);
        well = pq_buf_resize(&b, 3, t->e) == PQ_OK;
        memcpy(b.p, "abc", 3);
        pq_fault_set(nth);
        rc = pq_encode(s, &some, &b, t->e);
        pq_fault_set(0);
        if (rc != PQ_OK) {
            well = well && rc == PQ_NOMEM && b.n == 3;
            pq_err_clear(t->e);
            well = well && encode_is_right(t, s, &some, &b);
        }
        well = well && b.n > 3 && memcmp(b.p, "abc", 3) == 0;
        pq_buf_free(&b);
        if (!well || nth > 100) {
            return false;
        }
    }
    return true;
}

TEST(encoder, an_allocation_that_fails_leaves_the_buffer_as_it_was)
{
    for (int type = 0; type < PQ_PHYSICAL_COUNT; type++) {
        make_some((PqPhysical)type);
        for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            PqValueShape s = {(PqPhysical)type, 30, encoding, SOME};

            if (pq_encodes(encoding, s.type)) {
                CHECK(survives(t, &s));
            }
        }
    }
}

TEST(encoder, ids_and_levels_survive_a_failed_allocation)
{
    static uint32_t ids[SOME];
    static uint16_t levels[SOME];
    int failed[4] = {0};

    for (uint32_t i = 0; i < SOME; i++) {
        ids[i] = i % 50;
        levels[i] = (uint16_t)(i % 2);
    }
    for (int kind = 0; kind < 4; kind++) {
        for (PqRc rc = PQ_NOMEM; rc != PQ_OK; failed[kind]++) {
            PqBuf b;

            pq_buf_init(&b, t->mem, NULL);
            pq_fault_set(failed[kind] + 1);
            rc = kind == 0   ? pq_encode_ids(ids, SOME, 50, &b, t->e)
                 : kind == 1 ? pq_encode_levels(levels, SOME, 1, PQ_LEVELS_V1,
                                                &b, t->e)
                 : kind == 2 ? pq_encode_levels(levels, SOME, 5, PQ_LEVELS_V1,
                                                &b, t->e)
                             : pq_encode_valid((const uint64_t *)(void *)ids,
                                               7, SOME, PQ_LEVELS_V2, &b,
                                               t->e);
            pq_fault_set(0);
            CHECK_INT(b.n > 0, rc == PQ_OK);
            CHECK(rc == PQ_OK || rc == PQ_NOMEM);
            pq_err_clear(t->e);
            pq_buf_free(&b);
        }
        CHECK(failed[kind] > 1);
    }
}

TEST(encoder, the_budget_is_kept)
{
    PqValueShape s = {PQ_INT64, 0, PQ_ENCODING_PLAIN, SOME};
    PqMem *small = pq_mem_new(10000);
    PqBuf b;

    make_some(PQ_INT64);
    pq_buf_init(&b, small, NULL);
    CHECK_FAILS(pq_encode(&s, &some, &b, t->e), PQ_BUDGET, "memory=10000");
    CHECK_INT(b.n, 0);
    s.encoding = PQ_ENCODING_DELTA_BINARY_PACKED;
    s.n_values = 500;
    CHECK_OK(pq_encode(&s, &some, &b, t->e));
    CHECK(pq_mem_used(small) >= b.n && pq_mem_used(small) < 10000);
    pq_buf_free(&b);
    CHECK_INT(pq_mem_used(small), 0);
    pq_mem_release(small);
}

TEST(encoder, what_no_page_can_hold_is_refused_before_it_is_made)
{
    const PqStr huge[] = {{(const uint8_t *)"", INT32_MAX},
                          {(const uint8_t *)"", INT32_MAX}};
    PqValueShape s = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_PLAIN, 2};
    PqBuf b;

    pq_buf_init(&b, t->mem, NULL);
    CHECK_FAILS(pq_encode(&s, huge, &b, t->e), PQ_USAGE,
                "more than 2147483647 bytes");
    s.encoding = PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY;
    CHECK_FAILS(pq_encode(&s, huge, &b, t->e), PQ_USAGE,
                "more than 2147483647 bytes");
    s = (PqValueShape){PQ_INT64, 0, PQ_ENCODING_PLAIN, INT32_MAX / 8 + 1};
    CHECK_FAILS(pq_encode(&s, "", &b, t->e), PQ_USAGE,
                "more than 2147483647 bytes");
    s = (PqValueShape){PQ_BOOLEAN, 0, PQ_ENCODING_PLAIN, INT32_MAX};
    CHECK_FAILS(pq_encode(&s, "", &b, t->e), PQ_USAGE,
                "2147483647 values are too many");
    CHECK_INT(b.n, 0);
    pq_buf_free(&b);
}

TEST(encoder, a_sink_that_has_failed_is_left_alone)
{
    PqValueShape s = {PQ_BOOLEAN, 0, PQ_ENCODING_PLAIN, 1};
    PqErr before, now;
    PqBuf b;

    pq_err_init(&before);
    pq_err_init(&now);
    pq_buf_init(&b, t->mem, &before);
    pq_fail(&before, PQ_IO, "the disk is full");
    CHECK(pq_encode(&s, "", &b, &now) == PQ_IO);
    CHECK(pq_encode_ids((uint32_t[]){0}, 1, 1, &b, &now) == PQ_IO);
    CHECK_INT(b.n, 0);
}
