/*
** rollup_lines.h - the sums of a group side by side.
**
**   states            sum 0: 5 0 7 ...   sum 1: 9 2 4 ...   sum 2: 1 1 3 ...
**   lines   group 0   rows  sum 0  sum 1  sum 2
**           group 1   rows  sum 0  sum 1  sum 2
**
** The state of a measure is an array by group, so with many groups a row
** touches a far place of memory for each measure.  Sums of 64 bits are gathered
** here first, where a row touches one place.  Later they are given to the
** states, with the number of their rows.
**
** No sum here overflows: a bound of all sums is kept, and the sums are given to
** the states before it is too large.  Where that would happen often, because
** the values are large or the groups many, nothing is gathered.
*/
#ifndef PQ_ROLLUP_LINES_H
#define PQ_ROLLUP_LINES_H

#include "core/rollup/rollup_state.h"

/* The most sums of a line. */
enum { PQ_ROLLUP_TOGETHER = 4 };

/* Sums of values that are neither NULL nor REAL. */
typedef struct PqRollupTogether {
    uint32_t         n;
    PqRollupState   *counter;        /* counts the same rows; NULL: none    */
    PqRollupState   *states[PQ_ROLLUP_TOGETHER];
    const PqNumbers *numbers[PQ_ROLLUP_TOGETHER];
} PqRollupTogether;

typedef struct PqRollupLines {
    PqMem         *mem;
    uint32_t       n_sums;
    PqRollupState *counter;          /* gets the counts of rows; NULL: none */
    PqRollupState *states[PQ_ROLLUP_TOGETHER];
    PqRollupItem   items[PQ_ROLLUP_TOGETHER];    /* kind and scale of values */
    int64_t       *words;            /* a line for each group               */
    uint32_t       n, room;          /* groups that may have sums here      */
    uint64_t       bound;            /* no sum is further from 0            */
    uint64_t       n_rows;           /* gathered since sums were last given */
    bool           unfit;            /* gathering is not worth it           */
} PqRollupLines;

void   pq_rollup_lines_init(PqRollupLines *l, PqMem *mem);
void   pq_rollup_lines_free(PqRollupLines *l);   /* what is gathered is lost */
size_t pq_rollup_lines_bytes(const PqRollupLines *l);

/* Can a sum have a place in lines? */
bool pq_rollup_lines_can(const PqRollupState *s, const PqRollupInputVector *in);

/* Gathers rows.  *done false: nothing was gathered, and no row was counted. */
PqRc pq_rollup_lines_add(PqRollupLines *l, const PqRollupTogether *sums,
                         const PqRollupWork *work, bool *done, PqErr *e);

/* Adds all gathered sums to the states. */
PqRc pq_rollup_lines_give(PqRollupLines *l, PqErr *e);

#endif
