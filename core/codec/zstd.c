/*
** zstd.c - frames, decoded straight into the page.
**
**   page  := frame+                                     RFC 8878
**   frame := fd2fb528 header block+ [checksum] | 184d2a5x length ignored
**   block := 3 bytes: last, type, size;  raw | one repeated byte | compressed
**
** Both contexts live as long as the state and allocate from the budget.  A
** frame looks back into the page itself, so there is no window, even if the
** frame asks for a large one.
**
** A large page is decoded by the library's stream, which gets the frame in
** pieces.  It is told that the output stays where it is, so it too writes
** straight into the page and keeps no window.  Only a block that a piece cuts
** is put together beside it.  A large page is also encoded in steps by the
** library's stream, which keeps a window for that.
**
** The library may also know the frames of earlier versions of zstd, with code
** that allocates outside the budget and that nobody reviews any more.  Parquet
** never had them: only the two magic numbers above are passed on.
*/
#define ZSTD_STATIC_LINKING_ONLY
#include "core/codec/codec_inside.h"

#include <zstd.h>
#include <zstd_errors.h>

static const char name[] = "ZSTD";

enum {
    WHOLE_BYTES = 4 << 20,             /* decoded in one call */
    WINDOW_LOG = 31                    /* the same as when decoding whole */
};

static ZSTD_customMem lib_memory(PqCodecState *s)
{
    return (ZSTD_customMem){pq_codec_lib_alloc, pq_codec_lib_free, s};
}

static void free_contexts(PqCodecState *s)
{
    ZSTD_freeDCtx(s->zstd_decoder);
    ZSTD_freeCCtx(s->zstd_encoder);
    s->zstd_decoder = NULL;
    s->zstd_encoder = NULL;
}

static bool begins_a_frame(PqSlice s)
{
    return s.n >= 4 && pq_load_u32(s.p) == ZSTD_MAGICNUMBER;
}

/* Takes a frame from the front of rest; reads only its blocks' headers. */
static PqRc take_frame(PqSlice *rest, PqSlice *frame, PqErr *e)
{
    uint32_t magic = rest->n < 4 ? 0 : pq_load_u32(rest->p);
    size_t n;

    if (!begins_a_frame(*rest) &&
        (magic & ZSTD_MAGIC_SKIPPABLE_MASK) != ZSTD_MAGIC_SKIPPABLE_START) {
        return pq_codec_fail_damaged(name, "no frame begins here", e);
    }
    n = ZSTD_findFrameCompressedSize(rest->p, rest->n);
    if (ZSTD_isError(n)) {
        return pq_codec_fail_damaged(name, ZSTD_getErrorName(n), e);
    }
    return pq_slice_take(rest, n, frame, e);
}

/* A block has a header of 3 bytes and at least one byte after it, unless it is
** empty.  It decodes to at most 128 KiB, less when the window is smaller.  When
** a frame says its size, the decoder checks it. */
static PqRc claim_frame(PqSlice frame, PqCodecClaim *claim, PqErr *e)
{
    uint64_t says = ZSTD_getFrameContentSize(frame.p, frame.n);
    uint64_t most = (uint64_t)frame.n / 4 * ZSTD_BLOCKSIZE_MAX;
    uint64_t blocks = ZSTD_decompressBound(frame.p, frame.n);

    if (says == ZSTD_CONTENTSIZE_ERROR || blocks == ZSTD_CONTENTSIZE_ERROR) {
        return pq_codec_fail_damaged(name, "a frame has no valid header", e);
    }
    if (says != ZSTD_CONTENTSIZE_UNKNOWN) {
        if (says > most) {
            return pq_codec_fail_damaged(name, "a frame claims an impossible "
                                         "size", e);
        }
        claim->least += says;
    }
    claim->most += blocks < most ? blocks : most;
    return PQ_OK;
}

static PqRc find_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    *claim = (PqCodecClaim){0, 0};
    while (in.n) {
        PqSlice frame;

        PQ_TRY(take_frame(&in, &frame, e));
        PQ_TRY(claim_frame(frame, claim, e));
    }
    return PQ_OK;
}

/* Reports n if it is an error of the library and not a size. */
static PqRc check(const PqCodecState *s, size_t n, PqErr *e)
{
    switch (ZSTD_getErrorCode(n)) {
    case ZSTD_error_no_error:
        return PQ_OK;
    case ZSTD_error_dstSize_tooSmall:
        return pq_codec_fail_long(name, s->n_out, e);
    case ZSTD_error_memory_allocation:
        return pq_codec_fail_memory(name, e);
    default:
        return pq_codec_fail_damaged(name, ZSTD_getErrorName(n), e);
    }
}

static PqRc begin_stream(const PqCodecState *s, ZSTD_DCtx *lib, PqErr *e)
{
    PQ_TRY(check(s, ZSTD_DCtx_reset(lib, ZSTD_reset_session_only), e));
    PQ_TRY(check(s, ZSTD_DCtx_setParameter(lib, ZSTD_d_stableOutBuffer, 1), e));
    return check(s, ZSTD_DCtx_setParameter(lib, ZSTD_d_windowLogMax,
                                           WINDOW_LOG), e);
}

static PqRc decode_steps(PqCodecState *s, PqSlice frame, uint8_t *out,
                         size_t room, size_t *n_out, PqErr *e)
{
    ZSTD_outBuffer to = {.size = room};
    ZSTD_inBuffer from = {.src = frame.p};
    size_t expects = ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1), asked_at = 0;

    to.dst = out;
    PQ_TRY(begin_stream(s, s->zstd_decoder, e));
    while (expects) {
        size_t before = from.pos + to.pos;

        from.size = from.pos + (frame.n - from.pos < expects
                                    ? frame.n - from.pos : expects);
        expects = ZSTD_decompressStream(s->zstd_decoder, &to, &from);
        PQ_TRY(check(s, expects, e));
        if (expects && from.pos + to.pos == before) {
            return to.pos == room
                       ? pq_codec_fail_long(name, s->n_out, e)
                       : pq_codec_fail_damaged(name, "cut off", e);
        }
        if (to.pos - asked_at >= PQ_STEP_BYTES) {
            asked_at = to.pos;
            PQ_TRY(pq_stop_poll(s->stop, e));
        }
    }
    *n_out = to.pos;
    return PQ_OK;
}

static PqRc decode_frame(PqCodecState *s, PqSlice frame, uint8_t *out,
                         size_t room, size_t *n_out, PqErr *e)
{
    if (room > WHOLE_BYTES) {
        return decode_steps(s, frame, out, room, n_out, e);
    }
    *n_out = ZSTD_decompressDCtx(s->zstd_decoder, out, room, frame.p, frame.n);
    return check(s, *n_out, e);
}

static PqRc need_decoder(PqCodecState *s, ZSTD_DCtx **lib, PqErr *e)
{
    if (!*lib) {
        *lib = ZSTD_createDCtx_advanced(lib_memory(s));
    }
    return *lib ? PQ_OK : pq_codec_fail_memory(name, e);
}

static PqRc decode_page(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                        PqErr *e)
{
    size_t at = 0;

    PQ_TRY(need_decoder(s, &s->zstd_decoder, e));
    while (in.n) {
        PqSlice frame;
        size_t n = 0;

        PQ_TRY(take_frame(&in, &frame, e));
        PQ_TRY(decode_frame(s, frame, out + at, n_out - at, &n, e));
        at += n;
    }
    return at == n_out ? PQ_OK : pq_codec_fail_short(name, at, n_out, e);
}

/* Frames that need not say their size. */
static PqRc decode_all(PqCodecState *s, bool raw, PqSlice in, size_t most, PqBuf *out,
                       PqErr *e)
{
    ZSTD_inBuffer from = {.src = in.p, .size = in.n};
    size_t expects = 1;

    (void)raw;
    PQ_TRY(need_decoder(s, &s->zstd_decoder, e));
    PQ_TRY(check(s, ZSTD_DCtx_reset(s->zstd_decoder, ZSTD_reset_session_and_parameters), e));
    while (from.pos < from.size || expects) {
        ZSTD_outBuffer to = {.size = 0};
        size_t before = from.pos;

        PQ_TRY(pq_codec_more_room(s, 4 * (in.n - from.pos), most, out, e));
        to.dst = out->p + out->n;
        to.size = out->room - out->n < most - out->n ? out->room - out->n : most - out->n;
        expects = ZSTD_decompressStream(s->zstd_decoder, &to, &from);
        PQ_TRY(check(s, expects, e));
        out->n += to.pos;
        if (expects && from.pos == before && !to.pos) {
            return pq_codec_fail_damaged(name, "cut off", e);
        }
    }
    return PQ_OK;
}

/* Decodes one frame that says its size in steps.  Every writer that has the
** whole page makes such a frame, and then no block headers need to be read
** beforehand. */
static PqRc unpack_begin(PqUnpack *u, PqErr *e)
{
    size_t n = u->feed->n + u->feed->left;
    ZSTD_DCtx *lib = u->lib;
    PqSlice head;
    PqRc rc;

    PQ_TRY(pq_unpack_feed(u, ZSTD_FRAMEHEADERSIZE_MAX, e));
    head = pq_slice(u->feed->p, u->feed->n);
    u->whole = !begins_a_frame(head) ||
               ZSTD_getFrameContentSize(head.p, head.n) != u->n_out ||
               u->n_out > (uint64_t)n / 4 * ZSTD_BLOCKSIZE_MAX;
    if (u->whole) {
        return PQ_OK;
    }
    rc = need_decoder(u->state, &lib, e);
    u->lib = lib;
    PQ_TRY(rc);
    u->expects = ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1);
    return begin_stream(u->state, lib, e);
}

/* A block at a time: the library says how long the next one is. */
static PqRc unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    ZSTD_outBuffer to = {.size = u->n_out, .pos = u->at};
    PqFeed *f = u->feed;

    to.dst = u->out;
    while (u->at < upto || (u->at == u->n_out && u->expects)) {
        ZSTD_inBuffer from = {.pos = 0};

        PQ_TRY(pq_unpack_feed(u, u->expects, e));
        from.src = f->p;
        from.size = f->n < u->expects ? f->n : u->expects;
        u->expects = ZSTD_decompressStream(u->lib, &to, &from);
        PQ_TRY(e->rc);
        u->whole = ZSTD_isError(u->expects) || (!from.pos && to.pos == u->at) ||
                   (!u->expects && to.pos < u->n_out);
        if (u->whole) {
            return PQ_OK;
        }
        pq_unpack_took(u, from.pos);
        u->at = to.pos;
        PQ_TRY(pq_stop_poll(u->state->stop, e));
    }
    u->whole = !u->expects && f->n + f->left > 0;
    return PQ_OK;
}

static void unpack_free(PqUnpack *u)
{
    ZSTD_freeDCtx(u->lib);
}

static int level_of(int level)
{
    return level <= 0 ? ZSTD_CLEVEL_DEFAULT
           : level > ZSTD_maxCLevel() ? ZSTD_maxCLevel() : level;
}

/* True for the levels that look matches up in two tables, for long and for
** short ones.  The levels below are fast anyway, and those above weigh matches
** against each other. */
static bool has_searches(int level)
{
    return ZSTD_getCParams(level_of(level), 0, 0).strategy == ZSTD_dfast;
}

/* Tables that fit the CPU's nearest cache.  They forget only what is far back,
** where a short match takes more bits than it saves. */
static const struct Search {
    int hash_log, chain_log, strategy, least_match;  /* 0: the level's */
} searches[] = {
    [PQ_SEARCH_LEVEL] = {0, 0, 0, 0},
    [PQ_SEARCH_NEAR] = {14, 13, 0, 0},
    [PQ_SEARCH_FAST] = {13, 0, ZSTD_fast, 5},
};
_Static_assert(PQ_COUNT(searches) == PQ_SEARCH_COUNT, "one row per search");

/* No result is checked, because the library takes all of these numbers. */
static void set_search(ZSTD_CCtx *lib, int level, PqSearch search)
{
    const struct Search *how = &searches[search];

    ZSTD_CCtx_reset(lib, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(lib, ZSTD_c_compressionLevel, level_of(level));
    if (has_searches(level)) {
        ZSTD_CCtx_setParameter(lib, ZSTD_c_hashLog, how->hash_log);
        ZSTD_CCtx_setParameter(lib, ZSTD_c_chainLog, how->chain_log);
        ZSTD_CCtx_setParameter(lib, ZSTD_c_strategy, how->strategy);
        ZSTD_CCtx_setParameter(lib, ZSTD_c_minMatch, how->least_match);
    }
}

/* The logarithm of the size of the largest part: one of the tables, or the
** window that is kept when there are steps. */
static unsigned *largest(ZSTD_compressionParameters *p, bool in_steps)
{
    unsigned *log = p->hashLog > p->chainLog ? &p->hashLog : &p->chainLog;
    const unsigned entry = 2;          /* of a table: four bytes */

    return in_steps && p->windowLog > *log + entry ? &p->windowLog : log;
}

static size_t takes(ZSTD_compressionParameters p, bool in_steps)
{
    return in_steps ? ZSTD_estimateCStreamSize_usingCParams(p)
                    : ZSTD_estimateCCtxSize_usingCParams(p);
}

static void confine(const PqCodecState *s, int level, size_t n, bool in_steps)
{
    enum { LEAST = 15 };
    ZSTD_CCtx *lib = s->zstd_encoder;
    ZSTD_compressionParameters p = ZSTD_getCParams(level_of(level), n, 0);

    if (takes(p, in_steps) <= s->confines) {
        return;
    }
    while (takes(p, in_steps) > s->confines && *largest(&p, in_steps) > LEAST) {
        --*largest(&p, in_steps);
    }
    ZSTD_CCtx_setParameter(lib, ZSTD_c_windowLog, (int)p.windowLog);
    ZSTD_CCtx_setParameter(lib, ZSTD_c_hashLog, (int)p.hashLog);
    ZSTD_CCtx_setParameter(lib, ZSTD_c_chainLog, (int)p.chainLog);
}

/* How much is compressed in one call, and the steps when there is more.  The
** highest levels weigh all matches against each other, for up to two seconds
** per megabyte.  They end a block with each step, which makes a large page of
** source code one percent larger.  The others end blocks where they like. */
typedef struct Pace {
    size_t            whole, step;
    ZSTD_EndDirective each;
} Pace;

static Pace pace_of(int level)
{
    switch (ZSTD_getCParams(level_of(level), 0, 0).strategy) {
    case ZSTD_fast:
    case ZSTD_dfast:
        return (Pace){8 << 20, 1 << 20, ZSTD_e_continue};
    case ZSTD_greedy:
    case ZSTD_lazy:
    case ZSTD_lazy2:
        return (Pace){1 << 20, 1 << 17, ZSTD_e_continue};
    case ZSTD_btlazy2:
        return (Pace){1 << 18, 1 << 17, ZSTD_e_continue};
    default:
        return (Pace){1 << 16, 1 << 15, ZSTD_e_flush};
    }
}

/* The size goes into the frame's header, as it does in one call. */
static size_t encode_steps(ZSTD_CCtx *lib, const PqStop *stop, Pace pace,
                           PqSlice in, ZSTD_outBuffer *to, PqErr *e)
{
    size_t left = ZSTD_CCtx_setPledgedSrcSize(lib, in.n);
    bool is_last;

    if (ZSTD_isError(left)) {
        return left;
    }
    do {
        PqSlice now = pq_slice_cut(&in, pace.step);
        ZSTD_inBuffer from = {.src = now.p, .size = now.n};

        is_last = in.n == 0;
        do {
            left = ZSTD_compressStream2(lib, to, &from,
                                        is_last ? ZSTD_e_end : pace.each);
        } while (!ZSTD_isError(left) &&
                 (from.pos < from.size ||
                  (left && (is_last || pace.each == ZSTD_e_flush))));
    } while (!is_last && !ZSTD_isError(left) &&
             pq_stop_poll(stop, e) == PQ_OK);
    return left;
}

static PqRc encode_page(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                        PqErr *e)
{
    ZSTD_outBuffer to = {.size = ZSTD_compressBound(in.n)};
    Pace pace = pace_of(level);
    size_t n;

    if (!s->zstd_encoder) {
        s->zstd_encoder = ZSTD_createCCtx_advanced(lib_memory(s));
        if (!s->zstd_encoder) {
            return pq_codec_fail_memory(name, e);
        }
    }
    PQ_TRY(pq_buf_reserve(out, to.size, e));
    to.dst = out->p + out->n;
    set_search(s->zstd_encoder, level, s->search);
    if (s->confines) {
        confine(s, level, in.n, in.n > pace.whole);
    }
    if (in.n <= pace.whole) {
        n = to.pos = ZSTD_compress2(s->zstd_encoder, to.dst, to.size, in.p,
                                    in.n);
    } else {
        n = encode_steps(s->zstd_encoder, s->stop, pace, in, &to, e);
    }
    PQ_TRY(e->rc);
    if (ZSTD_isError(n)) {             /* no other error is possible here */
        return pq_codec_fail_memory(name, e);
    }
    out->n += to.pos;
    return PQ_OK;
}

static void version(PqBuf *out)
{
    pq_buf_printf(out, "zstd %s", ZSTD_versionString());
}

const PqCodecWork pq_codec_zstd = {
    .claim = find_claim, .decode = decode_page, .encode = encode_page,
    .version = version, .decode_all = decode_all,
    .has_searches = has_searches, .state_free = free_contexts,
    .unpack_begin = unpack_begin, .unpack_more = unpack_more,
    .unpack_free = unpack_free, .resumes = true,
};
