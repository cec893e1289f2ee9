/*
** lz4_encode.c - LZ4 blocks, large ones in steps.
**
**   block    := sequence* last
**   sequence := token  more of L*  L literals  offset  more of M*
**   last     := token  more of L*  L literals          L in the token's high
**                                                      half, M in its low one
**
** The library compresses a block in one call.  It can also compress a piece so
** that it refers to the pieces before, but it makes a block of each.  Only one
** thing keeps two blocks from being one: the last sequence of the first has
** literals and no match.  These literals are moved to the first sequence of the
** second block.
**
**   "abcdefgh", 12 from 8 back    "vwxyz" | "12345", 6 from 9 back    "67890"
**   88 6162636465666768 0800             | 52 3132333435 0900
**                        50 767778797a   |               50 3637383930
**   88 6162636465666768 0800   a2 767778797a 3132333435 0900   50 3637383930
**
** Literals are bytes of the page and lie there side by side.  So the literals
** of a last sequence are only counted until the sequence that takes them is
** known.
*/
#include "core/codec/codec_inside.h"

#include <lz4.h>
#include <lz4hc.h>

static const char name[] = "LZ4_RAW";

/* The highest level takes a third of a second for a megabyte of its worst
** input.  The fast ones take half a gigabyte a second. */
enum { PIECE = 1 << 17, FAST_WHOLE = 8 << 20, FAST_PIECE = 1 << 20 };

enum { NIBBLE = 15, OFFSET_BYTES = 2 };

/* Levels as in the lz4 tool: up to 2 fast, from 3 on high compression, which
** needs more working memory. */
typedef struct Encoder {
    PqCodecState *state;
    void *work;
    int   level;
    bool  is_high;
} Encoder;

static PqRc encoder_init(Encoder *c, PqCodecState *s, int level, PqErr *e)
{
    int n;

    c->state = s;
    c->level = level;
    c->is_high = level >= LZ4HC_CLEVEL_MIN;
    n = c->is_high ? LZ4_sizeofStateHC() : LZ4_sizeofState();
    c->work = pq_mem_alloc(s->mem, (size_t)n, e);
    return c->work ? PQ_OK : e->rc;
}

/* Appends a block; 0 bytes of input become one byte. */
static PqRc encode_block(Encoder *c, PqSlice in, PqBuf *out, PqErr *e)
{
    int bound = LZ4_compressBound((int)in.n), n;
    const char *from = (const char *)in.p;
    char *to;

    if (bound == 0) {
        return pq_fail(e, PQ_USAGE, "%s: %zu bytes are too many for one block",
                       name, in.n);
    }
    PQ_TRY(pq_buf_reserve(out, (size_t)bound, e));
    to = (char *)out->p + out->n;
    n = c->is_high ? LZ4_compress_HC_extStateHC(c->work, from, to, (int)in.n,
                                                bound, c->level)
                   : LZ4_compress_fast_extState(c->work, from, to, (int)in.n,
                                                bound, 1);
    if (n <= 0) {                      /* the bound leaves no other reason */
        return pq_codec_fail_memory(name, e);
    }
    out->n += (size_t)n;
    return PQ_OK;
}

/* ---- in steps -------------------------------------------------------------- */

/* The bytes of a length that does not fit its half of the token. */
static size_t take_more(const uint8_t **p)
{
    size_t n = 0;

    while (**p == 255) {
        n += 255;
        (*p)++;
    }
    return n + *(*p)++;
}

static size_t take_length(unsigned half, const uint8_t **p)
{
    return half == NIBBLE ? NIBBLE + take_more(p) : half;
}

/* The last sequence of a block, and how many literals it has.  The library
** wrote the block, so nothing is checked. */
static const uint8_t *find_last(PqSlice block, size_t *literals)
{
    const uint8_t *p = block.p, *end = block.p + block.n;

    for (;;) {
        const uint8_t *token = p++;

        *literals = take_length(*token >> 4, &p);
        p += *literals;
        if (p >= end) {
            return token;
        }
        p += OFFSET_BYTES;
        take_length(*token & NIBBLE, &p);
    }
}

static uint8_t *put_literals(uint8_t *to, const uint8_t *from, size_t n,
                             unsigned match)
{
    size_t more = n - NIBBLE;

    *to++ = (uint8_t)((n < NIBBLE ? n : NIBBLE) << 4 | match);
    if (n >= NIBBLE) {
        for (; more >= 255; more -= 255) {
            *to++ = 255;
        }
        *to++ = (uint8_t)more;
    }
    memcpy(to, from, n);
    return to + n;
}

/* Appends a compressed piece.  *pending is the number of literals before the
** piece that belong to no sequence yet; afterwards it is the number of such
** literals at its end. */
static uint8_t *splice(PqSlice block, const uint8_t *piece, size_t *pending,
                       uint8_t *to)
{
    const uint8_t *at = block.p + 1;
    size_t first = take_length(*block.p >> 4, &at), literals, n;
    const uint8_t *last = find_last(block, &literals);

    if (last == block.p) {             /* it has no match */
        *pending += literals;
        return to;
    }
    at += first;
    n = (size_t)(last - at);
    to = put_literals(to, piece - *pending, *pending + first,
                      *block.p & NIBBLE);
    memcpy(to, at, n);
    *pending = literals;
    return to + n;
}

static int encode_piece(Encoder *c, PqSlice in, uint8_t *to, int room)
{
    const char *from = (const char *)in.p;

    return c->is_high
               ? LZ4_compress_HC_continue(c->work, from, (char *)to, (int)in.n,
                                          room)
               : LZ4_compress_fast_continue(c->work, from, (char *)to,
                                            (int)in.n, room, 1);
}

static void begin_pieces(Encoder *c)
{
    if (c->is_high) {
        LZ4_initStreamHC(c->work, (size_t)LZ4_sizeofStateHC());
        LZ4_resetStreamHC_fast(c->work, c->level);
    } else {
        LZ4_initStream(c->work, (size_t)LZ4_sizeofState());
    }
}

static PqRc encode_pieces(Encoder *c, PqSlice in, size_t piece, PqBuf *block,
                          PqBuf *out, PqErr *e)
{
    size_t bound = (size_t)LZ4_compressBound((int)in.n), pending = 0;
    int room = LZ4_compressBound((int)piece);
    uint8_t *to;

    PQ_TRY(pq_buf_reserve(block, (size_t)room, e));
    PQ_TRY(pq_buf_reserve(out, bound, e));
    to = out->p + out->n;
    begin_pieces(c);
    while (in.n) {
        PqSlice now = pq_slice_cut(&in, piece);
        int came = encode_piece(c, now, block->p, room);

        if (came <= 0) {
            return pq_codec_fail_memory(name, e);
        }
        to = splice(pq_slice(block->p, (size_t)came), now.p, &pending, to);
        PQ_TRY(pq_stop_poll(c->state->stop, e));
    }
    to = put_literals(to, in.p - pending, pending, 0);
    out->n = (size_t)(to - out->p);
    return PQ_OK;
}

PqRc pq_lz4_encode_raw(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                       PqErr *e)
{
    PqBuf block;
    Encoder c;
    size_t whole;
    PqRc rc;

    PQ_TRY(encoder_init(&c, s, level, e));
    pq_buf_init(&block, s->mem, NULL);
    whole = c.is_high ? PIECE : FAST_WHOLE;
    rc = in.n <= whole || in.n > LZ4_MAX_INPUT_SIZE
             ? encode_block(&c, in, out, e)
             : encode_pieces(&c, in, c.is_high ? PIECE : FAST_PIECE, &block,
                             out, e);
    pq_buf_free(&block);
    pq_mem_free(c.work);
    return rc;
}

/* ---- the deprecated framing ------------------------------------------------- */

static void store_u32_be(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

static PqRc encode_group(Encoder *c, PqSlice in, PqBuf *out, PqErr *e)
{
    size_t head = out->n;

    PQ_TRY(pq_buf_reserve(out, 8, e));
    out->n += 8;
    PQ_TRY(encode_block(c, in, out, e));
    store_u32_be(out->p + head, in.n);
    store_u32_be(out->p + head + 4, out->n - head - 8);
    return PQ_OK;
}

/* As Hadoop writes it.  Its reader has a buffer of 256 KiB for a block. */
enum { GROUP_BYTES = 128 * 1024 };

PqRc pq_lz4_encode_framed(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                          PqErr *e)
{
    size_t start = out->n;
    Encoder c;
    PqRc rc;

    PQ_TRY(encoder_init(&c, s, level, e));
    do {
        PQ_GO(encode_group(&c, pq_slice_cut(&in, GROUP_BYTES), out, e));
        PQ_GO(pq_stop_poll(s->stop, e));
    } while (in.n);
done:
    if (rc != PQ_OK) {
        out->n = start;
    }
    pq_mem_free(c.work);
    return rc;
}
