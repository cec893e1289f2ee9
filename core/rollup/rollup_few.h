/*
** rollup_few.h - rows of few groups are added to lines, and lines to the states.
**
**   line      its rows   left           right
**   0 "FI"    3          sum, lost, 2   sum, lost, 1
**   1 "SE"    2          ...
**
** A batch has thousands of rows, and few groups have a line each that stays in the
** nearest cache.  One loop counts the rows and adds a value.  Rows come two by two:
** each of a pair has lines of its own, so that both may be of one group.
**
** Where the only key comes by ids of a dictionary, an id is the number of a line.  So
** nothing is looked up for a row: the group of an id is asked for once in a batch.
*/
#ifndef PQ_ROLLUP_FEW_H
#define PQ_ROLLUP_FEW_H

#include "core/rollup/rollup_state.h"

enum {
    PQ_FEW_LINES = 256,
    PQ_FEW_WORTH = 8                 /* rows of a batch for each line       */
};

/* Which line a row has.  ids are by row, or else by the rows' order in w. */
typedef struct PqFewRows {
    PqRollupRows    w;
    const uint32_t *ids;
    bool            by_row;
    uint32_t        n_lines;
} PqFewRows;

static inline bool pq_few_is_worth(uint32_t n_lines, uint32_t n_rows)
{
    return n_lines <= PQ_FEW_LINES && n_rows / PQ_FEW_WORTH >= n_lines;
}

/* What the rows of a line make together. */
typedef struct PqFewReal {
    PqRollupReal real;
    uint64_t     n;                  /* rows                                */
} PqFewReal;

typedef struct PqFewInt {
    __int128 sum;
    uint64_t n;
} PqFewInt;

void pq_few_count(const PqFewRows *f, uint64_t *counts);

/* False: some sum is not finite.  Sums of rows that come in turns to the left and to the
** right may overflow where those in the order of the rows do not. */
bool pq_few_reals(const PqFewRows *f, const double *v, PqFewReal *out);

/* Adds row by row to the sums of groups; NULL: a line is a group. */
void pq_few_reals_in_order(const PqFewRows *f, const double *v,
                           const uint32_t *groups, PqRollupReal *to);
void pq_few_ints(const PqFewRows *f, const int64_t *v, PqFewInt *out);

#endif
