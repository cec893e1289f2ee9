/*
** remote.h - what a connection keeps to ask servers: secrets and trust, libcurl, the
** regions of buckets, and what it has learned of files.
**
** It is made with the connection and costs nothing until the first URL.  Waiting is
** interrupted through `stop`, which is asked on the host's own threads only; other
** threads look at the flag of their scan.
*/
#ifndef PQ_REMOTE_H
#define PQ_REMOTE_H

#include "core/base/stop.h"
#include "core/remote/access.h"
#include "core/remote/http.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PQ_KNOWN_LISTS = 1024 };

typedef struct PqRemote {
    PqMem           *mem;            /* of blocks: its limit is theirs      */
    PqAccess        *access;
    PqStop           stop;
    _Atomic pthread_t host;          /* the thread that may ask stop        */
    pthread_mutex_t  lock;           /* of http and known                   */
    PqHttp          *http;           /* NULL until the first request        */
    struct PqKnown  *known[PQ_KNOWN_LISTS];  /* of files and buckets, by
                                     ** their names; newest first           */
    uint64_t         seed;           /* of the numbers in names             */
    pthread_mutex_t  block_lock;     /* of the next three                   */
    struct PqRemoteFile *files;      /* open, or kept for the next statement;
                                     ** newest first: remote_source.c       */
    struct PqRemoteFile *expected;   /* their ends were asked for           */
    uint64_t         n_uses;         /* of blocks                           */
    _Atomic uint64_t requests, retries;
    _Atomic int64_t  ns_waiting;
    _Atomic int64_t  undo_end;       /* in ms of the clock                  */
    _Atomic bool     is_closing;
} PqRemote;

PqRc pq_remote_new(PqRemote **out, PqErr *e);
void pq_remote_free(PqRemote *r);                        /* r may be NULL */

/* The thread that calls may ask r->stop from now on. */
void pq_remote_enter(PqRemote *r);

/* libcurl, loaded when it is needed first. */
PqRc pq_remote_http(PqRemote *r, PqHttp **out, PqErr *e);

/* Whoever undoes what was begun gives this in the place of a scan's flag.  No interrupt
** ends such a wait.  undo_end does, and it comes earlier once the connection is being
** closed. */
extern const _Atomic bool pq_remote_undoes;

void pq_remote_undo_begin(PqRemote *r);
void pq_remote_close(PqRemote *r);

/* PQ_STOPPED when the statement was interrupted.  stopped: the flag of a scan, or
** NULL. */
PqRc pq_remote_poll(PqRemote *r, const _Atomic bool *stopped, PqErr *e);

/* Waits so long, in steps.  PQ_STOPPED likewise. */
PqRc pq_remote_pause(PqRemote *r, const _Atomic bool *stopped, uint32_t ms, PqErr *e);

/* ---- what was learned ---- */

/* What is known of a name, as a text; "": nothing.  That may be the region of a bucket,
** the size and version of a file when it was last seen, the URL that a name stands for, or
** whether a host takes several ranges.  What was not used for longest
** is forgotten, unless somebody holds it. */
typedef enum PqKnowledge {
    PQ_KNOWN_REGION, PQ_KNOWN_VERSION, PQ_KNOWN_URL, PQ_KNOWN_PARTS
} PqKnowledge;

PqRc pq_remote_recall(PqRemote *r, PqKnowledge what, const char *name, PqArena *a,
                      const char **out, PqErr *e);
PqRc pq_remote_learn(PqRemote *r, PqKnowledge what, const char *name, const char *text, PqErr *e);

/* The name of a URL: this one, or if another URL has that, this one with a number.  It has
** one holder more.  shown lies in the arena. */
PqRc pq_remote_name(PqRemote *r, const char *shown, const char *url, PqArena *a,
                    const char **out, PqErr *e);

/* Adds or removes a holder of the name of a URL.  False: it stands for none.  What a name
** stands for is known as long as it has a holder. */
bool pq_remote_hold(PqRemote *r, const char *name, bool holds);

#endif
