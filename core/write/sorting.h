/*
** sorting.h - sorting_columns of the row groups: proven, or promised and held
** to it.
**
** A file may say by which columns the rows of a row group are sorted.  Where
** nobody asked for it, that is said of columns which prove to be sorted each
** on its own: then the rows are sorted by all of them, one after the other, as
** well.  Where it was promised, every row is compared with the one before.
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

/* Writes a claim per leaf at most, gives how many: chunks has n leaves. */
uint32_t pq_sorting_proven(PqChunkWrite *const *chunks, uint32_t n,
                           PqSortingColumn *out);

/* The row before, by the columns of a promise. */
typedef struct PqSortingCheck PqSortingCheck;

/* leaves: of each of n columns; borrowed, as by. */
PqRc pq_sorting_check_new(PqMem *mem, const PqSortingBy *by,
                          const PqLeaf *const *leaves, uint32_t n,
                          PqSortingCheck **out, PqErr *e);
void pq_sorting_check_free(PqSortingCheck *s);       /* s may be NULL */

/* n_rows more, in the batches of all leaves.  *unsorted is the first row that
** should stand in front of the one before it, or n_rows; by what, why is told:
** "column a, 3 behind 5". */
PqRc pq_sorting_check_rows(PqSortingCheck *s, const PqLeafBatch *batches,
                           uint32_t n_rows, uint32_t *unsorted, PqBuf *why,
                           PqErr *e);

#endif
