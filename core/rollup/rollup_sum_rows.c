/*
** rollup_sum_rows.c - sums of the rows of a batch.
**
**   one group    its rows are added to each other first, by vectors
**   few groups   reals in lines of their own (rollup_few.h)
**   many         row by row; sums of 64 bits of several measures side by side
**                (rollup_lines.h)
*/
#include "core/rollup/rollup_few.h"
#include "core/rollup/rollup_lines.h"
#include "core/rollup/rollup_sum_inside.h"

#include <math.h>
#include <string.h>

/* ---- many values, of one group ------------------------------------------- */

typedef PqSumWords Words;
typedef PqSumReals Reals;

static __int128 total_of_ints(const int64_t *v, const PqRollupRows *w)
{
    Words low = {0}, high = {0}, low2 = {0}, high2 = {0};
    uint32_t i = 0;

    for (; !w->rows && i + 4 <= w->n; i += 4) {
        Words x = *(const Words *)(v + i) ^ pq_sum_bias;
        Words y = *(const Words *)(v + i + 2) ^ pq_sum_bias;

        low += x & UINT32_MAX;
        high += x >> 32;
        low2 += y & UINT32_MAX;
        high2 += y >> 32;
    }
    for (; i < w->n; i++) {
        uint64_t x = (uint64_t)v[pq_rollup_row(w, i)] ^ pq_sum_bias;

        low[0] += (uint32_t)x;
        high[0] += x >> 32;
    }
    low += low2;
    high += high2;
    return pq_sum_of_halves(low[0] + low[1], high[0] + high[1], w->n);
}

enum { LANES = 4 };                  /* pairs that are added side by side */

static PqRollupReal total_of_reals(const double *v, const PqRollupRows *w)
{
    Reals sum[LANES] = {{0}}, lost[LANES] = {{0}};
    PqRollupReal all = {0, 0};
    uint32_t i = 0;

    for (; !w->rows && i + 2 * LANES <= w->n; i += 2 * LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            Reals x = *(const Reals *)(v + i + 2 * k);
            Reals s = sum[k], t = s + x, b = t - s;

            lost[k] += (s - (t - b)) + (x - b);
            sum[k] = t;
        }
    }
    for (; i + LANES <= w->n; i += LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            double x = v[pq_rollup_row(w, i + k)];
            double s = sum[k][0], t = s + x, b = t - s;

            lost[k][0] += (s - (t - b)) + (x - b);
            sum[k][0] = t;
        }
    }
    for (; i < w->n; i++) {
        pq_sum_real(&all, v[pq_rollup_row(w, i)]);
    }
    for (uint32_t k = 0; k < 2 * LANES; k++) {
        pq_sum_real(&all, sum[k / 2][k % 2]);
        all.lost += lost[k / 2][k % 2];
    }
    return all;
}

/* Sums side by side may overflow where one in the order of the rows does not. */
static void add_reals_to_one(PqRollupReal *to, const double *v,
                             const PqRollupRows *w)
{
    PqRollupReal total = total_of_reals(v, w);

    if (isfinite(total.sum)) {
        pq_sum_both(to, total);
        return;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        pq_sum_real(to, v[pq_rollup_row(w, i)]);
    }
}

static PqRc add_to_one(PqRollupState *s, const PqNumbers *v,
                       const PqRollupWork *work, PqErr *e)
{
    uint32_t g = work->number;
    PqRollupItem item = {.kind = PQ_ROLLUP_DECIMAL, .scale = v->scale};

    switch (v->kind) {
    case PQ_NUMBER_INT:
        item.kind = PQ_ROLLUP_INT;
        item.wide = total_of_ints(v->values, &work->w);
        return pq_rollup_sum_item(s, g, &item, e);
    case PQ_NUMBER_DECIMAL:
        item.wide = total_of_ints(v->values, &work->w);
        return pq_rollup_sum_item(s, g, &item, e);
    case PQ_NUMBER_WIDE:
        for (uint32_t i = 0; i < work->w.n; i++) {
            item.wide = ((const PqWide *)v->values)[pq_rollup_row(&work->w,
                                                                    i)];
            PQ_TRY(pq_rollup_sum_item(s, g, &item, e));
        }
        return PQ_OK;
    default:
        s->flags[g] |= PQ_ROLLUP_REAL;
        add_reals_to_one(&s->reals[g], v->values, &work->w);
        return PQ_OK;
    }
}

/* ---- many values, by group ----------------------------------------------- */

#define EACH_OF(type, value, body)                                             \
    for (uint32_t i = 0; i < work->w.n; i++) {                                 \
        uint32_t g = numbers[i];                                               \
        type x = (value);                                                      \
        body;                                                                  \
    }
#define EACH_ROW(type, body)                                                   \
    do {                                                                       \
        const type *values = v->values;                                        \
        const uint32_t *rows = work->w.rows, *numbers = work->numbers;         \
        const uint32_t *ids = v->ids;                                          \
        if (ids && rows) {                                                     \
            EACH_OF(type, values[ids[rows[i]]], body)                          \
        } else if (ids) {                                                      \
            EACH_OF(type, values[ids[i]], body)                                \
        } else if (rows) {                                                     \
            EACH_OF(type, values[rows[i]], body)                               \
        } else {                                                               \
            EACH_OF(type, values[i], body)                                     \
        }                                                                      \
    } while (0)

/* Groups of rows that may have no flags yet.  The first groups of a state have some. */
static uint32_t list_unflagged(const PqRollupState *s, const PqRollupWork *work,
                               uint32_t *groups)
{
    uint32_t from = s->n_flagged, n_rows = from < s->n ? work->w.n : 0, n = 0;

    for (uint32_t i = 0; i < n_rows; i++) {
        groups[n] = work->numbers[i];
        n += groups[n] >= from;
    }
    return n;
}

static void flag_groups(PqRollupState *s, const uint32_t *groups, uint32_t n,
                        uint8_t kind)
{
    for (uint32_t i = 0; i < n; i++) {
        s->flags[groups[i]] |= kind;
    }
    while (n > 0 && s->n_flagged < s->n && s->flags[s->n_flagged] != 0) {
        s->n_flagged++;
    }
}

/* Notes the kind in the groups of the rows.  While it is the only kind, nothing is to
** be noted in groups with flags. */
static void set_flags(PqRollupState *s, const PqRollupWork *work, uint8_t kind)
{
    uint32_t groups[PQ_ROLLUP_ROWS], n;

    if (s->seen == kind) {
        n = list_unflagged(s, work, groups);
        flag_groups(s, groups, n, kind);
    } else {
        flag_groups(s, work->numbers, work->w.n, kind);
    }
}

/* Decimals of the scale of the state. */
static PqRc add_lows(PqRollupState *s, const PqNumbers *v,
                     const PqRollupWork *work, PqErr *e)
{
    int64_t *lows = s->lows;

    set_flags(s, work, PQ_ROLLUP_DECIMAL);
    EACH_ROW(int64_t, {
        int64_t sum;

        if (PQ_UNLIKELY(__builtin_add_overflow(lows[g], x, &sum))) {
            PQ_TRY(pq_sum_carry(s, g, x, e));
            /* What was given up has lost its flag. */
            s->flags[g] |= PQ_ROLLUP_DECIMAL;
        } else {
            lows[g] = sum;
        }
    });
    return PQ_OK;
}

static PqRc add_decimals(PqRollupState *s, const PqNumbers *v,
                         const PqRollupWork *work, PqErr *e)
{
    PQ_TRY(pq_sum_need_scale(s, v->scale, e));
    if (v->kind == PQ_NUMBER_DECIMAL && v->scale == s->scale) {
        return add_lows(s, v, work, e);
    }
    PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
    if (v->kind == PQ_NUMBER_WIDE) {
        EACH_ROW(PqWide, pq_sum_scaled(s, g, x, v->scale));
    } else {
        EACH_ROW(int64_t, pq_sum_scaled(s, g, x, v->scale));
    }
    return PQ_OK;
}

static void add_few(PqRollupState *s, const double *v, const PqRollupWork *work)
{
    PqFewRows f = {work->w, work->numbers, false, s->n};
    PqFewReal sums[PQ_FEW_LINES];

    if (!pq_few_reals(&f, v, sums)) {
        pq_few_reals_in_order(&f, v, NULL, s->reals);
        return;
    }
    for (uint32_t g = 0; g < s->n; g++) {
        pq_sum_both(&s->reals[g], sums[g].real);
    }
}

static void add_reals(PqRollupState *s, const PqNumbers *v,
                      const PqRollupWork *work)
{
    PqRollupReal *reals = s->reals;

    set_flags(s, work, PQ_ROLLUP_REAL);
    if (!v->ids && pq_few_is_worth(s->n, work->w.n)) {
        add_few(s, v->values, work);
    } else {
        EACH_ROW(double, pq_sum_real(&reals[g], x));
    }
}

PqRc pq_rollup_sum_add(PqRollupState *s, const PqNumbers *v,
                       const PqRollupWork *work, PqErr *e)
{
    if (work->one) {
        return add_to_one(s, v, work, e);
    }
    switch (v->kind) {
    case PQ_NUMBER_INT:
        set_flags(s, work, PQ_ROLLUP_INT);
        EACH_ROW(int64_t, PQ_TRY(pq_sum_int(s, g, x, e)));
        return PQ_OK;
    case PQ_NUMBER_REAL:
        add_reals(s, v, work);
        return PQ_OK;
    default:
        return add_decimals(s, v, work, e);
    }
}

/* ---- sums side by side ---------------------------------------------------- */

bool pq_rollup_sum_is_of_words(const PqRollupState *s,
                               const PqRollupInputVector *in)
{
    const PqNumbers *v = &in->numbers;

    return s->op == PQ_ROLLUP_SUM && in->kind == PQ_ROLLUP_NUMBERS &&
           !v->valid && !v->reals &&
           (v->kind == PQ_NUMBER_INT ||
            (v->kind == PQ_NUMBER_DECIMAL &&
             (s->scale < 0 || s->scale == v->scale)));
}

/* The states know the kind and the scale of the values that will come.  Most have
** flags for the same groups, so that rows are looked through once for all. */
static PqRc announce(const PqRollupTogether *sums, const PqRollupWork *work,
                     PqErr *e)
{
    PqRollupState *first = sums->states[0];
    uint32_t groups[PQ_ROLLUP_ROWS], before = first->n_flagged;
    uint32_t n = list_unflagged(first, work, groups);

    for (uint32_t k = 0; k < sums->n; k++) {
        PqRollupState *s = sums->states[k];
        const PqNumbers *v = sums->numbers[k];
        uint8_t kind = pq_rollup_kind_of_words(v);

        PQ_TRY(v->kind == PQ_NUMBER_DECIMAL ? pq_sum_need_scale(s, v->scale, e)
                                            : PQ_OK);
        if (s->seen == kind && s->n_flagged == before) {
            flag_groups(s, groups, n, kind);
        } else {
            set_flags(s, work, kind);
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_sum_together(const PqRollupTogether *sums, PqRollupLines *lines,
                            const PqRollupWork *work, PqErr *e)
{
    bool done = false, counted = false;

    if (sums->n > 1 && !lines->unfit) {
        PQ_TRY(announce(sums, work, e));
        PQ_TRY(pq_rollup_lines_add(lines, sums, work, &done, &counted, e));
    }
    if (sums->counter && !counted) {
        pq_rollup_count_rows(sums->counter, work);
    }
    for (uint32_t k = 0; !done && k < sums->n; k++) {
        PQ_TRY(pq_rollup_sum_add(sums->states[k], sums->numbers[k], work, e));
    }
    return PQ_OK;
}
