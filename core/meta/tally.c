/*
** tally.c - finds the bounds of a block of values.
**
** Values of up to eight bytes are compared by their ranks (rank.h), which are
** in total order: -0.0 is below 0.0.  Longer values are compared in place.
*/
#include "core/meta/tally.h"

#include "core/meta/rank.h"

PqRc pq_tally_init(PqTally *t, const PqLeaf *leaf, PqOrder order, PqMem *mem,
                   PqErr *e)
{
    *t = (PqTally){.leaf = leaf, .order = order};
    pq_buf_init(&t->bounds.min, mem, NULL);
    pq_buf_init(&t->bounds.max, mem, NULL);
    pq_buf_init(&t->nan_bounds.min, mem, NULL);
    pq_buf_init(&t->nan_bounds.max, mem, NULL);
    PQ_TRY(PQ_NEW(mem, t->reps, leaf->max_rep + 1u, e));
    return PQ_NEW(mem, t->defs, leaf->max_def + 1u, e);
}

void pq_tally_free(PqTally *t)
{
    pq_mem_free(t->reps);
    pq_mem_free(t->defs);
    pq_buf_free(&t->bounds.min);
    pq_buf_free(&t->bounds.max);
    pq_buf_free(&t->nan_bounds.min);
    pq_buf_free(&t->nan_bounds.max);
    *t = (PqTally){0};
}

void pq_tally_restart(PqTally *t)
{
    t->n_slots = t->n_rows = t->n_values = t->n_own_nulls = 0;
    t->n_nans = t->n_bytes = 0;
    t->bounds.has = t->nan_bounds.has = false;
    memset(t->reps, 0, (t->leaf->max_rep + 1u) * sizeof *t->reps);
    memset(t->defs, 0, (t->leaf->max_def + 1u) * sizeof *t->defs);
}

void pq_tally_levels(PqTally *t, const uint16_t *rep, const uint16_t *def,
                     uint32_t n)
{
    uint16_t max = t->leaf->max_def;
    uint32_t values = n, own = 0, rows = n;

    if (def) {
        bool optional = !t->leaf->node->required && max > 0;

        values = 0;
        for (uint32_t i = 0; i < n; i++) {
            values += def[i] == max;
            own += optional && def[i] + 1 == max;
            t->defs[def[i]]++;
        }
    } else {
        t->defs[0] += n;
    }
    if (rep) {
        rows = 0;
        for (uint32_t i = 0; i < n; i++) {
            rows += rep[i] == 0;
            t->reps[rep[i]]++;
        }
    } else {
        t->reps[0] += n;
    }
    t->n_slots += n;
    t->n_rows += rows;
    t->n_values += values;
    t->n_own_nulls += own;
}

PqSlice pq_tally_value(const PqType *type, const void *values, uint32_t i)
{
    size_t width = pq_physical_width(type->physical);
    const PqStr *s = values;

    return type->physical == PQ_BYTE_ARRAY || type->physical == PQ_FIXED
               ? pq_slice(s[i].p, s[i].n)
               : pq_slice((const uint8_t *)values + i * width, width);
}

/* ---- bounds ------------------------------------------------------------------ */

typedef struct Found {
    uint32_t low, high;              /* indexes; UINT32_MAX: none */
} Found;

enum { NONE = UINT32_MAX };

static void consider(Found *x, const int64_t *ranks, uint32_t i)
{
    if (x->low == NONE || ranks[i] < ranks[x->low]) {
        x->low = i;
    }
    if (x->high == NONE || ranks[i] > ranks[x->high]) {
        x->high = i;
    }
}

/* Widens bounds to hold low and high. */
static PqRc widen(const PqTally *t, PqOrder order, PqExtremes *x, PqSlice low,
                  PqSlice high, PqErr *e)
{
    const PqType *type = &t->leaf->type;

    if (!x->has ||
        pq_order_compare(order, type, low, pq_buf_view(&x->min)) < 0) {
        PQ_TRY(pq_buf_set(&x->min, low, e));
    }
    if (!x->has ||
        pq_order_compare(order, type, high, pq_buf_view(&x->max)) > 0) {
        PQ_TRY(pq_buf_set(&x->max, high, e));
    }
    x->has = true;
    return PQ_OK;
}

/* Values that have ranks.  Only floats can be NaN. */
static PqRc tally_ranks(PqTally *t, const void *values, uint32_t n, PqErr *e)
{
    const PqType *type = &t->leaf->type;
    PqRankKind kind = pq_rank_kind(type);
    int64_t infinity = pq_rank_infinity(kind), ranks[PQ_TALLY_BLOCK];
    Found numbers = {NONE, NONE}, nans = {NONE, NONE};

    for (uint32_t i = 0; i < n; i++) {
        bool is_nan;

        ranks[i] = pq_rank_at(kind, values, i);
        is_nan = pq_rank_is_nan(ranks[i], infinity);
        t->n_nans += is_nan;
        consider(is_nan ? &nans : &numbers, ranks, i);
    }
    if (numbers.low != NONE) {
        PQ_TRY(widen(t, t->order, &t->bounds,
                     pq_tally_value(type, values, numbers.low),
                     pq_tally_value(type, values, numbers.high), e));
    }
    if (nans.low != NONE) {
        PQ_TRY(widen(t, PQ_ORDER_FLOAT_TOTAL, &t->nan_bounds,
                     pq_tally_value(type, values, nans.low),
                     pq_tally_value(type, values, nans.high), e));
    }
    return PQ_OK;
}

static PqRc tally_long(PqTally *t, const void *values, uint32_t n, PqErr *e)
{
    const PqType *type = &t->leaf->type;
    PqSlice low = pq_tally_value(type, values, 0), high = low;

    for (uint32_t i = 1; i < n; i++) {
        PqSlice v = pq_tally_value(type, values, i);

        if (t->order == PQ_ORDER_BYTES) {
            low = pq_slice_compare(v, low) < 0 ? v : low;
            high = pq_slice_compare(v, high) > 0 ? v : high;
        } else {
            low = pq_order_compare(t->order, type, v, low) < 0 ? v : low;
            high = pq_order_compare(t->order, type, v, high) > 0 ? v : high;
        }
    }
    return widen(t, t->order, &t->bounds, low, high, e);
}

PqRc pq_tally_values(PqTally *t, const void *values, uint32_t n, PqErr *e)
{
    if (t->leaf->type.physical == PQ_BYTE_ARRAY) {
        const PqStr *v = values;

        for (uint32_t i = 0; i < n; i++) t->n_bytes += v[i].n;
    }
    if (n == 0) {
        return PQ_OK;
    }
    switch (t->order) {
    case PQ_ORDER_NONE:
        return PQ_OK;
    case PQ_ORDER_FLOAT:
    case PQ_ORDER_FLOAT_TOTAL:
    case PQ_ORDER_SIGNED:
    case PQ_ORDER_UNSIGNED:
        return tally_ranks(t, values, n, e);
    default:
        return tally_long(t, values, n, e);
    }
}

PqRc pq_tally_add(PqTally *t, const PqTally *page, PqErr *e)
{
    t->n_slots += page->n_slots;
    t->n_rows += page->n_rows;
    t->n_values += page->n_values;
    t->n_own_nulls += page->n_own_nulls;
    t->n_nans += page->n_nans;
    t->n_bytes += page->n_bytes;
    for (uint32_t i = 0; i <= t->leaf->max_rep; i++) {
        t->reps[i] += page->reps[i];
    }
    for (uint32_t i = 0; i <= t->leaf->max_def; i++) {
        t->defs[i] += page->defs[i];
    }
    if (page->bounds.has) {
        PQ_TRY(widen(t, t->order, &t->bounds, pq_buf_view(&page->bounds.min),
                     pq_buf_view(&page->bounds.max), e));
    }
    if (page->nan_bounds.has) {
        PQ_TRY(widen(t, PQ_ORDER_FLOAT_TOTAL, &t->nan_bounds,
                     pq_buf_view(&page->nan_bounds.min),
                     pq_buf_view(&page->nan_bounds.max), e));
    }
    return PQ_OK;
}
