/*
** rollup_order.h - groups in an order, the first ones first.
**
** A pass over all groups keeps the best of those that come after the last one
** given, in a heap:
**
**   groups    7 3 9 1 8 2 5          pass 1, 2 rows: 1 2     pass 2: 3 5 7 8 9
**
** The first pass keeps few, which is all that a LIMIT wants.  Groups that are in
** memory are sorted after it (rollup_sort.h).  Of groups that were spilled, each
** further pass keeps as many as fit a share of memory.  So they need no further
** file: they are gone through again (pq_rollup_rewind).
**
** Equal ones are told apart by the dimensions, of which no two rows have all the
** same.  So there is always a next one.
*/
#ifndef PQEXT_ROLLUP_ORDER_H
#define PQEXT_ROLLUP_ORDER_H

#include "ext/rollup/rollup_table.h"

typedef struct PqextRollupOrder PqextRollupOrder;

/* Of these groups: all of them, in one block, if whole (n of them; list: these
** ones only), else from the first block on.  All has to outlive it. */
PqRc pqext_rollup_order_new(PqextRollupRun *r, PqRollup *groups, bool whole,
                            const uint32_t *list, uint32_t n,
                            PqextRollupOrder **out, PqErr *e);
void pqext_rollup_order_free(PqextRollupOrder *o);       /* o may be NULL */

/* The next rows; *n 0: there are none.  The caller reads them by
** pqext_rollup_order_cell, until the next call. */
PqRc pqext_rollup_order_next(PqextRollupOrder *o, uint32_t *n, PqErr *e);

/* The value of a row: keys first, then measures, as the run counts.  It stays
** until the next value is asked for. */
PqRc pqext_rollup_order_cell(PqextRollupOrder *o, uint32_t number, uint32_t row,
                             const PqCell **out, PqErr *e);

#endif
