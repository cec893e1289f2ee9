/*
** brotli.c - decoding in steps, and an encoder that must not fail to allocate.
**
**   stream     := window  meta-block+                   RFC 7932
**   meta-block := last?  length - 1 in 16, 20 or 24 bits  codes  commands
**
** A decoder cannot be used twice, so each page makes a new one.  It is charged
** to the budget with its window: 16 MiB at most, less when the page is smaller.
** The larger windows that some versions of the library offer are not part of
** the format and stay off.
**
** Two things are hard about the encoder.  It ends the process when its
** allocator fails (see Loan).  And its highest levels work for seconds without
** a question whether to stop, unless their blocks are made small (see
** PACK_STEP).
*/
#include "core/codec/codec_inside.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <setjmp.h>

static const char name[] = "BROTLI";

/* Level 11 is the library's own default and takes a second for a megabyte. */
enum { DEFAULT_LEVEL = 5 };

/* Decoding in steps: the most output and input of one. */
enum { UNPACK_STEP = 1 << 16, UNPACK_PIECE = 1 << 13 };

/* The highest levels work on 256 KiB at a time.  The two that weigh all matches
** against each other go over 8 MiB ten times more, to divide them into kinds of
** text.  That takes seconds, during which no interrupt is noticed.  So their
** blocks have 64 KiB, and 32 KiB at the last level.  That makes a large page of
** source code two percent larger, and one of numbers or keys smaller. */
enum {
    LARGE_BLOCKS_LEVEL = 9, ZOPFLI_LEVEL = 10,
    PACK_STEP = 1 << BROTLI_MIN_INPUT_BLOCK_BITS, PACK_LAST_STEP = 1 << 15,
    STEP = 1 << 18,                    /* of the levels below */
    FASTEST_LEVEL = 1, FASTEST_STEP = 1 << 22     /* starts afresh */
};

/* A compressed meta-block of up to 2^24 bytes has at least these bits before
** its codes and commands, which may take almost nothing: is last 1, nibbles 2,
** length 24, is empty or stored 1, block types 3 * 1, distance parameters 6,
** context mode 2, trees 2 * 1.  Meta-blocks with shorter lengths and stored
** ones hold far fewer bytes per bit, so this bounds any mixture. */
enum {
    META_BLOCK_MOST = 1 << 24,
    META_BLOCK_BITS = 1 + 2 + 24 + 1 + 3 + 6 + 2 + 2
};

static PqRc find_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    claim->least = 0;
    claim->most = (uint64_t)in.n * 8 * META_BLOCK_MOST / META_BLOCK_BITS;
    return PQ_OK;
}

static bool ran_out_of_memory(BrotliDecoderErrorCode code)
{
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

/* Decodes step by step until the result is not merely a full step.  *room is
** what is left of the page. */
static PqRc decode_steps(BrotliDecoderState *lib, const PqStop *stop,
                         PqSlice *in, uint8_t *out, size_t *room,
                         BrotliDecoderResult *result, PqErr *e)
{
    for (;;) {
        size_t step = *room < PQ_STEP_BYTES ? *room : PQ_STEP_BYTES;
        size_t left = step;

        *result = BrotliDecoderDecompressStream(lib, &in->n, &in->p, &left,
                                                &out, NULL);
        *room -= step - left;
        if (*result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT || !*room) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(stop, e));
    }
}

static PqRc decode(PqCodecState *s, BrotliDecoderState *lib, PqSlice in,
                   uint8_t *out, size_t n_out, PqErr *e)
{
    size_t room = n_out;
    BrotliDecoderResult result;
    BrotliDecoderErrorCode code;

    PQ_TRY(decode_steps(lib, s->stop, &in, out, &room, &result, e));
    code = BrotliDecoderGetErrorCode(lib);
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        if (room) {
            return pq_codec_fail_short(name, n_out - room, n_out, e);
        }
        return in.n ? pq_codec_fail_damaged(name, "bytes after its end", e)
                    : PQ_OK;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return pq_codec_fail_long(name, n_out, e);
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        return pq_codec_fail_damaged(name, "cut off", e);
    default:
        return ran_out_of_memory(code)
                   ? pq_codec_fail_memory(name, e)
                   : pq_codec_fail_damaged(
                         name, BrotliDecoderErrorString(code), e);
    }
}

static PqRc decode_page(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                        PqErr *e)
{
    BrotliDecoderState *lib = BrotliDecoderCreateInstance(
        pq_codec_lib_alloc, pq_codec_lib_free, s);
    PqRc rc;

    if (!lib) {
        return pq_codec_fail_memory(name, e);
    }
    rc = decode(s, lib, in, out, n_out, e);
    BrotliDecoderDestroyInstance(lib);
    return rc;
}

static PqRc unpack_begin(PqUnpack *u, PqErr *e)
{
    PqCodecClaim claim;

    PQ_TRY(find_claim(pq_slice(u->feed->p, u->feed->n + u->feed->left),
                           &claim, e));
    u->whole = u->n_out > claim.most;
    if (u->whole) {
        return PQ_OK;
    }
    if (u->lib) {
        BrotliDecoderDestroyInstance(u->lib);
    }
    u->lib = BrotliDecoderCreateInstance(pq_codec_lib_alloc, pq_codec_lib_free,
                                         u->state);
    return u->lib ? PQ_OK : pq_codec_fail_memory(name, e);
}

/* Decodes some of the bytes that are there, to at most room bytes.  The library
** keeps its output back until its window is full or it wants more input, so it
** gets little input at a time. */
static BrotliDecoderResult step(PqUnpack *u, size_t room)
{
    const uint8_t *from = u->feed->p;
    uint8_t *to = u->out + u->at;
    size_t gave = u->feed->n < UNPACK_PIECE ? u->feed->n : UNPACK_PIECE;
    size_t n = gave, left = room;
    BrotliDecoderResult result = BrotliDecoderDecompressStream(
        u->lib, &n, &from, &left, &to, NULL);

    pq_unpack_took(u, gave - n);
    u->at += room - left;
    return result;
}

static PqRc unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    bool over = false;

    while (u->at < upto || (u->at == u->n_out && !over)) {
        size_t room = u->n_out - u->at;
        BrotliDecoderResult result;

        PQ_TRY(pq_unpack_feed_some(u, e));
        result = step(u, room < UNPACK_STEP ? room : UNPACK_STEP);
        PQ_TRY(e->rc);
        over = result == BROTLI_DECODER_RESULT_SUCCESS;
        u->whole =
            result == BROTLI_DECODER_RESULT_ERROR ||
            (over && (u->at < u->n_out || u->feed->n + u->feed->left > 0)) ||
            (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT &&
             u->feed->n + u->feed->left == 0) ||
            (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT && room == 0);
        if (u->whole) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    return PQ_OK;
}

static void unpack_free(PqUnpack *u)
{
    BrotliDecoderDestroyInstance(u->lib);
}

/* The encoder, as distributions build it, ends the process when its allocator
** returns NULL.  So ours never does.  It leaves with longjmp, past a library
** that holds nothing but memory, and all memory it borrowed is on a list.  The
** library allocates between all long steps, so the allocator also asks whether
** to stop. */
typedef struct Loan {
    struct Loan *next, **from;         /* what points to this one */
} Loan;

_Static_assert(sizeof(Loan) == 2 * sizeof(void *), "keeps malloc's alignment");

typedef struct Encoder {
    PqCodecState *state;
    Loan         *loans;
    jmp_buf       refused;
} Encoder;

static void *borrow(void *encoder, size_t n)
{
    Encoder *c = encoder;
    Loan *loan;

    if (pq_stop_poll(c->state->stop, c->state->e) != PQ_OK) {
        longjmp(c->refused, 1);
    }
    loan = pq_codec_lib_alloc(c->state, n + sizeof *loan);
    if (!loan) {
        longjmp(c->refused, 1);
    }
    *loan = (Loan){c->loans, &c->loans};
    if (loan->next) {
        loan->next->from = &loan->next;
    }
    c->loans = loan;
    return loan + 1;
}

static void give_back(void *encoder, void *p)
{
    Loan *loan = p ? (Loan *)p - 1 : NULL;

    if (loan) {
        *loan->from = loan->next;
        if (loan->next) {
            loan->next->from = loan->from;
        }
        pq_codec_lib_free(((Encoder *)encoder)->state, loan);
    }
}

/* Fills whatever room out has, piece by piece: the library promises no bound
** for an encoder with parameters. */
static PqRc encode_step(BrotliEncoderState *lib, BrotliEncoderOperation what,
                        PqSlice in, PqBuf *out, PqErr *e)
{
    size_t step = in.n / 4 + 1024;

    do {
        size_t room;
        uint8_t *at;

        PQ_TRY(pq_buf_reserve(out, step, e));
        room = out->room - out->n;
        at = out->p + out->n;
        if (!BrotliEncoderCompressStream(lib, what, &in.n, &in.p, &room, &at,
                                         NULL)) {
            return pq_codec_fail_memory(name, e);
        }
        out->n = out->room - room;
    } while (in.n || BrotliEncoderHasMoreOutput(lib));
    return PQ_OK;
}

static PqRc encode_all(BrotliEncoderState *lib, const PqStop *stop,
                       uint32_t level, PqSlice in, PqBuf *out, PqErr *e)
{
    size_t step = level <= FASTEST_LEVEL       ? FASTEST_STEP
                  : level < LARGE_BLOCKS_LEVEL ? STEP
                  : level < BROTLI_MAX_QUALITY ? PACK_STEP
                                               : PACK_LAST_STEP;

    for (;;) {
        PqSlice now = pq_slice_cut(&in, step);
        bool is_last = in.n == 0;

        PQ_TRY(encode_step(lib,
                           is_last                 ? BROTLI_OPERATION_FINISH
                           : level >= ZOPFLI_LEVEL ? BROTLI_OPERATION_FLUSH
                                                   : BROTLI_OPERATION_PROCESS,
                           now, out, e));
        if (is_last) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(stop, e));
    }
}

/* The memory that the library takes for a window of `bits` bits.  The ring
** holds the window twice.  The levels that weigh all matches have eight bytes
** for each byte of it, and twice two megabytes for the matches of a block.  The
** levels that keep the last places of each hash have a table of up to 32 MiB,
** whatever the window. */
static size_t takes(uint32_t level, uint32_t bits)
{
    enum { CHAINED = 5, MORE_HASHES = 7, NODES = 4 << 20 };
    size_t ring = (size_t)2 << bits;

    return level >= ZOPFLI_LEVEL ? ring + ((size_t)8 << bits) + NODES
           : level < CHAINED     ? ring
                                 : ring + ((size_t)4 << ((level < MORE_HASHES
                                                          ? 14 : 15) +
                                                         level - 1));
}

/* The smallest window that holds all n bytes, or the largest that the confines
** allow.  For 16 bits the library keeps chains instead of tables of last
** places, and these find less.  So 16 bits are used only by the levels that
** weigh all matches, or when the confines leave no choice. */
static uint32_t window_bits(const PqCodecState *s, uint32_t level, size_t n)
{
    enum { LEAST = 16, SHORT = 16, MOST = 22 };   /* a window is 16 shorter */
    uint32_t bits = level >= ZOPFLI_LEVEL ? LEAST : LEAST + 1;

    while (bits < MOST && ((size_t)1 << bits) - SHORT < n) {
        bits++;
    }
    while (s->confines && bits > LEAST && takes(level, bits) > s->confines) {
        bits--;
    }
    return bits;
}

/* For a megabyte or more the library takes larger tables, by four megabytes. */
static uint32_t size_hint(const PqCodecState *s, size_t n)
{
    enum { SHORT = (1 << 20) - 1, ROOM = 16 << 20 };
    bool is_narrow = s->confines && s->confines < ROOM;

    return is_narrow && n > SHORT ? SHORT : (uint32_t)n;
}

static PqRc encode(Encoder *c, uint32_t level, PqSlice in, PqBuf *out, PqErr *e)
{
    BrotliEncoderState *lib;

    if (setjmp(c->refused)) {
        return pq_codec_fail_memory(name, e);  /* or what was said before */
    }
    lib = BrotliEncoderCreateInstance(borrow, give_back, c);
    if (!lib) {
        return pq_codec_fail_memory(name, e);
    }
    BrotliEncoderSetParameter(lib, BROTLI_PARAM_QUALITY, level);
    BrotliEncoderSetParameter(lib, BROTLI_PARAM_SIZE_HINT,
                              size_hint(c->state, in.n));
    BrotliEncoderSetParameter(lib, BROTLI_PARAM_LGWIN,
                              window_bits(c->state, level, in.n));
    if (level >= LARGE_BLOCKS_LEVEL && in.n > PACK_STEP) {
        BrotliEncoderSetParameter(lib, BROTLI_PARAM_LGBLOCK,
                                  BROTLI_MIN_INPUT_BLOCK_BITS);
    }
    return encode_all(lib, c->state->stop, level, in, out, e);
}

/* The library's state is nothing but loans: freeing them is the same as
** destroying it, and works after a longjmp too. */
static PqRc encode_page(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                        PqErr *e)
{
    Encoder c = {.state = s};
    size_t start = out->n;
    PqRc rc;

    level = level <= 0                   ? DEFAULT_LEVEL
            : level > BROTLI_MAX_QUALITY ? BROTLI_MAX_QUALITY
                                         : level;
    rc = encode(&c, (uint32_t)level, in, out, e);
    if (rc != PQ_OK) {
        out->n = start;
    }
    while (c.loans) {
        give_back(&c, c.loans + 1);
    }
    return rc;
}

static void version(PqBuf *out)
{
    uint32_t v = BrotliDecoderVersion();

    pq_buf_printf(out, "brotli %u.%u.%u", v >> 24, v >> 12 & 0xfff, v & 0xfff);
}

const PqCodecWork pq_codec_brotli = {
    .claim = find_claim, .decode = decode_page, .encode = encode_page,
    .version = version,
    .unpack_begin = unpack_begin, .unpack_more = unpack_more,
    .unpack_free = unpack_free, .resumes = true,
};
