/*
** gzip.c - pages of gzip members or zlib streams: inflated in steps, deflated,
** and the first part of a page.
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
** whichever was linked.  Only zlib deflates: it takes an allocator, and every
** reader has seen its output.  It also inflates large members, which the user
** may interrupt, and what is wanted of a page in part.
*/
#include "core/codec/codec_inside.h"

#define ZLIB_CONST
#include <zlib.h>

static const char name[] = "GZIP";

enum { CHECKSUM = 4, WINDOW_BITS = 15, GZIP_WRAPPER = 16, MEMORY_LEVEL = 8 };

enum {
    PACK_STEP = 1 << 14,             /* level 9 takes up to a second for 1 MB */
    UNPACK_STEP = 1 << 16,
    UNPACK_SHARE = 4                 /* more than a quarter: decode it all   */
};

/* One length code and one distance code stand for at most 258 bytes, and a code
** has at least one bit: 258 bytes in 2 bits. */
enum { MOST_PER_BYTE = 258 * 8 / 2 };

static PqRc find_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    claim->least = 0;
    claim->most = (uint64_t)in.n * MOST_PER_BYTE;
    return PQ_OK;
}

static void *lib_alloc(void *state, unsigned count, unsigned size)
{
    return pq_codec_lib_alloc(state, (size_t)count * size);
}

static z_stream new_stream(PqCodecState *s)
{
    return (z_stream){.zalloc = lib_alloc, .zfree = pq_codec_lib_free,
                      .opaque = s};
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
** 8, the high half a window size of 2^15 at most.  Fails when it is neither. */
static PqRc find_wrapper(PqSlice in, bool *zlib, PqErr *e)
{
    unsigned a = in.n > 0 ? in.p[0] : 0, b = in.n > 1 ? in.p[1] : 0;

    *zlib = (a & 0x8f) == 0x08 && (a << 8 | b) % 31 == 0;
    if (*zlib || (a == 0x1f && b == 0x8b)) {
        return PQ_OK;
    }
    return pq_codec_fail_damaged(name, "neither a gzip nor a zlib header", e);
}

static PqRc decode_page(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                        PqErr *e)
{
    size_t at = 0;

    do {
        bool zlib;
        size_t n = 0;

        PQ_TRY(find_wrapper(in, &zlib, e));
        PQ_TRY(pq_gzip_inflate(s, zlib, &in, out + at, n_out - at, &n, e));
        at += n;
    } while (!only_zeros(in));
    return at == n_out ? PQ_OK : pq_codec_fail_short(name, at, n_out, e);
}

/* ---- inflating in steps ------------------------------------------------ */

static int window_bits(bool zlib)
{
    return zlib ? WINDOW_BITS : WINDOW_BITS + GZIP_WRAPPER;
}

static PqRc fail(const z_stream *z, int result, size_t n_out, PqErr *e)
{
    if (result == Z_MEM_ERROR) {
        return pq_codec_fail_memory(name, e);
    }
    if (result == Z_BUF_ERROR) {
        return z->avail_in > 0 ? pq_codec_fail_long(name, n_out, e)
                               : pq_codec_fail_damaged(name, "cut off", e);
    }
    return pq_codec_fail_damaged(name, z->msg ? z->msg : zError(result), e);
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

/* The whole member is there and the whole room for its output, so a page of one
** step is one call without a window.  Between steps zlib keeps the last 32 KiB,
** charged to the budget. */
PqRc pq_gzip_inflate_steps(PqCodecState *s, bool zlib, PqSlice *in,
                           uint8_t *out, size_t room, size_t *n_out, PqErr *e)
{
    z_stream z = new_stream(s);
    PqRc rc;
    int result;

    if (inflateInit2(&z, window_bits(zlib)) != Z_OK) {
        return pq_codec_fail_memory(name, e);
    }
    z.next_in = in->p;
    z.avail_in = (uInt)in->n;
    z.next_out = out;
    PQ_GO(inflate_steps(&z, s->stop, room, &result, e));
    if (result == Z_STREAM_END) {
        pq_slice_cut(in, z.total_in);
        *n_out = z.total_out;
    } else {
        rc = fail(&z, result, s->n_out, e);
    }
done:
    inflateEnd(&z);
    return rc;
}

/* One stream, whose size nobody knows. */
static PqRc decode_all(PqCodecState *s, bool raw, PqSlice in, size_t most, PqBuf *out,
                       PqErr *e)
{
    z_stream z = new_stream(s);
    int result = Z_OK;
    PqRc rc;

    if (inflateInit2(&z, raw ? -WINDOW_BITS : window_bits(false)) != Z_OK) {
        return pq_codec_fail_memory(name, e);
    }
    z.next_in = in.p;
    z.avail_in = (uInt)in.n;
    while (result == Z_OK) {
        PQ_GO(pq_codec_more_room(s, 4 * (size_t)z.avail_in, most, out, e));
        z.next_out = out->p + out->n;
        z.avail_out = (uInt)(out->room - out->n < most - out->n ? out->room - out->n
                                                                : most - out->n);
        result = inflate(&z, Z_NO_FLUSH);
        out->n = (size_t)(z.next_out - out->p);
    }
    /* QUIRK: PyIceberg leaves three bytes of zlib's checksum there: iceberg.test. */
    if (result != Z_STREAM_END) {
        rc = fail(&z, result, most, e);
    } else if (z.avail_in > (raw ? CHECKSUM : 0)) {
        rc = pq_codec_fail_damaged(name, "bytes follow the stream", e);
    }
done:
    inflateEnd(&z);
    return rc;
}

/* ---- deflating --------------------------------------------------------- */

/* The output does not depend on how much goes in at a time. */
static PqRc deflate_steps(z_stream *z, const PqStop *stop, PqSlice in, PqErr *e)
{
    for (;;) {
        PqSlice step = pq_slice_cut(&in, PACK_STEP);
        int flush = in.n == 0 ? Z_FINISH : Z_NO_FLUSH;

        z->next_in = step.p;
        z->avail_in = (uInt)step.n;
        if (deflate(z, flush) != (flush == Z_FINISH ? Z_STREAM_END : Z_OK)) {
            return pq_fail(e, PQ_USAGE, "%s: zlib exceeds its own bound", name);
        }
        if (flush == Z_FINISH) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(stop, e));
    }
}

static PqRc encode_page(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                        PqErr *e)
{
    z_stream z = new_stream(s);
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

/* ---- the first part of a page ---------------------------------------------
**
** What is hard is to know when to give up: libdeflate decodes a whole page in
** the time zlib takes for a part.  So when more than that part is wanted, or
** the page is anything but one member with the announced size, whole is set. */

static void unpack_free(PqUnpack *u)
{
    inflateEnd(u->lib);
    pq_mem_free(u->lib);
}

static PqRc make_lib(PqUnpack *u, bool zlib, PqErr *e)
{
    z_stream *z;

    PQ_TRY(PQ_NEW(u->state->mem, z, 1, e));
    *z = new_stream(u->state);
    if (inflateInit2(z, window_bits(zlib)) != Z_OK) {
        pq_mem_free(z);
        return pq_codec_fail_memory(name, e);
    }
    u->lib = z;
    return PQ_OK;
}

static PqRc unpack_begin(PqUnpack *u, PqErr *e)
{
    PqSlice all = {u->feed->p, u->feed->n + u->feed->left};
    PqCodecClaim claim;
    bool zlib = false;

    PQ_TRY(find_claim(all, &claim, e));
    PQ_TRY(pq_unpack_feed(u, 2, e));
    u->whole = u->n_out > claim.most ||
               find_wrapper(pq_slice(u->feed->p, u->feed->n), &zlib, e) !=
                   PQ_OK;
    if (u->whole) {
        pq_err_clear(e);
        return PQ_OK;
    }
    if (!u->lib) {
        return make_lib(u, zlib, e);
    }
    u->whole = inflateReset2(u->lib, window_bits(zlib)) != Z_OK;
    return PQ_OK;
}

static PqRc unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    z_stream *z = u->lib;
    PqFeed *f = u->feed;

    upto = upto - u->at < UNPACK_STEP ? u->at + UNPACK_STEP : upto;
    u->whole = (upto > expect ? upto : expect) > u->n_out / UNPACK_SHARE;
    while (u->at < upto && !u->whole) {
        int result;

        PQ_TRY(pq_unpack_feed_some(u, e));
        z->next_in = f->p;
        z->avail_in = (uInt)f->n;
        z->next_out = u->out + u->at;
        z->avail_out = (uInt)(upto - u->at < UNPACK_STEP ? upto - u->at
                                                         : UNPACK_STEP);
        result = inflate(z, Z_NO_FLUSH);
        PQ_TRY(e->rc);
        pq_unpack_took(u, f->n - z->avail_in);
        u->at = (size_t)(z->next_out - u->out);
        u->whole = result != Z_OK;     /* damaged, or it ends too early */
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    return PQ_OK;
}

static void version(PqBuf *out)
{
    pq_buf_printf(out, "zlib %s, inflate by %s", zlibVersion(),
                  pq_gzip_inflate_version());
}

const PqCodecWork pq_codec_gzip = {
    .claim = find_claim, .decode = decode_page, .encode = encode_page,
    .version = version, .decode_all = decode_all,
    .state_free = pq_gzip_inflate_free, .unpack_begin = unpack_begin,
    .unpack_more = unpack_more, .unpack_free = unpack_free,
};
