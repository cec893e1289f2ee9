/*
** codec.c - the table of codecs, and the checks that all of them share.
**
** A page without values may be stored as a compressed frame that holds nothing,
** or as no bytes at all.  No bytes are handled here, so no codec ever sees
** empty input.
**
** What is hard is to refuse impossible sizes but no real ones.  Each codec says
** where it computes its bounds why they are safe.  They refuse only what the
** codec's format rules out.  Gigabytes out of kilobytes can be real (brotli);
** the budget decides whether they fit when the caller allocates.
*/
#include "core/codec/codec_inside.h"

typedef struct PqCodec {
    const char *name;
    int         levels;
    const PqCodecWork *work;
} PqCodec;

static PqRc stored_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    *claim = (PqCodecClaim){in.n, in.n};
    return PQ_OK;
}

static PqRc stored_decode(PqCodecState *s, PqSlice in, uint8_t *out,
                          size_t n_out, PqErr *e)
{
    if (in.n != n_out) {
        return pq_codec_fail_short("UNCOMPRESSED", in.n, n_out, e);
    }
    memcpy(out, in.p, n_out);
    return PQ_OK;
}

static PqRc stored_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                          PqErr *e)
{
    return pq_buf_append(out, in.p, in.n, e);
}

static const PqCodecWork stored = {
    .claim = stored_claim, .decode = stored_decode, .encode = stored_encode,
};

static const PqCodec codec_table[] = {
    [PQ_CODEC_UNCOMPRESSED] = {"UNCOMPRESSED", 0, &stored},
    [PQ_CODEC_SNAPPY] = {"SNAPPY", 0, &pq_codec_snappy},
    [PQ_CODEC_GZIP] = {"GZIP", 9, &pq_codec_gzip},
    [PQ_CODEC_LZO] = {"LZO", 0, NULL},
    [PQ_CODEC_BROTLI] = {"BROTLI", 11, &pq_codec_brotli},
    [PQ_CODEC_LZ4] = {"LZ4", 12, &pq_codec_lz4},
    [PQ_CODEC_ZSTD] = {"ZSTD", 22, &pq_codec_zstd},
    [PQ_CODEC_LZ4_RAW] = {"LZ4_RAW", 12, &pq_codec_lz4_raw},
};
_Static_assert(PQ_COUNT(codec_table) == PQ_CODEC_COUNT, "one row per codec");

/* For libraries that want a valid pointer even to no bytes. */
static const uint8_t no_bytes[1];

const char *pq_codec_name(int codec)
{
    return codec >= 0 && codec < PQ_CODEC_COUNT ? codec_table[codec].name
                                                : NULL;
}

int pq_codec_levels(int codec)
{
    return pq_codec_name(codec) ? codec_table[codec].levels : 0;
}

const PqCodecWork *pq_codec_work(int codec)
{
    const PqCodecWork *work = pq_codec_name(codec) ? codec_table[codec].work : NULL;

    return work && work->decode ? work : NULL;
}

int pq_codec_default(void)
{
    static const int best_first[] = {
        PQ_CODEC_ZSTD, PQ_CODEC_SNAPPY, PQ_CODEC_LZ4_RAW, PQ_CODEC_GZIP,
        PQ_CODEC_BROTLI, PQ_CODEC_UNCOMPRESSED,
    };
    size_t i = 0;

    while (!pq_codec_work(best_first[i])) {
        i++;
    }
    return best_first[i];
}

static const PqCodec *find(int codec, PqErr *e)
{
    const char *name = pq_codec_name(codec);

    if (!name) {
        pq_fail(e, PQ_UNSUPPORTED, "unknown compression number %d", codec);
        return NULL;
    }
    if (!pq_codec_work(codec)) {
        pq_fail(e, PQ_UNSUPPORTED, codec_table[codec].work
                                       ? "this build was made without the compression %s"
                                       : "compression %s is not supported", name);
        return NULL;
    }
    return &codec_table[codec];
}

PqRc pq_codec_state_new(PqMem *mem, PqCodecState **out, PqErr *e)
{
    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    (*out)->mem = mem;
    return PQ_OK;
}

void pq_codec_watch(PqCodecState *s, const PqStop *stop)
{
    s->stop = stop;
}

void pq_codec_confine(PqCodecState *s, size_t n_bytes)
{
    s->confines = n_bytes;
}

void pq_codec_state_free(PqCodecState *s)
{
    if (s) {
        for (int codec = 0; codec < PQ_CODEC_COUNT; codec++) {
            const PqCodecWork *work = pq_codec_work(codec);

            if (work && work->state_free) {
                work->state_free(s);
            }
        }
        pq_mem_free(s);
    }
}

PqRc pq_codec_check_claim(int codec, PqSlice in, size_t n_out, PqErr *e)
{
    const PqCodec *c = find(codec, e);
    PqCodecClaim claim = {0, 0};

    if (!c) {
        return e->rc;
    }
    if (in.n) {
        PQ_TRY(c->work->claim(in, &claim, e));
    }
    if (n_out < claim.least || n_out > claim.most) {
        return pq_fail(e, PQ_CORRUPT, "%s: %zu compressed bytes cannot "
                       "decompress to %zu bytes", c->name, in.n, n_out);
    }
    return PQ_OK;
}

/* A page header has 31 bits for a size, and the libraries take as much in one
** call.  After this check every size fits an int. */
static PqRc check_size(const PqCodec *c, size_t n, PqErr *e)
{
    return n <= INT32_MAX
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "%s: %zu bytes are too many for a page",
                         c->name, n);
}

PqRc pq_codec_decode(PqCodecState *s, int codec, PqSlice in, uint8_t *out,
                     size_t n_out, PqErr *e)
{
    const PqCodec *c = find(codec, e);
    uint8_t nowhere;

    if (!c) {
        return e->rc;
    }
    PQ_TRY(check_size(c, in.n, e));
    PQ_TRY(check_size(c, n_out, e));
    if (in.n == 0) {
        return n_out ? pq_codec_fail_short(c->name, 0, n_out, e) : PQ_OK;
    }
    s->e = e;
    s->n_out = n_out;
    return c->work->decode(s, in, n_out ? out : &nowhere, n_out, e);
}

PqRc pq_codec_decode_all(PqCodecState *s, int codec, bool raw, PqSlice in, size_t most,
                         PqBuf *out, PqErr *e)
{
    const PqCodec *c = find(codec, e);

    if (!c) {
        return e->rc;
    }
    PQ_TRY(check_size(c, in.n, e));
    out->n = 0;
    s->e = e;
    s->n_out = most;
    return c->work->decode_all(s, raw, in, most, out, e);
}

/* Room for the next step of pq_codec_decode_all. */
PqRc pq_codec_more_room(const PqCodecState *s, size_t n, size_t most, PqBuf *out, PqErr *e)
{
    if (out->n == most) {
        return pq_fail(e, PQ_BUDGET, "decompresses to more than %zu bytes", most);
    }
    PQ_TRY(pq_stop_poll(s->stop, e));
    n = n < 4096 ? 4096 : n > PQ_STEP_BYTES ? PQ_STEP_BYTES : n;
    return pq_buf_reserve(out, most - out->n < n ? most - out->n : n, e);
}

bool pq_codec_has_searches(int codec, int level)
{
    const PqCodecWork *work = pq_codec_work(codec);

    return work && work->has_searches && work->has_searches(level);
}

PqRc pq_codec_encode(PqCodecState *s, int codec, int level, PqSearch search,
                     PqSlice in, PqBuf *out, PqErr *e)
{
    const PqCodec *c = find(codec, e);

    if (!c) {
        return e->rc;
    }
    PQ_TRY(check_size(c, in.n, e));
    s->e = e;
    s->search = search;
    return c->work->encode(s, level, in.n ? in : pq_slice(no_bytes, 0), out, e);
}

void pq_codec_versions(PqBuf *out)
{
    static const int order[] = {
        PQ_CODEC_ZSTD, PQ_CODEC_SNAPPY, PQ_CODEC_LZ4_RAW, PQ_CODEC_BROTLI, PQ_CODEC_GZIP,
    };

    for (size_t i = 0; i < PQ_COUNT(order); i++) {
        const PqCodecWork *work = pq_codec_work(order[i]);

        if (i) {
            pq_buf_text(out, ", ");
        }
        if (work) {
            work->version(out);
        } else {
            pq_buf_printf(out, "no %s", pq_codec_name(order[i]));
        }
    }
}

enum { TOUCH_BYTES = 8 << 20, SYSTEM_PAGE = 4096 };

PqRc pq_codec_touch(const PqCodecState *s, uint8_t *out, size_t n, PqErr *e)
{
    pq_mem_will_fill(out, n);
    if (n < TOUCH_BYTES) {
        return PQ_OK;
    }
    for (size_t i = 0; i < n; i += SYSTEM_PAGE) {
        ((volatile uint8_t *)out)[i] = 0;
        if (i % PQ_STEP_BYTES == 0) {
            PQ_TRY(pq_stop_poll(s->stop, e));
        }
    }
    return PQ_OK;
}

void *pq_codec_lib_alloc(void *state, size_t n)
{
    PqCodecState *s = state;
    void *p = pq_mem_alloc(s->mem, n, s->e);

    if (p && pq_codec_touch(s, p, n, s->e) != PQ_OK) {
        pq_mem_free(p);
        return NULL;
    }
    return p;
}

void pq_codec_lib_free(void *state, void *p)
{
    pq_mem_free(p);
}

PqRc pq_codec_fail_damaged(const char *codec, const char *how, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%s: the data is damaged (%s)", codec, how);
}

PqRc pq_codec_fail_short(const char *codec, size_t came, size_t n_out, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%s: decompresses to %zu bytes, %zu were "
                   "announced", codec, came, n_out);
}

PqRc pq_codec_fail_long(const char *codec, size_t n_out, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%s: decompresses to more than the %zu bytes "
                   "announced", codec, n_out);
}

PqRc pq_codec_fail_memory(const char *codec, PqErr *e)
{
    return pq_fail(e, PQ_NOMEM, "%s: the library got no memory", codec);
}
