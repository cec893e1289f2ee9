/*
** codec_streams_test.c - streams that no encoder here would write, built by
** hand: several gzip members, the framings of LZ4, frames to be skipped.
*/
#include "test/unit/codec_check.h"

/* "hello, hello, hello, hello" as gzip -9 and as a zlib stream. */
static const char hello[] = "hello, hello, hello, hello";
static const char hello_gzip[] =
    "1f8b0800000000000203cb48cdc9c9d751c8c0a40055a382771a000000";
static const char hello_zlib[] = "78dacb48cdc9c9d751c8c0a4007c160935";

static PqSlice hello_twice(Test *t)
{
    static char twice[2 * sizeof hello - 1];

    snprintf(twice, sizeof twice, "%s%s", hello, hello);
    return pq_slice_text(twice);
}

static PqSlice hex_of(Test *t, const char *a, const char *b, const char *c)
{
    char hex[400];

    snprintf(hex, sizeof hex, "%s%s%s", a, b, c);
    return test_hex(t, hex);
}

TEST(codec_streams, gzip_members_follow_each_other)
{
    CHECK_GIVES(PQ_CODEC_GZIP, test_hex(t, hello_gzip),
                pq_slice_text(hello));
    CHECK_GIVES(PQ_CODEC_GZIP, hex_of(t, hello_gzip, hello_gzip, ""),
                hello_twice(t));
    /* an empty member between them */
    CHECK_GIVES(PQ_CODEC_GZIP,
                hex_of(t, hello_gzip,
                       "1f8b080000000000020303000000000000000000", hello_gzip),
                hello_twice(t));
}

TEST(codec_streams, gzip_takes_a_zlib_stream)
{
    CHECK_GIVES(PQ_CODEC_GZIP, test_hex(t, hello_zlib),
                pq_slice_text(hello));
    CHECK_GIVES(PQ_CODEC_GZIP, hex_of(t, hello_zlib, hello_zlib, ""),
                hello_twice(t));
}

TEST(codec_streams, gzip_takes_a_header_with_a_file_name)
{
    CHECK_GIVES(PQ_CODEC_GZIP,
                test_hex(t, "1f8b080800000000020361 2e 74 78 74 00"
                            "cb48cdc9c9d751c8c0a40055a382771a000000"),
                pq_slice_text(hello));
}

TEST(codec_streams, gzip_may_be_padded_with_zeros_and_nothing_else)
{
    CHECK_GIVES(PQ_CODEC_GZIP, hex_of(t, hello_gzip, "00", ""),
                pq_slice_text(hello));
    CHECK_GIVES(PQ_CODEC_GZIP, hex_of(t, hello_gzip, "000000000000", ""),
                pq_slice_text(hello));
    CHECK_FAILS(decode(t, PQ_CODEC_GZIP, hex_of(t, hello_gzip, "01", ""), 26),
                PQ_CORRUPT, "GZIP: the data is damaged (neither");
    CHECK_FAILS(decode(t, PQ_CODEC_GZIP,
                       hex_of(t, hello_gzip, "00", hello_gzip), 52),
                PQ_CORRUPT, "GZIP: the data is damaged (neither");
}

TEST(codec_streams, gzip_checks_the_checksum)
{
    CHECK_FAILS(decode(t, PQ_CODEC_GZIP,
                       test_hex(t, "1f8b0800000000000203"
                                   "cb48cdc9c9d751c8c0a40054a382771a000000"),
                       26),
                PQ_CORRUPT, "GZIP: the data is damaged");
}

TEST(codec_streams, gzip_of_the_wrong_size_says_so)
{
    PqSlice in = test_hex(t, hello_gzip);

    CHECK_FAILS(decode(t, PQ_CODEC_GZIP, in, 25), PQ_CORRUPT,
                "GZIP: decompresses to more than the 25 bytes announced");
    CHECK_FAILS(decode(t, PQ_CODEC_GZIP, in, 27), PQ_CORRUPT,
                "GZIP: decompresses to 26 bytes, 27 were announced");
    CHECK_FAILS(decode(t, PQ_CODEC_GZIP, in, 0), PQ_CORRUPT,
                "GZIP: decompresses to more");
}

static const char lz4_text[] = "abcdefghabcdefghabcdvwxyz";

TEST(codec_streams, lz4_raw_is_a_block)
{
    CHECK_GIVES(PQ_CODEC_LZ4_RAW, test_hex(t, LZ4_BLOCK),
                pq_slice_text(lz4_text));
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4_RAW, test_hex(t, LZ4_BLOCK), 24),
                PQ_CORRUPT, "LZ4_RAW: the data is damaged, or decompresses");
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4_RAW, test_hex(t, LZ4_BLOCK), 26),
                PQ_CORRUPT,
                "LZ4_RAW: decompresses to 25 bytes, 26 were announced");
    CHECK_GIVES(PQ_CODEC_LZ4_RAW, test_hex(t, "00"), pq_slice(NULL, 0));
}

TEST(codec_streams, lz4_raw_takes_no_framing)
{
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4_RAW,
                       test_hex(t, "00000019 00000011" LZ4_BLOCK), 25),
                PQ_CORRUPT, "LZ4_RAW");
}

TEST(codec_streams, lz4_reads_a_raw_block)
{
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, LZ4_BLOCK),
                pq_slice_text(lz4_text));
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, "00"), pq_slice(NULL, 0));
}

TEST(codec_streams, lz4_reads_hadoop_groups)
{
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, "00000019 00000011" LZ4_BLOCK),
                pq_slice_text(lz4_text));
    CHECK_GIVES(PQ_CODEC_LZ4,
                test_hex(t, "00000019 00000011" LZ4_BLOCK
                            "00000001 00000002 10 21"),
                pq_slice_text("abcdefghabcdefghabcdvwxyz!"));
}

TEST(codec_streams, lz4_reads_a_hadoop_group_of_several_blocks)
{
    CHECK_GIVES(PQ_CODEC_LZ4,
                test_hex(t, "0000001b 00000011" LZ4_BLOCK
                            "00000002 10 21  00000002 10 3f"
                            "00000001 00000002 10 2e"),
                pq_slice_text("abcdefghabcdefghabcdvwxyz!?."));
}

TEST(codec_streams, lz4_reads_hadoop_pages_of_no_bytes)
{
    PqSlice nothing = {NULL, 0};

    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, "00000000"), nothing);
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, "00000000 00000001 00"), nothing);
    CHECK_GIVES(PQ_CODEC_LZ4,
                test_hex(t, "00000000 00000001 00000002 10 21"),
                pq_slice_text("!"));
}

TEST(codec_streams, lz4_hadoop_framing_must_explain_every_byte)
{
    static const char *const wrong[] = {
        "00000019 00000011" LZ4_BLOCK "00",         /* a byte after it      */
        "00000019 00000012" LZ4_BLOCK,              /* block past the end   */
        "00000019 00000010" LZ4_BLOCK,              /* block too short      */
        "0000001a 00000011" LZ4_BLOCK,              /* group too large      */
        "00000018 00000011" LZ4_BLOCK,              /* group too small      */
        "00000019 00000000",                        /* a block of no bytes  */
        "00000019 00000000 00000011" LZ4_BLOCK,
        "00000019 00000001 00 00000011" LZ4_BLOCK,  /* an empty block       */
        "00000019 ffffffff" LZ4_BLOCK,
        "ffffffff 00000011" LZ4_BLOCK,
        "00000019", "00000019 0000",
    };

    for (size_t i = 0; i < PQ_COUNT(wrong); i++) {
        CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, wrong[i]), 25),
                    PQ_CORRUPT, "LZ4: neither Hadoop's framing");
    }
}

TEST(codec_streams, lz4_reads_frames)
{
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME),
                pq_slice_text("abcdefghabcdefghabcdvwxyz!"));
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME LZ4_FRAME),
                pq_slice_text("abcdefghabcdefghabcdvwxyz!"
                              "abcdefghabcdefghabcdvwxyz!"));
    /* skippable, of 2 bytes */
    CHECK_GIVES(PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME "502a4d18 02000000 ffff"),
                pq_slice_text("abcdefghabcdefghabcdvwxyz!"));
}

TEST(codec_streams, lz4_frames_that_are_wrong_are_errors)
{
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME), 25),
                PQ_CORRUPT, "LZ4: decompresses to more than the 25");
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME), 27),
                PQ_CORRUPT, "LZ4: decompresses to 26 bytes, 27 were announced");
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME "00"), 26),
                PQ_CORRUPT, "LZ4: the data is damaged (a frame is cut off)");
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, LZ4_FRAME "01020304 05"),
                       26),
                PQ_CORRUPT, "LZ4: the data is damaged");
    CHECK_FAILS(decode(t, PQ_CODEC_LZ4, test_hex(t, "04224d18 60 40 83"), 26),
                PQ_CORRUPT, "LZ4: the data is damaged");
    for (size_t n = 4; n < 36; n++) {
        PqSlice cut = {test_hex(t, LZ4_FRAME).p, n};

        CHECK_FAILS(decode(t, PQ_CODEC_LZ4, cut, 26), PQ_CORRUPT, "LZ4: ");
    }
}

TEST(codec_streams, zstd_frames_follow_each_other_and_some_are_skipped)
{
    enum { RUN = 128 * 1024 };
    uint8_t *want = malloc(2 * (2 + RUN));

    memset(want, 'c', 2 * (2 + RUN));
    memcpy(want, "ab", 2);
    memcpy(want + 2 + RUN, "ab", 2);
    CHECK_CODEC(PQ_CODEC_ZSTD, gives(t, PQ_CODEC_ZSTD, test_hex(t, ZSTD_FRAME),
                                     pq_slice(want, 2 + RUN)));
    CHECK_CODEC(PQ_CODEC_ZSTD,
                gives(t, PQ_CODEC_ZSTD,
                      test_hex(t, ZSTD_FRAME "5a2a4d18 03000000 010203"
                                  ZSTD_FRAME),
                      pq_slice(want, 2 * (2 + RUN))));
done:
    free(want);
}

TEST(codec_streams, zstd_reads_no_other_frames)
{
    /* the magic number of zstd 0.7 */
    CHECK_FAILS(decode(t, PQ_CODEC_ZSTD, test_hex(t, "27b52ffd 0000000000"),
                       1),
                PQ_CORRUPT, "ZSTD: the data is damaged (no frame begins here");
    CHECK_FAILS(decode(t, PQ_CODEC_ZSTD, test_hex(t, ZSTD_FRAME "00"),
                       128 * 1024 + 2),
                PQ_CORRUPT, "ZSTD: the data is damaged (no frame begins here");
}
