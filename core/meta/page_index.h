/*
** page_index.h - where the pages of a chunk are, and what is in them.
**
** The offset index says where each data page lies and which row it begins
** with; the column index has bounds and null counts for the same pages.  Both
** are hints written by someone else: they are checked against the chunk and
** against each other when loaded, and an index that does not hold is reported
** once by PQ_CORRUPT; callers that only want speed then go without it.
*/
#ifndef PQ_PAGE_INDEX_H
#define PQ_PAGE_INDEX_H

#include "core/meta/footer.h"

/* *out is all zero (n_pages 0) when the chunk has no such index.  group_rows:
** rows of the row group, for checking. */
PqRc pq_page_index_offsets(PqInput *in, const PqColumnChunk *chunk,
                           int row_group, uint32_t leaf, int64_t group_rows,
                           PqArena *a, PqOffsetIndex *out, PqErr *e);

/* n_pages: pages of the offset index; every list that is there has as many
** entries (histograms: as many times the number of levels).  Counts are not
** negative, or absent.  Whether a bound fits its type: pq_stats_fits. */
PqRc pq_page_index_bounds(PqInput *in, const PqColumnChunk *chunk,
                          int row_group, uint32_t leaf, const PqLeaf *of,
                          uint32_t n_pages, PqArena *a, PqColumnIndex *out,
                          PqErr *e);

/* The page that holds row (0-based in the row group); locations has at least
** one page. */
uint32_t pq_page_index_find(const PqOffsetIndex *index, int64_t row);

#endif
