/*
** rollup_tuple.h - codes of several keys -> the number of their group.
**
**   country  code 2, 5 bits     day  code 7, 9 bits     place 00010 000000111
**
** While a tuple of codes has few bits, it is a place in an array that holds the
** number.  Later it is a word of 64 bits, which has its number in an open hash
** (word_numbers.h); a tuple of more bits is found by its hash, and compared.  Codes are
** first codes; a group may show a twin (rollup_register.h).
**
**   lead    code 7    first[7] = 4: group 3, if its other codes are equal, too
**
** Where nearly each value of a key is in one tuple, as the id of a row is, an array by
** the codes of this key, the lead, has the first group of each.  Only the other groups
** of a code are words.
*/
#ifndef PQ_ROLLUP_TUPLE_H
#define PQ_ROLLUP_TUPLE_H

#include "core/numbering/word_numbers.h"
#include "core/rollup/rollup.h"

typedef enum PqRollupTupleWay {
    PQ_TUPLES_IN_GRID, PQ_TUPLES_BY_WORDS, PQ_TUPLES_BY_HASHES
} PqRollupTupleWay;

typedef struct PqRollupTuples {
    PqMem        *mem;
    const PqStop *stop;
    uint64_t      seed;
    uint32_t      n_keys;
    PqRollupTupleWay way;
    unsigned      bits[PQ_ROLLUP_KEYS], total;   /* of the grid, of a word  */
    uint32_t     *grid;              /* number + 1; NULL: there is none     */
    PqWordNumbers words;             /* ... without those in first          */
    uint32_t     *first;             /* number + 1, by the code of the lead;
                                     ** NULL: all groups are in words       */
    uint32_t      lead, n_first;
    bool          fresh;             /* most words of the last rows were new */
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

/* Makes room for the codes of n more groups. */
PqRc pq_rollup_tuples_need(PqRollupTuples *t, uint32_t n, PqErr *e);

/* n: at most PQ_ROLLUP_ROWS. */
PqRc pq_rollup_tuples_find(PqRollupTuples *t, const PqRollupCodes *keys,
                           uint32_t n, uint32_t *numbers, PqErr *e);

#endif
