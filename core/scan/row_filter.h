/*
** row_filter.h - which rows of a batch are wanted.
**
** A filter looks at the values of a batch and clears the bits of rows that do
** not pass.  It asks for the vectors it needs.  Other columns are decoded only
** for batches that still have rows.
**
** Filters run one after another until no row is left.  The filter that drops
** most runs first; the scan learns which one that is (scan_filter.c).  A filter
** that may fail runs after the others, so that it fails only in rows that they
** leave.
*/
#ifndef PQ_ROW_FILTER_H
#define PQ_ROW_FILTER_H

#include "core/base/err.h"

#include <stdint.h>

typedef struct PqScan PqScan;

typedef struct PqFilter PqFilter;
struct PqFilter {
    /* keep has a bit per row of the scan's batch.  Bits after the last row are
    ** zero.  A filter only clears bits. */
    PqRc (*apply)(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e);
    /* May it fail in the current file?  NULL: never. */
    bool (*may_fail)(const PqFilter *f, const PqScan *s);
    /* For a scan that unnests.  In the current file, does the filter read only
    ** values that do not repeat within a row, and can it not fail?  Then it is
    ** asked about rows before they become elements.  NULL: no. */
    bool (*of_rows)(const PqFilter *f, const PqScan *s);
    bool     last;                   /* sees only what the others leave,    */
                                     /* and is added after them             */
    uint64_t asked, left;            /* rows, counted by the scan           */
};

#endif
