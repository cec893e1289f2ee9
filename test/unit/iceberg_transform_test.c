/*
** iceberg_transform_test.c - values of partition fields: those of the specification, and
** others worked out by hand.
*/
#include "core/base/bytes.h"
#include "core/lake/iceberg_transform.h"
#include "core/text/time_parse.h"
#include "test/unit/test.h"

static const PqType int32 = {.physical = PQ_INT32}, int64 = {.physical = PQ_INT64},
                    text = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING},
                    binary = {.physical = PQ_BYTE_ARRAY},
                    uuid = {.physical = PQ_FIXED, .logical = PQ_TYPE_UUID, .fixed_length = 16},
                    wide = {.physical = PQ_FIXED, .logical = PQ_TYPE_DECIMAL, .fixed_length = 9},
                    narrow = {.physical = PQ_INT32, .logical = PQ_TYPE_DECIMAL},
                    date = {.physical = PQ_INT32, .logical = PQ_TYPE_DATE},
                    daytime = {.physical = PQ_INT64, .logical = PQ_TYPE_TIME, .unit = PQ_MICROS},
                    micros = {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,
                              .unit = PQ_MICROS},
                    nanos = {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,
                             .unit = PQ_NANOS};

static PqIcebergValue bytes(const char *transform, const PqType *type, PqSlice v)
{
    PqLakeBy by = {.type = *type};

    return pq_iceberg_transform_find(pq_slice_text(transform), &by)
               ? pq_iceberg_transform(&by, v) : (PqIcebergValue){.i = INT64_MIN};
}

static int64_t number(const char *transform, const PqType *type, int64_t v)
{
    uint8_t stored[8];

    pq_store_u64(stored, (uint64_t)v);
    return bytes(transform, type, pq_slice(stored, type->physical == PQ_INT32 ? 4 : 8)).i;
}

static int64_t at(const PqType *t, const char *z)
{
    int64_t v;

    return pq_time_parse_timestamp(pq_slice_text(z), t->unit, true, &v) == PQ_PARSE_OK ? v : -1;
}

/* Appendix B.  With so many buckets, the bucket is the hash without its sign. */
#define HASHED "bucket[2147483647]"
#define HASH(v) ((v) & INT32_MAX)

TEST(iceberg_transform, hashes_of_the_specification)
{
    static const uint8_t id[] = {0xF7, 0x9C, 0x3E, 0x09, 0x67, 0x7C, 0x4B, 0xBD,
                                 0xA4, 0x79, 0x3F, 0x34, 0x9C, 0xB7, 0x85, 0xE7},
                         dec[9] = {0, 0, 0, 0, 0, 0, 0, 0x05, 0x8c}, four[] = {0, 1, 2, 3};

    CHECK_INT(pq_murmur3(pq_slice(NULL, 0)), 0);
    CHECK_INT((int32_t)pq_murmur3(pq_slice_text("iceberg")), 1210000089);
    CHECK_INT(number(HASHED, &int32, 34), 2017239379);
    CHECK_INT(number(HASHED, &int64, 34), 2017239379);
    CHECK_INT(number(HASHED, &narrow, 1420), HASH(-500754589));
    CHECK_INT(bytes(HASHED, &wide, pq_slice(dec, sizeof dec)).i, HASH(-500754589));
    CHECK_INT(number(HASHED, &date, 17486), HASH(-653330422));
    CHECK_INT(number(HASHED, &daytime, 81068000000), HASH(-662762989));
    CHECK_INT(number(HASHED, &micros, at(&micros, "2017-11-16 22:31:08")), HASH(-2047944441));
    CHECK_INT(number(HASHED, &micros, at(&micros, "2017-11-16 22:31:08.000001")),
              HASH(-1207196810));
    CHECK_INT(number(HASHED, &nanos, at(&nanos, "2017-11-16 22:31:08.000001001")),
              HASH(-1207196810));
    CHECK_INT(bytes(HASHED, &text, pq_slice_text("iceberg")).i, 1210000089);
    CHECK_INT(bytes(HASHED, &uuid, pq_slice(id, sizeof id)).i, 1488055340);
    CHECK_INT(bytes(HASHED, &binary, pq_slice(four, sizeof four)).i, HASH(-188683207));
    CHECK_INT(number("bucket[16]", &int32, 34), 3);
}

TEST(iceberg_transform, numbers_are_cut_downward)
{
    CHECK_INT(number("truncate[10]", &int32, 1), 0);
    CHECK_INT(number("truncate[10]", &int32, -1), -10);
    CHECK_INT(number("truncate[10]", &int64, -10), -10);
    CHECK_INT(number("truncate[10]", &int64, INT64_MAX), INT64_MAX - 7);
    CHECK_INT(number("truncate[10]", &int32, INT32_MIN), INT32_MAX - 1);
}

TEST(iceberg_transform, texts_are_cut_by_characters)
{
    PqSlice cut = bytes("truncate[3]", &text, pq_slice_text("iceberg")).bytes;

    CHECK_BYTES(cut.p, cut.n, "ice", 3);
    cut = bytes("truncate[2]", &text, pq_slice_text("\xc3\xa9\xf0\x9f\x98\x80x")).bytes;
    CHECK_BYTES(cut.p, cut.n, "\xc3\xa9\xf0\x9f\x98\x80", 6);
    cut = bytes("truncate[9]", &text, pq_slice_text("a")).bytes;
    CHECK_BYTES(cut.p, cut.n, "a", 1);
}

TEST(iceberg_transform, times_are_counted_from_1970_on)
{
    int64_t when = at(&micros, "2017-11-16 22:31:08");

    CHECK_INT(number("year", &micros, when), 47);
    CHECK_INT(number("month", &micros, when), 574);
    CHECK_INT(number("day", &micros, when), 17486);
    CHECK_INT(number("hour", &micros, when), 419686);
    CHECK_INT(number("hour", &nanos, at(&nanos, "2017-11-16 22:31:08")), 419686);
    CHECK_INT(number("year", &date, -1), -1);
    CHECK_INT(number("month", &date, -32), -2);
    CHECK_INT(number("day", &micros, -1), -1);
    CHECK_INT(number("hour", &micros, -1), -1);
    CHECK_INT(number("day", &micros, INT64_MIN), -106751992);
}

TEST(iceberg_transform, what_is_not_known_is_refused)
{
    static const char *const no[] = {"bucket", "bucket[]", "bucket[0]", "bucket[-1]", "bucket[4",
                                     "bucket[4]]", "bucket[99999999999]", "day[1]", "zorder",
                                     "Day", ""};
    PqLakeBy by = {.type = date};

    for (size_t i = 0; i < PQ_COUNT(no); i++) {
        CHECK(!pq_iceberg_transform_find(pq_slice_text(no[i]), &by));
    }
    CHECK(!pq_iceberg_transform_find(pq_slice_text("hour"), &by));
    CHECK(pq_iceberg_transform_find(pq_slice_text("day"), &by));
    by.type = binary;
    CHECK(!pq_iceberg_transform_find(pq_slice_text("truncate[4]"), &by));
    CHECK(pq_iceberg_transform_find(pq_slice_text("bucket[4]"), &by));
}
