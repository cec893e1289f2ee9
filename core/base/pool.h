/*
** pool.h - a few threads that do what will be needed soon.
**
** A job is queued, and later waited for.  Whoever waits for a job that no
** thread has begun takes it out of the queue and does it himself: so nothing
** ever waits for a thread that does not come (there may be none: one
** processor, a process that forked), and a pool without threads is a slow
** pool, not a broken one.
**
**   queue:  [job] -> [job] -> [job]        oldest first
**            ^ a thread takes it            ^ pq_pool_wait takes it
**
** Threads are started when the first job comes and stopped by pq_pool_free.
** They block every signal: an interrupt belongs to the host's own threads.
*/
#ifndef PQ_POOL_H
#define PQ_POOL_H

#include "core/base/mem.h"

enum { PQ_POOL_THREADS = 8 };            /* at most */

typedef enum PqJobState { PQ_JOB_NONE, PQ_JOB_QUEUED, PQ_JOB_RUNNING,
                          PQ_JOB_DONE } PqJobState;

typedef struct PqJob PqJob;
struct PqJob {
    /* thread: which of the pool's, or -1: the one that waits. */
    void     (*run)(PqJob *job, int thread);
    PqJob     *next;
    PqJobState state;
};

typedef struct PqPool PqPool;

PqRc pq_pool_new(PqMem *mem, unsigned n_threads, PqPool **out, PqErr *e);

/* At least n_threads from the next job on. */
void pq_pool_grow(PqPool *p, unsigned n_threads);

/* Waits for the job at hand; queued ones must be waited for before. */
void pq_pool_free(PqPool *p);                            /* p may be NULL */

/* job stays until it was waited for. */
void pq_pool_add(PqPool *p, PqJob *job);

/* Returns when the job is done, and makes it PQ_JOB_NONE again. */
void pq_pool_wait(PqPool *p, PqJob *job);

/* The same, but a thread that has begun the job is given only so long: false
** when it is not done, and is still to be waited for. */
bool pq_pool_wait_for(PqPool *p, PqJob *job, unsigned ms);

/* The same for who has no time: the job is left to the threads, if there is
** one. */
bool pq_pool_leave_for(PqPool *p, PqJob *job, unsigned ms);

/* How many threads are worth having beside the host's own. */
unsigned pq_pool_spare_processors(void);

#endif
