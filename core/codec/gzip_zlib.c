/*
** gzip_zlib.c - inflate with zlib, where libdeflate is not installed: every
** page is decoded in steps, as large ones are.  The other choice is
** gzip_libdeflate.c.
*/
#include "core/codec/codec_inside.h"

#include <zlib.h>

void pq_gzip_inflate_free(PqCodecState *s)
{
    /* Nothing is kept between members. */
}

PqRc pq_gzip_inflate(PqCodecState *s, bool zlib, PqSlice *in, uint8_t *out,
                     size_t room, size_t *n_out, PqErr *e)
{
    return pq_gzip_inflate_steps(s, zlib, in, out, room, n_out, e);
}

const char *pq_gzip_inflate_version(void)
{
    return "zlib";
}

uint32_t pq_crc32(uint32_t crc, PqSlice v)
{
    return v.n ? (uint32_t)crc32_z(crc, v.p, v.n) : crc;
}
