/*
** versions.h - one version of each file for a statement.
**
** A statement comes to a file more than once: to its footer for an order, to its
** rows, with another cursor, in the next run of a subquery.  Between two times a
** writer may have put another file in its place, or written to it.
**
**   opened   /data/a.parquet   inode 7, 4096 bytes, 12:00:00.004   remembered
**   again    /data/a.parquet   inode 7, 4096 bytes, 12:00:00.004   the same
**   again    /data/a.parquet   inode 9, 4096 bytes, 12:00:03.250   PQ_CHANGED
**
** The first few files stay open, so that these are read to the end of the
** statement as they were, whatever is put in their place.  Of the others only
** who they are is remembered, under a hash of their paths: two paths of one hash
** would be an error too many, and never a wrong row.
*/
#ifndef PQ_VERSIONS_H
#define PQ_VERSIONS_H

#include "core/base/source.h"

typedef struct PqVersions PqVersions;

PqRc pq_versions_new(PqMem *mem, PqVersions **out, PqErr *e);
void pq_versions_free(PqVersions *v);                    /* v may be NULL */

/* A source in mem, which is the caller's; v may be NULL: whatever is there. */
PqRc pq_versions_open(PqVersions *v, PqMem *mem, const char *path,
                      PqSource **out, PqErr *e);

#endif
