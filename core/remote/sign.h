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

typedef struct PqSignable {
    PqHttpMethod method;
    const char  *host;               /* with the port, if it is not the usual    */
    const char  *path;               /* encoded, from the first slash on         */
    const char  *query;              /* encoded, sorted: "a=1&b="; "": none      */
    uint32_t     first;              /* of the headers that are there, from this one
                                     ** on they are signed, too: without blanks at the
                                     ** end or side by side                      */
    PqSlice      body;
} PqSignable;

/* Adds the headers that make the request signed: Host is not among them.
** x-amz-content-sha256, x-amz-date, x-amz-security-token, x-amz-request-payer,
** Authorization.  unix_time: now, by this clock or by the server's. */
PqRc pq_sign(const PqSignable *q, const PqSecret *s, const char *region, int64_t unix_time,
             PqHeaders *h, PqErr *e);

#endif
