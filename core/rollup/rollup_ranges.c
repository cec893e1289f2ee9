/*
** rollup_ranges.c - chooses splits, and finds the range of keys.
**
** If texts are so long that memory does not hold the sample, it has fewer keys, and the
** ranges are less even.  One key is enough: cutting by it ends.
*/
#include "core/rollup/rollup_ranges.h"

enum { MOST_OFFERED = 1 << 10, MEMORY_SHARE = 32 };

void pq_rollup_ranges_init(PqRollupRanges *g, PqMem *mem, const PqRollupSpec *spec,
                           size_t memory)
{
    *g = (PqRollupRanges){.spec = spec};
    pq_top_set_init(&g->sample, mem, spec->n_by, spec->n_by);
    pq_top_set_init(&g->splits, mem, spec->n_by, spec->n_by);
    for (uint32_t i = 0; i < spec->n_by; i++) {
        g->sample.desc[i] = g->splits.desc[i] = spec->by[i].desc;
    }
    g->sample.mixed = g->splits.mixed = true;
    g->sample.limit = g->splits.limit = memory / MEMORY_SHARE;
    pq_top_set_begin(&g->sample, MOST_OFFERED);
    pq_top_set_begin(&g->splits, MOST_OFFERED);
}

void pq_rollup_ranges_free(PqRollupRanges *g)
{
    if (g->spec) {
        pq_top_set_free(&g->sample);
        pq_top_set_free(&g->splits);
    }
}

/* The keys that ranges are made of, in their order. */
static void pick(const PqRollupRanges *g, const PqCell *keys, PqCell *out)
{
    for (uint32_t i = 0; i < g->spec->n_by; i++) {
        out[i] = keys[g->spec->by[i].number];
    }
}

PqRc pq_rollup_ranges_offer(PqRollupRanges *g, const PqCell *keys, PqErr *e)
{
    PqCell values[PQ_ROLLUP_BY];

    pick(g, keys, values);
    return pq_top_set_offer(&g->sample, values, g->sample.n, e);
}

PqRc pq_rollup_ranges_choose(PqRollupRanges *g, uint32_t n, PqErr *e)
{
    const PqCell *last = NULL;

    pq_top_set_sort(&g->sample);
    pq_top_set_begin(&g->splits, MOST_OFFERED);
    for (uint64_t i = 0; i < n && g->sample.n > 0; i++) {
        uint64_t at = (2 * i + 1) * g->sample.n / (2 * (uint64_t)n);
        const PqTopRow *row = pq_top_set_at(&g->sample, (uint32_t)at);

        if (!last || pq_top_set_compare(&g->splits, last, 0, row->values, 0) != 0) {
            PQ_TRY(pq_top_set_offer(&g->splits, row->values, 0, e));
            last = row->values;
        }
    }
    pq_top_set_sort(&g->splits);
    pq_top_set_begin(&g->sample, MOST_OFFERED);
    return PQ_OK;
}

PqRc pq_rollup_ranges_copy(PqRollupRanges *g, const PqRollupRanges *from, PqErr *e)
{
    pq_top_set_begin(&g->splits, MOST_OFFERED);
    for (uint32_t i = 0; i < from->splits.n; i++) {
        PQ_TRY(pq_top_set_offer(&g->splits, pq_top_set_at(&from->splits, i)->values, 0,
                                e));
    }
    pq_top_set_sort(&g->splits);
    return PQ_OK;
}

PqRc pq_rollup_ranges_begin(PqRollupRanges *g, PqGroupStore *s, PqErr *e)
{
    g->first = s->n_parts;
    PQ_TRY(pq_group_store_add_parts(s, 2 * g->splits.n + 1, 0, e));
    for (uint32_t i = 0; i < g->splits.n; i++) {
        s->parts[g->first + 2 * i + 1].one_key = true;
    }
    return PQ_OK;
}

uint32_t pq_rollup_ranges_part(const PqRollupRanges *g, const PqCell *keys)
{
    uint32_t low = 0, high = g->splits.n, last = g->first + 2 * g->splits.n;
    PqCell values[PQ_ROLLUP_BY];

    pick(g, keys, values);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = pq_top_set_compare(&g->splits, values, 0,
                                   pq_top_set_at(&g->splits, middle)->values, 0);

        if (c == 0) {
            return last - 2 * middle - 1;
        }
        low = c > 0 ? middle + 1 : low;
        high = c < 0 ? middle : high;
    }
    return last - 2 * low;
}
