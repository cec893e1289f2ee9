/*
** access.h - what a connection may ask of which servers: secrets and trust.
**
**   s3://               provider env: AWS_* and ~/.aws
**   s3://bucket/        key_id, secret, region       <- of s3://bucket/a.parquet: the
**   https://a.org/      bearer_token                    longest prefix wins
**   allowed: https://data.example.org/
**
** Secrets are kept in memory of their own that is wiped (secret.h), and are handed
** out only to sign a request to a URL below their prefix.
*/
#ifndef PQ_ACCESS_H
#define PQ_ACCESS_H

#include "core/remote/http.h"
#include "core/remote/url.h"

typedef struct PqAccess PqAccess;

PqRc pq_access_new(PqMem *mem, PqAccess **out, PqErr *e);
void pq_access_free(PqAccess *x);                        /* x may be NULL */

/* Members of a secret; a text that is not given is "". */
typedef struct PqSecret {
    const char *key_id, *secret, *session_token, *region, *endpoint, *url_style;
    bool        ssl, requester_pays;
    const char *bearer_token, *user, *password, *ca_file, *proxy;
    const char *const *headers;      /* "Name: value", at most PQ_SECRET_HEADERS */
    uint32_t    n_headers;
} PqSecret;

/* The secret of a prefix, out of a JSON object; it replaces an earlier one.  json
** NULL forgets it.  PQ_USAGE names a member that is not known, and never shows a
** value. */
PqRc pq_access_put(PqAccess *x, const char *prefix, const PqSlice *json, PqErr *e);
PqRc pq_access_allow(PqAccess *x, const char *prefix, PqErr *e);

/* What belongs to a URL: the members of the secret with the longest prefix, and
** for a provider env what the environment and ~/.aws say now.  Texts live in *out
** until pq_access_release, which wipes them. */
typedef struct PqGrant {
    PqSecret       s;
    struct PqHeld *held;             /* NULL: no secret has such a prefix        */
    PqArena        texts;            /* that were found                          */
} PqGrant;

PqRc pq_access_grant(PqAccess *x, const PqUrl *u, PqGrant *out, PqErr *e);
void pq_access_release(PqGrant *g);

/* May a URL be asked?  own: this connection named the URL itself, in a statement or
** a call; otherwise the URL comes out of a schema.  PQ_USAGE says what to call. */
PqRc pq_access_check(PqAccess *x, const PqUrl *u, bool own, PqErr *e);

/* May this address (of 4 or 16 bytes) be connected to, for a URL that was checked?
** A name may lead anywhere.  Where it leads to a link-local address, that address has
** to be allowed: http://name/ is not enough, because its owner could lead it there
** later.  access: a PqAccess. */
bool pq_access_may_connect(void *access, const uint8_t *address, size_t n);

#endif
