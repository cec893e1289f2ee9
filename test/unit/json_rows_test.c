/*
** json_rows_test.c - nested columns as JSON, from levels.
*/
#include "test/unit/rows_fixture.h"

#define TEXTS(...) ((const char *[]){__VA_ARGS__})
#define INTS(...) ((int64_t[]){__VA_ARGS__})
#define OPEN(el) rows_open(t, &f, el, PQ_COUNT(el), false)
#define STRING .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_STRING

/* ---- lists --------------------------------------------------------------- */

static const Element list_of_int[] = {
    GROUP("root", 'r', 1), GROUP("a", 'o', 1, .logical = PQ_LOGICAL_LIST),
    GROUP("list", '*', 1), LEAF("element", 'o', .type = PQ_INT32)
};

TEST(json_rows, a_list_is_null_empty_or_has_elements_that_may_be_null)
{
    Rows f;

    OPEN(list_of_int);
    rows_ints(&f, 0, "010001", "331032", INTS(7, 8, 9));
    rows_check(t, &f, 4, TEXTS("[7,8]", "[]", NULL, "[9,null]"));
    rows_close(&f);
}

TEST(json_rows, a_bare_repeated_field_is_a_list_that_is_never_null)
{
    static const Element bare[] = {
        GROUP("root", 'r', 1), LEAF("a", '*', .type = PQ_INT64)
    };
    Rows f;

    OPEN(bare);
    rows_ints(&f, 0, "0010", "1110", INTS(1, 2, -3));
    rows_check(t, &f, 3, TEXTS("[1]", "[2,-3]", "[]"));
    rows_close(&f);
}

TEST(json_rows, the_repeated_field_may_be_the_element_itself)
{
    static const Element two_levels[] = {
        GROUP("root", 'r', 1), GROUP("a", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("array", '*', 2), LEAF("x", 'r', .type = PQ_INT32),
        LEAF("y", 'o', .type = PQ_INT32)
    };
    Rows f;

    OPEN(two_levels);
    rows_ints(&f, 0, "0100", "2201", INTS(1, 2));
    rows_ints(&f, 1, "0100", "3201", INTS(5));
    rows_check(t, &f, 3,
               TEXTS("[{\"x\":1,\"y\":5},{\"x\":2,\"y\":null}]", NULL, "[]"));
    rows_close(&f);
}

TEST(json_rows, lists_of_lists_keep_null_and_empty_apart_at_every_level)
{
    static const Element nested[] = {
        GROUP("root", 'r', 1), GROUP("a", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("list", '*', 1),
        GROUP("element", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("list", '*', 1), LEAF("element", 'o', STRING)
    };
    Rows f;

    OPEN(nested);
    rows_texts(&f, 0, "021211000", "545532102",
               TEXTS("a", "b", "c"));
    rows_check(t, &f, 4,
               TEXTS("[[\"a\",null],[\"b\",\"c\"],[],null]", "[]", NULL,
                     "[null]"));
    rows_close(&f);
}

/* ---- structs ------------------------------------------------------------- */

TEST(json_rows, a_null_list_may_go_on_like_the_array_it_was_written_from)
{
    static const Element nested[] = {
        GROUP("root", 'r', 1), GROUP("a", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("list", '*', 1), GROUP("element", 'o', 2),
        GROUP("x", 'o', 1, .logical = PQ_LOGICAL_LIST), GROUP("list", '*', 1),
        LEAF("element", 'o', .type = PQ_INT32),
        LEAF("y", 'o', .type = PQ_INT32)
    };
    Rows f;

    OPEN(nested);
    rows_ints(&f, 0, "0122122" "022", "6333222" "000", INTS(7));
    rows_ints(&f, 1, "011" "0", "432" "0", INTS(8));
    rows_check(t, &f, 2,
               TEXTS("[{\"x\":[7],\"y\":8},{\"x\":null,\"y\":null},null]",
                     NULL));
    rows_close(&f);
}

TEST(json_rows, a_struct_is_null_or_has_all_its_fields)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("s", 'o', 2),
        LEAF("a\"b", 'r', .type = PQ_INT32),
        GROUP("in", 'o', 1), LEAF("x", 'o', .type = PQ_INT32)
    };
    Rows f;

    OPEN(s);
    rows_ints(&f, 0, NULL, "1101", INTS(1, 2, 3));
    rows_ints(&f, 1, NULL, "3201", INTS(9));
    rows_check(t, &f, 4,
               TEXTS("{\"a\\\"b\":1,\"in\":{\"x\":9}}",
                     "{\"a\\\"b\":2,\"in\":{\"x\":null}}", NULL,
                     "{\"a\\\"b\":3,\"in\":null}"));
    rows_close(&f);
}

TEST(json_rows, a_struct_without_leaves_is_an_empty_object)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("s", 'o', 2),
        LEAF("none", 'o', .type = -1),
        LEAF("x", 'o', .type = PQ_INT32)
    };
    Rows f;

    OPEN(s);
    rows_ints(&f, 0, NULL, "20", INTS(9));
    rows_check(t, &f, 2, TEXTS("{\"none\":{},\"x\":9}", NULL));
    rows_close(&f);
}

TEST(json_rows, a_column_without_leaves_has_rows)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), LEAF("s", 'o', .type = -1)
    };
    Rows f;

    OPEN(s);
    rows_check(t, &f, 2, TEXTS("{}", "{}"));
    rows_close(&f);
}

/* The records of the Dremel paper, figure 2 and 3. */
TEST(json_rows, the_documents_of_the_dremel_paper_come_back)
{
    static const Element doc[] = {
        GROUP("root", 'r', 1), GROUP("Document", 'r', 3),
        LEAF("DocId", 'r', .type = PQ_INT64), GROUP("Links", 'o', 2),
        LEAF("Backward", '*', .type = PQ_INT64),
        LEAF("Forward", '*', .type = PQ_INT64), GROUP("Name", '*', 2),
        GROUP("Language", '*', 2), LEAF("Code", 'r', STRING),
        LEAF("Country", 'o', STRING), LEAF("Url", 'o', STRING)
    };
    static const char r1[] =
        "{\"DocId\":10,\"Links\":{\"Backward\":[],\"Forward\":[20,40,60]},"
        "\"Name\":[{\"Language\":[{\"Code\":\"en-us\",\"Country\":\"us\"},"
        "{\"Code\":\"en\",\"Country\":null}],\"Url\":\"http://A\"},"
        "{\"Language\":[],\"Url\":\"http://B\"},"
        "{\"Language\":[{\"Code\":\"en-gb\",\"Country\":\"gb\"}],"
        "\"Url\":null}]}";
    static const char r2[] =
        "{\"DocId\":20,\"Links\":{\"Backward\":[10,30],\"Forward\":[80]},"
        "\"Name\":[{\"Language\":[],\"Url\":\"http://C\"}]}";
    static int64_t id[2] = {10, 20};
    Rows f;

    OPEN(doc);
    CHECK_INT(f.schema.n_leaves, 6);
    f.leaf[0].vector = (PqVector){.leaf = &f.schema.leaves[0], .n_slots = 2,
                                  .values = id};
    rows_ints(&f, 1, "001", "122", INTS(10, 30));
    rows_ints(&f, 2, "0110", "2222", INTS(20, 40, 60, 80));
    rows_texts(&f, 3, "02110", "22121", TEXTS("en-us", "en", "en-gb"));
    rows_texts(&f, 4, "02110", "32131", TEXTS("us", "gb"));
    rows_texts(&f, 5, "0110", "2212",
               TEXTS("http://A", "http://B", "http://C"));
    rows_check(t, &f, 2, TEXTS(r1, r2));
    rows_close(&f);
}

/* ---- maps ---------------------------------------------------------------- */

#define MAP .logical = PQ_LOGICAL_MAP

static const Element map_to_int[] = {
    GROUP("root", 'r', 1), GROUP("m", 'o', 1, MAP), GROUP("key_value", '*', 2),
    LEAF("key", 'o', STRING), LEAF("value", 'o', .type = PQ_INT32)
};

TEST(json_rows, a_map_is_an_object)
{
    Rows f;

    OPEN(map_to_int);
    rows_texts(&f, 0, "01000", "33103", TEXTS("a", "b", "c\n"));
    rows_ints(&f, 1, "01000", "32103", INTS(1, 3));
    rows_check(t, &f, 4,
               TEXTS("{\"a\":1,\"b\":null}", "{}", NULL, "{\"c\\n\":3}"));
    rows_close(&f);
}

TEST(json_rows, the_last_of_equal_keys_wins)
{
    Rows f;

    OPEN(map_to_int);
    rows_texts(&f, 0, "0111101", "3333323",
               TEXTS("a", "b", "a", "c", "b", "null"));
    rows_ints(&f, 1, "0111101", "3333333", INTS(1, 2, 3, 4, 5, 6, 7));
    rows_check(t, &f, 2,
               TEXTS("{\"a\":3,\"c\":4,\"b\":5}", "{\"null\":7}"));
    rows_close(&f);
}

TEST(json_rows, the_last_of_equal_keys_wins_in_a_large_map)
{
    enum { N = 400, KEYS = 150 };
    static char rep[N + 1], def[N + 1], key[N][8], want[N * 16];
    static const char *keys[N];
    static int64_t values[N];
    size_t n = 0;
    Rows f;

    for (int i = 0; i < N; i++) {
        rep[i] = i ? '1' : '0';
        def[i] = '3';
        snprintf(key[i], sizeof key[i], "k%d", i * 7 % KEYS);
        keys[i] = key[i];
        values[i] = i;
        if (i >= N - KEYS) {
            n += (size_t)snprintf(want + n, sizeof want - n, "%c\"%s\":%d",
                                  n ? ',' : '{', key[i], i);
        }
    }
    snprintf(want + n, sizeof want - n, "}");
    OPEN(map_to_int);
    rows_texts(&f, 0, rep, def, keys);
    rows_ints(&f, 1, rep, def, values);
    rows_check(t, &f, 1, TEXTS(want));
    rows_close(&f);
}

TEST(json_rows, a_map_as_entries_keeps_equal_keys)
{
    Rows f;

    rows_open(t, &f, map_to_int, PQ_COUNT(map_to_int), true);
    rows_texts(&f, 0, "01100", "33210", TEXTS("a", "a"));
    rows_ints(&f, 1, "01100", "32310", INTS(1, 3));
    rows_check(t, &f, 3,
               TEXTS("[[\"a\",1],[\"a\",null],[null,3]]", "[]", NULL));
    rows_close(&f);
}

TEST(json_rows, a_map_without_values_has_null_for_each_key)
{
    static const Element set[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 1),
        LEAF("key", 'r', .type = PQ_INT32)
    };
    Rows f;

    OPEN(set);
    rows_ints(&f, 0, "01100", "11101", INTS(4, 5, 4, 6));
    rows_check(t, &f, 3, TEXTS("{\"5\":null,\"4\":null}", "{}",
                               "{\"6\":null}"));
    rows_close(&f);
}

TEST(json_rows, keys_that_are_no_text_are_their_json_as_text)
{
    static const Element dates[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 2),
        LEAF("key", 'r', .type = PQ_INT32, .logical = PQ_LOGICAL_DATE),
        LEAF("value", 'r', .type = PQ_BOOLEAN)
    };
    static const Element lists[] = {
        GROUP("root", 'r', 1), GROUP("m", 'r', 1, MAP),
        GROUP("key_value", '*', 2),
        GROUP("key", 'r', 2), LEAF("a", '*', STRING),
        LEAF("b", 'r', .type = PQ_INT32),
        LEAF("value", 'r', .type = PQ_BOOLEAN)
    };
    Rows f;

    OPEN(dates);
    rows_ints(&f, 0, "01", "11", INTS(0, 19783));
    rows_ints(&f, 1, "01", "11", INTS(1, 0));
    rows_check(t, &f, 1,
               TEXTS("{\"1970-01-01\":true,\"2024-03-01\":false}"));
    rows_close(&f);
    OPEN(lists);
    rows_texts(&f, 0, "0121", "2221", TEXTS("x", "y", "x"));
    rows_ints(&f, 1, "011", "111", INTS(1, 2, 1));
    rows_ints(&f, 2, "011", "111", INTS(1, 0, 1));
    rows_check(t, &f, 1,
               TEXTS("{\"{\\\"a\\\":[\\\"x\\\"],\\\"b\\\":1}\":true,"
                     "\"{\\\"a\\\":[\\\"y\\\",\\\"x\\\"],\\\"b\\\":2}\":false,"
                     "\"{\\\"a\\\":[],\\\"b\\\":1}\":true}"));
    rows_close(&f);
}

TEST(json_rows, maps_of_maps_drop_equal_keys_on_each_level)
{
    static const Element maps[] = {
        GROUP("root", 'r', 1), GROUP("m", 'o', 1, MAP),
        GROUP("key_value", '*', 2),
        LEAF("key", 'r', STRING), GROUP("value", 'o', 1, MAP),
        GROUP("key_value", '*', 2),
        LEAF("key", 'r', .type = PQ_INT32),
        LEAF("value", 'r', .type = PQ_BOOLEAN)
    };
    Rows f;

    OPEN(maps);
    rows_texts(&f, 0, "0111", "2222", TEXTS("a", "b", "a", "c"));
    rows_ints(&f, 1, "0212211", "4444432", INTS(1, 1, 2, 3, 2));
    rows_ints(&f, 2, "0212211", "4444432", INTS(1, 0, 1, 0, 0));
    rows_check(t, &f, 1,
               TEXTS("{\"b\":{\"3\":false,\"2\":false},\"a\":{},\"c\":null}"));
    rows_close(&f);
}

/* ---- leaves -------------------------------------------------------------- */

typedef struct LeafRow {
    Element     el;
    int64_t     value;
    const char *text;
} LeafRow;

static void check_leaf(Test *t, Element el, int64_t v, double d, PqSlice bytes,
                       const char *want)
{
    Element s[] = {GROUP("root", 'r', 1), GROUP("s", 'r', 1), el};
    char text[200];
    Rows f;

    s[2].name = "v";
    s[2].repetition = 'o';
    snprintf(text, sizeof text, "{\"v\":%s}", want);
    for (int dict = 0; dict < 3; dict++) {
        OPEN(s);
        if (el.type == PQ_FLOAT || el.type == PQ_DOUBLE) {
            rows_doubles(&f, 0, NULL, "11", (double[]){d, d});
        } else if (el.type >= PQ_BYTE_ARRAY || el.type == PQ_INT96) {
            rows_bytes(&f, 0, NULL, "11", (PqSlice[]){bytes, bytes});
        } else {
            rows_ints(&f, 0, NULL, "11", INTS(v, v));
        }
        if (dict) {
            rows_make_dictionary(&f, 0, 1);
            f.leaf[0].ids[1] = 0;    /* the second text is the kept one */
        }
        rows_check(t, &f, 2, TEXTS(text, text));
        if (dict == 2) {
            rows_check(t, &f, 2, TEXTS(text, text));
        }
        rows_close(&f);
    }
}

TEST(json_rows, integers_and_times_print_by_their_type)
{
    static const LeafRow row[] = {
        {{.type = PQ_BOOLEAN}, 1, "true"},
        {{.type = PQ_BOOLEAN}, 0, "false"},
        {{.type = PQ_INT32}, INT32_MIN, "-2147483648"},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_INTEGER, .a = 32}, -1,
         "4294967295"},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_INTEGER, .a = 8, .b = 1},
         -1, "-1"},
        {{.type = PQ_INT64}, INT64_MIN, "-9223372036854775808"},
        {{.type = PQ_INT64, .logical = PQ_LOGICAL_INTEGER, .a = 64}, -1,
         "18446744073709551615"},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_DECIMAL, .a = 3, .b = 9},
         -5, "-0.005"},
        {{.type = PQ_INT64, .logical = PQ_LOGICAL_DECIMAL, .a = 2, .b = 18},
         123456, "1234.56"},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_DATE}, -1,
         "\"1969-12-31\""},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_TIME,
          .a = PQ_TIME_UNIT_MILLIS}, 49500000, "\"13:45:00\""},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_TIME,
          .a = PQ_TIME_UNIT_MILLIS}, 86400000, "\"86400000\""},
        {{.type = PQ_INT64, .logical = PQ_LOGICAL_TIME,
          .a = PQ_TIME_UNIT_NANOS}, 1, "\"00:00:00.000000001\""},
        {{.type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
          .a = PQ_TIME_UNIT_MILLIS}, 1, "\"1970-01-01 00:00:00.001\""},
        {{.type = PQ_INT64, .logical = PQ_LOGICAL_TIMESTAMP,
          .a = PQ_TIME_UNIT_MICROS}, 1000000, "\"1970-01-01 00:00:01\""},
        {{.type = PQ_INT32, .logical = PQ_LOGICAL_UNKNOWN}, 7, "null"},
    };

    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        check_leaf(t, row[i].el, row[i].value, 0, pq_slice(NULL, 0),
                   row[i].text);
    }
}

TEST(json_rows, floating_point_prints_what_json_can_say)
{
    static const struct { int type; double v; const char *text; } row[] = {
        {PQ_FLOAT, 0.1f, "0.1"},
        {PQ_DOUBLE, 0.1, "0.1"},
        {PQ_DOUBLE, -0.0, "-0.0"},
        {PQ_DOUBLE, 1.0 / 0.0, "9e999"},
        {PQ_FLOAT, -1.0 / 0.0, "-9e999"},
        {PQ_DOUBLE, 0.0 / 0.0, "null"},
        {PQ_FLOAT, 0.0 / 0.0, "null"},
    };

    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        check_leaf(t, (Element){.type = row[i].type}, 0, row[i].v,
                   pq_slice(NULL, 0), row[i].text);
    }
}

TEST(json_rows, bytes_print_by_their_type)
{
    static const struct { Element el; const char *hex, *text; } row[] = {
        {{STRING}, "61 22 c3 a4 ff", "\"a\\\"\xc3\xa4\xef\xbf\xbd\""},
        {{STRING}, "", "\"\""},
        {{.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_ENUM}, "58", "\"X\""},
        {{.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_JSON}, "7b 7d",
         "\"{}\""},
        {{.type = PQ_BYTE_ARRAY}, "0a ff", "\"0AFF\""},
        {{.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_BSON}, "05", "\"05\""},
        {{.type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_DECIMAL, .a = 2,
          .b = 38}, "ff 38", "-2.00"},
        {{.type = PQ_FIXED, .length = 3, .logical = PQ_LOGICAL_DECIMAL,
          .a = 1, .b = 6}, "00 00 7b", "12.3"},
        {{.type = PQ_FIXED, .length = 2}, "0a ff", "\"0AFF\""},
        {{.type = PQ_FIXED, .length = 2, .logical = PQ_LOGICAL_FLOAT16},
         "00 3e", "1.5"},
        {{.type = PQ_FIXED, .length = 2, .logical = PQ_LOGICAL_FLOAT16},
         "00 7e", "null"},
        {{.type = PQ_FIXED, .length = 16, .logical = PQ_LOGICAL_UUID},
         "00112233445566778899aabbccddeeff",
         "\"00112233-4455-6677-8899-aabbccddeeff\""},
        {{.type = PQ_INT96}, "00 00 00 00 00 00 00 00 8c 3d 25 00",
         "\"1970-01-01 00:00:00\""},
    };

    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        check_leaf(t, row[i].el, 0, 0, test_hex(t, row[i].hex), row[i].text);
    }
}

TEST(json_rows, another_dictionary_is_not_taken_for_the_one_before)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("s", 'r', 1), LEAF("v", 'o', STRING)
    };
    Rows f;

    OPEN(s);
    rows_texts(&f, 0, NULL, "101", TEXTS("a", "b"));
    rows_make_dictionary(&f, 0, 1);
    rows_check(t, &f, 3,
               TEXTS("{\"v\":\"a\"}", "{\"v\":null}", "{\"v\":\"b\"}"));
    rows_texts(&f, 0, NULL, "111", TEXTS("x", "y", "z"));
    rows_make_dictionary(&f, 0, 2);
    rows_check(t, &f, 3,
               TEXTS("{\"v\":\"x\"}", "{\"v\":\"y\"}", "{\"v\":\"z\"}"));
    rows_close(&f);
}

/* ---- parts of a batch ---------------------------------------------------- */

TEST(json_rows, rows_come_in_parts_and_rows_not_wanted_are_passed)
{
    const PqStr *texts;
    uint32_t n;
    Rows f;

    OPEN(list_of_int);
    rows_ints(&f, 0, "01000101", "33103333", INTS(1, 2, 3, 4, 5, 6));
    CHECK_OK(rows_begin(&f, 5));
    CHECK_OK(pq_json_rows_write(f.plan, 1, 5, 0, &n, &texts, t->e));
    CHECK_INT(n, 1);
    CHECK_TEXT((const char *)texts[0].p, "[]");
    CHECK_OK(pq_json_rows_write(f.plan, 3, 4, 100, &n, &texts, t->e));
    CHECK_INT(n, 1);
    CHECK_TEXT((const char *)texts[0].p, "[3,4]");
    CHECK_OK(pq_json_rows_write(f.plan, 4, 5, 100, &n, &texts, t->e));
    CHECK_INT(n, 1);
    CHECK_TEXT((const char *)texts[0].p, "[5,6]");
    rows_close(&f);
}

TEST(json_rows, the_last_row_may_be_passed_to)
{
    const PqStr *texts;
    uint32_t n;
    Rows f;

    OPEN(map_to_int);
    rows_texts(&f, 0, "0100", "3333", TEXTS("a", "b", "c", "d"));
    rows_ints(&f, 1, "0100", "3333", INTS(1, 2, 3, 4));
    CHECK_OK(rows_begin(&f, 3));
    CHECK_OK(pq_json_rows_write(f.plan, 2, 3, 0, &n, &texts, t->e));
    CHECK_TEXT((const char *)texts[0].p, "{\"d\":4}");
    rows_close(&f);
}

/* ---- levels that contradict each other ----------------------------------- */

TEST(json_rows, levels_that_do_not_fit_are_corrupt)
{
    static const Element pair[] = {
        GROUP("root", 'r', 1), GROUP("a", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("list", '*', 1), GROUP("element", 'o', 2),
        LEAF("x", 'o', .type = PQ_INT32), LEAF("y", 'o', .type = PQ_INT32)
    };
    static const struct {
        const char *rep_x, *def_x, *rep_y, *def_y, *why;
    } row[] = {
        {"011", "444", "01", "44", "do not fit"},     /* fewer elements  */
        {"01", "44", "011", "444", "do not fit"},     /* more elements   */
        {"01", "44", "00", "44", "do not fit"},       /* another row     */
        {"01", "41", "01", "44", "do not fit"},       /* empty, in a list */
        {"01", "44", "01", "43", NULL},
        {"01", "42", "01", "44", "do not fit"},       /* null element    */
        {"01", "44", "01", "42", "do not fit"},
        {"0", "1", "0", "4", "do not fit"},           /* empty list      */
        {"0", "4", "0", "1", "do not fit"},
        {"0", "0", "0", "1", "do not fit"},           /* null list       */
        {"01", "11", "01", "11", "do not end"},       /* goes on, empty  */
        {"02", "44", "02", "44", "do not fit"},       /* deeper than can be */
        {"1", "4", "0", "4", "middle of a row"},
        {"00", "44", "0", "4", "do not end"},         /* more than rows  */
    };

    for (size_t i = 0; i < PQ_COUNT(row) && !t->failed; i++) {
        Rows f;
        OPEN(pair);
        rows_ints(&f, 0, row[i].rep_x, row[i].def_x, INTS(1, 2, 3));
        rows_ints(&f, 1, row[i].rep_y, row[i].def_y, INTS(4, 5, 6));
        if (row[i].why) {
            rows_check_fails(t, &f, 1, PQ_CORRUPT, row[i].why);
        } else {
            rows_check(t, &f, 1,
                       TEXTS("[{\"x\":1,\"y\":4},{\"x\":2,\"y\":null}]"));
        }
        if (t->failed) {
            printf("     in case %zu\n", i);
        }
        rows_close(&f);
    }
}

TEST(json_rows, too_few_levels_are_corrupt)
{
    Rows f;

    OPEN(list_of_int);
    rows_ints(&f, 0, "0", "3", INTS(1));
    rows_check_fails(t, &f, 2, PQ_CORRUPT, "1 levels for 2 rows");
    rows_ints(&f, 0, "011", "333", INTS(1, 2, 3));
    rows_check_fails(t, &f, 2, PQ_CORRUPT, "do not end with row 1");
    rows_close(&f);
}

TEST(json_rows, no_rows_come_after_a_failure_until_the_next_batch)
{
    const PqStr *texts;
    uint32_t n;
    Rows f;

    OPEN(list_of_int);
    rows_ints(&f, 0, "011", "333", INTS(1, 2, 3));
    rows_check_fails(t, &f, 2, PQ_CORRUPT, "do not end");
    CHECK_FAILS(pq_json_rows_write(f.plan, 1, 2, 9, &n, &texts, t->e),
                PQ_CORRUPT, "could not be read");
    rows_ints(&f, 0, "01", "33", INTS(1, 2));
    rows_check(t, &f, 1, TEXTS("[1,2]"));
    rows_close(&f);
}

/* Every combination of levels up to one too high, in two leaves of a struct
** in a list: a text or an error, never a read outside (ASan watches). */
TEST(json_rows, no_levels_lead_outside_the_vectors)
{
    static const Element pair[] = {
        GROUP("root", 'r', 1), GROUP("m", 'o', 1, MAP),
        GROUP("key_value", '*', 2),
        LEAF("key", 'r', STRING), GROUP("value", 'o', 1),
        LEAF("list", '*', .type = PQ_INT32)
    };
    const PqStr *texts;
    uint32_t n;
    Rows f;

    OPEN(pair);
    for (unsigned bits = 0; bits < 1u << 16 && !t->failed; bits++) {
        char rep[2][4] = {"000", "000"}, def[2][4] = {"000", "000"};
        rep[0][1] = (char)('0' + (bits & 3));
        rep[0][2] = (char)('0' + (bits >> 2 & 3));
        rep[1][1] = (char)('0' + (bits >> 4 & 3));
        rep[1][2] = (char)('0' + (bits >> 6 & 3));
        def[0][0] = def[0][1] = (char)('0' + (bits >> 8 & 3));
        def[0][2] = (char)('0' + (bits >> 10 & 3));
        def[1][0] = (char)('2' + (bits >> 12 & 3));
        def[1][1] = def[1][2] = (char)('2' + (bits >> 14 & 3));
        rows_texts(&f, 0, rep[0], def[0], TEXTS("a", "b", "a"));
        rows_ints(&f, 1, rep[1], def[1], INTS(1, 2, 3));
        if (rows_begin(&f, 1) == PQ_OK) {
            pq_json_rows_write(f.plan, 0, 1, 0, &n, &texts, t->e);
        }
        pq_err_clear(t->e);
    }
    rows_close(&f);
}

/* Plan, begin and write, with the nth allocation failing; true if all of it
** succeeded. */
static bool goes_well(Test *t, Rows *f, int64_t nth)
{
    const PqStr *texts;
    uint32_t n;
    bool well;

    pq_fault_set(nth);
    well = pq_json_rows_new(t->mem, f->schema.root->child[0], NULL, &f->plan,
                            t->e) == PQ_OK &&
           rows_begin(f, 1) == PQ_OK &&
           pq_json_rows_write(f->plan, 0, 1, 0, &n, &texts, t->e) == PQ_OK;
    pq_fault_set(0);
    if (well &&
        strcmp((const char *)texts[0].p, "{\"b\":2,\"a\":3,\"c\":4}") != 0) {
        test_fail(t, __FILE__, __LINE__, "%s", (const char *)texts[0].p);
    }
    if (well != (t->e->rc == PQ_OK)) {
        test_fail(t, __FILE__, __LINE__, "rc %d", (int)t->e->rc);
    }
    return well;
}

TEST(json_rows, every_allocation_may_fail)
{
    bool well = false;
    int64_t nth;
    Rows f;

    for (nth = 1; !well && !t->failed; nth++) {
        OPEN(map_to_int);
        pq_json_rows_free(f.plan);
        f.plan = NULL;
        rows_texts(&f, 0, "0111", "3333", TEXTS("a", "b", "a", "c"));
        rows_make_dictionary(&f, 0, 1);
        rows_ints(&f, 1, "0111", "3333", INTS(1, 2, 3, 4));
        well = goes_well(t, &f, nth);
        pq_err_clear(t->e);
        rows_close(&f);
    }
    CHECK(nth > 5);
}

/* The texts of a dictionary are kept from call to call.  Errors are not. */
TEST(json_rows, an_error_goes_to_the_call_that_met_it)
{
    const PqStr *texts;
    PqRc rc = PQ_NOMEM;
    int64_t nth;
    uint32_t n;
    Rows f;

    for (nth = 1; rc != PQ_OK && !t->failed; nth++) {
        PqErr write;

        OPEN(map_to_int);
        rows_texts(&f, 0, "0111", "3333", TEXTS("a", "b", "a", "c"));
        rows_make_dictionary(&f, 0, 1);
        rows_ints(&f, 1, "0111", "3333", INTS(1, 2, 3, 4));
        CHECK_OK(rows_begin(&f, 1));
        pq_err_init(&write);
        pq_fault_set(nth);
        rc = pq_json_rows_write(f.plan, 0, 1, SIZE_MAX, &n, &texts, &write);
        pq_fault_set(0);
        CHECK_INT(write.rc, rc);
        CHECK_INT(t->e->rc, PQ_OK);
        rows_close(&f);
    }
    CHECK(nth > 4);
}
