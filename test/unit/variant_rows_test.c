/*
** variant_rows_test.c - shredded Variants, from the tables of the
** specification.
*/
#include "test/unit/rows_fixture.h"

#define TEXTS(...) ((const char *[]){__VA_ARGS__})
#define INTS(...) ((int64_t[]){__VA_ARGS__})
#define HEX(hex) test_hex(t, hex)
#define BYTES(...) ((PqSlice[]){__VA_ARGS__})
#define OPEN(el) rows_open(t, &f, el, PQ_COUNT(el), false)
#define STRING .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_STRING
#define VARIANT .logical = PQ_LOGICAL_VARIANT
#define LIST .logical = PQ_LOGICAL_LIST
#define METADATA LEAF("metadata", 'r', .type = PQ_BYTE_ARRAY)
#define VALUE LEAF("value", 'o', .type = PQ_BYTE_ARRAY)

#define V1 "01 00"                   /* metadata without names */

TEST(variant_rows, an_unshredded_variant_is_its_value)
{
    static const Element v[] = {
        GROUP("root", 'r', 1), GROUP("v", 'o', 2, VARIANT),
        LEAF("value", 'r', .type = PQ_BYTE_ARRAY), METADATA
    };
    Rows f;

    OPEN(v);
    rows_bytes(&f, 0, NULL, "1101",
               BYTES(HEX("0c 22"), HEX("00"), HEX("02 01 00 00 01 04")));
    rows_bytes(&f, 1, NULL, "1101",
               BYTES(HEX(V1), HEX(V1), HEX("01 01 00 01 61")));
    rows_check(t, &f, 4, TEXTS("34", "null", NULL, "{\"a\":true}"));
    rows_close(&f);
}

static const Element measurement[] = {
    GROUP("root", 'r', 1), GROUP("measurement", 'r', 3, VARIANT), METADATA,
    VALUE, LEAF("typed_value", 'o', .type = PQ_INT64)
};

static void open_measurement(Test *t, Rows *f, const char *metadata)
{
    static PqStr same[8];
    PqSlice m = HEX(metadata);

    rows_open(t, f, measurement, PQ_COUNT(measurement), false);
    for (size_t i = 0; i < PQ_COUNT(same); i++) {
        same[i] = (PqStr){m.p, (uint32_t)m.n};
    }
    f->leaf[0].vector = (PqVector){.leaf = &f->schema.leaves[0],
                                   .n_slots = 5, .values = same};
}

TEST(variant_rows, a_number_column_beside_other_values)
{
    Rows f;

    open_measurement(t, &f, V1);
    rows_bytes(&f, 1, NULL, "01100", BYTES(HEX("00"), HEX("0d 6e 2f 61")));
    rows_ints(&f, 2, NULL, "10010", INTS(34, 100));
    rows_check(t, &f, 5, TEXTS("34", "null", "\"n/a\"", "100", "null"));
    rows_close(&f);
}

TEST(variant_rows, value_and_typed_value_together_are_corrupt)
{
    Rows f;

    open_measurement(t, &f, V1);
    rows_bytes(&f, 1, NULL, "10000", BYTES(HEX("00")));
    rows_ints(&f, 2, NULL, "11111", INTS(1, 2, 3, 4, 5));
    rows_check_fails(t, &f, 5, PQ_CORRUPT, "both value and typed_value");
    rows_close(&f);
}

TEST(variant_rows, metadata_that_nobody_needs_is_not_read)
{
    Rows f;

    open_measurement(t, &f, "");
    rows_bytes(&f, 1, NULL, "00000", NULL);
    rows_ints(&f, 2, NULL, "11111", INTS(1, 2, 3, 4, 5));
    rows_check(t, &f, 5, TEXTS("1", "2", "3", "4", "5"));
    rows_bytes(&f, 1, NULL, "10000", BYTES(HEX("00")));
    rows_ints(&f, 2, NULL, "01111", INTS(2, 3, 4, 5));
    rows_check_fails(t, &f, 5, PQ_CORRUPT, "without metadata");
    rows_close(&f);
}

static const Element tags[] = {
    GROUP("root", 'r', 1), GROUP("tags", 'o', 3, VARIANT), METADATA, VALUE,
    GROUP("typed_value", 'o', 1, LIST), GROUP("list", '*', 1),
    GROUP("element", 'r', 2), VALUE, LEAF("typed_value", 'o', STRING)
};

/* Rows 0 to 3 are the specification's; an empty list and a null follow. */
TEST(variant_rows, an_array_of_texts)
{
    PqSlice m = HEX(V1);
    Rows f;

    OPEN(tags);
    rows_bytes(&f, 0, NULL, "111110", BYTES(m, m, m, m, m));
    rows_bytes(&f, 1, NULL, "111210", BYTES(HEX("00")));
    rows_bytes(&f, 2, "0101011000", "3334333120", BYTES(HEX("00")));
    rows_texts(&f, 3, "0101011000", "4443444120",
               TEXTS("comedy", "drama", "horror", "comedy", "drama",
                     "romance"));
    rows_check(t, &f, 6,
               TEXTS("[\"comedy\",\"drama\"]", "[\"horror\",null]",
                     "[\"comedy\",\"drama\",\"romance\"]", "null", "[]",
                     NULL));
    rows_close(&f);
}

TEST(variant_rows, an_element_that_is_missing_is_null)
{
    PqSlice m = HEX(V1);
    Rows f;

    OPEN(tags);
    rows_bytes(&f, 0, NULL, "1", BYTES(m));
    rows_bytes(&f, 1, NULL, "1", NULL);
    rows_bytes(&f, 2, "01", "33", NULL);
    rows_texts(&f, 3, "01", "34", TEXTS("x"));
    rows_check(t, &f, 1, TEXTS("[null,\"x\"]"));
    rows_close(&f);
}

TEST(variant_rows, elements_that_leaves_count_differently_are_corrupt)
{
    PqSlice m = HEX(V1);
    Rows f;

    OPEN(tags);
    rows_bytes(&f, 0, NULL, "1", BYTES(m));
    rows_bytes(&f, 1, NULL, "1", NULL);
    rows_bytes(&f, 2, "01", "33", NULL);
    rows_texts(&f, 3, "0", "4", TEXTS("x"));
    rows_check_fails(t, &f, 1, PQ_CORRUPT, "do not fit");
    rows_close(&f);
}

/* The fields are not in order, so that the order must come from the names. */
static const Element event[] = {
    GROUP("root", 'r', 1), GROUP("event", 'o', 3, VARIANT), METADATA, VALUE,
    GROUP("typed_value", 'o', 2), GROUP("event_type", 'r', 2), VALUE,
    LEAF("typed_value", 'o', STRING), GROUP("event_ts", 'r', 2), VALUE,
    LEAF("typed_value", 'o', .type = PQ_INT64,
         .logical = PQ_LOGICAL_TIMESTAMP, .a = PQ_TIME_UNIT_MICROS, .b = 1)
};

/* event_type, event_ts, email, error_msg, click */
#define NAMES                                                           \
    "01 05 00 0a 12 17 20 25 6576656e745f74797065 6576656e745f7473"     \
    "656d61696c 6572726f725f6d7367 636c69636b"

static void all_names(Test *t, PqSlice m[8])
{
    for (int i = 0; i < 8; i++) {
        m[i] = HEX(NAMES);
    }
}

/* The valid rows of the specification's table. */
TEST(variant_rows, an_object_whose_fields_have_columns)
{
    PqSlice m[8];
    Rows f;

    all_names(t, m);
    OPEN(event);
    rows_bytes(&f, 0, NULL, "11111111", m);
    rows_bytes(&f, 1, NULL, "12221111",
               BYTES(HEX("02 01 02 00 03 09 75 73"), /* email */
                     HEX("02 01 03 00 03 09 62 61"), /* error_msg */
                     HEX("09 6e 6f")));
    rows_bytes(&f, 2, NULL, "22212322", BYTES(HEX("00")));
    rows_texts(&f, 3, NULL, "33212232", TEXTS("noop", "login", "noop"));
    rows_bytes(&f, 4, NULL, "22212232", BYTES(HEX("05 78")));
    rows_ints(&f, 5, NULL, "33213322",
              INTS(1000000, 2000000, 3000000, 4000000));
    rows_check(
        t, &f, 8,
        TEXTS("{\"event_ts\":\"1970-01-01 00:00:01\",\"event_type\":\"noop\"}",
              "{\"email\":\"us\",\"event_ts\":\"1970-01-01 00:00:02\","
              "\"event_type\":\"login\"}",
              "{\"error_msg\":\"ba\"}", "\"no\"",
              "{\"event_ts\":\"1970-01-01 00:00:03\"}",
              "{\"event_ts\":\"1970-01-01 00:00:04\",\"event_type\":null}",
              "{\"event_ts\":\"x\",\"event_type\":\"noop\"}", "{}"));
    rows_close(&f);
}

/* One row: value and typed_value fields as given, NULL for null. */
static void open_event(Test *t, Rows *f, const char *value, const char *type)
{
    PqSlice m[8], v = value ? HEX(value) : HEX("");

    all_names(t, m);
    rows_open(t, f, event, PQ_COUNT(event), false);
    rows_bytes(f, 0, NULL, "1", m);
    rows_bytes(f, 1, NULL, value ? "2" : "1", &v);
    rows_bytes(f, 2, NULL, "2", NULL);
    rows_texts(f, 3, NULL, type ? "3" : "2", TEXTS(type));
    rows_bytes(f, 4, NULL, "2", NULL);
    rows_ints(f, 5, NULL, "2", NULL);
}

TEST(variant_rows, a_field_with_a_column_is_not_taken_from_the_bytes)
{
    Rows f;

    open_event(t, &f, "02 02 02 00 00 01 02 00 04", "login");
    rows_check(t, &f, 1,
               TEXTS("{\"email\":null,\"event_type\":\"login\"}"));
    rows_close(&f);
    open_event(t, &f, "02 02 02 00 00 01 02 00 04", NULL);
    rows_check(t, &f, 1, TEXTS("{\"email\":null}"));
    rows_close(&f);
}

TEST(variant_rows, fields_beside_a_value_that_is_no_object_are_corrupt)
{
    Rows f;

    open_event(t, &f, "05 61", "login");
    rows_check_fails(t, &f, 1, PQ_CORRUPT, "not an object");
    rows_close(&f);
    open_event(t, &f, "05 61", NULL);
    rows_check_fails(t, &f, 1, PQ_CORRUPT, "not an object");
    rows_close(&f);
}

TEST(variant_rows, leftover_fields_that_share_bytes_are_corrupt)
{
    Rows f;

    open_event(t, &f, "02 02 02 04 00 00 03 09 6e 6f", NULL);
    rows_check_fails(t, &f, 1, PQ_CORRUPT, "no bytes");
    rows_close(&f);
}

TEST(variant_rows, a_null_group_of_a_field_is_a_missing_field)
{
    static const Element v[] = {
        GROUP("root", 'r', 1), GROUP("v", 'r', 2, VARIANT), METADATA,
        GROUP("typed_value", 'o', 1), GROUP("a", 'o', 1),
        LEAF("typed_value", 'o', .type = PQ_INT32)
    };
    PqStr m[4] = {{0}};
    Rows f;

    OPEN(v);
    f.leaf[0].vector = (PqVector){.leaf = &f.schema.leaves[0], .n_slots = 4,
                                  .values = m};
    rows_ints(&f, 1, NULL, "3210", INTS(7));
    rows_check(t, &f, 4, TEXTS("{\"a\":7}", "{}", "{}", "null"));
    rows_close(&f);
}

TEST(variant_rows, variants_lie_in_lists_and_structs)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("l", 'o', 1, LIST),
        GROUP("list", '*', 1), GROUP("element", 'o', 2),
        LEAF("id", 'r', .type = PQ_INT32), GROUP("v", 'o', 3, VARIANT),
        METADATA, VALUE, LEAF("typed_value", 'o', .type = PQ_BOOLEAN)
    };
    PqSlice m = HEX(V1);
    Rows f;

    OPEN(s);
    rows_ints(&f, 0, "01100", "33321", INTS(1, 2, 3));
    rows_bytes(&f, 1, "01100", "44321", BYTES(m, m));
    rows_bytes(&f, 2, "01100", "54321", BYTES(HEX("0c 05")));
    rows_ints(&f, 3, "01100", "45321", INTS(1));
    rows_check(t, &f, 3,
               TEXTS("[{\"id\":1,\"v\":5},{\"id\":2,\"v\":true},"
                     "{\"id\":3,\"v\":null}]",
                     "[null]", "[]"));
    rows_close(&f);
}

/* One VARIANT whose typed_value is el. */
static PqRc plan_of(Test *t, Element el)
{
    Element v[] = {
        GROUP("root", 'r', 1), GROUP("v", 'r', 3, VARIANT), METADATA, VALUE,
        el
    };
    PqRc rc;
    Rows f;

    v[4].name = "typed_value";
    v[4].repetition = 'o';
    OPEN(v);
    rc = t->e->rc;
    rows_close(&f);
    return rc;
}

TEST(variant_rows, only_types_that_a_variant_has_are_typed_values)
{
    static const Element yes[] = {
        {.type = PQ_BOOLEAN}, {.type = PQ_INT32}, {.type = PQ_INT64},
        {.type = PQ_FLOAT}, {.type = PQ_DOUBLE}, {.type = PQ_BYTE_ARRAY},
        {STRING}, {.type = PQ_INT32, .logical = PQ_LOGICAL_DATE},
        {.type = PQ_INT32, .logical = PQ_LOGICAL_INTEGER, .a = 8, .b = 1},
        {.type = PQ_INT64, .logical = PQ_LOGICAL_DECIMAL, .a = 2, .b = 18},
        {.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_DECIMAL, .b = 38},
        {.type = PQ_FIXED, .length = 16, .logical = PQ_LOGICAL_DECIMAL,
         .b = 38},
        {.type = PQ_FIXED, .length = 16, .logical = PQ_LOGICAL_UUID},
        {.type = PQ_INT64, .logical = PQ_LOGICAL_TIME,
         .a = PQ_TIME_UNIT_MICROS},
        {.type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
         .a = PQ_TIME_UNIT_NANOS},
    };
    static const Element no[] = {
        {.type = PQ_INT96}, {.type = PQ_FIXED, .length = 4},
        {.type = PQ_INT32, .logical = PQ_LOGICAL_INTEGER, .a = 32},
        {.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_JSON},
        {.type = PQ_INT32, .logical = PQ_LOGICAL_TIME,
         .a = PQ_TIME_UNIT_MILLIS},
        {.type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
         .a = PQ_TIME_UNIT_MILLIS},
        {.type = PQ_FIXED, .length = 2, .logical = PQ_LOGICAL_FLOAT16},
        {.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_DECIMAL, .b = 39},
    };

    for (size_t i = 0; i < PQ_COUNT(yes); i++) {
        CHECK_OK(plan_of(t, yes[i]));
    }
    for (size_t i = 0; i < PQ_COUNT(no); i++) {
        CHECK_FAILS(plan_of(t, no[i]), PQ_UNSUPPORTED,
                    "no Variant value is of type");
    }
}

TEST(variant_rows, a_typed_value_of_another_shape_is_refused)
{
    static const Element leaf_as_field[] = {
        GROUP("root", 'r', 1), GROUP("v", 'r', 2, VARIANT), METADATA,
        GROUP("typed_value", 'o', 1), LEAF("a", 'o', .type = PQ_INT32)
    };
    static const Element twice[] = {
        GROUP("root", 'r', 1), GROUP("v", 'r', 2, VARIANT), METADATA,
        GROUP("typed_value", 'o', 2), GROUP("a", 'r', 1), VALUE,
        GROUP("a", 'r', 1), VALUE
    };
    static const Element foreign[] = {
        GROUP("root", 'r', 1), GROUP("v", 'r', 3, VARIANT), METADATA, VALUE,
        LEAF("more", 'o', .type = PQ_INT32)
    };
    Rows f;

    OPEN(leaf_as_field);
    rows_close(&f);
    CHECK_FAILS(t->e->rc, PQ_CORRUPT, "not a group of value and typed_value");
    OPEN(twice);
    rows_close(&f);
    CHECK_FAILS(t->e->rc, PQ_CORRUPT, "the same name");
    OPEN(foreign);
    rows_close(&f);
    CHECK_FAILS(t->e->rc, PQ_CORRUPT, "belong there");
}
