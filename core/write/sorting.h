/*
** sorting.h - sorting_columns of row groups: observed, or promised and checked.
**
** A file may declare the columns that sort the rows of a row group.  By default
** each column that is observed to be sorted is declared.  If each is sorted on
** its own, the rows are also sorted by all of them in turn.  If the user
** promised an order, every row is compared with the previous one.
*/
#ifndef PQ_SORTING_H
#define PQ_SORTING_H

#include "core/column/chunk_write.h"

typedef struct PqSortingBy {
    uint32_t column;                 /* of the plan, a leaf                  */
    bool     descending, nulls_first;
} PqSortingBy;

PqSortingColumn pq_sorting_claim(uint32_t leaf, bool descending,
                                 bool nulls_first);

/* Writes at most a claim per leaf and returns how many.  chunks has n
** leaves. */
uint32_t pq_sorting_proven(PqChunkWrite *const *chunks, uint32_t n,
                           PqSortingColumn *out);

/* Checks a promised order; holds the previous row's values. */
typedef struct PqSortingCheck PqSortingCheck;

/* leaves has the leaf of each of n columns; leaves and by are borrowed. */
PqRc pq_sorting_check_new(PqMem *mem, const PqSortingBy *by,
                          const PqLeaf *const *leaves, uint32_t n,
                          PqSortingCheck **out, PqErr *e);
void pq_sorting_check_free(PqSortingCheck *s);       /* s may be NULL */

/* Checks n_rows more, in the batches of all leaves.  *unsorted is the first row
** that belongs before its previous row, or n_rows.  why gets the reason: "column
** a, 3 after 5". */
PqRc pq_sorting_check_rows(PqSortingCheck *s, const PqLeafBatch *batches,
                           uint32_t n_rows, uint32_t *unsorted, PqBuf *why,
                           PqErr *e);

#endif
