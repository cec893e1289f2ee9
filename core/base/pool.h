/*
** pool.h - a few threads that work ahead of the reader.
**
** A job is queued, and later waited for.  If no thread has begun it by then,
** the waiting thread takes it out of the queue and runs it.  So nothing ever
** waits for a thread that does not come (with one processor, or after a fork,
** there is none), and a pool without threads is slow but not broken.
**
**   queue:  [job] -> [job] -> [job]        oldest first
**            ^ a thread takes it            ^ pq_pool_wait_for takes it
**
** Threads are started when the first job comes and stopped by pq_pool_free.
** They block every signal: an interrupt belongs to the host's own threads.
*/
#ifndef PQ_POOL_H
#define PQ_POOL_H

#include "core/base/mem.h"

#include <pthread.h>

enum { PQ_POOL_THREADS = 8 };            /* at most */

typedef enum PqJobState { PQ_JOB_NONE, PQ_JOB_QUEUED, PQ_JOB_RUNNING,
                          PQ_JOB_DONE } PqJobState;

typedef struct PqJob PqJob;
struct PqJob {
    /* thread: the number of the pool's thread; -1 for the waiting thread. */
    void     (*run)(PqJob *job, int thread);
    PqJob     *next;
    PqJobState state;
};

/* Starts a thread of those, also one that belongs to no pool. */
bool pq_pool_start_thread(pthread_t *out, void *(*run)(void *), void *arg);

typedef struct PqPool PqPool;

PqRc pq_pool_new(PqMem *mem, unsigned n_threads, PqPool **out, PqErr *e);

/* From the next job on the pool has at least n_threads. */
void pq_pool_grow(PqPool *p, unsigned n_threads);

/* Waits for running jobs.  Queued ones must have been waited for before. */
void pq_pool_free(PqPool *p);                            /* p may be NULL */

/* job must stay where it is until it was waited for. */
void pq_pool_add(PqPool *p, PqJob *job);

/* Returns true when the job is done, and makes it PQ_JOB_NONE again.  Waits at
** most ms for a thread that has begun the job.  Returns false when the job is
** not done; then it must still be waited for. */
bool pq_pool_wait_for(PqPool *p, PqJob *job, unsigned ms);

/* The same, but the caller runs the job itself only when there are no
** threads. */
bool pq_pool_wait_for_thread(PqPool *p, PqJob *job, unsigned ms);

/* Waits at most ms until one of these jobs is done, makes it PQ_JOB_NONE, and
** returns its number; -1: none is.  Those that are PQ_JOB_NONE are passed over. */
int pq_pool_wait_for_any(PqPool *p, PqJob *const *jobs, uint32_t n,
                         unsigned ms);

/* How many threads are useful beside the host's own. */
unsigned pq_pool_spare_processors(void);

#endif
