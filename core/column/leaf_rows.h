/*
** leaf_rows.h - rows of a leaf of one file, as batches for a leaf of another.
**
**   leaf_read.h -> vector -> PqLeafBatch -> chunk_write.h
**
** Both leaves have the same physical type and repetition.  The column of the
** output may be optional where the column of the input is required.  Then all
** definition levels are greater by one.
**
** A batch gathers rows of several reads, and of several row groups, because a
** page ends with a batch.  So its texts are copied.
*/
#ifndef PQ_LEAF_ROWS_H
#define PQ_LEAF_ROWS_H

#include "core/column/leaf_batch.h"
#include "core/column/leaf_read.h"

typedef struct PqLeafRows {
    PqLeafReader  reader;
    const PqLeaf *leaf;              /* of the input                         */
    int64_t       group_rows;
} PqLeafRows;

/* Opens a chunk of the file f, whose bytes are in `in`.  ctx, in and f are
** borrowed. */
PqRc pq_leaf_rows_open(PqLeafRows *r, PqReadCtx *ctx, PqInput *in,
                       const PqFooter *f, uint32_t group, uint32_t leaf,
                       PqErr *e);
void pq_leaf_rows_close(PqLeafRows *r);

/* Adds rows from *row on to the batch: as many as are read at once, at least one,
** and none after end.  *row becomes the next one. */
PqRc pq_leaf_rows_next(PqLeafRows *r, int64_t *row, int64_t end, PqLeafBatch *b,
                       PqErr *e);

/* Likewise, of rows in which the column of the leaf is null. */
PqRc pq_leaf_rows_nulls(int64_t *row, int64_t end, PqLeafBatch *b, PqErr *e);

#endif
