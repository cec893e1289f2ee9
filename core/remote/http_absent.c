/*
** http_absent.c - stands in for http.c, http_exchange.c and curl_library.c in a build
** without libcurl.  Nobody gets a PqHttp here, so nothing is ever sent.
*/
#include "core/remote/http.h"

PqRc pq_http_new(PqMem *mem, PqHttp **out, PqErr *e)
{
    *out = NULL;
    return pq_fail(e, PQ_UNSUPPORTED, "this build was made without libcurl, so it reads "
                   "no files on servers");
}

void pq_http_free(PqHttp *h)
{
}

const bool pq_http_has_parts = false;

bool pq_http_is_forked(const PqHttp *h)
{
    return false;
}

PqRc pq_http_start(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e)
{
    return PQ_UNSUPPORTED;
}

PqHttpOutcome pq_exchange_wait(PqExchange *x, uint32_t ms)
{
    return PQ_HTTP_FAILED;
}

PqHttpAnswer *pq_exchange_answer(PqExchange *x)
{
    return NULL;
}

void pq_exchange_free(PqExchange *x)
{
}
