/*
** rollup_map.h - 64-bit words -> codes.
**
**   word     [ 42 | 7 | -  | 9000 | - ]
**   code + 1 [ 3  | 1 | 0  | 2    | 0 ]
**
** An open hash with the words inside, so that a look-up is one access to memory.
** Many words are looked up at a time: the place of a word is fetched while those
** before it are looked at.
*/
#ifndef PQ_ROLLUP_MAP_H
#define PQ_ROLLUP_MAP_H

#include "core/base/mem.h"
#include "core/base/stop.h"

enum { PQ_ROLLUP_NO_CODE = UINT32_MAX };

typedef struct PqRollupPlace {
    uint64_t word;
    uint32_t code;                   /* + 1; 0: nothing is here             */
} PqRollupPlace;

typedef struct PqRollupMap {
    PqMem         *mem;
    PqRollupPlace *places;
    uint32_t       n_places;         /* a power of two, or 0                */
    uint32_t       n;
    uint64_t       seed;
    const PqStop  *stop;             /* asked while it grows; may be NULL   */
} PqRollupMap;

void pq_rollup_map_init(PqRollupMap *m, PqMem *mem, uint64_t seed,
                        const PqStop *stop);
void pq_rollup_map_free(PqRollupMap *m);

/* The code of a word, or PQ_ROLLUP_NO_CODE. */
uint32_t pq_rollup_map_get(const PqRollupMap *m, uint64_t word);

/* The codes of n words; NO_CODE for those that are not there.  Returns how many of
** them there are. */
uint32_t pq_rollup_map_find(const PqRollupMap *m, const uint64_t *words,
                            uint32_t n, uint32_t *codes);

/* Adds a word that is not there. */
PqRc pq_rollup_map_add(PqRollupMap *m, uint64_t word, uint32_t code, PqErr *e);

static inline size_t pq_rollup_map_bytes(const PqRollupMap *m)
{
    return m->n_places * sizeof *m->places;
}

#endif
