/*
** chunk_bloom.c - the Bloom filter of a chunk.
**
** A filter is made when the number of values is known.  Until then their hashes
** are kept.  Unlike a filter, hashes can be spilled to the scratch file.
**
**   values  ->  hashes, 8 bytes each  ->  filter of as many blocks as they
**               (memory or scratch)       need, folded
**
** A filter made in advance, for a million values, would take two megabytes in
** each column of each open partition, however few values come.
**
** What is hard: a filter that the user did not ask for must be small compared
** with its chunk.  How many values are distinct, and how small they get when
** compressed, has to be estimated before the hashes are collected.
*/
#include "core/column/chunk_write_inside.h"
#include "core/meta/bloom_make.h"

#include <math.h>

static bool may_have_bloom(const PqType *t)
{
    return t->physical != PQ_BOOLEAN && t->logical != PQ_TYPE_UNKNOWN &&
           !pq_type_is_geometry(t);
}

/* Types whose values are looked up by equality: integers, texts and UUIDs, but
** not measurements. */
static bool is_looked_for(const PqType *t)
{
    return t->physical == PQ_INT32 || t->physical == PQ_INT64
               ? t->logical == PQ_TYPE_NONE || t->logical == PQ_TYPE_INT
               : t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_UUID;
}

static bool is_wanted(const PqChunkWrite *w)
{
    return w->o.bloom == PQ_BLOOM_ALWAYS
               ? may_have_bloom(&w->leaf->type)
               : w->o.bloom == PQ_BLOOM_AUTO && is_looked_for(&w->leaf->type) &&
                     w->leaf->max_rep == 0;
}

/* A filter that was not asked for may add at most 1/SHARE to its chunk. */
enum { SHARE = 32, LEAST_ENTRIES = 1000 };
static const double default_fpp = 0.01, auto_fpp = 0.05;

/* Bytes of such a filter per distinct value, and how far the estimate must be
** above the allowed share before the filter is given up early. */
#define BYTES_PER_VALUE 0.8
#define MARGIN          1.25

/* The share of n_total values that are distinct, when n_distinct of the first n
** were.  n draws from m equally likely values yield m * (1 - exp(-n / m))
** distinct ones.  That share falls as n / m grows, so n / m is found by
** bisection. */
static double share_distinct(double n, double n_distinct, double n_total)
{
    enum { HALVINGS = 40 };
    double low = 0, high, m;

    if (n_distinct <= 0 || n_distinct >= n) {
        return n_distinct > 0;
    }
    high = n / n_distinct;
    for (int i = 0; i < HALVINGS; i++) {
        double x = (low + high) / 2;

        if ((1 - exp(-x)) / x > n_distinct / n) {
            low = x;
        } else {
            high = x;
        }
    }
    m = n / high;
    n_total = n_total > n ? n_total : n;
    return m * (1 - exp(-n_total / m)) / n_total;
}

/* Could the filter be small enough?  Compression can only make the values
** smaller, so their raw size is the limit.  If no value was ever looked up in
** the dictionary, the distinct share is unknown and taken as 0: the answer is
** yes, and the size of the finished filter decides. */
static bool may_be_cheap(PqChunkWrite *w, const void *values, uint32_t n)
{
    const PqStr *s = values;
    double n_bytes = (double)pq_physical_width(w->leaf->type.physical) * n;

    w->distinct = share_distinct((double)w->n_looked_up, w->dict.n_entries,
                                 (double)w->expected_rows);
    if (w->leaf->type.physical == PQ_BYTE_ARRAY) {
        n_bytes = 0;
        for (uint32_t i = 0; i < n; i++) {
            n_bytes += s[i].n;
        }
    }
    return n > 0 && BYTES_PER_VALUE * w->distinct * n <= n_bytes / SHARE;
}

/* After some pages the packed size of the values is known, and so is whether
** collecting more hashes is worthwhile.  This is asked once; n is the number of
** values in the current page, which have no hashes yet. */
static bool costs_too_much(PqChunkWrite *w, uint32_t n)
{
    enum { PAGES = 8 };
    double all = (double)w->hashes.n_bytes / sizeof(uint64_t) + n;

    if (w->o.bloom != PQ_BLOOM_AUTO || w->is_weighed ||
        w->n_direct_pages < PAGES) {
        return false;
    }
    w->is_weighed = true;
    return BYTES_PER_VALUE * w->distinct * all >
           (double)w->pages.n_bytes / SHARE * MARGIN;
}

PqRc pq_chunk_bloom_add(PqChunkWrite *w, const void *values, uint32_t n,
                        PqWriteCtx *ctx, PqErr *e)
{
    size_t most = ((size_t)n + PQ_BLOOM_MORE) * sizeof(uint64_t);

    if (!n) {
        return PQ_OK;
    }
    if (costs_too_much(w, n)) {
        w->has_bloom = false;
        pq_page_store_free(&w->hashes);
        return PQ_OK;
    }
    PQ_TRY(pq_buf_resize(&ctx->trial, most, e));
    n = pq_bloom_make_hash(&w->leaf->type, values, n, (void *)ctx->trial.p);
    return pq_page_store_add(&w->hashes,
                             pq_slice(ctx->trial.p, n * sizeof(uint64_t)), e);
}

PqRc pq_chunk_bloom_begin(PqChunkWrite *w, bool from_dictionary,
                          const void *values, uint32_t n, PqWriteCtx *ctx,
                          PqErr *e)
{
    if (w->has_bloom || !is_wanted(w) ||
        (w->o.bloom != PQ_BLOOM_ALWAYS &&
         !(from_dictionary && may_be_cheap(w, values, n)))) {
        return PQ_OK;
    }
    w->has_bloom = true;
    return w->n_dict_pages ? pq_chunk_bloom_add(w, w->dict.entries,
                                                w->dict.n_entries, ctx, e)
                           : PQ_OK;
}

static bool is_sorted(const PqChunkWrite *w)
{
    const PqSortedMake *sorted = pq_chunk_write_sorted(w);
    bool descending, nulls_first;

    return sorted && pq_sorted_made(sorted, &descending, &nulls_first);
}

/* The filter of a dictionary chunk is made from the dictionary's entries.  A
** filter that was not asked for is dropped if the values are sorted: then the
** bounds of the pages exclude as much. */
PqRc pq_chunk_bloom_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e)
{
    bool is_auto = w->o.bloom == PQ_BLOOM_AUTO;

    if (is_auto && is_sorted(w)) {
        w->has_bloom = false;
        pq_page_store_free(&w->hashes);
        return PQ_OK;
    }
    if (w->has_bloom || !w->n_dict_pages || w->n_direct_pages ||
        !is_wanted(w) || (is_auto && w->dict.n_entries < LEAST_ENTRIES)) {
        return PQ_OK;
    }
    w->has_bloom = true;
    return pq_chunk_bloom_add(w, w->dict.entries, w->dict.n_entries, ctx, e);
}

/* --- the filter ----------------------------------------------------------- */

static PqRc take_hashes(void *bloom, PqSlice piece, PqErr *e)
{
    pq_bloom_make_add_hashes(bloom, (const void *)piece.p,
                             piece.n / sizeof(uint64_t));
    return PQ_OK;
}

static PqRc make(PqChunkWrite *w, PqBloomMake *b, PqErr *e)
{
    uint64_t n = w->hashes.n_bytes / sizeof(uint64_t);
    double fpp = w->o.bloom_fpp > 0            ? w->o.bloom_fpp
                 : w->o.bloom == PQ_BLOOM_AUTO ? auto_fpp : default_fpp;

    n = w->o.bloom_values ? w->o.bloom_values : n;
    return pq_bloom_make_init(b, n ? n : 1, fpp, w->mem, e);
}

/* A filter that was not asked for is left out if it is too large for its
** chunk. */
PqRc pq_chunk_write_bloom(void *chunk, PqSink *scratch, const PqStop *stop,
                          PqBuf *out, PqErr *e)
{
    PqChunkWrite *w = chunk;
    PqModule header = pq_chunk_write_module(w, PQ_MODULE_BLOOM_HEADER);
    uint64_t n_bytes = w->pages.n_bytes + w->dict_page.n;
    PqBloomMake b;
    PqRc rc;

    if (!w->has_bloom) {
        return PQ_OK;
    }
    PQ_TRY(make(w, &b, e));
    PQ_GO(pq_page_store_each(&w->hashes, scratch, stop, take_hashes, &b, e));
    if (pq_bloom_make_fold(&b) <= n_bytes / SHARE ||
        w->o.bloom == PQ_BLOOM_ALWAYS) {
        PQ_GO(pq_bloom_put(&header, pq_bloom_make_bits(&b), w->mem, out, e));
    }
done:
    pq_bloom_make_free(&b);
    return rc;
}
