/*
** copy_memory.c - keeps the partitions of a copy within the memory limit.
**
** Partitions hold rows until there are enough for a row group.  When memory
** runs short, waiting rows are put aside (copy_spill.c).  An output whose pages
** and dictionaries take more memory than its rows ends its row group early
** instead.  The metadata of row groups stays in memory until the file ends;
** when that becomes too much, files end early too.
**
** There may be many thousand partitions of a few rows each, which give back
** little.  So all are weighed once, and then asked in turn, heaviest first.
*/
#include "core/write/copy_inside.h"

#include <stdlib.h>

enum { ASK_ROWS = 256 };             /* rows between two looks at the memory */

/* Heaviest first; if weights are equal, in the order in which they were
** added. */
static int compare_weights(const void *pa, const void *pb)
{
    const PqCopyWeight *a = pa, *b = pb;

    return a->n_bytes != b->n_bytes ? (a->n_bytes < b->n_bytes ? 1 : -1)
                                    : (a->out > b->out) - (a->out < b->out);
}

/* Lists the outputs that have anything to give, and returns how many. */
static uint32_t weigh(PqCopy *c, size_t (*n_bytes)(const PqCopyOut *o))
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_outs; i++) {
        size_t bytes = n_bytes(c->outs[i]);

        if (bytes > 0) {
            c->weights[n++] = (PqCopyWeight){bytes, i};
        }
    }
    if (n > 1) {
        qsort(c->weights, n, sizeof *c->weights, compare_weights);
    }
    return n;
}

static PqRc end_early(PqCopy *c, PqCopyOut *o, PqErr *e)
{
    uint64_t rows = o->group_rows + o->aside_rows +
                    o->slabs[o->filling].n_rows;

    PQ_TRY(pq_copy_out_end_group(o, e));
    pq_copy_out_slim(o);
    c->progress.small_groups += rows < c->plan.row_group_rows / 16;
    return PQ_OK;
}

static PqRc give_rows_or_group(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    size_t waiting = pq_copy_slab_bytes(c, &o->slabs[o->filling]);

    return waiting > pq_copy_out_bytes(o) / 2 ? pq_copy_spill_rows(o, e)
                                              : end_early(c, o, e);
}

/* Lets outputs give memory back, until only a quarter of the limit is used. */
static PqRc ask(PqCopy *c, size_t (*n_bytes)(const PqCopyOut *o),
                PqRc (*give)(PqCopyOut *o, PqErr *e), PqErr *e)
{
    size_t enough = pq_mem_limit(c->mem) / 4;
    uint32_t n = weigh(c, n_bytes);

    for (uint32_t i = 0; i < n && pq_mem_used(c->mem) > enough; i++) {
        PQ_TRY(pq_stop_poll(c->plan.stop, e));
        PQ_TRY(give(c->outs[c->weights[i].out], e));
    }
    return PQ_OK;
}

PqRc pq_copy_relieve(PqCopy *c, PqErr *e)
{
    size_t limit = pq_mem_limit(c->mem), used = pq_mem_used(c->mem);

    if (used < limit / 2 ||
        (c->unasked < ASK_ROWS && used < c->used_before + limit / 16)) {
        return PQ_OK;
    }
    PQ_TRY(ask(c, pq_copy_out_bytes, give_rows_or_group, e));
    if (pq_mem_used(c->mem) >= limit / 8 * 3) {
        PQ_TRY(ask(c, pq_copy_out_file_bytes, pq_copy_out_end_file, e));
    }
    c->unasked = 0;
    c->used_before = pq_mem_used(c->mem);
    return PQ_OK;
}
