/*
** variant_cast_test.c - every cell of the table of casts.
**
** A value is written as its type and its text; the string is cast to the type,
** which is what the rows "string" test on their own.
*/
#include "core/variant/variant_cast.h"
#include "test/unit/test.h"

#include <math.h>

/* The kinds of values, each with one that is not special. */
static const char *const sources[][2] = {
    {"boolean", "true"}, {"tinyint", "65"}, {"float", "1.5"},
    {"double", "1.5"}, {"decimal(10,2)", "12.50"}, {"date", "2024-03-01"},
    {"time", "13:45:00"}, {"timestamp", "2024-03-01 13:45:00"},
    {"timestamp_ntz", "2024-03-01 13:45:00"}, {"binary", "abc"},
    {"string", "abc"}, {"uuid", "00112233-4455-6677-8899-aabbccddeeff"},
    {"object", "{}"}, {"array", "[]"}
};

static const char *const targets[] = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double",
    "decimal(10,2)", "string", "binary", "date", "time", "timestamp",
    "timestamp_ntz", "uuid"
};

/* from, text, to, result as text; NULL: it does not fit, "!": never. */
static const char *const casts[][4] = {
    {"boolean", "true", "boolean", "true"},
    {"boolean", "true", "tinyint", "1"},
    {"boolean", "false", "smallint", "0"},
    {"boolean", "true", "int", "1"},
    {"boolean", "true", "bigint", "1"},
    {"boolean", "true", "float", "1.0"},
    {"boolean", "true", "double", "1.0"},
    {"boolean", "true", "decimal(10,2)", "1.00"},
    {"boolean", "true", "decimal(18,17)", "1.00000000000000000"},
    {"boolean", "true", "decimal(18,18)", NULL},
    {"boolean", "false", "decimal(18,18)", "0.000000000000000000"},
    {"boolean", "false", "string", "false"},

    {"tinyint", "1", "boolean", "true"},
    {"tinyint", "0", "boolean", "false"},
    {"tinyint", "65", "tinyint", "65"},
    {"int", "127", "tinyint", "127"},
    {"int", "-128", "tinyint", "-128"},
    {"int", "128", "tinyint", NULL},
    {"int", "-129", "tinyint", NULL},
    {"tinyint", "65", "smallint", "65"},
    {"int", "-32768", "smallint", "-32768"},
    {"int", "-32769", "smallint", NULL},
    {"tinyint", "65", "int", "65"},
    {"bigint", "2147483647", "int", "2147483647"},
    {"bigint", "2147483648", "int", NULL},
    {"tinyint", "65", "bigint", "65"},
    {"bigint", "-9223372036854775808", "bigint", "-9223372036854775808"},
    {"tinyint", "65", "float", "65.0"},
    {"int", "2147483647", "float", "2147483600.0"},
    {"tinyint", "65", "double", "65.0"},
    {"int", "2147483647", "double", "2147483647.0"},
    {"tinyint", "65", "decimal(10,2)", "65.00"},
    {"int", "1", "decimal(9,4)", "1.0000"},
    {"int", "99999999", "decimal(38,30)",
     "99999999.000000000000000000000000000000"},
    {"int", "100000000", "decimal(38,30)", NULL},
    {"int", "12345", "decimal(6,3)", NULL},
    {"tinyint", "65", "string", "65"},
    {"tinyint", "65", "timestamp", "1970-01-01 00:01:05"},
    {"int", "-1", "timestamp", "1969-12-31 23:59:59"},
    {"bigint", "9223372036854", "timestamp", "+294247-01-10 04:00:54"},
    {"bigint", "9223372036855", "timestamp", NULL},

    {"float", "0.5", "boolean", "true"},
    {"float", "127.9", "tinyint", "127"},
    {"float", "128", "tinyint", NULL},
    {"float", "1.5", "smallint", "1"},
    {"float", "-1.5", "int", "-1"},
    {"float", "nan", "int", NULL},
    {"float", "1e19", "bigint", NULL},
    {"float", "1.5", "bigint", "1"},
    {"float", "0.1", "float", "0.1"},
    {"float", "0.1", "double", "0.10000000149011612"},
    {"float", "1.5", "decimal(10,2)", "1.50"},
    {"float", "inf", "decimal(10,2)", NULL},
    {"float", "0.1", "string", "0.1"},
    {"float", "-inf", "string", "-Infinity"},
    {"float", "1.5", "timestamp", "1970-01-01 00:00:01.500"},

    {"double", "1", "boolean", "true"},
    {"double", "-0", "boolean", "false"},
    {"double", "127", "tinyint", "127"},
    {"double", "-128.9", "tinyint", "-128"},
    {"double", "128", "tinyint", NULL},
    {"double", "1.5", "smallint", "1"},
    {"double", "1.5", "int", "1"},
    {"double", "1.5", "bigint", "1"},
    {"double", "-9.223372036854776e18", "bigint", "-9223372036854775808"},
    {"double", "-9.223372036854778e18", "bigint", NULL},
    {"double", "9.223372036854776e18", "bigint", NULL},
    {"double", "nan", "bigint", NULL},
    {"double", "0.1", "float", "0.1"},
    {"double", "1e308", "float", "Infinity"},
    {"double", "0.1", "double", "0.1"},
    {"double", "1.5", "decimal(10,2)", "1.50"},
    {"double", "12345e-4", "decimal(5,2)", "1.23"},
    {"double", "0.125", "decimal(5,2)", "0.13"},
    {"double", "-0.125", "decimal(5,2)", "-0.13"},
    {"double", "9999999999e-2", "decimal(38,30)",
     "99999999.990000000000000000000000000000"},
    {"double", "1e8", "decimal(38,30)", NULL},
    {"double", "1e300", "decimal(38,0)", NULL},
    {"double", "1e-300", "decimal(38,0)", "0"},
    {"double", "nan", "decimal(38,0)", NULL},
    {"double", "1e10", "string", "10000000000.0"},
    {"double", "1e300", "string", "1.0e+300"},
    {"double", "nan", "string", "NaN"},
    {"double", "9223372036854.5", "timestamp",
     "+294247-01-10 04:00:54.500352"},
    {"double", "9223372036855", "timestamp", NULL},
    {"double", "nan", "timestamp", NULL},

    {"decimal(10,2)", "0.01", "boolean", "true"},
    {"decimal(10,2)", "0", "boolean", "false"},
    {"decimal(10,2)", "-128.99", "tinyint", "-128"},
    {"decimal(10,2)", "128", "tinyint", NULL},
    {"decimal(10,2)", "12.50", "smallint", "12"},
    {"decimal(13,3)", "2147483647.999", "int", "2147483647"},
    {"decimal(10,2)", "12.50", "bigint", "12"},
    {"decimal(19,0)", "9223372036854775808", "bigint", NULL},
    {"decimal(20,1)", "-9223372036854775808.0", "bigint",
     "-9223372036854775808"},
    {"decimal(10,2)", "12.50", "float", "12.5"},
    {"decimal(38,19)", "9999999999999999999.9999999999999999999", "float",
     "1.0e+19"},
    {"decimal(10,2)", "12.50", "double", "12.5"},
    {"decimal(38,19)", "9999999999999999999.9999999999999999999", "double",
     "1.0e+19"},
    {"decimal(10,2)", "12.50", "decimal(10,2)", "12.50"},
    {"decimal(10,1)", "123.0", "decimal(6,3)", "123.000"},
    {"decimal(3,2)", "1.14", "decimal(2,1)", "1.1"},
    {"decimal(3,2)", "1.15", "decimal(2,1)", "1.2"},
    {"decimal(3,2)", "-1.15", "decimal(2,1)", "-1.2"},
    {"decimal(19,19)", "0.0000000009999999994", "decimal(18,18)",
     "0.000000000999999999"},
    {"decimal(19,19)", "0.0000000009999999995", "decimal(18,18)",
     "0.000000001000000000"},
    {"decimal(2,1)", "9.5", "decimal(1,0)", NULL},
    {"decimal(38,38)", "0.99999999999999999999999999999999999999",
     "decimal(38,38)", "0.99999999999999999999999999999999999999"},
    {"decimal(38,38)", "0.99999999999999999999999999999999999999",
     "decimal(1,0)", "1"},
    {"decimal(10,2)", "12.50", "string", "12.50"},
    {"decimal(38,19)", "9999999999999999999.9999999999999999999", "string",
     "9999999999999999999.9999999999999999999"},
    {"decimal(10,2)", "12.50", "timestamp", "1970-01-01 00:00:12.500"},
    {"decimal(10,9)", "-0.000000999", "timestamp", "1970-01-01 00:00:00"},
    {"decimal(38,0)", "99999999999999999999999999999999999999", "timestamp",
     NULL},

    {"date", "2024-03-01", "string", "2024-03-01"},
    {"date", "2024-03-01", "date", "2024-03-01"},
    {"date", "2024-03-01", "timestamp", "2024-03-01 00:00:00"},
    {"date", "+2000000-03-01", "timestamp", NULL},
    {"date", "1969-12-31", "timestamp_ntz", "1969-12-31 00:00:00"},

    {"time", "13:45:00", "string", "13:45:00"},
    {"time", "13:45:00.000001", "time", "13:45:00.000001"},

    {"timestamp", "1970-01-01 00:01:05", "tinyint", "65"},
    {"timestamp", "2024-03-01 13:45:00", "tinyint", NULL},
    {"timestamp", "1969-12-31 23:59:59.5", "smallint", "-1"},
    {"timestamp", "2024-03-01 13:45:00", "int", "1709300700"},
    {"timestamp", "2024-03-01 13:45:00", "bigint", "1709300700"},
    {"timestamp", "1970-01-01 00:00:01.5", "float", "1.5"},
    {"timestamp", "2024-03-01 13:45:00.25", "double", "1709300700.25"},
    {"timestamp", "2024-03-01 13:45:00.25", "decimal(16,6)",
     "1709300700.250000"},
    {"timestamp", "1970-01-01 00:00:00.125", "decimal(10,2)", "0.13"},
    {"timestamp", "2024-03-01 13:45:00", "decimal(4,2)", NULL},
    {"timestamp", "2024-03-01 13:45:00.25", "string",
     "2024-03-01 13:45:00.250"},
    {"timestamp", "1969-12-31 23:59:59", "date", "1969-12-31"},
    {"timestamp", "2024-03-01 13:45:00", "timestamp", "2024-03-01 13:45:00"},
    {"timestamp", "2024-03-01 13:45:00", "timestamp_ntz",
     "2024-03-01 13:45:00"},

    {"timestamp_ntz", "2024-03-01 13:45:00", "string", "2024-03-01 13:45:00"},
    {"timestamp_ntz", "2024-03-01 23:45:00", "date", "2024-03-01"},
    {"timestamp_ntz", "2024-03-01 13:45:00", "timestamp",
     "2024-03-01 13:45:00"},
    {"timestamp_ntz", "2024-03-01 13:45:00", "timestamp_ntz",
     "2024-03-01 13:45:00"},

    {"binary", "abc", "string", "abc"},
    {"binary", "\xff", "string", NULL},
    {"binary", "abc", "binary", "abc"},

    {"string", " t ", "boolean", "true"},
    {"string", "YES", "boolean", "true"},
    {"string", "0", "boolean", "false"},
    {"string", "off", "boolean", NULL},
    {"string", " 65 ", "tinyint", "65"},
    {"string", "128", "tinyint", NULL},
    {"string", "+1", "smallint", "1"},
    {"string", "1.5", "int", NULL},
    {"string", "1e3", "int", NULL},
    {"string", "true", "int", NULL},
    {"string", "", "int", NULL},
    {"string", "9223372036854775807", "bigint", "9223372036854775807"},
    {"string", "9223372036854775808", "bigint", NULL},
    {"string", "12.34", "float", "12.34"},
    {"string", "-0.0", "double", "-0.0"},
    {"string", "inf", "double", "Infinity"},
    {"string", "-Infinity", "double", "-Infinity"},
    {"string", "1e400", "double", "Infinity"},
    {"string", "nan", "double", "NaN"},
    {"string", "one", "double", NULL},
    {"string", "12.34", "decimal(9,4)", "12.3400"},
    {"string", "12.345", "decimal(10,2)", "12.35"},
    {"string", "1.5e3", "decimal(10,2)", "1500.00"},
    {"string", "123456789", "decimal(10,2)", NULL},
    {"string", "x", "decimal(10,2)", NULL},
    {"string", "abc", "string", "abc"},
    {"string", "abc", "binary", "abc"},
    {"string", "1970-03-01", "date", "1970-03-01"},
    {"string", "2024", "date", "2024-01-01"},
    {"string", "2024-3", "date", "2024-03-01"},
    {"string", "2024-3-1 5:16:07", "date", "2024-03-01"},
    {"string", "2024-03-01 garbage", "date", "2024-03-01"},
    {"string", "2024-03-01T", "date", "2024-03-01"},
    {"string", "2024-03-01x", "date", NULL},
    {"string", "2024-03-01\tx", "date", NULL},
    {"string", "2024-03 x", "date", NULL},
    {"string", "2024 x", "date", NULL},
    {"string", "-024-03-01", "date", NULL},
    {"string", "2024-02-30", "date", NULL},
    {"string", "2024-02-30 x", "date", NULL},
    {"string", "+9999999-01-01", "date", NULL},
    {"string", "12", "date", NULL},
    {"string", "5:16", "time", "05:16:00"},
    {"string", "05:16:07.0000019", "time", "05:16:07.000001"},
    {"string", "25:00", "time", NULL},
    {"string", "05:16+99", "time", NULL},
    {"string", "05:16+01", "time", "05:16:00"},
    {"string", "2024-03 5:16", "timestamp", NULL},
    {"string", "2024-03-01T", "timestamp", NULL},
    {"string", "2024-03-01 garbage", "timestamp_ntz", NULL},
    {"string", "2024-03-01 5:16+99", "timestamp", NULL},
    {"string", "2024-03-01 5:16+99", "timestamp_ntz", NULL},
    {"string", "2024-03-01 5:16+09:75", "timestamp_ntz", NULL},
    {"string", "2026-04-05 5:16:07", "timestamp", "2026-04-05 05:16:07"},
    {"string", "2026-04-05T05:16:07+01:00", "timestamp",
     "2026-04-05 04:16:07"},
    {"string", "2026-04-05 05:16:07 -1", "timestamp", "2026-04-05 06:16:07"},
    {"string", "2026-04-05 05:16:07Z", "timestamp", "2026-04-05 05:16:07"},
    {"string", "2026-04-05 05:16:07 Berlin", "timestamp", NULL},
    {"string", "+300000-01-01", "timestamp", NULL},
    {"string", "now", "timestamp", NULL},
    {"string", "2026-04-05 5:16:07", "timestamp_ntz", "2026-04-05 05:16:07"},
    {"string", "2026-04-05T05:16:07+01:00", "timestamp_ntz",
     "2026-04-05 05:16:07"},
    {"string", "00112233-4455-6677-8899-AABBCCDDEEFF", "uuid",
     "00112233-4455-6677-8899-aabbccddeeff"},
    {"string", "0011", "uuid", NULL},

    {"uuid", "00112233-4455-6677-8899-aabbccddeeff", "string",
     "00112233-4455-6677-8899-aabbccddeeff"},
    {"uuid", "00112233-4455-6677-8899-aabbccddeeff", "uuid",
     "00112233-4455-6677-8899-aabbccddeeff"},

    {"object", "{}", "string", "{}"},
    {"array", "[]", "string", "[]"},
};

static PqVariantTarget target(Test *t, const char *name)
{
    PqVariantTarget to;

    if (pq_variant_target_parse(pq_slice_text(name), &to, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    return to;
}

static bool cast(Test *t, const PqVariantValue *v, const char *to, PqBuf *text,
                 PqVariantValue *out)
{
    static const uint8_t no_names[] = {1, 0, 0};
    PqVariantTarget type = target(t, to);
    PqVariantMeta m;
    bool is_null;

    pq_variant_meta_open(pq_slice(no_names, sizeof no_names), &m, t->e);
    return pq_variant_cast(&m, v, &type, text, out, &is_null, t->e) == PQ_OK &&
           !is_null;
}

/* A value of a type from its text. */
static bool made(Test *t, const char *type, const char *text, PqBuf *room,
                 PqVariantValue *out)
{
    static const uint8_t empty[2][4] = {{0x02, 0, 0}, {0x03, 0, 0}};
    PqVariantValue string = {.kind = PQ_VARIANT_STRING,
                             .bytes = pq_slice_text(text)};
    bool is_array = strcmp(type, "array") == 0;

    if (is_array || strcmp(type, "object") == 0) {
        *out = (PqVariantValue){
            .kind = is_array ? PQ_VARIANT_ARRAY : PQ_VARIANT_OBJECT,
            .bytes = pq_slice(empty[is_array], 3)};
        return true;
    }
    return cast(t, &string, type, room, out);
}

static void check_cast(Test *t, const char *const row[4])
{
    PqVariantValue v, out, text;
    PqBuf a, b, c;

    pq_buf_init(&a, t->mem, t->e);
    pq_buf_init(&b, t->mem, t->e);
    pq_buf_init(&c, t->mem, t->e);
    if (!made(t, row[0], row[1], &a, &v)) {
        test_fail(t, __FILE__, __LINE__, "%s '%s': %s", row[0], row[1],
                  t->e->text);
    } else if (!cast(t, &v, row[2], &b, &out)) {
        if (row[3] || t->e->rc != PQ_USAGE ||
            !strstr(t->e->text, "cannot cast ")) {
            test_fail(t, __FILE__, __LINE__, "%s '%s': %s", row[0], row[1],
                      t->e->text);
        }
    } else if (!cast(t, &out, "string", &c, &text) || !row[3] ||
               !pq_slice_is(text.bytes, row[3])) {
        test_fail(t, __FILE__, __LINE__, "%s '%s' as %s: %.*s, not %s", row[0],
                  row[1], row[2], (int)text.bytes.n,
                  (const char *)text.bytes.p, row[3] ? row[3] : "an error");
    }
    pq_err_clear(t->e);
    pq_buf_free(&a);
    pq_buf_free(&b);
    pq_buf_free(&c);
}

TEST(variant_cast, a_value_is_cast_as_the_table_says)
{
    for (size_t i = 0; i < PQ_COUNT(casts); i++) {
        check_cast(t, casts[i]);
    }
}

static const char *kind_name(const char *type)
{
    return strcmp(type, "smallint") == 0 || strcmp(type, "int") == 0 ||
                   strcmp(type, "bigint") == 0 ? "tinyint"
           : strncmp(type, "decimal", 7) == 0 ? "decimal(10,2)" : type;
}

TEST(variant_cast, a_pair_that_the_list_does_not_have_is_never_cast)
{
    for (size_t i = 0; i < PQ_COUNT(sources) * PQ_COUNT(targets); i++) {
        const char *const *from = sources[i / PQ_COUNT(targets)];
        const char *to = targets[i % PQ_COUNT(targets)];
        const char *row[4] = {from[0], from[1], to, NULL};
        size_t k = 0;

        while (k < PQ_COUNT(casts) &&
               (strcmp(kind_name(casts[k][0]), from[0]) != 0 ||
                (strcmp(casts[k][2], to) != 0))) {
            k++;
        }
        if (k == PQ_COUNT(casts)) {
            check_cast(t, row);
        }
    }
}

TEST(variant_cast, a_failing_cast_says_what_it_was_and_trying_gives_null)
{
    PqVariantValue v = {.kind = PQ_VARIANT_INT, .width = 2, .u.i = 300}, out;
    PqVariantTarget to = target(t, "TinyInt");
    bool is_null;
    PqBuf text;

    pq_buf_init(&text, t->mem, t->e);
    CHECK(pq_variant_cast(NULL, &v, &to, &text, &out, &is_null, t->e) ==
          PQ_USAGE);
    CHECK_TEXT(t->e->text, "cannot cast the number 300 to tinyint, which does "
               "not hold it");
    pq_err_clear(t->e);
    to.try_ = true;
    CHECK(pq_variant_cast(NULL, &v, &to, &text, &out, &is_null, t->e) ==
          PQ_OK);
    CHECK(is_null);
    pq_buf_free(&text);
}

TEST(variant_cast, a_type_has_a_name_and_takes_it_in_any_case)
{
    static const char *const wrong[] = {
        "bigin", "", "decimal(39,0)", "decimal(0)", "decimal(5,6)",
        "decimal(5", "decimal(5,2)x", "int(4)", "array<int>"
    };
    PqVariantTarget to;
    PqBuf text;

    pq_buf_init(&text, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(targets); i++) {
        to = target(t, targets[i]);
        text.n = 0;
        pq_variant_target_text(&to, &text);
        CHECK(pq_slice_is(pq_buf_view(&text), targets[i]));
    }
    to = target(t, " TIMESTAMP_NTZ ");
    CHECK(!to.type.utc && to.type.logical == PQ_TYPE_TIMESTAMP);
    to = target(t, "Decimal ( 12 , 3 )");
    CHECK(to.type.precision == 12 && to.type.scale == 3);
    to = target(t, "decimal");
    CHECK(to.type.precision == 10 && to.type.scale == 0);
    CHECK(target(t, "Variant").is_variant);
    for (size_t i = 0; i < PQ_COUNT(wrong); i++) {
        CHECK(pq_variant_target_parse(pq_slice_text(wrong[i]), &to, t->e) ==
              PQ_USAGE);
        pq_err_clear(t->e);
    }
    pq_buf_free(&text);
}

TEST(variant_cast, a_stored_value_comes_back)
{
    PqArena arena;
    PqBuf text, again;

    pq_arena_init(&arena, t->mem);
    pq_buf_init(&text, t->mem, t->e);
    pq_buf_init(&again, t->mem, t->e);
    for (size_t i = 0; i < PQ_COUNT(sources); i++) {
        union { uint8_t bytes[16]; int64_t i; PqStr s; } slot = {{0}};
        PqVariantValue v, back, shown;
        PqVariantTarget to;

        if (sources[i][0][0] == 'o' || strcmp(sources[i][0], "array") == 0) {
            continue;
        }
        to = target(t, sources[i][0]);
        CHECK(made(t, sources[i][0], sources[i][1], &text, &v));
        CHECK(pq_variant_store(&v, &to.type, &arena, &slot, t->e) == PQ_OK);
        CHECK(pq_variant_of_stored(&to.type, &slot, &back));
        CHECK(back.kind == v.kind);
        CHECK(cast(t, &back, "string", &again, &shown));
        CHECK(pq_slice_is(shown.bytes, sources[i][1]));
    }
    pq_buf_free(&text);
    pq_buf_free(&again);
    pq_arena_free(&arena);
}
