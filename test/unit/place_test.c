/*
** place_test.c - values and their places, both ways.
*/
#include "core/meta/place.h"
#include "test/unit/test.h"

#include <math.h>

static PqType type_of(PqPhysical physical, PqLogical logical)
{
    return (PqType){.physical = physical, .logical = logical,
                    .is_signed = true, .fixed_length = PQ_NO_LENGTH};
}

static PqType fixed(PqLogical logical, uint32_t n)
{
    PqType t = type_of(PQ_FIXED, logical);

    t.fixed_length = n;
    return t;
}

/* The place of bytes, or -999 where they have none. */
static int64_t place(PqType type, const void *p, size_t n)
{
    PqPlace out;

    return pq_place_of(&type, pq_slice(p, n), &out) ? (int64_t)out : -999;
}

static bool comes_back(PqType type, const void *p, size_t n)
{
    uint8_t room[PQ_PLACE_ROOM];
    PqPlace at;
    PqSlice v;

    if (!pq_place_of(&type, pq_slice(p, n), &at)) {
        return false;
    }
    v = pq_place_stored(&type, at, room);
    return v.n == n && memcmp(v.p, p, n) == 0;
}

TEST(place, integers_are_themselves)
{
    int32_t i = -7;
    int64_t l = INT64_MIN;
    uint8_t yes = 1;
    PqType u = type_of(PQ_INT32, PQ_TYPE_INT);

    u.is_signed = false;
    CHECK_INT(place(type_of(PQ_INT32, PQ_TYPE_NONE), &i, 4), -7);
    CHECK_INT(place(type_of(PQ_INT64, PQ_TYPE_NONE), &l, 8), INT64_MIN);
    CHECK_INT(place(u, &i, 4), 4294967289);
    CHECK_INT(place(type_of(PQ_BOOLEAN, PQ_TYPE_NONE), &yes, 1), 1);
    CHECK(comes_back(type_of(PQ_INT32, PQ_TYPE_NONE), &i, 4));
    CHECK(comes_back(type_of(PQ_INT64, PQ_TYPE_NONE), &l, 8));
    CHECK(comes_back(u, &i, 4));
}

TEST(place, an_unsigned_integer_of_64_bits_has_room)
{
    uint64_t v = UINT64_MAX;
    PqType u = type_of(PQ_INT64, PQ_TYPE_INT);
    PqPlace out, least, most;

    u.is_signed = false;
    u.bit_width = 64;
    CHECK(pq_place_of(&u, pq_slice(&v, sizeof v), &out));
    pq_place_ends(&u, &least, &most);
    CHECK(out == most);
    CHECK(least == 0);
    CHECK(comes_back(u, &v, sizeof v));
}

TEST(place, floats_ascend_and_nan_is_outside)
{
    static const double v[] = {-INFINITY, -1e300, -1.5, -5e-324, -0.0,
                               0.0, 5e-324, 1.5, 1e300, INFINITY};
    PqType type = type_of(PQ_DOUBLE, PQ_TYPE_NONE);
    PqPlace before = 0, at, least, most;
    double nan = NAN;

    pq_place_ends(&type, &least, &most);
    for (size_t i = 0; i < PQ_COUNT(v); i++) {
        CHECK(pq_place_of(&type, pq_slice(&v[i], 8), &at));
        CHECK(at >= least && at <= most);
        CHECK(i == 0 || at > before);
        CHECK(comes_back(type, &v[i], 8));
        before = at;
    }
    CHECK(pq_place_of(&type, pq_slice(&nan, 8), &at));
    CHECK(at < least || at > most);
}

TEST(place, halves_and_floats_are_like_doubles)
{
    static const uint16_t half[] = {0xfc00, 0xbc00, 0x8000, 0, 0x3c00, 0x7c00};
    static const float single[] = {-INFINITY, -1.0f, -0.0f, 0, 1, INFINITY};
    PqType h = fixed(PQ_TYPE_FLOAT16, 2), f = type_of(PQ_FLOAT, PQ_TYPE_NONE);

    for (size_t i = 0; i < PQ_COUNT(half); i++) {
        CHECK(comes_back(h, &half[i], 2));
        CHECK(comes_back(f, &single[i], 4));
        CHECK(i == 0 || place(h, &half[i], 2) > place(h, &half[i - 1], 2));
        CHECK(i == 0 ||
              place(f, &single[i], 4) > place(f, &single[i - 1], 4));
    }
}

TEST(place, a_decimal_has_one_place_however_it_is_stored)
{
    static const uint8_t wide[] = {0xff, 0xff, 0xff, 0xfe, 0x0c};
    static const uint8_t long_one[20] = {[19] = 5};
    static const uint8_t too_long[20] = {1};
    int32_t i = -500;
    PqType bytes = type_of(PQ_BYTE_ARRAY, PQ_TYPE_DECIMAL);
    uint8_t room[PQ_PLACE_ROOM];

    CHECK_INT(place(type_of(PQ_INT32, PQ_TYPE_DECIMAL), &i, 4), -500);
    CHECK_INT(place(fixed(PQ_TYPE_DECIMAL, 5), wide, 5), -500);
    CHECK_INT(place(bytes, wide, 5), -500);
    CHECK_INT(place(bytes, wide + 3, 2), -500);
    CHECK_INT(place(bytes, wide, 0), 0);
    CHECK_INT(place(fixed(PQ_TYPE_DECIMAL, 20), long_one, 20), 5);
    CHECK_INT(place(fixed(PQ_TYPE_DECIMAL, 20), too_long, 20), -999);
    CHECK(comes_back(fixed(PQ_TYPE_DECIMAL, 5), wide, 5));
    CHECK(comes_back(fixed(PQ_TYPE_DECIMAL, 20), long_one, 20));
    CHECK(pq_place_stored(&bytes, 5, room).p == NULL);
}

TEST(place, bytes_from_the_lowest_and_without_a_sign)
{
    static const uint8_t time[12] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                     0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t low[16] = {0, [15] = 1}, high[16] = {0xff};
    PqType uuid = fixed(PQ_TYPE_UUID, 16);
    PqPlace a, b;

    CHECK_INT(place(fixed(PQ_TYPE_TIMESTAMP, 12), time, 12), -1);
    CHECK(comes_back(fixed(PQ_TYPE_TIMESTAMP, 12), time, 12));
    CHECK(pq_place_of(&uuid, pq_slice(low, 16), &a));
    CHECK(pq_place_of(&uuid, pq_slice(high, 16), &b));
    CHECK(a < b);
    CHECK(comes_back(uuid, low, 16));
    CHECK(comes_back(uuid, high, 16));
}

TEST(place, a_wrong_size_and_a_text_have_none)
{
    PqType text = type_of(PQ_BYTE_ARRAY, PQ_TYPE_STRING);

    CHECK_INT(place(text, "abcd", 4), -999);
    CHECK(!pq_type_has_places(&text));
    CHECK_INT(place(type_of(PQ_INT32, PQ_TYPE_NONE), "abc", 3), -999);
    CHECK_INT(place(fixed(PQ_TYPE_UUID, 16), "abc", 3), -999);
}
