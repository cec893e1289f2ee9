/*
** rollup_order.h - groups in an order, the first ones first.
**
** They come in rounds, as the rows of files do (core/top/top.h).  A round goes through
** all groups, and keeps the best of those that come after the last one given:
**
**   groups    7 3 9 1 8 2 5          round 1, 2 rows: 1 2     round 2: 3 5 7 8 9
**
** The first round is short, because often there is a LIMIT.  The others keep as many as
** fit a share of memory.  So groups that were spilled need no further file: they are
** gone through again (pq_rollup_rewind).
**
** No two groups have all keys in common.  So where groups are equal in the
** order, the other keys decide.  Each group comes before or after the last one
** given, and the threads do not change that.
*/
#ifndef PQ_ROLLUP_ORDER_H
#define PQ_ROLLUP_ORDER_H

#include "core/rollup/rollup.h"
#include "core/top/top_set.h"

typedef struct PqRollupOrderSpec {
    PqRollup       *groups;
    bool            whole;           /* all groups are in memory            */
    const uint32_t *list;            /* the n that are wanted; NULL: the
                                     ** first n                             */
    uint32_t        n;
    uint32_t        n_keys, n_measures;
    PqRollupBy      by[PQ_TOP_SET_COLUMNS];
    uint32_t        n_by;
    PqMem          *mem;
    size_t          memory;          /* bytes that the host allows in all   */
    PqStop          stop;
    /* The value of a measure in a group of the block, as the host shows it.
    ** Bytes stay until the next value is asked for. */
    void *arg;
    PqRc (*measure)(void *arg, const PqRollup *groups, uint32_t measure,
                    uint32_t group, PqCell *out, PqErr *e);
} PqRollupOrderSpec;

typedef struct PqRollupOrder PqRollupOrder;

/* spec is copied, but the arrays in it are not.  Keys that it does not sort by
** come last in the order. */
PqRc pq_rollup_order_new(const PqRollupOrderSpec *spec, PqRollupOrder **out,
                         PqErr *e);
void pq_rollup_order_free(PqRollupOrder *o);             /* o may be NULL */

/* Finds the next rows; *n 0: there are none.  pq_rollup_order_cell reads them
** until the next call. */
PqRc pq_rollup_order_next(PqRollupOrder *o, uint32_t *n, PqErr *e);

/* A value of a row.  It stays until the next value is asked for. */
PqRc pq_rollup_order_cell(PqRollupOrder *o, uint32_t number, uint32_t row,
                          const PqCell **out, PqErr *e);

#endif
