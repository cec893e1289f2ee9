/*
** retreat.c - one job, in a thread of its own.
*/
#include "core/write/retreat.h"

#include "core/base/pool.h"

struct PqRetreat {
    PqJob      job;
    PqPool    *pool;
    PqPublish *publish;
    PqSink    *scratch;
};

static void remove_all(PqJob *job, int thread)
{
    PqRetreat *r = (PqRetreat *)job;         /* its first member */

    (void)thread;
    pq_publish_free(r->publish);
    pq_sink_close(r->scratch);
}

static void end(PqRetreat *r)
{
    pq_pool_free(r->pool);
    pq_mem_free(r);
}

static PqRetreat *begin(PqMem *mem, PqPublish *p, PqSink *scratch)
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
    r->job.run = remove_all;
    pq_pool_add(r->pool, &r->job);
    return r;
}

PqRetreat *pq_retreat(PqMem *mem, PqPublish *p, PqSink *scratch, unsigned ms)
{
    PqRetreat *r = begin(mem, p, scratch);

    if (!r) {
        pq_publish_free(p);
        pq_sink_close(scratch);
    } else if (pq_pool_leave_for(r->pool, &r->job, ms)) {
        end(r);
        r = NULL;
    }
    return r;
}

void pq_retreat_wait(PqRetreat *r)
{
    if (r) {
        pq_pool_wait(r->pool, &r->job);
        end(r);
    }
}
