/*
** bool_decode.c - booleans: PLAIN, one bit each, or RLE, runs of width 1 after
** a length of 4 bytes.
**
**   PLAIN  b5 01                     1 0 1 0 1 1 0 1  1
**   RLE    04 00 00 00  0a 01 03 b5  1 1 1 1 1  1 0 1 0 1 1 0 1
*/
#include "core/encoding/decoder_kinds.h"

static PqRc open_plain(PqDecoder *d, PqErr *e)
{
    size_t n = d->n_bytes * 8;

    d->u.bit = 0;
    d->left = n < d->left ? (uint32_t)n : d->left;
    return PQ_OK;
}

static PqRc read_plain(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                       PqErr *e)
{
    PQ_TRY(pq_decoder_want(d, d->p, (d->u.bit + n + 7) / 8, e));
    d->k->unpack_bools(d->p, d->u.bit, n, out);
    d->u.bit += n;
    return PQ_OK;
}

static PqRc skip_plain(PqDecoder *d, uint32_t n, PqErr *e)
{
    d->u.bit += n;
    return PQ_OK;
}

static PqRc open_runs(PqDecoder *d, PqErr *e)
{
    PqSlice rest = pq_decoder_rest(d), runs = {d->p, 0};
    uint32_t length;

    if (rest.n > 0) {
        PQ_TRY(pq_decoder_want(d, d->p, sizeof length, e));
        PQ_TRY(pq_slice_u32(&rest, &length, e));
        if (length > rest.n) {
            return pq_fail(e, PQ_CORRUPT, "%u bytes of boolean runs in a page "
                           "of %zu", length, d->n_bytes);
        }
        PQ_TRY(pq_slice_take(&rest, length, &runs, e));
    }
    pq_rle_init(&d->u.runs, 1, runs);
    d->u.runs.arrival = d->arrival;
    return PQ_OK;
}

static PqRc read_runs(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                      PqErr *e)
{
    PqRle *r = &d->u.runs;
    uint8_t *to = out;

    while (n > 0) {
        uint32_t some;

        PQ_TRY(pq_rle_begin_run(r, e));
        some = n < r->left ? n : r->left;
        PQ_TRY(pq_rle_want(r, some, e));
        if (r->is_packed) {
            d->k->unpack_bools(r->bits.p, r->bits.at, some, to);
        } else {
            memset(to, r->value != 0, some);
        }
        pq_rle_pass(r, some);
        to += some;
        n -= some;
    }
    return PQ_OK;
}

static PqRc skip_runs(PqDecoder *d, uint32_t n, PqErr *e)
{
    return pq_rle_skip(&d->u.runs, n, e);
}

const PqDecoderKind pq_plain_bool = {open_plain, read_plain, skip_plain};
const PqDecoderKind pq_rle_bool = {open_runs, read_runs, skip_runs};
