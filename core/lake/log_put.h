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

/* MADE: name is there from now on, with what temp has.  TAKEN: somebody has it; a link never
** replaces, unless that is wanted. */
PqRc pq_log_put(const char *temp, const char *name, bool replaces, PqObjectMade *made, PqErr *e);

/* The same of an object. */
PqRc pq_log_put_far(const PqPlaces *places, PqMem *mem, const char *url, PqSlice bytes,
                    bool replaces, PqObjectMade *made, PqErr *e);

/* Removes from a log on a disk what writers that were killed have left, a day ago or more. */
void pq_log_remove_stale(const char *folder);

/* Milliseconds since 1970. */
int64_t pq_log_now(void);

/* A random UUID (version 4) as a text. */
PqRc pq_log_uuid(PqBuf *out, PqErr *e);

#endif
