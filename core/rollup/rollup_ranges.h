/*
** rollup_ranges.h - partitions that are ranges of keys.
**
** Where groups have to come in an order, or those that are equal in some keys side by
** side, the partitions of the file are ranges of these keys:
**
**   splits         FI              SE
**   partitions   < FI   = FI   < SE   = SE   > SE
**
** So the groups of a partition come after those of the one before.  A key that has very
** many groups is likely to be a split.  Its partition has groups of this key alone, so
** it can be cut by hashes.  Any other is cut by splits of its own, each of
** which takes a key out of it.
**
** The splits are chosen from a sample: of the groups in memory when these are written
** for the first time, and of a partition's records when it is cut.
*/
#ifndef PQ_ROLLUP_RANGES_H
#define PQ_ROLLUP_RANGES_H

#include "core/group/group_store.h"
#include "core/rollup/rollup.h"
#include "core/top/top_set.h"

typedef struct PqRollupRanges {
    const PqRollupSpec *spec;
    PqTopSet sample;                 /* what was offered since the last choice */
    PqTopSet splits;                 /* in order, no two of them equal      */
    uint32_t first;                  /* of their partitions in the store    */
} PqRollupRanges;

/* memory: of all groups. */
void pq_rollup_ranges_init(PqRollupRanges *g, PqMem *mem, const PqRollupSpec *spec,
                           size_t memory);
void pq_rollup_ranges_free(PqRollupRanges *g);

/* Offers the keys of a group; and chooses at most n splits from what was offered. */
PqRc pq_rollup_ranges_offer(PqRollupRanges *g, const PqCell *keys, PqErr *e);
PqRc pq_rollup_ranges_choose(PqRollupRanges *g, uint32_t n, PqErr *e);

/* Takes the splits of another. */
PqRc pq_rollup_ranges_copy(PqRollupRanges *g, const PqRollupRanges *from, PqErr *e);

/* Adds their partitions to the store, whose last one is the first range. */
PqRc pq_rollup_ranges_begin(PqRollupRanges *g, PqGroupStore *s, PqErr *e);

/* The number of the partition that has these keys. */
uint32_t pq_rollup_ranges_part(const PqRollupRanges *g, const PqCell *keys);

#endif
