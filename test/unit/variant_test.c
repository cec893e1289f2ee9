/*
** variant_test.c - the binary Variant: bytes from the specification, and the
** official pairs of metadata and value.
*/
#include "core/variant/variant_build.h"
#include "test/unit/test.h"

#include <stdlib.h>

#define NO_NAMES "01 00 00"

/* The value as JSON, in out; NULL and t->e if it is invalid. */
static const char *json_of(Test *t, PqSlice metadata, PqSlice value,
                           PqBuf *out)
{
    PqVariantMeta m;

    pq_buf_init(out, t->mem, t->e);
    if (pq_variant_meta_open(metadata, &m, t->e) != PQ_OK ||
        pq_variant_json_take(&m, &value, 0, out, t->e) != PQ_OK) {
        return NULL;
    }
    pq_buf_byte(out, 0);
    return pq_buf_ok(out) ? (const char *)out->p : NULL;
}

/* The JSON of a copy, in out; NULL and t->e if it cannot be copied. */
static const char *copied_json(Test *t, PqSlice metadata, PqSlice value,
                               PqBuf *out)
{
    PqVariantBuild *b = NULL;
    const char *got = NULL;
    PqVariantMeta m;

    pq_buf_init(out, t->mem, t->e);
    if (pq_variant_meta_open(metadata, &m, t->e) == PQ_OK &&
        pq_variant_build_new(t->mem, &b, t->e) == PQ_OK) {
        pq_variant_build_copy(b, &m, value);
        if (pq_variant_build_finish(b, &metadata, &value, t->e) == PQ_OK) {
            got = json_of(t, metadata, value, out);
        }
    }
    pq_variant_build_free(b);
    return got;
}

static void check_json(Test *t, const char *metadata, const char *value,
                       const char *want)
{
    PqBuf out;
    const char *got =
        json_of(t, test_hex(t, metadata), test_hex(t, value), &out);

    if (!got || strcmp(got, want) != 0) {
        test_fail(t, __FILE__, __LINE__, "%s is %s, not %s", value,
                  got ? got : t->e->text, want);
    }
    pq_buf_free(&out);
}

static void check_fails(Test *t, const char *metadata, const char *value,
                        PqRc rc, const char *why)
{
    PqBuf out;
    const char *got =
        json_of(t, test_hex(t, metadata), test_hex(t, value), &out);

    if (got || t->e->rc != rc || !strstr(t->e->text, why)) {
        test_fail(t, __FILE__, __LINE__, "%s / %s: %s", metadata, value,
                  got ? got : t->e->text);
    }
    pq_err_clear(t->e);
    pq_buf_free(&out);
}

TEST(variant, scalars_have_one_text_each)
{
    static const struct { const char *bytes, *text; } row[] = {
        {"00", "null"},
        {"04", "true"},
        {"08", "false"},
        {"0c 80", "-128"},
        {"10 ff 7f", "32767"},
        {"14 00 00 00 80", "-2147483648"},
        {"18 00 00 00 00 00 00 00 80", "-9223372036854775808"},
        {"1c 00 00 00 00 00 00 f8 3f", "1.5"},
        {"1c 00 00 00 00 00 00 00 80", "-0.0"},
        {"1c 00 00 00 00 00 00 f8 7f", "null"},
        {"1c 00 00 00 00 00 00 f0 ff", "-9e999"},
        {"20 02 fb ff ff ff", "-0.05"},
        {"20 00 05 00 00 00", "5"},
        {"24 09 b1 1c 6c b1 f4 10 22 11", "1234567890.987654321"},
        {"28 26 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff",
         "-0.00000000000000000000000000000000000001"},
        {"2c e2 4e 00 00", "\"2025-04-16\""},
        {"30 e0 52 97 dd e7 32 06 00", "\"2025-04-16 16:34:56.780\""},
        {"34 00 00 00 00 00 00 00 00", "\"1970-01-01 00:00:00\""},
        {"38 cd cc cc 3d", "0.1"},
        {"38 00 00 c0 7f", "null"},
        {"3c 03 00 00 00 0a 0b ff", "\"0A0BFF\""},
        {"3c 00 00 00 00", "\"\""},
        {"40 03 00 00 00 61 22 62", "\"a\\\"b\""},
        {"44 c0 f2 29 88 0a 00 00 00", "\"12:33:54.123456\""},
        {"44 ff ff ff ff ff ff ff ff", "\"-1\""},
        {"48 15 41 3a 6c b7 af 05 18",
         "\"2024-11-07 12:33:54.123456789\""},
        {"4c 01 00 00 00 00 00 00 00",
         "\"1970-01-01 00:00:00.000000001\""},
        {"50 f2 4f 9b 64 81 fa 49 d1 b7 4e 8c 09 a6 e3 1c 56",
         "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""},
        {"01", "\"\""},
        {"0d 6e 2f 61", "\"n/a\""},
        {"05 ff", "\"\xef\xbf\xbd\""},
    };

    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        check_json(t, NO_NAMES, row[i].bytes, row[i].text);
    }
}

TEST(variant, a_value_of_an_unknown_type_is_shown_as_its_bytes)
{
    const char *names = "01 02 00 01 02 61 62";

    check_json(t, NO_NAMES, "54", "\"unknown variant type 21\"");
    check_json(t, NO_NAMES, "54 0a 0b", "\"unknown variant type 21: 0A0B\"");
    check_json(t, NO_NAMES, "fc 00", "\"unknown variant type 63: 00\"");
    check_json(t, NO_NAMES, "03 03 00 02 05 06 0c 07 54 0a 0b 04",
               "[7,\"unknown variant type 21: 0A0B\",true]");
    /* "b" is stored before "a" */
    check_json(t, names, "02 02 00 01 02 00 04 54 01 54 02",
               "{\"a\":\"unknown variant type 21: 02\","
               "\"b\":\"unknown variant type 21: 01\"}");
}

TEST(variant, many_unknown_values_in_no_order_are_refused)
{
    enum { N = PQ_VARIANT_MAX_UNKNOWN + 1 };
    PqBuf in, out;
    const char *got;
    uint32_t i;

    for (unsigned order = 0; order < 3; order++) {
        pq_buf_init(&in, t->mem, t->e);
        pq_buf_add(&in, "\x17", 1);  /* array, large, offsets of 2 bytes */
        pq_buf_add(&in, &(uint32_t){N}, 4);
        for (i = 0; i <= N; i++) {
            uint32_t at = order && i < N ? N - 1 - i : i;
            pq_buf_add(&in, &at, 2);
        }
        for (i = 0; i < N; i++) {
            pq_buf_byte(&in, order < 2 || i ? 0x54 : 0);
        }
        got = json_of(t, test_hex(t, NO_NAMES), pq_buf_view(&in), &out);
        CHECK((got != NULL) == (order != 1));
        CHECK(got || strstr(t->e->text, "more than 256 values"));
        pq_err_clear(t->e);
        pq_buf_free(&in);
        pq_buf_free(&out);
    }
}

TEST(variant, objects_and_arrays_nest)
{
    const char *names = "01 02 00 02 05 69 64 6e 61 6d";

    check_json(t, names, "02 02 00 01 00 02 04 0c 07 0c 09",
               "{\"id\":7,\"nam\":9}");
    check_json(t, names, "03 02 00 01 07 00 02 01 01 00 01 04",
               "[null,{\"nam\":true}]");
    check_json(t, names, "02 00 00", "{}");
    check_json(t, names, "03 00 00", "[]");
}

TEST(variant, sizes_of_four_bytes_are_read)
{
    check_json(t, "c1 01 00 00 00 00 00 00 00 01 00 00 00 61",
               "7e 01 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00",
               "{\"a\":null}");
    check_json(t, NO_NAMES,
               "1f 02 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 04 08",
               "[true,false]");
    check_json(t, NO_NAMES, "0b 02 00 00 00 01 00 00 02 00 00 04 08",
               "[true,false]");
}

static void put_number(PqBuf *b, uint32_t size, uint32_t v)
{
    for (uint32_t k = 0; k < size; k++) {
        pq_buf_byte(b, (uint8_t)(v >> (8 * k)));
    }
}

/* {"":[true,null],"b":7}, with all numbers in the sizes given. */
static void sized(Test *t, uint32_t id, uint32_t offset, bool large, PqBuf *m,
                  PqBuf *v)
{
    uint32_t n_array = (large ? 7u : 4u) + 3 * offset, i;

    pq_buf_init(m, t->mem, t->e);
    pq_buf_init(v, t->mem, t->e);
    pq_buf_byte(m, (uint8_t)(1 | (offset - 1) << 6));
    for (i = 0; i < 4; i++) {
        put_number(m, offset, i == 0 ? 2 : i == 3 ? 1 : 0);
    }
    pq_buf_byte(m, 'b');
    pq_buf_byte(v, (uint8_t)(2 | (offset - 1) << 2 | (id - 1) << 4 |
                             (uint32_t)large << 6));
    put_number(v, large ? 4 : 1, 2);
    put_number(v, id, 0);
    put_number(v, id, 1);
    put_number(v, offset, 2);
    put_number(v, offset, 0);
    put_number(v, offset, 2 + n_array);
    pq_buf_add(v, "\x0c\x07", 2);
    pq_buf_byte(v, (uint8_t)(3 | (offset - 1) << 2 | (uint32_t)large << 4));
    put_number(v, large ? 4 : 1, 2);
    for (i = 0; i < 3; i++) {
        put_number(v, offset, i);
    }
    pq_buf_add(v, "\x04\x00", 2);
}

TEST(variant, numbers_of_every_size_are_read)
{
    for (uint32_t i = 0; i < 32; i++) {
        const char *want = "{\"\":[true,null],\"b\":7}", *got;
        PqBuf m, v, out, copy;

        sized(t, i % 4 + 1, i / 4 % 4 + 1, i >= 16, &m, &v);
        got = json_of(t, pq_buf_view(&m), pq_buf_view(&v), &out);
        CHECK_TEXT(got ? got : t->e->text, want);
        got = copied_json(t, pq_buf_view(&m), pq_buf_view(&v), &copy);
        CHECK_TEXT(got ? got : t->e->text, want);
        pq_buf_free(&m);
        pq_buf_free(&v);
        pq_buf_free(&out);
        pq_buf_free(&copy);
    }
}

TEST(variant, items_may_be_stored_in_any_order)
{
    check_json(t, "01 02 00 01 02 61 62", "02 02 00 01 01 00 02 04 08",
               "{\"a\":false,\"b\":true}");
    check_json(t, NO_NAMES, "03 03 02 00 01 03 04 08 00",
               "[null,true,false]");
}

TEST(variant, fields_in_another_order_are_read)
{
    check_json(t, "01 02 00 01 02 61 62", "02 02 01 00 00 01 02 04 08",
               "{\"b\":true,\"a\":false}");
}

TEST(variant, reserved_bits_and_bytes_behind_the_value_are_ignored)
{
    check_json(t, "31 00 00", "04 ff ff", "true");
    check_json(t, NO_NAMES, "e3 01 00 01 04", "[true]");
    check_json(t, "01 01 00 01 61", "82 01 00 00 01 04", "{\"a\":true}");
}

TEST(variant, metadata_without_names_may_lack_its_only_offset)
{
    check_json(t, "01 00", "0c 22", "34");
}

TEST(variant, what_contradicts_itself_is_refused)
{
    const char *a = "01 01 00 01 61";

    check_fails(t, "", "00", PQ_CORRUPT, "without metadata");
    check_fails(t, "02 00 00", "00", PQ_UNSUPPORTED, "version 2");
    check_fails(t, "01 05 00", "00", PQ_CORRUPT, "6 offsets of names in 1");
    check_fails(t, "c1 ff ff ff ff 00", "00", PQ_CORRUPT, "4294967296");
    check_fails(t, NO_NAMES, "", PQ_CORRUPT, "no bytes");
    check_fails(t, NO_NAMES, "14 00 00", PQ_CORRUPT, "4 bytes wanted");
    check_fails(t, NO_NAMES, "0d 61", PQ_CORRUPT, "3 bytes wanted");
    check_fails(t, NO_NAMES, "40 ff ff ff ff 61", PQ_CORRUPT, "wanted");
    check_fails(t, NO_NAMES, "20 27 00 00 00 00", PQ_CORRUPT, "scale 39");
    check_fails(t, NO_NAMES, "13 ff ff ff ff", PQ_CORRUPT, "4294967296");
    check_fails(t, NO_NAMES, "03 01 00 09 04", PQ_CORRUPT, "9 bytes wanted");
    check_fails(t, NO_NAMES, "03 01 05 01 04", PQ_CORRUPT, "lies at 5 of 1");
    check_fails(t, NO_NAMES, "02 01 00 00 01 04", PQ_CORRUPT, "name 0 of 0");
    check_fails(t, "01 01 03 01 61", "02 01 00 00 01 04", PQ_CORRUPT,
                "lies at 3..1");
    check_fails(t, "01 01 00 09 61", "02 01 00 00 01 04", PQ_CORRUPT,
                "lies at 0..9");
    check_fails(t, a, "02 02 00 00 00 01 02 04 08", PQ_CORRUPT,
                "field \"a\" twice");
}

/* depth arrays, each with `width` items that are all the next array. */
static PqSlice shared_arrays(Test *t, PqBuf *b, unsigned depth, unsigned width)
{
    pq_buf_init(b, t->mem, t->e);
    for (unsigned i = depth; i > 0; i--) {
        size_t rest = (size_t)(i - 1) * (6 + 4 * (width + 1) - 1) + 1;
        uint8_t head[5] = {0x1f};    /* array, large, offsets of 4 bytes */
        pq_store_u32(head + 1, width);
        pq_buf_add(b, head, 5);
        for (unsigned k = 0; k <= width; k++) {
            pq_store_u32(head, k < width ? 0 : (uint32_t)rest);
            pq_buf_add(b, head, 4);
        }
    }
    pq_buf_byte(b, 0);
    return pq_buf_view(b);
}

TEST(variant, items_that_share_bytes_are_refused_at_once)
{
    PqBuf in, out;
    PqSlice value = shared_arrays(t, &in, 40, 2);

    PqVariantMeta m;

    CHECK(!json_of(t, test_hex(t, NO_NAMES), value, &out));
    CHECK_INT(t->e->rc, PQ_CORRUPT);
    CHECK(out.n < 1000);
    pq_err_clear(t->e);
    pq_buf_free(&out);
    CHECK(!copied_json(t, test_hex(t, NO_NAMES), value, &out));
    CHECK_INT(t->e->rc, PQ_CORRUPT);
    pq_err_clear(t->e);
    pq_buf_free(&out);
    CHECK_OK(pq_variant_meta_open(test_hex(t, NO_NAMES), &m, t->e));
    CHECK_FAILS(pq_variant_check(&m, value, t->e), PQ_CORRUPT, "bytes");
    pq_buf_free(&in);
}

TEST(variant, a_thousand_levels_are_read_and_more_are_refused)
{
    PqBuf in, out;
    PqSlice value = shared_arrays(t, &in, PQ_VARIANT_MAX_DEPTH, 1);

    CHECK(json_of(t, test_hex(t, NO_NAMES), value, &out));
    CHECK_INT(out.n, 2 * PQ_VARIANT_MAX_DEPTH + 4 + 1);
    pq_buf_free(&in);
    pq_buf_free(&out);
    value = shared_arrays(t, &in, PQ_VARIANT_MAX_DEPTH + 1, 1);
    CHECK(!json_of(t, test_hex(t, NO_NAMES), value, &out));
    CHECK_INT(t->e->rc, PQ_UNSUPPORTED);
    pq_err_clear(t->e);
    pq_buf_free(&in);
    pq_buf_free(&out);
}

/* ---- the official samples ------------------------------------------------ */

#define ARRAY_NESTED                                                       \
    "[{\"id\":1,\"thing\":{\"names\":[\"Contrarian\",\"Spider\"]}},null,"  \
    "{\"id\":2,\"names\":[\"Apple\",\"Ray\",null],\"type\":\"if\"}]"
#define OBJECT_NESTED                                                      \
    "{\"id\":1,\"observation\":{\"location\":\"In the Volcano\","          \
    "\"time\":\"12:34:56\",\"value\":{\"humidity\":456,"                   \
    "\"temperature\":123}},\"species\":{\"name\":\"lava monster\","        \
    "\"population\":6789}}"
#define OBJECT_PRIMITIVE                                                   \
    "{\"boolean_false_field\":false,\"boolean_true_field\":true,"          \
    "\"double_field\":1.23456789,\"int_field\":1,\"null_field\":null,"     \
    "\"string_field\":\"Apache Parquet\","                                 \
    "\"timestamp_field\":\"2025-04-16T12:34:56.78\"}"
#define PRIMITIVE_STRING                                                   \
    "\"This string is longer than 64 bytes and therefore does not fit in " \
    "a short_string and it also includes several non ascii characters "   \
    "such as \xf0\x9f\x90\xa2, \xf0\x9f\x92\x96, \xe2\x99\xa5\xef\xb8"     \
    "\x8f, \xf0\x9f\x8e\xa3 and \xf0\x9f\xa4\xa6!!\""

/* NULL: not in data_dictionary.json, only to be damaged. */
static const struct { const char *name, *text; } sample[] = {
    {"array_empty", "[]"},
    {"array_nested", ARRAY_NESTED},
    {"array_primitive", "[2,1,5,9]"},
    {"long_string", NULL},
    {"object_empty", "{}"},
    {"object_nested", OBJECT_NESTED},
    {"object_primitive", OBJECT_PRIMITIVE},
    {"primitive_binary", "\"031337DEADBEEFCAFE\""},
    {"primitive_boolean_false", "false"},
    {"primitive_boolean_true", "true"},
    {"primitive_date", "\"2025-04-16\""},
    {"primitive_decimal16", "12345678912345678.90"},
    {"primitive_decimal4", "12.34"},
    {"primitive_decimal8", "12345678.90"},
    {"primitive_double", "1234567890.1234"},
    {"primitive_float", "1234568000.0"},
    {"primitive_int16", "1234"},
    {"primitive_int32", "123456"},
    {"primitive_int64", "1234567890123456789"},
    {"primitive_int8", "42"},
    {"primitive_null", "null"},
    {"primitive_string", PRIMITIVE_STRING},
    {"primitive_time", "\"12:33:54.123456\""},
    {"primitive_timestamp", "\"2025-04-16 16:34:56.780\""},
    {"primitive_timestamp_nanos", "\"2024-11-07 12:33:54.123456789\""},
    {"primitive_timestampntz", "\"2025-04-16 12:34:56.780\""},
    {"primitive_timestampntz_nanos", "\"2024-11-07 12:33:54.123456789\""},
    {"primitive_uuid", "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""},
    {"short_string", "\"Less than 64 bytes (\xe2\x9d\xa4\xef\xb8\x8f with "
                     "utf8)\""},
};

enum { SAMPLE_MAX = 1024 };

typedef struct Bytes { uint8_t p[SAMPLE_MAX]; size_t n; } Bytes;

static bool read_part(const char *name, const char *part, Bytes *out)
{
    const char *root = getenv("PARQUET_TESTING");
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/variant/%s.%s",
             root ? root : "../shared/parquet-testing", name, part);
    f = fopen(path, "rb");
    if (!f) {
        return false;
    }
    out->n = fread(out->p, 1, sizeof out->p, f);
    fclose(f);
    return true;
}

/* Exactly n bytes on the heap, so that a read beyond them is seen. */
static PqSlice exact(Test *t, const uint8_t *p, size_t n)
{
    uint8_t *copy = pq_mem_alloc(t->mem, n, t->e);

    if (copy && n) {
        memcpy(copy, p, n);
    }
    return pq_slice(copy, n);
}

/* Any bytes give a text or an error; what can be copied can be printed. */
static void survive(Test *t, const uint8_t *meta, size_t n_meta,
                    const uint8_t *value, size_t n_value)
{
    PqSlice m = exact(t, meta, n_meta), v = exact(t, value, n_value);
    PqBuf out, copy;
    bool printed, copied;

    printed = json_of(t, m, v, &out) != NULL;
    if (!printed && t->e->rc == PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "no text and no error");
    }
    pq_err_clear(t->e);
    copied = copied_json(t, m, v, &copy) != NULL;
    if (copied && !printed) {
        test_fail(t, __FILE__, __LINE__, "copied, and not printed");
    }
    pq_err_clear(t->e);
    pq_buf_free(&out);
    pq_buf_free(&copy);
    pq_mem_free((void *)(uintptr_t)m.p);
    pq_mem_free((void *)(uintptr_t)v.p);
}

TEST(variant, the_official_values_are_read)
{
    static Bytes meta, value;

    for (size_t i = 0; i < PQ_COUNT(sample); i++) {
        PqBuf out;
        const char *got;

        if (!read_part(sample[i].name, "metadata", &meta) ||
            !read_part(sample[i].name, "value", &value)) {
            t->skipped = NO_SAMPLES;
            return;
        }
        got = json_of(t, pq_slice(meta.p, meta.n), pq_slice(value.p, value.n),
                      &out);
        if (!got || (sample[i].text && strcmp(got, sample[i].text) != 0)) {
            test_fail(t, __FILE__, __LINE__, "%s is %s", sample[i].name,
                      got ? got : t->e->text);
        }
        pq_buf_free(&out);
    }
}

TEST(variant, a_copy_of_an_official_value_is_the_same_value)
{
    static Bytes meta, value;

    for (size_t i = 0; i < PQ_COUNT(sample); i++) {
        const char *got, *want;
        PqBuf out, copy;
        PqSlice m, v;

        if (!read_part(sample[i].name, "metadata", &meta) ||
            !read_part(sample[i].name, "value", &value)) {
            t->skipped = NO_SAMPLES;
            return;
        }
        m = pq_slice(meta.p, meta.n);
        v = pq_slice(value.p, value.n);
        want = json_of(t, m, v, &out);
        got = copied_json(t, m, v, &copy);
        CHECK(got && want);
        CHECK_TEXT(got, want);
        pq_buf_free(&out);
        pq_buf_free(&copy);
    }
}

TEST(variant, no_prefix_of_an_official_value_is_read_beyond_its_end)
{
    static Bytes meta, value;

    for (size_t i = 0; i < PQ_COUNT(sample); i++) {
        if (!read_part(sample[i].name, "metadata", &meta) ||
            !read_part(sample[i].name, "value", &value)) {
            t->skipped = NO_SAMPLES;
            return;
        }
        for (size_t n = 0; n < meta.n; n++) {
            survive(t, meta.p, n, value.p, value.n);
        }
        for (size_t n = 0; n < value.n; n++) {
            survive(t, meta.p, meta.n, value.p, n);
        }
    }
}

/* Puts ff, 00 and every flipped bit in place of every byte. */
static void damage(Test *t, Bytes *victim, const Bytes *meta,
                   const Bytes *value)
{
    for (size_t at = 0; at < victim->n; at++) {
        uint8_t was = victim->p[at];
        for (unsigned k = 0; k < 10; k++) {
            victim->p[at] = (uint8_t)(k < 8 ? was ^ 1u << k
                                            : k == 8 ? 0u : 0xffu);
            survive(t, meta->p, meta->n, value->p, value->n);
        }
        victim->p[at] = was;
    }
}

TEST(variant, an_official_value_with_a_damaged_byte_is_survived)
{
    static Bytes meta, value;

    for (size_t i = 0; i < PQ_COUNT(sample); i++) {
        if (!read_part(sample[i].name, "metadata", &meta) ||
            !read_part(sample[i].name, "value", &value)) {
            t->skipped = NO_SAMPLES;
            return;
        }
        damage(t, &meta, &meta, &value);
        damage(t, &value, &meta, &value);
    }
}
