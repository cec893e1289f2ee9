/*
** object.h - what lies on a server, as whoever writes there asks: is it there, which
** others are, away with them.
*/
#ifndef PQ_OBJECT_H
#define PQ_OBJECT_H

#include "core/remote/remote_source.h"

typedef struct PqObject {
    bool     is_there;
    bool     is_closed;              /* the server does not say: 401, 403, 405   */
    uint64_t size;
} PqObject;

/* By a HEAD. */
PqRc pq_object_look(PqRemote *r, const PqUrl *u, const PqPatience *patience,
                    PqObject *out, PqErr *e);

/* So many deletions are in flight at most. */
enum { PQ_OBJECTS_AT_ONCE = 16 };

/* An object that is gone already is not an error.  All are asked for, unless the server has
** stopped answering, and the first error is reported.  undoes: no interrupt ends it, and
** it has less patience. */
PqRc pq_objects_delete(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes, PqErr *e);

/* The objects of a bucket whose keys begin with a prefix, page by page.  folders: what
** goes on after the next slash is seen as one folder, with that slash.  a: of the page.
** A key that does not begin with the prefix is an error. */
typedef struct PqObjectWalk {
    PqRemote     *remote;
    const PqRemoteTerms *terms;
    const PqUrl  *bucket;
    const PqStop *stop;
    const char   *prefix;
    const char   *start_after;       /* keys that are greater; NULL: all     */
    bool          folders;
    PqRc        (*see)(void *arg, const char *key, bool folder, PqArena *a, PqErr *e);
    void         *arg;
} PqObjectWalk;

PqRc pq_objects_walk(const PqObjectWalk *w, PqErr *e);

#endif
