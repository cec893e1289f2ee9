/*
** sink.h - a file that is being written: the counterpart of source.h.
**
** A sink only appends.  It gathers small writes in a buffer and passes large
** ones to the system as they are:
**
**   write 4  write 20000  write 9 MB    sync
**   [4 | 20000           ] -> file  -> file -> disk
**
** The system is told to start writing to disk at once, not when it finds the
** time, so that the wait in pq_sink_sync at the end is short.
**
** Errors are sticky: after a call that failed no later call succeeds, because
** what the file holds is then unknown.  A second fsync would even report
** success.  An error names the file but no other place, and says "no space
** left" when that is the reason.  Every write, fsync and creation passes a
** fault point (mem.h).
**
** A writer of many files at a time pauses those that have to wait.  A paused
** sink has neither a descriptor nor a buffer.  Its next write opens the file
** again and checks that it is still the same one.
**
** What goes to the file may be turned into something else on the way, and back
** when it is read: pq_sink_turn.  Then all of it passes through the buffer.
**
** Used by one thread at a time.
*/
#ifndef PQ_SINK_H
#define PQ_SINK_H

#include "core/base/bytes.h"
#include "core/base/stop.h"

typedef struct PqSink PqSink;

/* Creates path, which must not exist, with the process's default permissions.
** shown is the name in errors and may differ from path.  Both are copied. */
PqRc pq_sink_create(PqMem *mem, const char *path, const char *shown,
                    PqSink **out, PqErr *e);

/* What is written comes to the end of a buffer.  It is not read back by the sink. */
PqRc pq_sink_memory(PqMem *mem, const char *shown, PqBuf *to, PqSink **out, PqErr *e);

/* A file without a name in folder, for what does not fit into memory.  The
** system removes it when it is closed or the process ends.  pq_sink_read reads
** it back. */
PqRc pq_sink_scratch(PqMem *mem, const char *folder, PqSink **out, PqErr *e);

/* Turns n bytes at p, which lie at offset in the file, in place: from what was
** written to what the file holds, and from that to what is read.  It is its own
** inverse, like a cipher that adds a stream. */
typedef struct PqSinkTurn {
    PqRc (*turn)(void *arg, uint64_t offset, uint8_t *p, size_t n, PqErr *e);
    void (*release)(void *arg);      /* when the sink is closed              */
    void  *arg;
} PqSinkTurn;

/* Before the first write. */
void pq_sink_turn(PqSink *s, PqSinkTurn turn);

/* What was not flushed is lost.  s may be NULL. */
void     pq_sink_close(PqSink *s);
PqRc     pq_sink_write(PqSink *s, const void *p, size_t n, PqErr *e);
uint64_t pq_sink_offset(const PqSink *s);            /* bytes so far */

/* Passes everything to the system and starts writing it to disk. */
PqRc     pq_sink_flush(PqSink *s, PqErr *e);
PqRc     pq_sink_sync(PqSink *s, PqErr *e);          /* flush and fsync */

/* Flushes, then frees the descriptor and the buffer until s is used again.  Not
** for a scratch file: without a name it cannot be opened again. */
PqRc     pq_sink_pause(PqSink *s, PqErr *e);

/* Waits in steps until what was flushed is on the disk.  Then pq_sink_sync,
** which cannot be interrupted, has little left to do.  It is still needed: only
** fsync makes the file safe.  stop may be NULL. */
PqRc     pq_sink_settle(PqSink *s, const PqStop *stop, PqErr *e);

/* n bytes that were written before. */
PqRc pq_sink_read(PqSink *s, uint64_t offset, size_t n, void *out, PqErr *e);

/* For setting permissions.  The sink still owns it.  -1 while it is paused. */
int  pq_sink_descriptor(const PqSink *s);

/* Reports an errno as "shown: what: no space left".  Also for callers that
** create, rename and remove files. */
PqRc pq_sink_refused(const char *shown, const char *what, int err, PqErr *e);

#endif
