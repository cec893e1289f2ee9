/*
** pipe.h - what comes out of pipes, as files.
**
**   mkfifo p; gzip -dc x.gz > p &        p, -, /dev/stdin, /dev/fd/63
**   [bytes] [bytes] ... closed    ->     a file without a name
**
** A pipe gives its bytes once.  So it is read once, to its end, and what came stays
** until the connection ends: the next statement, and another name of the same pipe,
** find the same bytes.  Reading that was interrupted goes on where it was.  Other
** connections of the process find the pipe empty.
**
** A pipe is read when it is listed, because then somebody waits who can be interrupted.
** Opening it later finds the file.
*/
#ifndef PQ_PIPE_H
#define PQ_PIPE_H

#include "core/base/source.h"
#include "core/base/stop.h"

#include <stdatomic.h>

/* Of a connection; newest is NULL at first.  One thread reads pipes; all may open what
** was read. */
typedef struct PqPipes {
    PqMem         *mem;
    struct PqPipe *_Atomic newest;
} PqPipes;

void pq_pipes_free(PqPipes *p);

extern const char pq_path_of_stdin[];

/* Reads a pipe to its end, unless it was read before.  path: of a FIFO, or
** pq_path_of_stdin if it is one, or a socket.  PQ_UNSUPPORTED: more than `most` bytes
** come. */
PqRc pq_pipes_read(PqPipes *p, const char *path, uint64_t most, const PqStop *stop, PqErr *e);

/* What was read; *out NULL: nothing was, or it is not a pipe. */
PqRc pq_pipes_open(PqPipes *p, PqMem *mem, const char *path, PqSource **out, PqErr *e);

#endif
