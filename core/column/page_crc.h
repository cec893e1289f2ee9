/*
** page_crc.h - is a page's body what its header's checksum says?
**
** The checksum is a CRC-32 of the body as it lies in the file, levels and all,
** compressed as it is.  Decoding a page checks it on the way; this is for those
** who want to know without decoding.
*/
#ifndef PQ_PAGE_CRC_H
#define PQ_PAGE_CRC_H

#include "core/column/chunk_read.h"

/* Of the page whose header was parsed last, which has a crc; the body is read
** piece by piece, whatever its size. */
PqRc pq_page_crc(PqChunkReader *r, uint32_t *crc, PqErr *e);

#endif
