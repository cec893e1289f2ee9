/*
** row_filter.h - which rows of a batch are wanted.
**
** A filter looks at the values of a batch and takes the bits away of rows that
** cannot pass.  It asks for the vectors it needs, so that columns nobody
** filters by are decoded only for batches in which something is left.
**
** Filters are asked one after the other until no row is left, the one that
** drops most first; which that is shows as the scan goes on.
*/
#ifndef PQ_ROW_FILTER_H
#define PQ_ROW_FILTER_H

#include "core/base/err.h"

#include <stdint.h>

typedef struct PqScan PqScan;

typedef struct PqFilter PqFilter;
struct PqFilter {
    /* keep has a bit per row of the scan's batch; those behind the last row
    ** are zero and stay so.  A bit that is zero is never set. */
    PqRc (*apply)(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e);
    bool     last;                   /* it is to see only what the others   */
                                     /* leave, and is added behind them     */
    uint64_t asked, left;            /* rows: the scan counts               */
};

#endif
