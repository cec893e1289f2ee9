/*
** rollup_tuple.h - codes of several keys -> the number of their group.
**
**   country  code 2, 5 bits     day  code 7, 9 bits     place 00010 000000111
**
** While a tuple of codes has few bits, it is a place in an array that holds the
** number.  Later it is found by its hash.  Codes are first codes; a group may
** show a twin (rollup_register.h).
*/
#ifndef PQ_ROLLUP_TUPLE_H
#define PQ_ROLLUP_TUPLE_H

#include "core/numbering/number_table.h"
#include "core/rollup/rollup.h"

typedef struct PqRollupTuples {
    PqMem        *mem;
    const PqStop *stop;
    uint64_t      seed;
    uint32_t      n_keys;
    unsigned      bits[PQ_ROLLUP_KEYS], total;
    uint32_t     *grid;              /* number + 1; NULL: by hashes         */
    bool          hashed;
    PqNumberTable table;
    uint32_t     *codes;             /* of all groups, n_keys each          */
    uint32_t     *shown;             /* what groups show; NULL: codes       */
    uint32_t      n, room;
} PqRollupTuples;

/* The codes of a key in the rows. */
typedef struct PqRollupCodes {
    const uint32_t *codes;
    uint32_t        most;            /* all codes are less than this        */
    const uint32_t *shown;           /* what is shown, where codes are first
                                     ** codes; NULL: the codes              */
} PqRollupCodes;

void pq_rollup_tuples_init(PqRollupTuples *t, PqMem *mem, uint32_t n_keys,
                           uint64_t seed, const PqStop *stop);
void pq_rollup_tuples_free(PqRollupTuples *t);
size_t pq_rollup_tuples_bytes(const PqRollupTuples *t);

/* n: at most PQ_ROLLUP_ROWS. */
PqRc pq_rollup_tuples_find(PqRollupTuples *t, const PqRollupCodes *keys,
                           uint32_t n, uint32_t *numbers, PqErr *e);

#endif
