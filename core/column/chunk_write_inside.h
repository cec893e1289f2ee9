/*
** chunk_write_inside.h - what the files behind chunk_write.h share.
**
**   chunk_write.c    batches in, the dictionary, what is held, the end
**   chunk_choose.c   which encoding
**   page_write.c     where pages end, and what one consists of
**   chunk_bloom.c    the Bloom filter
**   chunk_out.c      into the file: metadata, indexes
*/
#ifndef PQ_CHUNK_WRITE_INSIDE_H
#define PQ_CHUNK_WRITE_INSIDE_H

#include "core/column/chunk_write.h"
#include "core/column/dict_make.h"
#include "core/encoding/encoder.h"
#include "core/meta/index_make.h"

typedef enum PqChunkState {
    PQ_CHUNK_HOLDS,                  /* ids are held, nothing is decided     */
    PQ_CHUNK_DICTIONARY,             /* pages of ids                         */
    PQ_CHUNK_DIRECT                  /* pages of values                      */
} PqChunkState;

/* What is held of each entry until the decision. */
typedef struct PqHeld {
    PqBuf    ids;                    /* uint32_t of each value               */
    PqBuf    valid;                  /* uint64_t words, a bit per row        */
    PqBuf    def, rep;               /* uint16_t of each entry               */
    uint32_t n_entries, n_values, n_rows;
    uint32_t n_last, n_last_new;     /* values of the last batch, and how many
                                     ** of them were new to the dictionary   */
} PqHeld;

struct PqChunkWrite {
    const PqLeaf  *leaf;
    PqChunkOptions o;
    PqMem         *mem;
    uint64_t       expected_rows;
    PqChunkState   state;
    int            encoding;         /* of values outside the dictionary; -1:
                                     ** not chosen yet                       */
    int            search;           /* PqSearch of data pages; -1: likewise */
    PqDictMake     dict;
    size_t         dict_most;        /* bytes of its entries, PLAIN          */
    PqHeld         held;
    PqPageStore    pages;
    PqBuf          dict_page;        /* header and body, after the end       */
    PqIndexMake   *index;
    PqBoundsMake   bounds, page_bounds;
    PqSortedMake   sorted;
    PqPageStore    hashes;           /* of a filter: uint64_t of each value  */
    bool           has_bloom, is_weighed;    /* it was asked what it costs */
    double         distinct;         /* the share of the values that are, as
                                     ** far as was seen, for a filter        */
    uint64_t       n_looked_up;      /* values that have got ids             */
    int64_t       *def_histogram, *rep_histogram;    /* of the page at hand */
    int64_t        base;             /* of the first page, in the file       */
    uint64_t       n_rows, n_entries, n_nulls, raw_bytes;
    uint32_t       n_dict_pages, n_direct_pages;
    uint32_t       n_pages_of[PQ_ENCODING_COUNT];    /* of the direct ones: pages
                                     ** of nulls alone come before a choice  */
};

/* Some rows: of a batch, of what is held, of a page. */
typedef struct PqPageRows {
    const uint64_t *valid;           /* from bit valid_at on                 */
    uint32_t        valid_at;
    const uint16_t *def, *rep;
    const uint8_t  *values;          /* NULL: of what is held                */
    const uint32_t *ids;             /* NULL: written as values              */
    uint32_t        n_entries, n_values, n_rows;
} PqPageRows;

/* Cuts rows into pages and appends them. */
PqRc pq_page_write_rows(PqChunkWrite *w, const PqPageRows *rows,
                        PqWriteCtx *ctx, PqErr *e);

/* The first n rows, or all there are; *rows is what is behind them. */
PqPageRows pq_page_rows_take(const PqChunkWrite *w, PqPageRows *rows,
                             uint32_t n);

/* A header in front of a body that is packed already. */
PqRc pq_page_write_dictionary(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* How many values are looked at, at most, to choose by. */
enum { PQ_CHUNK_SAMPLE = 20000 };

/* w->encoding, from n values. */
PqRc pq_chunk_choose_encoding(PqChunkWrite *w, const void *values, uint32_t n,
                              PqWriteCtx *ctx, PqErr *e);

/* Is the dictionary to be kept?  values, with their ids, are some of those
** that are held; is_all: no more will come. */
PqRc pq_chunk_choose_dictionary(PqChunkWrite *w, const void *values,
                                const uint32_t *ids, uint32_t n, bool is_all,
                                PqWriteCtx *ctx, bool *keep, PqErr *e);

/* w->search, from a page of values that is to be packed. */
PqRc pq_chunk_choose_search(PqChunkWrite *w, PqSlice body, PqWriteCtx *ctx,
                            PqErr *e);

/* Values that are not in a dictionary go into a filter from the first one on, so
** this comes before them, with some of them; entries that the dictionary has go
** in as well. */
PqRc pq_chunk_bloom_begin(PqChunkWrite *w, bool from_dictionary,
                          const void *values, uint32_t n, PqWriteCtx *ctx,
                          PqErr *e);
PqRc pq_chunk_bloom_add(PqChunkWrite *w, const void *values, uint32_t n,
                        PqWriteCtx *ctx, PqErr *e);

/* After the last value. */
PqRc pq_chunk_bloom_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* Of all sizes, the options' and the type's. */
static inline PqValueShape pq_chunk_shape(const PqChunkWrite *w, int encoding,
                                          uint32_t n)
{
    return (PqValueShape){w->leaf->type.physical, w->leaf->type.fixed_length,
                          encoding, n};
}

#endif
