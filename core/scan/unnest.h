/*
** unnest.h - the elements of a list as the rows of a scan.
**
** A scan that unnests a path hands out batches of elements instead of rows:
**
**   rows            id 1  items [a, b]   id 2  items []   id 3  items [c]
**   elements        a  b  c
**   parent          0  0  2              of each: the row, as in json_each
**
** The levels of one leaf below the innermost list, the guide, tell where elements
** are.  A leaf with fewer repetitions, such as id, has a slot for each beginning of
** its level, so its vector becomes a vector of entries: the slots are the
** dictionary, and each element has the id of its slot.  Nothing is copied, and what
** is made once per entry (a date's text, a condition) is made once per row.  A leaf
** of the elements themselves is cut to those slots that are elements.  One that
** repeats further keeps its levels, in which 0 begins an element.
**
** All that works on batches works on these: conditions, columns, groups.  A row of
** the file may have elements in several batches.  The rows themselves (ranges,
** proofs, pages) stay what they are.  A filter that needs only leaves without
** repetition runs on the rows before they become elements, so that pages of the
** list are not read for rows that nobody wants.
**
** outer: a row without elements is one element, whose leaves are NULL.
*/
#ifndef PQ_UNNEST_H
#define PQ_UNNEST_H

#include "core/scan/scan.h"

/* Before the first start.  column: one of the table whose node is the innermost
** list or map in each file (pq_table has resolved the path). */
PqRc pq_scan_unnest(PqScan *s, bool outer, PqErr *e);

/* Of a row of the batch: which element it is of its list, from 0, at each level of
** lists, 0 being the outermost; -1: it is no element (outer). */
int64_t pq_scan_ordinal(const PqScan *s, uint32_t level, uint32_t row);

#endif
