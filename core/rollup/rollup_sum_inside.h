/*
** rollup_sum_inside.h - a value is added to a sum, and REALs of few groups to
** lines.
**
**   line      left         right
**   0 "FI"    sum, lost    sum, lost
**   1 "SE"    ...
**
** A batch has thousands of rows.  Each of the few groups has a line, which
** stays in the nearest cache.  Rows come two by two, and each of a pair has
** lines of its own, so that both may be in one group.
**
** Where the only key comes by ids of a dictionary, an id is the number of a
** line (rollup_by_id.c).  So no row is looked up: the group of an id is asked
** for once in a batch.
*/
#ifndef PQ_ROLLUP_SUM_INSIDE_H
#define PQ_ROLLUP_SUM_INSIDE_H

#include "core/rollup/rollup_state.h"

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

/* ---- rollup_sum_rows.c: REALs of few groups ---- */

enum {
    PQ_FEW_LINES = 256,
    PQ_FEW_WORTH = 8                 /* rows of a batch for each line       */
};

/* The line of each row.  If lines have groups, ids are by row.  Otherwise ids
** are in the order of the rows in w, and a line is a group. */
typedef struct PqFewRows {
    PqRollupRows    w;
    const uint32_t *ids;
    const uint32_t *groups;
    uint32_t        n_lines;
} PqFewRows;

static inline bool pq_few_is_worth(uint32_t n_lines, uint32_t n_rows)
{
    return n_lines <= PQ_FEW_LINES && n_rows / PQ_FEW_WORTH >= n_lines;
}

/* Adds to the sums of groups, which the caller has marked as REAL. */
void pq_few_add(PqRollupReal *to, const PqFewRows *f, const double *v);

#endif
