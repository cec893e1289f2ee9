/*
** gzip.c - pages of gzip members or zlib streams, and writing them.
**
**   page   := member+ zero*
**   member := 1f 8b 08 ...  deflate  crc32  length      RFC 1952, gzip
**           | 78 .. | ...   deflate  adler32            RFC 1950, zlib
**
** The format says gzip.  Some files have zlib streams, because the library that
** most readers use takes either.  They cannot be confused: the low four bits of
** the first byte are f for gzip and 8 for zlib.
**
** Members are inflated one at a time by gzip_libdeflate.c or gzip_zlib.c,
** whichever was linked, and large ones by gzip_steps.c.  Only zlib deflates: it
** takes an allocator, and every reader has seen its output.
*/
#include "core/codec/codec_inside.h"

#define ZLIB_CONST
#include <zlib.h>

static const char name[] = "GZIP";

/* Input bytes between two questions whether to stop: level 9 may take a second
** for a megabyte. */
enum { PACK_STEP = 1 << 14 };

enum { WINDOW_BITS = 15, GZIP_WRAPPER = 16, MEMORY_LEVEL = 8 };

/* One length code and one distance code stand for at most 258 bytes, and a code
** has at least one bit: 258 bytes in 2 bits. */
enum { MOST_PER_BYTE = 258 * 8 / 2 };

PqRc pq_gzip_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    claim->least = 0;
    claim->most = (uint64_t)in.n * MOST_PER_BYTE;
    return PQ_OK;
}

static bool only_zeros(PqSlice s)
{
    size_t i = 0;

    while (i < s.n && s.p[i] == 0) {
        i++;
    }
    return i == s.n;
}

/* A zlib header is a multiple of 31.  The low half of its first byte is method
** 8, the high half a window size of 2^15 at most. */
PqRc pq_gzip_find_wrapper(PqSlice in, bool *zlib, PqErr *e)
{
    unsigned a = in.n > 0 ? in.p[0] : 0, b = in.n > 1 ? in.p[1] : 0;

    *zlib = (a & 0x8f) == 0x08 && (a << 8 | b) % 31 == 0;
    if (*zlib || (a == 0x1f && b == 0x8b)) {
        return PQ_OK;
    }
    return pq_codec_fail_damaged(name, "neither a gzip nor a zlib header", e);
}

PqRc pq_gzip_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                    PqErr *e)
{
    size_t at = 0;

    do {
        bool zlib;
        size_t n = 0;

        PQ_TRY(pq_gzip_find_wrapper(in, &zlib, e));
        PQ_TRY(pq_gzip_inflate(s, zlib, &in, out + at, n_out - at, &n, e));
        at += n;
    } while (!only_zeros(in));
    return at == n_out ? PQ_OK : pq_codec_fail_short(name, at, n_out, e);
}

static void *lib_alloc(void *state, unsigned count, unsigned size)
{
    return pq_codec_lib_alloc(state, (size_t)count * size);
}

/* The output does not depend on how much goes in at a time. */
static PqRc deflate_steps(z_stream *z, const PqStop *stop, PqSlice in, PqErr *e)
{
    for (;;) {
        size_t n = in.n < PACK_STEP ? in.n : PACK_STEP;
        int flush = n == in.n ? Z_FINISH : Z_NO_FLUSH;

        z->next_in = in.p;
        z->avail_in = (uInt)n;
        if (deflate(z, flush) != (flush == Z_FINISH ? Z_STREAM_END : Z_OK)) {
            return pq_fail(e, PQ_USAGE, "%s: zlib exceeds its own bound", name);
        }
        if (flush == Z_FINISH) {
            return PQ_OK;
        }
        in.p += n;
        in.n -= n;
        PQ_TRY(pq_stop_poll(stop, e));
    }
}

PqRc pq_gzip_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                    PqErr *e)
{
    z_stream z = {.zalloc = lib_alloc, .zfree = pq_codec_lib_free,
                  .opaque = s};
    uLong bound;
    PqRc rc;

    level = level <= 0 ? Z_DEFAULT_COMPRESSION : level > 9 ? 9 : level;
    if (deflateInit2(&z, level, Z_DEFLATED, WINDOW_BITS + GZIP_WRAPPER,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        return pq_codec_fail_memory(name, e);
    }
    bound = deflateBound(&z, (uLong)in.n);
    PQ_GO(pq_buf_reserve(out, bound, e));
    z.next_out = out->p + out->n;
    z.avail_out = (uInt)bound;
    PQ_GO(deflate_steps(&z, s->stop, in, e));
    out->n += z.total_out;
done:
    deflateEnd(&z);
    return rc;
}

void pq_gzip_version(PqBuf *out)
{
    pq_buf_printf(out, "zlib %s, inflate by %s", zlibVersion(),
                  pq_gzip_inflate_version());
}
