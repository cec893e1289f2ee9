/*
** chunk_header.h - the page headers of a chunk, for chunk_read.c.
*/
#ifndef PQ_CHUNK_HEADER_H
#define PQ_CHUNK_HEADER_H

#include "core/column/chunk_read.h"

/* The least that is read for a header.  Where only headers are wanted, also the
** most, unless the header is longer. */
enum { PQ_HEADER_BYTES = 256 };

static inline bool pq_page_is_data(const PqPageHeader *h)
{
    return h->type == PQ_PAGE_DATA || h->type == PQ_PAGE_DATA_V2;
}

static inline int pq_page_encoding(const PqPageHeader *h)
{
    return h->type == PQ_PAGE_DICTIONARY ? h->dictionary_page.encoding
           : h->type == PQ_PAGE_DATA_V2  ? h->data_page_v2.encoding
                                         : h->data_page.encoding;
}

/* The body of the page whose header was parsed last. */
PqModule pq_page_module(const PqChunkReader *r);

/* The part of the window from file offset `at` on. */
PqSlice pq_chunk_window_from(const PqChunkReader *r, uint64_t at);

/* Parses the header at r->at into r->header; *n is its size in the file. */
PqRc pq_chunk_parse_header(PqChunkReader *r, size_t *n, PqErr *e);

/* Checks the counts of r->header, whose body is at r->body_at. */
PqRc pq_chunk_check_header(PqChunkReader *r, PqErr *e);

#endif
