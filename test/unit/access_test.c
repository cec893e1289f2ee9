/*
** access_test.c - secrets go to the URLs below their prefix and nowhere else; a URL
** out of a schema is asked only if the connection said so.
*/
#define _GNU_SOURCE                  /* setenv */
#include "test/unit/test.h"

#include "core/base/secret.h"
#include "core/remote/target.h"

#include <pthread.h>
#include <stdlib.h>

static PqAccess *new_access(Test *t)
{
    PqAccess *x = NULL;

    unsetenv("PARQUET_NO_NETWORK");
    pq_access_new(t->mem, &x, t->e);
    return x;
}

static PqRc put(Test *t, PqAccess *x, const char *prefix, const char *json)
{
    PqSlice text = pq_slice_text(json);

    return pq_access_put(x, prefix, json ? &text : NULL, t->e);
}

/* The grant of a URL; the caller releases it. */
static PqGrant grant(Test *t, PqAccess *x, const char *url)
{
    PqGrant g = {.held = NULL};
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    if (pq_url_parse(&a, url, &u, t->e) == PQ_OK) {
        pq_access_grant(x, &u, &g, t->e);
    }
    pq_arena_free(&a);
    return g;
}

static PqRc check(Test *t, PqAccess *x, const char *url, bool own)
{
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    if (pq_url_parse(&a, url, &u, t->e) == PQ_OK) {
        pq_access_check(x, &u, own, t->e);
    }
    pq_arena_free(&a);
    return t->e->rc;
}

TEST(access, members_of_a_secret_are_granted)
{
    static const char s3[] =
        "{\"key_id\":\"AK\",\"secret\":\"a\\/\\u00e9+\",\"session_token\":\"t==\",\"region\""
        ":\"eu\",\"endpoint\":\"Min.IO:9000\",\"use_ssl\":0,\"requester_pays\":true,"
        "\"ca_file\":\"/ca\",\"proxy\":null,\"provider\":\"config\"}";
    static const char http[] =
        "{\"headers\":{\"X-Key\":\"v: w\",\"Authorization\":\"\"},\"user\":\"u\","
        "\"password\":\"p\",\"proxy\":\"http://p:1\"}";
    PqAccess *x = new_access(t);
    PqGrant g;

    CHECK_OK(put(t, x, "s3://b/", s3));
    CHECK_OK(put(t, x, "https://a.org/", http));
    g = grant(t, x, "s3://b/x");
    CHECK(g.held && !g.s.ssl && g.s.requester_pays);
    CHECK_TEXT(g.s.key_id, "AK");
    CHECK_TEXT(g.s.secret, "a/\xc3\xa9+");
    CHECK_TEXT(g.s.session_token, "t==");
    CHECK_TEXT(g.s.region, "eu");
    CHECK_TEXT(g.s.endpoint, "Min.IO:9000");
    CHECK_TEXT(g.s.ca_file, "/ca");
    CHECK_TEXT(g.s.proxy, "");
    CHECK_TEXT(g.s.bearer_token, "");
    pq_access_release(&g);
    g = grant(t, x, "https://a.org/x");
    CHECK(g.held && g.s.ssl);
    CHECK_INT(g.s.n_headers, 2);
    CHECK_TEXT(g.s.headers[0], "X-Key: v: w");
    CHECK_TEXT(g.s.headers[1], "Authorization: ");
    CHECK_TEXT(g.s.user, "u");
    CHECK_TEXT(g.s.password, "p");
    pq_access_release(&g);
    g = grant(t, x, "https://b.org/x");
    CHECK(!g.held && !*g.s.key_id && !*g.s.user && !*g.s.proxy && !g.s.n_headers);
    pq_access_release(&g);
    CHECK_TEXT(g.s.secret, "");
    pq_access_free(x);
}

TEST(access, the_longest_prefix_wins)
{
    static const char *const prefixes[] = {
        "s3://", "s3://b", "s3://b/data", "s3://b/data/x/", "s3://longer",
    };
    static const struct { const char *url, *ca_file; } cases[] = {
        {"s3://a/x", "s3://"}, {"s3://b/x", "s3://b"}, {"s3://b", "s3://b"},
        {"s3://b/database", "s3://b"}, {"s3://b/data", "s3://b/data"},
        {"s3://b/data/y", "s3://b/data"}, {"s3://b/data/x/y", "s3://b/data/x/"},
        {"s3://longer/data/x/y", "s3://longer"}, {"s3://bb/data", "s3://"},
        {"https://b/data", ""},
    };
    PqAccess *x = new_access(t);
    char json[64];
    PqGrant g;

    for (size_t i = 0; i < PQ_COUNT(prefixes); i++) {
        snprintf(json, sizeof json, "{\"ca_file\":\"%s\"}", prefixes[i]);
        CHECK_OK(put(t, x, prefixes[i], json));
    }
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        g = grant(t, x, cases[i].url);
        CHECK_TEXT(g.s.ca_file, cases[i].ca_file);
        pq_access_release(&g);
    }
    CHECK_OK(put(t, x, "S3://b/data", NULL));
    g = grant(t, x, "s3://b/data/y");
    CHECK_TEXT(g.s.ca_file, "s3://b");
    pq_access_release(&g);
    CHECK_OK(put(t, x, "s3://b/data", NULL));
    pq_access_free(x);
}

TEST(access, a_secret_that_makes_no_sense_is_refused_without_its_values)
{
    static const struct { const char *prefix, *json, *says; } cases[] = {
        {"s3://b", "", "malformed JSON at byte"},
        {"s3://b", "[]", "JSON object"}, {"s3://b", "\"SECRET\"", "JSON object"},
        {"s3://b", "{\"key_id\":\"SECRET\",", "malformed JSON"},
        {"s3://b", "{\"key_id\":SECRET}", "malformed JSON"},
        {"s3://b", "{} SECRET", "malformed JSON"},
        {"s3://b", "{\"SECRET\":1}", "such a name of 6 characters; for s3 there are"},
        {"s3://b", "{\"keyid\":\"SECRET\"}", "no member keyid; for s3 there are key_id, "},
        {"s3://b", "{\"bearer_token\":\"SECRET\"}", "no member bearer_token"},
        {"https://b", "{\"region\":\"SECRET\"}", "; for http there are bearer_token"},
        {"s3://b", "{\"key_id\":\"SECRET\"}", "belong together"},
        {"s3://b", "{\"secret\":\"SECRET\"}", "belong together"},
        {"s3://b", "{\"session_token\":\"SECRET\"}", "needs key_id"},
        {"s3://b", "{\"key_id\":7}", "key_id is a text"},
        {"s3://b", "{\"key_id\":{\"SECRET\":1}}", "key_id is a text"},
        {"s3://b", "{\"region\":\"a\",\"region\":\"SECRET\"}", "region is there twice"},
        {"s3://b", "{\"region\":\"SECRET\\n\"}", "does a line end follow"},
        {"s3://b", "{\"region\":\"SE\\r\\nCRET\"}", "region has a control character"},
        {"s3://b", "{\"region\":\"SECRET\\u0000\"}", "region has a control"},
        {"s3://b", "{\"use_ssl\":\"SECRET\"}", "use_ssl is true or false"},
        {"s3://b", "{\"use_ssl\":2}", "use_ssl is true or false"},
        {"s3://b", "{\"url_style\":\"SECRET\"}", "vhost or path"},
        {"s3://b", "{\"provider\":\"SECRET\"}", "config or env"},
        {"s3://b", "{\"profile\":\"SECRET\"}", "needs provider env"},
        {"s3://b", "{\"provider\":\"env\",\"key_id\":\"SECRET\",\"secret\":\"s\"}",
         "come from the environment"},
        {"s3://b", "{\"endpoint\":\"u:SECRET@a.org\"}", "host:port"},
        {"s3://b", "{\"endpoint\":\"https://a.org/SECRET\"}", "host:port"},
        {"s3://b", "{\"endpoint\":\"SECRET:x\"}", "port"},
        {"s3://b", "{\"endpoint\":\"s3://SECRET\"}", "host:port"},
        {"https://b", "{\"password\":\"SECRET\"}", "needs a user"},
        {"https://b", "{\"user\":\"u\",\"bearer_token\":\"SECRET\"}", "exclude"},
        {"https://b", "{\"bearer_token\":\"SECRET\\r\\nHost: x\"}", "control character"},
        {"https://b", "{\"headers\":\"SECRET\"}", "object of texts"},
        {"https://b", "{\"headers\":{\"SECRET\":1}}", "object of texts"},
        {"https://b", "{\"headers\":{\"Host\":\"SECRET\"}}", "cannot be set"},
        {"https://b", "{\"headers\":{\"rAnge\":\"SECRET\"}}", "cannot be set"},
        {"https://b", "{\"headers\":{\"a b\":\"SECRET\"}}", "cannot be set"},
        {"https://b", "{\"headers\":{\"a:SECRET\":\"\"}}", "cannot be set"},
        {"https://b", "{\"headers\":{\"\":\"SECRET\"}}", "cannot be set"},
        {"https://b", "{\"headers\":{\"a\":\"SECRET\\n\"}}", "control character"},
        {"https://u:SECRET@b", "{}", "no user"}, {"https://b?SECRET", "{}", "no query"},
        {"s3://b/SECRET*", "{}", "no '*'"}, {"https://", "{}", "no host"},
        {"SECRET", "{}", "begins with"}, {"http://", NULL, "no host"},
    };
    PqAccess *x = new_access(t);

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        if (put(t, x, cases[i].prefix, cases[i].json) != PQ_USAGE ||
            !strstr(t->e->text, cases[i].says) || strstr(t->e->text, "SECRET")) {
            test_fail(t, __FILE__, __LINE__, "%s: %s", cases[i].json, t->e->text);
        }
        pq_err_clear(t->e);
    }
    CHECK(!grant(t, x, "s3://b/x").held && !grant(t, x, "https://b/x").held);
    pq_access_free(x);
}

TEST(access, an_endpoint_decides_the_style_unless_it_is_said)
{
    static const struct { const char *json, *sent; } cases[] = {
        {"{}", "https://b.s3.us-east-1.amazonaws.com/x"},
        {"{\"url_style\":\"path\"}", "https://s3.us-east-1.amazonaws.com/b/x"},
        {"{\"endpoint\":\"H:9000\"}", "https://h:9000/b/x"},
        {"{\"endpoint\":\"h:9000\",\"url_style\":\"vhost\"}", "https://b.h:9000/x"},
        {"{\"endpoint\":\"h\",\"use_ssl\":false}", "http://h/b/x"},
        {"{\"endpoint\":\"http://h:80/\"}", "http://h/b/x"},
        {"{\"use_ssl\":false,\"endpoint\":\"HTTPS://[::1]:443\"}", "https://[::1]/b/x"},
        {"{\"endpoint\":\"h:80\"}", "https://h:80/b/x"},
        {"{\"endpoint\":\"S3.eu-west-1.AmazonAWS.com\"}",
         "https://b.s3.eu-west-1.amazonaws.com/x"},
    };
    PqAccess *x = new_access(t);
    PqTarget target;
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_url_parse(&a, "s3://b/x", &u, t->e));
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqGrant g;

        CHECK_OK(put(t, x, "s3://", cases[i].json));
        g = grant(t, x, "s3://b/x");
        CHECK_OK(pq_target_make(&a, &u, &g.s, "", NULL, &target, t->e));
        CHECK_TEXT(target.url, cases[i].sent);
        pq_access_release(&g);
    }
    pq_arena_free(&a);
    pq_access_free(x);
}

TEST(access, a_url_of_a_schema_needs_to_be_allowed)
{
    PqAccess *x = new_access(t);

    CHECK_OK(check(t, x, "https://a.org/x", true));
    CHECK_FAILS(check(t, x, "https://u:p@a.org:1/x?sig=1", false), PQ_USAGE,
                "SELECT parquet_allow('https://a.org:1/')");
    CHECK_FAILS(check(t, x, "s3://b/x", false), PQ_USAGE, "parquet_allow('s3://b/')");
    CHECK_OK(pq_access_allow(x, "https://a.org/data", t->e));
    CHECK_OK(pq_access_allow(x, "https://A.org:443/data", t->e));
    CHECK_OK(check(t, x, "https://a.org/data/x", false));
    CHECK_FAILS(check(t, x, "https://a.org/database", false), PQ_USAGE, "allow");
    CHECK_FAILS(check(t, x, "https://a.org/other/x", false), PQ_USAGE, "allow");
    CHECK_FAILS(check(t, x, "https://a.org.evil/data/x", false), PQ_USAGE, "allow");
    CHECK_FAILS(check(t, x, "http://a.org/data/x", false), PQ_USAGE, "allow");
    CHECK_OK(put(t, x, "s3://b/x/", "{}"));
    CHECK_OK(check(t, x, "s3://b/x/y", false));
    CHECK_FAILS(check(t, x, "s3://b/y", false), PQ_USAGE, "allow");
    CHECK_OK(put(t, x, "s3://b/x/", NULL));
    CHECK_FAILS(check(t, x, "s3://b/x/y", false), PQ_USAGE, "allow");
    CHECK_OK(pq_access_allow(x, "s3://", t->e));
    CHECK_OK(check(t, x, "s3://c/y", false));
    CHECK(!grant(t, x, "s3://c/y").held);
    CHECK_FAILS(pq_access_allow(x, "https://", t->e), PQ_USAGE, "no host");
    pq_access_free(x);
}

TEST(access, a_link_local_address_needs_to_be_allowed_by_itself)
{
    static const char *const urls[] = {
        "http://169.254.169.254/latest", "http://2852039166/latest",
        "http://0xa9.0xfe.43518/latest", "http://[::ffff:a9fe:a9fe]/latest",
    };
    PqAccess *x = new_access(t);

    CHECK_OK(put(t, x, "http://169.254.169.254/", "{\"bearer_token\":\"t\"}"));
    for (size_t i = 0; i < PQ_COUNT(urls); i++) {
        CHECK_FAILS(check(t, x, urls[i], true), PQ_USAGE, "link-local");
        CHECK_FAILS(check(t, x, urls[i], false), PQ_USAGE, "link-local");
    }
    CHECK_OK(pq_access_allow(x, "http://169.254.43518/latest", t->e));
    CHECK_OK(check(t, x, urls[0], false));
    CHECK_OK(check(t, x, urls[1], true));
    CHECK_FAILS(check(t, x, urls[3], true), PQ_USAGE, "link-local");
    CHECK_FAILS(check(t, x, "http://169.254.169.254/other", true), PQ_USAGE, "link-loc");
    pq_access_free(x);
}

TEST(access, a_name_may_lead_to_addresses_that_are_allowed)
{
    static const uint8_t usual[] = {10, 0, 0, 1}, four[] = {169, 254, 7, 7},
                         other[] = {169, 254, 7, 8}, six[16] = {0xfe, 0x80, [15] = 1};
    PqAccess *x = new_access(t);

    CHECK_OK(pq_access_allow(x, "http://name.org/", t->e));
    CHECK(pq_access_may_connect(x, usual, 4));
    CHECK(!pq_access_may_connect(x, four, 4));
    CHECK(!pq_access_may_connect(x, six, 16));
    CHECK_OK(put(t, x, "http://169.254.7.7/", "{\"bearer_token\":\"t\"}"));
    CHECK(!pq_access_may_connect(x, four, 4));
    CHECK_OK(pq_access_allow(x, "http://169.254.7.7/", t->e));
    CHECK_OK(pq_access_allow(x, "http://[fe80::1]:8080/a/", t->e));
    CHECK(pq_access_may_connect(x, four, 4));
    CHECK(!pq_access_may_connect(x, other, 4));
    CHECK(pq_access_may_connect(x, six, 16));
    pq_access_free(x);
}

TEST(access, the_environment_refuses_all)
{
    PqAccess *x = new_access(t);

    CHECK_OK(pq_access_allow(x, "https://a.org/", t->e));
    setenv("PARQUET_NO_NETWORK", "1", 1);
    CHECK_FAILS(check(t, x, "https://a.org/x", true), PQ_USAGE, "PARQUET_NO_NETWORK");
    setenv("PARQUET_NO_NETWORK", "0", 1);
    CHECK_OK(check(t, x, "https://a.org/x", true));
    unsetenv("PARQUET_NO_NETWORK");
    pq_access_free(x);
}

/* ---- memory ---------------------------------------------------------------------- */

static uint32_t n_pages;
static bool all_zero = true;

static void watch(const uint8_t *page, size_t n)
{
    n_pages++;
    for (size_t i = 0; i < n; i++) {
        all_zero = all_zero && page[i] == 0;
    }
}

TEST(access, secrets_are_wiped_when_the_last_holder_lets_go)
{
    enum { LONG = 9000 };
    PqAccess *x = new_access(t);
    char *json = malloc(LONG + 64), *token;
    PqGrant g;

    strcpy(json, "{\"bearer_token\":\"");
    token = json + strlen(json);
    memset(token, 'k', LONG);
    strcpy(token + LONG, "\\u006b\"}");
    pq_secret_watch(watch);
    CHECK_OK(put(t, x, "https://a.org/", json));
    g = grant(t, x, "https://a.org/x");
    CHECK_OK(put(t, x, "https://a.org/", NULL));
    n_pages = 0;
    CHECK_INT(strlen(g.s.bearer_token), LONG + 1);
    CHECK_INT(strspn(g.s.bearer_token, "k"), LONG + 1);
    pq_access_release(&g);
    CHECK(n_pages > 0 && all_zero);
    pq_access_free(x);
    CHECK(all_zero);
    pq_secret_watch(NULL);
    free(json);
}

TEST(access, secret_memory_moves_without_leaving_anything)
{
    PqMem *mem = pq_mem_new_secret(100000);
    char *p = pq_mem_text(mem, "secret", 6, t->e);

    pq_secret_watch(watch);
    n_pages = 0;
    p = pq_mem_resize(mem, p, 9000, t->e);
    CHECK(p && strcmp(p, "secret") == 0 && n_pages == 1 && all_zero);
    p = pq_mem_resize(mem, p, 3, t->e);
    CHECK(p && memcmp(p, "sec", 3) == 0 && n_pages == 2 && all_zero);
    CHECK(!pq_mem_alloc(mem, 100000, t->e) && t->e->rc == PQ_BUDGET);
    pq_err_clear(t->e);
    pq_mem_release(mem);
    pq_mem_free(p);
    CHECK(n_pages == 3 && all_zero);
    pq_secret_watch(NULL);
}

TEST(access, each_allocation_may_fail)
{
    static const char json[] = "{\"user\":\"\\u0061\",\"headers\":{\"a\":\"b\"}}";
    int64_t n_faults = 1;

    for (int64_t i = 1; i <= n_faults; i++) {
        PqAccess *x = new_access(t);
        bool done;

        CHECK(x != NULL);
        pq_fault_set(i);
        done = put(t, x, "https://a.org", json) == PQ_OK &&
               pq_access_allow(x, "https://b.org", t->e) == PQ_OK;
        n_faults = done ? i : i + 1;
        pq_fault_set(0);
        CHECK(done || t->e->rc == PQ_NOMEM);
        pq_err_clear(t->e);
        pq_access_free(x);
    }
    CHECK(n_faults > 8);
}

static void *ask(void *arg)
{
    PqAccess *x = arg;
    PqArena a;
    PqErr e;
    PqUrl u;

    pq_err_init(&e);
    PqMem *mem = pq_mem_new(1 << 20);
    pq_arena_init(&a, mem);
    pq_url_parse(&a, "https://a.org/x", &u, &e);
    for (int i = 0; i < 3000; i++) {
        PqGrant g;

        pq_access_check(x, &u, true, &e);
        if (pq_access_grant(x, &u, &g, &e) != PQ_OK ||
            (g.held && strspn(g.s.user, "u") != 100)) {
            arg = NULL;
        }
        pq_access_release(&g);
    }
    pq_arena_free(&a);
    pq_mem_release(mem);
    return arg;
}

TEST(access, is_asked_while_secrets_change)
{
    PqAccess *x = new_access(t);
    char json[160] = "{\"user\":\"";
    pthread_t threads[2];
    void *good;

    memset(json + strlen(json), 'u', 100);
    strcat(json, "\"}");
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, ask, x) == 0);
    }
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(put(t, x, "https://a.org", i % 3 ? json : NULL));
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &good);
        CHECK(good == x);
    }
    pq_access_free(x);
}
