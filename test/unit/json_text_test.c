/*
** json_text_test.c - JSON strings, hex and UUIDs, at every length and offset.
*/
#include "core/text/json_text.h"
#include "test/unit/test.h"

static const char *json(Test *t, PqSlice s)
{
    static char text[512];
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_json_text_string(s, &out);
    snprintf(text, sizeof text, "%.*s", (int)out.n, (const char *)out.p);
    pq_buf_free(&out);
    return text;
}

static const char *json_hex(Test *t, const char *hex)
{
    return json(t, test_hex(t, hex));
}

#define FFFD "\xef\xbf\xbd"

TEST(json_text, plain_text_only_gets_quotes)
{
    CHECK_TEXT(json(t, pq_slice(NULL, 0)), "\"\"");
    CHECK_TEXT(json(t, pq_slice_text("a")), "\"a\"");
    CHECK_TEXT(json(t, pq_slice_text("hello, world / 'x'")),
               "\"hello, world / 'x'\"");
    CHECK_TEXT(json(t, pq_slice_text("na\xc3\xafve \xe4\xb8\xad \xf0\x9f\x8d"
                                     "\x95 \x7f \xe2\x80\xa8")),
               "\"na\xc3\xafve \xe4\xb8\xad \xf0\x9f\x8d\x95 \x7f "
               "\xe2\x80\xa8\"");
}

TEST(json_text, what_json_wants_escaped_is_escaped)
{
    CHECK_TEXT(json_hex(t, "22 5c 08 0c 0a 0d 09 00 1f 0b"),
               "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\\u000b\"");
    CHECK_TEXT(json(t, pq_slice_text("say \"yes\"")), "\"say \\\"yes\\\"\"");
}

TEST(json_text, an_escape_is_found_at_every_place)
{
    char in[41], want[64];
    int n, at;

    for (n = 1; n <= 40; n++) {
        for (at = 0; at < n; at++) {
            memset(in, '!' + n, (size_t)n);   /* never a quote or backslash */
            if (in[0] == '"' || in[0] == '\\') {
                memset(in, '~', (size_t)n);
            }
            in[at] = '\n';
            snprintf(want, sizeof want, "\"%.*s\\n%.*s\"", at, in, n - at - 1,
                     in + at + 1);
            CHECK_TEXT(json(t, pq_slice(in, (size_t)n)), want);
            in[at] = (char)0xff;
            snprintf(want, sizeof want, "\"%.*s" FFFD "%.*s\"", at, in,
                     n - at - 1, in + at + 1);
            CHECK_TEXT(json(t, pq_slice(in, (size_t)n)), want);
        }
    }
}

TEST(json_text, every_byte_alone_is_a_json_string)
{
    int c;

    for (c = 0; c < 256; c++) {
        uint8_t byte = (uint8_t)c;
        const char *got = json(t, pq_slice(&byte, 1));
        size_t n = strlen(got);
        bool escaped = c < 0x20 || c == '"' || c == '\\';

        CHECK(got[0] == '"' && got[n - 1] == '"');
        CHECK_INT(got[1] == '\\', escaped);
        CHECK(escaped || (c < 0x80 ? n == 3 && got[1] == c
                                   : strcmp(got, "\"" FFFD "\"") == 0));
    }
}

TEST(json_text, each_ill_formed_prefix_becomes_one_replacement)
{
    /* The examples of Unicode's chapter 3, tables 3-8 to 3-11. */
    CHECK_TEXT(json_hex(t, "c0 af e0 80 bf f0 81 82 41"),
               "\"" FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A\"");
    CHECK_TEXT(json_hex(t, "ed a0 80 ed bf bf ed af 41"),
               "\"" FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A\"");
    CHECK_TEXT(json_hex(t, "f4 91 92 93 ff 41 80 bf 42"),
               "\"" FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B\"");
    CHECK_TEXT(json_hex(t, "e1 80 e2 f0 91 92 f1 bf 41"),
               "\"" FFFD FFFD FFFD FFFD "A\"");
    CHECK_TEXT(json_hex(t, "e1 80"), "\"" FFFD "\"");
    CHECK_TEXT(json_hex(t, "f0 90 80 22"), "\"" FFFD "\\\"\"");
    CHECK_TEXT(json_hex(t, "c3 a4 c3 22 c3 a4"),
               "\"\xc3\xa4" FFFD "\\\"\xc3\xa4\"");
}

TEST(json_text, a_failed_sink_stays_failed)
{
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_mem_set_limit(t->mem, 0);
    pq_json_text_string(pq_slice_text("a text\nlonger than the limit"), &out);
    CHECK(!pq_buf_ok(&out));
    pq_json_text_string(pq_slice_text("x"), &out);
    pq_hex_text(pq_slice_text("x"), &out);
    CHECK_INT(t->e->rc, PQ_BUDGET);
    CHECK_INT(out.n, 0);
    pq_buf_free(&out);
}

TEST(json_text, hex_is_upper_case_and_a_uuid_lower)
{
    PqBuf out;
    char uuid[37] = {0};

    pq_buf_init(&out, t->mem, t->e);
    pq_hex_text(pq_slice(NULL, 0), &out);
    pq_hex_text(test_hex(t, "00 9f ab ff"), &out);
    CHECK_BYTES(out.p, out.n, "009FABFF", 8);
    out.n = 0;
    pq_json_text_string(pq_slice_text("2024-03-01"), &out);
    pq_json_text_string(pq_slice(NULL, 0), &out);
    CHECK_BYTES(out.p, out.n, "\"2024-03-01\"\"\"", 14);
    pq_buf_free(&out);
    pq_uuid_text(test_hex(t, "00112233445566778899aabbccddeeff").p, uuid);
    CHECK_TEXT(uuid, "00112233-4455-6677-8899-aabbccddeeff");
}

TEST(json_text, a_pattern_becomes_json)
{
    PqSlice s;
    PqArena a;

    pq_arena_init(&a, t->mem);
    s = pq_json_text_make(&a, t->e, "{'a':%s,'b':%s,'c':[%t,%j],'d':%d,'e':'%d',%t:%b}", "x\"y",
                          (const char *)NULL, pq_slice_text("z\n"), pq_slice_text("{}"),
                          INT64_MIN, (int64_t)7, pq_slice_text("f"), true);
    CHECK(pq_slice_is(s, "{\"a\":\"x\\\"y\",\"b\":null,\"c\":[\"z\\n\",{}],"
                         "\"d\":-9223372036854775808,\"e\":\"7\",\"f\":true}"));
    pq_arena_free(&a);
}

TEST(utf8, every_code_point_but_the_surrogates_is_valid)
{
    uint32_t c;

    for (c = 0; c <= 0x1fffff; c++) {
        uint8_t s[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

        for (i = n; i-- > 1;) {
            s[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
        }
        s[0] = (uint8_t)(n == 1 ? c
                                : (0xf00 >> n & 0xff) | c >> 6 * (n - 1));
        CHECK_INT(pq_utf8_valid(pq_slice(s, n)),
                  c < 0xd800 || (c > 0xdfff && c <= 0x10ffff));
        if (n > 1) {
            CHECK(!pq_utf8_valid(pq_slice(s, n - 1)));
            CHECK(!pq_utf8_valid(pq_slice(s + 1, n - 1)));
        }
    }
}

TEST(utf8, of_all_three_byte_texts_exactly_the_well_formed_are_valid)
{
    const int ascii = 0x80, two = 0x800 - 0x80, three = 0x10000 - 0x800 - 0x800;
    int valid = 0;
    uint32_t v;

    for (v = 0; v < 1 << 24; v++) {
        uint8_t s[3] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16)};
        valid += pq_utf8_valid(pq_slice(s, 3));
    }
    CHECK_INT(valid, ascii * ascii * ascii + 2 * ascii * two + three);
}

TEST(utf8, a_bad_byte_is_found_at_every_place)
{
    uint8_t s[50];
    size_t n, at;

    CHECK(pq_utf8_valid(pq_slice(NULL, 0)));
    for (n = 1; n <= sizeof s; n++) {
        memset(s, 'x', n);
        CHECK(pq_utf8_valid(pq_slice(s, n)));
        for (at = 0; at < n; at++) {
            s[at] = 0xc3;
            CHECK(!pq_utf8_valid(pq_slice(s, n)));
            if (at + 1 < n) {
                s[at + 1] = 0xa4;
                CHECK(pq_utf8_valid(pq_slice(s, n)));
                s[at + 1] = 'x';
            }
            s[at] = 'x';
        }
    }
}
