/*
** page_crc.h - the checksum of a page's body, to compare with its header's.
**
** The checksum is a CRC-32 of the whole body as it lies in the file: levels
** included, still compressed.  Taking a page verifies it; this is for callers
** that only verify.
*/
#ifndef PQ_PAGE_CRC_H
#define PQ_PAGE_CRC_H

#include "core/column/chunk_read.h"

/* The checksum of the page whose header was parsed last.  The body is read
** piece by piece, whatever its size. */
PqRc pq_page_crc(PqChunkReader *r, uint32_t *crc, PqErr *e);

#endif
