/*
** versions.h - one version of each file for a statement.
**
** A statement opens a file more than once: for its footer, for its rows, with
** another cursor, in the next run of a subquery.  In between, a writer may have
** put another file in its place, or written to it.
**
**   opened   /data/a.parquet   inode 7, 4096 bytes, 12:00:00.004   remembered
**   again    /data/a.parquet   inode 7, 4096 bytes, 12:00:00.004   the same
**   again    /data/a.parquet   inode 9, 4096 bytes, 12:00:03.250   PQ_CHANGED
**
** The first few files stay open, so the statement reads them to its end as they
** were, whatever is put in their place.  For the others only the identity is
** kept, by a hash of the path.  Two paths with the same hash would give a
** needless error, never a wrong row.
*/
#ifndef PQ_VERSIONS_H
#define PQ_VERSIONS_H

#include "core/files/places.h"

typedef struct PqVersions PqVersions;

/* places, which are copied, open the files; NULL: only local ones. */
PqRc pq_versions_new(PqMem *mem, const PqPlaces *places, PqVersions **out,
                     PqErr *e);
void pq_versions_free(PqVersions *v);                    /* v may be NULL */

/* Opens a source in mem, which the caller closes.  Several threads may call it at once. */
PqRc pq_versions_open(PqVersions *v, PqMem *mem, const char *path,
                      PqSource **out, PqErr *e);

/* See pq_remote_expect and pq_remote_has_come.  The path is a URL. */
bool pq_versions_expect(PqVersions *v, const char *path);
bool pq_versions_has_come(PqVersions *v, const char *path);

/* The number of files that were opened. */
uint32_t pq_versions_count(PqVersions *v);

/* The identity of a file that was opened; false: it was not. */
bool pq_versions_id(const PqVersions *v, const char *path, PqFileId *out);

#endif
