/*
** rollup_sum_inside.h - a value is added to a sum: shared by rollup_sum.c,
** rollup_sum_rows.c and rollup_few.c.
*/
#ifndef PQ_ROLLUP_SUM_INSIDE_H
#define PQ_ROLLUP_SUM_INSIDE_H

#include "core/rollup/rollup_state.h"

/* Two numbers in a vector register; gcc and clang have them on every CPU. */
typedef double PqSumReals
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Adds v, which does not fit in the words of a part, to the wides. */
PqRc pq_sum_carry(PqRollupState *s, PqRollupExact *part, uint32_t g, int64_t v,
                  PqErr *e);

/* Raises the scale of the state to at least this one. */
PqRc pq_sum_need_scale(PqRollupState *s, int scale, PqErr *e);

/* Adds a decimal whose scale is at most the state's scale.  The state has
** wides. */
void pq_sum_scaled(PqRollupState *s, uint32_t g, __int128 v, int scale);

static inline void pq_sum_real(PqRollupReal *to, double v)
{
    double s = to->sum, t = s + v, b = t - s;

    to->lost += (s - (t - b)) + (v - b);
    to->sum = t;
}

/* ... a sum, with what rounding lost. */
static inline void pq_sum_both(PqRollupReal *to, PqRollupReal v)
{
    pq_sum_real(to, v.sum);
    to->lost += v.lost;
}

#endif
