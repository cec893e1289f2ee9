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
*/
#include "core/remote/request.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/remote/s3_answer.h"
#include "core/remote/sign.h"
#include "core/remote/target.h"
#include "core/remote/trouble.h"

#include <stdlib.h>
#include <time.h>

enum { STEP_MS = 50, FIRST_PAUSE_MS = 100, LONGEST_PAUSE_MS = 10000,
       REDIRECTS_MOST = 5 };

const PqPatience pq_usual_patience = {.retries = 3, .timeout = 30, .spool = 1 << 30};

struct PqRequest {
    PqRemote   *remote;
    PqQuestion  q;
    PqPatience  patience;            /* of q: of a file it may change       */
    PqArena     arena;
    PqUrl       url;                 /* where the next attempt goes         */
    const char *region;              /* "": what the secret says            */
    PqExchange *exchange;
    uint32_t    tries, redirects;
    bool        tried_region;
    bool        led_away;            /* by a redirect, from the host of q.url    */
    bool        own;                 /* see pq_access_check                      */
};

/* ---- one attempt ---------------------------------------------------------------- */

/* An answer that this request asks for is compared with the version it names. */
static PqRc add_conditions(const PqRequest *x, PqHeaders *h, PqErr *e)
{
    PQ_TRY(pq_http_add_header(h, "Range", x->q.range, e));
    PQ_TRY(pq_http_add_header(h, "If-Match", x->q.if_match, e));
    PQ_TRY(pq_http_add_header(h, "If-None-Match", x->q.if_none_match, e));
    return pq_http_add_header(h, "Content-Type", x->q.content_type, e);
}

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
    const char *password = *s->user ? s->password : x->url.password, *basic;

    for (uint32_t i = 0; i < s->n_headers; i++) {
        if (pq_ascii_same_n(s->headers[i], "Authorization:", 14)) {
            return PQ_OK;
        }
    }
    if (*s->bearer_token) {
        basic = pq_arena_printf(h->arena, e, "Bearer %s", s->bearer_token);
    } else if (user) {
        basic = pq_url_login(h->arena, user, password, e);
        basic = basic ? pq_arena_printf(h->arena, e, "Basic %s", basic) : NULL;
    } else {
        return PQ_OK;
    }
    return basic ? pq_http_add_header(h, "Authorization", basic, e) : e->rc;
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

static const char *some(const char *text)
{
    return text && *text ? text : NULL;
}

static PqRc start(PqRequest *x, const PqSecret *s, PqErr *e)
{
    const PqPatience *p = &x->patience;
    PqHeaders h = {.arena = &x->arena};
    PqTarget t;
    PqHttp *http;
    PqHttpRequest q = {.method = x->q.method, .body = x->q.body,
                       .body_in = x->q.body_in, .most = x->q.most,
                       .spool = x->q.spools ? (uint64_t)p->spool : 0,
                       .timeout_ms = (uint32_t)p->timeout * 1000,
                       .ca_file = some(s->ca_file), .proxy = some(s->proxy)};

    PQ_TRY(pq_target_make(&x->arena, &x->url, s, x->region, x->q.query, &t, e));
    PQ_TRY(add_conditions(x, &h, e));
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
           (a->status == 301 || a->status == 302 || a->status == 303 ||
            a->status == 307 || a->status == 308) && *a->location;
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
        x->own = x->q.own;           /* a schema leads to allowed servers only */
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
                 : pq_s3_trouble(&x->arena, pq_slice(a->body.p, a->body.n), "Region");
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
    uint32_t ms = (uint32_t)FIRST_PAUSE_MS << (x->tries < 8 ? x->tries : 8), random = 0;
    long asked = strtol(retry_after, NULL, 10);
    PqErr e = PQ_NO_ERR;

    pq_random_fill(&random, sizeof random, &e);
    ms += random % (ms / 2);
    if (asked > 0) {
        ms = asked < LONGEST_PAUSE_MS / 1000 ? (uint32_t)asked * 1000 : LONGEST_PAUSE_MS;
    }
    return ms < LONGEST_PAUSE_MS ? ms : LONGEST_PAUSE_MS;
}

/* Sends the question again. */
static PqRc again(PqRequest *x, const _Atomic bool *stopped, uint32_t pause, PqErr *e)
{
    x->tries++;
    atomic_fetch_add(&x->remote->retries, 1);
    PQ_TRY(pq_remote_pause(x->remote, stopped, pause, e));
    return send(x, e);
}

/* ---- the caller's side ----------------------------------------------------------- */

PqRc pq_request_begin(PqRemote *r, const PqQuestion *q, PqRequest **out, PqErr *e)
{
    PqRequest *x;

    PQ_TRY(PQ_NEW(r->mem, x, 1, e));
    x->remote = r;
    x->q = *q;
    x->patience = q->patience ? *q->patience : pq_usual_patience;
    x->url = *q->url;
    x->own = q->own;
    x->region = "";
    pq_arena_init(&x->arena, r->mem);
    *out = x;
    if (send(x, e) != PQ_OK) {
        pq_request_free(x);
        *out = NULL;
    }
    return e->rc;
}

/* Waits at most ms. */
static PqHttpOutcome wait_some(PqRequest *x, uint32_t ms)
{
    int64_t began = ms ? pq_clock_ns() : 0;
    PqHttpOutcome outcome = pq_exchange_wait(x->exchange, ms);

    atomic_fetch_add(&x->remote->ns_waiting, ms ? pq_clock_ns() - began : 0);
    return outcome;
}

bool pq_request_is_there(PqRequest *x, uint32_t ms)
{
    return wait_some(x, ms) != PQ_HTTP_RUNNING;
}

PqRc pq_request_wait(PqRequest *x, const _Atomic bool *stopped, PqHttpAnswer **out, PqErr *e)
{
    for (;;) {
        PqHttpOutcome outcome = wait_some(x, STEP_MS);
        PqHttpAnswer *a = pq_exchange_answer(x->exchange);
        bool came = outcome == PQ_HTTP_ANSWERED;

        if (outcome == PQ_HTTP_RUNNING) {
            PQ_TRY(pq_remote_poll(x->remote, stopped, e));
        } else if (outcome == PQ_HTTP_NO_MEMORY) {
            return pq_fail(e, PQ_BUDGET, "no memory for the answer of a server");
        } else if (came && is_redirected(x, a)) {
            PQ_TRY(follow(x, a, e));
        } else if (came && learns_region(x, a)) {
            PQ_TRY(again(x, stopped, 0, e));
        } else if ((came ? is_passing(a->status) : a->may_repeat) &&
                   x->tries < x->patience.retries) {
            PQ_TRY(again(x, stopped, pause_of(x, came ? a->retry_after : ""), e));
        } else if (came) {
            *out = a;
            return PQ_OK;
        } else {
            return pq_trouble_of_transfer(x->q.method <= PQ_HTTP_HEAD, a->why, x->tries, e);
        }
    }
}

bool pq_request_was_repeated(const PqRequest *x)
{
    return x->tries > 0;
}

PqRc pq_request_refused(const PqRequest *x, const PqHttpAnswer *a, PqErr *e)
{
    return pq_trouble_of_answer(x->remote, &x->url, a, x->led_away, x->tries, e);
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
