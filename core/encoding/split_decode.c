/*
** split_decode.c - BYTE_STREAM_SPLIT: all first bytes, then all second bytes...
**
**   values  AA BB CC DD   00 11 22 33   A3 B4 C5 D6
**   page    AA 00 A3  BB 11 B4  CC 22 C5  DD 33 D6
**
** Only the size of the page says how far apart the streams are.  Every value
** has a byte in the last stream, so even the first value wants all of a page
** that is still arriving.
*/
#include "core/encoding/decoder_kinds.h"

static PqRc open_split(PqDecoder *d, PqErr *e)
{
    uint32_t width = d->width;

    d->u.split = (PqSplit){.stride = width ? d->n_bytes / width : d->left};
    if (width ? d->n_bytes % width != 0 : d->n_bytes != 0) {
        return pq_fail(e, PQ_CORRUPT, "%u byte streams in %zu bytes", width,
                       d->n_bytes);
    }
    if (d->u.split.stride > d->left) {
        return pq_fail(e, PQ_CORRUPT, "%zu values in byte streams, %u in the "
                       "page", d->u.split.stride, d->left);
    }
    d->left = (uint32_t)d->u.split.stride;
    return PQ_OK;
}

static PqRc read_number(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                        PqErr *e)
{
    PqSplit *s = &d->u.split;

    PQ_TRY(pq_decoder_want(d, d->p, d->n_bytes, e));
    d->k->unsplit(d->p, s->stride, s->first, d->width, n, out);
    s->first += n;
    return PQ_OK;
}

static PqRc read_fixed(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                       PqErr *e)
{
    uint32_t width = d->width;
    uint8_t *p = pq_arena_bytes(strings, (size_t)n * width, e);
    PqStr *value = out;

    if (!p) {
        return e->rc;
    }
    PQ_TRY(read_number(d, n, p, strings, e));
    for (uint32_t i = 0; i < n; i++, p += width) {
        value[i] = (PqStr){p, width};
    }
    return PQ_OK;
}

static PqRc skip_split(PqDecoder *d, uint32_t n, PqErr *e)
{
    d->u.split.first += n;
    return PQ_OK;
}

const PqDecoderKind pq_split_number = {open_split, read_number, skip_split};
const PqDecoderKind pq_split_fixed = {open_split, read_fixed, skip_split};
