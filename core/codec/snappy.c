/*
** snappy.c - streams: decoded here, as far as they are wanted; and encoded by the
** library, whose memory cannot be seen.
**
**   stream  := varint(length of the whole)  element*
**   element := tag ...                            the lowest two bits of the tag
**
**   00  literal   n - 1 in six bits; from 60 on, in the 1 to 4 bytes that follow
**   01  copy      n - 4 in three bits, 11 bits of the offset       2 bytes
**   10  copy      n - 1 in six bits, 16 bits of the offset         3 bytes
**   11  copy      likewise, 32 bits of the offset                  5 bytes
**
**   0b 10 "hello" 09 05    11 bytes: hello, then 6 bytes from 5 bytes before
**
** The length is part of the stream, so a claim is checked exactly.  Whether the
** stream can hold so much is checked too: the densest element is a copy of 64
** bytes in 3.
**
** Decoding is hard because elements are short: a column of numbers has one for
** each four bytes.  So what the processor waits for is the next tag.  Whether a
** copy takes two bytes or three cannot be predicted, so both next tags are loaded
** and one is chosen without a branch; and more is copied than an element has, in
** steps of a register.  Where that could pass an end, elements are decoded with
** care, one by one.  The library takes 1.2 to 1.8 times as long, and cannot stop.
**
** Encoding allocates in C++, which takes no allocator of ours, and a failing
** operator new would end the process.  See pay_for_encoder.
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

/* ---- decoding ------------------------------------------------------------ */

enum { LITERAL, COPY_11, COPY_16, COPY_32 };

enum {
    LONG_LITERAL = 60,                 /* its length follows the tag */
    LONGEST_HEAD = 5,                  /* of an element, without its bytes */
    WIDE = 16,                         /* bytes that are copied at once */
    /* What a literal and a copy may read or write from where they begin. */
    ROOM_IN = 5 * WIDE,
    ROOM_OUT = 9 * WIDE
};

typedef struct Stream {
    const uint8_t *p, *end;            /* compressed bytes that are there */
    uint8_t *out;
    size_t   at, n_out;                /* decoded so far, and in all */
    size_t   literal;                  /* bytes of one that are still to come */
} Stream;

PQ_INLINE void copy_8(uint8_t *to, const uint8_t *from)
{
    uint64_t some = pq_load_u64(from);

    memcpy(to, &some, sizeof some);
}

PQ_INLINE void copy_wide(uint8_t *to, const uint8_t *from)
{
    uint8_t some[WIDE];

    memcpy(some, from, WIDE);
    memcpy(to, some, WIDE);
}

/* At most COPY_MOST bytes. */
PQ_INLINE void copy_far(uint8_t *to, const uint8_t *from, size_t n)
{
    copy_wide(to, from);
    if (PQ_UNLIKELY(n > WIDE)) {
        copy_wide(to + WIDE, from + WIDE);
        copy_wide(to + 2 * WIDE, from + 2 * WIDE);
        copy_wide(to + 3 * WIDE, from + 3 * WIDE);
    }
}

/* From less than WIDE bytes before.  What repeats is written twice as often each
** time, until it fills a register. */
PQ_INLINE void copy_near(uint8_t *to, size_t offset, size_t n)
{
    const uint8_t *from = to - offset, *end = to + n;

    for (; offset < 8 && to < end; offset *= 2) {
        copy_8(to, from);
        to += offset;
    }
    for (; to < end; to += 8, from += 8) {
        copy_8(to, from);
    }
}

/* Decodes elements up to about `upto` while no end is near.  It stops before an
** element that it does not understand. */
static void take_fast(Stream *s, size_t upto)
{
    const uint8_t *p = s->p, *last = s->end;
    uint8_t *o = s->out + s->at, *stop = s->out;
    size_t tag, n, offset;

    if (s->literal || s->end - p < ROOM_IN || s->n_out - s->at < ROOM_OUT) {
        return;
    }
    last -= ROOM_IN;
    stop += upto < s->n_out - ROOM_OUT ? upto : s->n_out - ROOM_OUT;
    tag = *p;
    while (p <= last && o < stop) {
        size_t w, is_16;

        if (tag % 4 == LITERAL) {
            n = tag / 4 + 1;
            if (n > LONG_LITERAL) {
                break;
            }
            copy_far(o, p + 1, n);
            p += 1 + n;
            o += n;
            tag = *p;
            if (PQ_UNLIKELY(tag % 4 == LITERAL)) {
                continue;              /* there may be no room for it */
            }
        }
        w = pq_load_u32(p);
        is_16 = 0 - (tag >> 1 & 1);    /* all ones or zeros */
        n = (tag >> 2 & (7 | is_16)) + 4 - (3 & is_16);
        offset = (w >> 8 & (0xff | (0xffff & is_16))) |
                 (tag << 3 & 0x700 & ~is_16);
        if (tag % 4 == COPY_32 || offset - 1 >= (size_t)(o - s->out)) {
            break;
        }
        p += 2 - is_16;
        tag = w >> (16 + (8 & is_16)) & 0xff;
        if (offset >= WIDE) {
            copy_far(o, o - offset, n);
        } else {
            copy_near(o, offset, n);
        }
        o += n;
    }
    s->p = p;
    s->at = (size_t)(o - s->out);
}

/* Begins a literal.  False: it is cut off, or longer than the rest. */
static bool begin_literal(Stream *s)
{
    size_t left = (size_t)(s->end - s->p), n = s->p[0] / 4;
    size_t extra = n < LONG_LITERAL ? 0 : n - LONG_LITERAL + 1;

    if (left < 1 + extra) {
        return false;
    }
    n = extra ? 0 : n;
    for (size_t i = 0; i < extra; i++) {
        n |= (size_t)s->p[1 + i] << 8 * i;
    }
    if (n >= s->n_out - s->at) {
        return false;
    }
    s->p += 1 + extra;
    s->literal = n + 1;
    return true;
}

/* False: the copy is cut off, from before the page, or longer than the rest. */
static bool take_copy(Stream *s)
{
    static const uint8_t sizes[] = {[COPY_11] = 2, [COPY_16] = 3, [COPY_32] = 5};
    size_t tag = s->p[0], size = sizes[tag % 4], n = tag / 4 + 1, offset = 0;
    uint8_t *to = s->out + s->at;
    const uint8_t *from;

    if ((size_t)(s->end - s->p) < size) {
        return false;
    }
    for (size_t i = 1; i < size; i++) {
        offset |= (size_t)s->p[i] << 8 * (i - 1);
    }
    if (tag % 4 == COPY_11) {
        n = (tag >> 2 & 7) + 4;
        offset |= tag << 3 & 0x700;
    }
    if (offset == 0 || offset > s->at || n > s->n_out - s->at) {
        return false;
    }
    from = to - offset;
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
    s->p += size;
    s->at += n;
    return true;
}

/* Decodes an element, or what is there of a literal.  False: the bytes that are
** there tell no more. */
static bool take_one(Stream *s)
{
    size_t n = (size_t)(s->end - s->p);

    if (n == 0) {
        return false;
    }
    if (s->literal == 0) {
        return s->p[0] % 4 == LITERAL ? begin_literal(s) : take_copy(s);
    }
    n = n < s->literal ? n : s->literal;
    memcpy(s->out + s->at, s->p, n);
    s->p += n;
    s->at += n;
    s->literal -= n;
    return true;
}

/* Decodes at least up to `upto`, unless the bytes that are there tell less. */
static void take(Stream *s, size_t upto)
{
    do {
        take_fast(s, upto);
    } while (s->at < upto && take_one(s));
}

static PqRc length_of(PqSlice in, size_t *n, PqErr *e)
{
    return snappy_uncompressed_length((const char *)in.p, in.n, n)
               ? pq_codec_fail_damaged(name, "it does not begin with a length",
                                       e)
               : PQ_OK;
}

/* Takes the length from the front of a stream that has one. */
static size_t bytes_of_length(const uint8_t *p)
{
    size_t i = 1;

    while (p[i - 1] >= 0x80) {
        i++;
    }
    return i;
}

PqRc pq_snappy_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    size_t n;

    PQ_TRY(length_of(in, &n, e));
    claim->least = n;
    claim->most = n <= (uint64_t)in.n * COPY_MOST / COPY_COST ? n : 0;
    return PQ_OK;
}

PqRc pq_snappy_decode(PqCodecState *state, PqSlice in, uint8_t *out,
                      size_t n_out, PqErr *e)
{
    Stream s = {.p = in.p, .end = in.p + in.n, .out = out, .n_out = n_out};
    size_t n, upto;

    PQ_TRY(length_of(in, &n, e));
    if (n != n_out) {
        return pq_codec_fail_short(name, n, n_out, e);
    }
    pq_mem_will_fill(out, n_out);
    s.p += bytes_of_length(in.p);
    while (s.at < n_out) {
        upto = n_out - s.at < PQ_STEP_BYTES ? n_out : s.at + PQ_STEP_BYTES;
        take(&s, upto);
        if (s.at < upto) {
            return pq_codec_fail_damaged(name, "not a valid stream", e);
        }
        PQ_TRY(pq_stop_poll(state->stop, e));
    }
    return s.p == s.end
               ? PQ_OK : pq_codec_fail_damaged(name, "not a valid stream", e);
}

PqRc pq_snappy_unpack_begin(PqUnpack *u, PqErr *e)
{
    PqFeed *f = u->feed;
    size_t says;

    PQ_TRY(pq_unpack_feed(u, MOST_LENGTH, e));
    u->whole = snappy_uncompressed_length((const char *)f->p, f->n, &says) !=
                   SNAPPY_OK ||
               says != u->n_out ||
               says > (uint64_t)(f->n + f->left) * COPY_MOST / COPY_COST;
    if (!u->whole) {
        pq_unpack_took(u, bytes_of_length(f->p));
    }
    return PQ_OK;
}

/* Bytes to feed when the end of those that are there is near; and the least and the
** most that is decoded in a step.  A query for a few rows of many columns wants a few
** bytes of each, so the first steps are small. */
enum { PIECE = 1 << 14, STEP_LEAST = 1 << 12, STEP_MOST = 1 << 16 };

static size_t step_from(size_t at)
{
    size_t share = at / 8;

    return share < STEP_LEAST  ? STEP_LEAST
           : share < STEP_MOST ? share : STEP_MOST;
}

PqRc pq_snappy_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    size_t step = step_from(u->at), left = u->n_out - u->at;
    PqFeed *f = u->feed;

    step = step < left ? step : left;
    upto = upto < u->at + step ? u->at + step : upto;
    while (u->at < upto && !u->whole) {
        Stream s = {.out = u->out, .at = u->at, .n_out = u->n_out,
                    .literal = u->expects};

        PQ_TRY(f->n < ROOM_IN ? pq_unpack_feed(u, PIECE, e) : PQ_OK);
        s.p = f->p;
        s.end = f->p + f->n;
        take(&s, upto);
        u->whole = s.p == f->p;        /* no more can be told */
        pq_unpack_took(u, (size_t)(s.p - f->p));
        u->at = s.at;
        u->expects = s.literal;
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    u->whole = u->whole || (u->at == u->n_out && f->n + f->left > 0);
    return PQ_OK;
}

/* ---- encoding ------------------------------------------------------------ */

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

PqRc pq_snappy_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
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
void pq_snappy_version(PqBuf *out)
{
    pq_buf_text(out, "snappy");
}
