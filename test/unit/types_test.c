/*
** types_test.c - the type that an element's annotations give its values.
*/
#include "core/meta/schema.h"
#include "test/unit/test.h"

#define HAS(field) (1u << (field))

static PqSchemaElement of(int physical)
{
    return (PqSchemaElement){.has = HAS(PQ_SCHEMA_TYPE), .type = physical};
}

static PqSchemaElement fixed(int length)
{
    PqSchemaElement el = of(PQ_FIXED);

    el.has |= HAS(PQ_SCHEMA_TYPE_LENGTH);
    el.type_length = length;
    return el;
}

static PqSchemaElement with(PqSchemaElement el, int member)
{
    el.has |= HAS(PQ_SCHEMA_LOGICAL);
    el.logical_type.has = 1u << member;
    return el;
}

static PqSchemaElement old(PqSchemaElement el, int converted)
{
    el.has |= HAS(PQ_SCHEMA_CONVERTED);
    el.converted_type = converted;
    return el;
}

/* The type's text; lives in the arena. */
static const char *text(Test *t, PqArena *a, PqSchemaElement el)
{
    PqType type = pq_type_of_element(&el, a, t->e);
    PqBuf out;
    const char *copy;

    pq_buf_init(&out, t->mem, t->e);
    pq_type_text(&type, &out);
    copy = pq_arena_text(a, out.p, out.n, t->e);
    pq_buf_free(&out);
    return copy ? copy : "";
}

static PqSchemaElement decimal(PqSchemaElement el, int precision, int scale)
{
    el = with(el, PQ_LOGICAL_DECIMAL);
    el.logical_type.decimal = (PqDecimalType){HAS(1) | HAS(2), scale,
                                              precision};
    return el;
}

static PqSchemaElement old_decimal(PqSchemaElement el, int precision,
                                   int scale)
{
    el = old(el, PQ_CONVERTED_DECIMAL);
    el.has |= HAS(PQ_SCHEMA_PRECISION) | HAS(PQ_SCHEMA_SCALE);
    el.precision = precision;
    el.scale = scale;
    return el;
}

static PqSchemaElement integer(PqSchemaElement el, int width, bool sign)
{
    el = with(el, PQ_LOGICAL_INTEGER);
    el.logical_type.integer = (PqIntType){HAS(1) | HAS(2), (int8_t)width,
                                          sign};
    return el;
}

static PqSchemaElement timed(PqSchemaElement el, int member, int unit,
                             bool utc)
{
    PqTimeType time = {.has = HAS(1) | HAS(2), .is_adjusted_to_utc = utc};

    time.unit.has = 1u << unit;
    el = with(el, member);
    if (member == PQ_LOGICAL_TIME) {
        el.logical_type.time = time;
    } else {
        el.logical_type.timestamp = time;
    }
    return el;
}

#define IS(el, want) CHECK_TEXT(text(t, &a, el), want)

TEST(types, no_annotation_is_the_physical_type)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(of(PQ_BOOLEAN), "BOOLEAN");
    IS(of(PQ_INT96), "INT96");
    IS(of(PQ_BYTE_ARRAY), "BYTE_ARRAY");
    IS(fixed(5), "FIXED_LEN_BYTE_ARRAY(5)");
    pq_arena_free(&a);
}

TEST(types, simple_annotations_need_their_physical_type)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_STRING), "STRING");
    IS(with(fixed(3), PQ_LOGICAL_STRING), "STRING");
    IS(with(of(PQ_INT32), PQ_LOGICAL_STRING), "INT32");
    IS(with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_ENUM), "ENUM");
    IS(with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_JSON), "JSON");
    IS(with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_BSON), "BSON");
    IS(with(of(PQ_INT32), PQ_LOGICAL_DATE), "DATE");
    IS(with(of(PQ_INT64), PQ_LOGICAL_DATE), "INT64");
    IS(with(fixed(16), PQ_LOGICAL_UUID), "UUID");
    IS(with(fixed(15), PQ_LOGICAL_UUID), "FIXED_LEN_BYTE_ARRAY(15)");
    IS(with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_UUID), "BYTE_ARRAY");
    IS(with(fixed(2), PQ_LOGICAL_FLOAT16), "FLOAT16");
    IS(with(fixed(4), PQ_LOGICAL_FLOAT16), "FIXED_LEN_BYTE_ARRAY(4)");
    IS(with(of(PQ_INT32), PQ_LOGICAL_UNKNOWN), "UNKNOWN");
    IS(with(of(PQ_INT32), PQ_LOGICAL_MAP), "INT32");
    pq_arena_free(&a);
}

TEST(types, converted_types_alone_still_work)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(old(of(PQ_BYTE_ARRAY), PQ_CONVERTED_UTF8), "STRING");
    IS(old(of(PQ_BYTE_ARRAY), PQ_CONVERTED_ENUM), "ENUM");
    IS(old(of(PQ_INT32), PQ_CONVERTED_DATE), "DATE");
    IS(old(of(PQ_INT32), PQ_CONVERTED_TIME_MILLIS), "TIME(MILLIS,UTC)");
    IS(old(of(PQ_INT64), PQ_CONVERTED_TIME_MICROS), "TIME(MICROS,UTC)");
    IS(old(of(PQ_INT64), PQ_CONVERTED_TIMESTAMP_MILLIS),
       "TIMESTAMP(MILLIS,UTC)");
    IS(old(of(PQ_INT64), PQ_CONVERTED_TIMESTAMP_MICROS),
       "TIMESTAMP(MICROS,UTC)");
    IS(old(of(PQ_INT32), PQ_CONVERTED_UINT_8), "UINT8");
    IS(old(of(PQ_INT32), PQ_CONVERTED_INT_16), "INT16");
    IS(old(of(PQ_INT64), PQ_CONVERTED_UINT_64), "UINT64");
    IS(old(of(PQ_INT32), PQ_CONVERTED_UINT_64), "INT32");
    IS(old(fixed(12), PQ_CONVERTED_INTERVAL), "INTERVAL");
    IS(old(fixed(11), PQ_CONVERTED_INTERVAL), "FIXED_LEN_BYTE_ARRAY(11)");
    IS(old(of(PQ_INT32), PQ_CONVERTED_MAP), "INT32");
    IS(old(of(PQ_INT32), 22), "INT32");
    IS(old(of(PQ_INT32), -1), "INT32");
    pq_arena_free(&a);
}

TEST(types, a_logical_type_wins_over_a_converted_one)
{
    PqArena a;
    PqSchemaElement el = old(of(PQ_INT64), PQ_CONVERTED_TIMESTAMP_MICROS);

    pq_arena_init(&a, t->mem);
    IS(timed(el, PQ_LOGICAL_TIMESTAMP, PQ_TIME_UNIT_MICROS, false),
       "TIMESTAMP(MICROS)");
    IS(with(old(of(PQ_BYTE_ARRAY), PQ_CONVERTED_UTF8), PQ_HAS_UNKNOWN),
       "BYTE_ARRAY");
    el = with(old(of(PQ_BYTE_ARRAY), PQ_CONVERTED_UTF8), 0);
    el.logical_type.has = 0;         /* a union of nothing */
    IS(el, "STRING");
    pq_arena_free(&a);
}

TEST(types, integers_fit_their_physical_type)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(integer(of(PQ_INT32), 8, true), "INT8");
    IS(integer(of(PQ_INT32), 32, false), "UINT32");
    IS(integer(of(PQ_INT64), 64, false), "UINT64");
    IS(integer(of(PQ_INT32), 24, true), "INT32");
    IS(integer(of(PQ_INT32), 64, true), "INT32");
    IS(integer(of(PQ_INT64), 8, true), "INT64");
    IS(integer(of(PQ_INT32), -8, true), "INT32");
    IS(integer(of(PQ_DOUBLE), 32, true), "DOUBLE");
    pq_arena_free(&a);
}

TEST(types, decimals_take_their_digits_from_either_place)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(decimal(of(PQ_INT32), 9, 2), "DECIMAL(9,2)");
    IS(old_decimal(of(PQ_INT64), 18, 0), "DECIMAL(18,0)");
    IS(decimal(old_decimal(fixed(4), 5, 1), 7, 3), "DECIMAL(7,3)");
    IS(decimal(of(PQ_BYTE_ARRAY), 76, 38), "DECIMAL(76,38)");
    IS(old(of(PQ_INT32), PQ_CONVERTED_DECIMAL), "INT32");
    IS(decimal(of(PQ_DOUBLE), 9, 2), "DOUBLE");
    pq_arena_free(&a);
}

TEST(types, impossible_decimals_are_the_physical_type)
{
    PqArena a;

    pq_arena_init(&a, t->mem);
    IS(decimal(of(PQ_INT32), 38, 10), "DECIMAL(38,10)");  /* too many digits */
    IS(decimal(of(PQ_INT32), 5, 5), "DECIMAL(5,5)");
    IS(decimal(of(PQ_INT32), 5, 6), "INT32");
    IS(decimal(of(PQ_INT32), 0, 0), "INT32");
    IS(decimal(of(PQ_INT32), -5, 0), "INT32");
    IS(decimal(of(PQ_INT32), 5, -1), "INT32");
    IS(decimal(of(PQ_BYTE_ARRAY), INT32_MAX, INT32_MAX), "BYTE_ARRAY");
    pq_arena_free(&a);
}

TEST(types, times_need_the_integer_of_their_unit)
{
    PqArena a;
    int time = PQ_LOGICAL_TIME, stamp = PQ_LOGICAL_TIMESTAMP;

    pq_arena_init(&a, t->mem);
    IS(timed(of(PQ_INT32), time, PQ_TIME_UNIT_MILLIS, false), "TIME(MILLIS)");
    IS(timed(of(PQ_INT64), time, PQ_TIME_UNIT_NANOS, true), "TIME(NANOS,UTC)");
    IS(timed(of(PQ_INT64), time, PQ_TIME_UNIT_MILLIS, true), "INT64");
    IS(timed(of(PQ_INT32), time, PQ_TIME_UNIT_MICROS, true), "INT32");
    IS(timed(of(PQ_INT64), stamp, PQ_TIME_UNIT_NANOS, true),
       "TIMESTAMP(NANOS,UTC)");
    IS(timed(of(PQ_INT32), stamp, PQ_TIME_UNIT_MILLIS, true), "INT32");
    IS(timed(of(PQ_INT64), stamp, PQ_HAS_UNKNOWN, true), "INT64");
    pq_arena_free(&a);
}

TEST(types, geometries_know_their_reference_system)
{
    PqArena a;
    PqSchemaElement el = with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_GEOMETRY);
    PqType x, y;

    pq_arena_init(&a, t->mem);
    IS(el, "GEOMETRY(OGC:CRS84)");
    x = pq_type_of_element(&el, &a, t->e);
    CHECK(x.crs == NULL);
    el.logical_type.geometry.has = HAS(PQ_GEO_TYPE_CRS);
    el.logical_type.geometry.crs = pq_slice_text("srid:5070");
    IS(el, "GEOMETRY(srid:5070)");
    y = pq_type_of_element(&el, &a, t->e);
    CHECK(!pq_type_equal(&x, &y));
    x = pq_type_of_element(&el, &a, t->e);
    CHECK(x.crs != y.crs && pq_type_equal(&x, &y));
    el = with(of(PQ_BYTE_ARRAY), PQ_LOGICAL_GEOGRAPHY);
    IS(el, "GEOGRAPHY(OGC:CRS84,SPHERICAL)");
    el.logical_type.geography.has = HAS(PQ_GEO_TYPE_ALGORITHM);
    el.logical_type.geography.algorithm = 4;
    IS(el, "GEOGRAPHY(OGC:CRS84,KARNEY)");
    el.logical_type.geography.algorithm = -7;
    IS(el, "GEOGRAPHY(OGC:CRS84,-7)");
    IS(with(fixed(5), PQ_LOGICAL_GEOMETRY), "FIXED_LEN_BYTE_ARRAY(5)");
    pq_arena_free(&a);
}

TEST(types, only_the_annotation_makes_an_element_annotated)
{
    PqSchemaElement el = of(PQ_INT32);

    CHECK(!pq_type_is_annotated(&el));
    el = with(el, PQ_HAS_UNKNOWN);
    CHECK(pq_type_is_annotated(&el));
    el = old(of(PQ_INT32), 77);
    CHECK(pq_type_is_annotated(&el));
    el = with(of(PQ_INT32), 0);
    el.logical_type.has = 0;
    CHECK(!pq_type_is_annotated(&el));
}
