/*
** target.h - where a URL of S3 or http is asked for: the URL that goes over the wire.
**
**   s3://bucket/a=1/x.parquet, region eu-west-1
**     https://bucket.s3.eu-west-1.amazonaws.com/a%3D1/x.parquet
**   ... endpoint localhost:9000, use_ssl false
**     http://localhost:9000/bucket/a%3D1/x.parquet
*/
#ifndef PQ_TARGET_H
#define PQ_TARGET_H

#include "core/remote/access.h"

typedef struct PqTarget {
    const char *url;                 /* whole                                    */
    const char *host, *path, *query; /* as they are signed                       */
    const char *region;
} PqTarget;

bool pq_target_may_be_region(const char *text);

/* region "": what the secret says, or the usual one.  query: encoded, or NULL. */
PqRc pq_target_make(PqArena *a, const PqUrl *u, const PqSecret *s,
                    const char *region, const char *query, PqTarget *out, PqErr *e);

#endif
