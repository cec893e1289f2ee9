/*
** chunk_copy_inside.h - shared by chunk_copy.c and chunk_look.c.
*/
#ifndef PQ_CHUNK_COPY_INSIDE_H
#define PQ_CHUNK_COPY_INSIDE_H

#include "core/column/chunk_copy.h"
#include "core/column/chunk_header.h"
#include "core/meta/bloom_make.h"
#include "core/meta/index_make.h"

struct PqChunkCopy {
    PqChunkCopySpec s;
    const PqLeaf   *leaf;            /* of the input                         */
    PqChunkReader   r;
    PqPage          page;
    bool            believed;        /* statistics of pages can be trusted, and
                                     ** have the order of the output         */
    bool            repacks;
    /* What was seen. */
    PqPageLocation *pages;           /* in the output                        */
    uint32_t        n_pages, pages_room;
    uint32_t        counts[4][PQ_ENCODING_COUNT];    /* by kind of page      */
    int64_t         n_rows;          /* before the current page              */
    bool            rows_known;      /* the first row of every page is       */
    bool            index_fits;      /* the input's offset index has the pages
                                     ** that are there                       */
    int64_t         raw_bytes, packed_bytes;
    uint64_t        begin, first_data;       /* in the output                */
    bool            has_dictionary;
    PqColumnIndex   bounds;          /* of the input; no pages: none         */
    PqIndexMake    *made;            /* NULL: nothing was asked for          */
    PqBoundsMake    chunk_bounds;    /* with it                              */
    PqGeoBounds     geo;
};

/* Reads the values of the pages that were copied, and makes indexes of them. */
PqRc pq_chunk_look_pages(PqChunkCopy *c, PqErr *e);

/* Reads all values, and makes a filter. */
PqRc pq_chunk_look_bloom(PqChunkCopy *c, PqBloomMake *b, PqErr *e);

#endif
