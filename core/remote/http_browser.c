/*
** http_browser.c - stands in for http.c, http_exchange.c and curl_library.c in a module of
** WebAssembly: requests are sent by the browser.
**
** There are no threads, and C may not wait for what JavaScript does later.  So a request is
** sent, and its answer awaited, in pq_http_start, which a worker may do (dist/wasm/library.js).
** The browser follows redirects, sends cookies to the origin of the page only, and shows of
** the headers those that the server exposes to that origin.
*/
#include "core/remote/http.h"

#include "core/base/folder.h"

#include <stdlib.h>
#include <string.h>

struct PqHttp {
    bool none;                       /* there is nothing to keep            */
};

struct PqExchange {
    PqHttpAnswer answer;
    char        *headers;            /* of JavaScript; the answer points into it */
    char         why[200];
};

/* What JavaScript fills in.  Both blocks are of malloc, NULL where it had no memory. */
typedef struct Sent {
    uint8_t *body;
    size_t   n;
    char    *headers;                /* a line each: name, a colon, value         */
    bool     cut;
} Sent;

bool pq_browser_can_ask(void);

/* The status, or 0 and why.  headers are n texts. */
int pq_browser_ask(const char *method, const char *url, const char *const *headers,
                   uint32_t n_headers, const uint8_t *body, size_t n_body, size_t most,
                   uint32_t timeout_ms, Sent *out, char *why, size_t room);

PqRc pq_http_ready(PqMem *mem, PqHttp **out, PqErr *e)
{
    static PqHttp only;

    if (!pq_browser_can_ask()) {
        return pq_fail(e, PQ_UNSUPPORTED, "files on servers are read in a worker of a "
                       "browser; elsewhere fetch the file first");
    }
    *out = &only;
    return PQ_OK;
}

void pq_http_free(PqHttp *h)
{
}

static PqRc take_body(PqExchange *x, const PqHttpRequest *q, PqMem *mem, const Sent *s, PqErr *e)
{
    PqBuf *b = &x->answer.body;

    pq_buf_init(b, mem, e);
    if (q->spool && x->answer.status == 200) {
        PQ_TRY(pq_sink_scratch(mem, pq_folder_of_scratch(), &x->answer.spool, e));
        return pq_sink_write(x->answer.spool, s->body, s->n, e);
    }
    PQ_TRY(pq_buf_reserve(b, s->n + 1, e));
    PQ_TRY(pq_buf_append(b, s->body, s->n, e));
    b->p[b->n] = 0;
    return PQ_OK;
}

/* A page of another origin would have to be asked whether it may. */
const bool pq_http_has_parts = false;

static size_t most_of(const PqHttpRequest *q)
{
    return q->spool                      ? pq_mem_limit_of((int64_t)q->spool)
           : q->method > PQ_HTTP_HEAD || q->most < PQ_HTTP_TROUBLE_BYTES
               ? PQ_HTTP_TROUBLE_BYTES : q->most;
}

static void ask(PqExchange *x, const PqHttpRequest *q, PqMem *mem, PqErr *e)
{
    Sent s = {0};

    x->answer.status = pq_browser_ask(pq_http_methods[q->method], q->url, q->headers, q->n_headers,
                                      q->body.p, q->body.n, most_of(q), q->timeout_ms, &s,
                                      x->why, sizeof x->why);
    x->headers = s.headers;
    pq_http_take_headers(&x->answer, s.headers, s.headers ? strlen(s.headers) : 0);
    x->answer.location = "";         /* the browser follows redirects       */
    if (x->answer.status == 0) {
        x->answer.rc = PQ_IO;
    } else if ((s.n && !s.body) || take_body(x, q, mem, &s, e) != PQ_OK) {
        x->answer.rc = PQ_BUDGET;
        strcpy(x->why, PQ_HTTP_NO_MEMORY);
    }
    x->answer.body_cut = s.cut;
    x->answer.why = x->why;
    free(s.body);
}

/* A body that lies in a file: a copy larger than memory would not fit. */
static PqRc read_body(PqMem *mem, const PqHttpRequest *q, PqBuf *out, PqErr *e)
{
    pq_buf_init(out, mem, e);
    PQ_TRY(pq_buf_reserve(out, q->body.n, e));
    PQ_TRY(pq_sink_read(q->body_in, 0, q->body.n, out->p, e));
    out->n = q->body.n;
    return PQ_OK;
}

PqRc pq_http_start(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e)
{
    PqHttpRequest whole = *q;
    PqBuf body = {0};
    PqExchange *x;
    PqErr inside = PQ_NO_ERR;

    *out = NULL;
    if (q->body_in) {
        PQ_TRY(read_body(mem, q, &body, e));
        whole.body = pq_slice(body.p, body.n);
    }
    if (PQ_NEW(mem, x, 1, e) == PQ_OK) {
        ask(x, &whole, mem, &inside);
        *out = x;
    }
    if (q->body_in) {
        pq_buf_free(&body);
    }
    return e->rc;
}

PqHttpAnswer *pq_exchange_wait(PqExchange *x, uint32_t ms)
{
    return &x->answer;
}

void pq_exchange_free(PqExchange *x)
{
    if (x) {
        free(x->headers);
        if (x->answer.body.mem) {
            pq_buf_free(&x->answer.body);
        }
        pq_sink_close(x->answer.spool);
        pq_mem_free(x);
    }
}
