/*
** sign_test.c - signatures of requests that Amazon's documentation works through.
*/
#include "test/unit/test.h"

#include "core/remote/sign.h"

enum { MAY_24_2013 = 1369353600 };

static const PqSecret example = {
    .key_id = "AKIAIOSFODNN7EXAMPLE",
    .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", .session_token = "",
};

static const PqSignable get = {
    .method = PQ_HTTP_GET, .host = "examplebucket.s3.amazonaws.com", .path = "/",
    .query = "",
};

/* The signature, after what comes before it; "" if it fails. */
static const char *signature(Test *t, PqHeaders h, const PqSignable *q,
                             const PqSecret *s, const char *signed_headers)
{
    const char *line, *at;

    if (pq_sign(q, s, "us-east-1", MAY_24_2013, &h, t->e) != PQ_OK) {
        return "";
    }
    line = pq_arena_printf(h.arena, t->e, "Authorization: AWS4-HMAC-SHA256 Credential=%s/"
                           "20130524/us-east-1/s3/aws4_request, SignedHeaders=%s, "
                           "Signature=", s->key_id, signed_headers);
    at = h.line[h.n - 1];
    return strncmp(at, line, strlen(line)) == 0 ? at + strlen(line) : at;
}

TEST(sign, a_get_with_a_range)
{
    PqSignable q = get;
    PqArena a;
    PqHeaders h = {&a, {"If-Match: x", "Range: bytes=0-9"}, 2};

    pq_arena_init(&a, t->mem);
    q.path = "/test.txt";
    q.first = 1;
    CHECK_TEXT(signature(t, h, &q, &example,
                         "host;range;x-amz-content-sha256;x-amz-date"),
               "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    pq_arena_free(&a);
}

TEST(sign, a_put_with_a_body)
{
    PqSignable q = get;
    PqArena a;
    PqHeaders h = {&a, {"x-amz-storage-class: REDUCED_REDUNDANCY",
                        "Date: Fri, 24 May 2013 00:00:00 GMT"}, 2};

    pq_arena_init(&a, t->mem);
    q.method = PQ_HTTP_PUT;
    q.path = "/test%24file.text";
    q.body = pq_slice_text("Welcome to Amazon S3.");
    CHECK_TEXT(signature(t, h, &q, &example, "date;host;x-amz-content-sha256;"
                         "x-amz-date;x-amz-storage-class"),
               "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    pq_arena_free(&a);
}

TEST(sign, a_query)
{
    static const char usual[] = "host;x-amz-content-sha256;x-amz-date";
    PqSignable q = get;
    PqArena a;

    pq_arena_init(&a, t->mem);
    q.query = "lifecycle=";
    CHECK_TEXT(signature(t, (PqHeaders){.arena = &a}, &q, &example, usual),
               "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    q.query = "max-keys=2&prefix=J";
    CHECK_TEXT(signature(t, (PqHeaders){.arena = &a}, &q, &example, usual),
               "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    pq_arena_free(&a);
}

TEST(sign, gives_all_headers)
{
    PqSecret s = example;
    PqArena a;
    PqHeaders h = {.arena = &a};
    const char *const *out = h.line;

    pq_arena_init(&a, t->mem);
    s.session_token = "token==";
    s.requester_pays = true;
    CHECK_OK(pq_sign(&get, &s, "eu-west-1", 951782399, &h, t->e));
    CHECK_INT(h.n, 5);
    CHECK_TEXT(out[0], "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4"
                       "649b934ca495991b7852b855");
    CHECK_TEXT(out[1], "x-amz-date: 20000228T235959Z");
    CHECK_TEXT(out[2], "x-amz-security-token: token==");
    CHECK_TEXT(out[3], "x-amz-request-payer: requester");
    CHECK(strstr(out[4], "Credential=AKIAIOSFODNN7EXAMPLE/20000228/eu-west-1/s3/"));
    CHECK(strstr(out[4], "SignedHeaders=host;x-amz-content-sha256;x-amz-date;"
                         "x-amz-request-payer;x-amz-security-token, "));
    CHECK_FAILS(pq_sign(&get, &s, "x", INT64_MAX, &h, t->e), PQ_IO, "time");
    pq_arena_free(&a);
}

TEST(sign, each_failure_is_an_error)
{
    int64_t n_faults, i;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_sign(&get, &example, "x", 0, &(PqHeaders){.arena = &a}, t->e));
    pq_arena_free(&a);
    pq_fault_set(INT64_MAX);
    CHECK_OK(pq_sign(&get, &example, "x", 0, &(PqHeaders){.arena = &a}, t->e));
    n_faults = pq_fault_count();
    pq_arena_free(&a);
    CHECK(n_faults > 8);
    for (i = 1; i <= n_faults; i++) {
        pq_fault_set(i);
        CHECK(pq_sign(&get, &example, "x", 0, &(PqHeaders){.arena = &a}, t->e) != PQ_OK);
        pq_fault_set(0);
        pq_err_clear(t->e);
        pq_arena_free(&a);
    }
    pq_fault_set(0);
}
