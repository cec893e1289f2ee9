/*
** url_test.c - URLs that are one place, and spellings that pretend to be another.
*/
#include "test/unit/test.h"

#include "core/remote/url.h"

#include <stdlib.h>

/* The parts of a URL, or why it is none: "https|host|8443|/path|query". */
static const char *parts(Test *t, PqArena *a, const char *text)
{
    static const char *const names[] = {"http", "https", "s3"};
    PqUrl u;

    if (pq_url_parse(a, text, &u, t->e) != PQ_OK) {
        const char *why = pq_arena_printf(a, t->e, "%s", t->e->text);

        pq_err_clear(t->e);
        return why ? why : pq_arena_printf(a, t->e, "%s", "refused");
    }
    return pq_arena_printf(a, t->e, "%s|%s|%u|%s|%s", names[u.scheme], u.host, u.port,
                           u.path, u.query);
}

TEST(url, is_taken_apart)
{
    static const char *const cases[][2] = {
        {"http://a.org", "http|a.org|0|/|"},
        {"HTTPS://A.Org/X?Y", "https|a.org|0|/X|Y"},
        {"https://a.org:443/", "https|a.org|0|/|"},
        {"https://a.org:00443/", "https|a.org|0|/|"},
        {"http://a.org:80", "http|a.org|0|/|"},
        {"http://a.org:443", "http|a.org|443|/|"},
        {"https://a.org./x", "https|a.org|0|/x|"},
        {"https://a.org?q", "https|a.org|0|/|q"},
        {"https://a.org/a b/\xc3\xa9?c d", "https|a.org|0|/a%20b/%C3%A9|c%20d"},
        {"https://a.org/%41%zz%?%", "https|a.org|0|/%41%25zz%25|%25"},
        {"https://a.org/a\\b?c\\d?e/f", "https|a.org|0|/a%5Cb|c%5Cd?e/f"},
        {"https://a.org/x=1/y+z@(1),*", "https|a.org|0|/x=1/y+z@(1),*|"},
        {"https://a_b.org/", "https|a_b.org|0|/|"},
        {"https://[::1]:8443/x", "https|::1|8443|/x|"},
        {"https://[0:0:0::0001]", "https|::1|0|/|"},
        {"https://[FE80::A]", "https|fe80::a|0|/|"},
        {"s3://bucket", "s3|bucket|0||"},
        {"S3://bucket/", "s3|bucket|0||"},
        {"s3://My_b.x/a=1/b?c#d%20 e//", "s3|My_b.x|0|a=1/b?c#d%20 e//|"},
        {"s3://b//x", "s3|b|0|/x|"},
        {"s3://169.254.169.254/x", "s3|169.254.169.254|0|x|"},
    };
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK(pq_url_is(cases[i][0]));
        CHECK_TEXT(parts(t, &a, cases[i][0]), cases[i][1]);
    }
    pq_arena_free(&a);
}

TEST(url, with_dots_between_slashes_is_refused)
{
    static const char *const wrong[] = {
        "/.", "/..", "/../../a", "/a/..", "/a/../b", "/a/./b/", "/a/b/..", "/a/b/.",
        "/a/%2e%2E/b", "/a/.%2e", "/a//../b", "/%2e", "/a%2f..%2fb", "/a/..;x/b",
        "/a%5c..%5cb",
    };
    static const char *const right[] = {
        "/a/...", "/a/..b", "/a/b..", "/.a", "/a/.b/c", "/%2ea", "/%2e%2e%2e", "/a.b;c.d",
        "/a/b;.", "/a/b;..",
    };
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(wrong) + PQ_COUNT(right); i++) {
        bool is_right = i >= PQ_COUNT(wrong);
        char text[64] = "https://h";

        strcat(text, is_right ? right[i - PQ_COUNT(wrong)] : wrong[i]);
        if (is_right) {
            CHECK_OK(pq_url_parse(&a, text, &u, t->e));
            CHECK_TEXT(u.path, right[i - PQ_COUNT(wrong)]);
        } else {
            CHECK_FAILS(pq_url_parse(&a, text, &u, t->e), PQ_USAGE, "between slashes");
        }
    }
    pq_arena_free(&a);
}

TEST(url, that_two_readers_may_understand_differently_is_refused)
{
    static const char *const cases[] = {
        "http://", "https:///x", "https://?x", "https://:80/", "https://.a.org/",
        "https://a.org@evil.com@b.org/", "https://a.org\\@evil.com/",
        "https://a.org\\.evil.com/", "https://a b/", "https://a\tb/", "https://a%2eb/",
        "https://a%00b/", "https://a.org#@evil.com/", "https://a.org/x#y",
        "https://u\\x@a.org/", "https://u x@a.org/", "https://u@", "https://u@:1/",
        "https://a.org:/", "https://a.org:0/", "https://a.org:65536/",
        "https://a.org:-1/", "https://a.org:+1/", "https://a.org:1x/",
        "https://a.org:00000443/", "https://a.org: 1/", "https://a:b@c:d@e/",
        "https://[::1/", "https://[::1]x/", "https://[1.2.3.4]/", "https://[]/",
        "https://::1/", "https://[fe80::1%25eth0]/", "https://a.org:1:2/",
        "https://\xef\xbc\x91.org/", "https://a\xe3\x80\x82org/", "https://a;b/",
        "https://a.org/x/..%2fy", "https://a.org/x%2F..%2Fy", "https://a.org/..%5cy",
        "https://a.org/%2e.%2fy", "https://a.org/x/..;/y", "https://a.org/..\\y",
        "https://a.org/x\\..", "https://a..;p=1/", "https://*/", "https://~/",
        "http://169.254.169.254../", "https://a..org/", "https://./", "https://../",
        "s3://b./x", "s3://b..c/x",
        "s3://", "s3:///x", "s3://b?x/y", "s3://b#x/y", "s3://b@c/x", "s3://b:80/x",
        "s3://b%2f/x", "s3://../x", "s3://b\\c/x", "s3://*/x", "s3://b c/x",
        "s3://b/../x", "s3://b/./x", "s3://b/x/..", "s3://b/.", "s3://b/x/../",
        "ftp://a/", "http:/a", "https:a", "//a.org/", "file:///x", "s3:b/x", "",
    };
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        if (pq_url_parse(&a, cases[i], &u, t->e) != PQ_USAGE) {
            test_fail(t, __FILE__, __LINE__, "%s is taken", cases[i]);
            break;
        }
        CHECK(!strstr(t->e->text, "evil"));
        pq_err_clear(t->e);
    }
    pq_arena_free(&a);
}

TEST(url, of_any_length_is_no_harm)
{
    enum { LONG = 70000 };
    char *text = malloc(LONG + 32);
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    memset(text, 'a', LONG);
    memcpy(text, "https://", 8);
    text[LONG] = 0;
    CHECK(pq_url_parse(&a, text, &u, t->e) == PQ_USAGE);
    pq_err_clear(t->e);
    for (int i = 8; i < LONG; i += 3) {
        memcpy(text + i, "/..", 4);
    }
    memcpy(text + 8, "h/a", 3);
    CHECK(pq_url_parse(&a, text, &u, t->e) == PQ_USAGE);
    pq_err_clear(t->e);
    for (int i = 11; i < LONG; i += 3) {
        memcpy(text + i, "/.a", 4);
    }
    CHECK_OK(pq_url_parse(&a, text, &u, t->e));
    CHECK_TEXT(u.path, text + 9);
    free(text);
    pq_arena_free(&a);
}

TEST(url, has_a_user_that_is_not_shown)
{
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_url_parse(&a, "https://m%40e:p%3aw:x@a.org:1/b c?secret=1", &u, t->e));
    CHECK_TEXT(u.user, "m@e");
    CHECK_TEXT(u.password, "p:w:x");
    CHECK_TEXT(pq_url_shown(&a, &u, t->e), "https://a.org:1/b%20c");
    CHECK_OK(pq_url_parse(&a, "https://@[::1]", &u, t->e));
    CHECK(!u.user && !u.password);
    CHECK_TEXT(pq_url_shown(&a, &u, t->e), "https://[::1]/");
    CHECK_OK(pq_url_parse(&a, "https://me@h", &u, t->e));
    CHECK_TEXT(u.password, "");
    CHECK_OK(pq_url_parse(&a, "s3://b/c?d", &u, t->e));
    CHECK_TEXT(pq_url_shown(&a, &u, t->e), "s3://b/c?d");
    pq_arena_free(&a);
}

TEST(url, is_below_a_prefix_only_at_a_boundary)
{
    static const struct { const char *prefix, *url; bool below; } cases[] = {
        {"https://a.org", "https://a.org/x", true},
        {"https://a.org", "https://a.org", true},
        {"https://a.org", "https://a.org:443/x", true},
        {"https://A.ORG.", "https://a.org/x", true},
        {"https://a.org", "https://u:p@a.org/x", true},
        {"https://a.org", "https://a.org.evil/x", false},
        {"https://a.org", "https://a.org:8443/x", false},
        {"https://a.org", "http://a.org/x", false},
        {"https://a.org", "http://a.org:443/x", false},
        {"https://a.org", "https://b.a.org/x", false},
        {"https://a.org", "https://a.org@evil/x", false},
        {"https://a.org", "https://evil/a.org", false},
        {"https://a.org/data", "https://a.org/data", true},
        {"https://a.org/data", "https://a.org/data?x", true},
        {"https://a.org/data", "https://a.org/data/x", true},
        {"https://a.org/data", "https://a.org/database", false},
        {"https://a.org/data", "https://a.org/data%2fx", false},
        {"https://a.org/data", "https://a.org/Data/x", false},
        {"https://a.org/data/", "https://a.org/data", false},
        {"https://a.org/data/", "https://a.org/data/x", true},
        {"http://127.0.0.1", "http://2130706433/x", true},
        {"http://[::1]", "http://[0::1]/x", true},
        {"s3://b", "s3://b/x", true},
        {"s3://b/", "s3://b", true},
        {"s3://b", "s3://bc/x", false},
        {"s3://b", "s3://B/x", false},
        {"s3://b/data", "s3://b/data/x", true},
        {"s3://b/data", "s3://b/data=1", false},
        {"s3://b/data", "https://b/data/x", false},
    };
    PqArena a;
    PqUrl p, u;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_OK(pq_url_parse(&a, cases[i].prefix, &p, t->e));
        CHECK_OK(pq_url_parse(&a, cases[i].url, &u, t->e));
        if (pq_url_below(&p, &u) != cases[i].below) {
            test_fail(t, __FILE__, __LINE__, "%s, %s", cases[i].prefix, cases[i].url);
        }
    }
    pq_arena_free(&a);
}

TEST(url, of_a_link_local_address_is_known_in_each_spelling)
{
    static const char *const local[] = {
        "169.254.169.254", "169.254.0.1", "169.254.169.254.", "2852039166",
        "0xa9fea9fe", "0xA9FEA9FE", "025177524776", "0xa9.254.0251.0xfe",
        "169.254.43518", "169.16689662", "169.254.0xa9fe", "[fe80::1]", "[febf::1]",
        "[FE80::1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
        "[::169.254.169.254]", "[64:ff9b::169.254.169.254]", "[64:ff9b::a9fe:1]",
        "[fd00:ec2::254]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "u@169.254.1.1",
    };
    static const char *const others[] = {
        "169.253.169.254", "169.255.0.1", "169.254.org", "2852130304", "[fec0::1]",
        "[fe7f::1]", "[::1]", "169.254.169.254.org", "1.169.254.1", "127.0.0.1",
        "a9fea9fe.org", "[fd00:ec3::254]", "[::ffff:169.253.1.1]", "169.254.1.256",
        "169.254.1.1.1", "7147006462", "a.org",
    };
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(local) + PQ_COUNT(others); i++) {
        bool is = i < PQ_COUNT(local);
        char text[64] = "http://";

        strcat(text, is ? local[i] : others[i - PQ_COUNT(local)]);
        CHECK_OK(pq_url_parse(&a, text, &u, t->e));
        if (pq_url_link_local(&u) != is) {
            test_fail(t, __FILE__, __LINE__, "%s", text);
        }
    }
    CHECK_OK(pq_url_parse(&a, "s3://169.254.169.254/x", &u, t->e));
    CHECK(!pq_url_link_local(&u));
    CHECK_OK(pq_url_parse(&a, "http://0251.0376.1", &u, t->e));
    CHECK_TEXT(u.host, "169.254.0.1");
    pq_arena_free(&a);
}

TEST(url, has_its_bytes_encoded)
{
    static const uint8_t all[] = "aZ09-_.~/ +%=&?#\xc3\xa9\x01";
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_TEXT(pq_url_encode(&a, pq_slice(all, sizeof all - 1), false, t->e),
               "aZ09-_.~%2F%20%2B%25%3D%26%3F%23%C3%A9%01");
    CHECK_TEXT(pq_url_encode(&a, pq_slice_text("a=1//b"), true, t->e), "a%3D1//b");
    CHECK_TEXT(pq_url_encode(&a, pq_slice("", 0), true, t->e), "");
    CHECK_TEXT(pq_url_encode(&a, pq_slice("\0", 1), true, t->e), "%00");
    CHECK_TEXT(pq_url_decode(&a, pq_slice_text("a%3d1%2F%zz%00%"), t->e), "a=1/%zz%00%");
    pq_arena_free(&a);
}
