/*
** retreat.h - removes in the background what an interrupted copy made.
**
** A file system needs some time to remove ten thousand names, or a file of
** gigabytes that is still on its way to the disk.  Somebody who has pressed
** Ctrl-C should not wait that long, so a thread does it.
**
**   interrupted -> pq_retreat -> the statement ends, after ms at the latest
**                      |
**                      thread: names, folders, lock ... -> pq_retreat_wait
**
** Until it is done, the temporary files and their lock are still there, as
** while a copy runs.
*/
#ifndef PQ_RETREAT_H
#define PQ_RETREAT_H

#include "core/write/publish.h"

typedef struct PqRetreat PqRetreat;

/* Does pq_publish_free(p) and pq_sink_close(scratch); either may be NULL.
** Returns NULL when all is removed within ms.  Otherwise it returns a retreat
** that must be waited for.  before, or NULL, is an earlier one that is not
** done; the new one includes it.  Without a thread the call takes as long as
** the removal does. */
PqRetreat *pq_retreat(PqMem *mem, PqPublish *p, PqSink *scratch,
                      PqRetreat *before, unsigned ms);

/* Waits, and frees r, which may be NULL. */
void pq_retreat_wait(PqRetreat *r);

/* False when it is not done after ms; it must still be waited for. */
bool pq_retreat_wait_for(PqRetreat *r, unsigned ms);

#endif
