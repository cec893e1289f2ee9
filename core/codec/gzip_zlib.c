/*
** gzip_zlib.c - inflate with zlib, where libdeflate is not installed.  The
** other choice is gzip_libdeflate.c.
**
** The whole member is there and the whole room for it, so one call does it and
** no window is allocated.
*/
#include "core/codec/codec_parts.h"

#define ZLIB_CONST
#include <zlib.h>

enum { WINDOW_BITS = 15, GZIP_WRAPPER = 16 };

void pq_gzip_inflate_free(PqCodecState *s)
{
    (void)s;                           /* nothing is kept between members */
}

static void *lib_alloc(void *state, unsigned count, unsigned size)
{
    return pq_codec_lib_alloc(state, (size_t)count * size);
}

static PqRc fail(const z_stream *z, int result, size_t n_out, PqErr *e)
{
    if (result == Z_MEM_ERROR) {
        return pq_codec_fail_memory("GZIP", e);
    }
    if (result == Z_BUF_ERROR && z->avail_in > 0) {
        return pq_codec_fail_long("GZIP", n_out, e);
    }
    if (result == Z_BUF_ERROR) {
        return pq_codec_fail_damaged("GZIP", "cut off", e);
    }
    return pq_codec_fail_damaged("GZIP", z->msg ? z->msg : zError(result), e);
}

PqRc pq_gzip_inflate(PqCodecState *s, bool zlib, PqSlice *in, uint8_t *out,
                     size_t room, size_t *n_out, PqErr *e)
{
    z_stream z = {.zalloc = lib_alloc, .zfree = pq_codec_lib_free,
                  .opaque = s};
    PqRc rc = PQ_OK;
    int result;

    if (inflateInit2(&z, zlib ? WINDOW_BITS : WINDOW_BITS + GZIP_WRAPPER) !=
        Z_OK) {
        return pq_codec_fail_memory("GZIP", e);
    }
    z.next_in = in->p;
    z.avail_in = (uInt)in->n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    result = inflate(&z, Z_FINISH);
    if (result == Z_STREAM_END) {
        in->p += z.total_in;
        in->n -= z.total_in;
        *n_out = z.total_out;
    } else {
        rc = fail(&z, result, s->n_out, e);
    }
    inflateEnd(&z);
    return rc;
}

const char *pq_gzip_inflate_version(void)
{
    return "zlib";
}
