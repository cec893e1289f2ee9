/*
** http_exchange.c - one request and its answer: what libcurl is told, and what it
** tells.
**
** Its functions run on the thread of transfers, which alone looks at the answer until
** the outcome is known.  The body of a request is the caller's, so it is read under
** the lock, and not after the exchange was abandoned.
*/
#define _GNU_SOURCE                  /* SOCK_CLOEXEC */
#include "core/remote/http_inside.h"

#include "core/base/clock.h"
#include "core/base/folder.h"
#include "core/base/secret.h"
#include "core/base/sink.h"

#include <stdio.h>

/* ---- what libcurl calls ----------------------------------------------------------- */

static bool writes(const PqHttpRequest *q)
{
    return q->method > PQ_HTTP_HEAD;
}

/* An answer to what was written must be known, if need be without its headers. */
static size_t on_header(char *line, size_t size, size_t count, void *exchange)
{
    PqExchange *x = exchange;
    PqErr ignored = PQ_NO_ERR, *e = writes(&x->q) ? &ignored : &x->e;
    size_t n = size * count;

    x->heard = 0;
    x->n_header_bytes += n;
    if (n >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        x->head.n = 0;               /* of 100 Continue, or of a proxy      */
    }
    if (x->n_header_bytes > PQ_HTTP_HEADER_BYTES) {
        pq_fail(&x->e, PQ_IO, "its headers have more than 64 kB");
    } else if (pq_buf_reserve(&x->head, n + 1, e) == PQ_OK) {
        pq_buf_append(&x->head, line, n, e);
    }
    return x->e.rc == PQ_OK ? n : 0;         /* 0: libcurl ends the transfer */
}

static long status_of(const PqExchange *x)
{
    long status = 0;

    x->http->curl->curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Room for all of the body at once, if the server says how long it is. */
static void make_room(PqExchange *x)
{
    curl_off_t n = -1;
    size_t room;

    if (status_of(x) >= 300 && x->q.most < PQ_HTTP_TROUBLE_BYTES) {
        x->q.most = PQ_HTTP_TROUBLE_BYTES;
    }
    x->q.most = x->q.has_parts && status_of(x) == 200 ? 0 : x->q.most;
    x->http->curl->curl_easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &n);
    room = n < 0 ? 0 : (uint64_t)n < x->q.most ? (size_t)n : x->q.most;
    pq_buf_reserve(&x->answer.body, room + 1, &x->e);
}

/* A write that fails ends the transfer, and x->e says why. */
static size_t spool(PqExchange *x, const char *p, size_t n)
{
    uint64_t at = pq_sink_offset(x->answer.spool);
    curl_off_t all = -1;

    x->http->curl->curl_easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &all);
    if (n > x->q.spool - at || (all >= 0 && (uint64_t)all > x->q.spool)) {
        x->answer.body_cut = true;
        return 0;
    }
    return pq_sink_write(x->answer.spool, p, n, &x->e) == PQ_OK ? n : 0;
}

static size_t on_body(char *p, size_t size, size_t count, void *exchange)
{
    PqExchange *x = exchange;
    PqBuf *b = &x->answer.body;
    size_t n = size * count, some = n;

    x->heard = 0;
    if (x->q.spool && status_of(x) == 200) {
        return spool(x, p, n);
    }
    if (!b->p) {
        make_room(x);
    }
    if (some > x->q.most - b->n) {
        some = x->q.most - b->n;
        x->answer.body_cut = true;
    }
    pq_buf_append(b, p, some, &x->e);
    return some == n && x->e.rc == PQ_OK ? n : 0;
}

/* Under the lock: who abandons an exchange may free its body. */
static bool take_body(PqExchange *x, void *out, size_t n)
{
    if (x->abandoned) {
        return false;
    }
    if (x->q.body_in) {
        return pq_sink_read(x->q.body_in, x->n_sent, n, out, &x->e) == PQ_OK;
    }
    pq_bytes_copy(out, x->q.body.p + x->n_sent, n);
    return true;
}

static size_t on_send(char *p, size_t size, size_t count, void *exchange)
{
    PqExchange *x = exchange;
    size_t room = size * count, left = x->q.body.n - x->n_sent;

    left = left < room ? left : room;
    x->heard = 0;
    pthread_mutex_lock(&x->http->lock);
    if (left == 0 || take_body(x, p, left)) {
        x->n_sent += left;
    } else {
        left = CURL_READFUNC_ABORT;
    }
    pthread_mutex_unlock(&x->http->lock);
    return left;
}

static int on_seek(void *exchange, curl_off_t offset, int origin)
{
    PqExchange *x = exchange;

    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > x->q.body.n) {
        return CURL_SEEKFUNC_FAIL;
    }
    x->n_sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* libcurl calls this at least once a second, because a limit of speed is set.  It judges
** that limit by the last five seconds, and would notice silence late: so its limit is a
** minute longer. */
static int on_progress(void *exchange, curl_off_t all_in, curl_off_t in,
                       curl_off_t all_out, curl_off_t out)
{
    PqExchange *x = exchange;
    int64_t now = pq_clock_ns();

    x->heard = x->heard ? x->heard : now;
    return (now - x->heard) / 1000000 >= x->q.timeout_ms;    /* ends the transfer */
}

static curl_socket_t on_socket(void *exchange, curlsocktype purpose, struct curl_sockaddr *address)
{
    PqExchange *x = exchange;
    const struct sockaddr_in *four = (const void *)&address->addr;
    const struct sockaddr_in6 *six = (const void *)&address->addr;
    bool is_six = address->family == AF_INET6;
    const void *p = is_six ? (const void *)&six->sin6_addr : &four->sin_addr;

    if (x->q.may_connect && !x->q.may_connect(x->q.arg, p, is_six ? 16 : 4)) {
        inet_ntop(address->family, p, x->refused, sizeof x->refused);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- an exchange -------------------------------------------------------------------- */

void pq_exchange_drop(PqExchange *x)
{
    const PqCurl *c = x->http->curl;

    if (x->easy) {
        c->curl_easy_cleanup(x->easy);
    }
    for (struct curl_slist *h = x->headers; h; h = h->next) {
        pq_wipe(h->data, strlen(h->data));
    }
    c->curl_slist_free_all(x->headers);
    pq_buf_free(&x->head);
    pq_buf_free(&x->answer.body);
    pq_sink_close(x->answer.spool);
    pq_mem_free(x);
}

static bool add_headers(PqExchange *x, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct curl_slist *more = x->http->curl->curl_slist_append(x->headers, lines[i]);

        if (!more) {
            return false;
        }
        x->headers = more;
    }
    return true;
}

#define SET(option, value) \
    (x->http->curl->curl_easy_setopt(x->easy, option, value) == CURLE_OK)

/* To libcurl a POST is an upload with another name.  A connection that is kept would keep the
** password of its proxy in memory.  Older and smaller libcurls do without HTTP/2, and wait for
** names to be resolved. */
static bool set_options(PqExchange *x, const PqHttpRequest *q)
{
    const char *proxy = q->proxy && *q->proxy ? q->proxy : NULL;
    const struct { CURLoption option; long value; } numbers[] = {
        {CURLOPT_NOSIGNAL, 1}, {CURLOPT_NOPROGRESS, 0},
        {PQ_CURL_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS},
        {CURLOPT_CONNECTTIMEOUT_MS, (long)q->timeout_ms},
        {CURLOPT_LOW_SPEED_LIMIT, 1}, {CURLOPT_LOW_SPEED_TIME, (long)(q->timeout_ms / 1000) + 60},
        {CURLOPT_UPLOAD, q->method == PQ_HTTP_PUT || q->method == PQ_HTTP_POST},
        {CURLOPT_NOBODY, q->method == PQ_HTTP_HEAD},
        {CURLOPT_FORBID_REUSE, proxy && strchr(proxy, '@')},
    };
    const struct { CURLoption option; const void *value; } pointers[] = {
        {CURLOPT_PRIVATE, x}, {CURLOPT_HEADERDATA, x}, {CURLOPT_WRITEDATA, x},
        {CURLOPT_READDATA, x}, {CURLOPT_SEEKDATA, x}, {CURLOPT_XFERINFODATA, x},
        {CURLOPT_OPENSOCKETDATA, x}, {CURLOPT_ERRORBUFFER, x->why}, {CURLOPT_URL, q->url},
        {CURLOPT_HTTPHEADER, x->headers}, {CURLOPT_CUSTOMREQUEST, pq_http_methods[q->method]},
        {CURLOPT_PROXY, proxy},
    };
    bool ok = SET(CURLOPT_HEADERFUNCTION, on_header) && SET(CURLOPT_WRITEFUNCTION, on_body) &&
              SET(CURLOPT_READFUNCTION, on_send) && SET(CURLOPT_SEEKFUNCTION, on_seek) &&
              SET(CURLOPT_XFERINFOFUNCTION, on_progress) &&
              SET(CURLOPT_OPENSOCKETFUNCTION, on_socket) &&
              SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)q->body.n) &&
              (!q->ca_file || !*q->ca_file || SET(CURLOPT_CAINFO, q->ca_file));

    for (size_t i = 0; i < PQ_COUNT(numbers); i++) {
        ok = ok && SET(numbers[i].option, numbers[i].value);
    }
    for (size_t i = 0; i < PQ_COUNT(pointers); i++) {
        ok = ok && SET(pointers[i].option, pointers[i].value);
    }
    (void)SET(CURLOPT_HTTP_VERSION, q->has_secret ? (long)CURL_HTTP_VERSION_1_1
                                                  : (long)CURL_HTTP_VERSION_2TLS);
    (void)SET(PQ_CURL_QUICK_EXIT, 1L);
    return ok;
}

static bool set_up(PqExchange *x, const PqHttpRequest *q)
{
    static const char *const usual[] = {"User-Agent: parquet.so", "Expect:",
                                        "Accept-Encoding: identity"};

    x->easy = x->http->curl->curl_easy_init();
    return x->easy && add_headers(x, usual, PQ_COUNT(usual)) &&
           add_headers(x, q->headers, q->n_headers) && set_options(x, q);
}

PqRc pq_exchange_new(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e)
{
    PqExchange *x;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, x, 1, e));
    pq_err_init(&x->e);
    x->http = h;
    x->q = *q;
    x->q.most = writes(q) ? PQ_HTTP_TROUBLE_BYTES : q->most;
    pq_buf_init(&x->answer.body, mem, &x->e);
    x->answer.why = x->why;
    x->answer.location = "";
    pq_buf_init(&x->head, mem, NULL);
    pq_http_take_headers(&x->answer, (char *)x->head.p, x->head.n);
    if (q->spool) {
        pq_sink_scratch(mem, pq_folder_of_scratch(), &x->answer.spool, e);
    } else if (writes(q)) {
        pq_buf_reserve(&x->answer.body, x->q.most + 1, e);
    }
    if (e->rc == PQ_OK && !set_up(x, q)) {
        pq_fail(e, PQ_NOMEM, "libcurl cannot make a request: out of memory");
    }
    if (e->rc != PQ_OK) {
        pq_exchange_drop(x);
        return e->rc;
    }
    *out = x;
    return PQ_OK;
}

/* ---- what it came to ---------------------------------------------------------------- */

static bool may_repeat(CURLcode code)
{
    switch ((int)code) {
    case CURLE_COULDNT_CONNECT: case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT: case CURLE_GOT_NOTHING: case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: case CURLE_SSL_CONNECT_ERROR: case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_OUT_OF_MEMORY:        /* the server may have done it           */
    case CURLE_ABORTED_BY_CALLBACK:  /* by on_progress                        */
        return true;
    default:
        return false;
    }
}

/* libcurl's words, unless they repeat a proxy, which may have a password. */
static void explain(PqExchange *x, CURLcode code)
{
    size_t n;

    if (x->answer.rc == PQ_BUDGET) {
        strcpy(x->why, PQ_HTTP_NO_MEMORY);
    } else if (x->e.rc != PQ_OK) {
        snprintf(x->why, sizeof x->why, "%.*s", (int)sizeof x->why - 1, x->e.text);
    } else if (*x->refused) {
        bool is_six = strchr(x->refused, ':') != NULL;

        snprintf(x->why, sizeof x->why, "its address is link-local; SELECT "
                 "parquet_allow('http://%s%s%s/') allows it", is_six ? "[" : "",
                 x->refused, is_six ? "]" : "");
    } else if (code == CURLE_ABORTED_BY_CALLBACK) {
        unsigned seconds = (x->q.timeout_ms + 999) / 1000;

        snprintf(x->why, sizeof x->why, "no byte for %u second%s", seconds, seconds > 1 ? "s" : "");
    } else if (!*x->why || strchr(x->why, '@')) {
        snprintf(x->why, sizeof x->why, "%s", x->http->curl->curl_easy_strerror(code));
    }
    n = strlen(x->why);
    snprintf(x->why + n, sizeof x->why - n, "%s",
             code == CURLE_PEER_FAILED_VERIFICATION
                 ? "; if its CA is one of your own, the ca_file of parquet_secret names it"
             : code == CURLE_SSL_CONNECT_ERROR
                 ? "; a server without TLS is asked by http://, or of s3 by a secret with "
                   "\"use_ssl\": false" : "");
}

/* A transfer that was ended here, because its body is too long, has an answer, too. */
void pq_exchange_conclude(PqExchange *x, CURLcode code)
{
    PqHttpAnswer *a = &x->answer;
    bool whole = code == CURLE_OK || (code == CURLE_WRITE_ERROR && a->body_cut);
    const char *redirect = NULL;     /* it stays as long as the handle      */

    a->status = (int)status_of(x);
    pq_http_take_headers(a, (char *)x->head.p, x->head.n);
    x->http->curl->curl_easy_getinfo(x->easy, CURLINFO_REDIRECT_URL, &redirect);
    a->location = redirect ? redirect : "";
    if (pq_buf_reserve(&a->body, 1, &x->e) == PQ_OK) {
        a->body.p[a->body.n] = 0;
    }
    if (!whole || a->status < 200 || x->e.rc != PQ_OK) {
        a->rc = x->e.rc == PQ_OK || x->e.rc == PQ_IO ? PQ_IO : PQ_BUDGET;
        a->may_repeat = may_repeat(code) && !*x->refused && x->e.rc == PQ_OK;
        explain(x, code);
    }
}
