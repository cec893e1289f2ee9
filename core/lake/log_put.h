/*
** log_put.h - a new file in a log, by a name that nobody else gets.
*/
#ifndef PQ_LOG_PUT_H
#define PQ_LOG_PUT_H

#include "core/files/places.h"
#include "core/remote/object.h"

/* A new file, synced if it has bytes.  shown: its name in messages.  An error that e has already is
** one of this too. */
PqRc pq_log_write(PqMem *mem, const char *path, const char *shown, PqSlice bytes, PqErr *e);

/* The name of a temporary file of a log: FOLDER/.KIND.UUID.tmp. */
const char *pq_log_temp(PqArena *a, const char *folder, const char *kind, PqErr *e);

/* A file of a log, on a disk or in a bucket, which is there whole.  MADE: it has these bytes.
** TAKEN: somebody has the name, and is not replaced, unless that is wanted. */
PqRc pq_log_put(const PqPlaces *places, PqArena *a, const char *name, const char *kind,
                PqSlice bytes, bool replaces, PqObjectMade *made, PqErr *e);

/* Removes from a log on a disk what writers that were killed have left, a day ago or more. */
void pq_log_remove_stale(const char *folder);

/* Milliseconds since 1970. */
int64_t pq_log_now(void);

/* A random UUID (version 4) as a text. */
const char *pq_log_uuid(PqArena *a, PqErr *e);

#endif
