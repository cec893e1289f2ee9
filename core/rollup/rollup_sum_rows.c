/*
** rollup_sum_rows.c - sums of the rows of a batch, in one of these layouts.
**
**   layout   rows                                 lines of `make bench` without it
**   one      of one group: they are added to      "one sum of integers"      1.16
**            each other first, by vectors         "one sum of doubles"       1.06
**                                                 "unnest and sum"     1.11, 1.49
**   few      REALs of up to 256 groups, in lines  "count and sum per
**            (rollup_sum_inside.h)                country"                   1.07
**   by id    the same, and counts, where ids of   "count per ship mode"      1.46
**            the only key stand for groups
**            (rollup_by_id.c)
**   lines    two to four sums of 64 bits, side    "Q1"                 1.13, 1.15
**            by side (rollup_lines.h)             "... without the date" 1.10, 1.07
**   rows     all others: row by row
**
** 1.16: without the layout, the line takes 1.16 times as long.  Three more were tried,
** and no line takes more than 1.03 without them: integers by id, counts that share a
** word with a sum, and a loop in lines for each way that dictionaries may come.
*/
#include "core/rollup/rollup_sum_inside.h"

#include <math.h>
#include <string.h>

/* ---- many values, of one group ------------------------------------------- */

/* Two numbers in a vector register; gcc and clang have them on every CPU. */
typedef double Reals __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t Words
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Integers are added as the two halves of v ^ bias, whose sums do not overflow
** in a batch. */
static const uint64_t bias = (uint64_t)1 << 63;

static __int128 total_of_ints(const int64_t *v, const PqRollupRows *w)
{
    Words low = {0}, high = {0}, low2 = {0}, high2 = {0};
    uint32_t i = 0;

    for (; !w->rows && i + 4 <= w->n; i += 4) {
        Words x = *(const Words *)(v + i) ^ bias;
        Words y = *(const Words *)(v + i + 2) ^ bias;

        low += x & UINT32_MAX;
        high += x >> 32;
        low2 += y & UINT32_MAX;
        high2 += y >> 32;
    }
    for (; i < w->n; i++) {
        uint64_t x = (uint64_t)v[pq_rollup_row(w, i)] ^ bias;

        low[0] += (uint32_t)x;
        high[0] += x >> 32;
    }
    low += low2;
    high += high2;
    return ((__int128)(high[0] + high[1]) << 32) + low[0] + low[1] -
           (__int128)bias * w->n;
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

/* Sums side by side may overflow where a sum in the order of the rows does
** not. */
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
    PqRollupItem item = {.kind = pq_rollup_kind_of_exact(v), .scale = v->scale};

    if (v->kind == PQ_NUMBER_REAL) {
        s->flags[g] |= PQ_ROLLUP_REAL;
        add_reals_to_one(&s->reals[g], v->values, &work->w);
        return PQ_OK;
    }
    if (v->kind != PQ_NUMBER_WIDE) {
        item.wide = total_of_ints(v->values, &work->w);
        return pq_rollup_sum_item(s, g, &item, e);
    }
    for (uint32_t i = 0; i < work->w.n; i++) {
        item.wide = ((const PqWide *)v->values)[pq_rollup_row(&work->w, i)];
        PQ_TRY(pq_rollup_sum_item(s, g, &item, e));
    }
    return PQ_OK;
}

/* ---- REALs of few groups ------------------------------------------------- */

/* The sum and the lost part of each line. */
typedef struct Lines {
    Reals left[PQ_FEW_LINES], right[PQ_FEW_LINES];
} Lines;

PQ_INLINE uint32_t at(const uint32_t *rows, uint32_t i)
{
    return rows ? rows[i] : i;
}

/* Adds each number of a pair to its line, with what rounding loses. */
PQ_INLINE void add_pair(Reals *a, Reals *b, Reals x)
{
    Reals sum = {(*a)[0], (*b)[0]}, lost = {(*a)[1], (*b)[1]};
    Reals t = sum + x, back = t - sum;

    lost += (sum - (t - back)) + (x - back);
    *a = (Reals){t[0], lost[0]};
    *b = (Reals){t[1], lost[1]};
}

/* Inlined for each way that ids and values come. */
PQ_INLINE void gather(const uint32_t *ids, const uint32_t *id_rows,
                      const uint32_t *rows, uint32_t n, const double *v,
                      Lines *lines)
{
    Reals nothing = {0};
    uint32_t i = 0;

    for (; i + 2 <= n; i += 2) {
        add_pair(&lines->left[ids[at(id_rows, i)]],
                 &lines->right[ids[at(id_rows, i + 1)]],
                 rows ? (Reals){v[rows[i]], v[rows[i + 1]]}
                      : *(const Reals *)(v + i));
    }
    if (i < n) {
        add_pair(&lines->left[ids[at(id_rows, i)]], &nothing,
                 (Reals){v[at(rows, i)], 0});
    }
}

static PqRollupReal sum_of(const Lines *lines, uint32_t i)
{
    Reals a = lines->left[i], b = lines->right[i];
    PqRollupReal sum = {a[0], a[1]};

    pq_sum_both(&sum, (PqRollupReal){b[0], b[1]});
    return sum;
}

static void add_in_order(PqRollupReal *to, const PqFewRows *f, const double *v)
{
    for (uint32_t i = 0; i < f->w.n; i++) {
        uint32_t row = pq_rollup_row(&f->w, i);

        pq_sum_real(&to[f->groups ? f->groups[f->ids[row]] : f->ids[i]], v[row]);
    }
}

/* Rows go left and right in turns.  Such sums may overflow where a sum in the
** order of the rows does not.  A line without rows may have no group. */
void pq_few_add(PqRollupReal *to, const PqFewRows *f, const double *v)
{
    const uint32_t *rows = f->w.rows;
    bool finite = true;
    Lines lines;

    memset(lines.left, 0, f->n_lines * sizeof *lines.left);
    memset(lines.right, 0, f->n_lines * sizeof *lines.right);
    if (!rows) {
        gather(f->ids, NULL, NULL, f->w.n, v, &lines);
    } else if (f->groups) {
        gather(f->ids, rows, rows, f->w.n, v, &lines);
    } else {
        gather(f->ids, NULL, rows, f->w.n, v, &lines);
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        finite = finite && isfinite(sum_of(&lines, i).sum);
    }
    if (!finite) {
        add_in_order(to, f, v);
        return;
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        PqRollupReal sum = sum_of(&lines, i);

        if (sum.sum != 0 || sum.lost != 0) {
            pq_sum_both(&to[f->groups ? f->groups[i] : i], sum);
        }
    }
}

/* ---- many values, by group ----------------------------------------------- */

#define EACH_OF(type, row, body)                                               \
    for (uint32_t i = 0; i < work->w.n; i++) {                                 \
        uint32_t g = numbers[i];                                               \
        type x = values[row];                                                  \
        body;                                                                  \
    }
#define EACH_ROW(type, body)                                                   \
    do {                                                                       \
        const type *values = v->values;                                        \
        const uint32_t *rows = work->w.rows, *numbers = work->numbers;         \
        if (rows) {                                                            \
            EACH_OF(type, rows[i], body)                                       \
        } else {                                                               \
            EACH_OF(type, i, body)                                             \
        }                                                                      \
    } while (0)

/* Lists the groups of rows that may have no flags yet.  The first groups of a
** state have some. */
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

/* Notes the kind in the groups of the rows.  While there is only one kind,
** groups with flags have it already. */
static void set_flags(PqRollupState *s, const PqRollupWork *work, uint8_t kind)
{
    uint32_t unflagged[PQ_ROLLUP_ROWS], n = work->w.n;
    const uint32_t *groups = work->numbers;

    if (s->seen == kind) {
        n = list_unflagged(s, work, unflagged);
        groups = unflagged;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->flags[groups[i]] |= kind;
    }
    while (n > 0 && s->n_flagged < s->n && s->flags[s->n_flagged] != 0) {
        s->n_flagged++;
    }
}

/* Adds integers, or decimals that have the scale of the state. */
static PqRc add_words(PqRollupState *s, PqRollupExact *part, uint8_t kind,
                      const PqNumbers *v, const PqRollupWork *work, PqErr *e)
{
    int64_t *words = part->words;

    set_flags(s, work, kind);
    EACH_ROW(int64_t, {
        int64_t sum;

        if (PQ_UNLIKELY(__builtin_add_overflow(words[g], x, &sum))) {
            PQ_TRY(pq_sum_carry(s, part, g, x, e));
            /* A decimal that became a real has lost its flag. */
            s->flags[g] |= kind;
        } else {
            words[g] = sum;
        }
    });
    return PQ_OK;
}

static PqRc add_decimals(PqRollupState *s, const PqNumbers *v,
                         const PqRollupWork *work, PqErr *e)
{
    PQ_TRY(pq_sum_need_scale(s, v->scale, e));
    if (v->kind == PQ_NUMBER_DECIMAL && v->scale == s->scale) {
        return add_words(s, &s->decimals, PQ_ROLLUP_DECIMAL, v, work, e);
    }
    PQ_TRY(pq_rollup_state_need_wides(s, &s->decimals, e));
    if (v->kind == PQ_NUMBER_WIDE) {
        EACH_ROW(PqWide, pq_sum_scaled(s, g, x, v->scale));
    } else {
        EACH_ROW(int64_t, pq_sum_scaled(s, g, x, v->scale));
    }
    return PQ_OK;
}

/* The order in which REALs are added decides how they are rounded.  REALs of a
** dictionary are always added in the order of the rows. */
static void add_reals(PqRollupState *s, const PqNumbers *v,
                      const PqRollupWork *work)
{
    PqFewRows few = {.w = work->w, .ids = work->numbers, .n_lines = s->n};
    PqRollupReal *reals = s->reals;

    set_flags(s, work, PQ_ROLLUP_REAL);
    if (v->n_entries == 0 && pq_few_is_worth(s->n, work->w.n)) {
        pq_few_add(reals, &few, v->values);
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
        return add_words(s, &s->ints, PQ_ROLLUP_INT, v, work, e);
    case PQ_NUMBER_REAL:
        add_reals(s, v, work);
        return PQ_OK;
    default:
        return add_decimals(s, v, work, e);
    }
}
