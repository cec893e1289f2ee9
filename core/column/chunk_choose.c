/*
** chunk_choose.c - chooses the encoding of a chunk by trying each.
**
** Which encoding is best depends on the values and on the codec applied after
** it.  So a sample is encoded and compressed in each way, and the sizes are
** compared.  That costs a page or two per chunk and is never wrong about the
** values it has seen.  A chunk that begins like the chunk of the row group
** before needs no trial (PqChunkLesson).  What is hard is the rest of the
** chunk: grown() extrapolates how far the dictionary will grow.
**
**   sample of l_shipdate, 20,000 of 1,000,000 values
**     PLAIN            80 kB  packed 34 kB      x 50        1.7 MB
**     DELTA_BINARY     36 kB  packed 33 kB      x 50        1.65 MB
**     dictionary       30 kB  packed 29 kB      x 50 + 10 kB  1.46 MB  <-
*/
#include "core/column/chunk_write_inside.h"

#include <math.h>

enum { SAMPLE_BYTES = 1 << 20 };

/* The candidates of each type.  PLAIN comes first: it wins a tie. */
static const int8_t modern[PQ_PHYSICAL_COUNT][4] = {
    [PQ_BOOLEAN] = {PQ_ENCODING_PLAIN, PQ_ENCODING_RLE, -1},
    [PQ_INT32] = {PQ_ENCODING_PLAIN, PQ_ENCODING_DELTA_BINARY_PACKED, -1},
    [PQ_INT64] = {PQ_ENCODING_PLAIN, PQ_ENCODING_DELTA_BINARY_PACKED, -1},
    [PQ_INT96] = {PQ_ENCODING_PLAIN, -1},
    [PQ_FLOAT] = {PQ_ENCODING_PLAIN, PQ_ENCODING_BYTE_STREAM_SPLIT, -1},
    [PQ_DOUBLE] = {PQ_ENCODING_PLAIN, PQ_ENCODING_BYTE_STREAM_SPLIT, -1},
    [PQ_BYTE_ARRAY] = {PQ_ENCODING_PLAIN, PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                       PQ_ENCODING_DELTA_BYTE_ARRAY, -1},
    [PQ_FIXED] = {PQ_ENCODING_PLAIN, PQ_ENCODING_DELTA_BYTE_ARRAY, -1},
};

/* A file without modern encodings uses PLAIN for all types. */
static const int8_t *candidates(const PqChunkWrite *w)
{
    static const int8_t standard[] = {PQ_ENCODING_PLAIN, -1};

    return w->o.modern ? modern[w->leaf->type.physical] : standard;
}

/* How many of n values make a sample: at least one, however large it is. */
static uint32_t sample_of(const PqChunkWrite *w, const void *values, uint32_t n)
{
    const PqStr *s = values;
    uint32_t n_most = n < PQ_CHUNK_SAMPLE ? n : PQ_CHUNK_SAMPLE, i;
    size_t n_bytes = 0;

    if (w->leaf->type.physical != PQ_BYTE_ARRAY &&
        w->leaf->type.physical != PQ_FIXED) {
        return n_most;
    }
    for (i = 0; i < n_most && n_bytes < SAMPLE_BYTES; i++) {
        n_bytes += s[i].n;
    }
    return i;
}

/* The size of ctx->body when packed. */
static PqRc packed_size(const PqChunkWrite *w, PqWriteCtx *ctx, size_t *out,
                        PqErr *e)
{
    ctx->trial.n = 0;
    *out = ctx->body.n;
    if (w->o.codec == PQ_CODEC_UNCOMPRESSED || ctx->body.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_write_ctx_pack(ctx, w->o.codec, w->o.level, PQ_SEARCH_LEVEL,
                             pq_buf_view(&ctx->body), &ctx->trial, e));
    *out = ctx->trial.n;
    return PQ_OK;
}

static PqRc encoded_size(const PqChunkWrite *w, int encoding,
                         const void *values, uint32_t n, PqWriteCtx *ctx,
                         size_t *out, PqErr *e)
{
    PqValueShape shape = pq_chunk_shape(w, encoding, n);

    ctx->body.n = 0;
    PQ_TRY(pq_encode(&shape, values, &ctx->body, e));
    return packed_size(w, ctx, out, e);
}

/* The encoding with the smallest result, and that size.  If *encoding is
** already set, only the size. */
static PqRc best(const PqChunkWrite *w, const void *values, uint32_t n,
                 PqWriteCtx *ctx, int *encoding, size_t *n_bytes, PqErr *e)
{
    const int8_t *may = candidates(w);

    if (*encoding >= 0) {
        return encoded_size(w, *encoding, values, n, ctx, n_bytes, e);
    }
    for (int i = 0; may[i] >= 0; i++) {
        size_t size;

        PQ_TRY(encoded_size(w, may[i], values, n, ctx, &size, e));
        if (i == 0 || size < *n_bytes) {
            *encoding = may[i];
            *n_bytes = size;
        }
    }
    return PQ_OK;
}

PqRc pq_chunk_choose_encoding(PqChunkWrite *w, const void *values, uint32_t n,
                              PqWriteCtx *ctx, PqErr *e)
{
    const int8_t *may = candidates(w);
    size_t n_bytes;

    if (w->encoding >= 0) {
        return PQ_OK;
    }
    if (n == 0 || may[1] < 0) {
        w->encoding = may[0];
        return PQ_OK;
    }
    return best(w, values, sample_of(w, values, n), ctx, &w->encoding,
                &n_bytes, e);
}

/* Chooses the search that packs the beginning of the page smallest, or a faster
** one that is almost as good. */
PqRc pq_chunk_choose_search(PqChunkWrite *w, PqSlice body, PqWriteCtx *ctx,
                            PqErr *e)
{
    enum { LEAST = 1 << 12, MOST = 1 << 19, ALMOST = 64 };
    int kind = pq_chunk_kind_of_pages(w), *search = &w->searches[kind];
    size_t smallest = SIZE_MAX;

    if (*search >= 0 || body.n < LEAST ||
        !pq_codec_has_searches(w->o.codec, w->o.level)) {
        return PQ_OK;
    }
    if (w->lesson.taught && (kind == 0 || w->lesson.encoding == w->encoding)) {
        *search = w->lesson.searches[kind];
        if (*search >= 0) {
            return PQ_OK;
        }
    }
    body.n = body.n < MOST ? body.n : MOST;
    for (int i = PQ_SEARCH_COUNT - 1; i >= 0; i--) {     /* the fastest first */
        ctx->trial.n = 0;
        PQ_TRY(pq_write_ctx_pack(ctx, w->o.codec, w->o.level, (PqSearch)i, body,
                                 &ctx->trial, e));
        if (ctx->trial.n < smallest - smallest / ALMOST) {
            smallest = ctx->trial.n;
            *search = i;
        }
    }
    return PQ_OK;
}

/* How many times larger the dictionary will be at the end of the chunk, judged
** by the share of new values in the last batch.  If the values were drawn from
** m equally likely ones, that share would be exp(-n / m) after n draws. */
static double grown(const PqChunkWrite *w, double n_to_come)
{
    const PqHeldRows *h = &w->held;
    double share = h->n_last ? (double)h->n_last_new / h->n_last : 0;
    double more = share * n_to_come, m;

    if (share > 0 && share < 1) {
        m = h->n_values / -log(share);
        more = share * m * (1 - exp(-n_to_come / m));
    }
    return 1 + more / (w->dict.n_entries ? w->dict.n_entries : 1);
}

/* Did the row group before keep a dictionary like this one, that is, with as
** many entries, give or take an eighth, after as many values? */
static bool is_like_the_last(const PqChunkWrite *w)
{
    const PqChunkLesson *l = &w->lesson;
    uint32_t n = w->dict.n_entries;

    return l->taught && l->n_entries && w->held.n_values == l->n_values &&
           n - n / 8 <= l->n_entries && l->n_entries <= n + n / 8;
}

PqRc pq_chunk_choose_dictionary(PqChunkWrite *w, const void *values,
                                const uint32_t *ids, uint32_t n, bool is_all,
                                PqWriteCtx *ctx, bool *keep, PqErr *e)
{
    const PqHeldRows *h = &w->held;
    uint32_t n_entries = sample_of(w, w->dict.entries, w->dict.n_entries);
    double per_row = h->n_rows ? (double)h->n_values / h->n_rows : 1;
    double n_total = is_all ? h->n_values
                            : (double)w->expected_rows * per_row, growth;
    size_t as_ids, as_values, entries;
    int encoding = w->encoding;

    *keep = w->o.dictionary == PQ_DICTIONARY_ALWAYS || is_like_the_last(w);
    if (*keep || n == 0) {
        return PQ_OK;
    }
    if (n_total < h->n_values) {
        n_total = h->n_values;
    }
    n = sample_of(w, values, n);
    PQ_TRY(best(w, values, n, ctx, &encoding, &as_values, e));
    PQ_TRY(encoded_size(w, PQ_ENCODING_PLAIN, w->dict.entries, n_entries, ctx,
                        &entries, e));
    ctx->body.n = 0;
    PQ_TRY(pq_encode_ids(ids, n, w->dict.n_entries, &ctx->body, e));
    PQ_TRY(packed_size(w, ctx, &as_ids, e));
    growth = grown(w, n_total - h->n_values);
    *keep = (double)as_ids / n * n_total +
                (double)entries / n_entries * w->dict.n_entries * growth <=
            (double)as_values / n * n_total;
    return PQ_OK;
}
