/*
** rle_test.c - runs and bit-packed groups of every width.
*/
#include "core/encoding/rle.h"
#include "test/unit/encoders.h"

enum { MOST = 3000 };

/* Reads and skips n values in random steps. */
static PqRc walk(PqRle *r, Random *random, const uint64_t *want, uint32_t n,
                 bool *equal, PqErr *e)
{
    uint32_t got[MOST];

    *equal = true;
    for (uint32_t at = 0; at < n;) {
        uint32_t some = random_below(random, random_below(random, 3) ? 20 : n);

        some = some < n - at ? some : n - at;
        if (random_below(random, 3) == 0) {
            PQ_TRY(pq_rle_skip(r, some, e));
        } else {
            PQ_TRY(pq_rle_read(r, pq_kernels(), some, got, e));
            for (uint32_t i = 0; i < some; i++) {
                *equal = *equal && got[i] == want[at + i];
            }
        }
        at += some;
    }
    return PQ_OK;
}

TEST(rle, the_example_of_the_format_is_read)
{
    PqSlice bytes = test_hex(t, "06 05  03 88 c6 fa");
    static const uint32_t want[] = {5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t got[11];
    PqRle r;

    pq_rle_init(&r, 3, bytes);
    CHECK_OK(pq_rle_read(&r, pq_kernels(), 11, got, t->e));
    CHECK_BYTES(got, sizeof got, want, sizeof want);
    CHECK_FAILS(pq_rle_read(&r, pq_kernels(), 1, got, t->e), PQ_CORRUPT,
                "end before");
}

TEST(rle, every_width_is_read_and_skipped_in_any_steps)
{
    Random random = {99};
    uint64_t want[MOST];

    for (unsigned width = 0; width <= 32; width++) {
        for (uint32_t round = 0; round < 30; round++) {
            uint32_t n = 1 + random_below(&random, MOST);
            uint8_t *page;
            bool equal;
            PqBuf b;
            PqRle r;

            pq_buf_init(&b, t->mem, t->e);
            put_runs(&b, &random, want, n, width);
            page = page_copy(pq_buf_view(&b));
            pq_rle_init(&r, width, pq_slice(page, b.n));
            CHECK_OK(walk(&r, &random, want, n, &equal, t->e));
            CHECK(equal);
            free(page);
            pq_buf_free(&b);
        }
    }
}

TEST(rle, a_run_of_no_values_is_passed)
{
    PqSlice bytes = test_hex(t, "00 07 01 00 07 01 04 05");
    uint32_t got[2];
    PqRle r;

    pq_rle_init(&r, 3, bytes);
    CHECK_OK(pq_rle_read(&r, pq_kernels(), 2, got, t->e));
    CHECK_INT(got[0], 5);
    CHECK_FAILS(pq_rle_skip(&r, 1, t->e), PQ_CORRUPT, "end before");
}

TEST(rle, a_packed_run_that_is_cut_off_has_its_whole_values)
{
    PqSlice bytes = test_hex(t, "05 88 c6");
    uint32_t got[8];
    PqRle r;

    pq_rle_init(&r, 3, bytes);
    CHECK_OK(pq_rle_read(&r, pq_kernels(), 5, got, t->e));
    CHECK_INT(got[4], 4);
    CHECK_FAILS(pq_rle_read(&r, pq_kernels(), 1, got, t->e), PQ_CORRUPT,
                "end before");
}

TEST(rle, a_repeat_without_its_value_is_corrupt)
{
    PqSlice bytes = test_hex(t, "06 05");
    uint32_t got[3];
    PqRle r;

    pq_rle_init(&r, 9, bytes);
    CHECK_FAILS(pq_rle_read(&r, pq_kernels(), 3, got, t->e), PQ_CORRUPT,
                "cut off");
}

TEST(rle, the_longest_counts_neither_hang_nor_overflow)
{
    static const char *const streams[] = {
        "ff ff ff ff ff ff ff ff ff 01 88 c6 fa",  /* groups, 2^63 - 1 */
        "fe ff ff ff ff ff ff ff ff 01 07",        /* repeat, 2^63 - 1 */
        "ff ff ff ff ff ff ff ff ff 7f 07",        /* no such integer  */
        "80",
    };
    static const uint32_t has[] = {8, 5000, 0, 0};
    static uint32_t got[5000];

    for (size_t i = 0; i < PQ_COUNT(streams); i++) {
        PqSlice bytes = test_hex(t, streams[i]);
        PqRle r;

        pq_rle_init(&r, 3, bytes);
        CHECK_OK(pq_rle_read(&r, pq_kernels(), has[i], got, t->e));
        if (has[i] < 5000) {
            CHECK(pq_rle_read(&r, pq_kernels(), 1, got, t->e) == PQ_CORRUPT);
            pq_err_clear(t->e);
        }
    }
}

TEST(rle, width_zero_is_zeros_without_end)
{
    uint32_t got[100];
    PqRle r;

    memset(got, 1, sizeof got);
    pq_rle_init(&r, 0, pq_slice(NULL, 0));
    CHECK_OK(pq_rle_skip(&r, UINT32_MAX, t->e));
    CHECK_OK(pq_rle_read(&r, pq_kernels(), 100, got, t->e));
    for (int i = 0; i < 100; i++) {
        CHECK_INT(got[i], 0);
    }
}

TEST(rle, any_bytes_end_somewhere)
{
    static uint32_t got[100000];
    Random random = {5};

    for (int round = 0; round < 3000; round++) {
        uint8_t noise[40], *page;
        size_t n = random_below(&random, sizeof noise);
        PqRle r;

        for (size_t i = 0; i < n; i++) {
            noise[i] = (uint8_t)random_bits(&random, random_below(&random, 9));
        }
        page = page_copy(pq_slice(noise, n));
        pq_rle_init(&r, random_below(&random, 33), pq_slice(page, n));
        if (pq_rle_read(&r, pq_kernels(), 100000, got, t->e) != PQ_OK) {
            CHECK_INT(t->e->rc, PQ_CORRUPT);
        }
        pq_err_clear(t->e);
        free(page);
    }
}
