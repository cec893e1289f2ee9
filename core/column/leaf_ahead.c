/*
** leaf_ahead.c - the next page, taken while this one is being used.
**
** Reading and decompressing a page costs more than decoding its values, and
** needs only the chunk reader; so another thread does that.  At most one page
** is taken ahead.  While the job is out it owns r->chunk: a caller that wants
** to use r->chunk calls pq_leaf_ahead_settle first.
**
**   reader   | page 4: decode, decode, decode | page 5: decode ...
**   job      | read and decompress page 5     | page 6
**
** Nothing is taken ahead until a page has been read to its end: a query that
** looks at a few rows does not pay for pages it does not need.  When memory is
** short nothing is taken ahead either, because a scan can work without it.
**
** It does not always pay.  A page that another processor unpacked comes out of its cache,
** and waking threads takes time; a reader that does little with its pages waits anyway.
** So unless the user says how many threads there are, turns without them and with them are
** measured, and they are used where that is faster by a tenth.
**
**   turn     0       1       2 .. 8         9           10 .. 16
**   ahead    no      yes     the faster     the other   the faster
**
** The thread that waits for a job asks every WAIT_MS whether to stop.  The
** workers' PqStop repeats that answer, so the job ends soon too.
*/
#include "core/base/clock.h"
#include "core/column/leaf_read.h"

#include <stddef.h>

/* A scan that uses more memory than this does not read ahead; how long it waits for a
** job before it asks whether to stop; the length of a turn, and how often the slower way
** has one. */
enum { AHEAD_BYTES = 24 << 20, WAIT_MS = 10, TURN_BYTES = 8 << 20, OTHER_TURN = 8 };

void pq_leaf_reader_employ(PqLeafReader *r, PqPool *pool, PqReadCtx *workers)
{
    r->ahead.pool = pool;
    r->ahead.workers = workers;
}

/* Takes the next data page.  Stops at a dictionary that it must not take: only
** its header is parsed then. */
static PqRc take_next(PqLeafReader *r, PqErr *e)
{
    PqAhead *a = &r->ahead;

    pq_chunk_enter(&r->chunk, e);
    for (;;) {
        PQ_TRY(pq_chunk_next(&r->chunk, &a->more, e));
        if (!a->more) {
            return PQ_OK;
        }
        if (r->chunk.header.type != PQ_PAGE_DICTIONARY) {
            PQ_TRY(pq_chunk_take(&r->chunk, a->page, e));
            pq_chunk_drop_window(&r->chunk);
            return PQ_OK;
        }
        if (!a->from_start) {
            return PQ_OK;
        }
        PQ_TRY(pq_leaf_take_dictionary(r, false, e));
    }
}

static void run(PqJob *job, int thread)
{
    PqLeafReader *r = (PqLeafReader *)(void *)((char *)job -
                                               offsetof(PqLeafReader, ahead.job));
    PqReadCtx *own = r->chunk.ctx;
    int64_t began = pq_clock_ns();

    if (thread >= 0) {
        r->chunk.ctx = &r->ahead.workers[thread];
    }
    take_next(r, &r->ahead.e);
    if (thread >= 0) {
        r->chunk.ctx->ns_ahead += pq_clock_ns() - began;
    } else {
        own->ns_waited -= pq_clock_ns() - began;     /* see settle */
    }
    r->chunk.ctx = own;
}

static PqRc schedule(PqLeafReader *r, bool from_start, PqErr *e)
{
    PqAhead *a = &r->ahead;

    PQ_TRY(pq_leaf_fresh_page(r, &a->page, e));
    pq_err_init(&a->e);
    a->from_start = from_start;
    a->more = false;
    a->out = true;
    a->job.run = run;
    pq_pool_add(a->pool, &a->job);
    return PQ_OK;
}

/* Of a file that is far away threads wait for the server while the reader works. */
bool pq_leaf_may_read_ahead(const PqLeafReader *r)
{
    const PqPace *p = &r->ctx->pace;
    size_t used = pq_mem_used(r->ctx->mem);

    return r->ahead.pool && used < AHEAD_BYTES && used < pq_mem_limit(r->ctx->mem) / 4 &&
           (!p->measured || p->ahead || pq_source_is_far(r->chunk.in->source));
}

/* With the first page of a chunk its dictionary is in use. */
void pq_leaf_note_page(PqLeafReader *r)
{
    PqPace *p = &r->ctx->pace;
    int64_t now;
    bool faster;

    p->bytes += (uint64_t)r->chunk.header.uncompressed_page_size +
                (r->page->number == 0 && r->dict_page ? r->dict_page->bytes.n : 0);
    if (!p->measured || (p->began && p->bytes < TURN_BYTES)) {
        return;
    }
    now = pq_clock_ns();
    if (p->began) {
        p->cost[p->ahead] = (double)(now - p->began) / (double)p->bytes;
        faster = p->cost[true] > 0 && p->cost[true] < 0.9 * p->cost[false];
        p->ahead = ++p->n_turns % OTHER_TURN == 1 ? !faster : faster;
    }
    p->began = now;
    p->bytes = 0;
}

bool pq_leaf_all_taken(const PqLeafReader *r)
{
    return !r->ahead.out && !r->ahead.have && !r->chunk.by_index &&
           r->chunk.slots_seen >= r->chunk.chunk.meta_data.num_values;
}

/* What a server was not asked for is perhaps not wanted. */
static bool is_at_hand(const PqLeafReader *r)
{
    return pq_source_at_hand(r->chunk.in->source, r->chunk.at, 1) > 0;
}

PqRc pq_leaf_ahead_begin(PqLeafReader *r, PqErr *e)
{
    if (!pq_leaf_may_read_ahead(r) || r->chunk.by_index || pq_leaf_all_taken(r) ||
        !is_at_hand(r)) {
        return PQ_OK;
    }
    return schedule(r, false, e);
}

PqRc pq_leaf_read_ahead(PqLeafReader *r, PqErr *e)
{
    r->streak = true;
    return schedule(r, true, e);
}

void pq_leaf_ahead_settle(PqLeafReader *r)
{
    PqAhead *a = &r->ahead;
    int64_t began;

    if (!a->out) {
        return;
    }
    began = pq_clock_ns();
    while (!pq_pool_wait_for(a->pool, &a->job, WAIT_MS)) {
        if (r->ctx->stop.asked) {
            r->ctx->stop.asked(r->ctx->stop.arg);
        }
    }
    r->ctx->ns_waited += pq_clock_ns() - began;
    a->out = false;
    a->have = true;
    if (a->e.rc != PQ_OK || !a->more ||
        r->chunk.header.type == PQ_PAGE_DICTIONARY) {
        pq_leaf_retire(r, &a->page);
    }
}

void pq_leaf_ahead_drop(PqLeafReader *r)
{
    pq_leaf_ahead_settle(r);
    r->ahead.have = false;
    pq_leaf_retire(r, &r->ahead.page);
}

/* Is there no further page?  A page that was taken ahead counts as one. */
bool pq_leaf_at_end(PqLeafReader *r)
{
    pq_leaf_ahead_settle(r);
    if (r->ahead.have) {
        return r->ahead.e.rc == PQ_OK && !r->ahead.more;
    }
    return !r->ahead.page && pq_leaf_all_taken(r);
}
