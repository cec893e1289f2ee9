/*
** join_bounds.h - in which row groups may a join key be, by their bounds?
**
** Each row group has the least and the greatest key of a column.  Row groups
** are sorted by the least key.  A search and a few steps back find the groups
** that may have a key:
**
**   of            0          2           1            3
**   bounds        [3 .. 70]  [60 .. 68]  [71 .. 140]  [138 .. 200]
**   max_before    70         70          140          200
**
**   key 65: begins at the second, goes back while max_before is 65 or more
**
** That pays only where the bounds hardly overlap.  pq_join_bounds_sort decides
** this, for the index of a join key (join_index.c) and for the planner, which
** has seen only some of the row groups.
*/
#ifndef PQ_JOIN_BOUNDS_H
#define PQ_JOIN_BOUNDS_H

#include "core/base/bytes.h"

typedef struct PqJoinBounds {
    int64_t  min, max;
    int64_t  max_before;             /* of this one and those before it     */
    uint32_t of;                     /* the caller's number of it           */
} PqJoinBounds;

/* Sorts them and sets max_before.  Returns whether they hardly overlap, so that
** a key is in few of them, on average.  They may be a sample, in which each
** stands for `each` similar row groups. */
bool pq_join_bounds_sort(PqJoinBounds *v, uint32_t n, uint32_t each);

/* The last row group that begins at or before the key; n: none does. */
uint32_t pq_join_bounds_last(const PqJoinBounds *v, uint32_t n, int64_t key);

/* Moves *i down to the next row group in which the key may be; false: there is
** none.  Adds the row groups that it looked at to *steps. */
bool pq_join_bounds_next(const PqJoinBounds *v, uint32_t n, int64_t key,
                         uint32_t *i, uint64_t *steps);

#endif
