/*
** object.h - what lies on a server, as whoever writes there asks: is it there, which
** others are, away with them.
*/
#ifndef PQ_OBJECT_H
#define PQ_OBJECT_H

#include "core/remote/remote_source.h"
#include "core/remote/s3_answer.h"

typedef struct PqObject {
    bool     is_there;
    bool     is_closed;              /* the server does not say: 401, 403, 405   */
    uint64_t size;
} PqObject;

/* By a HEAD. */
PqRc pq_object_look(PqRemote *r, const PqUrl *u, const PqPatience *patience,
                    PqObject *out, PqErr *e);

/* Objects that are gone already are no error.  All are asked for, unless the server has
** stopped to answer, and the first error is reported.  undoes: not interrupted, and with
** less patience. */
PqRc pq_objects_delete(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes,
                       PqErr *e);

/* One page of the keys of a bucket that begin with prefix, in the arena.  folders:
** what is beyond the next slash is one prefix.  token: NULL, or the page before's. */
PqRc pq_objects_page(PqRemote *r, const PqRemoteTerms *terms, const PqUrl *bucket,
                     const char *prefix, bool folders, const char *token, PqArena *a,
                     PqS3Page *out, PqErr *e);

/* A key that does not begin as it was asked for. */
PqRc pq_objects_check(const char *prefix, const char *key, PqErr *e);

#endif
