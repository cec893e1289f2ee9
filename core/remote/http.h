/*
** http.h - requests to servers, many at once, by libcurl.
**
** libcurl is loaded when the first request is made, not when the extension is.  One
** thread of its own does all transfers of a PqHttp, so connections are kept and used
** again, and a caller starts requests without waiting for them:
**
**   start a   start b   start c        the thread:  a b c in flight
**   wait a  ->  its answer             ... the others go on meanwhile
**
** This floor sends one request and takes one answer.  It does not repeat, redirect,
** sign or decide: request.h does.  What a server says is bounded.  A body has at
** most `most` bytes.  One that says what went wrong may have PQ_HTTP_TROUBLE_BYTES, and
** so may the answer to what was written, whose memory is taken before that is sent.  The
** headers are bounded by PQ_HTTP_HEADER_BYTES, the time without a byte by timeout_ms.
** The thread blocks every signal, and calls nothing of the host.
*/
#ifndef PQ_HTTP_H
#define PQ_HTTP_H

#include "core/base/arena.h"
#include "core/base/sink.h"

typedef struct PqHttp PqHttp;
typedef struct PqExchange PqExchange;

enum { PQ_HTTP_HEADER_BYTES = 1 << 16, PQ_HTTP_TROUBLE_BYTES = 1 << 13,
       PQ_SECRET_HEADERS = 12 };             /* that a secret may add               */

/* Makes one, unless *h is one already.  A child of the process that made that has no thread for
** it: what was in flight has failed there, may be repeated, and the child gets another PqHttp.
** Loads libcurl.  PQ_UNSUPPORTED, and what to install, if it is missing. */
PqRc pq_http_ready(PqMem *mem, PqHttp **h, PqErr *e);

/* After every exchange was freed.  Cancels what is still in flight. */
void pq_http_free(PqHttp *h);                            /* h may be NULL */

/* May several ranges be asked for by one request? */
extern const bool pq_http_has_parts;

typedef enum PqHttpMethod {
    PQ_HTTP_GET, PQ_HTTP_HEAD, PQ_HTTP_PUT, PQ_HTTP_POST, PQ_HTTP_DELETE
} PqHttpMethod;

extern const char *const pq_http_methods[];              /* their names */

/* All is copied but the body, which must live until the exchange is freed. */
typedef struct PqHttpRequest {
    PqHttpMethod method;
    const char  *url;                /* as it goes to the server, http(s) only */
    const char *const *headers;      /* "Name: value" each, wiped after use     */
    uint32_t     n_headers;
    const char  *ca_file;            /* NULL, "": the system's                  */
    const char  *proxy;              /* NULL, "": what the environment says     */
    PqSlice      body;               /* of a PUT or POST                        */
    PqSink      *body_in;            /* NULL, or the file that begins with body.n
                                     ** bytes to send in its place; nobody else
                                     ** uses it meanwhile                       */
    size_t       most;               /* of the body of an answer                */
    uint64_t     spool;              /* 0, or the most bytes of a body with status
                                     ** 200, which goes into a file without a name */
    bool         has_parts;          /* several ranges are asked for: of the whole, with
                                     ** status 200, nothing is taken            */
    uint32_t     timeout_ms;         /* the longest time without a byte         */
    bool         has_secret;         /* in its headers or URL: libcurl wipes its memory,
                                     ** libraries of HTTP/2 do not, so it goes by 1.1 */
    /* May this address be connected to, whatever name led there?  NULL: any may.
    ** Asked on the thread of transfers; arg lives as long as the PqHttp.     */
    bool       (*may_connect)(void *arg, const uint8_t *address, size_t n);
    void        *arg;
} PqHttpRequest;

/* Headers of a request, "Name: value" each: conditions and type, and either what
** authorizes, or of S3 the signature. */
typedef struct PqHeaders {
    PqArena    *arena;
    const char *line[4 + 1 + PQ_SECRET_HEADERS];
    uint32_t    n;
} PqHeaders;

/* value NULL or "": nothing is added. */
static inline PqRc pq_http_add_header(PqHeaders *h, const char *name, const char *value, PqErr *e)
{
    if (value && *value) {
        h->line[h->n++] = pq_arena_printf(h->arena, e, "%s: %s", name, value);
    }
    return e->rc;
}

/* The headers that an answer has members for. */
#define PQ_HTTP_HEADERS(H)                                                          \
    H("etag", etag) H("content-range", content_range)                               \
    H("content-encoding", content_encoding) H("content-length", content_length)     \
    H("last-modified", last_modified) H("retry-after", retry_after)                 \
    H("x-amz-bucket-region", region)

/* Why there is no answer. */
#define PQ_HTTP_NO_MEMORY "no memory for the answer"

/* What came of an exchange.  Headers that the server did not send are "". */
typedef struct PqHttpAnswer {
    PqRc        rc;                  /* PQ_OK: there is a status.  PQ_IO: no connection,
                                     ** reset, time-out, TLS ...  PQ_BUDGET: no memory */
    int         status;
    PqBuf       body;                /* with a NUL after it                     */
    PqSink     *spool;               /* or the file with it; NULL: it was not asked for */
    const char *etag, *content_range, *content_encoding, *content_length, *last_modified,
               *retry_after, *region;            /* x-amz-bucket-region        */
    const char *location;            /* the whole URL of a redirect; "": it is none */
    bool        body_cut;            /* it was longer than most: what is there is
                                     ** the beginning                           */
    const char *why;                 /* there is no status: libcurl's words, without
                                     ** the URL                                 */
    bool        may_repeat;          /* may it go better if it is sent again?   */
} PqHttpAnswer;

/* Gives the answer its members of n bytes of lines, "Name: value" each, into which they point
** from then on.  One more byte may be written.  Names have no case, and of two that are the
** same the first counts. */
void pq_http_take_headers(PqHttpAnswer *a, char *text, size_t n);

/* The body's memory comes from mem. */
PqRc pq_http_start(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e);

/* Waits until this exchange or another one has ended, and at most ms.  NULL: this one has not. */
PqHttpAnswer *pq_exchange_wait(PqExchange *x, uint32_t ms);

/* Ends the transfer if it is running, and does not wait for that; the body of the
** request is read no more.  x may be NULL. */
void pq_exchange_free(PqExchange *x);

#endif
