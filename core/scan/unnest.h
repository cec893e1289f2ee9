/*
** unnest.h - the elements of a list as the rows of a scan.
**
** The scan of a table that unnests a path (PqTable.unnest) hands out batches of
** elements instead of rows:
**
**   rows            id 1  items [a, b]   id 2  items []   id 3  items [c]
**   elements        a  b  c
**   their rows      0  0  2              as in json_each
**
** The levels of one leaf below the innermost list, the guide, tell where elements
** are.  A leaf with fewer repetitions, such as id, has a slot for each beginning of
** its level, so its vector becomes a vector of entries: the slots are the
** dictionary, and each element has the id of its slot.  Nothing is copied, and
** work per entry (a date's text, a condition) is done once per row.  A leaf of
** the elements themselves is cut to the slots that are elements.  A leaf that
** repeats further keeps its levels, where 0 begins an element.
**
** Everything that works on batches works on these: conditions, columns, groups.
** A row of the file may have elements in several batches.  Ranges, proofs and
** pages are still about rows of the file.  rowid, file_row and group_row of a
** batch belong to the row of its first element.  A filter on columns that do
** not repeat (PqFilter.of_rows) is asked before rows become elements.  So the
** lists of unwanted rows are not read.
**
** outer: a row without elements is one element, whose leaves are NULL.
*/
#ifndef PQ_UNNEST_H
#define PQ_UNNEST_H

#include "core/scan/scan.h"

/* Says, before the first batch, that the values of a column will be asked for.
** This is only a hint: with it the first pages are not read twice.  Without
** unnest it does nothing. */
void pq_scan_expect(PqScan *s, uint32_t column);

/* The number of an element in its list, from 0.  Level 0 is the outermost list.
** -1: the row is not an element, which happens with outer. */
PqRc pq_scan_ordinal(PqScan *s, uint32_t level, uint32_t row, int64_t *out,
                     PqErr *e);

/* A number that no other row of any batch has.  A row has the same number in
** every scan.  The number of an element is made of its file, its row and its
** position in the row.  It is an error if these need more than 63 bits. */
PqRc pq_scan_rowid(PqScan *s, uint32_t row, int64_t *out, PqErr *e);

/* Picks rows (pq_scan_pick) whose elements are then given, batch by batch; *more
** false: there are no more of these rows.  Filters are asked. */
PqRc pq_scan_pick_elements(PqScan *s, const int64_t *rowids, uint32_t n,
                           PqErr *e);
PqRc pq_scan_next_picked(PqScan *s, bool *more, PqErr *e);

/* For values that are made of several leaves, such as JSON: the entries of a
** node of the batch's file for the rows of the batch, each once, in order.
** Without unnest, and for nodes in the elements, the entries are the rows. */
typedef struct PqScanEntries {
    uint32_t        n;
    const uint32_t *of_row;          /* the entry of each row; NULL: row i has
                                     ** entry i                             */
} PqScanEntries;

PqRc pq_scan_entries(PqScan *s, const PqNode *node, PqScanEntries *out,
                     PqErr *e);

/* The vector of a leaf at or below the node; its rows are these entries.  It
** stays valid as long as the batch, and until the next call with this leaf and
** another node. */
PqRc pq_scan_entry_vector(PqScan *s, const PqNode *node, uint32_t leaf,
                          const PqVector **out, PqErr *e);

#endif
