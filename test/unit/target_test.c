/*
** target_test.c - the host, the path and the URL that go over the wire.
*/
#include "test/unit/test.h"

#include "core/remote/target.h"

TEST(target, bucket_and_key_become_host_and_path)
{
    static const struct {
        const char *url, *endpoint, *region;
        const char *style;
        bool        ssl;
        const char *sent;
    } cases[] = {
        {"s3://b/a=1/x y", "", "eu-west-1", "", true,
         "https://b.s3.eu-west-1.amazonaws.com/a%3D1/x%20y"},
        {"s3://b/x", "", "", "", true, "https://b.s3.us-east-1.amazonaws.com/x"},
        {"s3://b/x", "", "cn-north-1", "path", true,
         "https://s3.cn-north-1.amazonaws.com.cn/b/x"},
        {"s3://a.b/x", "", "", "", true, "https://s3.us-east-1.amazonaws.com/a.b/x"},
        {"s3://A_b/x", "", "", "", true, "https://s3.us-east-1.amazonaws.com/A_b/x"},
        {"s3://b/x//", "h:9", "", "path", false, "http://h:9/b/x//"},
        {"s3://b/x", "h:9", "", "vhost", false, "http://b.h:9/x"},
        {"s3://b", "h", "Region_1", "", true, "https://h/b"},
        {"s3://b", "h", "", "vhost", true, "https://b.h/"},
        {"http://u:p@[::1]:80/x y?q", "h", "", "path", true, "http://[::1]/x%20y?q"},
        {"https://A.org:80/x", "", "", "", false, "https://a.org:80/x"},
    };
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqSecret s = {.endpoint = cases[i].endpoint, .region = cases[i].region,
                      .url_style = cases[i].style, .ssl = cases[i].ssl};
        PqTarget target;
        PqUrl u;

        CHECK_OK(pq_url_parse(&a, cases[i].url, &u, t->e));
        CHECK_OK(pq_target_make(&a, &u, &s, "", NULL, &target, t->e));
        CHECK_TEXT(target.url, cases[i].sent);
    }
    pq_arena_free(&a);
}

TEST(target, a_region_that_a_server_names_stays_within_the_host)
{
    static const char *const regions[] = {"evil.org/", "evil.org#", "a.b", "x@y", "a b",
                                          "a\r\nb", "\xc3\xa9"};
    PqSecret s = {.endpoint = "", .region = "", .url_style = "", .ssl = true};
    PqTarget target;
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_url_parse(&a, "s3://b/x", &u, t->e));
    for (size_t i = 0; i < PQ_COUNT(regions); i++) {
        CHECK_FAILS(pq_target_make(&a, &u, &s, regions[i], NULL, &target, t->e),
                    PQ_USAGE, "a region has");
    }
    CHECK_OK(pq_target_make(&a, &u, &s, "eu", "list-type=2", &target, t->e));
    CHECK_TEXT(target.url, "https://b.s3.eu.amazonaws.com/x?list-type=2");
    CHECK_TEXT(target.region, "eu");
    pq_arena_free(&a);
}
