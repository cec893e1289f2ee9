/*
** crc.h - the checksum of pages: CRC-32 as in gzip, of the library that is there
** (gzip_libdeflate.c, gzip_zlib.c).  libdeflate's is several times as fast.
*/
#ifndef PQ_CRC_H
#define PQ_CRC_H

#include "core/base/bytes.h"

/* Goes on from crc, 0 in the beginning; v.p may be NULL when v.n is 0. */
uint32_t pq_crc32(uint32_t crc, PqSlice v);

#endif
