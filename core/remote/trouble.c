/*
** trouble.c - says why a server did not answer as it should.
**
** What a server says may repeat what it was asked, and that may be a secret.  So of
** XML only the code and the message are shown, unless they have one, and of other
** bodies nothing.
*/
#include "core/remote/trouble.h"

#include "core/base/path_hint.h"
#include "core/remote/s3_answer.h"

#include <stdio.h>

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

static bool is_presigned(const PqUrl *u)
{
    return strstr(u->query, "Signature=") || strstr(u->query, "sig=");
}

/* What would be a folder or a glob on a disk.  A '?' begins the query. */
static bool wants_listing(const PqUrl *u)
{
    return u->scheme != PQ_SCHEME_S3 &&
           (u->path[strlen(u->path) - 1] == '/' || strchr(u->path, '*'));
}

static const char *hint_of(const PqUrl *u, int status, const char *code, bool had_secret,
                           bool led_away)
{
    if (is_presigned(u) && (status == 400 || status == 401 || status == 403)) {
        return "the signature in the URL may have expired, or allow only another "
               "method: GET reads, PUT writes";
    }
    if (wants_listing(u) && (status == 403 || status == 404)) {
        return PQ_NAME_FILES;
    }
    for (size_t i = 0; i < PQ_COUNT(by_code); i++) {
        if (strcmp(by_code[i].code, code) == 0) {
            return by_code[i].words;
        }
    }
    switch (status) {
    case 401: case 403: return led_away ? "a redirect led to another server, which is sent no "
                                          "secret: if it needs one, name its own URL"
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

static bool has_login(const char *words, const char *user, const char *password,
                      PqArena *a, PqErr *e)
{
    return user && *user && has(words, pq_url_login(a, user, password, e));
}

/* Short values are not secrets. */
static bool has_query(const char *words, const char *query, PqArena *a, PqErr *e)
{
    enum { SHORT = 8 };

    while (*query) {
        size_t n = strcspn(query, "&"), name = strcspn(query, "=&");
        const char *value = name < n ? query + name + 1 : query;
        size_t n_value = (size_t)(query + n - value);
        const char *text = pq_arena_text(a, value, n_value, e);
        const char *plain = text ? pq_url_decode(a, pq_slice(value, n_value), e) : NULL;

        if (n_value >= SHORT && (has(words, text) || has(words, plain))) {
            return true;
        }
        query += n + (query[n] == '&');
    }
    return false;
}

static bool has_any(const char *words, const PqSecret *s, const PqUrl *u, PqArena *a, PqErr *e)
{
    const char *const texts[] = {s->key_id, s->secret, s->session_token, s->bearer_token,
                                 s->password, u->password};

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
    return has_login(words, s->user, s->password, a, e) ||
           has_login(words, u->user, u->password, a, e) ||
           has_query(words, u->query, a, e);
}

typedef struct Again { char text[48]; } Again;

/* ", after 2 retries" */
static Again again(uint32_t retries)
{
    Again a = {""};

    if (retries) {
        snprintf(a.text, sizeof a.text, ", after %u retr%s", retries, retries > 1 ? "ies" : "y");
    }
    return a;
}

PqRc pq_trouble_of_answer(PqRemote *r, const PqUrl *u, const PqHttpAnswer *a,
                          bool led_away, uint32_t retries, PqErr *e)
{
    const PqSlice body = pq_slice(a->body.p, a->body.n);
    const char *code, *message, *hint;
    PqArena arena;
    PqGrant g;
    size_t n;

    PQ_TRY(pq_access_grant(r->access, u, &g, e));
    pq_arena_init(&arena, r->mem);
    code = pq_s3_trouble(&arena, body, "Code");
    code = has_any(code, &g.s, u, &arena, e) ? "" : code;
    message = pq_s3_trouble(&arena, body, "Message");
    message = has_any(message, &g.s, u, &arena, e) ? "" : message;
    n = strlen(message);
    n -= n && message[n - 1] == '.';         /* "; what to do" follows        */
    pq_fail(e, PQ_IO, "the server answers %d%s%.80s%s%.*s%s", a->status,
            *code ? " " : "", code, n ? ": " : "", n < 200 ? (int)n : 200, message,
            again(retries).text);
    hint = hint_of(u, a->status, code, g.held, led_away);
    if (hint && e->rc == PQ_IO) {
        pq_err_hint(e, "%s", hint);
    }
    pq_arena_wipe(&arena);
    pq_access_release(&g);
    return e->rc;
}

PqRc pq_trouble_of_transfer(bool asks, const char *why, uint32_t retries, PqErr *e)
{
    return pq_fail(e, PQ_IO, "cannot %s: %s%s", asks ? "fetch" : "send", why, again(retries).text);
}
