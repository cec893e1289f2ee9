/*
** rollup_few.h - REALs of few groups are added in lines, and lines to the states.
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
** line.  So no row is looked up: the group of an id is asked for once in a
** batch.
*/
#ifndef PQ_ROLLUP_FEW_H
#define PQ_ROLLUP_FEW_H

#include "core/rollup/rollup_state.h"

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
