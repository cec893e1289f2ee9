/*
** remote_test.c - what a connection has learned, how long it knows that, and where it
** does not go.
*/
#define _GNU_SOURCE                  /* strcasestr */
#include "core/remote/remote_file.h"
#include "test/unit/http_server.h"

enum { MANY = 20000, OF_A_PATH = 1000 };

/* n URLs that differ in their queries; names in the arena. */
static void adopt(Test *t, PqRemote *r, PqArena *a, const char *key, const char **names,
                  int n)
{
    for (int i = 0; i < n; i++) {
        const char *url = pq_arena_printf(a, t->e, "https://h/%d.parquet?%s=%d", i, key,
                                          i);
        CHECK_OK(pq_remote_adopt(r, a, url, &names[i], t->e));
    }
}

static bool is(Test *t, PqRemote *r, PqArena *a, const char *name, const char *wanted)
{
    const char *url;

    return pq_remote_recall(r, PQ_KNOWN_URL, name, a, &url, t->e) == PQ_OK &&
           strcmp(url, wanted) == 0;
}

TEST(remote, a_query_is_known_until_its_name_is_let_go)
{
    const char *names[MANY], *others[MANY], *again;
    PqRemote *r;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_remote_new(&r, t->e));
    adopt(t, r, &a, "sig", names, MANY);
    CHECK_TEXT(names[7], "https://h/7.parquet?...");
    CHECK(is(t, r, &a, names[0], "https://h/0.parquet?sig=0"));
    CHECK_OK(pq_remote_adopt(r, &a, names[0], &again, t->e));
    CHECK_TEXT(again, names[0]);
    for (int i = 0; i < MANY; i++) {
        pq_remote_hold(r, names[i], false);
    }
    adopt(t, r, &a, "other", others, MANY);
    CHECK(strncmp(others[0], names[0], strlen(names[0])) == 0 && others[0][strlen(names[0])]);
    CHECK(is(t, r, &a, names[0], "https://h/0.parquet?sig=0"));
    CHECK_TEXT(others[1], names[1]);         /* sig=1 was forgotten */
    CHECK(is(t, r, &a, others[1], "https://h/1.parquet?other=1"));
    pq_remote_free(r);
    pq_arena_free(&a);
}

/* Each has a number, which takes memory for its own name and not for all others. */
TEST(remote, queries_of_one_path_have_numbers)
{
    const char *name, *again, *url[OF_A_PATH];
    size_t n_shown = strlen("https://h/get?...");
    PqRemote *r;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_remote_new(&r, t->e));
    for (int i = 0; i < OF_A_PATH; i++) {
        url[i] = pq_arena_printf(&a, t->e, "https://h/get?id=%d", i);
        CHECK_OK(pq_remote_adopt(r, &a, url[i], &name, t->e));
        CHECK(strncmp(name, "https://h/get?...", n_shown) == 0);
        CHECK(strspn(name + n_shown, "0123456789") == strlen(name + n_shown));
        CHECK(i > 0 || !name[n_shown]);
        CHECK_OK(pq_remote_adopt(r, &a, url[i], &again, t->e));
        CHECK_TEXT(again, name);
        CHECK(is(t, r, &a, name, url[i]));
    }
    CHECK(pq_arena_memory(&a) < OF_A_PATH * 1000);
    CHECK_OK(pq_remote_adopt(r, &a, url[0], &name, t->e));
    CHECK(is(t, r, &a, name, url[0]));
    pq_remote_free(r);
    pq_arena_free(&a);
}

TEST(remote, a_content_range_is_read_or_refused_whole)
{
    static const char *const wrong[] = {
        "", "bytes */0", "bytes 0-9", "bytes 0-9/*", "bytes 0-9/10 ", "bytes 0-9/10,x",
        "bytes  0-9/10", "bytes -0-9/10", "bytes 0--9/10", "bytes +0-9/10", "octets 0-9/10",
        "bytes 9-8/10", "bytes 0-10/10", "bytes 0-0/0", "bytes 0-9/9223372036854775808",
        "bytes 0-18446744073709551615/18446744073709551616",
        "bytes 18446744073709551616-18446744073709551617/18446744073709551618",
    };
    PqHttpAnswer answer = {.content_range = "bytes 5-9/10"};
    uint64_t size;
    PqExtent at;

    CHECK(pq_remote_range(&answer, &at, &size));
    CHECK(at.begin == 5 && at.end == 10 && size == 10);
    for (size_t i = 0; i < PQ_COUNT(wrong); i++) {
        answer.content_range = wrong[i];
        CHECK(!pq_remote_range(&answer, &at, &size));
    }
}

TEST(remote, a_redirect_to_a_name_does_not_lead_to_a_link_local_address)
{
    const PqRemoteTerms terms = {.own = true, .patience = {0, 10, 1 << 20}};
    HttpServer *server = http_server_start();
    PqSource *s;
    PqRemote *r;

    CHECK_OK(pq_remote_new(&r, t->e));
    CHECK_FAILS(pq_remote_open(r, t->mem, http_server_url(server, "/lan"), &terms, &s,
                               t->e),
                PQ_IO, "parquet_allow('http://169.254.7.7/')");
    pq_remote_free(r);
    http_server_stop(server);
}

/* What the server sees of a request with a secret; in the arena. */
static void see(Test *t, HttpServer *server, PqArena *a, const char *user,
                const char *json, const char **out)
{
    PqSlice secret = pq_slice_text(json);
    const char *root = http_server_url(server, "/"), *text;
    PqHttpAnswer *answer;
    PqRequest *asked;
    PqRemote *r;
    PqUrl u;
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &u, .most = 4096};

    text = pq_arena_printf(a, t->e, "http://%s%secho", user, root + strlen("http://"));
    CHECK_OK(pq_remote_new(&r, t->e));
    CHECK_OK(pq_access_put(r->access, root, &secret, t->e));
    CHECK_OK(pq_url_parse(a, text, &u, t->e));
    CHECK_OK(pq_request_ask(r, &q, NULL, &asked, &answer, t->e));
    *out = pq_arena_text(a, answer->body.p, answer->body.n, t->e);
    pq_request_free(asked);
    pq_remote_free(r);
}

TEST(remote, a_password_is_basic_authorization_unless_a_header_is)
{
    static const struct { const char *user, *json, *header; } cases[] = {
        {"", "{\"user\":\"Aladdin\",\"password\":\"open sesame\"}",
         "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
        {"Aladdin:open%20sesame@", "{}", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
        {"me:x@", "{\"user\":\"Aladdin\",\"password\":\"open sesame\"}",
         "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
        {"me:x@", "{\"bearer_token\":\"abc\"}", "Bearer abc"},
        {"me:x@", "{\"headers\":{\"authorization\":\"Own\"}}", "Own"},
    };
    HttpServer *server = http_server_start();
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        size_t n = strlen(cases[i].header);
        const char *text = "", *at;

        see(t, server, &a, cases[i].user, cases[i].json, &text);
        at = strcasestr(text, "\r\nAuthorization: ");
        CHECK(at && strncmp(at + 17, cases[i].header, n) == 0 && at[17 + n] == '\r');
        CHECK(at && !strcasestr(at + 17, "\r\nAuthorization: "));
    }
    pq_arena_free(&a);
    http_server_stop(server);
}

TEST(remote, a_schema_reads_no_file_that_it_may_not_ask_for_although_it_is_known)
{
    const PqRemoteTerms own = {.own = true, .patience = {0, 10, 1 << 20}};
    const PqRemoteTerms of_schema = {.last_known = true, .patience = {0, 10, 1 << 20}};
    HttpServer *server = http_server_start();
    PqSource *s = NULL, *again;
    PqRemote *r;

    CHECK_OK(pq_remote_new(&r, t->e));
    CHECK_OK(pq_remote_open(r, t->mem, http_server_url(server, "/five"), &own, &s, t->e));
    CHECK_INT(pq_source_size(s), 5);
    CHECK_FAILS(pq_remote_open(r, t->mem, http_server_url(server, "/five"), &of_schema,
                               &again, t->e),
                PQ_USAGE, "parquet_allow");
    pq_source_close(s);
    pq_remote_free(r);
    http_server_stop(server);
}

/* Blocks that somebody reads take all of the room. */
TEST(remote, what_there_is_no_room_for_stays_planned_and_its_server_untried)
{
    enum { N = 20, STRIDE = 1 << 20 };
    PqRemoteFile f = {.size = (uint64_t)1 << 30, .window = UINT64_MAX};
    PqPiece read = {.file = &f, .at = {f.size - PQ_BLOCK_BYTES, f.size}, .n_readers = 1};
    PqRemote *r;

    CHECK_OK(pq_remote_new(&r, t->e));
    pq_arena_init(&f.arena, r->mem);
    CHECK_OK(pq_url_parse(&f.arena, "https://h/x", &f.url, t->e));
    f.remote = r;
    f.blocks = &read;
    read.bytes = (const uint8_t *)"";
    r->files = &f;
    for (uint64_t i = 0; i < N; i++) {
        CHECK_OK(pq_plan_add(&f, (PqExtent){i * STRIDE, i * STRIDE + 9}, t->e));
    }
    pq_plan_start(&f);
    CHECK_INT(f.n_planned, N);
    CHECK_INT(f.parts, PQ_PARTS_UNKNOWN);
    CHECK_INT(atomic_load(&r->requests), 0);
    r->files = NULL;
    while (f.blocks != &read) {
        pq_piece_drop(f.blocks);
    }
    pq_arena_free(&f.arena);
    pq_remote_free(r);
}

/* Blocks 10 to 19, 30 to 39 and so on, of which some go between the searches. */
TEST(remote, a_block_is_found_wherever_the_last_search_ended)
{
    enum { N = 50, ALL = N * 20 };
    bool is_there[N];
    PqRemoteFile f = {.size = ALL};
    PqRemote *r;

    CHECK_OK(pq_remote_new(&r, t->e));
    f.remote = r;
    for (int i = N - 1; i >= 0; i--) {
        PqPiece *b;

        CHECK_OK(PQ_NEW(r->mem, b, 1, t->e));
        *b = (PqPiece){.next = f.blocks, .file = &f, .bytes = (const uint8_t *)"",
                       .at = {(uint64_t)i * 20 + 10, (uint64_t)i * 20 + 20}};
        f.blocks = b;
        is_there[i] = true;
    }
    for (uint64_t k = 0; k < 4 * ALL; k++) {
        uint64_t at = k % 3 ? k * 7919 % ALL : k % ALL;
        PqPiece **place, *b = pq_piece_find(&f, at, &place);

        CHECK((b != NULL) == (at % 20 >= 10 && is_there[at / 20]));
        CHECK(!b || (b == *place && b->at.begin <= at && at < b->at.end));
        CHECK(!*place || (*place)->at.end > at);
        b = k % 97 ? NULL : k % 2 ? f.passed : b;
        if (b) {
            is_there[b->at.begin / 20] = false;
            pq_piece_drop(b);
        }
    }
    while (f.blocks) {
        pq_piece_drop(f.blocks);
    }
    pq_remote_free(r);
}
