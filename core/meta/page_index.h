/*
** page_index.h - where the pages of a chunk are, and what is in them.
**
** The offset index says where each data page lies and which row it begins
** with; the column index has bounds and null counts for the same pages.  Both
** are hints, and may be wrong: loading checks them against the chunk and
** against each other.  An invalid index is PQ_CORRUPT; callers that use it only
** for speed then ignore it.
*/
#ifndef PQ_PAGE_INDEX_H
#define PQ_PAGE_INDEX_H

#include "core/meta/footer.h"

/* Does the writer count rows in the offset index of the leaf?
** QUIRK: xitongsys's and hangxie's parquet-go counted values until July 2026, so
** that pages of a list seem to begin with later rows than they do.
** Test: an_offset_index_of_parquet_go_counts_values. */
bool pq_page_index_counts_rows(const PqLeaf *leaf, PqSlice created_by);

/* *out is all zero (no pages) if the chunk has no such index.  group_rows: the
** rows of the row group, for checking. */
PqRc pq_page_index_offsets(PqInput *in, const PqColumnChunk *chunk,
                           int row_group, uint32_t leaf, int64_t group_rows,
                           PqArena *a, PqOffsetIndex *out, PqErr *e);

/* n_pages: pages of the offset index.  Every list that is there has n_pages
** entries (histograms: times the number of levels).  Counts are not negative,
** or absent.  Whether a bound fits its type is not checked: see
** pq_stats_fits. */
PqRc pq_page_index_bounds(PqInput *in, const PqColumnChunk *chunk,
                          int row_group, const PqLeaf *leaf, uint32_t n_pages,
                          PqArena *a, PqColumnIndex *out, PqErr *e);

/* The page that holds a row of the row group, which counts from 0; the index
** has at least one page. */
uint32_t pq_page_index_find(const PqOffsetIndex *index, int64_t row);

#endif
