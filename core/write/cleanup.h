/*
** cleanup.h - removes in the background what an interrupted copy made.
**
** A file system needs some time to remove ten thousand names, or a file of
** gigabytes that is still on its way to the disk.  Somebody who has pressed
** Ctrl-C should not wait that long, so a thread does it.
**
**   interrupted -> pq_cleanup -> the statement ends, after ms at the latest
**                      |
**                      thread: names, folders, lock ... -> pq_cleanup_wait
**
** Until it is done, the temporary files and their lock are still there, as
** while a copy runs.
*/
#ifndef PQ_CLEANUP_H
#define PQ_CLEANUP_H

#include "core/write/publish.h"

typedef struct PqCleanup PqCleanup;

/* Does pq_publish_free(p) and pq_sink_close(scratch); either may be NULL.
** Returns NULL when all is removed within ms.  Otherwise it returns a cleanup
** that must be waited for.  before, or NULL, is an earlier one that is not
** done; the new one includes it.  Without a thread the call takes as long as
** the removal does. */
PqCleanup *pq_cleanup(PqMem *mem, PqPublish *p, PqSink *scratch,
                      PqCleanup *before, unsigned ms);

/* Waits, and frees r, which may be NULL. */
void pq_cleanup_wait(PqCleanup *r);

/* False when it is not done after ms; it must still be waited for. */
bool pq_cleanup_wait_for(PqCleanup *r, unsigned ms);

#endif
