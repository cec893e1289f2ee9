/*
** chunk_write.h - one leaf of one row group, from batches to pages.
**
**   batch -> [held: ids] -> pages -> row group written: dictionary page, pages
**
** How a chunk is encoded is decided by what it holds.  Its first values get
** dictionary ids and are held.  When there are enough to judge, or no more
** come, a piece of them is written both ways and packed both ways, and what
** would be smaller for the whole chunk is taken: the dictionary, which then
** goes on until it has grown too large (pages behind that are without), or the
** best of the encodings the options allow.  A dictionary whose first thousands of
** values show that it would grow too large is given up then.
**
** Pages end at rows: at page_rows of them, at page_bytes, or where a batch ends.
** Beside the pages grow the bounds, the indexes, the filter and the sizes.
**
** A chunk is worked on by one thread at a time, whichever; what a thread needs
** for it is in its PqWriteCtx.
*/
#ifndef PQ_CHUNK_WRITE_H
#define PQ_CHUNK_WRITE_H

#include "core/column/chunk_options.h"
#include "core/column/leaf_batch.h"
#include "core/column/page_store.h"
#include "core/column/write_ctx.h"
#include "core/meta/sorted_make.h"

typedef struct PqChunkWrite PqChunkWrite;

/* expected_rows: of the row group, as far as anyone knows. */
PqRc pq_chunk_write_new(PqMem *mem, const PqLeaf *leaf,
                        const PqChunkOptions *options, uint64_t expected_rows,
                        PqChunkWrite **out, PqErr *e);
void pq_chunk_write_free(PqChunkWrite *w);           /* w may be NULL */

PqRc pq_chunk_write_batch(PqChunkWrite *w, const PqLeafBatch *b,
                          PqWriteCtx *ctx, PqErr *e);

/* No more rows: everything that is held becomes pages. */
PqRc pq_chunk_write_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* Bytes of the pages that are finished; for a row group's size. */
uint64_t pq_chunk_write_bytes(const PqChunkWrite *w);

/* Memory that w has: of pages, which could be elsewhere, of values that are
** held, of dictionary and filter. */
size_t pq_chunk_write_memory(const PqChunkWrite *w);
PqRc   pq_chunk_write_spill(PqChunkWrite *w, PqSink *scratch, PqErr *e);

/* Of this memory what a dictionary takes, with the values that wait for the
** decision; and it grows no further: from the next value on that is not in it,
** the row group is written without. */
size_t pq_chunk_write_dictionary_memory(const PqChunkWrite *w);
void   pq_chunk_write_lighten(PqChunkWrite *w);
bool   pq_chunk_write_is_light(const PqChunkWrite *w);       /* it was told */

/* After the end: dictionary page and pages to the end of a file, and what the
** footer says of them, in a.  The indexes' and the filter's places are not in
** it yet.  scratch may be NULL when nothing was spilled; stop may be NULL. */
PqRc pq_chunk_write_out(PqChunkWrite *w, PqSink *scratch, PqSink *to,
                        const PqStop *stop, PqArena *a, PqColumnMetaData *out,
                        PqErr *e);

/* Behind that: the bytes of both indexes, and of the Bloom filter; empty where
** there is none. */
PqRc pq_chunk_write_indexes(PqChunkWrite *w, PqBuf *column_index,
                            PqBuf *offset_index, PqErr *e);
PqRc pq_chunk_write_bloom(PqChunkWrite *w, PqSink *scratch, const PqStop *stop,
                          PqBuf *out, PqErr *e);

/* The order its rows prove to be in, or NULL where the leaf lies in a list or
** in an optional group. */
const PqSortedMake *pq_chunk_write_sorted(const PqChunkWrite *w);

#endif
