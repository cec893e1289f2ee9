/*
** log_put.h - a new file in a log, by a name that nobody else gets.
*/
#ifndef PQ_LOG_PUT_H
#define PQ_LOG_PUT_H

#include "core/base/arena.h"

/* 0: name is there from now on, with what temp has.  Else errno; EEXIST: somebody has it.  A
** link never replaces. */
int pq_log_put(const char *temp, const char *name);

/* Milliseconds since 1970. */
int64_t pq_log_now(void);

/* A random UUID (version 4) as a text. */
PqRc pq_log_uuid(PqBuf *out, PqErr *e);

#endif
