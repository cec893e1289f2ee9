/*
** levels_test.c - levels as numbers, as bits and as counts, in both encodings.
*/
#include "core/encoding/levels.h"
#include "test/unit/encoders.h"

enum { MOST = 2000 };

/* The deprecated order: most significant bit first. */
static void put_high_bits(PqBuf *b, const uint64_t *v, size_t n,
                          unsigned width)
{
    unsigned byte = 0, n_bits = 0;

    for (size_t i = 0; i < n; i++) {
        for (unsigned bit = width; bit-- > 0;) {
            byte |= (unsigned)(v[i] >> bit & 1) << (7 - n_bits++);
            if (n_bits == 8) {
                pq_buf_byte(b, (uint8_t)byte);
                byte = n_bits = 0;
            }
        }
    }
    if (n_bits) {
        pq_buf_byte(b, (uint8_t)byte);
    }
}

/* Levels of 0 to max, in runs; v receives them. */
static void put_level_runs(PqBuf *b, Random *r, uint64_t *v, uint32_t n,
                           uint16_t max)
{
    for (uint32_t at = 0; at < n;) {
        uint32_t some = 8 * (1 + random_below(r, 40));
        uint32_t same = random_below(r, 3) ? max : random_below(r, max + 1u);
        bool repeat = random_below(r, 2);

        some = some < n - at ? some : n - at;
        for (uint32_t i = 0; i < some; i++) {
            v[at + i] = repeat ? same : random_below(r, max + 1u);
        }
        if (repeat) {
            put_repeat(b, some, same, bits_of(max));
        } else {
            put_groups(b, v + at, some, bits_of(max));
        }
        at += some;
    }
}

/* Reads n levels in one of the three ways. */
static bool step_agrees(PqLevels *l, Random *r, uint32_t n,
                        const uint64_t *want, PqErr *e)
{
    uint16_t got[MOST];
    uint64_t bits[MOST / 64 + 3];
    uint32_t n_max = 0, counted = 0, bit_at = random_below(r, 130), other;
    bool ok = true;

    for (uint32_t i = 0; i < n; i++) {
        n_max += want[i] == l->max;
    }
    switch (random_below(r, 3)) {
    case 0:
        ok = pq_levels_read(l, n, got, e) == PQ_OK;
        for (uint32_t i = 0; ok && i < n; i++) {
            ok = got[i] == want[i];
        }
        return ok;
    case 1:
        return pq_levels_skip(l, n, &counted, e) == PQ_OK && counted == n_max;
    default:
        other = random_below(r, 2);
        memset(bits, other ? 0xff : 0, sizeof bits);
        bit_at = bit_at + n > sizeof bits * 8 ? 0 : bit_at;
        ok = pq_levels_read_valid(l, n, bits, bit_at, &counted, e) == PQ_OK;
        for (uint32_t i = 0; ok && i < sizeof bits * 8; i++) {
            bool in = i >= bit_at && i < bit_at + n;
            ok = (bits[i / 64] >> i % 64 & 1) ==
                 (in ? want[i - bit_at] == l->max : other);
        }
        return ok && counted == n_max;
    }
}

static bool all_agree(PqLevels *l, Random *r, uint32_t n, const uint64_t *want,
                      PqErr *e)
{
    for (uint32_t at = 0; at < n;) {
        uint32_t some = 1 + random_below(r, random_below(r, 3) ? 30 : n);

        some = some < n - at ? some : n - at;
        if (!step_agrees(l, r, some, want + at, e)) {
            return false;
        }
        at += some;
    }
    return l->left == 0;
}

static const uint16_t maxes[] = {1, 2, 3, 4, 6, 7, 8, 15, 100, 255, 256, 1000,
                                 65535};

TEST(levels, runs_agree_however_they_are_read)
{
    Random r = {77};
    uint64_t want[MOST];

    for (size_t m = 0; m < PQ_COUNT(maxes); m++) {
        for (int round = 0; round < 40; round++) {
            uint32_t n = 1 + random_below(&r, MOST);
            PqSlice rest;
            PqLevels l;
            PqBuf b;
            uint8_t *page;

            pq_buf_init(&b, t->mem, t->e);
            put_level_runs(&b, &r, want, n, maxes[m]);
            page = page_copy(pq_buf_view(&b));
            rest = pq_slice(page, b.n);
            CHECK_OK(pq_levels_open_v2(&l, maxes[m], n, b.n, &rest, t->e));
            CHECK_INT(rest.n, 0);
            CHECK(all_agree(&l, &r, n, want, t->e));
            free(page);
            pq_buf_free(&b);
        }
    }
}

TEST(levels, the_deprecated_encoding_agrees_however_it_is_read)
{
    Random r = {78};
    uint64_t want[MOST];

    for (size_t m = 0; m < PQ_COUNT(maxes); m++) {
        for (int round = 0; round < 20; round++) {
            uint32_t n = 1 + random_below(&r, MOST);
            PqSlice rest;
            PqLevels l;
            PqBuf b;
            uint8_t *page;

            for (uint32_t i = 0; i < n; i++) {
                want[i] = random_below(&r, maxes[m] + 1u);
            }
            pq_buf_init(&b, t->mem, t->e);
            put_high_bits(&b, want, n, bits_of(maxes[m]));
            page = page_copy(pq_buf_view(&b));
            rest = pq_slice(page, b.n);
            CHECK_OK(pq_levels_open_v1(&l, PQ_ENCODING_BIT_PACKED, maxes[m], n,
                                       &rest, NULL, t->e));
            CHECK_INT(rest.n, 0);
            CHECK(all_agree(&l, &r, n, want, t->e));
            free(page);
            pq_buf_free(&b);
        }
    }
}

TEST(levels, bit_packed_reads_the_example_of_the_format)
{
    PqSlice page = test_hex(t, "05 39 77 aa");
    uint16_t got[8];
    PqLevels l;

    CHECK_OK(pq_levels_open_v1(&l, PQ_ENCODING_BIT_PACKED, 7, 8, &page, NULL,
                               t->e));
    CHECK_INT(page.n, 1);
    CHECK_OK(pq_levels_read(&l, 8, got, t->e));
    for (int i = 0; i < 8; i++) {
        CHECK_INT(got[i], i);
    }
}

TEST(levels, v1_runs_follow_their_length)
{
    PqSlice page = test_hex(t, "06 00 00 00  0a 01 03 b5 06 01  aa bb");
    uint64_t bits = 0;
    uint32_t n_set;
    PqLevels l;

    CHECK_OK(pq_levels_open_v1(&l, PQ_ENCODING_RLE, 1, 16, &page, NULL, t->e));
    CHECK_BYTES(page.p, page.n, "\xaa\xbb", 2);
    CHECK_OK(pq_levels_read_valid(&l, 16, &bits, 0, &n_set, t->e));
    CHECK_INT(bits, 0x1f | 0xb5 << 5 | 7 << 13);
    CHECK_INT(n_set, 13);
    CHECK_FAILS(pq_levels_read_valid(&l, 1, &bits, 0, &n_set, t->e),
                PQ_CORRUPT, "1 levels wanted, 0 left");
}

TEST(levels, a_schema_without_levels_has_no_bytes)
{
    PqSlice page = test_hex(t, "aa");
    uint64_t bits = 0;
    uint16_t got[3] = {9, 9, 9};
    uint32_t n;
    PqLevels l;

    CHECK_OK(pq_levels_open_v1(&l, PQ_ENCODING_RLE, 0, 30, &page, NULL, t->e));
    CHECK_INT(page.n, 1);
    CHECK_OK(pq_levels_read(&l, 3, got, t->e));
    CHECK(got[0] == 0 && got[1] == 0 && got[2] == 0);
    CHECK_OK(pq_levels_read_valid(&l, 7, &bits, 0, &n, t->e));
    CHECK(bits == 0x7f && n == 7);
    CHECK_OK(pq_levels_skip(&l, 20, &n, t->e));
    CHECK_INT(n, 20);
}

TEST(levels, a_level_above_the_schema_is_corrupt)
{
    uint16_t got[16];
    uint32_t n;
    uint64_t bits;
    PqSlice page;
    PqLevels l;

    page = test_hex(t, "10 03");
    CHECK_OK(pq_levels_open_v2(&l, 2, 8, 2, &page, t->e));
    CHECK_FAILS(pq_levels_read(&l, 8, got, t->e), PQ_CORRUPT,
                "a level of 3 where the schema has 2");
    page = test_hex(t, "03 00 c0");
    CHECK_OK(pq_levels_open_v2(&l, 2, 8, 3, &page, t->e));
    CHECK_FAILS(pq_levels_skip(&l, 8, &n, t->e), PQ_CORRUPT, "level of 3");
    page = test_hex(t, "10 02");
    CHECK_OK(pq_levels_open_v2(&l, 1, 8, 2, &page, t->e));
    CHECK_FAILS(pq_levels_read_valid(&l, 8, &bits, 0, &n, t->e), PQ_CORRUPT,
                "a level of 2 where the schema has 1");
}

TEST(levels, bytes_that_are_not_there_are_corrupt)
{
    uint16_t got[32];
    PqSlice page;
    PqLevels l;

    page = test_hex(t, "07 00 00 00 0a 01");
    CHECK_FAILS(pq_levels_open_v1(&l, PQ_ENCODING_RLE, 1, 5, &page, NULL, t->e),
                PQ_CORRUPT, "7 bytes of levels");
    page = test_hex(t, "07 00 00");
    CHECK_FAILS(pq_levels_open_v1(&l, PQ_ENCODING_RLE, 1, 5, &page, NULL, t->e),
                PQ_CORRUPT, "4 bytes wanted");
    page = test_hex(t, "07 00 00");
    CHECK_FAILS(pq_levels_open_v1(&l, PQ_ENCODING_BIT_PACKED, 3, 13, &page,
                                  NULL, t->e), PQ_CORRUPT, "13 levels of 2 bits");
    page = test_hex(t, "07");
    CHECK_FAILS(pq_levels_open_v1(&l, PQ_ENCODING_BIT_PACKED, 65535,
                                  UINT32_MAX, &page, NULL, t->e), PQ_CORRUPT,
                "4294967295 levels");
    page = test_hex(t, "07");
    CHECK_FAILS(pq_levels_open_v2(&l, 1, 5, 2, &page, t->e), PQ_CORRUPT,
                "2 bytes of levels");
    page = test_hex(t, "0a 01");
    CHECK_OK(pq_levels_open_v2(&l, 1, 32, 2, &page, t->e));
    CHECK_FAILS(pq_levels_read(&l, 32, got, t->e), PQ_CORRUPT, "end before");
}

TEST(levels, other_encodings_are_named)
{
    PqSlice page = test_hex(t, "00 00 00 00");
    PqLevels l;

    CHECK_FAILS(pq_levels_open_v1(&l, PQ_ENCODING_ALP, 1, 1, &page, NULL, t->e),
                PQ_UNSUPPORTED, "ALP (10)");
    CHECK_FAILS(pq_levels_open_v1(&l, -5, 1, 1, &page, NULL, t->e),
                PQ_UNSUPPORTED,
                "unknown (-5)");
}
