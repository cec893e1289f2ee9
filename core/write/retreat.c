/*
** retreat.c - one job in a thread of its own.
**
** Nothing of the copy may be used after it was handed over.  The thread ends
** with its pool, which only pq_retreat_wait frees.  If no thread can be
** started, the caller does the job.
*/
#include "core/write/retreat.h"

#include "core/base/pool.h"

struct PqRetreat {
    PqJob      job;
    PqPool    *pool;
    PqPublish *publish;
    PqSink    *scratch;
    PqRetreat *before;
};

static void remove_all(PqJob *job, int thread)
{
    PqRetreat *r = (PqRetreat *)job;         /* its first member */

    (void)thread;
    pq_publish_free(r->publish);
    pq_sink_close(r->scratch);
    pq_retreat_wait(r->before);
}

static void end(PqRetreat *r)
{
    pq_pool_free(r->pool);
    pq_mem_free(r);
}

static PqRetreat *begin(PqMem *mem, PqPublish *p, PqSink *scratch,
                        PqRetreat *before)
{
    PqErr ignored;
    PqRetreat *r;

    pq_err_init(&ignored);
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

bool pq_retreat_wait_for(PqRetreat *r, unsigned ms)
{
    bool done = !r || pq_pool_wait_for_thread(r->pool, &r->job, ms);

    if (r && done) {
        end(r);
    }
    return done;
}

void pq_retreat_wait(PqRetreat *r)
{
    while (!pq_retreat_wait_for(r, 60000)) {
    }
}

PqRetreat *pq_retreat(PqMem *mem, PqPublish *p, PqSink *scratch,
                      PqRetreat *before, unsigned ms)
{
    PqRetreat *r = begin(mem, p, scratch, before);

    if (!r) {
        pq_publish_free(p);
        pq_sink_close(scratch);
        return before;
    }
    return pq_retreat_wait_for(r, ms) ? NULL : r;
}
