/*
** chunk_write.h - one leaf of one row group, from batches to pages.
**
**   batch -> [held: ids] -> pages -> row group written: dictionary page, pages
**
** The values of a chunk decide how it is encoded.  Its first values get
** dictionary ids and are held.  When there are enough to judge, or no more
** come, a sample is encoded and packed both ways.  Whatever is smaller for the
** whole chunk wins: the dictionary, or the best encoding that the options
** allow.  A dictionary is used until it has grown too large; later pages do not
** use it.  If the first thousands of values show that it will grow too large,
** it is given up at once.
**
** Pages end between rows: after page_rows rows, at page_bytes, or at the end of
** a batch.  Bounds, indexes, filter and sizes are collected along with them.
** Geometries have a box and types instead of bounds.  An entry of a dictionary
** is looked at once, however many rows have it.
**
** A chunk with a lock seals its pages as they are made, on the thread that makes
** them.
**
** Any thread may work on a chunk, but only one at a time; what the thread needs
** is in its PqWriteCtx.
*/
#ifndef PQ_CHUNK_WRITE_H
#define PQ_CHUNK_WRITE_H

#include "core/column/chunk_options.h"
#include "core/column/ended_chunk.h"
#include "core/column/leaf_batch.h"
#include "core/column/page_store.h"
#include "core/column/write_ctx.h"
#include "core/crypto/module.h"
#include "core/geo/geo_bounds.h"
#include "core/meta/sorted_make.h"

typedef struct PqChunkWrite PqChunkWrite;

/* expected_rows: an estimate of the rows of the row group. */
PqRc pq_chunk_write_new(PqMem *mem, const PqLeaf *leaf,
                        const PqChunkOptions *options, uint64_t expected_rows,
                        PqChunkWrite **out, PqErr *e);
void pq_chunk_write_free(PqChunkWrite *w);           /* w may be NULL */

/* Called before the first batch: the chunk will be sealed, as a part of row
** group row_group of its file.  lock is borrowed; NULL: in the clear. */
void pq_chunk_write_seal(PqChunkWrite *w, const PqLock *lock, int row_group);

/* What a chunk found out by trials, for the chunk of the next row group.  All
** zero: nothing.  After some row groups the trials are made again. */
typedef struct PqChunkLesson {
    bool     taught;
    int      searches[2];            /* of ids and of values; -1: not tried  */
    int      encoding;               /* of these values                      */
    uint32_t n_entries;              /* of the dictionary that was worth
                                     ** keeping, when that was seen; or 0    */
    uint32_t n_values;               /* that it was seen by                  */
    uint32_t n_followed;             /* row groups without trials            */
} PqChunkLesson;

/* Before the first batch. */
void pq_chunk_write_learn(PqChunkWrite *w, const PqChunkLesson *lesson);

/* After the end. */
void pq_chunk_write_teach(const PqChunkWrite *w, PqChunkLesson *lesson);

PqRc pq_chunk_write_batch(PqChunkWrite *w, const PqLeafBatch *b,
                          PqWriteCtx *ctx, PqErr *e);

/* No more rows: everything that is held becomes pages. */
PqRc pq_chunk_write_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* Bytes of the pages that are finished; for a row group's size. */
uint64_t pq_chunk_write_bytes(const PqChunkWrite *w);

/* The memory that w holds: pages and hashes, which can be spilled, held values
** and the dictionary. */
size_t pq_chunk_write_memory(const PqChunkWrite *w);
PqRc   pq_chunk_write_spill(PqChunkWrite *w, PqSink *scratch, PqErr *e);

/* The part of this memory that the dictionary and the held values take.
** lighten: the dictionary stops growing; at the next value that is not in it,
** the chunk goes on without a dictionary. */
size_t pq_chunk_write_dictionary_memory(const PqChunkWrite *w);
void   pq_chunk_write_lighten(PqChunkWrite *w);
bool   pq_chunk_write_is_light(const PqChunkWrite *w);   /* it was lightened */

/* After the end: for a file. */
PqEndedChunk pq_chunk_write_ended(PqChunkWrite *w);

/* The order that the rows are observed to be in; NULL for a leaf inside a list
** or an optional group. */
const PqSortedMake *pq_chunk_write_sorted(const PqChunkWrite *w);

#endif
