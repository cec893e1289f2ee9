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
    bool     is_same;                /* it was compared with bytes               */
    uint64_t size;
} PqObject;

/* By a HEAD. */
PqRc pq_object_look(PqRemote *r, const PqUrl *u, const PqRemoteTerms *terms,
                    PqObject *out, PqErr *e);

/* UNKNOWN only with an error: the answer was lost, so the object may be there, or come. */
typedef enum PqObjectMade { PQ_OBJECT_NOT_MADE, PQ_OBJECT_MADE, PQ_OBJECT_TAKEN,
                            PQ_OBJECT_UNKNOWN } PqObjectMade;

/* Makes a small object if there is none of its name (If-None-Match: *).  replaces: or else
** replaces it.  TAKEN: there is one with other bytes.  One with the same bytes is ours, whose
** answer was lost. */
PqRc pq_object_make(PqRemote *r, const PqUrl *u, PqSlice body, bool replaces,
                    const PqRemoteTerms *terms, PqObjectMade *out, PqErr *e);

/* So many deletions are in flight at most. */
enum { PQ_OBJECTS_AT_ONCE = 16 };

/* An object that is gone already is not an error.  All are asked for, unless the server has
** stopped answering, and the first error is reported.  undoes: no interrupt ends it, and
** it has less patience. */
PqRc pq_objects_delete(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes, PqErr *e);

/* The objects of a bucket whose keys begin with the path of a URL, page by page.  folders: what
** goes on after the next slash is seen as one folder, with that slash.  a: of the page.
** A key that does not begin with the prefix is an error. */
typedef struct PqObjectWalk {
    PqRemote     *remote;
    const PqRemoteTerms *terms;
    const PqUrl  *below;
    const PqStop *stop;
    const char   *start_after;       /* keys that are greater; NULL: all     */
    bool          folders;
    uint32_t     *n_pages;           /* are counted here; or NULL            */
    PqRc        (*see)(void *arg, const char *key, bool folder, PqArena *a, PqErr *e);
    void         *arg;
} PqObjectWalk;

PqRc pq_objects_walk(const PqObjectWalk *w, PqErr *e);

#endif
