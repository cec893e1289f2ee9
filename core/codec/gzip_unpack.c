/*
** gzip_unpack.c - the first part of a page, by zlib, which can stop anywhere.
**
** What is hard is to know when to give up: libdeflate decodes a whole page in
** the time zlib takes for a part.  So when more than that part is wanted, or
** the page is anything but one member with the announced size, whole is set.
*/
#include "core/codec/codec_inside.h"

#define ZLIB_CONST
#include <zlib.h>

enum {
    WINDOW_BITS = 15,
    GZIP_WRAPPER = 16,
    STEP = 1 << 16,
    SHARE = 4                        /* more than a quarter: decode it all  */
};

static void *lib_alloc(void *state, unsigned count, unsigned size)
{
    return pq_codec_lib_alloc(state, (size_t)count * size);
}

void pq_gzip_unpack_free(PqUnpack *u)
{
    inflateEnd(u->lib);
    pq_mem_free(u->lib);
}

static PqRc new_stream(PqUnpack *u, int bits, PqErr *e)
{
    z_stream *z = pq_mem_zeros(u->state->mem, 1, sizeof *z, e);

    if (!z) {
        return e->rc;
    }
    z->zalloc = lib_alloc;
    z->zfree = pq_codec_lib_free;
    z->opaque = u->state;
    if (inflateInit2(z, bits) != Z_OK) {
        pq_mem_free(z);
        return pq_codec_fail_memory("GZIP", e);
    }
    u->lib = z;
    return PQ_OK;
}

PqRc pq_gzip_unpack_begin(PqUnpack *u, PqErr *e)
{
    PqSlice all = {u->feed->p, u->feed->n + u->feed->left};
    PqCodecClaim claim;
    bool zlib = false;
    int bits;

    PQ_TRY(pq_gzip_claim(all, &claim, e));
    PQ_TRY(pq_unpack_feed(u, 2, e));
    u->whole = u->n_out > claim.most ||
               pq_gzip_find_wrapper(pq_slice(u->feed->p, u->feed->n), &zlib,
                                    e) != PQ_OK;
    if (u->whole) {
        pq_err_clear(e);
        return PQ_OK;
    }
    bits = zlib ? WINDOW_BITS : WINDOW_BITS + GZIP_WRAPPER;
    if (!u->lib) {
        return new_stream(u, bits, e);
    }
    u->whole = inflateReset2(u->lib, bits) != Z_OK;
    return PQ_OK;
}

PqRc pq_gzip_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    z_stream *z = u->lib;
    PqFeed *f = u->feed;

    upto = upto - u->at < STEP ? u->at + STEP : upto;
    u->whole = upto > u->n_out / SHARE || expect > u->n_out / SHARE;
    while (u->at < upto && !u->whole) {
        int result;

        PQ_TRY(pq_unpack_feed_some(u, e));
        z->next_in = f->p;
        z->avail_in = (uInt)f->n;
        z->next_out = u->out + u->at;
        z->avail_out = (uInt)(upto - u->at < STEP ? upto - u->at : STEP);
        result = inflate(z, Z_NO_FLUSH);
        PQ_TRY(e->rc);
        pq_unpack_took(u, f->n - z->avail_in);
        u->at = (size_t)(z->next_out - u->out);
        u->whole = result != Z_OK;     /* damaged, or it ends too early */
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    return PQ_OK;
}
