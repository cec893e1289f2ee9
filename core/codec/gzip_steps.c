/*
** gzip_steps.c - inflate with zlib, a step at a time: for large pages, which
** the user may interrupt, and for all pages where libdeflate is not installed.
**
** The whole member is there and the whole room for its output, so a page of one
** step is one call without a window.  Between steps zlib keeps the last 32 KiB,
** charged to the budget.
*/
#include "core/codec/codec_inside.h"

#define ZLIB_CONST
#include <zlib.h>

enum { WINDOW_BITS = 15, GZIP_WRAPPER = 16 };

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

/* With Z_FINISH a full step returns Z_BUF_ERROR.  As long as there is room
** after it, that is not an error. */
static PqRc inflate_steps(z_stream *z, const PqStop *stop, size_t room,
                          int *result, PqErr *e)
{
    for (;;) {
        uInt step = (uInt)(room < PQ_STEP_BYTES ? room : PQ_STEP_BYTES);

        z->avail_out = step;
        *result = inflate(z, Z_FINISH);
        room -= step - z->avail_out;
        if (*result != Z_BUF_ERROR || z->avail_out || !room) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(stop, e));
    }
}

PqRc pq_gzip_inflate_steps(PqCodecState *s, bool zlib, PqSlice *in,
                           uint8_t *out, size_t room, size_t *n_out, PqErr *e)
{
    z_stream z = {.zalloc = lib_alloc, .zfree = pq_codec_lib_free,
                  .opaque = s};
    PqRc rc;
    int result;

    if (inflateInit2(&z, zlib ? WINDOW_BITS : WINDOW_BITS + GZIP_WRAPPER) !=
        Z_OK) {
        return pq_codec_fail_memory("GZIP", e);
    }
    z.next_in = in->p;
    z.avail_in = (uInt)in->n;
    z.next_out = out;
    PQ_GO(inflate_steps(&z, s->stop, room, &result, e));
    if (result == Z_STREAM_END) {
        in->p += z.total_in;
        in->n -= z.total_in;
        *n_out = z.total_out;
    } else {
        rc = fail(&z, result, s->n_out, e);
    }
done:
    inflateEnd(&z);
    return rc;
}
