/*
** http_test.c - requests to a server that answers rightly, wrongly, or not at all.
**
** A transfer that does not end would hang the test: that it ends is what many of these
** show.
*/
#define _GNU_SOURCE
#include "core/base/clock.h"
#include "core/remote/http.h"
#include "core/remote/url.h"
#include "test/unit/http_server.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 60000, MOST = 1 << 20 };

typedef enum Outcome { RUNNING, ANSWERED, FAILED, NO_MEMORY } Outcome;

typedef struct Client {
    Test       *t;
    HttpServer *server;
    PqHttp     *http;
    PqExchange *x;
    PqHttpRequest q;
} Client;

static bool begin(Test *t, Client *c)
{
    *c = (Client){.t = t, .server = http_server_start()};
    c->q = (PqHttpRequest){.most = MOST, .timeout_ms = LONG_MS};
    return pq_http_ready(t->mem, &c->http, t->e) == PQ_OK;
}

static void end(Client *c)
{
    pq_exchange_free(c->x);
    pq_http_free(c->http);
    http_server_stop(c->server);
}

static Outcome wait_for(PqExchange *x, uint32_t ms)
{
    const PqHttpAnswer *a = pq_exchange_wait(x, ms);

    return !a ? RUNNING : a->rc == PQ_OK ? ANSWERED : a->rc == PQ_IO ? FAILED : NO_MEMORY;
}

/* A wait ends when any exchange does. */
static Outcome end_of(PqExchange *x)
{
    Outcome outcome = RUNNING;

    for (int64_t until = pq_clock_ms() + LONG_MS; outcome == RUNNING && pq_clock_ms() < until;) {
        outcome = wait_for(x, 1000);
    }
    return outcome;
}

static PqHttpAnswer *answer_of(PqExchange *x)
{
    return pq_exchange_wait(x, 0);
}

static Outcome ask_url(Client *c, const char *url)
{
    pq_exchange_free(c->x);
    c->q.url = url;
    return pq_http_start(c->http, c->t->mem, &c->q, &c->x, c->t->e) == PQ_OK
               ? end_of(c->x)
               : RUNNING;
}

static Outcome ask(Client *c, const char *path)
{
    return ask_url(c, http_server_url(c->server, path));
}

static const char *body(const Client *c)
{
    return (const char *)answer_of(c->x)->body.p;
}

TEST(http, an_answer_has_status_headers_and_body)
{
    PqHttpAnswer *a;
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    a = answer_of(c.x);
    CHECK_INT(a->status, 200);
    CHECK_TEXT(body(&c), "hello");
    CHECK_INT(a->body.n, 5);
    CHECK_TEXT(a->etag, "\"v1\"");
    CHECK_TEXT(a->last_modified, "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK_TEXT(a->content_length, "5");
    CHECK_TEXT(a->location, "");
    CHECK(!a->body_cut);
    CHECK_INT(ask(&c, "/nothing"), ANSWERED);
    CHECK_INT(answer_of(c.x)->status, 404);
    CHECK_TEXT(body(&c), "");
    end(&c);
}

TEST(http, a_body_may_come_in_chunks)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/chunks"), ANSWERED);
    CHECK_INT(answer_of(c.x)->status, 206);
    CHECK_TEXT(answer_of(c.x)->content_range, "bytes 0-10/99");
    CHECK_TEXT(body(&c), "hello world");
    end(&c);
}

TEST(http, headers_of_a_100_continue_are_not_those_of_the_answer)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/continue"), ANSWERED);
    CHECK_INT(answer_of(c.x)->status, 200);
    CHECK_TEXT(answer_of(c.x)->etag, "\"v1\"");
    CHECK_TEXT(answer_of(c.x)->location, "");
    end(&c);
}

TEST(http, a_head_has_no_body)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.method = PQ_HTTP_HEAD;
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    CHECK_TEXT(answer_of(c.x)->content_length, "5");
    CHECK_INT(answer_of(c.x)->body.n, 0);
    end(&c);
}

TEST(http, a_redirect_is_not_followed)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/redirect"), ANSWERED);
    CHECK_INT(answer_of(c.x)->status, 302);
    CHECK(strstr(answer_of(c.x)->location, "http://127.0.0.1:") &&
          strstr(answer_of(c.x)->location, "/hello"));
    end(&c);
}

TEST(http, a_gzipped_body_stays_as_it_is)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/zipped"), ANSWERED);
    CHECK_TEXT(answer_of(c.x)->content_encoding, "gzip");
    CHECK_TEXT(body(&c), "\x1f\x8b\x08x");
    end(&c);
}

/* ---- what is sent ---------------------------------------------------------------- */

TEST(http, a_request_has_the_headers_that_it_was_given)
{
    static const char *headers[] = {"Range: bytes=-9", "Authorization: Bearer abc"};
    Client c;

    CHECK(begin(t, &c));
    c.q.headers = headers;
    c.q.n_headers = 2;
    CHECK_INT(ask(&c, "/echo"), ANSWERED);
    CHECK(strncmp(body(&c), "GET /echo HTTP/1.1\r\n", 20) == 0);
    CHECK(strstr(body(&c), "\r\nRange: bytes=-9\r\n"));
    CHECK(strstr(body(&c), "\r\nAuthorization: Bearer abc\r\n"));
    CHECK(strstr(body(&c), "\r\nAccept-Encoding: identity\r\n"));
    end(&c);
}

TEST(http, a_body_is_sent_whole)
{
    static const struct {
        PqHttpMethod method;
        const char  *name;
    } methods[] = {{PQ_HTTP_PUT, "PUT /wei"}, {PQ_HTTP_POST, "POST /we"}};
    static uint8_t sent[60000];
    unsigned long long sum = 0;
    char weight[80];
    Client c;

    CHECK(begin(t, &c));
    for (size_t i = 0; i < sizeof sent; i++) {
        sent[i] = (uint8_t)(i * 7 + i / 256);
        sum += (i + 1) * sent[i];
    }
    for (size_t i = 0; i < PQ_COUNT(methods); i++) {
        c.q.method = methods[i].method;
        c.q.body = pq_slice(sent, sizeof sent);
        CHECK_INT(ask(&c, "/weighed"), ANSWERED);
        snprintf(weight, sizeof weight, "%s %zu %llu", methods[i].name, sizeof sent, sum);
        CHECK_TEXT(body(&c), weight);
        c.q.body = pq_slice(NULL, 0);
        CHECK_INT(ask(&c, "/echo"), ANSWERED);
        CHECK(strstr(body(&c), "\r\nContent-Length: 0\r\n"));
    }
    c.q.method = PQ_HTTP_DELETE;
    CHECK_INT(ask(&c, "/echo"), ANSWERED);
    CHECK(strncmp(body(&c), "DELETE /echo ", 13) == 0);
    end(&c);
}

TEST(http, a_proxy_is_asked_for_the_whole_url)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.proxy = http_server_url(c.server, "");
    CHECK_INT(ask_url(&c, "http://no.such.host.invalid/echo"), ANSWERED);
    CHECK(strncmp(body(&c), "GET http://no.such.host.invalid/echo HTTP/1.1", 45) == 0);
    c.q.proxy = NULL;
    setenv("http_proxy", http_server_url(c.server, ""), 1);
    CHECK_INT(ask_url(&c, "http://no.such.host.invalid/echo"), ANSWERED);
    unsetenv("http_proxy");
    end(&c);
}

TEST(http, the_password_of_a_proxy_is_in_no_message)
{
    static const char *const proxies[] = {"unknown://me:s3cret@127.0.0.1",
                                          "http://me:s3cret@[x", "me:s3cret@"};
    Client c;

    CHECK(begin(t, &c));
    for (size_t i = 0; i < PQ_COUNT(proxies); i++) {
        c.q.proxy = proxies[i];
        CHECK_INT(ask(&c, "/hello"), FAILED);
        CHECK(*answer_of(c.x)->why);
        CHECK(!strstr(answer_of(c.x)->why, "s3cret"));
    }
    end(&c);
}

/* ---- answers that are wrong ---------------------------------------------------------- */

TEST(http, what_is_cut_off_or_is_not_http_fails)
{
    static const struct {
        const char *path;
        bool        may_repeat;
    } wrong[] = {{"/cut", true}, {"/claims-all", true}, {"/reset", true},
                 {"/not-http", false}};
    Client c;

    CHECK(begin(t, &c));
    for (size_t i = 0; i < PQ_COUNT(wrong); i++) {
        CHECK_INT(ask(&c, wrong[i].path), FAILED);
        CHECK(*answer_of(c.x)->why);
        CHECK_INT(answer_of(c.x)->may_repeat, wrong[i].may_repeat);
    }
    end(&c);
}

TEST(http, more_bytes_than_a_server_claims_are_not_read)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/claims-little"), ANSWERED);
    CHECK_TEXT(body(&c), "hell");
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    end(&c);
}

TEST(http, endless_headers_end)
{
    Client c;

    CHECK(begin(t, &c));
    CHECK_INT(ask(&c, "/endless-headers"), FAILED);
    CHECK_TEXT(answer_of(c.x)->why, "its headers have more than 64 kB");
    CHECK(!answer_of(c.x)->may_repeat);
    CHECK_INT(ask(&c, "/endless-line"), FAILED);
    CHECK(pq_mem_peak(t->mem) < MOST);
    end(&c);
}

TEST(http, a_body_that_is_too_long_is_cut)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.most = 10000;
    CHECK_INT(ask(&c, "/endless-body"), ANSWERED);
    CHECK_INT(answer_of(c.x)->body.n, 10000);
    CHECK(answer_of(c.x)->body_cut);
    CHECK(pq_mem_peak(t->mem) < 100000);
    c.q.most = 5;
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    CHECK(!answer_of(c.x)->body_cut);
    c.q.most = 4;
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    CHECK_TEXT(body(&c), "hell");
    CHECK(answer_of(c.x)->body_cut);
    end(&c);
}

TEST(http, of_several_ranges_the_whole_file_is_not_taken)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.has_parts = true;
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    CHECK_INT(answer_of(c.x)->status, 200);
    CHECK_INT(answer_of(c.x)->body.n, 0);
    CHECK(answer_of(c.x)->body_cut);
    CHECK_INT(ask(&c, "/refused"), ANSWERED);
    CHECK_INT(answer_of(c.x)->body.n, 300);
    end(&c);
}

TEST(http, a_claim_allocates_no_more_than_is_wanted)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.most = 10000;
    CHECK_INT(ask(&c, "/claims-all"), FAILED);
    CHECK(pq_mem_peak(t->mem) < 100000);
    end(&c);
}

TEST(http, an_error_may_be_longer_than_the_bytes_asked_for)
{
    Client c;

    CHECK(begin(t, &c));
    c.q.most = 10;
    CHECK_INT(ask(&c, "/refused"), ANSWERED);
    CHECK_INT(answer_of(c.x)->body.n, 300);
    CHECK(!answer_of(c.x)->body_cut);
    end(&c);
}

TEST(http, memory_may_refuse_a_body)
{
    PqMem *little = pq_mem_new(40000);
    Client c;

    CHECK(begin(t, &c));
    c.q.url = http_server_url(c.server, "/endless-body");
    CHECK_OK(pq_http_start(c.http, little, &c.q, &c.x, t->e));
    CHECK_INT(end_of(c.x), NO_MEMORY);
    end(&c);
    pq_mem_release(little);
}

TEST(http, a_server_that_says_nothing_is_left_in_time)
{
    PqExchange *other;
    Client c;

    CHECK(begin(t, &c));
    c.q.timeout_ms = 1000;
    c.q.url = http_server_url(c.server, "/stalled");
    CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &other, t->e));
    CHECK_INT(ask(&c, "/silent"), FAILED);
    CHECK(answer_of(c.x)->may_repeat);
    CHECK_INT(end_of(other), FAILED);
    pq_exchange_free(other);
    end(&c);
}

TEST(http, a_server_that_is_not_there_fails)
{
    char url[80];
    Client c;

    CHECK(begin(t, &c));
    snprintf(url, sizeof url, "%s", http_server_url(c.server, "/hello"));
    http_server_stop(c.server);
    c.server = http_server_start();
    CHECK_INT(ask_url(&c, url), FAILED);
    CHECK(answer_of(c.x)->may_repeat);
    c.q.timeout_ms = 1000;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", http_server_full_port(c.server));
    CHECK_INT(ask_url(&c, url), FAILED);
    end(&c);
}

TEST(http, other_protocols_are_refused)
{
    static const char *const urls[] = {"file:///etc/hostname", "ftp://127.0.0.1/x",
                                       "gopher://127.0.0.1:1/x"};
    Client c;

    CHECK(begin(t, &c));
    for (size_t i = 0; i < PQ_COUNT(urls); i++) {
        CHECK_INT(ask_url(&c, urls[i]), FAILED);
        CHECK(!answer_of(c.x)->may_repeat);
    }
    end(&c);
}

/* What libcurl asks for the address of a name.  One name leads to a link-local one. */
__attribute__((visibility("default"))) int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
            struct addrinfo **out)
{
    int (*usual)(const char *, const char *, const struct addrinfo *,
                 struct addrinfo **);

    *(void **)&usual = dlsym(RTLD_NEXT, "getaddrinfo");
    return usual(name && strcmp(name, "lan.test") == 0 ? "169.254.7.7" : name, service,
                 hints, out);
}

static bool may_connect(void *arg, const uint8_t *address, size_t n)
{
    (void)arg;
    return !pq_address_is_link_local(address, n);
}

TEST(http, a_link_local_address_is_not_connected_to)
{
    static const char *const urls[] = {
        "http://169.254.169.254/", "http://2852039166/", "http://[fe80::1]/",
        "http://[::ffff:169.254.1.1]/", "http://[::169.254.1.1]/", "http://lan.test/"};
    Client c;

    CHECK(begin(t, &c));
    c.q.may_connect = may_connect;
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    for (size_t i = 0; i < PQ_COUNT(urls); i++) {
        CHECK_INT(ask_url(&c, urls[i]), FAILED);
        CHECK(strstr(answer_of(c.x)->why, "link-local"));
        CHECK(!answer_of(c.x)->may_repeat);
    }
    CHECK(strstr(answer_of(c.x)->why, "parquet_allow('http://169.254.7.7/')"));
    end(&c);
}

/* ---- many, and their ends ------------------------------------------------------------- */

TEST(http, many_are_in_flight_side_by_side)
{
    enum { MANY = 40 };
    PqExchange *x[MANY];
    Client c;

    CHECK(begin(t, &c));
    http_server_meet(c.server, MANY);
    c.q.url = http_server_url(c.server, "/meet");
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &x[i], t->e));
    }
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(end_of(x[i]), ANSWERED);
        CHECK_INT(answer_of(x[i])->status, 200);
        pq_exchange_free(x[i]);
    }
    end(&c);
}

TEST(http, a_connection_is_used_again)
{
    Client c;

    CHECK(begin(t, &c));
    for (int i = 0; i < 5; i++) {
        CHECK_INT(ask(&c, "/hello"), ANSWERED);
    }
    CHECK_INT(http_server_connections(c.server), 1);
    end(&c);
}

/* The server never answers: whoever waited for it would wait for ever. */
TEST(http, one_in_flight_is_let_go_without_waiting)
{
    static const char *const paths[] = {"/silent", "/stalled", "/endless-body"};
    char url[80];
    Client c;

    CHECK(begin(t, &c));
    for (size_t i = 0; i < 3 * PQ_COUNT(paths); i++) {
        c.q.url = http_server_url(c.server, paths[i / 3]);
        c.q.most = SIZE_MAX / 4;
        CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &c.x, t->e));
        if (i % 3) {
            http_server_await(c.server, paths[i / 3]);
        }
        if (i % 3 == 2) {
            CHECK_INT(wait_for(c.x, 10), RUNNING);
        }
        pq_exchange_free(c.x);
        c.x = NULL;
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", http_server_full_port(c.server));
    c.q.url = url;                   /* while it connects, at the end        */
    CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &c.x, t->e));
    CHECK_INT(wait_for(c.x, 10), RUNNING);
    end(&c);
}

TEST(http, a_body_is_not_read_after_its_exchange_was_freed)
{
    uint8_t *sent = malloc(MOST);
    Client c;

    CHECK(sent && begin(t, &c));
    memset(sent, 7, MOST);
    c.q.method = PQ_HTTP_PUT;
    c.q.body = pq_slice(sent, MOST);
    c.q.url = http_server_url(c.server, "/silent");
    CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &c.x, t->e));
    http_server_await(c.server, "/silent");
    pq_exchange_free(c.x);
    free(sent);
    c.x = NULL;
    c.q.method = PQ_HTTP_GET;
    c.q.body = pq_slice(NULL, 0);
    CHECK_INT(ask(&c, "/hello"), ANSWERED);
    end(&c);
}

static void *ask_often(void *client)
{
    enum { OFTEN = 30 };
    static const char *const paths[] = {"/hello", "/chunks", "/stalled", "/cut"};
    Client *c = client;
    PqHttpRequest q = c->q;
    PqErr e;

    pq_err_init(&e);
    for (int i = 0; i < OFTEN; i++) {
        const char *path = paths[i % 4];
        PqExchange *x;
        char url[100];

        snprintf(url, sizeof url, "%s%s", c->q.url, path);
        q.url = url;
        if (pq_http_start(c->http, c->t->mem, &q, &x, &e) != PQ_OK) {
            return "not started";
        }
        if (i % 4 != 2 && (i % 8 < 4 ? end_of(x) : wait_for(x, 0)) ==
                              ANSWERED && i % 4 == 3) {
            return "a cut body is an answer";
        }
        pq_exchange_free(x);
    }
    return NULL;
}

TEST(http, several_threads_ask_at_once)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    Client c;

    CHECK(begin(t, &c));
    c.q.url = http_server_url(c.server, "");
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, ask_often, &c);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;

        pthread_join(thread[i], &wrong);
        CHECK(!wrong);
    }
    end(&c);
}

/* Each allocation of ours fails once, and so does each request, in two ways. */
TEST(http, what_fails_once_is_an_error_or_goes_better_again)
{
    int n_ways[NO_MEMORY + 1] = {0}, n_repeat = 0;
    bool failed = true;
    Client c;

    CHECK(begin(t, &c));
    for (int64_t nth = 1; failed; nth++) {
        Outcome outcome;

        pq_fault_set(nth);
        outcome = ask(&c, "/hello");
        failed = pq_fault_count() >= nth;
        pq_fault_set(0);
        n_ways[outcome]++;
        n_repeat += outcome == FAILED && answer_of(c.x)->may_repeat;
        if (outcome == ANSWERED) {
            CHECK_TEXT(body(&c), "hello");
        } else if (outcome == RUNNING) {
            CHECK_INT(t->e->rc, PQ_NOMEM);
        }
        pq_err_clear(t->e);
    }
    CHECK_INT(n_ways[FAILED], 2);
    CHECK_INT(n_repeat, 1);
    CHECK(n_ways[NO_MEMORY] > 0 && n_ways[RUNNING] > 0);
    end(&c);
}

/* ---- a child, and the end of a process --------------------------------------------------- */

static int status_of(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
}

/* What a child does with what its parent had in flight. */
static int in_child(Client *c)
{
    if (end_of(c->x) != FAILED || !answer_of(c->x)->may_repeat) {
        return 1;
    }
    pq_exchange_free(c->x);
    pq_http_free(c->http);
    c->x = NULL;
    if (pq_http_ready(c->t->mem, &c->http, c->t->e) != PQ_OK ||
        ask(c, "/hello") != ANSWERED) {
        return 2;
    }
    pq_exchange_free(c->x);
    pq_http_free(c->http);
    return 0;
}

TEST(http, a_child_does_not_wait_for_its_parent)
{
    pid_t child;
    Client c;

    CHECK(begin(t, &c));
    c.q.url = http_server_url(c.server, "/silent");
    CHECK_OK(pq_http_start(c.http, t->mem, &c.q, &c.x, t->e));
    http_server_await(c.server, "/silent");
    child = fork();
    if (child == 0) {
        _exit(in_child(&c));
    }
    CHECK_INT(status_of(child), 0);
    CHECK_INT(wait_for(c.x, 0), RUNNING);
    end(&c);
}

static Client *at_exit;

/* Registered before any thread is, so it runs after those were ended. */
static void look_at_exit(void)
{
    if (at_exit) {
        _exit(wait_for(at_exit->x, 0) != FAILED ||
              strcmp(answer_of(at_exit->x)->why, "the process ends") != 0);
    }
}

__attribute__((constructor)) static void register_look(void)
{
    atexit(look_at_exit);
}

TEST(http, threads_end_before_the_process_does)
{
    pid_t child;
    Client c;

    CHECK(begin(t, &c));
    child = fork();
    if (child == 0) {
        at_exit = &c;
        c.q.url = http_server_url(c.server, "/silent");
        if (pq_http_ready(t->mem, &c.http, t->e) != PQ_OK ||
            pq_http_start(c.http, t->mem, &c.q, &c.x, t->e) != PQ_OK) {
            _exit(2);
        }
        exit(3);
    }
    CHECK_INT(status_of(child), 0);
    end(&c);
}
