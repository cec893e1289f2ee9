/*
** sink.h - bytes on their way to a file: source.h the other way round.
**
** Appending only.  A sink gathers what is small, and hands what is large to the
** system as it is:
**
**   write 4  write 20000  write 9 MB    sync
**   [4 | 20000           ] -> file  -> file -> disk
**
** What was handed over begins its way to the disk at once instead of when the
** system finds the time, so that the wait in pq_sink_sync at the end is short.
**
** Errors are sticky: after one that failed no later call succeeds, because
** what the file holds is then unknown; a second fsync would even claim that all
** is well.  An error names the file and nothing else of the place, and says
** "no space left" where that is it.  Every write, fsync and creation passes a
** fault point (mem.h).
**
** Who writes many files side by side pauses those that have to wait: a paused
** sink has neither a descriptor nor a buffer, and its next write opens the file
** again and looks whether it is still the same.
**
** Used by one thread at a time.
*/
#ifndef PQ_SINK_H
#define PQ_SINK_H

#include "core/base/bytes.h"
#include "core/base/stop.h"

typedef struct PqSink PqSink;

/* Creates path, which must not exist, with the permissions the process gives
** its files.  shown is the name in errors and may differ from path.  Both are
** copied. */
PqRc pq_sink_create(PqMem *mem, const char *path, const char *shown,
                    PqSink **out, PqErr *e);

/* A file without a name in folder, for what does not fit into memory: the
** system takes it back when it is closed or the process ends.  Read back with
** pq_sink_read. */
PqRc pq_sink_scratch(PqMem *mem, const char *folder, PqSink **out, PqErr *e);

/* Gives up what was not flushed.  s may be NULL. */
void     pq_sink_close(PqSink *s);
PqRc     pq_sink_write(PqSink *s, const void *p, size_t n, PqErr *e);
uint64_t pq_sink_offset(const PqSink *s);            /* bytes so far */

/* Hands everything over and starts it for the disk. */
PqRc     pq_sink_flush(PqSink *s, PqErr *e);
PqRc     pq_sink_sync(PqSink *s, PqErr *e);          /* flush and fsync */

/* Hands everything over, and gives back the descriptor and the memory until s is
** used again.  Not for a scratch file, which has no name to be opened by. */
PqRc     pq_sink_pause(PqSink *s, PqErr *e);

/* Waits in steps until what was flushed is on the disk, so that pq_sink_sync,
** which nobody can interrupt, has little left to do.  It replaces nothing: only
** fsync makes the file safe.  stop may be NULL. */
PqRc     pq_sink_settle(PqSink *s, const PqStop *stop, PqErr *e);

/* n bytes that were written before. */
PqRc pq_sink_read(PqSink *s, uint64_t offset, size_t n, void *out, PqErr *e);

/* For whoever sets permissions: the sink keeps it.  -1 while it is paused. */
int  pq_sink_descriptor(const PqSink *s);

/* What the system refused, in words: "shown: what: no space left".  For those
** who make, rename and remove files beside writing them. */
PqRc pq_sink_refused(const char *shown, const char *what, int err, PqErr *e);

#endif
