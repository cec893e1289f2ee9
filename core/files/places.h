/*
** places.h - where files come from: the local machine, a server, the host.
**
**   data/a.parquet, file:///data/a.parquet       source.h
**   https://..., s3://...                        remote_source.h
**   blob:main.files.body.7                       the host, which has the database
**   -, /dev/stdin, a FIFO                        pipe.h
**
** A path is opened here, and nothing above cares which of these it is.
*/
#ifndef PQ_PLACES_H
#define PQ_PLACES_H

#include "core/base/arena.h"
#include "core/base/pipe.h"
#include "core/remote/remote_source.h"

/* A file that is its bytes. */
typedef struct PqPlacesFile {
    const char *path;
    PqSlice     bytes;
} PqPlacesFile;

typedef struct PqPlaces {
    PqRemote     *remote;            /* NULL: no server is asked            */
    PqRemoteTerms terms;
    PqPipes      *pipes;             /* NULL: none is read; else there is a
                                     ** remote, which is asked when to stop */
    /* Opens a path that begins with "blob:"; NULL: there is no database.   */
    PqRc        (*open_blob)(void *arg, PqMem *mem, const char *path,
                             PqSource **out, PqErr *e);
    void         *arg;
    PqSlice       bytes;             /* a file itself: pq_path_of_bytes      */
    const PqPlacesFile *own;         /* ... and others                       */
    uint32_t      n_own;
} PqPlaces;

extern const char pq_path_of_bytes[];

/* Is it a file of its own, whatever characters it has?  Then it is neither a
** folder nor a glob of this machine. */
bool pq_places_is_file(const PqPlaces *p, const char *path);

/* Is it of the host, which is asked on its own thread only? */
bool pq_places_is_blob(const char *path);

/* What a path is called from here on: without what a message must not show, and
** a local path in the place of a file: URL.  In the arena, or the path itself.  It
** can be opened until it is let go. */
PqRc pq_places_name(const PqPlaces *p, PqArena *a, const char *path,
                    const char **out, PqErr *e);
void pq_places_let_go(const PqPlaces *p, const char *name);

/* Reads a pipe, so that it can be opened. */
PqRc pq_places_read_pipe(const PqPlaces *p, const char *path, PqErr *e);

/* p may be NULL: only local files are opened. */
PqRc pq_places_open(const PqPlaces *p, PqMem *mem, const char *path,
                    PqSource **out, PqErr *e);

#endif
