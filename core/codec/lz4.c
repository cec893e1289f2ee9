/*
** lz4.c - one compression, and three ways writers wrapped it.
**
** LZ4_RAW is a block and nothing else.  The deprecated LZ4 is a block in
** whatever its writer thought the format meant, and the page does not say
** which:
**
**   hadoop  := group*                  size of the group, big-endian
**   group   := size (size block)+      compressed size, block; until the
**                                      blocks have given the group's size
**   frame   := 04 22 4d 18 ...         LZ4's own frame format, one or more
**   raw     := block
**
** Tried in this order, and each accepts only what it explains to the last
** byte.  No page fits two of them.  The high half of a block's first byte
** cannot be zero, because the block would then copy bytes from before the page.
** In a frame that half is zero, and in a Hadoop page of less than 16 MiB too.
** A frame could be a Hadoop page only if the page had 0x04224d18 bytes and
** everything else agreed as well.
**
** QUIRK: parquet-cpp and fastparquet wrote raw blocks before LZ4_RAW existed,
** and frames for a time; parquet-cpp since 2.0 writes one Hadoop group per
** page.  Hadoop itself (parquet-mr) writes a group per 128 KiB, or one group
** of several blocks.  A page of no bytes is a group of size 0, alone (Hadoop)
** or with an empty block after it (parquet-cpp).
** Test: codec_streams.lz4_reads_a_hadoop_group_of_several_blocks and around it.
*/
#define LZ4F_STATIC_LINKING_ONLY
#include "core/codec/codec_inside.h"

#include <lz4.h>
#include <lz4frame.h>

static const char name[] = "LZ4";
static const char name_raw[] = "LZ4_RAW";

/* A byte of a block adds at most 255 to a length.  Everything else in a block
** stands for fewer bytes, and the wrappers only add to the compressed size. */
enum { MOST_PER_BYTE = 255 };

/* Bytes of a frame between two questions whether to stop. */
enum { PIECE = 1 << 16 };

/* Decoding in steps: the size of the first one, and up to what share of the
** page it goes on. */
enum { UNPACK_LEAST = 1 << 16, UNPACK_SHARE = 2 };

static PqRc find_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    claim->least = 0;
    claim->most = (uint64_t)in.n * MOST_PER_BYTE;
    return PQ_OK;
}

/* The number of bytes that came out, or -1: damaged, or more than room. */
static int decode_block(PqSlice in, uint8_t *out, size_t room)
{
    return LZ4_decompress_safe((const char *)in.p, (char *)out, (int)in.n,
                               (int)room);
}

static PqRc decode_raw(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                       PqErr *e)
{
    int n;

    PQ_TRY(pq_codec_touch(s, out, n_out, e));
    n = decode_block(in, out, n_out);
    if (n < 0) {
        return pq_fail(e, PQ_CORRUPT, "%s: the data is damaged, or "
                       "decompresses to more than the %zu bytes announced",
                       name_raw, n_out);
    }
    return (size_t)n == n_out
               ? PQ_OK : pq_codec_fail_short(name_raw, (size_t)n, n_out, e);
}

/* The library can stop but not go on: each step starts again from the
** beginning.  So each step is twice as long as the one before, and when more
** than a share of the page is wanted, all of it is decoded. */
static PqRc unpack_begin(PqUnpack *u, PqErr *e)
{
    u->whole = u->n_out > (u->feed->n + u->feed->left) * MOST_PER_BYTE;
    return PQ_OK;
}

static PqRc unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    size_t want = expect < UNPACK_LEAST ? UNPACK_LEAST : expect;
    int n;

    want = want < 2 * u->at ? 2 * u->at : want;
    u->whole = want > u->n_out / UNPACK_SHARE;
    if (u->whole) {
        return PQ_OK;
    }
    PQ_TRY(pq_unpack_feed(u, SIZE_MAX, e));
    n = LZ4_decompress_safe_partial((const char *)u->feed->p, (char *)u->out,
                                    (int)u->feed->n, (int)want, (int)want);
    u->whole = n < 0 || (size_t)n != want;
    u->at = u->whole ? u->at : want;
    return pq_stop_poll(u->state->stop, e);
}

static bool take_u32_be(PqSlice *s, uint32_t *out)
{
    if (s->n < 4) {
        return false;
    }
    *out = (uint32_t)s->p[0] << 24 | (uint32_t)s->p[1] << 16 |
           (uint32_t)s->p[2] << 8 | s->p[3];
    pq_slice_cut(s, 4);
    return true;
}

/* Takes a block with its size before it, of at least one byte. */
static bool take_sized_block(PqSlice *in, uint8_t *out, size_t room, size_t *n)
{
    uint32_t n_block;
    int came;

    if (!take_u32_be(in, &n_block) || n_block == 0 || n_block > in->n) {
        return false;
    }
    came = decode_block(pq_slice_cut(in, n_block), out, room);
    *n = came > 0 ? (size_t)came : 0;
    return came > 0;
}

/* False with an error in e when the user stopped it, without one when the page
** is something else. */
static bool decode_hadoop(PqCodecState *s, PqSlice in, uint8_t *out,
                          size_t n_out, PqErr *e)
{
    static const uint8_t block_of_nothing[] = {0, 0, 0, 1, 0};
    size_t at = 0, asked_at = 0, n;
    uint32_t group;

    while (in.n) {
        if (!take_u32_be(&in, &group) || group > n_out - at) {
            return false;
        }
        if (group == 0 && pq_slice_equal(in, pq_slice(block_of_nothing, 5))) {
            break;
        }
        while (group > 0) {
            if (!take_sized_block(&in, out + at, group, &n)) {
                return false;
            }
            at += n;
            group -= (uint32_t)n;
            if (at - asked_at >= PQ_STEP_BYTES) {
                asked_at = at;
                if (pq_stop_poll(s->stop, e) != PQ_OK) {
                    return false;
                }
            }
        }
    }
    return at == n_out;
}

static bool begins_a_frame(PqSlice in)
{
    return in.n >= 4 && pq_load_u32(in.p) == LZ4F_MAGICNUMBER;
}

static PqRc decode_frames(PqCodecState *s, LZ4F_dctx *lib, PqSlice in,
                          uint8_t *out, size_t n_out, PqErr *e)
{
    static const LZ4F_decompressOptions_t options = {.stableDst = 1};
    size_t at = 0, expects = 0;

    while (in.n) {
        size_t took = in.n < PIECE ? in.n : PIECE, gave = n_out - at;

        expects = LZ4F_decompress(lib, out + at, &gave, in.p, &took, &options);
        if (LZ4F_isError(expects)) {
            return pq_codec_fail_damaged(name, LZ4F_getErrorName(expects), e);
        }
        if (took == 0 && gave == 0) {
            return pq_codec_fail_long(name, n_out, e);
        }
        pq_slice_cut(&in, took);
        at += gave;
        PQ_TRY(pq_stop_poll(s->stop, e));
    }
    if (expects) {
        return pq_codec_fail_damaged(name, "a frame is cut off", e);
    }
    return at == n_out ? PQ_OK : pq_codec_fail_short(name, at, n_out, e);
}

static PqRc decode_in_frames(PqCodecState *s, PqSlice in, uint8_t *out,
                             size_t n_out, PqErr *e)
{
    LZ4F_CustomMem memory = {pq_codec_lib_alloc, NULL, pq_codec_lib_free, s};
    LZ4F_dctx *lib = LZ4F_createDecompressionContext_advanced(memory,
                                                              LZ4F_VERSION);
    PqRc rc;

    if (!lib) {
        return pq_codec_fail_memory(name, e);
    }
    rc = decode_frames(s, lib, in, out, n_out, e);
    LZ4F_freeDecompressionContext(lib);
    return rc;
}

static PqRc decode_framed(PqCodecState *s, PqSlice in, uint8_t *out,
                          size_t n_out, PqErr *e)
{
    int n;

    if (decode_hadoop(s, in, out, n_out, e) || e->rc != PQ_OK) {
        return e->rc;
    }
    if (begins_a_frame(in)) {
        return decode_in_frames(s, in, out, n_out, e);
    }
    PQ_TRY(pq_codec_touch(s, out, n_out, e));
    n = decode_block(in, out, n_out);
    if (n < 0 || (size_t)n != n_out) {
        return pq_fail(e, PQ_CORRUPT, "%s: neither Hadoop's framing, nor a "
                       "frame, nor a raw block of %zu bytes", name, n_out);
    }
    return PQ_OK;
}

static void version(PqBuf *out)
{
    pq_buf_printf(out, "lz4 %s", LZ4_versionString());
}

const PqCodecWork pq_codec_lz4_raw = {
    .claim = find_claim, .decode = decode_raw, .encode = pq_lz4_encode_raw,
    .version = version, .unpack_begin = unpack_begin, .unpack_more = unpack_more,
};

const PqCodecWork pq_codec_lz4 = {
    .claim = find_claim, .decode = decode_framed, .encode = pq_lz4_encode_framed,
};
