/*
** delta_decode.c - reads DELTA_BINARY_PACKED streams.
**
** Miniblocks are unpacked straight into the output and summed up there.  Speed
** is hard, because a call to a kernel costs as much as a dozen values: so sums
** are done once per block, not once per miniblock.  A stream also says its own
** sizes, and each of them is checked against the bytes that are there.
*/
#include "core/encoding/delta.h"

#include "core/encoding/decoder_kinds.h"

enum { CHUNK = 256, WIDEST = 64, LONGEST_VARINT = 10 };

static PqRc check_blocks(uint64_t block, uint64_t minis, PqErr *e)
{
    if (minis == 0 || block == 0 || block % minis != 0 ||
        block / minis % 8 != 0 || block / minis > INT32_MAX ||
        minis > UINT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "delta blocks of %llu values in %llu "
                       "miniblocks", (unsigned long long)block,
                       (unsigned long long)minis);
    }
    return PQ_OK;
}

/* Even a block of equal deltas takes a byte of min_delta and its widths.  So a
** count that is too large for the bytes fails before anything is allocated. */
static PqRc check_count(const PqDelta *d, uint64_t count, uint64_t block,
                        uint32_t most, PqErr *e)
{
    uint64_t n_blocks = count > 1 ? (count - 2) / block + 1 : 0;

    if (count > most || n_blocks > d->rest.n / (1 + (uint64_t)d->per_block)) {
        return pq_fail(e, PQ_CORRUPT, "%llu delta values in a page of %u, in "
                       "%zu bytes", (unsigned long long)count, most, d->rest.n);
    }
    return PQ_OK;
}

PqRc pq_delta_open(PqDelta *d, PqSlice bytes, uint32_t most, PqLazyBytes *arrival,
                   PqErr *e)
{
    uint64_t block, minis, count;
    int64_t first;

    *d = (PqDelta){.rest = bytes, .arrival = arrival};
    if (bytes.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_lazy_bytes_want(arrival, bytes.p, 4 * LONGEST_VARINT, e));
    PQ_TRY(pq_slice_varint(&d->rest, &block, e));
    PQ_TRY(pq_slice_varint(&d->rest, &minis, e));
    PQ_TRY(pq_slice_varint(&d->rest, &count, e));
    PQ_TRY(pq_slice_zigzag(&d->rest, &first, e));
    PQ_TRY(check_blocks(block, minis, e));
    d->per_block = (uint32_t)minis;
    d->per_mini = (uint32_t)(block / minis);
    PQ_TRY(check_count(d, count, block, most, e));
    d->left = (uint32_t)count;
    d->at_first = count > 0;
    d->last = (uint64_t)first;
    return PQ_OK;
}

static PqRc begin_block(PqDelta *d, PqErr *e)
{
    PqSlice widths;
    int64_t min_delta;

    PQ_TRY(pq_lazy_bytes_want(d->arrival, d->rest.p,
                              LONGEST_VARINT + (size_t)d->per_block, e));
    PQ_TRY(pq_slice_zigzag(&d->rest, &min_delta, e));
    if (d->rest.n < d->per_block) {
        return pq_fail(e, PQ_CORRUPT, "a delta block is cut off: %u widths in "
                       "%zu bytes", d->per_block, d->rest.n);
    }
    PQ_TRY(pq_slice_take(&d->rest, d->per_block, &widths, e));
    d->min_delta = (uint64_t)min_delta;
    d->widths = widths.p;
    d->n_widths = d->per_block;
    return PQ_OK;
}

/* Begins the next miniblock; only its first `left` values count. */
static PqRc begin_mini(PqDelta *d, uint32_t left, PqErr *e)
{
    unsigned width = *d->widths++;
    uint64_t n_bytes = (uint64_t)d->per_mini / 8 * width;
    uint32_t n = left < d->per_mini ? left : d->per_mini;

    d->n_widths--;
    if (width > WIDEST) {
        return pq_fail(e, PQ_CORRUPT, "deltas %u bits wide", width);
    }
    if (((uint64_t)n * width + 7) / 8 > d->rest.n) {
        return pq_fail(e, PQ_CORRUPT, "a delta miniblock is cut off: %u values "
                       "of %u bits in %zu bytes", n, width, d->rest.n);
    }
    n_bytes = n_bytes < d->rest.n ? n_bytes : d->rest.n;
    PQ_TRY(pq_lazy_bytes_want(d->arrival, d->rest.p, (size_t)n_bytes, e));
    d->mini = (PqPacked){.p = d->rest.p, .end = d->rest.p + d->rest.n,
                         .width = width, .at = 0};
    d->mini_left = n;
    pq_slice_cut(&d->rest, (size_t)n_bytes);
    return PQ_OK;
}

/* Unpacks values that are packed in more bits than their type has. */
static void unpack_wide(PqDelta *d, const PqKernels *k, uint32_t n,
                        uint32_t *out)
{
    uint64_t wide[CHUNK];

    while (n > 0) {
        uint32_t some = n < CHUNK ? n : CHUNK;

        pq_packed_read64(&d->mini, k, some, wide);
        for (uint32_t i = 0; i < some; i++) {
            out[i] = (uint32_t)wide[i];
        }
        out += some;
        n -= some;
    }
}

static uint32_t take_first(PqDelta *d, uint32_t n)
{
    bool take = d->at_first && n > 0;

    d->at_first = d->at_first && !take;
    return take;
}

PqRc pq_delta_read32(PqDelta *d, const PqKernels *k, uint32_t n,
                     uint32_t *out, PqErr *e)
{
    uint32_t last = (uint32_t)d->last;
    uint32_t at = take_first(d, n), summed = at;

    if (at) {
        out[0] = last;
    }
    while (at < n) {
        uint32_t some;

        if (d->mini_left == 0) {
            if (d->n_widths == 0) {
                last = k->delta32(out + summed, at - summed, last,
                                  (uint32_t)d->min_delta, out + summed);
                summed = at;
                PQ_TRY(begin_block(d, e));
            }
            PQ_TRY(begin_mini(d, d->left - at, e));
        }
        some = n - at < d->mini_left ? n - at : d->mini_left;
        if (PQ_LIKELY(d->mini.width <= 32)) {
            pq_packed_read32(&d->mini, k, some, out + at);
        } else {
            unpack_wide(d, k, some, out + at);
        }
        d->mini_left -= some;
        at += some;
    }
    d->last = k->delta32(out + summed, at - summed, last,
                         (uint32_t)d->min_delta, out + summed);
    d->left -= n;
    return PQ_OK;
}

static PqRc take64(PqDelta *d, const PqKernels *k, uint32_t n, uint64_t *out,
                   PqErr *e)
{
    uint32_t at = take_first(d, n), summed = at;

    if (at) {
        out[0] = d->last;
    }
    while (at < n) {
        uint32_t some;

        if (d->mini_left == 0) {
            if (d->n_widths == 0) {
                d->last = k->delta64(out + summed, at - summed, d->last,
                                     d->min_delta, out + summed);
                summed = at;
                PQ_TRY(begin_block(d, e));
            }
            PQ_TRY(begin_mini(d, d->left - at, e));
        }
        some = n - at < d->mini_left ? n - at : d->mini_left;
        pq_packed_read64(&d->mini, k, some, out + at);
        d->mini_left -= some;
        at += some;
    }
    d->last = k->delta64(out + summed, at - summed, d->last, d->min_delta,
                         out + summed);
    d->left -= n;
    return PQ_OK;
}

/* DELTA_BINARY_PACKED pages. */

static PqRc open_delta(PqDecoder *d, PqErr *e)
{
    PQ_TRY(pq_delta_open(&d->u.delta, pq_decoder_rest(d), d->left, d->arrival,
                         e));
    d->left = d->u.delta.left;
    return PQ_OK;
}

static PqRc read32(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                   PqErr *e)
{
    return pq_delta_read32(&d->u.delta, d->k, n, out, e);
}

static PqRc read64(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                   PqErr *e)
{
    return take64(&d->u.delta, d->k, n, out, e);
}

/* A value is a sum of all deltas before it, so values are skipped by reading
** them.  Only when all the rest is skipped nothing needs to be read. */
static PqRc skip32(PqDecoder *d, uint32_t n, PqErr *e)
{
    uint32_t passed[CHUNK], some;

    for (; n > 0 && n < d->u.delta.left; n -= some) {
        some = n < CHUNK ? n : CHUNK;
        PQ_TRY(pq_delta_read32(&d->u.delta, d->k, some, passed, e));
    }
    return PQ_OK;
}

static PqRc skip64(PqDecoder *d, uint32_t n, PqErr *e)
{
    uint64_t passed[CHUNK];
    uint32_t some;

    for (; n > 0 && n < d->u.delta.left; n -= some) {
        some = n < CHUNK ? n : CHUNK;
        PQ_TRY(take64(&d->u.delta, d->k, some, passed, e));
    }
    return PQ_OK;
}

const PqDecoderKind pq_delta_int32 = {open_delta, read32, skip32};
const PqDecoderKind pq_delta_int64 = {open_delta, read64, skip64};
