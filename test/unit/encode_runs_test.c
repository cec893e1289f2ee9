/*
** encode_runs_test.c - ids, levels and booleans, which are written as runs.
** They decode to the same values.  Repeats are found.  No stream is more than a
** few bytes longer than its bit-packed values.
*/
#include "core/encoding/levels.h"
#include "test/unit/encode_check.h"

static uint32_t ids[ENCODE_LONGEST + 64];
static uint16_t levels[ENCODE_LONGEST + 64];

/* The runs are exactly these bytes, width included. */
static bool are_ids(Test *t, uint32_t n, uint32_t n_entries, const char *hex)
{
    PqSlice want = test_hex(t, hex);
    PqBuf b;
    bool ok;

    pq_buf_init(&b, t->mem, t->e);
    ok = pq_encode_ids(ids, n, n_entries, &b, t->e) == PQ_OK &&
         pq_slice_equal(pq_buf_view(&b), want);
    if (!ok) {
        for (size_t i = 0; i < b.n; i++) {
            printf(" %02x", b.p[i]);
        }
        printf("\n");
    }
    pq_buf_free(&b);
    return ok;
}

static void fill_ids(uint32_t from, uint32_t n, uint32_t value)
{
    for (uint32_t i = from; i < from + n; i++) {
        ids[i] = value;
    }
}

TEST(encoder, ids_are_written_as_in_the_example_of_the_format)
{
    for (uint32_t i = 0; i < 8; i++) {
        ids[i] = i;
    }
    CHECK(are_ids(t, 8, 8, "03  03 88 c6 fa"));
    fill_ids(8, 10, 5);
    CHECK(are_ids(t, 18, 8, "03  03 88 c6 fa  14 05"));
}

TEST(encoder, a_repeat_is_one_run_however_long)
{
    fill_ids(0, 70000, 300);
    CHECK(are_ids(t, 1, 301, "09  02 2c 01"));
    CHECK(are_ids(t, 7, 301, "09  0e 2c 01"));
    CHECK(are_ids(t, 8, 301, "09  10 2c 01"));
    CHECK(are_ids(t, 63, 301, "09  7e 2c 01"));
    CHECK(are_ids(t, 64, 301, "09  80 01 2c 01"));
    CHECK(are_ids(t, 70000, 301, "09  e0 c5 08 2c 01"));
    CHECK(are_ids(t, 0, 301, "09"));
}

TEST(encoder, an_id_is_as_wide_as_the_largest_and_never_nothing)
{
    fill_ids(0, 9, 0);
    CHECK(are_ids(t, 9, 0, "01  12 00"));
    CHECK(are_ids(t, 9, 1, "01  12 00"));
    CHECK(are_ids(t, 9, 2, "01  12 00"));
    CHECK(are_ids(t, 9, 3, "02  12 00"));
    CHECK(are_ids(t, 9, 256, "08  12 00"));
    CHECK(are_ids(t, 9, 257, "09  12 00 00"));
    CHECK(are_ids(t, 9, 65536, "10  12 00 00"));
    CHECK(are_ids(t, 9, UINT32_MAX, "20  12 00 00 00 00"));
}

/* Between packed runs a repeat has to save two headers and its value. */
TEST(encoder, a_repeat_that_would_not_pay_stays_packed)
{
    for (uint32_t i = 0; i < 100; i++) {
        ids[i] = i & 1;
    }
    fill_ids(8, 24, 1);
    CHECK(are_ids(t, 48, 2, "01  0d aa ff ff ff aa aa"));
    fill_ids(8, 25, 1);
    ids[33] = 0;
    CHECK(are_ids(t, 48, 2, "01  03 aa  32 01  05 54 55"));
    for (uint32_t i = 0; i < 100; i++) {
        ids[i] = i % 16;
    }
    fill_ids(8, 8, 3);
    CHECK(are_ids(t, 24, 16, "04  03 10 32 54 76  10 03  03 10 32 54 76"));
}

/* A repeat is counted from the start of a group of eight. */
TEST(encoder, the_values_before_a_repeat_fill_their_group)
{
    fill_ids(0, 40, 9);
    ids[0] = 1;
    CHECK(are_ids(t, 40, 16, "04  03 91 99 99 99  40 09"));
}

TEST(encoder, the_last_values_are_a_repeat_where_that_is_shorter)
{
    for (uint32_t i = 0; i < 8; i++) {
        ids[i] = i;
    }
    fill_ids(8, 3, 7);
    CHECK(are_ids(t, 11, 8, "03  03 88 c6 fa  06 07"));
    CHECK(are_ids(t, 11, 4096, "0c  03 00 10 00 02 30 00 04 50 00 06 70 00"
                               "06 07 00"));
    for (uint32_t i = 0; i < 8; i++) {
        ids[i] = i & 1;
    }
    fill_ids(8, 3, 1);
    CHECK(are_ids(t, 11, 2, "01  05 aa 07"));
}

/* Random values in runs of random lengths, some of one value. */
static void make_ids(Random *r, uint32_t n, unsigned width, uint32_t longest)
{
    for (uint32_t at = 0; at < n;) {
        uint32_t some = 1 + random_below(r, longest);
        uint32_t value = (uint32_t)random_bits(r, width);

        some = some < n - at ? some : n - at;
        fill_ids(at, some, value);
        at += some;
    }
}

static bool ids_come_back(Test *t, uint32_t n, unsigned width, PqBuf *b)
{
    uint32_t n_entries = width == 32 ? UINT32_MAX : (uint32_t)1 << width;
    PqValueShape s = {PQ_INT32, 0, PQ_ENCODING_RLE_DICTIONARY, n};
    uint32_t *got = malloc((n + 1) * sizeof *got);
    size_t before = b->n, most;
    PqDecoder *d = NULL;
    uint8_t *page = NULL;
    PqRc rc;

    PQ_GO(pq_encode_ids(ids, n, n_entries, b, t->e));
    page = page_copy(pq_slice(b->p + before, b->n - before));
    PQ_GO(pq_decoder_new(t->mem, &d, t->e));
    PQ_GO(pq_decoder_open(d, &s, page, b->n - before, t->e));
    PQ_GO(pq_decoder_read_ids(d, n, n_entries, got, t->e));
    most = (n ? 6 : 1) + (size_t)(n + 7) / 8 * (width ? width : 1);
    if (memcmp(got, ids, n * sizeof *got) != 0 ||
        b->n - before > most) {
        rc = PQ_CORRUPT;
    }
done:
    pq_decoder_free(d);
    free(page);
    free(got);
    return rc == PQ_OK;
}

TEST(encoder, ids_of_every_width_and_length_come_back_and_take_no_more)
{
    static const uint32_t longest[] = {1, 2, 9, 12, 30, 100, 5000};
    Random r = {21};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (unsigned width = 0; width <= 32; width++) {
        for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
            uint32_t n = encode_lengths[l];

            for (size_t i = 0; i < PQ_COUNT(longest); i++) {
                if (n == ENCODE_LONGEST && i % 3 != width % 3) {
                    continue;
                }
                make_ids(&r, n, width, longest[i]);
                if (width == 32) {       /* the largest there can be */
                    for (uint32_t j = 0; j < n; j++) {
                        ids[j] -= ids[j] == UINT32_MAX;
                    }
                }
                CHECK(ids_come_back(t, n, width, &b));
                encode_cut(&b, &r);
            }
        }
    }
    pq_buf_free(&b);
}

static bool levels_come_back(Test *t, uint32_t n, uint16_t max, PqLevelsIn in,
                             PqSlice page)
{
    uint16_t *got = malloc((n + 1) * sizeof *got);
    size_t n_bytes = page.n;
    PqLevels l;
    PqRc rc;

    rc = in == PQ_LEVELS_V1
             ? pq_levels_open_v1(&l, PQ_ENCODING_RLE, max, n, &page, NULL,
                                 t->e)
             : pq_levels_open_v2(&l, max, n, n_bytes, &page, t->e);
    if (rc == PQ_OK) {
        rc = pq_levels_read(&l, n, got, t->e);
    }
    if (rc == PQ_OK && (page.n != 0 || memcmp(got, levels, n * sizeof *got))) {
        rc = PQ_CORRUPT;
    }
    free(got);
    return rc == PQ_OK;
}

static void make_levels(Random *r, uint32_t n, uint16_t max, uint32_t longest)
{
    for (uint32_t at = 0; at < n;) {
        uint32_t some = 1 + random_below(r, longest);
        uint16_t value = (uint16_t)random_below(r, max + 1u);

        for (; some > 0 && at < n; some--) {
            levels[at++] = value;
        }
    }
}

TEST(encoder, levels_of_every_max_come_back_from_both_kinds_of_page)
{
    static const uint16_t max[] = {1, 2, 3, 4, 7, 8, 15, 100, 255, 256, 65535};
    static const uint32_t longest[] = {1, 20, 300};
    Random r = {22};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_byte(&b, 0);
    for (size_t m = 0; m < PQ_COUNT(max); m++) {
        for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
            for (size_t i = 0; i < 2 * PQ_COUNT(longest); i++) {
                uint32_t n = encode_lengths[l];
                PqLevelsIn in = i % 2 ? PQ_LEVELS_V1 : PQ_LEVELS_V2;
                size_t before;

                encode_cut(&b, &r);
                before = b.n;
                make_levels(&r, n, max[m], longest[i / 2]);
                CHECK_OK(pq_encode_levels(levels, n, max[m], in, &b, t->e));
                CHECK(levels_come_back(t, n, max[m], in,
                                       pq_slice(b.p + before, b.n - before)));
            }
        }
    }
    pq_buf_free(&b);
}

TEST(encoder, levels_that_can_only_be_zero_have_no_bytes)
{
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    CHECK_OK(pq_encode_levels(levels, 100, 0, PQ_LEVELS_V1, &b, t->e));
    CHECK_INT(b.n, 0);
    pq_buf_free(&b);
}

TEST(encoder, levels_of_one_bit_are_written_like_any_others)
{
    PqSlice want = test_hex(t, "03 00 00 00 05 ff 03");
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (int i = 0; i < 11; i++) {
        levels[i] = i < 10;
    }
    CHECK_OK(pq_encode_levels(levels, 11, 1, PQ_LEVELS_V1, &b, t->e));
    CHECK_BYTES(b.p, b.n, want.p, want.n);
    b.n = 0;
    want = test_hex(t, "14 01");
    CHECK_OK(pq_encode_levels(levels, 10, 1, PQ_LEVELS_V2, &b, t->e));
    CHECK_BYTES(b.p, b.n, want.p, want.n);
    pq_buf_free(&b);
}

/* Runs of single bits can be written in three ways.  All give the same bytes as
** the general way. */
TEST(encoder, bits_levels_booleans_and_ids_have_the_same_runs)
{
    static const uint32_t longest[] = {1, 3, 9, 24, 40, 90, 2000};
    static uint64_t valid[ENCODE_LONGEST / 64 + 2];
    static uint8_t bools[ENCODE_LONGEST];
    Random r = {23};

    for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
        for (size_t i = 0; i < 3 * PQ_COUNT(longest); i++) {
            uint32_t n = encode_lengths[l], at = random_below(&r, 64);
            PqValueShape s = {PQ_BOOLEAN, 0, PQ_ENCODING_RLE, n};
            PqBuf bits, level, id, boolean;

            make_levels(&r, n, 1, longest[i / 3]);
            memset(valid, i % 2 ? 0xff : 0, sizeof valid);
            for (uint32_t j = 0; j < n; j++) {
                uint64_t bit = (uint64_t)1 << (at + j) % 64;

                ids[j] = bools[j] = (uint8_t)levels[j];
                valid[(at + j) / 64] &= ~bit;
                valid[(at + j) / 64] |= levels[j] ? bit : 0;
            }
            pq_buf_init(&bits, t->mem, t->e);
            pq_buf_init(&level, t->mem, t->e);
            pq_buf_init(&id, t->mem, t->e);
            pq_buf_init(&boolean, t->mem, t->e);
            CHECK_OK(pq_encode_valid(valid, at, n, PQ_LEVELS_V1, &bits, t->e));
            CHECK_OK(pq_encode_levels(levels, n, 1, PQ_LEVELS_V1, &level,
                                      t->e));
            CHECK_OK(pq_encode_ids(ids, n, 2, &id, t->e));
            CHECK(encode_is_right(t, &s, bools, &boolean));
            CHECK_BYTES(bits.p, bits.n, level.p, level.n);
            CHECK_BYTES(boolean.p, boolean.n, level.p, level.n);
            CHECK_BYTES(level.p + 4, level.n - 4, id.p + 1, id.n - 1);
            CHECK_INT(pq_load_u32(level.p), level.n - 4);
            pq_buf_free(&bits);
            pq_buf_free(&level);
            pq_buf_free(&id);
            pq_buf_free(&boolean);
        }
    }
}

TEST(encoder, plain_booleans_of_every_length_come_back)
{
    static uint8_t bools[ENCODE_LONGEST];
    Random r = {24};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
        PqValueShape s = {PQ_BOOLEAN, 0, PQ_ENCODING_PLAIN, encode_lengths[l]};

        for (uint32_t i = 0; i < s.n_values; i++) {
            bools[i] = (uint8_t)random_below(&r, 2);
        }
        b.n = 0;
        CHECK(encode_is_right(t, &s, bools, &b));
        CHECK_INT(b.n, (s.n_values + 7) / 8);
    }
    pq_buf_free(&b);
}
