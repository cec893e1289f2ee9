/*
** rollup_inside.h - inside rollup.h: what is shared by its files.
**
**   rollup.c            batches in, values out
**   rollup_register.c   cells of a key are numbered (rollup_stored.c: fast ways)
**   rollup_tuple.c      codes of several keys become the number of a group
**   rollup_state.c      measures (rollup_sum.c, rollup_best.c)
*/
#ifndef PQ_ROLLUP_INSIDE_H
#define PQ_ROLLUP_INSIDE_H

#include "core/rollup/rollup_state.h"
#include "core/rollup/rollup_tuple.h"

/* Groups in memory. */
typedef struct PqRollupSet {
    uint32_t          n;             /* groups                              */
    PqRollupRegister *registers;     /* of the keys                         */
    PqRollupTuples    tuples;        /* with two keys or more               */
    PqRollupState    *states;        /* of the measures                     */
} PqRollupSet;

struct PqRollup {
    PqMem          *mem;
    PqRollupSpec    spec;
    PqRollupMeasure *measures;
    uint64_t        seed;
    PqRollupSet     set;
    uint32_t       *codes;           /* PQ_ROLLUP_ROWS for each key         */
    PqRollupCodes  *keys;
    uint32_t        numbers[PQ_ROLLUP_ROWS];
    bool            finished, given; /* pq_rollup_next was called; the block
                                     ** is given                            */
    PqGroupCell    *cells;           /* of each key, handed out             */
};

PqRc   pq_rollup_set_init(PqRollup *r, PqErr *e);
void   pq_rollup_set_clear(PqRollup *r);
size_t pq_rollup_set_bytes(const PqRollup *r);

/* Rows whose keys' codes are in r->keys get the numbers of their groups, and
** there is room for these. */
PqRc pq_rollup_number(PqRollup *r, uint32_t n, PqErr *e);

#endif
