/*
** sign.c - what is signed is written down, and hashed:
**
**   GET                                        method
**   /bucket/year%3D2024/x.parquet              path
**   list-type=2&prefix=a                       query
**   host:localhost:9000                        headers, sorted
**   x-amz-content-sha256:e3b0c442...
**   x-amz-date:20240131T235959Z
**                                              an empty line
**   host;x-amz-content-sha256;x-amz-date       their names
**   e3b0c442...                                hash of the body
*/
#define _POSIX_C_SOURCE 200809L      /* gmtime_r */
#include "core/remote/sign.h"

#include "core/base/ascii.h"
#include "core/base/digest.h"
#include "core/base/secret.h"

#include <stdlib.h>
#include <time.h>

enum { HASH = PQ_DIGEST_BYTES };

/* The key of a day is made of "AWS4" and the secret. */
static PqRc hmac_of_day(const char *secret, const char *day, uint8_t out[HASH], PqErr *e)
{
    size_t n = strlen(secret) + 4;
    uint8_t *key = pq_secret_map(n);

    if (!key) {
        return pq_fail(e, PQ_NOMEM, "out of memory for a key");
    }
    memcpy(key, "AWS4", 4);
    memcpy(key + 4, secret, n - 4);
    pq_digest_signed(pq_slice(key, n), day, out, e);
    pq_secret_unmap(key, n);
    return e->rc;
}

/* ---- the signature -------------------------------------------------------------- */

typedef struct Signing {
    const PqSecret *secret;
    const char     *region, *scope;  /* 20240131/eu-west-1/s3/aws4_request      */
    char            day[16], time[32];
    char            body[PQ_DIGEST_TEXT];
} Signing;

static PqRc read_clock(Signing *s, int64_t unix_time, PqErr *e)
{
    time_t at = (time_t)unix_time;
    struct tm tm;

    return gmtime_r(&at, &tm) && strftime(s->day, sizeof s->day, "%Y%m%d", &tm) &&
                   strftime(s->time, sizeof s->time, "%Y%m%dT%H%M%SZ", &tm)
               ? PQ_OK
               : pq_fail(e, PQ_IO, "the time to sign with is beyond all calendars");
}

/* "Name: value" -> "name:value" */
static const char *signed_line(PqArena *a, const char *header, PqErr *e)
{
    size_t n = strcspn(header, ":");
    char *line = pq_arena_printf(a, e, "%.*s:%s", (int)n, header, header + n + 2);

    for (char *c = line; line && c < line + n; c++) {
        *c = (char)pq_ascii_lower(*c);
    }
    return line;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What is signed: host and headers.  *names: "host;range;..." */
static PqRc write_headers(const PqSignable *q, const PqHeaders *h, const char **text,
                          const char **names, PqErr *e)
{
    const char *lines[1 + PQ_COUNT(h->line)];
    uint32_t n = 0;

    *text = *names = "";
    lines[n++] = pq_arena_printf(h->arena, e, "host:%s", q->host);
    for (uint32_t i = q->first; i < h->n; i++) {
        lines[n++] = signed_line(h->arena, h->line[i], e);
    }
    PQ_TRY(e->rc);
    qsort(lines, n, sizeof *lines, compare_lines);
    for (uint32_t i = 0; i < n && *text && *names; i++) {
        *text = pq_arena_printf(h->arena, e, "%s%s\n", *text, lines[i]);
        *names = pq_arena_printf(h->arena, e, "%s%s%.*s", *names, i ? ";" : "",
                                 (int)strcspn(lines[i], ":"), lines[i]);
    }
    return e->rc;
}

static PqRc sign(const Signing *s, const char *text, char out[PQ_DIGEST_TEXT], PqErr *e)
{
    uint8_t key[HASH] = {0};
    PqSlice k = pq_slice(key, HASH);
    PqRc rc;

    PQ_GO(hmac_of_day(s->secret->secret, s->day, key, e));
    PQ_GO(pq_digest_signed(k, s->region, key, e));
    PQ_GO(pq_digest_signed(k, "s3", key, e));
    PQ_GO(pq_digest_signed(k, "aws4_request", key, e));
    PQ_GO(pq_digest_signed(k, text, key, e));
    pq_digest_text(key, out);
done:
    pq_wipe(key, sizeof key);
    return rc;
}

static PqRc authorize(const PqSignable *q, const Signing *s, PqHeaders *h, PqErr *e)
{
    char request[PQ_DIGEST_TEXT], signature[PQ_DIGEST_TEXT];
    const char *headers, *names, *text;
    uint8_t of_request[HASH];
    PqArena *a = h->arena;

    PQ_TRY(write_headers(q, h, &headers, &names, e));
    text = pq_arena_printf(a, e, "%s\n%s\n%s\n%s\n%s\n%s", pq_http_methods[q->method], q->path,
                           q->query, headers, names, s->body);
    PQ_TRY(text ? pq_digest_bytes(pq_slice_text(text), of_request, e) : e->rc);
    pq_digest_text(of_request, request);
    text = pq_arena_printf(a, e, "AWS4-HMAC-SHA256\n%s\n%s\n%s", s->time, s->scope, request);
    PQ_TRY(text ? sign(s, text, signature, e) : e->rc);
    text = pq_arena_printf(a, e, "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, "
                           "Signature=%s", s->secret->key_id, s->scope, names,
                           signature);
    return text ? pq_http_add_header(h, "Authorization", text, e) : e->rc;
}

PqRc pq_sign(const PqSignable *q, const PqSecret *secret, const char *region, int64_t unix_time,
             PqHeaders *h, PqErr *e)
{
    Signing s = {.secret = secret, .region = region};
    const char *payer = secret->requester_pays ? "requester" : "";
    uint8_t of_body[HASH];

    PQ_TRY(read_clock(&s, unix_time, e));
    s.scope = pq_arena_printf(h->arena, e, "%s/%s/s3/aws4_request", s.day, region);
    PQ_TRY(s.scope ? pq_digest_bytes(q->body, of_body, e) : e->rc);
    pq_digest_text(of_body, s.body);
    PQ_TRY(pq_http_add_header(h, "x-amz-content-sha256", s.body, e));
    PQ_TRY(pq_http_add_header(h, "x-amz-date", s.time, e));
    PQ_TRY(pq_http_add_header(h, "x-amz-security-token", secret->session_token, e));
    PQ_TRY(pq_http_add_header(h, "x-amz-request-payer", payer, e));
    return authorize(q, &s, h, e);
}
