/*
** http_absent.c - stands in for http.c, http_exchange.c and curl_library.c in a build
** without libcurl.  Nobody gets a PqHttp here, so nothing is ever sent.
*/
#include "core/remote/http.h"

PqRc pq_http_ready(PqMem *mem, PqHttp **h, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "this build was made without libcurl, so it reads "
                   "no files on servers");
}

void pq_http_free(PqHttp *h)
{
}

const bool pq_http_has_parts = false;

PqRc pq_http_start(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e)
{
    return PQ_UNSUPPORTED;
}

PqHttpAnswer *pq_exchange_wait(PqExchange *x, uint32_t ms)
{
    return NULL;
}

void pq_exchange_free(PqExchange *x)
{
}
