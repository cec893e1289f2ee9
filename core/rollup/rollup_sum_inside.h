/*
** rollup_sum_inside.h - a value is added to a sum: shared by rollup_sum.c,
** rollup_sum_rows.c, rollup_few.c and rollup_lines.c.
*/
#ifndef PQ_ROLLUP_SUM_INSIDE_H
#define PQ_ROLLUP_SUM_INSIDE_H

#include "core/rollup/rollup_state.h"

/* Two numbers in a vector register; gcc and clang have them on every CPU. */
typedef uint64_t PqSumWords
    __attribute__((vector_size(16), aligned(8), may_alias));
typedef double PqSumReals
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Integers are added by the halves of v ^ pq_sum_bias, which do not overflow in a
** batch.  The sum of n of them, from the sums of the low halves and of the high ones. */
static const uint64_t pq_sum_bias = (uint64_t)1 << 63;

static inline __int128 pq_sum_of_halves(uint64_t low, uint64_t high, uint64_t n)
{
    return ((__int128)high << 32) + low - (__int128)pq_sum_bias * n;
}

/* Adds to the number of times that the integers of a group wrapped around. */
PqRc pq_sum_wraps(PqRollupState *s, uint32_t g, int64_t times, PqErr *e);

/* The low part of a decimal sum has no room for v: it goes to the wide one. */
PqRc pq_sum_carry(PqRollupState *s, uint32_t g, int64_t v, PqErr *e);

/* Makes the scale of the state at least this one. */
PqRc pq_sum_need_scale(PqRollupState *s, int scale, PqErr *e);

/* Adds a decimal whose scale is at most that of the state, which has wides. */
void pq_sum_scaled(PqRollupState *s, uint32_t g, __int128 v, int scale);

static inline void pq_sum_real(PqRollupReal *to, double v)
{
    double s = to->sum, t = s + v, b = t - s;

    to->lost += (s - (t - b)) + (v - b);
    to->sum = t;
}

/* ... a sum, with what it has lost. */
static inline void pq_sum_both(PqRollupReal *to, PqRollupReal v)
{
    pq_sum_real(to, v.sum);
    to->lost += v.lost;
}

static inline PqRc pq_sum_int(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    return PQ_UNLIKELY(__builtin_add_overflow(s->ints[g], v, &s->ints[g]))
               ? pq_sum_wraps(s, g, v < 0 ? -1 : 1, e) : PQ_OK;
}

/* v has the scale of the state, and DECIMAL is set in flags. */
static inline PqRc pq_sum_low(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    int64_t sum;

    if (PQ_UNLIKELY(__builtin_add_overflow(s->lows[g], v, &sum))) {
        return pq_sum_carry(s, g, v, e);
    }
    s->lows[g] = sum;
    return PQ_OK;
}

#endif
