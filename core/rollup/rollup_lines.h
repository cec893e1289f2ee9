/*
** rollup_lines.h - the sums of a group side by side.
**
**   states            sum 0: 5 0 7 ...   sum 1: 9 2 4 ...   sum 2: 1 1 3 ...
**   lines   group 0   sum 0  sum 1  sum 2  -
**           group 1   sum 0  sum 1  sum 2  -
**
** The state of a measure is an array by group, so that a row of many groups touches
** as many places of memory as there are measures.  Sums of 64 bits are gathered here
** first, where a row touches one.  Later they are given to the states.
**
** The number of rows, if that is a measure, needs no word of its own.  The first word
** has it above a sum that is small enough:
**
**   word    [ rows 24 ][ sum 40 ]
**
** No sum here overflows: a bound of what any of them may be is kept, and the sums are
** given to the states before it is too large.  Where that would be often, because the
** values are large or the groups many, nothing is gathered.
*/
#ifndef PQ_ROLLUP_LINES_H
#define PQ_ROLLUP_LINES_H

#include "core/rollup/rollup_state.h"

typedef struct PqRollupLines {
    PqMem         *mem;
    uint32_t       n_sums, width;    /* width: words of a line              */
    struct {
        PqRollupState *state;
        uint8_t        kind;         /* of its values: INT, or DECIMAL of   */
        int            scale;
    }              sums[PQ_ROLLUP_TOGETHER];
    void          *memory;           /* that the words are in               */
    int64_t       *words;            /* a line for each group               */
    uint32_t       n, room;          /* groups that may have sums here      */
    uint64_t       bound;            /* no sum is further from 0            */
    PqRollupState *counter;          /* gets the rows of the first words;
                                     ** NULL: they have none                */
    uint64_t       first_bound;      /* of the sums beside these            */
    bool           uncounted;        /* such sums are too large             */
    uint64_t       n_rows;           /* gathered since the states have all  */
    bool           unfit;            /* gathering is not worth it           */
} PqRollupLines;

void   pq_rollup_lines_init(PqRollupLines *l, PqMem *mem);
void   pq_rollup_lines_free(PqRollupLines *l);   /* what is here is lost    */
size_t pq_rollup_lines_bytes(const PqRollupLines *l);

/* Gathers rows whose values are not null.  The states have the scale of the values
** already, and the flags of the rows.  *done false: nothing was gathered; *counted: rows
** were, for sums->counter. */
PqRc pq_rollup_lines_add(PqRollupLines *l, const PqRollupTogether *sums,
                         const PqRollupWork *work, bool *done, bool *counted,
                         PqErr *e);

/* The states have all sums from now on. */
PqRc pq_rollup_lines_give(PqRollupLines *l, PqErr *e);

#endif
