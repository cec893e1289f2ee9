/*
** snappy.c - streams, whole or block by block, and memory that cannot be seen.
**
**   stream  := varint(length of the whole)  element*
**   element := literal | copy of 1..64 bytes from before
**
** The length is part of the stream, so a claim is checked exactly.  Whether the
** stream can hold so much is checked too: the densest element is a copy of 64
** bytes in 3.
**
** Encoders compress 64 KiB at a time and look back no further, so such a block
** is a stream of its own without the length.  That makes steps possible: a walk
** over its elements finds where a block ends, and a length for the library is
** written before it, over bytes that were already taken.  The format does not
** promise any of this, so a page that is different is decoded whole.  The walk
** takes half of the time that decoding takes.
**
** Decoding allocates nothing.  Encoding allocates in C++, which takes no
** allocator of ours, and a failing operator new would end the process.  See
** pay_for_encoder.
*/
#include "core/codec/codec_inside.h"

#include <snappy-c.h>

static const char name[] = "SNAPPY";

enum {
    COPY_MOST = 64,
    COPY_COST = 3,
    MOST_LENGTH = 5,                   /* bytes of a length */
    PACK_WHOLE = 4 << 20,              /* compressed in one call, in 10 ms */
    ENCODER_BYTES = 224 * 1024         /* see encoder_bytes */
};

static PqRc length_of(PqSlice in, size_t *n, PqErr *e)
{
    return snappy_uncompressed_length((const char *)in.p, in.n, n)
               ? pq_codec_fail_damaged(name, "it does not begin with a length",
                                       e)
               : PQ_OK;
}

static PqRc find_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    size_t n;

    PQ_TRY(length_of(in, &n, e));
    claim->least = n;
    claim->most = n <= (uint64_t)in.n * COPY_MOST / COPY_COST ? n : 0;
    return PQ_OK;
}

static PqRc decode_page(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                        PqErr *e)
{
    size_t n;

    PQ_TRY(length_of(in, &n, e));
    if (n != n_out) {
        return pq_codec_fail_short(name, n, n_out, e);
    }
    PQ_TRY(pq_codec_touch(s, out, n_out, e));
    if (snappy_uncompress((const char *)in.p, in.n, (char *)out, &n)) {
        return pq_codec_fail_damaged(name, "not a valid stream", e);
    }
    return PQ_OK;
}

enum {
    BLOCK = 1 << 16,
    BLOCK_PACKED = BLOCK + BLOCK / 6 + 32,     /* its largest encoding */
    FIRST_PIECE = 1 << 12,
    UNPACK_SHARE = 2                   /* from half on, the rest at once */
};

static PqRc unpack_begin(PqUnpack *u, PqErr *e)
{
    size_t says, i = 0;

    PQ_TRY(pq_unpack_feed(u, MOST_LENGTH, e));
    u->whole = snappy_uncompressed_length((const char *)u->feed->p, u->feed->n,
                                          &says) != SNAPPY_OK ||
               says != u->n_out ||
               says > (uint64_t)(u->feed->n + u->feed->left) * COPY_MOST /
                          COPY_COST;
    if (u->whole) {
        return PQ_OK;
    }
    while (u->feed->p[i++] >= 0x80) {
    }
    pq_unpack_took(u, i);
    return PQ_OK;
}

/* The sizes of an element, encoded and decoded, by its first byte. */
typedef struct Tag {
    uint8_t n_in, n_out;             /* 0: a literal with its length after  */
} Tag;

#define LITERAL(i)  {(i) < 60 ? (i) + 2 : 0, (i) + 1}
#define SHORT(i)    {2, ((i) & 7) + 4}
#define COPY(i, n)  {(n), (i) + 1}
#define TAGS_1(i)   LITERAL(i), SHORT(i), COPY(i, 3), COPY(i, 5)
#define TAGS_4(i)   TAGS_1(i), TAGS_1((i) + 1), TAGS_1((i) + 2), TAGS_1((i) + 3)
#define TAGS_16(i)  TAGS_4(i), TAGS_4((i) + 4), TAGS_4((i) + 8), \
                    TAGS_4((i) + 12)

static const Tag tags[256] = {
    TAGS_16(0), TAGS_16(16), TAGS_16(32), TAGS_16(48)
};

/* Does a copy, which begins with these four bytes, look back to bytes of its block, which
** has `had` so far?  Copies of encoders that look back 64 KiB have one or two bytes for
** that. */
static inline bool is_within(uint32_t copy, size_t had)
{
    size_t two = -(size_t)(copy >> 1 & 1);       /* a branch on it is guessed wrong */
    size_t back = (copy >> 8 & (two | 0xff) & 0xffff) | ((copy & 0xe0) << 3 & ~two);

    return (back - 1 < had) & ((copy & 3) != 3); /* 0 bytes back is damage      */
}

/* Takes an element of a block that has `had` bytes so far.  Returns how many bytes it
** decodes to, 0 if it is cut off or looks back beyond the block. */
static size_t pass_element(PqSlice *s, size_t had)
{
    size_t n_in = tags[s->p[0]].n_in, n_out = tags[s->p[0]].n_out;

    if (n_in == 0) {
        unsigned extra = (s->p[0] >> 2) - 59;

        if (s->n <= extra) {
            return 0;
        }
        n_out = 0;
        for (unsigned i = 0; i < extra; i++) {
            n_out |= (size_t)s->p[1 + i] << (8 * i);
        }
        n_out++;
        n_in = 1 + extra + n_out;
    }
    if (n_in > s->n || ((s->p[0] & 3) && (s->n < 4 || !is_within(pq_load_u32(s->p), had)))) {
        return 0;
    }
    pq_slice_cut(s, n_in);
    return n_out;
}

/* Elements from the front of a block. */
typedef struct Piece {
    size_t n_in, n_out;              /* 0: cut off, or not a block          */
} Piece;

/* Passes literals of up to 60 bytes and copies, up to nearly n decoded bytes: it stops
** before an element could reach beyond n or the end.  The next element waits for the size
** of this one.  So a short literal and the copy after it come from one word: to shift it
** takes less time than to load the next. */
static size_t pass_elements(PqSlice *s, size_t had, size_t n)
{
    const uint8_t *p = s->p, *end = s->p + s->n;
    size_t at = had;

    while (end - p > COPY_MOST && at + 2 * COPY_MOST < had + n) {
        uint64_t word = pq_load_u64(p);
        unsigned kind = word & 3, literal = word >> 2 & 0x3f;

        if (kind == 0) {
            if (literal > 59) {
                break;
            }
            p += literal + 2;
            at += literal + 1;
            if (literal > 3) {           /* the word lacks bytes of a copy after it */
                continue;
            }
            word >>= 8 * (literal + 2);
            kind = word & 3;
        }
        if (kind != 0) {
            if (!is_within((uint32_t)word, at)) {
                break;
            }
            p += kind + 1;
            at += tags[word & 0xff].n_out;
        }
    }
    s->p = p;
    s->n = (size_t)(end - p);
    return at - had;
}

/* Finds elements that decode to at least n bytes, but no more than a block.
** For n == BLOCK they end exactly with the block. */
static Piece find_piece(PqSlice in, size_t n)
{
    const uint8_t *begin = in.p;
    size_t came, n_out = 0;

    while (n_out < n && in.n > 0) {
        n_out += pass_elements(&in, n_out, n - n_out);
        came = pass_element(&in, n_out);
        n_out += came;
        if (came == 0 || n_out > BLOCK) {
            return (Piece){0, 0};
        }
    }
    return n_out < n ? (Piece){0, 0} : (Piece){(size_t)(in.p - begin), n_out};
}

/* The same in the feed, which brings in bytes if there are too few. */
static PqRc need_piece(PqUnpack *u, size_t n, Piece *out, PqErr *e)
{
    PqFeed *f = u->feed;

    *out = find_piece(pq_slice(f->p, f->n), n);
    if (out->n_in == 0 && f->left > 0 && f->n < BLOCK_PACKED) {
        PQ_TRY(pq_unpack_feed(u, BLOCK_PACKED, e));
        *out = find_piece(pq_slice(f->p, f->n), n);
    }
    u->whole = out->n_in == 0;
    return PQ_OK;
}

/* Writes a length as a varint; returns how many bytes that took. */
static size_t put_length(uint8_t *p, size_t n)
{
    size_t i = 0;

    for (; n >= 0x80; n >>= 7) {
        p[i++] = (uint8_t)(n | 0x80);
    }
    p[i++] = (uint8_t)n;
    return i;
}

/* Decodes a piece to byte `at` of the page.  Its length is written before
** it. */
static void decode_piece(PqUnpack *u, size_t at, Piece piece)
{
    uint8_t length[MOST_LENGTH], *from = u->feed->p;
    size_t n_length = put_length(length, piece.n_out), came = piece.n_out;

    from -= n_length;
    memcpy(from, length, n_length);
    u->whole = snappy_uncompress((const char *)from, n_length + piece.n_in,
                                 (char *)u->out + at, &came) != SNAPPY_OK;
    u->at = u->whole ? u->at : at + piece.n_out;
}

/* Decodes everything from byte `at` of the page on, where a block begins. */
static PqRc decode_rest(PqUnpack *u, size_t at, PqErr *e)
{
    size_t n = u->n_out - at;

    PQ_TRY(pq_unpack_feed(u, SIZE_MAX, e));
    PQ_TRY(pq_codec_touch(u->state, u->out + at, n, e));
    decode_piece(u, at, (Piece){u->feed->n, n});
    if (!u->whole) {
        pq_unpack_took(u, u->feed->n);
    }
    return PQ_OK;
}

/* A query for a few rows wants a few bytes of many blocks.  So a block is not decoded
** whole at once, but in growing parts, each from its beginning. */
static PqRc decode_block(PqUnpack *u, size_t at, size_t upto, PqErr *e)
{
    size_t n = BLOCK;
    Piece piece;

    while (n / 2 >= upto - at && n > FIRST_PIECE) {
        n /= 2;
    }
    PQ_TRY(need_piece(u, n, &piece, e));
    if (u->whole) {
        return PQ_OK;
    }
    decode_piece(u, at, piece);
    if (!u->whole && piece.n_out == BLOCK) {
        pq_unpack_took(u, piece.n_in);
    }
    return pq_stop_poll(u->state->stop, e);
}

/* Passes blocks that end before what is wanted. */
static PqRc pass_blocks(PqUnpack *u, PqErr *e)
{
    for (size_t at = u->at / BLOCK * BLOCK; at + BLOCK <= u->from && !u->whole; at += BLOCK) {
        Piece piece;

        PQ_TRY(need_piece(u, BLOCK, &piece, e));
        if (!u->whole) {
            pq_unpack_took(u, piece.n_in);
            u->gap = u->gap_end ? u->gap : u->at;
            u->n_passed += at + BLOCK - u->at;
            u->at = u->gap_end = at + BLOCK;
        }
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    return PQ_OK;
}

static PqRc unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    PQ_TRY(pass_blocks(u, e));
    while (u->at < upto && !u->whole) {
        size_t at = u->at / BLOCK * BLOCK;       /* where the feed is */

        if (expect - at > (u->n_out - at) / UNPACK_SHARE || u->n_out - at <= BLOCK) {
            return decode_rest(u, at, e);
        }
        PQ_TRY(decode_block(u, at, upto, e));
    }
    return PQ_OK;
}

/* The most that any version of the encoder allocates: a hash table of up to
** 2^15 entries of 16 bits, a block of up to 64 KiB and its largest compressed
** form.  The table has at most twice as many entries as there are input bytes,
** or 256. */
static size_t encoder_bytes(size_t n)
{
    return n < ENCODER_BYTES / 16 ? 8 * n + 1024 : ENCODER_BYTES;
}

/* Allocates two blocks of the encoder's size.  One is kept during the call: it
** charges the budget for what the library takes unseen.  The other is freed
** just before the call, so the host has the memory that the library asks for.
** Neither is ever touched. */
static PqRc pay_for_encoder(PqCodecState *s, size_t n, void **paid, PqErr *e)
{
    void *proof = pq_mem_alloc(s->mem, n, e);

    *paid = proof ? pq_mem_alloc(s->mem, n, e) : NULL;
    pq_mem_free(proof);
    return *paid ? PQ_OK : e->rc;
}

static PqRc encode_whole(PqCodecState *s, PqSlice in, uint8_t *out, size_t *n,
                         PqErr *e)
{
    snappy_status failed;
    void *paid;

    PQ_TRY(pay_for_encoder(s, encoder_bytes(in.n), &paid, e));
    failed = snappy_compress((const char *)in.p, in.n, (char *)out, n);
    pq_mem_free(paid);
    return failed ? pq_codec_fail_memory(name, e) : PQ_OK;
}

/* The library compresses 64 KiB at a time, and no block refers to another.  So
** the elements of two streams, one after the other, make one stream.  Each
** stream begins with its own length.  It overwrites the bytes before it, which
** are saved and put back. */
static PqRc encode_steps(PqCodecState *s, PqSlice in, uint8_t *out, size_t *n,
                         PqErr *e)
{
    size_t at = put_length(out, in.n);

    while (in.n) {
        uint8_t length[MOST_LENGTH], kept[MOST_LENGTH];
        PqSlice step = pq_slice_cut(&in, PQ_STEP_BYTES);
        size_t n_length = put_length(length, step.n);
        size_t came = snappy_max_compressed_length(step.n);

        at -= n_length;
        memcpy(kept, out + at, n_length);
        PQ_TRY(encode_whole(s, step, out + at, &came, e));
        memcpy(out + at, kept, n_length);
        at += came;
        PQ_TRY(pq_stop_poll(s->stop, e));
    }
    *n = at;
    return PQ_OK;
}

static PqRc encode_page(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                        PqErr *e)
{
    size_t n = snappy_max_compressed_length(in.n);
    size_t of_step = snappy_max_compressed_length(PQ_STEP_BYTES);
    bool whole = in.n <= PACK_WHOLE;

    PQ_TRY(pq_buf_reserve(out, whole ? n : MOST_LENGTH + of_step *
                                           (in.n / PQ_STEP_BYTES + 1), e));
    PQ_TRY(whole ? encode_whole(s, in, out->p + out->n, &n, e)
                 : encode_steps(s, in, out->p + out->n, &n, e));
    out->n += n;
    return PQ_OK;
}

/* The C interface cannot tell its version. */
static void version(PqBuf *out)
{
    pq_buf_text(out, "snappy");
}

const PqCodecWork pq_codec_snappy = {
    .claim = find_claim, .decode = decode_page, .encode = encode_page,
    .version = version,
    .unpack_begin = unpack_begin, .unpack_more = unpack_more, .spoils = true,
};
