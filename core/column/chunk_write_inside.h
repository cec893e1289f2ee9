/*
** chunk_write_inside.h - shared by the files that implement chunk_write.h.
**
**   chunk_write.c    takes batches, holds values, decides on the dictionary
**   chunk_choose.c   chooses the encoding
**   page_write.c     cuts rows into pages and writes them
**   chunk_bloom.c    the Bloom filter
**   chunk_out.c      writes the chunk into the file: pages, metadata, indexes
*/
#ifndef PQ_CHUNK_WRITE_INSIDE_H
#define PQ_CHUNK_WRITE_INSIDE_H

#include "core/column/chunk_write.h"
#include "core/column/dict_make.h"
#include "core/encoding/encoder.h"
#include "core/meta/index_make.h"

typedef enum PqChunkState {
    PQ_CHUNK_HOLDS,                  /* ids are held until the decision      */
    PQ_CHUNK_DICTIONARY,             /* pages of ids                         */
    PQ_CHUNK_DIRECT                  /* pages of values                      */
} PqChunkState;

/* The rows that are held until the decision. */
typedef struct PqHeldRows {
    PqBuf    ids;                    /* uint32_t of each value               */
    PqBuf    valid;                  /* uint64_t words, a bit per row        */
    PqBuf    def, rep;               /* uint16_t of each entry               */
    uint32_t n_entries, n_values, n_rows;
    uint32_t n_last, n_last_new;     /* values of the last batch, and how many
                                     ** of them were new to the dictionary   */
} PqHeldRows;

struct PqChunkWrite {
    const PqLeaf  *leaf;
    PqChunkOptions o;
    PqMem         *mem;
    uint64_t       expected_rows;
    const PqLock  *lock;             /* NULL: in the clear                   */
    int            row_group;        /* ordinal in its file, if it has one   */
    PqChunkState   state;
    int            encoding;         /* of values outside the dictionary; -1:
                                     ** not chosen yet                       */
    int            searches[2];      /* PqSearch of pages of ids, and of
                                     ** values; -1: likewise                 */
    PqChunkLesson  lesson;
    uint32_t       kept_entries, kept_values;    /* see PqChunkLesson        */
    PqDictMake     dict;
    size_t         dict_most;        /* bytes of its entries, PLAIN          */
    PqHeldRows     held;
    PqPageStore    pages;
    PqBuf          dict_page;        /* header and body, after the end       */
    PqIndexMake   *index;
    PqBoundsMake   bounds, page_bounds;
    PqSortedMake   sorted;
    PqGeoBounds   *geo;              /* NULL: see PqEndedChunk               */
    PqPageStore    hashes;           /* of a filter: uint64_t of each value  */
    bool           has_bloom, is_weighed;    /* its cost was estimated       */
    double         distinct;         /* estimated share of distinct values,
                                     ** for the filter                       */
    uint64_t       n_looked_up;      /* values that have got ids             */
    int64_t       *def_histogram, *rep_histogram;    /* of the current page */
    int64_t        base;             /* of the first page, in the file       */
    uint64_t       n_rows, n_entries, n_nulls, raw_bytes;
    uint32_t       n_dict_pages, n_direct_pages;
    uint32_t       n_pages_of[PQ_ENCODING_COUNT];    /* direct pages, by
                                     ** encoding: pages of nothing but nulls
                                     ** are written before one is chosen     */
};

/* The place in searches of the pages that are written now. */
static inline int pq_chunk_kind_of_pages(const PqChunkWrite *w)
{
    return w->state == PQ_CHUNK_DICTIONARY ? 0 : 1;
}

/* Some rows of a batch, of the held rows, or of a page. */
typedef struct PqPageRows {
    const uint64_t *valid;           /* from bit valid_at on                 */
    uint32_t        valid_at;
    const uint16_t *def, *rep;
    const uint8_t  *values;          /* NULL: rows that are held, or ids that
                                     ** are looked at by entries             */
    const uint32_t *ids;             /* NULL: written as values              */
    uint32_t        n_entries, n_values, n_rows;
} PqPageRows;

/* Cuts rows into pages and appends them. */
PqRc pq_page_write_rows(PqChunkWrite *w, const PqPageRows *rows,
                        PqWriteCtx *ctx, PqErr *e);

/* Do the entries of the dictionary say enough about a page of ids?  They do for
** texts, if they are few compared with a page: the entries in the page then
** give its bounds and the sizes of its values. */
bool pq_page_by_entries(const PqChunkWrite *w, const uint32_t *ids);

/* Takes the first n rows, or all if there are fewer, off *rows. */
PqPageRows pq_page_rows_take(const PqChunkWrite *w, PqPageRows *rows,
                             uint32_t n);

/* The dictionary page, to w->dict_page. */
PqRc pq_page_write_dictionary(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* The most values that a choice looks at. */
enum { PQ_CHUNK_SAMPLE = 20000 };

/* Chooses w->encoding by n values. */
PqRc pq_chunk_choose_encoding(PqChunkWrite *w, const void *values, uint32_t n,
                              PqWriteCtx *ctx, PqErr *e);

/* Is the dictionary to be kept?  values, with their ids, are a sample of the
** held values; is_all: no more will come. */
PqRc pq_chunk_choose_dictionary(PqChunkWrite *w, const void *values,
                                const uint32_t *ids, uint32_t n, bool is_all,
                                PqWriteCtx *ctx, bool *keep, PqErr *e);

/* Chooses w->search by a page that is to be packed. */
PqRc pq_chunk_choose_search(PqChunkWrite *w, PqSlice body, PqWriteCtx *ctx,
                            PqErr *e);

/* Decides whether there is a filter, before the first value that is written
** without the dictionary; values are a sample.  If so, the dictionary's entries
** go into it too. */
PqRc pq_chunk_bloom_begin(PqChunkWrite *w, bool from_dictionary,
                          const void *values, uint32_t n, PqWriteCtx *ctx,
                          PqErr *e);
PqRc pq_chunk_bloom_add(PqChunkWrite *w, const void *values, uint32_t n,
                        PqWriteCtx *ctx, PqErr *e);

/* After the last value. */
PqRc pq_chunk_bloom_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e);

/* A module of the chunk other than a page. */
PqModule pq_chunk_write_module(const PqChunkWrite *w, PqModuleKind kind);

/* As PqEndedKind says. */
PqRc pq_chunk_write_bloom(void *chunk, PqSink *scratch, const PqStop *stop,
                          PqBuf *out, PqErr *e);

/* What a page says about n values of the leaf in an encoding. */
static inline PqValueShape pq_chunk_shape(const PqChunkWrite *w, int encoding,
                                          uint32_t n)
{
    return (PqValueShape){w->leaf->type.physical, w->leaf->type.fixed_length,
                          encoding, n};
}

#endif
