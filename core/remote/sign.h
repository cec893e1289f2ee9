/*
** sign.h - AWS Signature Version 4, over libcrypto.
**
**   key      HMAC chain of secret, day, region, "s3", "aws4_request"
**   message  hash of: method, path, query, headers in order, hash of the body
**
** Everything that is signed is given here as it is sent: the caller has encoded
** path and query (url.h).  Keys with '=', '+', '%' or "//" are signed as they are,
** where other signers normalise the path and fail.
*/
#ifndef PQ_SIGN_H
#define PQ_SIGN_H

#include "core/remote/access.h"
#include "core/remote/http.h"

typedef struct PqSignable {
    PqHttpMethod method;
    const char  *host;               /* with the port, if it is not the usual    */
    const char  *path;               /* encoded, from the first slash on         */
    const char  *query;              /* encoded, sorted: "a=1&b="; "": none      */
    const char *const *headers;      /* "Name: value": further ones to sign, without
                                     ** blanks at the end or side by side        */
    uint32_t     n_headers;
    PqSlice      body;
} PqSignable;

/* Adds to `out` the headers that make the request signed: Host is not among them.
** x-amz-date, x-amz-content-sha256, x-amz-security-token, x-amz-request-payer,
** Authorization.  unix_time: now, by this clock or by the server's. */
enum { PQ_SIGN_HEADERS = 5 };
PqRc pq_sign(const PqSignable *q, const PqSecret *s, const char *region, int64_t unix_time,
             PqArena *a, const char *out[PQ_SIGN_HEADERS], uint32_t *n_out, PqErr *e);

#endif
