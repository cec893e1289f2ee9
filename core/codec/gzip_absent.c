/*
** gzip_absent.c - stands in for gzip.c and gzip_zlib.c in a build without zlib.  The
** checksum of pages is still needed; this one takes them four bits at a time.
*/
#include "core/codec/codec_inside.h"

const PqCodecWork pq_codec_gzip = {0};

uint32_t pq_crc32(uint32_t crc, PqSlice v)
{
    static const uint32_t of_four[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };

    crc = ~crc;
    for (size_t i = 0; i < v.n; i++) {
        crc ^= v.p[i];
        crc = crc >> 4 ^ of_four[crc & 15];
        crc = crc >> 4 ^ of_four[crc & 15];
    }
    return ~crc;
}
