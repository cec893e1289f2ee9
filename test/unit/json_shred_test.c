/*
** json_shred_test.c - JSON and its levels, worked out by hand; and misfits.
*/
#include "test/unit/rows_fixture.h"
#include "test/unit/shred_fixture.h"

#include <stdlib.h>

#define OPEN(el)                                          \
    rows_open(t, &rows, el, PQ_COUNT(el), false);         \
    shred_open(t, &f, &rows.schema, NULL)
#define CLOSE()       \
    shred_close(&f);  \
    rows_close(&rows)
#define STRING .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_STRING
#define LIST .logical = PQ_LOGICAL_LIST
#define MAP .logical = PQ_LOGICAL_MAP

/* Each row fails with a text that contains why, and changes nothing. */
static bool refuses(Shred *f, const char *json, const char *why)
{
    char before[8000];
    PqRc rc;

    snprintf(before, sizeof before, "%s", shred_counts(f));
    shred_row(f, json);
    rc = shred_fill(f);
    if (rc != PQ_USAGE || !strstr(f->t->e->text, why) ||
        f->misfit != f->cells.n - 1 ||
        strcmp(before, shred_counts(f)) != 0) {
        test_fail(f->t, __FILE__, __LINE__, "%s: rc %d, \"%s\"; %s", json,
                  (int)rc, f->t->e->text, shred_counts(f));
        return false;
    }
    pq_err_clear(f->t->e);
    return true;
}

/* ---- the table of schema.h ----------------------------------------------- */

static const Element list_of_int[] = {
    GROUP("root", 'r', 1), GROUP("a", 'o', 1, LIST), GROUP("list", '*', 1),
    LEAF("element", 'o', .type = PQ_INT32)
};

TEST(json_shred, null_empty_and_a_null_element_differ)
{
    Rows rows;
    Shred f;

    OPEN(list_of_int);
    shred_row(&f, "[7,8]");
    shred_row(&f, " [ ] ");
    shred_row(&f, NULL);
    shred_row(&f, "null");
    shred_row(&f, "[9,null]");
    shred_row(&f, "[null]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), "01000010 33100322");
    CHECK_INT(f.batch[0].n_values, 3);
    CHECK_INT(((int32_t *)f.batch[0].values)[2], 9);
    CHECK_INT(f.batch[0].n_rows, 6);
    CHECK_TEXT(shred_rows(&f, false), "[7,8]\n[]\n\n\n[9,null]\n[null]\n");
    CLOSE();
}

TEST(json_shred, a_bare_repeated_field_takes_a_list_that_is_never_null)
{
    static const Element bare[] = {
        GROUP("root", 'r', 1), LEAF("a", '*', .type = PQ_INT64)
    };
    Rows rows;
    Shred f;

    OPEN(bare);
    shred_row(&f, "[1]");
    shred_row(&f, "[2,-3]");
    shred_row(&f, "[]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), "0010 1110");
    CHECK(refuses(&f, NULL, "NULL, where a value is required"));
    CHECK(refuses(&f, "null", "$: null, where a value is required"));
    CHECK(refuses(&f, "[1,null]", "$[1]: null, where a value is required"));
    CLOSE();
}

TEST(json_shred, lists_of_lists_keep_null_and_empty_apart_at_every_level)
{
    static const Element nested[] = {
        GROUP("root", 'r', 1), GROUP("a", 'o', 1, LIST),
        GROUP("list", '*', 1), GROUP("element", 'r', 1, LIST),
        GROUP("list", '*', 1), LEAF("element", 'o', STRING)
    };
    Rows rows;
    Shred f;

    OPEN(nested);
    shred_row(&f, "[[\"a\",null],[\"b\",\"c\"],[]]");
    shred_row(&f, "[]");
    shred_row(&f, NULL);
    shred_row(&f, "[[null]]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), "02121000 43442103");
    CHECK(refuses(&f, "[null]", "$[0]: null, where a value is required"));
    CLOSE();
}

TEST(json_shred, a_list_in_a_struct_begins_at_the_level_of_the_struct)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("s", 'o', 2),
        GROUP("l", 'r', 1, LIST), GROUP("list", '*', 1),
        LEAF("element", 'r', .type = PQ_INT32),
        LEAF("x", 'o', .type = PQ_INT32)
    };
    Rows rows;
    Shred f;

    OPEN(s);
    shred_row(&f, "{\"l\":[1,2],\"x\":3}");
    shred_row(&f, "{\"x\":null,\"l\":[]}");
    shred_row(&f, NULL);
    shred_row(&f, "{\"l\":[4]}");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), "01000 22102");
    CHECK_TEXT(shred_levels(&f, 1), " 2101");
    CHECK(refuses(&f, "{\"x\":1}", "$.l: missing, and may not be null"));
    CHECK(refuses(&f, "{\"l\":null}", "$.l: null, where a value is"));
    CLOSE();
}

TEST(json_shred, a_map_comes_from_an_object_or_from_pairs)
{
    static const Element map[] = {
        GROUP("root", 'r', 1), GROUP("m", 'o', 1, MAP),
        GROUP("key_value", '*', 2), LEAF("key", 'r', STRING),
        LEAF("value", 'o', .type = PQ_INT32)
    };
    Rows rows;
    Shred f;

    OPEN(map);
    shred_row(&f, "{\"a\":1,\"b\":null}");
    shred_row(&f, "[[\"a\",1],[\"a\",null],[\"\\n\",3]]");
    shred_row(&f, "{}");
    shred_row(&f, "[]");
    shred_row(&f, NULL);
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), "01011000 22222110");
    CHECK_TEXT(shred_levels(&f, 1), "01011000 32323110");
    CHECK_TEXT(shred_rows(&f, true), "[[\"a\",1],[\"b\",null]]\n"
               "[[\"a\",1],[\"a\",null],[\"\\n\",3]]\n[]\n[]\n\n");
    CHECK(refuses(&f, "[[null,1]]", "$[0][0]: null, where a value is"));
    CHECK(refuses(&f, "[[\"a\"]]", "$[0]: a value after the key was"));
    CHECK(refuses(&f, "[[]]", "$[0]: a key was expected, but the array"));
    CHECK(refuses(&f, "[[\"a\",1,2]]", "$[0]: more than a key and a value"));
    CHECK(refuses(&f, "[[\"a\",1],5]", "$[1]: [key, value] was expected"));
    CHECK(refuses(&f, "[[\"a\",\"x\"]]", "$[0][1]: "));
    CHECK(refuses(&f, "{\"a b\":\"x\"}", "$.\"a b\": "));
    CHECK(refuses(&f, "7", "$: an object, or an array of [key, value], was "
                           "expected, not '7'"));
    CLOSE();
}

TEST(json_shred, keys_are_read_from_the_text_of_their_type)
{
    static const Element dates[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 2),
        LEAF("key", 'r', .type = PQ_INT32, .logical = PQ_LOGICAL_DATE),
        LEAF("value", 'r', .type = PQ_BOOLEAN)
    };
    static const Element sets[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 1), LEAF("key", 'r', .type = PQ_INT64)
    };
    Rows rows;
    Shred f;

    OPEN(dates);
    shred_row(&f, "{\"1970-01-01\":true,\"2024-03-01\":false}");
    CHECK_OK(shred_fill(&f));
    CHECK_INT(((int32_t *)f.batch[0].values)[1], 19783);
    CHECK(refuses(&f, "{\"soon\":true}", "$.soon: "));
    CHECK(refuses(&f, "{\"1970-01-01\":\"maybe\"}", "$.\"1970-01-01\": "));
    CLOSE();
    OPEN(sets);
    shred_row(&f, "{\"-5\":null,\"9007199254740993\":null}");
    shred_row(&f, "[[4],[5,null]]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_rows(&f, false),
               "{\"-5\":null,\"9007199254740993\":null}\n"
               "{\"4\":null,\"5\":null}\n");
    CHECK(refuses(&f, "{\"1\":2}", "$.\"1\": null was expected, not '2'"));
    CHECK(refuses(&f, "[[1,2]]", "$[0][1]: null was expected, not '2'"));
    CLOSE();
}

TEST(json_shred, keys_that_are_no_leaves_are_json_in_a_name)
{
    static const Element structs[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 2), GROUP("key", 'r', 2),
        LEAF("a", '*', STRING), LEAF("b", 'r', .type = PQ_INT32),
        LEAF("value", 'r', .type = PQ_BOOLEAN)
    };
    static const char row[] =
        "{\"{\\\"a\\\":[\\\"x\\\"],\\\"b\\\":1}\":true,"
        "\"{\\\"a\\\":[\\\"y\\\",\\\"\\\\n\\\"],\\\"b\\\":2}\":false}";
    Rows rows;
    Shred f;

    OPEN(structs);
    shred_row(&f, row);
    shred_row(&f, "[[{\"b\":3,\"a\":[]},true]]");
    shred_row(&f, row);
    CHECK_OK(shred_fill(&f));
    CHECK(strncmp(shred_rows(&f, false), row, strlen(row)) == 0);
    CHECK(strstr(shred_rows(&f, false),
                 "\n{\"{\\\"a\\\":[],\\\"b\\\":3}\":true}\n"));
    CHECK(refuses(&f, "{\"{\":true}", "malformed JSON at byte 1: the text "));
    CHECK(refuses(&f, "{\"{\\\"a\\\":[],\\\"b\\\":1}x\":true}",
                  "the end of the text was expected, not x"));
    CHECK(refuses(&f, "{\"{}\":true}", ".a: missing"));
    CLOSE();
}

/* ---- the documents of the Dremel paper, figures 2 and 3 ------------------ */

TEST(json_shred, the_documents_of_the_dremel_paper_have_its_levels)
{
    static const Element doc[] = {
        GROUP("root", 'r', 1), GROUP("Document", 'r', 3),
        LEAF("DocId", 'r', .type = PQ_INT64), GROUP("Links", 'o', 2),
        LEAF("Backward", '*', .type = PQ_INT64),
        LEAF("Forward", '*', .type = PQ_INT64), GROUP("Name", '*', 2),
        GROUP("Language", '*', 2), LEAF("Code", 'r', STRING),
        LEAF("Country", 'o', STRING), LEAF("Url", 'o', STRING)
    };
    Rows rows;
    Shred f;

    OPEN(doc);
    shred_row(&f,
              "{\"DocId\":10,\"Links\":{\"Backward\":[],"
              "\"Forward\":[20,40,60]},\"Name\":[{\"Language\":[{\"Code\":"
              "\"en-us\",\"Country\":\"us\"},{\"Code\":\"en\"}],\"Url\":"
              "\"http://A\"},{\"Url\":\"http://B\",\"Language\":[]},"
              "{\"Language\":[{\"Country\":\"gb\",\"Code\":\"en-gb\"}]}]}");
    shred_row(&f,
              "{\"DocId\":20,\"Links\":{\"Backward\":[10,30],\"Forward\":"
              "[80]},\"Name\":[{\"Language\":[],\"Url\":\"http://C\"}]}");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_levels(&f, 0), " 00");
    CHECK_TEXT(shred_levels(&f, 1), "001 122");
    CHECK_TEXT(shred_levels(&f, 2), "0110 2222");
    CHECK_TEXT(shred_levels(&f, 3), "02110 22121");
    CHECK_TEXT(shred_levels(&f, 4), "02110 32131");
    CHECK_TEXT(shred_levels(&f, 5), "0110 2212");
    CHECK_INT(f.batch[3].n_bytes, strlen("en-usenen-gb"));
    CLOSE();
}

/* ---- members ------------------------------------------------------------- */

static const Element list_of_struct[] = {
    GROUP("root", 'r', 1), GROUP("s", 'o', 1, LIST), GROUP("list", '*', 1),
    GROUP("element", 'o', 3), LEAF("a", 'o', .type = PQ_INT32),
    GROUP("b", 'o', 1, LIST), GROUP("list", '*', 1),
    LEAF("element", 'o', STRING), LEAF("c", 'o', STRING)
};

TEST(json_shred, of_members_of_one_name_the_last_counts)
{
    Rows rows;
    Shred f;

    OPEN(list_of_struct);
    shred_row(&f, "[{\"a\":1,\"b\":[\"x\",null,\"yy\"],\"c\":\"z\"},"
                  "{\"b\":[\"one\",\"two\"],\"b\":[],\"a\":5,\"c\":\"u\","
                  "\"a\":null,\"a\":6,\"b\":[\"three\",null],\"c\":\"v\"},"
                  "{\"b\":null,\"b\":[\"d\"],\"b\":null}]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_rows(&f, false),
               "[{\"a\":1,\"b\":[\"x\",null,\"yy\"],\"c\":\"z\"},"
               "{\"a\":6,\"b\":[\"three\",null],\"c\":\"v\"},"
               "{\"a\":null,\"b\":null,\"c\":null}]\n");
    CHECK_INT(f.batch[1].n_bytes, strlen("xyythree"));
    CHECK_INT(f.batch[2].n_bytes, strlen("zv"));
    CHECK_TEXT(shred_levels(&f, 0), "011 443");
    CHECK_TEXT(shred_levels(&f, 1), "022121 656653");
    CLOSE();
}

TEST(json_shred, the_last_counts_in_structs_without_repetition_too)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("s", 'r', 3),
        LEAF("r", 'r', .type = PQ_INT32), LEAF("o", 'o', STRING),
        GROUP("in", 'o', 1), LEAF("x", 'o', STRING)
    };
    Rows rows;
    Shred f;

    OPEN(s);
    shred_row(&f, "{\"r\":1,\"r\":2,\"o\":\"a\",\"o\":null,\"in\":{\"x\":"
                  "\"b\"},\"in\":{}}");
    shred_row(&f, "{\"o\":null,\"o\":\"c\",\"in\":null,\"in\":{\"x\":\"d\"},"
                  "\"r\":3}");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_rows(&f, false),
               "{\"r\":2,\"o\":null,\"in\":{\"x\":null}}\n"
               "{\"r\":3,\"o\":\"c\",\"in\":{\"x\":\"d\"}}\n");
    CHECK(strstr(shred_counts(&f), "wrong") == NULL);
    CLOSE();
}

TEST(json_shred, a_member_that_is_no_field_is_a_misfit)
{
    Rows rows;
    Shred f;

    OPEN(list_of_struct);
    CHECK(refuses(&f, "[{\"a\":1},{\"A\":2}]",
                  "$[1].A: the type has no such field"));
    CHECK(refuses(&f, "[{\"a\":1,\"\":2}]", "$[0].\"\": the type has no"));
    CHECK(refuses(&f, "[{\"b\":[\"x\",5,{\"q\":[]}]}]",
                  "$[0].b[2]: a single value was expected, not an object"));
    CLOSE();
}

TEST(json_shred, many_fields_are_found_in_any_order)
{
    enum { N = 40 };
    static Element el[N + 2] = {GROUP("root", 'r', 1), GROUP("s", 'r', N)};
    static char name[N][16], row[N * 16];
    Rows rows;
    Shred f;

    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "f%d", i);
        el[i + 2] = (Element)LEAF(name[i], 'o', .type = PQ_INT32);
    }
    rows_open(t, &rows, el, N + 2, false);
    shred_open(t, &f, &rows.schema, NULL);
    for (int step = 1; step < N; step += 2) {
        char *in = row;
        if (step % 5 == 0) {
            continue;                        /* N is a multiple of 5 */
        }
        for (int i = 0; i < N; i++) {
            int k = i * step % N;
            in += sprintf(in, "%c\"f%d\":%d", i ? ',' : '{', k, k * step);
        }
        strcpy(in, "}");
        shred_row(&f, row);
        CHECK_OK(shred_fill(&f));
        for (int i = 0; i < N; i++) {
            const PqLeafBatch *b = &f.batch[i];
            CHECK_INT(((int32_t *)b->values)[b->n_values - 1], i * step);
        }
    }
    CHECK(refuses(&f, "{\"f1\":1,\"f40\":1}", "$.f40: the type has no"));
    CHECK(refuses(&f, "{\"f1\":1,\"\":1}", "the type has no such field"));
    CLOSE();
}

/* ---- leaves -------------------------------------------------------------- */

static const struct {
    Element     leaf;
    const char *in, *out;            /* out NULL: refused */
} scalars[] = {
    {LEAF("x", 'o', .type = PQ_INT32), "-2147483648", "-2147483648"},
    {LEAF("x", 'o', .type = PQ_INT32), "2147483648", NULL},
    {LEAF("x", 'o', .type = PQ_INT32), "1.5", NULL},
    {LEAF("x", 'o', .type = PQ_INT32), "1.0e2", "100"},
    {LEAF("x", 'o', .type = PQ_INT32), "\" 12 \"", "12"},
    {LEAF("x", 'o', .type = PQ_INT32), "\"x\"", NULL},
    {LEAF("x", 'o', .type = PQ_INT32), "[1]", NULL},
    {LEAF("x", 'o', .type = PQ_INT32), "true", "1"},
    {LEAF("x", 'o', .type = PQ_INT32), "-0", "0"},
    {LEAF("x", 'o', .type = PQ_INT64), "9223372036854775807",
     "9223372036854775807"},
    {LEAF("x", 'o', .type = PQ_INT64), "-999999999999999999",
     "-999999999999999999"},
    {LEAF("x", 'o', .type = PQ_INT64), "9223372036854775808", NULL},
    {LEAF("x", 'o', .type = PQ_INT64, .logical = PQ_LOGICAL_INTEGER, .a = 64),
     "18446744073709551615", "18446744073709551615"},
    {LEAF("x", 'o', .type = PQ_DOUBLE), "0.1", "0.1"},
    {LEAF("x", 'o', .type = PQ_DOUBLE), "-0", "-0.0"},
    {LEAF("x", 'o', .type = PQ_DOUBLE), "123", "123.0"},
    {LEAF("x", 'o', .type = PQ_DOUBLE), "-9e999", "-9e999"},
    {LEAF("x", 'o', .type = PQ_DOUBLE), "\"NaN\"", "null"},
    {LEAF("x", 'o', .type = PQ_FLOAT), "16777217.5", "16777218.0"},
    {LEAF("x", 'o', .type = PQ_BOOLEAN), "true", "true"},
    {LEAF("x", 'o', .type = PQ_BOOLEAN), "0", "false"},
    {LEAF("x", 'o', .type = PQ_BOOLEAN), "\"maybe\"", NULL},
    {LEAF("x", 'o', STRING), "\"a\\u00e9\\\"\"", "\"a\xc3\xa9\\\"\""},
    {LEAF("x", 'o', STRING), "1.50", "\"1.50\""},
    {LEAF("x", 'o', STRING), "true", "\"true\""},
    {LEAF("x", 'o', STRING), "{}", NULL},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_JSON),
     "\"{\\\"a\\\":1}\"", "\"{\\\"a\\\":1}\""},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_JSON),
     "{\"a\": [1]}", "\"{\\\"a\\\": [1]}\""},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_JSON),
     "1.50", "\"1.50\""},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY), "\"00aBfF\"", "\"00ABFF\""},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY), "\"\"", "\"\""},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY), "\"0\"", NULL},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY), "\"0g\"", NULL},
    {LEAF("x", 'o', .type = PQ_BYTE_ARRAY), "12", NULL},
    {LEAF("x", 'o', .type = PQ_FIXED, .length = 2), "\"0102\"", "\"0102\""},
    {LEAF("x", 'o', .type = PQ_FIXED, .length = 2), "\"01\"", NULL},
    {LEAF("x", 'o', .type = PQ_FIXED, .length = 16,
          .logical = PQ_LOGICAL_UUID),
     "\"00112233-4455-6677-8899-AABBCCDDEEFF\"",
     "\"00112233-4455-6677-8899-aabbccddeeff\""},
    {LEAF("x", 'o', .type = PQ_INT32, .logical = PQ_LOGICAL_DECIMAL, .a = 2,
          .b = 9),
     "12.50", "12.50"},
    {LEAF("x", 'o', .type = PQ_INT32, .logical = PQ_LOGICAL_DECIMAL, .a = 2,
          .b = 9),
     "12.505", NULL},
    {LEAF("x", 'o', .type = PQ_FIXED, .length = 16,
          .logical = PQ_LOGICAL_DECIMAL, .a = 3, .b = 38),
     "12345678901234567890123456789012345.678",
     "12345678901234567890123456789012345.678"},
    {LEAF("x", 'o', .type = PQ_INT32, .logical = PQ_LOGICAL_DATE),
     "\"2024-03-01\"", "\"2024-03-01\""},
    {LEAF("x", 'o', .type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
          .a = PQ_TIME_UNIT_MILLIS, .b = 1),
     "1.5", "\"1970-01-01 00:00:01.500\""},
    {LEAF("x", 'o', .type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
          .a = PQ_TIME_UNIT_MILLIS, .b = 1),
     "true", NULL},
    {LEAF("x", 'o', .type = PQ_INT32, .logical = PQ_LOGICAL_UNKNOWN), "1",
     NULL},
    {LEAF("x", 'o', .type = PQ_INT32, .logical = PQ_LOGICAL_UNKNOWN), "null",
     "null"},
};

TEST(json_shred, scalars_become_what_their_leaves_store)
{
    for (size_t i = 0; i < PQ_COUNT(scalars); i++) {
        Element el[] = {GROUP("root", 'r', 1), GROUP("s", 'r', 1),
                        scalars[i].leaf};
        char in[200], want[200];
        Rows rows;
        Shred f;

        OPEN(el);
        snprintf(in, sizeof in, "{\"x\":%s}", scalars[i].in);
        if (scalars[i].out) {
            shred_row(&f, in);
            CHECK_OK(shred_fill(&f));
            snprintf(want, sizeof want, "{\"x\":%s}\n", scalars[i].out);
            CHECK_TEXT(shred_rows(&f, false), want);
        } else {
            CHECK(refuses(&f, in, "$.x: "));
        }
        CLOSE();
    }
}

/* A text is borrowed from its cell; a text with escapes is in the arena.  Both
** stay when the shredder has gone on to other cells. */
TEST(json_shred, texts_stay_as_long_as_the_cells)
{
    Rows rows;
    Shred f;

    OPEN(list_of_struct);
    for (int i = 0; i < 500; i++) {
        shred_row(&f, i % 2 ? "[{\"\\u0063\":\"esc\\u0061ped\"}]"
                            : "[{\"c\":\"borrowed\"}]");
    }
    CHECK_OK(shred_fill(&f));
    for (uint32_t i = 0; i < 500; i++) {
        const PqStr *s = (const PqStr *)f.batch[2].values + i;
        CHECK_BYTES(s->p, s->n, i % 2 ? "escaped" : "borrowed",
                    i % 2 ? 7 : 8);
    }
    CLOSE();
}

/* ---- misfits ------------------------------------------------------------- */

TEST(json_shred, what_is_no_json_is_refused_and_nothing_of_it_stays)
{
    Rows rows;
    Shred f;

    OPEN(list_of_struct);
    shred_row(&f, "[{\"a\":1,\"c\":\"z\"}]");
    CHECK_OK(shred_fill(&f));
    CHECK(refuses(&f, "", "malformed JSON at byte 0: the text ends"));
    CHECK(refuses(&f, "[{\"a\":1,\"b\":[\"x\"],\"c\":\"y\"}",
                  "malformed JSON at byte 26: the text ends"));
    CHECK(refuses(&f, "[{\"b\":[\"x\",\"y\"]}] 1", "the end of the text was"));
    CHECK(refuses(&f, "{}", "$: an array was expected, not an object"));
    CHECK(refuses(&f, "[1]", "$[0]: an object was expected, not '1'"));
    CHECK(refuses(&f, "[{\"c\":\"x\",\"b\":[\"y\",[]]}]",
                  "$[0].b[1]: a single value was expected, not an array"));
    CHECK_OK(pq_cells_reserve(&f.cells, t->e));
    pq_cells_int(&f.cells, 7);
    CHECK_FAILS(shred_fill(&f), PQ_USAGE, "an INTEGER where JSON was expected");
    CHECK_OK(pq_cells_reserve(&f.cells, t->e));
    CHECK_OK(pq_cells_bytes(&f.cells, PQ_CELL_BLOB, "[]", 2, t->e));
    CHECK_FAILS(shred_fill(&f), PQ_USAGE, "a BLOB where JSON was expected");
    shred_row(&f, "[{\"a\":2}]");
    CHECK_OK(shred_fill(&f));
    CHECK_TEXT(shred_rows(&f, false),
               "[{\"a\":1,\"b\":null,\"c\":\"z\"}]\n"
               "[{\"a\":2,\"b\":null,\"c\":null}]\n");
    CLOSE();
}

TEST(json_shred, misfits_become_null_where_that_is_the_rule)
{
    static const PqFillRules lenient = {.null_misfits = true};
    static const Element required[] = {
        GROUP("root", 'r', 1), GROUP("s", 'r', 1),
        LEAF("x", 'o', .type = PQ_INT32)
    };
    Rows rows;
    Shred f;

    rows_open(t, &rows, list_of_struct, PQ_COUNT(list_of_struct), false);
    shred_open(t, &f, &rows.schema, &lenient);
    shred_row(&f, "[{\"a\":1,\"c\":\"ok\"}]");
    shred_row(&f, "[{\"a\":1,\"c\":\"ok\"},{\"a\":\"x\"}]");
    shred_row(&f, "[{\"a\":1,\"c\":\"ok\"}");
    shred_row(&f, "[{\"a\":2}]");
    CHECK_OK(shred_fill(&f));
    CHECK_INT(t->e->rc, PQ_OK);
    CHECK_TEXT(shred_rows(&f, false),
               "[{\"a\":1,\"b\":null,\"c\":\"ok\"}]\n\n\n"
               "[{\"a\":2,\"b\":null,\"c\":null}]\n");
    CLOSE();
    rows_open(t, &rows, required, PQ_COUNT(required), false);
    shred_open(t, &f, &rows.schema, &lenient);
    CHECK(refuses(&f, "{\"x\":\"a\"}", "$.x: "));
    CHECK(refuses(&f, NULL, "NULL, where a value is required"));
    CLOSE();
}

TEST(json_shred, a_deep_place_is_named_by_its_end)
{
    static Element el[62];
    static char row[62 * 30], *out = row;
    Rows rows;
    Shred f;

    el[0] = (Element)GROUP("root", 'r', 1);
    for (int i = 1; i < 61; i++) {
        el[i] = (Element)GROUP("a_long_name", 'o', 1);
        out += sprintf(out, "{\"a_long_name\":");
    }
    el[61] = (Element)LEAF("a_long_name", 'o', .type = PQ_INT32);
    sprintf(out, "\"no number\"");
    rows_open(t, &rows, el, PQ_COUNT(el), false);
    shred_open(t, &f, &rows.schema, NULL);
    CHECK(refuses(&f, row, "$....a_long_name.a_long_name"));
    CLOSE();
}

TEST(json_shred, each_allocation_may_fail)
{
    static const char row[] = "[{\"a\":1,\"b\":[\"x\\n\",null,\"y\"],"
                              "\"\\u0063\":\"\\u0064\"},{},null]";
    int64_t points = 1;
    Rows rows;

    rows_open(t, &rows, list_of_struct, PQ_COUNT(list_of_struct), false);
    for (int64_t nth = 0; nth <= points; nth++) {
        Shred f;
        PqRc rc;

        pq_fault_set(nth);
        shred_open(t, &f, &rows.schema, NULL);
        if (!f.shred) {
            CHECK_INT(t->e->rc, PQ_NOMEM);
            pq_fault_set(0);
            pq_err_clear(t->e);
            shred_close(&f);
            continue;
        }
        pq_fault_set(0);
        for (int i = 0; i < 200; i++) {
            shred_row(&f, row);
        }
        pq_fault_set(nth);
        rc = shred_fill(&f);
        if (nth == 0) {
            points = 40;
        }
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        CHECK(nth != 1 || rc == PQ_NOMEM);
        pq_err_clear(t->e);
        CHECK(!strstr(shred_counts(&f), "wrong"));
        for (int i = 1; i < 3; i++) {
            CHECK_INT(f.batch[i].n_rows, f.batch[0].n_rows);
        }
        CHECK(f.batch[0].n_rows == 0 || shred_rows(&f, false)[0] == '[');
        shred_close(&f);
    }
    rows_close(&rows);
}
