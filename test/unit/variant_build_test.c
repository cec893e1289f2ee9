/*
** variant_build_test.c - Variants that are built: their bytes, their widths,
** and JSON text that becomes one.
*/
#include "core/variant/variant_build.h"
#include "core/variant/variant_names.h"
#include "core/variant/variant_path.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Made {
    PqVariantBuild *b;
    PqArena         scratch;
    PqSlice         metadata, value;
    PqBuf           json;
} Made;

static void made_open(Test *t, Made *m)
{
    *m = (Made){0};
    pq_arena_init(&m->scratch, t->mem);
    pq_buf_init(&m->json, t->mem, t->e);
    if (pq_variant_build_new(t->mem, &m->b, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
}

static void made_close(Made *m)
{
    pq_variant_build_free(m->b);
    pq_arena_free(&m->scratch);
    pq_buf_free(&m->json);
}

static PqRc parse(Test *t, Made *m, PqSlice json)
{
    pq_arena_reset(&m->scratch);
    pq_variant_build_begin(m->b);
    PQ_TRY(pq_variant_parse(json, m->b, &m->scratch, t->e));
    return pq_variant_build_finish(m->b, &m->metadata, &m->value, t->e);
}

/* The Variant as JSON, or the error. */
static const char *text_of(Test *t, Made *m)
{
    PqSlice value = m->value;
    PqVariantMeta meta;

    m->json.n = 0;
    if (pq_variant_meta_open(m->metadata, &meta, t->e) != PQ_OK ||
        pq_variant_check(&meta, value, t->e) != PQ_OK ||
        pq_variant_json_take(&meta, &value, 0, &m->json, t->e) != PQ_OK) {
        return t->e->text;
    }
    pq_buf_byte(&m->json, 0);
    return (const char *)m->json.p;
}

static bool is_hex(Test *t, PqSlice got, const char *want)
{
    PqSlice bytes = test_hex(t, want);

    return test_bytes(t, __FILE__, __LINE__, want, got, bytes);
}

static void check_parsed(Test *t, Made *m, const char *json,
                         const char *metadata, const char *value)
{
    if (parse(t, m, pq_slice_text(json)) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", json, t->e->text);
        return;
    }
    is_hex(t, m->metadata, metadata);
    is_hex(t, m->value, value);
}

TEST(variant_parse, each_number_takes_the_smallest_type)
{
    static const struct { const char *json, *value; } row[] = {
        {"0", "0c 00"},
        {"-0", "0c 00"},
        {"17", "0c 11"},
        {"127", "0c 7f"},
        {"-128", "0c 80"},
        {"128", "10 80 00"},
        {"-32768", "10 00 80"},
        {"32768", "14 00 80 00 00"},
        {"-2147483648", "14 00 00 00 80"},
        {"2147483648", "18 00 00 00 80 00 00 00 00"},
        {"9223372036854775807", "18 ff ff ff ff ff ff ff 7f"},
        {"-9223372036854775808", "18 00 00 00 00 00 00 00 80"},
        {"9223372036854775808",
         "28 00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00 00"},
        {"12.50", "20 02 e2 04 00 00"},
        {"0.0", "20 01 00 00 00 00"},
        {"-0.5", "20 01 fb ff ff ff"},
        {"9999999.99", "20 02 ff c9 9a 3b"},
        {"10000000.00", "24 02 00 ca 9a 3b 00 00 00 00"},
        {"0.000000001", "20 09 01 00 00 00"},
        {"0.0000000001", "24 0a 01 00 00 00 00 00 00 00"},
        {"-99999999999999999.9", "24 01 01 00 9c 58 4c 49 1f f2"},
        {"100000000000000000.0",
         "28 01 00 00 64 a7 b3 b6 e0 0d 00 00 00 00 00 00 00 00"},
        {"0.00000000000000000000000000000000000001",
         "28 26 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
        {"99999999999999999999999999999999999999",
         "28 00 ff ff ff ff 3f 22 8a 09 7a c4 86 5a a8 4c 3b 4b"},
        {"-99999999999999999999999999999999999999",
         "28 00 01 00 00 00 c0 dd 75 f6 85 3b 79 a5 57 b3 c4 b4"},
        {"100000000000000000000000000000000000000",
         "1c b1 a1 16 2a d3 ce d2 47"},
        {"0.000000000000000000000000000000000000001",
         "1c 83 2d 55 b1 2f c7 d5 37"},
        {"1e3", "1c 00 00 00 00 00 40 8f 40"},
        {"1.5E0", "1c 00 00 00 00 00 00 f8 3f"},
        {"-0e0", "1c 00 00 00 00 00 00 00 80"},
        {"1e400", "1c 00 00 00 00 00 00 f0 7f"},
        {"-1e999", "1c 00 00 00 00 00 00 f0 ff"},
        {"1e-400", "1c 00 00 00 00 00 00 00 00"},
    };
    Made m;

    made_open(t, &m);
    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        check_parsed(t, &m, row[i].json, "01 00 00", row[i].value);
    }
    made_close(&m);
}

TEST(variant_parse, other_scalars_are_themselves)
{
    Made m;

    made_open(t, &m);
    check_parsed(t, &m, "null", "01 00 00", "00");
    check_parsed(t, &m, " true ", "01 00 00", "04");
    check_parsed(t, &m, "false", "01 00 00", "08");
    check_parsed(t, &m, "\"\"", "01 00 00", "01");
    check_parsed(t, &m, "\"a\\n\\u00e9\"", "01 00 00", "11 61 0a c3 a9");
    check_parsed(t, &m, "\"2024-01-01\"", "01 00 00",
                 "29 32 30 32 34 2d 30 31 2d 30 31");
    made_close(&m);
}

TEST(variant_parse, names_are_sorted_and_values_stay_in_place)
{
    Made m;

    made_open(t, &m);
    check_parsed(t, &m, "{\"b\":[1,2],\"a\":\"x\"}", "11 02 00 01 02 61 62",
                 "02 02 00 01 09 00 0b  03 02 00 02 04 0c 01 0c 02  05 78");
    check_parsed(t, &m, "{\"a\":1,\"\":2}", "11 02 00 00 01 61",
                 "02 02 00 01 02 00 04 0c 01 0c 02");
    check_parsed(t, &m, "{}", "01 00 00", "02 00 00");
    check_parsed(t, &m, "[]", "01 00 00", "03 00 00");
    check_parsed(t, &m, "[[],{}]", "01 00 00",
                 "03 02 00 03 06 03 00 00 02 00 00");
    made_close(&m);
}

TEST(variant_parse, malformed_text_is_refused_with_its_place)
{
    Made m;
    PqSlice deep;
    PqBuf text;

    made_open(t, &m);
    CHECK_FAILS(parse(t, &m, pq_slice_text("")), PQ_CORRUPT, "at byte 0");
    CHECK_FAILS(parse(t, &m, pq_slice_text("[1,]")), PQ_CORRUPT, "at byte 3");
    CHECK_FAILS(parse(t, &m, pq_slice_text("01")), PQ_CORRUPT, "at byte 1");
    CHECK_FAILS(parse(t, &m, pq_slice_text("NaN")), PQ_CORRUPT, "at byte 0");
    CHECK_FAILS(parse(t, &m, pq_slice_text("[\"a\xff\"]")), PQ_CORRUPT,
                "at byte 3: bytes that are not UTF-8");
    CHECK_FAILS(parse(t, &m,
                      pq_slice_text("{\"a\":{\"b\":1,\"a\":2,\"b\":3}}")),
                PQ_CORRUPT, "the name \"b\" twice");
    CHECK_FAILS(parse(t, &m, pq_slice_text("{\"a\":1,\"\\u0061\":2}")),
                PQ_CORRUPT, "the name \"a\" twice");
    CHECK_OK(parse(t, &m, pq_slice_text("{\"a\":{\"a\":1},\"b\":{\"a\":1}}")));
    pq_buf_init(&text, t->mem, t->e);
    for (int i = 0; i < PQ_VARIANT_MAX_DEPTH + 1; i++) {
        pq_buf_byte(&text, '[');
    }
    for (int i = 0; i < PQ_VARIANT_MAX_DEPTH + 1; i++) {
        pq_buf_byte(&text, ']');
    }
    deep = pq_buf_view(&text);
    CHECK_FAILS(parse(t, &m, deep), PQ_CORRUPT, "nested deeper than 1000");
    CHECK_OK(parse(t, &m, pq_slice(deep.p + 1, deep.n - 2)));
    CHECK_INT(strlen(text_of(t, &m)), 2 * PQ_VARIANT_MAX_DEPTH);
    pq_buf_free(&text);
    made_close(&m);
}

/* ---- widths -------------------------------------------------------------- */

/* {"n0000000": x, ...}, with a value of `pad` bytes first. */
static void wide_object(Test *t, Made *m, uint32_t n, size_t pad)
{
    PqBuf text;

    pq_buf_init(&text, t->mem, t->e);
    pq_buf_text(&text, "{\"pad\":\"");
    if (pq_buf_room(&text, pad)) {
        memset(text.p + text.n, 'x', pad);
        text.n += pad;
    }
    pq_buf_text(&text, "\"");
    for (uint32_t i = 0; i < n; i++) {
        pq_buf_printf(&text, ",\"n%07u\":%u", i * 7919 % n, i % 100);
    }
    pq_buf_text(&text, "}");
    if (parse(t, m, pq_buf_view(&text)) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    pq_buf_free(&text);
}

static void check_widths(Test *t, uint32_t n, size_t pad, uint32_t ids,
                         uint32_t offsets)
{
    PqSlice rest, found = {NULL, 0};
    PqVariantItems items;
    PqVariantMeta meta;
    PqVariantValue v;
    char name[16];
    bool is;
    Made m;

    made_open(t, &m);
    wide_object(t, &m, n, pad);
    rest = m.value;
    CHECK_OK(pq_variant_meta_open(m.metadata, &meta, t->e));
    CHECK_OK(pq_variant_items_open(&rest, &items, t->e));
    CHECK_INT(items.n, n + 1);
    CHECK_INT(items.id_size, ids);
    CHECK_INT(items.offset_size, offsets);
    CHECK_INT(rest.n, 0);
    for (uint32_t i = 0; i < n; i += n / 100 + 1) {
        snprintf(name, sizeof name, "n%07u", i * 7919 % n);
        CHECK_OK(pq_variant_items_find(&meta, &items, pq_slice_text(name),
                                       &found, &is, t->e));
        CHECK(is);
        CHECK_OK(pq_variant_value_read(found, &v, t->e));
        CHECK_INT(v.u.i, i % 100);
    }
    CHECK_OK(pq_variant_items_find(&meta, &items, pq_slice_text("n00000000"),
                                   &found, &is, t->e));
    CHECK(!is);
    CHECK_OK(pq_variant_check(&meta, m.value, t->e));
    made_close(&m);
}

TEST(variant_build, ids_and_offsets_take_the_bytes_they_need)
{
    check_widths(t, 1, 0, 1, 1);
    check_widths(t, 1, 251, 1, 2);
    check_widths(t, 254, 0, 1, 2);
    check_widths(t, 255, 0, 1, 2);
    check_widths(t, 256, 0, 2, 2);
    check_widths(t, 1, 65600, 1, 3);
    check_widths(t, 40000, 0, 2, 3);
    check_widths(t, 70000, 0, 3, 3);
    check_widths(t, 100, 17000000, 1, 4);
}

/* ---- scalars, read and built --------------------------------------------- */

TEST(variant_build, a_scalar_that_was_read_is_built_to_the_same_bytes)
{
    static const char *const row[] = {
        "00", "04", "08", "0c 80", "10 ff 7f", "14 00 00 00 80",
        "18 07 00 00 00 00 00 00 00", "1c 00 00 00 00 00 00 f8 3f",
        "20 02 fb ff ff ff", "24 09 b1 1c 6c b1 f4 10 22 11",
        "28 26 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff",
        "28 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        "2c e2 4e 00 00", "30 e0 52 97 dd e7 32 06 00",
        "34 00 00 00 00 00 00 00 80", "38 cd cc cc 3d",
        "3c 03 00 00 00 0a 0b ff",
        "3c 00 00 00 00", "44 c0 f2 29 88 0a 00 00 00",
        "48 15 41 3a 6c b7 af 05 18", "4c 01 00 00 00 00 00 00 00",
        "50 f2 4f 9b 64 81 fa 49 d1 b7 4e 8c 09 a6 e3 1c 56", "01",
        "0d 6e 2f 61", "54 0a 0b", "fc",
    };
    PqVariantMeta none = {0};
    PqVariantValue v;
    Made m;

    made_open(t, &m);
    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        CHECK_OK(pq_variant_value_read(test_hex(t, row[i]), &v, t->e));
        pq_variant_build_begin(m.b);
        pq_variant_build_value(m.b, &v);
        CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
        is_hex(t, m.metadata, "01 00 00");
        is_hex(t, m.value, row[i]);
        pq_variant_build_begin(m.b);
        pq_variant_build_copy(m.b, &none, test_hex(t, row[i]));
        CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
        is_hex(t, m.value, row[i]);
    }
    made_close(&m);
}

TEST(variant_build, a_string_is_short_up_to_63_bytes)
{
    char text[65] = "";
    Made m;

    made_open(t, &m);
    for (size_t n = 0; n <= 64; n++) {
        PqVariantValue v = {.kind = PQ_VARIANT_STRING,
                            .bytes = pq_slice(text, n)};
        memset(text, 'x', n);
        pq_variant_build_begin(m.b);
        pq_variant_build_value(m.b, &v);
        CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
        CHECK_INT(m.value.n, n + (n < 64 ? 1 : 5));
        CHECK_INT(m.value.p[0], n < 64 ? n << 2 | 1 : 16 << 2);
        CHECK_OK(pq_variant_value_read(m.value, &v, t->e));
        CHECK_BYTES(v.bytes.p, v.bytes.n, text, n);
    }
    made_close(&m);
}

/* ---- given metadata ------------------------------------------------------ */

static void build_field(PqVariantBuild *b, const char *name, int64_t v)
{
    pq_variant_build_name(b, pq_slice_text(name));
    pq_variant_build_value(b, &(PqVariantValue){.kind = PQ_VARIANT_INT,
                                                .u.i = v});
}

TEST(variant_build, given_metadata_decide_the_ids)
{
    PqSlice names = test_hex(t, "01 04 00 01 02 03 04 63 61 62 61");
    Made m;

    made_open(t, &m);
    CHECK_OK(pq_variant_build_begin_under(m.b, names, t->e));
    pq_variant_build_group(m.b, true);
    build_field(m.b, "c", 1);
    build_field(m.b, "a", 2);
    pq_variant_build_end(m.b);
    CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
    CHECK_BYTES(m.metadata.p, m.metadata.n, names.p, names.n);
    is_hex(t, m.value, "02 02 01 00 02 00 04 0c 01 0c 02");

    CHECK_OK(pq_variant_build_begin_under(m.b, names, t->e));
    pq_variant_build_group(m.b, true);
    build_field(m.b, "z", 1);
    pq_variant_build_end(m.b);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "the name \"z\" is not in the metadata");
    check_parsed(t, &m, "{\"z\":1}", "11 01 00 01 7a",
                 "02 01 00 00 02 0c 01");
    made_close(&m);
}

TEST(variant_build, given_metadata_may_be_invalid_or_have_no_names)
{
    Made m;

    made_open(t, &m);
    CHECK_FAILS(pq_variant_build_begin_under(
                    m.b, test_hex(t, "01 01 00 05 61"), t->e),
                PQ_CORRUPT, "lies at 0..5");
    pq_variant_build_group(m.b, false);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_CORRUPT, "lies at 0..5");
    CHECK_FAILS(pq_variant_build_begin_under(m.b, test_hex(t, ""), t->e),
                PQ_CORRUPT, "without metadata");
    CHECK_OK(pq_variant_build_begin_under(m.b, test_hex(t, "01 00"), t->e));
    pq_variant_build_group(m.b, true);
    pq_variant_build_end(m.b);
    CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
    is_hex(t, m.metadata, "01 00");
    is_hex(t, m.value, "02 00 00");
    made_close(&m);
}

/* Ids of the other metadata: b = 0, a = 1. */
TEST(variant_build, names_of_a_copy_are_translated)
{
    PqVariantMeta other;
    Made m;

    made_open(t, &m);
    CHECK_OK(pq_variant_meta_open(test_hex(t, "01 03 00 01 02 03 62 61 78"),
                                  &other, t->e));
    pq_variant_build_begin(m.b);
    pq_variant_build_group(m.b, false);
    pq_variant_build_copy(m.b, &other,
                          test_hex(t, "02 02 01 00 02 00 04 0c 01 0c 02"));
    pq_variant_build_end(m.b);
    CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
    is_hex(t, m.metadata, "11 02 00 01 02 61 62");
    is_hex(t, m.value, "03 01 00 0b  02 02 00 01 00 02 04 0c 02 0c 01");
    made_close(&m);
}

/* Metadata of names with the offsets given, n bytes in all. */
static void long_names(Test *t, const char *offsets, size_t n, PqBuf *out)
{
    PqSlice head = test_hex(t, offsets);

    pq_buf_init(out, t->mem, t->e);
    pq_buf_add(out, head.p, head.n);
    for (size_t i = 0; i < n; i++) {
        pq_buf_byte(out, (uint8_t)('a' + i % 26));
    }
}

TEST(variant_build, long_names_are_copied_unless_they_share_bytes)
{
    PqSlice value = test_hex(t, "02 02 00 02 00 01 02 04 08");
    PqVariantMeta other;
    PqBuf names;
    Made m;

    made_open(t, &m);
    long_names(t, "01 03 00 64 65 c9", 201, &names);
    CHECK_OK(pq_variant_meta_open(pq_buf_view(&names), &other, t->e));
    pq_variant_build_begin(m.b);
    pq_variant_build_group(m.b, false);
    pq_variant_build_copy(m.b, &other, value);
    pq_variant_build_copy(m.b, &other, value);
    pq_variant_build_end(m.b);
    CHECK_OK(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e));
    CHECK_INT(m.metadata.n, 1 + 4 + 200);
    is_hex(t, m.value, "03 02 00 09 12  02 02 00 01 00 01 02 04 08"
                       "                02 02 00 01 00 01 02 04 08");
    pq_buf_free(&names);

    long_names(t, "01 03 00 64 00 63", 100, &names);
    CHECK_OK(pq_variant_meta_open(pq_buf_view(&names), &other, t->e));
    pq_variant_build_begin(m.b);
    pq_variant_build_copy(m.b, &other, value);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_CORRUPT, "share bytes");
    pq_buf_free(&names);
    made_close(&m);
}

/* ---- mistakes ------------------------------------------------------------ */

TEST(variant_build, what_is_not_whole_is_refused)
{
    PqVariantValue one = {.kind = PQ_VARIANT_INT, .u.i = 1};
    Made m;

    made_open(t, &m);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "not whole");
    pq_variant_build_begin(m.b);
    pq_variant_build_group(m.b, false);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "not whole");
    pq_variant_build_begin(m.b);
    pq_variant_build_value(m.b, &one);
    pq_variant_build_value(m.b, &one);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "more than one value");
    pq_variant_build_begin(m.b);
    pq_variant_build_group(m.b, true);
    pq_variant_build_value(m.b, &one);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "has no name");
    pq_variant_build_begin(m.b);
    pq_variant_build_end(m.b);
    CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                PQ_USAGE, "ends too early");
    made_close(&m);
}

TEST(variant_build, units_that_variants_do_not_have_are_refused)
{
    static const PqVariantValue row[] = {
        {.kind = PQ_VARIANT_TIMESTAMP, .unit = PQ_MILLIS},
        {.kind = PQ_VARIANT_TIME, .unit = PQ_MILLIS},
        {.kind = PQ_VARIANT_TIME, .unit = PQ_NANOS},
    };
    Made m;

    made_open(t, &m);
    for (size_t i = 0; i < PQ_COUNT(row); i++) {
        pq_variant_build_begin(m.b);
        pq_variant_build_value(m.b, &row[i]);
        CHECK_FAILS(pq_variant_build_finish(m.b, &m.metadata, &m.value, t->e),
                    PQ_USAGE, "of this unit");
    }
    made_close(&m);
}

TEST(variant_build, more_than_the_budget_is_an_error)
{
    PqMem *small = pq_mem_new(100000);
    PqVariantBuild *b = NULL;
    PqVariantValue v = {.kind = PQ_VARIANT_NULL};
    PqSlice metadata, value;

    CHECK_OK(pq_variant_build_new(small, &b, t->e));
    pq_variant_build_group(b, false);
    for (int i = 0; i < 100000; i++) {
        pq_variant_build_value(b, &v);
    }
    pq_variant_build_end(b);
    CHECK_FAILS(pq_variant_build_finish(b, &metadata, &value, t->e), PQ_BUDGET,
                "memory");
    pq_variant_build_begin(b);
    pq_variant_build_value(b, &v);
    CHECK_OK(pq_variant_build_finish(b, &metadata, &value, t->e));
    pq_variant_build_free(b);
    CHECK_INT(pq_mem_used(small), 0);
    pq_mem_release(small);
}

static void use_names(Test *t, PqVariantNames *names, uint32_t n)
{
    char text[16];

    pq_variant_names_begin(names);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at;
        int size = snprintf(text, sizeof text, "n%u", i);

        CHECK_OK(pq_variant_names_use(names, pq_slice(text, (size_t)size),
                                      &at, t->e));
    }
    CHECK_OK(pq_variant_names_finish(names, t->e));
}

/* Else each Variant of some hundred names would clear the places of the one that
** had many. */
TEST(variant_build, places_of_many_names_do_not_stay)
{
    enum { MANY = 100000, SOME = 600 };
    PqVariantNames names;

    pq_variant_names_init(&names, t->mem);
    use_names(t, &names, MANY);
    CHECK(names.table.n_places >= MANY);
    use_names(t, &names, SOME);
    use_names(t, &names, SOME);
    CHECK(names.table.n_places < 16 * SOME);
    CHECK_INT(names.n_used, SOME);
    pq_variant_names_free(&names);
}
