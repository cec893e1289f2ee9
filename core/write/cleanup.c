/*
** cleanup.c - one job in a thread of its own.
**
** Nothing of the copy may be used after it was handed over.  The thread ends
** with its pool, which only pq_cleanup_wait frees.  If no thread can be
** started, the caller does the job.
*/
#include "core/write/cleanup.h"

#include "core/base/pool.h"

struct PqCleanup {
    PqJob      job;
    PqPool    *pool;
    PqPublish *publish;
    PqSink    *scratch;
    PqCleanup *before;
};

static void remove_all(PqJob *job, int thread)
{
    PqCleanup *r = (PqCleanup *)job;         /* its first member */

    pq_publish_free(r->publish);
    pq_sink_close(r->scratch);
    pq_cleanup_wait(r->before);
}

static void end(PqCleanup *r)
{
    pq_pool_free(r->pool);
    pq_mem_free(r);
}

static PqCleanup *begin(PqMem *mem, PqPublish *p, PqSink *scratch,
                        PqCleanup *before)
{
    PqErr ignored = PQ_NO_ERR;
    PqCleanup *r;

    r = pq_mem_zeros(mem, 1, sizeof *r, &ignored);
    if (!r) {
        return NULL;
    }
    if (pq_pool_new(mem, 1, &r->pool, &ignored) != PQ_OK) {
        pq_mem_free(r);
        return NULL;
    }
    r->publish = p;
    r->scratch = scratch;
    r->before = before;
    r->job.run = remove_all;
    pq_pool_add(r->pool, &r->job);
    return r;
}

bool pq_cleanup_wait_for(PqCleanup *r, unsigned ms)
{
    bool done = !r || pq_pool_wait_for_thread(r->pool, &r->job, ms);

    if (r && done) {
        end(r);
    }
    return done;
}

void pq_cleanup_wait(PqCleanup *r)
{
    while (!pq_cleanup_wait_for(r, 60000)) {
    }
}

PqCleanup *pq_cleanup(PqMem *mem, PqPublish *p, PqSink *scratch,
                      PqCleanup *before, unsigned ms)
{
    PqCleanup *r = begin(mem, p, scratch, before);

    if (!r) {
        pq_publish_free(p);
        pq_sink_close(scratch);
        return before;
    }
    return pq_cleanup_wait_for(r, ms) ? NULL : r;
}
