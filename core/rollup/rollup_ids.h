/*
** rollup_ids.h - ids of several dictionaries -> the number of a group.
**
**   flag  id 1 of 3    status  id 0 of 2    day  id 7 of 2500
**   place (1 * 2 + 0) * 2500 + 7            -> group 12
**
** Where all keys of a batch come by ids, and none is null, their ids together
** give a place in an array.  It holds the numbers of known groups.  That is
** faster than a code for each key (rollup_register.h, rollup_tuple.h).  The
** array is for the current dictionaries: others empty it.  It knows groups with
** low numbers only.
**
** Most groups of a row group also occur in the row group before.  So the array
** learns from rows.  From time to time it asks for the group of each place
** whose codes are known.
*/
#ifndef PQ_ROLLUP_IDS_H
#define PQ_ROLLUP_IDS_H

#include "core/rollup/rollup_register.h"
#include "core/rollup/rollup_tuple.h"

typedef struct PqRollupIds {
    PqMem    *mem;
    uint32_t  n_keys, most_places;
    struct {
        uint64_t serial;
        uint32_t n;
    }         dictionaries[PQ_ROLLUP_KEYS];      /* of the last batch       */
    uint32_t  n_places;              /* 0: too many for an array            */
    uint16_t *groups;                /* by place; 16 bits, so that more of
                                     ** them fit the nearest cache          */
    uint32_t  room;
    bool      filled;                /* groups belong to the dictionaries */
    uint32_t  n_batches, n_unknown;  /* since then: batches, and their rows
                                     ** whose group was not known           */
    uint32_t  places[PQ_ROLLUP_ROWS];            /* of the batch's rows     */
    uint32_t  numbers[PQ_ROLLUP_ROWS];           /* of the rows looked at   */
} PqRollupIds;

/* The array takes at most a small share of memory. */
PqRc   pq_rollup_ids_new(PqMem *mem, uint32_t n_keys, size_t memory,
                         PqRollupIds **out, PqErr *e);
void   pq_rollup_ids_free(PqRollupIds *d);                 /* d may be NULL */
size_t pq_rollup_ids_bytes(const PqRollupIds *d);

/* Forgets all groups. */
void pq_rollup_ids_forget(PqRollupIds *d);

/* Begins a batch.  n_groups is the number of groups, and the registers have the
** codes of their keys.  *can: the batch can be looked up. */
PqRc pq_rollup_ids_enter(PqRollupIds *d, const PqRollupBatch *b,
                         uint32_t n_groups, const PqRollupRegister *registers,
                         const PqRollupTuples *tuples, bool *can, PqErr *e);

/* Puts the groups of rows into d->numbers.  Returns how many are not known, and
** lists them in `at`, by their place in w. */
uint32_t pq_rollup_ids_find(PqRollupIds *d, const PqRollupBatch *b,
                            const PqRollupRows *w, uint32_t *at);

/* Learns the numbers of the n rows that were not known. */
void pq_rollup_ids_learn(PqRollupIds *d, const PqRollupRows *w,
                         const uint32_t *at, const uint32_t *numbers,
                         uint32_t n);

#endif
