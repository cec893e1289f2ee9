/*
** rollup_by_id.c - batches whose only key comes by ids of a small dictionary.
**
**   ids of rows    0 1 0 0 2         lines (rollup_few.h)   groups
**                                    0  n 3  sum 7.5    ->  12 "FI"
**                                    1  n 1  sum 2.0    ->   0 "SE"
**                                    2  n 1  sum 0.5    ->   7 "NO"
**
** The rows are gathered by id before anything is added.  If an id among them has no
** group yet, all of that is forgotten, and the batch goes the way of all others: so
** does the first batch of each dictionary.
*/
#include "core/rollup/rollup_few.h"
#include "core/rollup/rollup_inside.h"
#include "core/rollup/rollup_sum_inside.h"

/* A batch by id. */
typedef struct ById {
    PqRollup            *r;
    const PqRollupBatch *b;
    PqFewRows            rows;
    const uint32_t      *groups;     /* of ids                              */
    uint64_t             n[PQ_FEW_LINES];        /* rows of ids             */
    bool                 finite;     /* reals: all of them                  */
    union {                          /* of one sum: by its numbers' kind    */
        PqFewReal reals[PQ_FEW_LINES];
        PqFewInt  ints[PQ_FEW_LINES];
    };
} ById;

/* ---- what can be added ----------------------------------------------------- */

static bool all_one(const uint32_t *ids, const PqRollupRows *w)
{
    uint32_t i = 1;

    while (i < w->n &&
           ids[pq_rollup_row(w, i)] == ids[pq_rollup_row(w, 0)]) {
        i++;
    }
    return i >= w->n;
}

/* Rows of one group are added faster than by id. */
static bool has_few_ids(const PqRollup *r, const PqRollupBatch *b,
                        const PqRollupRows *w)
{
    const PqRollupKeyVector *key = b->keys;

    return r->spec.n_keys == 1 && key->ids && !key->valid && !key->constant &&
           pq_few_is_worth(key->n_entries, w->n) && !all_one(key->ids, w);
}

static bool is_sum(const PqRollup *r, const PqRollupBatch *b, uint32_t m)
{
    return r->set.states[m].op == PQ_ROLLUP_SUM &&
           b->inputs[m].kind != PQ_ROLLUP_NO_INPUT;
}

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
                !in->numbers.reals && !in->numbers.ids &&
                in->numbers.kind != PQ_NUMBER_WIDE);
    default:
        return false;
    }
}

/* Several sums of 64 bits are added faster side by side (rollup_lines.h). */
static bool are_simple(const PqRollup *r, const PqRollupBatch *b)
{
    uint32_t n_words = 0;

    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        const PqRollupState *s = &r->set.states[m];

        n_words += pq_rollup_sum_is_of_words(s, &b->inputs[m]);
        if (!is_simple(s, &b->inputs[m]) || n_words > 1) {
            return false;
        }
    }
    return true;
}

/* ---- by id ----------------------------------------------------------------- */

static void gather_reals(ById *c, const double *v)
{
    c->finite = pq_few_reals(&c->rows, v, c->reals);
    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        /* The analyzer loses that pq_few_reals has written it. */
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
        c->n[i] = c->reals[i].n;
    }
}

static void gather_ints(ById *c, const int64_t *v)
{
    pq_few_ints(&c->rows, v, c->ints);
    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        /* The analyzer loses that pq_few_ints has written it. */
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
        c->n[i] = c->ints[i].n;
    }
}

/* Gathers the rows of a sum.  They are counted on the way. */
static void gather(ById *c, uint32_t m)
{
    const PqNumbers *v = &c->b->inputs[m].numbers;

    if (v->kind == PQ_NUMBER_REAL) {
        gather_reals(c, v->values);
    } else {
        gather_ints(c, v->values);
    }
}

static bool are_known(const ById *c)
{
    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        if (c->n[i] > 0 && c->groups[i] >= c->r->set.n) {
            return false;
        }
    }
    return true;
}

static PqRc need_kinds(const ById *c, PqErr *e)
{
    for (uint32_t m = 0; m < c->r->spec.n_measures; m++) {
        PQ_TRY(pq_rollup_state_need_kinds(
            &c->r->set.states[m], pq_rollup_kinds_of(&c->b->inputs[m]), e));
    }
    return PQ_OK;
}

/* ---- to the states --------------------------------------------------------- */

static void add_counts(const ById *c, PqRollupState *s)
{
    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        if (c->n[i] > 0) {
            s->counts[c->groups[i]] += (int64_t)c->n[i];
        }
    }
}

static void add_reals(const ById *c, PqRollupState *s, const double *v)
{
    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        if (c->n[i] > 0) {
            s->flags[c->groups[i]] |= PQ_ROLLUP_REAL;
        }
        if (c->n[i] > 0 && c->finite) {
            pq_sum_both(&s->reals[c->groups[i]], c->reals[i].real);
        }
    }
    if (!c->finite) {
        pq_few_reals_in_order(&c->rows, v, c->groups, s->reals);
    }
}

static PqRc add_ints(const ById *c, PqRollupState *s, const PqNumbers *v,
                     PqErr *e)
{
    PqRollupItem item = {.kind = pq_rollup_kind_of_words(v), .scale = v->scale};

    for (uint32_t i = 0; i < c->rows.n_lines; i++) {
        if (c->n[i] > 0) {
            item.wide = c->ints[i].sum;
            PQ_TRY(pq_rollup_sum_item(s, c->groups[i], &item, e));
        }
    }
    return PQ_OK;
}

/* Adds the sum that was gathered last. */
static PqRc add_sum(const ById *c, uint32_t m, PqErr *e)
{
    PqRollupState *s = &c->r->set.states[m];
    const PqNumbers *v = &c->b->inputs[m].numbers;

    if (v->kind == PQ_NUMBER_REAL) {
        add_reals(c, s, v->values);
        return PQ_OK;
    }
    return add_ints(c, s, v, e);
}

/* Sum `first`, if there is one, was gathered already. */
static PqRc add_all(ById *c, uint32_t first, PqErr *e)
{
    uint32_t n = c->r->spec.n_measures;

    PQ_TRY(first < n ? add_sum(c, first, e) : PQ_OK);
    for (uint32_t m = 0; m < n; m++) {
        PqRollupState *s = &c->r->set.states[m];

        if (s->op != PQ_ROLLUP_SUM) {
            add_counts(c, s);
        } else if (m > first && is_sum(c->r, c->b, m)) {
            gather(c, m);
            PQ_TRY(add_sum(c, m, e));
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_add_by_id(PqRollup *r, const PqRollupBatch *b,
                         const PqRollupRows *w, bool *done, PqErr *e)
{
    ById c;
    uint32_t first = 0;

    *done = false;
    if (!has_few_ids(r, b, w) || !are_simple(r, b)) {
        return PQ_OK;
    }
    c.r = r;
    c.b = b;
    c.finite = true;
    c.rows = (PqFewRows){*w, b->keys->ids, true, b->keys->n_entries};
    c.groups = pq_rollup_register_entries(r->set.registers, b->keys);
    if (!c.groups) {
        return PQ_OK;
    }
    while (first < r->spec.n_measures && !is_sum(r, b, first)) {
        first++;
    }
    if (first < r->spec.n_measures) {
        gather(&c, first);
    } else {
        pq_few_count(&c.rows, c.n);
    }
    if (!are_known(&c)) {
        return PQ_OK;
    }
    if (need_kinds(&c, e) != PQ_OK) {
        pq_err_clear(e);             /* the other way makes room */
        return PQ_OK;
    }
    *done = true;
    return add_all(&c, first, e);
}
