/*
** index_make.h - builds the column index and the offset index of a chunk, page
** by page.
**
** If the bounds of one page cannot be written (it has a NaN, or a max that
** cannot be cut), the chunk has no column index: the format has no placeholder
** for "any value".  Types without an order have no column index.  The offset
** index is always written.
**
** The boundary order is found by comparing the bounds as they are written.
** Pages without a value are left out:
**
**   a..c  (nulls)  b..d        ascending
**   b..b  b..b                 ascending, though it is descending as well
**   a..d  b..c                 neither
**
** After a failure a PqIndexMake can only be freed.
*/
#ifndef PQ_INDEX_MAKE_H
#define PQ_INDEX_MAKE_H

#include "core/meta/bounds_make.h"
#include "core/meta/page_index.h"

typedef struct PqIndexMake PqIndexMake;

/* One page, in the order of the file. */
typedef struct PqIndexPage {
    int64_t  first_row;              /* in the row group                     */
    int64_t  offset;                 /* relative to pq_index_make_write's
                                     ** base                                 */
    int32_t  n_bytes;                /* header included, compressed          */
    int64_t  n_text_bytes;           /* of BYTE_ARRAY values, unencoded      */
    bool     all_null;
    const PqBoundsMake *bounds;      /* copied; NULL without wants_bounds    */
    const int64_t *def_histogram, *rep_histogram;  /* max_level + 1 entries,
                                     ** NULL where the level is always 0.  If
                                     ** max_def is 1, def_histogram may be NULL
                                     ** for all pages: null_counts are enough */
} PqIndexPage;

/* leaf is borrowed.  *out is the caller's to free. */
PqRc pq_index_make_new(PqMem *mem, const PqLeaf *leaf, bool wants_bounds,
                       PqIndexMake **out, PqErr *e);
void pq_index_make_free(PqIndexMake *m);             /* m may be NULL */
PqRc pq_index_make_add(PqIndexMake *m, const PqIndexPage *page, PqErr *e);

/* Appends the thrift bytes of both; base is added to the offsets of the pages.
** If there is no column index, nothing is appended for it. */
PqRc pq_index_make_write(PqIndexMake *m, int64_t base, PqBuf *column_index,
                         PqBuf *offset_index, PqErr *e);

/* The chunk's SizeStatistics, summed over the pages; its lists lie in a.
** out->has is 0 if there are none. */
PqRc pq_index_make_sizes(const PqIndexMake *m, PqArena *a,
                         PqSizeStatistics *out, PqErr *e);

#endif
