/*
** rollup_by_id.c - batches whose only key comes by ids of a small dictionary.
**
**   ids of rows    0 1 0 0 2         lines                   groups
**                                    0  n 3  sum 7.5    ->  12 "FI"
**                                    1  n 1  sum 2.0    ->   0 "SE"
**                                    2  n 1  sum 0.5    ->   7 "NO"
**
** If an id among the rows has no group yet, the batch is added like any other.
** The first batch of each dictionary always is.
*/
#include "core/rollup/rollup_inside.h"
#include "core/rollup/rollup_sum_inside.h"

#include <string.h>

static bool all_one(const uint32_t *ids, const PqRollupRows *w)
{
    uint32_t i = 1;

    while (i < w->n &&
           ids[pq_rollup_row(w, i)] == ids[pq_rollup_row(w, 0)]) {
        i++;
    }
    return i >= w->n;
}

/* Is adding by id worth it?  If all rows are of one group, another way is
** faster. */
static bool has_few_ids(const PqRollup *r, const PqRollupBatch *b,
                        const PqRollupRows *w)
{
    const PqRollupKeyVector *key = b->keys;

    return r->spec.n_keys == 1 && key->ids && !key->valid && !key->constant &&
           pq_few_is_worth(key->n_entries, w->n) && !all_one(key->ids, w);
}

/* Is it a count of rows, or a sum of REALs, without nulls? */
static bool is_simple(const PqRollupState *s, const PqRollupInputVector *in)
{
    switch (s->op) {
    case PQ_ROLLUP_COUNT_ROWS:
        return true;
    case PQ_ROLLUP_COUNT:
        return in->kind != PQ_ROLLUP_NO_INPUT && !pq_rollup_valid_of(in);
    case PQ_ROLLUP_SUM:
        return in->kind == PQ_ROLLUP_NO_INPUT ||
               (in->kind == PQ_ROLLUP_NUMBERS && !in->numbers.valid &&
                in->numbers.kind == PQ_NUMBER_REAL &&
                in->numbers.n_entries == 0);
    default:
        return false;
    }
}

static bool are_simple(const PqRollup *r, const PqRollupBatch *b)
{
    uint32_t m = 0;

    while (m < r->spec.n_measures &&
           is_simple(&r->set.states[m], &b->inputs[m])) {
        m++;
    }
    return m == r->spec.n_measures;
}

/* Counts the rows of each id.  False: some id has no group. */
static bool count(const PqRollup *r, const PqFewRows *f, uint64_t *n)
{
    const uint32_t *ids = f->ids, *rows = f->w.rows;
    uint32_t n_rows = f->w.n;
    bool known = true;

    memset(n, 0, f->n_lines * sizeof *n);
    if (rows) {
        for (uint32_t i = 0; i < n_rows; i++) {
            n[ids[rows[i]]]++;
        }
    } else {
        for (uint32_t i = 0; i < n_rows; i++) {
            n[ids[i]]++;
        }
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        known = known && (n[i] == 0 || f->groups[i] < r->set.n);
    }
    return known;
}

static bool have_room(const PqRollup *r, const PqRollupBatch *b, PqErr *e)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        if (pq_rollup_state_need_kinds(&r->set.states[m],
                                       pq_rollup_kinds_of(&b->inputs[m]),
                                       e) != PQ_OK) {
            pq_err_clear(e);         /* the other way makes room */
            return false;
        }
    }
    return true;
}

static void add_measure(PqRollupState *s, const PqRollupInputVector *in,
                        const PqFewRows *f, const uint64_t *n)
{
    bool sum = s->op == PQ_ROLLUP_SUM;

    if (sum && in->kind == PQ_ROLLUP_NO_INPUT) {
        return;
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        if (n[i] > 0 && sum) {
            s->flags[f->groups[i]] |= PQ_ROLLUP_REAL;
        } else if (n[i] > 0) {
            s->counts[f->groups[i]] += (int64_t)n[i];
        }
    }
    if (sum) {
        pq_few_add(s->reals, f, in->numbers.values);
    }
}

bool pq_rollup_add_by_id(PqRollup *r, const PqRollupBatch *b,
                         const PqRollupRows *w, PqErr *e)
{
    uint64_t n[PQ_FEW_LINES];
    PqFewRows f;

    if (!has_few_ids(r, b, w) || !are_simple(r, b)) {
        return false;
    }
    f = (PqFewRows){*w, b->keys->ids,
                    pq_rollup_register_entries(r->set.registers, b->keys),
                    b->keys->n_entries};
    if (!f.groups || !count(r, &f, n) || !have_room(r, b, e)) {
        return false;
    }
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        add_measure(&r->set.states[m], &b->inputs[m], &f, n);
    }
    return true;
}
