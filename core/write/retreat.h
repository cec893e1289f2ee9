/*
** retreat.h - what an interrupted copy made is removed behind its caller's back.
**
** A file system takes a while to forget ten thousand names, or a file of some
** gigabytes that is on its way to the disk: longer than somebody who has
** pressed Ctrl-C should wait.  So a thread does it.
**
**   interrupted -> pq_retreat -> the statement ends, after ms at the latest
**                      |
**                      thread: names, folders, lock ... -> pq_retreat_wait
**
** Until it is done the temporary names are there, with the lock beside them: the
** state that any other process sees anyway while a copy runs.
*/
#ifndef PQ_RETREAT_H
#define PQ_RETREAT_H

#include "core/write/publish.h"

typedef struct PqRetreat PqRetreat;

/* pq_publish_free(p) and pq_sink_close(scratch), either may be NULL.  What is
** returned is not done after ms and must be waited for; NULL: all is gone.
** before, or NULL, is one that is not done either: it is part of this one then.
** Where there is no thread to be had that takes as long as it takes. */
PqRetreat *pq_retreat(PqMem *mem, PqPublish *p, PqSink *scratch,
                      PqRetreat *before, unsigned ms);

/* r is gone then; it may be NULL. */
void pq_retreat_wait(PqRetreat *r);

/* False: it is not done after ms, and is still to be waited for. */
bool pq_retreat_wait_for(PqRetreat *r, unsigned ms);

#endif
