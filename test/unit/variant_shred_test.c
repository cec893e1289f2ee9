/*
** variant_shred_test.c - Variants in columns: the tables of the specification,
** and blobs that no careful writer makes.
*/
#include "core/meta/schema_make.h"
#include "test/unit/shred_fixture.h"

static const PqType bytes_type = {.physical = PQ_BYTE_ARRAY};
static const PqType text_type = {.physical = PQ_BYTE_ARRAY,
                                 .logical = PQ_TYPE_STRING};
static const PqType int_type = {.physical = PQ_INT64};

/* A column v, which is a VARIANT. */
typedef struct Made {
    Test         *t;
    PqArena       arena;
    PqSchemaMake *m;
    PqSchema      schema;
    Shred         f;
} Made;

static void begin(Test *t, Made *v)
{
    v->t = t;
    pq_arena_init(&v->arena, t->mem);
    pq_schema_make_new(t->mem, &v->m, t->e);
    pq_schema_make_group(v->m, PQ_NODE_VARIANT, "v", false, -1);
    pq_schema_make_leaf(v->m, "metadata", &bytes_type, true, -1);
    pq_schema_make_leaf(v->m, "value", &bytes_type, false, -1);
}

static void field(Made *v, const char *name)
{
    pq_schema_make_group(v->m, PQ_NODE_STRUCT, name, true, -1);
    pq_schema_make_leaf(v->m, "value", &bytes_type, false, -1);
}

static void typed(Made *v, const PqType *type)
{
    pq_schema_make_leaf(v->m, "typed_value", type, false, -1);
}

static void close_one(Made *v)
{
    pq_schema_make_close(v->m);
}

static void made(Made *v)
{
    PqSchemaElementList list;

    pq_schema_make_close(v->m);
    if (pq_schema_make_end(v->m, &v->arena, &list, v->t->e) != PQ_OK ||
        pq_schema_build(&list, &v->arena, &v->schema, v->t->e) != PQ_OK) {
        test_fail(v->t, __FILE__, __LINE__, "%s", v->t->e->text);
        return;
    }
    shred_open(v->t, &v->f, &v->schema, NULL);
}

static void end(Made *v)
{
    shred_close(&v->f);
    pq_schema_make_free(v->m);
    pq_arena_free(&v->arena);
}

/* The values of a leaf, as hex, or a minus for none. */
static const char *hex_of(Made *v, uint32_t leaf)
{
    const PqLeafBatch *b = &v->f.batch[leaf];
    PqBuf *out = &v->f.text;
    uint32_t k = 0;

    out->n = 0;
    for (uint32_t i = 0; i < b->n_entries; i++) {
        bool has = pq_leaf_batch_has_levels(b)
                       ? b->def[i] == b->leaf->max_def
                       : !pq_leaf_batch_has_valid(b) || pq_bit(b->valid, i);
        PqStr s = has ? ((const PqStr *)b->values)[k++] : (PqStr){NULL, 0};

        pq_buf_text(out, i ? " " : "");
        for (uint32_t j = 0; j < s.n; j++) {
            pq_buf_printf(out, "%02x", s.p[j]);
        }
        pq_buf_text(out, has ? "" : "-");
    }
    pq_buf_byte(out, 0);
    return (const char *)out->p;
}

TEST(variant_shred, a_number_column_beside_other_values)
{
    Made v;

    begin(t, &v);
    typed(&v, &int_type);
    made(&v);
    shred_row(&v.f, "34");
    shred_row(&v.f, "null");
    shred_row(&v.f, "\"n/a\"");
    shred_row(&v.f, "100");
    shred_row(&v.f, NULL);
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 0), "010000 010000 010000 010000 -");
    CHECK_TEXT(hex_of(&v, 1), "- 00 0d6e2f61 - -");
    CHECK_TEXT(shred_levels(&v.f, 1), " 12210");
    CHECK_TEXT(shred_levels(&v.f, 2), " 21120");
    CHECK_TEXT(shred_rows(&v.f, false), "34\nnull\n\"n/a\"\n100\n\n");
    end(&v);
}

TEST(variant_shred, an_array_never_has_a_missing_element)
{
    Made v;

    begin(t, &v);
    pq_schema_make_group(v.m, PQ_NODE_LIST, "typed_value", false, -1);
    field(&v, NULL);
    typed(&v, &text_type);
    close_one(&v);
    close_one(&v);
    made(&v);
    shred_row(&v.f, "[\"comedy\",\"drama\"]");
    shred_row(&v.f, "[\"horror\",null]");
    shred_row(&v.f, "[]");
    shred_row(&v.f, "null");
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 1), "- - - 00");
    CHECK_TEXT(hex_of(&v, 2), "- - - 00 - -");
    CHECK_TEXT(shred_levels(&v.f, 2), "010100 333421");
    CHECK_TEXT(shred_levels(&v.f, 3), "010100 444321");
    CHECK_TEXT(shred_rows(&v.f, false), "[\"comedy\",\"drama\"]\n"
               "[\"horror\",null]\n[]\nnull\n");
    end(&v);
}

/* The table of objects of the specification, with a number for the time. */
static void open_event(Test *t, Made *v)
{
    begin(t, v);
    pq_schema_make_group(v->m, PQ_NODE_STRUCT, "typed_value", false, -1);
    field(v, "event_type");
    typed(v, &text_type);
    close_one(v);
    field(v, "event_ts");
    typed(v, &int_type);
    close_one(v);
    close_one(v);
    made(v);
}

TEST(variant_shred, objects_are_shredded_as_in_the_specification)
{
    static const char *const rows[] = {
        "{\"event_ts\":1729794114937,\"event_type\":\"noop\"}",
        "{\"email\":\"u\",\"event_ts\":1729794146402,\"event_type\":\"login\"}",
        "{\"error_msg\":\"m\"}",
        "\"malformed: not an object\"",
        "{\"click\":\"b\",\"event_ts\":1729794240241}",
        "{\"event_ts\":1729794954163,\"event_type\":null}",
        "{\"event_ts\":\"2024-10-24\",\"event_type\":\"noop\"}",
        "{}",
        "null",
    };
    char all[1000] = "";
    Made v;

    open_event(t, &v);
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        shred_row(&v.f, rows[i]);
        strcat(strcat(all, rows[i]), "\n");
    }
    shred_row(&v.f, NULL);
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 1), "- 020100000205" "75" " 02010000020" "56d"
               " 616d616c666f726d65643a206e6f7420616e206f626a656374"
               " 0201000002" "0562 - - - 00 -");
    CHECK_TEXT(hex_of(&v, 2), "- - - - - 00 - - - -");
    CHECK_TEXT(shred_levels(&v.f, 3), " 3321223210");
    CHECK_TEXT(shred_levels(&v.f, 5), " 3321332210");
    CHECK_TEXT(shred_rows(&v.f, false), strcat(all, "\n"));
    end(&v);
}

/* The names event_type, x, a, and event_ts, which are in no order. */
#define NAMES "01 04 00 0a 0b 0c 14 " \
    "65 76 65 6e 74 5f 74 79 70 65 78 61 65 76 65 6e 74 5f 74 73"

TEST(variant_shred, fields_in_any_order_are_found)
{
    Made v;

    open_event(t, &v);
    shred_blob(&v.f, test_hex(t, NAMES "02 04 01 00 02 03 00 01 03 05 07 "
                                       "00 05 62 0c 07 0c 09"));
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 1), "02020003000203" "0c0700");
    CHECK_TEXT(shred_rows(&v.f, false), "{\"a\":7,\"event_ts\":9,"
               "\"event_type\":\"b\",\"x\":null}\n");
    end(&v);
}

/* A VARIANT without a typed_value. */
static void open_plain(Test *t, Made *v)
{
    begin(t, v);
    made(v);
}

/* {"x":[{"b":7,"a":8}]}: a part that is stored as bytes. */
TEST(variant_shred, fields_in_no_order_are_written_in_order)
{
    Made v;

    open_plain(t, &v);
    shred_blob(&v.f, test_hex(t, "01 03 00 01 02 03 78 62 61 "
                                 "02 01 00 00 0f 03 01 00 0b "
                                 "02 02 01 02 00 02 04 0c 07 0c 08"));
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 0), "110300010203616278");
    CHECK_TEXT(hex_of(&v, 1), "020102000f0301000b" "0202000102000" "40c070c08");
    CHECK_TEXT(shred_rows(&v.f, false), "{\"x\":[{\"a\":8,\"b\":7}]}\n");
    end(&v);
}

/* b and a, in the order of their names, but the metadata say that they are
** sorted. */
TEST(variant_shred, names_that_are_not_sorted_are_not_said_to_be)
{
    Made v;

    open_plain(t, &v);
    shred_blob(&v.f, test_hex(t, "11 02 00 01 02 62 61 "
                                 "02 02 01 00 00 02 04 0c 07 0c 08"));
    shred_blob(&v.f, test_hex(t, "01 02 00 01 02 62 61 "
                                 "02 02 01 00 00 02 04 0c 07 0c 08"));
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 0), "11020001026162 01020001026261");
    CHECK_TEXT(hex_of(&v, 1), "020200010002040c070c08 020201000002040c070c08");
    CHECK_TEXT(shred_rows(&v.f, false), "{\"a\":7,\"b\":8}\n"
                                        "{\"a\":7,\"b\":8}\n");
    end(&v);
}

/* {"a":7,"b":8,"a":9} */
TEST(variant_shred, a_field_that_comes_twice_in_the_bytes_is_a_misfit)
{
    Made v;

    open_plain(t, &v);
    shred_blob(&v.f, test_hex(t, "11 02 00 01 02 61 62 "
                                 "02 03 00 01 00 00 02 04 06 "
                                 "0c 07 0c 08 0c 09"));
    CHECK_FAILS(shred_fill(&v.f), PQ_USAGE, "\"a\" twice");
    end(&v);
}

TEST(variant_shred, a_field_that_comes_twice_is_a_misfit)
{
    Made v;

    open_event(t, &v);
    shred_row(&v.f, "{\"event_ts\":1}");
    shred_blob(&v.f, test_hex(t, NAMES "02 03 03 01 03 00 02 04 06 "
                                       "0c 07 0c 08 0c 09"));
    CHECK_FAILS(shred_fill(&v.f), PQ_USAGE, "\"event_ts\" twice");
    CHECK_INT(v.f.misfit, 1);
    CHECK_TEXT(shred_rows(&v.f, false), "{\"event_ts\":1}\n");
    end(&v);
}

/* a, event_ts, a: neither of the two has a column. */
TEST(variant_shred, a_field_without_a_column_that_comes_twice_is_a_misfit)
{
    Made v;

    open_event(t, &v);
    shred_row(&v.f, "{\"event_ts\":1}");
    shred_blob(&v.f, test_hex(t, NAMES "02 03 02 03 02 00 02 04 06 "
                                       "0c 07 0c 08 0c 09"));
    CHECK_FAILS(shred_fill(&v.f), PQ_USAGE, "\"a\" twice");
    CHECK_TEXT(shred_rows(&v.f, false), "{\"event_ts\":1}\n");
    end(&v);
}

/* Only the offsets say where each ends.  Half a million of them take no time if
** each is looked at once, and many minutes if each looks at all others. */
TEST(variant_shred, a_great_many_values_of_unknown_types)
{
    enum { N = 500000, UNKNOWN = 21 << 2 };
    PqBuf blob;
    Made v;

    begin(t, &v);
    pq_schema_make_group(v.m, PQ_NODE_LIST, "typed_value", false, -1);
    field(&v, NULL);
    typed(&v, &int_type);
    close_one(&v);
    close_one(&v);
    made(&v);
    pq_buf_init(&blob, t->mem, t->e);
    pq_buf_add(&blob, "\x01\x00\x00\x1f", 4);    /* sizes of 4 bytes */
    for (uint32_t i = 0; i <= N + 1; i++) {
        uint8_t number[4];

        pq_store_u32(number, i ? i - 1 : N);       /* n, then offsets */
        pq_buf_add(&blob, number, sizeof number);
    }
    for (uint32_t i = 0; i < N; i++) {
        pq_buf_byte(&blob, UNKNOWN);
    }
    shred_blob(&v.f, pq_buf_view(&blob));
    CHECK_OK(shred_fill(&v.f));
    CHECK_INT(v.f.batch[2].n_values, N);
    CHECK_INT(v.f.batch[2].n_bytes, N);
    pq_buf_free(&blob);
    end(&v);
}

TEST(variant_shred, malformed_cells_leave_nothing)
{
    static const char *const blobs[] = {
        "", "01", "01 00 00 0c", "01 00 00 00 00", "02 00 00 00",
        "01 00 00 05 ff",
        "01 01 00 01 ff 02 01 00 00 01 00",
    };
    static const char *const texts[] = {"", "{", "[1,]", "{\"a\":1,\"a\":2}",
                                        "\"\xff\"", "1 2"};
    const char *before;
    Made v;

    open_event(t, &v);
    shred_row(&v.f, "{\"event_ts\":1,\"z\":[1.50]}");
    CHECK_OK(shred_fill(&v.f));
    before = pq_arena_text(&v.arena, shred_counts(&v.f),
                           strlen(shred_counts(&v.f)), t->e);
    for (size_t i = 0; i < PQ_COUNT(blobs); i++) {
        shred_blob(&v.f, test_hex(t, blobs[i]));
        CHECK_FAILS(shred_fill(&v.f), PQ_USAGE, "not a Variant");
        CHECK_TEXT(shred_counts(&v.f), before);
    }
    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        shred_row(&v.f, texts[i]);
        CHECK_FAILS(shred_fill(&v.f), PQ_USAGE, "");
        CHECK_TEXT(shred_counts(&v.f), before);
    }
    end(&v);
}

TEST(variant_shred, sql_numbers_are_the_smallest_integer_and_a_double)
{
    Made v;

    begin(t, &v);
    made(&v);
    shred_int(&v.f, 7);
    shred_int(&v.f, -129);
    shred_int(&v.f, INT64_MIN);
    shred_real(&v.f, 1.5);
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 1), "0c07 107fff 180000000000000080 "
               "1c000000000000f83f");
    end(&v);
}

TEST(variant_shred, metadata_without_its_offset_is_written_with_it)
{
    Made v;

    begin(t, &v);
    made(&v);
    shred_blob(&v.f, test_hex(t, "01 00 0c 07"));
    CHECK_OK(shred_fill(&v.f));
    CHECK_TEXT(hex_of(&v, 0), "010000");
    CHECK_TEXT(hex_of(&v, 1), "0c07");
    end(&v);
}
