/*
** sign.c - what is signed is hashed piece by piece, as it would be written:
**
**   GET                                        method
**   /bucket/year%3D2024/x.parquet              path
**   list-type=2&prefix=a                       query, sorted by names, then values
**   host:localhost:9000                        headers, sorted
**   x-amz-content-sha256:e3b0c442...
**   x-amz-date:20240131T235959Z
**                                              an empty line
**   host;x-amz-content-sha256;x-amz-date       their names
**   e3b0c442...                                hash of the body
**
*/
#define _POSIX_C_SOURCE 200809L      /* gmtime_r */
#include "core/remote/sign.h"

#include "core/base/ascii.h"
#include "core/base/libcrypto.h"
#include "core/base/secret.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { HASH = 32, HASH_BLOCK = 64 };

static const char *const methods[] = {
    [PQ_HTTP_GET] = "GET", [PQ_HTTP_HEAD] = "HEAD", [PQ_HTTP_PUT] = "PUT",
    [PQ_HTTP_POST] = "POST", [PQ_HTTP_DELETE] = "DELETE",
};

/* ---- SHA-256 and HMAC ---------------------------------------------------------- */

typedef struct Hash {
    EVP_MD_CTX *ctx;
    bool        ok;
} Hash;

static EVP_MD *fetch_sha256(PqErr *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static EVP_MD *fetched;          /* for good */
    OSSL_LIB_CTX *library;
    EVP_MD *md;

    pthread_mutex_lock(&lock);
    if (!fetched && pq_libcrypto(&library, e) == PQ_OK && !pq_fault_here()) {
        fetched = EVP_MD_fetch(library, "SHA256", NULL);
    }
    md = fetched;
    pthread_mutex_unlock(&lock);
    return md;
}

static void hash_begin(Hash *h, PqErr *e)
{
    EVP_MD *md = fetch_sha256(e);

    h->ctx = md && !pq_fault_here() ? EVP_MD_CTX_new() : NULL;
    h->ok = h->ctx && EVP_DigestInit_ex2(h->ctx, md, NULL) == 1;
}

static void hash_add(Hash *h, PqSlice s)
{
    h->ok = h->ok && (s.n == 0 || EVP_DigestUpdate(h->ctx, s.p, s.n) == 1);
}

static void hash_text(Hash *h, const char *text)
{
    hash_add(h, pq_slice_text(text));
}

static PqRc hash_end(Hash *h, uint8_t out[HASH], PqErr *e)
{
    h->ok = h->ok && EVP_DigestFinal_ex(h->ctx, out, NULL) == 1;
    EVP_MD_CTX_free(h->ctx);         /* and wipes its state */
    return h->ok ? PQ_OK : pq_libcrypto_failed("hash", e);
}

static PqRc hash_both(PqSlice first, PqSlice second, uint8_t out[HASH], PqErr *e)
{
    Hash h;

    hash_begin(&h, e);
    hash_add(&h, first);
    hash_add(&h, second);
    return hash_end(&h, out, e);
}

/* The key is prefix and key together. */
static PqRc hmac(const char *prefix, PqSlice key, const char *text, uint8_t out[HASH],
                 PqErr *e)
{
    uint8_t pad[HASH_BLOCK] = {0}, inner[HASH];
    size_t n = strlen(prefix);
    PqRc rc;

    if (n + key.n > sizeof pad) {
        PQ_GO(hash_both(pq_slice_text(prefix), key, pad, e));
    } else {
        pq_bytes_copy(pad, prefix, n);
        pq_bytes_copy(pad + n, key.p, key.n);
    }
    for (size_t i = 0; i < sizeof pad; i++) {
        pad[i] ^= 0x36;
    }
    PQ_GO(hash_both(pq_slice(pad, sizeof pad), pq_slice_text(text), inner, e));
    for (size_t i = 0; i < sizeof pad; i++) {
        pad[i] ^= 0x36 ^ 0x5c;
    }
    rc = hash_both(pq_slice(pad, sizeof pad), pq_slice(inner, HASH), out, e);
done:
    pq_wipe(pad, sizeof pad);
    pq_wipe(inner, sizeof inner);
    return rc;
}

static const char *hex(const uint8_t hash[HASH], char out[2 * HASH + 1])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < HASH; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[2 * HASH] = 0;
    return out;
}

/* ---- the request as it is signed ------------------------------------------------ */

typedef struct Pair { PqSlice name, value; } Pair;

static int compare_pairs(const void *a, const void *b)
{
    const Pair *one = a, *two = b;
    int by_name = pq_slice_compare(one->name, two->name);

    return by_name ? by_name : pq_slice_compare(one->value, two->value);
}

/* Cuts at the first separator; without one, the value is empty. */
static Pair pair_of(PqSlice s, char separator)
{
    const uint8_t *at = s.n ? memchr(s.p, separator, s.n) : NULL;
    PqSlice name = pq_slice_cut(&s, at ? (size_t)(at - s.p) : s.n);

    pq_slice_cut(&s, 1);
    return (Pair){name, s};
}

static PqRc hash_query(Hash *h, const char *query, PqArena *a, PqErr *e)
{
    PqSlice rest = pq_slice_text(query);
    size_t n = 0, most = 1;
    Pair *pairs;

    for (const char *at = query; (at = strchr(at, '&')) != NULL; at++) {
        most++;
    }
    PQ_TRY(PQ_ARENA_NEW(a, pairs, most, e));
    while (rest.n) {
        Pair part = pair_of(rest, '&');

        rest = part.value;
        if (part.name.n) {
            pairs[n++] = pair_of(part.name, '=');
        }
    }
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < n; i++) {
        hash_text(h, i ? "&" : "");
        hash_add(h, pairs[i].name);
        hash_text(h, "=");
        hash_add(h, pairs[i].value);
    }
    return PQ_OK;
}

/* "Name: a  b " -> name, "a b" */
static PqRc read_header(PqArena *a, const char *line, Pair *out, PqErr *e)
{
    char *text = pq_arena_text(a, line, strlen(line), e), *to;

    if (!text) {
        return e->rc;
    }
    *out = pair_of(pq_slice_text(text), ':');
    for (char *c = text; c < text + out->name.n; c++) {
        *c = (char)pq_ascii_lower(*c);
    }
    to = text + out->name.n;
    for (size_t i = 0; i < out->value.n; i++) {
        if (out->value.p[i] != ' ' || (to > text + out->name.n && to[-1] != ' ')) {
            *to++ = (char)out->value.p[i];
        }
    }
    to -= to > text + out->name.n && to[-1] == ' ';
    out->value = pq_slice(text + out->name.n, (size_t)(to - text) - out->name.n);
    return PQ_OK;
}

/* *names is "host;x-amz-date;..." */
static PqRc hash_headers(Hash *h, Pair *headers, uint32_t n, PqArena *a,
                         const char **names, PqErr *e)
{
    *names = "";
    qsort(headers, n, sizeof *headers, compare_pairs);
    for (uint32_t i = 0; i < n; i++) {
        hash_add(h, headers[i].name);
        hash_text(h, ":");
        hash_add(h, headers[i].value);
        hash_text(h, "\n");
        *names = pq_arena_printf(a, e, "%s%s%.*s", *names, i ? ";" : "",
                                 (int)headers[i].name.n,
                                 (const char *)headers[i].name.p);
        if (!*names) {
            return e->rc;
        }
    }
    hash_text(h, "\n");
    hash_text(h, *names);
    return PQ_OK;
}

/* body: the hash of the body in hexadecimal. */
static PqRc hash_request(const PqSignable *q, Pair *headers, uint32_t n_headers,
                         const char *body, PqArena *a, const char **names,
                         uint8_t out[HASH], PqErr *e)
{
    Hash h;
    PqRc rc;

    hash_begin(&h, e);
    hash_text(&h, methods[q->method]);
    hash_text(&h, "\n");
    hash_text(&h, q->path);
    hash_text(&h, "\n");
    rc = hash_query(&h, q->query, a, e);
    hash_text(&h, "\n");
    if (rc == PQ_OK) {
        rc = hash_headers(&h, headers, n_headers, a, names, e);
    }
    hash_text(&h, "\n");
    hash_text(&h, body);
    return hash_end(&h, out, e) == PQ_OK ? rc : e->rc;
}

/* ---- the signature -------------------------------------------------------------- */

typedef struct Signing {
    const PqSecret *secret;
    const char     *region, *scope;  /* 20240131/eu-west-1/s3/aws4_request      */
    char            day[16], time[32];
    char            body[2 * HASH + 1];
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

static PqRc add_header(PqArena *a, const char *name, const char *value,
                       const char *out[], uint32_t *n_out, PqErr *e)
{
    if (*value) {
        out[*n_out] = pq_arena_printf(a, e, "%s: %s", name, value);
        return out[(*n_out)++] ? PQ_OK : e->rc;
    }
    return PQ_OK;
}

/* All that are signed: host, those of *out, further ones. */
static PqRc gather(const PqSignable *q, const char *const *out, uint32_t n_out,
                   PqArena *a, Pair **headers, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(a, *headers, 1 + n_out + q->n_headers, e));
    **headers = (Pair){pq_slice_text("host"), pq_slice_text(q->host)};
    for (uint32_t i = 0; i < n_out + q->n_headers; i++) {
        PQ_TRY(read_header(a, i < n_out ? out[i] : q->headers[i - n_out],
                           &(*headers)[1 + i], e));
    }
    return PQ_OK;
}

static PqRc sign(const Signing *s, const char *text, char out[2 * HASH + 1], PqErr *e)
{
    uint8_t key[HASH];
    PqSlice k = pq_slice(key, HASH);
    PqRc rc;

    PQ_GO(hmac("AWS4", pq_slice_text(s->secret->secret), s->day, key, e));
    PQ_GO(hmac("", k, s->region, key, e));
    PQ_GO(hmac("", k, "s3", key, e));
    PQ_GO(hmac("", k, "aws4_request", key, e));
    PQ_GO(hmac("", k, text, key, e));
    hex(key, out);
done:
    pq_wipe(key, sizeof key);
    return rc;
}

static PqRc authorize(const PqSignable *q, const Signing *s, PqArena *a,
                      const char *out[], uint32_t *n_out, PqErr *e)
{
    char request[2 * HASH + 1], signature[2 * HASH + 1];
    const char *names = "", *text;
    uint8_t hash[HASH];
    Pair *headers;

    PQ_TRY(gather(q, out, *n_out, a, &headers, e));
    PQ_TRY(hash_request(q, headers, 1 + *n_out + q->n_headers, s->body, a, &names,
                        hash, e));
    text = pq_arena_printf(a, e, "AWS4-HMAC-SHA256\n%s\n%s\n%s", s->time, s->scope,
                           hex(hash, request));
    PQ_TRY(text ? sign(s, text, signature, e) : e->rc);
    text = pq_arena_printf(a, e, "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, "
                           "Signature=%s", s->secret->key_id, s->scope, names,
                           signature);
    return text ? add_header(a, "Authorization", text, out, n_out, e) : e->rc;
}

static PqRc sign_all(const PqSignable *q, Signing *s, int64_t unix_time, PqArena *a,
                     const char *out[], uint32_t *n_out, PqErr *e)
{
    uint8_t hash[HASH];

    PQ_TRY(read_clock(s, unix_time, e));
    s->scope = pq_arena_printf(a, e, "%s/%s/s3/aws4_request", s->day, s->region);
    PQ_TRY(s->scope ? hash_both(q->body, (PqSlice){NULL, 0}, hash, e) : e->rc);
    hex(hash, s->body);
    PQ_TRY(add_header(a, "x-amz-content-sha256", s->body, out, n_out, e));
    PQ_TRY(add_header(a, "x-amz-date", s->time, out, n_out, e));
    PQ_TRY(add_header(a, "x-amz-security-token", s->secret->session_token, out, n_out,
                      e));
    PQ_TRY(add_header(a, "x-amz-request-payer",
                      s->secret->requester_pays ? "requester" : "", out, n_out, e));
    return authorize(q, s, a, out, n_out, e);
}

PqRc pq_sign(const PqSignable *q, const PqSecret *secret, const char *region,
             int64_t unix_time, PqArena *a, const char *out[PQ_SIGN_HEADERS],
             uint32_t *n_out, PqErr *e)
{
    Signing s = {.secret = secret, .region = region};
    PqRc rc;

    *n_out = 0;
    ERR_set_mark();
    rc = sign_all(q, &s, unix_time, a, out, n_out, e);
    ERR_pop_to_mark();
    return rc;
}
