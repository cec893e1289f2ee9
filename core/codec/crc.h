/*
** crc.h - the checksum of pages: CRC-32 as in gzip, from libdeflate where it is
** installed, otherwise from zlib, which is several times slower.
*/
#ifndef PQ_CRC_H
#define PQ_CRC_H

#include "core/base/bytes.h"

/* Continues from crc, which is 0 at first.  v.p may be NULL when v.n is 0. */
uint32_t pq_crc32(uint32_t crc, PqSlice v);

#endif
