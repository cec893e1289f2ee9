/*
** json_read_test.c - tokens of good and of malformed JSON, listed on one line.
*/
#include "core/text/json_read.h"
#include "test/unit/test.h"

#include <stdlib.h>

/* The tokens on one line: [ ] { } n t f #number "string" k"key" and $ for the
** end; a failure is !RC and its text. */
static void print_token(const PqJsonToken *k, PqBuf *out)
{
    static const char *const sign[] = {
        [PQ_JSON_END] = "$",       [PQ_JSON_NULL] = "n",
        [PQ_JSON_TRUE] = "t",      [PQ_JSON_FALSE] = "f",
        [PQ_JSON_NUMBER] = "#",    [PQ_JSON_STRING] = "\"",
        [PQ_JSON_KEY] = "k\"",     [PQ_JSON_ARRAY] = "[",
        [PQ_JSON_ARRAY_END] = "]", [PQ_JSON_OBJECT] = "{",
        [PQ_JSON_OBJECT_END] = "}"
    };

    pq_buf_text(out, sign[k->kind]);
    if (k->kind == PQ_JSON_NUMBER || k->kind == PQ_JSON_STRING ||
        k->kind == PQ_JSON_KEY) {
        pq_buf_add(out, k->text.p, k->text.n);
    }
    if (k->kind == PQ_JSON_STRING || k->kind == PQ_JSON_KEY) {
        pq_buf_byte(out, '"');
    }
    pq_buf_byte(out, ' ');
}

/* text is at the end of its own allocation, so that the sanitizer sees a read
** after it. */
static const char *tokens_of(Test *t, const void *text, size_t n)
{
    static char line[4096];
    uint8_t *own = malloc(n + !n);
    PqJsonToken k = {.kind = PQ_JSON_NULL};
    PqJsonRead r;
    PqArena a;
    PqBuf out;

    memcpy(own, text, n);
    pq_arena_init(&a, t->mem);
    pq_buf_init(&out, t->mem, t->e);
    pq_json_read_begin(&r, pq_slice(own, n), &a);
    do {
        if (pq_json_read_next(&r, &k, t->e) != PQ_OK) {
            break;
        }
        print_token(&k, &out);
    } while (k.kind != PQ_JSON_END);
    if (t->e->rc) {
        snprintf(line, sizeof line, "!%d %s", (int)t->e->rc, t->e->text);
        pq_err_clear(t->e);
    } else {
        snprintf(line, sizeof line, "%.*s", (int)out.n - 1, (char *)out.p);
    }
    pq_buf_free(&out);
    pq_arena_free(&a);
    free(own);
    return line;
}

static const char *tokens(Test *t, const char *text)
{
    return tokens_of(t, text, strlen(text));
}

static bool fails(Test *t, const char *text, const char *why)
{
    const char *line = tokens(t, text);
    bool good = line[0] == '!' && line[1] == '0' + PQ_CORRUPT &&
                strstr(line, why);

    if (!good) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", text, line);
    }
    return good;
}

TEST(json_read, tokens_come_in_the_order_of_the_text)
{
    CHECK_TEXT(tokens(t, "{\"a\": [1, true], \"b\": {}}"),
               "{ k\"a\" [ #1 t ] k\"b\" { } } $");
    CHECK_TEXT(tokens(t, " \t\r\n[ [ ] ,[[]], null,false , \"x\"]\n"),
               "[ [ ] [ [ ] ] n f \"x\" ] $");
    CHECK_TEXT(tokens(t, "{\"a\":1,\"a\":{\"\":\"\"}}"),
               "{ k\"a\" #1 k\"a\" { k\"\" \"\" } } $");
    CHECK_TEXT(tokens(t, "null"), "n $");
    CHECK_TEXT(tokens(t, "\"text\""), "\"text\" $");
}

TEST(json_read, a_number_is_what_the_grammar_says)
{
    static const char *const good[] = {
        "0", "-0", "7", "10", "-12345678901234567890", "0.0", "1.50", "-0.1",
        "1e5", "1E+5", "1.5e-007", "0e0", "9e999", "-9e999"
    };
    static const char *const bad[] = {
        "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+", "1.e5", "1.5.5",
        "0x10", "Infinity", "NaN", "-a", "1_000", "--1", "9e", "1e5.5"
    };
    char want[80];

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        snprintf(want, sizeof want, "#%s $", good[i]);
        CHECK_TEXT(tokens(t, good[i]), want);
        snprintf(want, sizeof want, "[%s,%s]", good[i], good[i]);
        CHECK(tokens(t, want)[0] == '[');
    }
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK(fails(t, bad[i], "malformed JSON at byte "));
    }
}

TEST(json_read, escapes_become_what_they_stand_for)
{
    CHECK_TEXT(tokens(t, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
               "\"\"\\/\b\f\n\r\t\" $");
    CHECK_TEXT(tokens(t, "\"a\\u0041\\u00e9\\u20AC\\ud83c\\uDf55z\""),
               "\"aA\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\x95z\" $");
    CHECK_TEXT(tokens(t, "{\"k\\u0065y\":\"\\uffff\\u0800\\u07ff\\u0080\"}"),
               "{ k\"key\" \"\xef\xbf\xbf\xe0\xa0\x80\xdf\xbf\xc2\x80\" } $");
    CHECK_TEXT(tokens(t, "\"\xc3\xa9 \x7f \xe2\x80\xa8 / \""),
               "\"\xc3\xa9 \x7f \xe2\x80\xa8 / \" $");
    CHECK_TEXT(tokens(t, "\"\xff\""), "\"\xff\" $");
}

TEST(json_read, an_escaped_nul_is_a_byte_of_the_string)
{
    static const char text[] = "\"a\\u0000b\"";
    PqJsonToken k;
    PqJsonRead r;
    PqArena a;

    pq_arena_init(&a, t->mem);
    pq_json_read_begin(&r, pq_slice_text(text), &a);
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_INT(k.kind, PQ_JSON_STRING);
    CHECK_BYTES(k.text.p, k.text.n, "a\0b", 3);
    pq_arena_free(&a);
}

TEST(json_read, strings_of_every_length_end_at_their_quote)
{
    char text[100], want[100];

    for (int n = 0; n < 40; n++) {
        for (int at = 0; at <= n; at++) {
            snprintf(text, sizeof text, "\"%.*s\\n%.*s\"", at,
                     "0123456789012345678901234567890123456789", n - at,
                     "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop");
            snprintf(want, sizeof want, "\"%.*s\n%.*s\" $", at,
                     "0123456789012345678901234567890123456789", n - at,
                     "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop");
            CHECK_TEXT(tokens(t, text), want);
            text[at + 1] = '\x1f';
            snprintf(want, sizeof want, "at byte %d: a control character",
                     at + 1);
            CHECK(fails(t, text, want));
            CHECK_TEXT(tokens_of(t, text, (size_t)at + 1),
                       "!4 malformed JSON at byte 0: an unterminated string");
        }
    }
}

TEST(json_read, malformed_strings_are_refused_where_they_break)
{
    CHECK(fails(t, "[\"a\\x\"]", "at byte 3: an escape"));
    CHECK(fails(t, "\"\\u12g4\"", "at byte 1: \\u without four hex digits"));
    CHECK(fails(t, "\"\\u123\"", "at byte 1: \\u"));
    CHECK(fails(t, "\"a\\ud83c\"", "at byte 2: \\u"));
    CHECK(fails(t, "\"\\ud83c\\n\"", "at byte 1: \\u"));
    CHECK(fails(t, "\"\\ud83c\\u0041\"", "half a surrogate pair"));
    CHECK(fails(t, "\"\\udf55\"", "half a surrogate pair"));
    CHECK(fails(t, "\"\\ud83c\\ud83c\"", "half a surrogate pair"));
    CHECK(fails(t, "\"\\", "byte 0: an unterminated string"));
    CHECK(fails(t, "\"\\\"", "byte 0: an unterminated string"));
    CHECK(fails(t, "\"a\nb\"", "byte 2: a control character"));
}

TEST(json_read, what_is_out_of_place_is_named_with_its_place)
{
    CHECK(fails(t, "", "at byte 0: the text ends, but a value was expected"));
    CHECK(fails(t, "  ", "at byte 2: the text ends"));
    CHECK(fails(t, "[1", "at byte 2: the text ends, but a comma or ] was"));
    CHECK(fails(t, "[1,]", "at byte 3: a value was expected, not ]"));
    CHECK(fails(t, "[,1]", "at byte 1: a value was expected, not ,"));
    CHECK(fails(t, "[1 2]", "at byte 3: a comma or ] was expected, not 2"));
    CHECK(fails(t, "[1}", "at byte 2: a comma or ] was expected, not }"));
    CHECK(fails(t, "{\"a\":1]", "at byte 6: a comma or } was expected"));
    CHECK(fails(t, "{1:2}", "at byte 1: the name of a member was expected"));
    CHECK(fails(t, "{\"a\"}", "at byte 4: a colon was expected, not }"));
    CHECK(fails(t, "{\"a\" 1}", "at byte 5: a colon was expected, not 1"));
    CHECK(fails(t, "{\"a\":}", "at byte 5: a value was expected, not }"));
    CHECK(fails(t, "{\"a\":1,}", "at byte 7: the name of a member"));
    CHECK(fails(t, "{,}", "at byte 1: the name of a member"));
    CHECK(fails(t, "1 2", "at byte 2: the end of the text was expected"));
    CHECK(fails(t, "[]]", "at byte 2: the end of the text was expected"));
    CHECK(fails(t, "nul", "at byte 0: a value was expected, not n"));
    CHECK(fails(t, "nulL", "at byte 0: a value"));
    CHECK(fails(t, "truefalse", "at byte 4: the end of the text"));
    CHECK(fails(t, "'a'", "a value was expected, not '"));
    CHECK(fails(t, "\xef\xbb\xbf[]", "at byte 0: a value was expected, not "
                                     "the byte 0xef"));
    CHECK(fails(t, "[1,// no\n2]", "at byte 3: a value was expected, not /"));
    CHECK_TEXT(tokens_of(t, "[]\0", 3), "!4 malformed JSON at byte 2: the end "
               "of the text was expected, not the byte 0x00");
}

TEST(json_read, depth_has_a_limit_and_no_cost_in_stack)
{
    static char text[4 * PQ_JSON_DEPTH + 8];
    char *end = text;

    for (int i = 0; i < PQ_JSON_DEPTH; i++) *end++ = '[';
    for (int i = 0; i < PQ_JSON_DEPTH; i++) *end++ = ']';
    CHECK(tokens(t, text)[0] == '[');
    memset(text, '[', 2 * PQ_JSON_DEPTH);
    CHECK(fails(t, text, "nested deeper than 1000 levels at byte 1000"));
    for (int i = 0; i < PQ_JSON_DEPTH + 1; i++) {
        memcpy(text + 4 * i, "{\"\":", 4);
    }
    CHECK(fails(t, text, "nested deeper than 1000 levels at byte 4000"));
}

TEST(json_read, levels_of_arrays_and_objects_do_not_mix)
{
    char text[420], open, *end;
    size_t n;

    for (unsigned seed = 1; seed < 200; seed++) {
        unsigned bits = seed * 2654435761u;
        char ends[80];

        for (n = 0; n < 70; n++) {   /* more levels than a word has bits */
            open = bits >> n % 31 & 1 ? '[' : '{';
            snprintf(n ? text + strlen(text) : text, 8, "%c%s", open,
                     open == '{' ? "\"\":" : "");
            ends[n] = open == '[' ? ']' : '}';
        }
        strcat(text, "1");
        for (end = text + strlen(text); n-- > 0;) {
            *end++ = ends[n];
        }
        *end = 0;
        CHECK(tokens(t, text)[0] != '!');
        n = strlen(text) - 1 - seed % 70;
        text[n] = text[n] == ']' ? '}' : ']';
        CHECK(fails(t, text, "a comma or "));
    }
}

TEST(json_read, skipping_passes_a_value_and_has_its_text)
{
    static const char text[] =
        "[ {\"a\\n\":[1,{}],\"b\":\"]}\"} , [ [ ] ], 12, \"x\\u0041\" ,5]";
    static const char *const want[] = {
        "{\"a\\n\":[1,{}],\"b\":\"]}\"}", "[ [ ] ]", "12", "\"x\\u0041\"", "5"
    };
    PqJsonToken k;
    PqJsonRead r;
    PqSlice whole;
    PqArena a;

    pq_arena_init(&a, t->mem);
    pq_json_read_begin(&r, pq_slice_text(text), &a);
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    for (size_t i = 0; i < PQ_COUNT(want); i++) {
        CHECK_OK(pq_json_read_next(&r, &k, t->e));
        CHECK_OK(pq_json_read_skip(&r, &k, &whole, t->e));
        CHECK_BYTES(whole.p, whole.n, want[i], strlen(want[i]));
    }
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_INT(k.kind, PQ_JSON_ARRAY_END);
    pq_json_read_begin(&r, pq_slice_text(text), &a);
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_OK(pq_json_read_skip(&r, &k, NULL, t->e));
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_INT(k.kind, PQ_JSON_END);
    pq_arena_free(&a);
}

TEST(json_read, what_is_skipped_is_checked_all_the_same)
{
    static const char *const bad[] = {
        "[[1,]]", "[{\"a\\q\":1}]", "[[\"\\ud800\"]]", "[[01]]", "[{\"a\":1]]"
    };

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        PqJsonToken k;
        PqJsonRead r;
        PqArena a;

        pq_arena_init(&a, t->mem);
        pq_json_read_begin(&r, pq_slice_text(bad[i]), &a);
        CHECK_OK(pq_json_read_next(&r, &k, t->e));
        CHECK_OK(pq_json_read_next(&r, &k, t->e));
        CHECK_FAILS(pq_json_read_skip(&r, &k, NULL, t->e), PQ_CORRUPT,
                    "malformed JSON at byte ");
        pq_arena_free(&a);
    }
}

TEST(json_read, no_memory_for_an_escape_is_an_error)
{
    PqJsonToken k;
    PqJsonRead r;
    PqArena a;

    pq_arena_init(&a, t->mem);
    pq_mem_set_limit(t->mem, 0);
    pq_json_read_begin(&r, pq_slice_text("[\"plain\",\"\\n\"]"), &a);
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_OK(pq_json_read_next(&r, &k, t->e));
    CHECK_INT(pq_json_read_next(&r, &k, t->e), PQ_BUDGET);
    pq_arena_free(&a);
}

/* Random bytes give tokens or an error; what is accepted is also accepted with
** blanks around its tokens. */
TEST(json_read, random_bytes_end_well)
{
    static const char alphabet[] = "[]{}:,\"\\ 01-.eEtrufalsn\n";
    uint32_t seed = 12345;
    int accepted = 0;

    for (int i = 0; i < 200000; i++) {
        char text[12];
        size_t n = seed % sizeof text;

        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525 + 1013904223;
            text[k] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        seed = seed * 1664525 + 1013904223;
        accepted += tokens_of(t, text, n)[0] != '!';
    }
    CHECK(accepted > 300);
}
