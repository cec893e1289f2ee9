/*
** page_crc.h - the checksum of a page, compared with the one in its header.
**
** The checksum is a CRC-32 of the whole body as it lies in the file: levels
** included, still compressed.  Taking a page verifies it (chunk_read.h).
*/
#ifndef PQ_PAGE_CRC_H
#define PQ_PAGE_CRC_H

#include "core/column/chunk_read.h"

/* Does the header have a checksum?  The 0 of Parquet.jl does not count. */
bool pq_page_says_crc(const PqChunkReader *r);

/* Is there a checksum to verify?  An authenticated body needs none, but v2 pages
** may have levels that were not authenticated. */
bool pq_page_has_crc(const PqChunkReader *r);

/* If so, fails unless it fits body, the whole body as the file has it. */
PqRc pq_page_check_crc(const PqChunkReader *r, PqSlice body, PqErr *e);

/* Computes the checksum of the page whose header was parsed last.  The body is read
** piece by piece, whatever its size. */
PqRc pq_page_crc(PqChunkReader *r, uint32_t *crc, PqErr *e);

#endif
