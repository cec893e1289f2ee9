/*
** request.c - sends a question, judges the answer, and sends it again if that may
** help.
**
** Each attempt is built anew, because it may go to another place, in another region
** or at another time.  The secrets that it needs are fetched for the place that it
** goes to, and let go when it was sent: that is what keeps a secret from following a
** redirect to another host.  Nor is the secret of that host used: whoever is asked could
** otherwise have any request made in the name of the user, and learn from the ranges
** that are asked for next what the answers said.  curl sends nothing there either.
**
** What a server says may repeat what it was asked, and that may be a secret.  So of
** XML only the code and the message are shown, unless they have one, and of other
** bodies nothing.
*/
#include "core/remote/request.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/path_hint.h"
#include "core/remote/s3_answer.h"
#include "core/remote/sign.h"
#include "core/remote/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEP_MS = 50, FIRST_PAUSE_MS = 100, LONGEST_PAUSE_MS = 10000,
       REDIRECTS_MOST = 5 };

const PqPatience pq_usual_patience = {.retries = 3, .timeout = 30, .spool = 1 << 30};

struct PqRequest {
    PqRemote   *remote;
    PqQuestion  q;
    PqRemoteTerms terms;             /* of q: those of a file may change    */
    PqArena     arena;
    PqUrl       url;                 /* where the next attempt goes         */
    const char *region;              /* "": what the secret says            */
    PqExchange *exchange;
    uint32_t    tries, redirects;
    char        retried[48];         /* ", after 2 retries"                 */
    bool        tried_region;
    bool        led_away;            /* by a redirect, from the host of q.url    */
    bool        own;                 /* see pq_access_check                      */
};

/* ---- one attempt ---------------------------------------------------------------- */

/* Signs the type of the content, too, which was added last. */
static PqRc add_signature(const PqRequest *x, const PqSecret *s, const PqTarget *t, PqHeaders *h,
                          PqErr *e)
{
    PqSignable q = {.method = x->q.method, .host = t->host, .path = t->path,
                    .query = t->query, .first = h->n - (x->q.content_type != NULL),
                    .body = x->q.body};

    return pq_sign(&q, s, t->region, (int64_t)time(NULL), h, e);
}

/* Of the headers of a secret an Authorization goes before user and password.  Those are
** no option of libcurl: it would keep a password with the connection, in memory that a
** core dump has. */
static PqRc add_login(const PqRequest *x, const PqSecret *s, PqHeaders *h, PqErr *e)
{
    const char *user = *s->user ? s->user : x->url.user;
    const char *password = *s->user ? s->password : x->url.password;
    const char *login = user ? pq_url_login(h->arena, user, password, e) : NULL;

    for (uint32_t i = 0; i < s->n_headers; i++) {
        if (pq_ascii_same_n(s->headers[i], "Authorization:", 14)) {
            return PQ_OK;
        }
    }
    login = *s->bearer_token ? pq_arena_printf(h->arena, e, "Bearer %s", s->bearer_token)
            : login          ? pq_arena_printf(h->arena, e, "Basic %s", login) : NULL;
    return pq_http_add_header(h, "Authorization", login, e);
}

static PqRc add_secret(const PqRequest *x, const PqSecret *s, const PqTarget *t, PqHeaders *h,
                       PqErr *e)
{
    if (x->led_away) {
        return PQ_OK;
    }
    if (x->url.scheme == PQ_SCHEME_S3) {
        return *s->key_id ? add_signature(x, s, t, h, e) : PQ_OK;
    }
    PQ_TRY(add_login(x, s, h, e));
    for (uint32_t i = 0; i < s->n_headers; i++) {
        h->line[h->n++] = s->headers[i];
    }
    return PQ_OK;
}

static PqRc start(PqRequest *x, const PqSecret *s, PqErr *e)
{
    const PqPatience *p = &x->terms.patience;
    PqHeaders h = {.arena = &x->arena};
    PqTarget t;
    PqHttp *http;
    PqHttpRequest q = {.method = x->q.method, .body = x->q.body,
                       .body_in = x->q.body_in, .most = x->q.most,
                       .spool = x->q.spools ? (uint64_t)p->spool : 0,
                       .has_parts = x->q.has_parts,
                       .timeout_ms = (uint32_t)p->timeout * 1000,
                       .ca_file = s->ca_file, .proxy = s->proxy};

    PQ_TRY(pq_target_make(&x->arena, &x->url, s, x->region, x->q.query, &t, e));
    pq_http_add_header(&h, "Range", x->q.range, e);
    pq_http_add_header(&h, "If-Match", x->q.if_match, e);
    pq_http_add_header(&h, "If-None-Match", x->q.if_none_match, e);
    PQ_TRY(pq_http_add_header(&h, "Content-Type", x->q.content_type, e));
    PQ_TRY(add_secret(x, s, &t, &h, e));
    PQ_TRY(pq_remote_http(x->remote, &http, e));
    q.url = t.url;
    q.headers = h.line;
    q.n_headers = h.n;
    q.has_secret = *s->key_id || *s->bearer_token || *s->user || s->n_headers ||
                   x->url.user || *x->url.query;
    q.may_connect = pq_access_may_connect;
    q.arg = x->remote->access;
    atomic_fetch_add(&x->remote->requests, 1);
    return pq_http_start(http, x->remote->mem, &q, &x->exchange, e);
}

static PqRc send(PqRequest *x, PqErr *e)
{
    PqGrant grant;
    PqRc rc;

    pq_exchange_free(x->exchange);
    x->exchange = NULL;
    PQ_TRY(pq_access_check(x->remote->access, &x->url, x->own, e));
    PQ_TRY(pq_access_grant(x->remote->access, &x->url, &grant, e));
    if (x->url.scheme == PQ_SCHEME_S3 && !*x->region) {
        PQ_TRY(pq_remote_recall(x->remote, PQ_KNOWN_REGION, x->url.host, &x->arena, &x->region, e));
    }
    rc = start(x, &grant.s, e);
    pq_access_release(&grant);
    return rc;
}

/* ---- what an answer means ------------------------------------------------------- */

/* Only what asks is redirected: what writes or deletes goes where it was meant to. */
static bool is_redirected(const PqRequest *x, const PqHttpAnswer *a)
{
    return x->q.method <= PQ_HTTP_HEAD && x->url.scheme != PQ_SCHEME_S3 &&
           a->status / 100 == 3 && a->status != 304 && *a->location;
}

static bool is_passing(int status)
{
    return status == 429 || status == 500 || status == 502 || status == 503 ||
           status == 504 || status == 408;
}

static PqRc follow(PqRequest *x, const PqHttpAnswer *a, PqErr *e)
{
    const char *to;
    PqUrl next;

    if (x->redirects++ == REDIRECTS_MOST) {
        return pq_fail(e, PQ_IO, "more than %d redirects", REDIRECTS_MOST);
    }
    to = pq_arena_text(&x->arena, a->location, strcspn(a->location, "#"), e);
    if (to && (!pq_url_is(to) || pq_ascii_same_n(to, "s3:", 3))) {
        return pq_fail(e, PQ_USAGE, "redirected to what is not http or https");
    }
    PQ_TRY(to ? pq_url_parse(&x->arena, to, &next, e) : e->rc);
    if (x->url.scheme == PQ_SCHEME_HTTPS && next.scheme == PQ_SCHEME_HTTP) {
        return pq_fail(e, PQ_IO, "redirected from https to http");
    }
    x->own = true;                   /* of a server that was allowed         */
    if (strcmp(next.host, x->url.host) != 0 || next.port != x->url.port ||
        next.scheme != x->url.scheme) {
        next.user = next.password = NULL;
        x->led_away = true;          /* also if it is led back               */
        x->own = x->terms.own;       /* a schema leads to allowed servers only */
    } else if (!next.user) {
        next.user = x->url.user;
        next.password = x->url.password;
    }
    x->url = next;
    return send(x, e);
}

/* Takes another region that the server names, once.  If it cannot be kept, the next
** request has to find it again. */
static bool learns_region(PqRequest *x, const PqHttpAnswer *a)
{
    const char *region;
    PqErr e = PQ_NO_ERR;

    if (x->url.scheme != PQ_SCHEME_S3 || x->tried_region ||
        (a->status != 301 && a->status != 307 && a->status != 400)) {
        return false;
    }
    region = *a->region
                 ? pq_arena_text(&x->arena, a->region, strlen(a->region), &e)
                 : pq_s3_element(&x->arena, pq_buf_view(&a->body), "/Error/Region", &e);
    if (!region || !*region || strcmp(region, x->region) == 0 || !pq_target_may_be_region(region)) {
        return false;
    }
    x->tried_region = true;
    x->region = region;
    pq_remote_learn(x->remote, PQ_KNOWN_REGION, x->url.host, region, &e);
    return true;
}

/* retry_after: what the server wishes; "": nothing. */
static uint32_t pause_of(const PqRequest *x, const char *retry_after)
{
    int64_t ms = (int64_t)FIRST_PAUSE_MS << (x->tries < 8 ? x->tries : 8);
    long asked = strtol(retry_after, NULL, 10);

    ms += pq_clock_ns() % (ms / 2);          /* others pause, too */
    ms = asked > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : asked > 0 ? asked * 1000 : ms;
    return ms < LONGEST_PAUSE_MS ? (uint32_t)ms : LONGEST_PAUSE_MS;
}

/* Sends the question again. */
static PqRc again(PqRequest *x, const _Atomic bool *stopped, uint32_t pause, PqErr *e)
{
    x->tries++;
    snprintf(x->retried, sizeof x->retried, ", after %u retr%s", x->tries,
             x->tries > 1 ? "ies" : "y");
    atomic_fetch_add(&x->remote->retries, 1);
    PQ_TRY(pq_remote_pause(x->remote, stopped, pause, e));
    return send(x, e);
}

/* ---- words for an answer that is not wanted ----------------------------------------- */

/* What to do, by the code of S3 or the status. */
static const struct {
    const char *code;
    const char *words;
} by_code[] = {
    {"ExpiredToken", "the session token has expired: give parquet_secret a new one"},
    {"InvalidAccessKeyId", "the server does not know this key_id"},
    {"SignatureDoesNotMatch", "is the secret right, and the region?"},
    {"RequestTimeTooSkewed", "this machine's clock is wrong"},
    {"NoSuchBucket", "is the name of the bucket right, and the endpoint?"},
    {"NoSuchKey", "no object has this key; keys are case-sensitive, and a folder ends "
                  "with '/'"},
    {"AuthorizationHeaderMalformed", "give parquet_secret the bucket's region"},
    {"PermanentRedirect", "give parquet_secret the bucket's region or endpoint"},
};

static const char *hint_of(const PqRequest *x, int status, const char *code, bool had_secret)
{
    const PqUrl *u = &x->url;
    bool is_presigned = strstr(u->query, "Signature=") || strstr(u->query, "sig=");
    /* What would be a folder or a glob on a disk.  A '?' begins the query. */
    bool is_many = u->scheme != PQ_SCHEME_S3 &&
                   (u->path[strlen(u->path) - 1] == '/' || strchr(u->path, '*'));

    if (is_presigned && (status == 400 || status == 401 || status == 403)) {
        return "the signature in the URL may have expired, or allow only another "
               "method: GET reads, PUT writes";
    }
    if (is_many && (status == 403 || status == 404)) {
        return PQ_NAME_FILES;
    }
    for (size_t i = 0; i < PQ_COUNT(by_code); i++) {
        if (strcmp(by_code[i].code, code) == 0) {
            return by_code[i].words;
        }
    }
    switch (status) {
    case 401: case 403: return x->led_away ? "a redirect led to another server, which is sent "
                                             "no secret: if it needs one, name its own URL"
                               : had_secret || u->user
                                   ? "the secret for this URL does not open it"
                                   : "parquet_secret gives a secret for it";
    case 404:           return "is the path right?";
    case 405: case 501: return "the server takes no files here";
    case 407:           return "the proxy wants a user and a password";
    case 429: case 503: return "the server is busy: try again later";
    default:            return NULL;
    }
}

/* ---- words that have a secret ---------------------------------------------------- */

static bool has(const char *words, const char *secret)
{
    return secret && *secret && strstr(words, secret);
}

/* Short values are not secrets. */
static bool has_query(const char *words, const char *query, PqArena *a, PqErr *e)
{
    enum { SHORT = 8 };
    PqSlice left = pq_slice_text(query);

    while (left.n) {
        PqSlice value = pq_slice_before(&left, '&'), name = pq_slice_before(&value, '=');

        value = value.n ? value : name;
        if (value.n >= SHORT && (has(words, pq_arena_text(a, value.p, value.n, e)) ||
                                 has(words, pq_url_decode(a, value, e)))) {
            return true;
        }
    }
    return false;
}

static bool has_any(const char *words, const PqSecret *s, const PqUrl *u, PqArena *a, PqErr *e)
{
    const char *const texts[] = {s->key_id, s->secret, s->session_token, s->bearer_token,
                                 s->password, u->password,
                                 *s->user ? pq_url_login(a, s->user, s->password, e) : "",
                                 u->user ? pq_url_login(a, u->user, u->password, e) : ""};

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (has(words, texts[i])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < s->n_headers; i++) {
        if (has(words, strchr(s->headers[i], ':') + strlen(": "))) {
            return true;
        }
    }
    return has_query(words, u->query, a, e);
}

/* What the server says is wrong, unless it has a secret. */
static const char *said(PqSlice body, const char *element, const PqSecret *s, const PqUrl *u,
                        PqArena *a, PqErr *e)
{
    PqErr ignored = PQ_NO_ERR;
    const char *words = pq_s3_element(a, body, element, &ignored);

    return words && !has_any(words, s, u, a, e) ? words : "";
}

PqRc pq_request_refused(const PqRequest *x, const PqHttpAnswer *a, PqErr *e)
{
    const PqSlice body = pq_buf_view(&a->body);
    const char *code, *message, *hint;
    PqArena arena;
    PqGrant g;
    size_t n;

    PQ_TRY(pq_access_grant(x->remote->access, &x->url, &g, e));
    pq_arena_init(&arena, x->remote->mem);
    code = said(body, "/Error/Code", &g.s, &x->url, &arena, e);
    message = said(body, "/Error/Message", &g.s, &x->url, &arena, e);
    n = strlen(message);
    n -= n && message[n - 1] == '.';         /* "; what to do" follows        */
    pq_fail(e, PQ_IO, "the server answers %d%s%.80s%s%.*s%s", a->status,
            *code ? " " : "", code, n ? ": " : "", n < 200 ? (int)n : 200, message,
            x->retried);
    hint = hint_of(x, a->status, code, g.held);
    if (hint && e->rc == PQ_IO) {
        pq_err_hint(e, "%s", hint);
    }
    pq_arena_wipe(&arena);
    pq_access_release(&g);
    return e->rc;
}

/* ---- the caller's side ----------------------------------------------------------- */

PqRc pq_request_begin(PqRemote *r, const PqQuestion *q, PqRequest **out, PqErr *e)
{
    PqRequest *x;

    PQ_TRY(PQ_NEW(r->mem, x, 1, e));
    x->remote = r;
    x->q = *q;
    x->terms = q->terms ? *q->terms
                        : (PqRemoteTerms){.own = true, .patience = pq_usual_patience};
    x->url = *q->url;
    x->own = x->terms.own;
    x->region = "";
    pq_arena_init(&x->arena, r->mem);
    *out = x;
    if (send(x, e) != PQ_OK) {
        pq_request_free(x);
        *out = NULL;
    }
    return e->rc;
}

bool pq_request_is_there(PqRequest *x, uint32_t ms)
{
    int64_t began = ms ? pq_clock_ns() : 0;
    bool is_there = pq_exchange_wait(x->exchange, ms);

    atomic_fetch_add(&x->remote->ns_waiting, ms ? pq_clock_ns() - began : 0);
    return is_there;
}

static bool is_wanted(const PqQuestion *q, int status)
{
    char text[12];

    snprintf(text, sizeof text, "%d", status);
    return status / 100 == 2 || (q->judged && strstr(q->judged, text));
}

PqRc pq_request_wait(PqRequest *x, const _Atomic bool *stopped, PqHttpAnswer **out, PqErr *e)
{
    for (;;) {
        bool is_there = pq_request_is_there(x, STEP_MS);
        PqHttpAnswer *a = is_there ? pq_exchange_wait(x->exchange, 0) : NULL;
        bool came = a && a->rc == PQ_OK;

        if (!a) {
            PQ_TRY(pq_remote_poll(x->remote, stopped, e));
        } else if (came && is_redirected(x, a)) {
            PQ_TRY(follow(x, a, e));
        } else if (came && learns_region(x, a)) {
            PQ_TRY(again(x, stopped, 0, e));
        } else if ((came ? is_passing(a->status) : a->may_repeat) &&
                   x->tries < x->terms.patience.retries) {
            PQ_TRY(again(x, stopped, pause_of(x, came ? a->retry_after : ""), e));
        } else if (came) {
            *out = a;
            return is_wanted(&x->q, a->status) ? PQ_OK : pq_request_refused(x, a, e);
        } else {
            return pq_fail(e, a->rc, "cannot %s: %s%s", x->q.method <= PQ_HTTP_HEAD ? "fetch"
                                                                                    : "send",
                           a->why, x->retried);
        }
    }
}

bool pq_request_was_repeated(const PqRequest *x)
{
    return x->tries > 0;
}

void pq_request_free(PqRequest *x)
{
    if (x) {
        pq_exchange_free(x->exchange);
        pq_arena_wipe(&x->arena);    /* it has signatures and tokens          */
        pq_mem_free(x);
    }
}

PqRc pq_request_ask(PqRemote *r, const PqQuestion *q, const _Atomic bool *stopped, PqRequest **x,
                    PqHttpAnswer **out, PqErr *e)
{
    PQ_TRY(pq_request_begin(r, q, x, e));
    if (pq_request_wait(*x, stopped, out, e) != PQ_OK) {
        pq_request_free(*x);
        *x = NULL;
    }
    return e->rc;
}
