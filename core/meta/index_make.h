/*
** index_make.h - column index and offset index of a chunk, page by page.
**
** A page whose bounds cannot be written (NaN is in it, or a max that cannot be
** cut) takes the column index of its chunk away, as the format wants
** it: there is no placeholder for "any value".  Types without an order have no
** column index.  The offset index is always written.
**
** The boundary order is found by comparing the bounds as they are written, the
** pages without a value left out:
**
**   a..c  (nulls)  b..d        ascending
**   b..b  b..b                 ascending, though it is descending as well
**   a..d  b..c                 neither
**
** After a failure a PqIndexMake is only good for being freed.
*/
#ifndef PQ_INDEX_MAKE_H
#define PQ_INDEX_MAKE_H

#include "core/meta/bounds_make.h"
#include "core/meta/page_index.h"

typedef struct PqIndexMake PqIndexMake;

/* One page, in the order of the file. */
typedef struct PqIndexPage {
    int64_t  first_row;              /* in the row group                     */
    int64_t  offset;                 /* relative: pq_index_make_write        */
    int32_t  n_bytes;                /* header included, compressed          */
    int64_t  n_text_bytes;           /* of BYTE_ARRAY values, unencoded      */
    bool     all_null;
    const PqBoundsMake *bounds;      /* copied; NULL without wants_bounds    */
    const int64_t *def_histogram, *rep_histogram;  /* max_level + 1 entries,
                                     ** NULL where the level is always 0; that
                                     ** of definition may be NULL for all pages
                                     ** where max_def is 1: null_counts say as
                                     ** much                                 */
} PqIndexPage;

/* leaf is borrowed.  *out is the caller's to free. */
PqRc pq_index_make_new(PqMem *mem, const PqLeaf *leaf, bool wants_bounds,
                       PqIndexMake **out, PqErr *e);
void pq_index_make_free(PqIndexMake *m);             /* m may be NULL */
PqRc pq_index_make_add(PqIndexMake *m, const PqIndexPage *page, PqErr *e);

/* Appends the thrift bytes of both; base is added to the offsets of the pages.
** Nothing is appended to column_index where there is none. */
PqRc pq_index_make_write(PqIndexMake *m, int64_t base, PqBuf *column_index,
                         PqBuf *offset_index, PqErr *e);

/* Sums over the pages, for the chunk's SizeStatistics; lists lie in m.
** out->has is 0 when there is nothing to say. */
PqRc pq_index_make_sizes(PqIndexMake *m, PqSizeStatistics *out, PqErr *e);

#endif
