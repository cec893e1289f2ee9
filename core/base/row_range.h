/*
** row_range.h - rows that lie side by side.
**
** A list of them is an array, or the bytes of a buffer.  Read as a list of numbers, a
** sorted list of ranges that do not touch is the places where "in it" changes:
**
**   rows 3 4 7 8 9      {3, 5}, {7, 10}      3 5 7 10
*/
#ifndef PQ_ROW_RANGE_H
#define PQ_ROW_RANGE_H

#include "core/base/bytes.h"

typedef struct PqRowRange {
    int64_t begin, end;              /* end exclusive */
} PqRowRange;

/* The ranges in a buffer. */
static inline PqRowRange *pq_row_ranges(const PqBuf *b, size_t *n)
{
    *n = b->n / sizeof(PqRowRange);
    return (PqRowRange *)(void *)b->p;
}

#endif
