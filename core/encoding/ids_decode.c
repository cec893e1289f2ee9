/*
** ids_decode.c - the data pages of a dictionary: one byte says how wide the
** ids are, runs of them follow.
**
**   03  03 88 c6 fa                  width 3: 0 1 2 3 4 5 6 7
**
** A page whose values are all null may have no bytes at all.  Each read checks
** that its ids are entries of the dictionary.  No width makes that check
** unnecessary, because the value of a repeat may exceed its width.
*/
#include "core/encoding/decoder_kinds.h"

static PqRc open_ids(PqDecoder *d, PqErr *e)
{
    PqSlice runs = pq_decoder_rest(d);
    uint8_t width = 0;

    if (runs.n == 0) {
        d->left = 0;
    } else {
        PQ_TRY(pq_decoder_want(d, d->p, 1, e));
        PQ_TRY(pq_slice_u8(&runs, &width, e));
    }
    if (width > PQ_RLE_WIDEST) {
        return pq_fail(e, PQ_CORRUPT, "dictionary ids %u bits wide", width);
    }
    pq_rle_init(&d->u.ids.runs, width, runs);
    d->u.ids.runs.arrival = d->arrival;
    return PQ_OK;
}

static PqRc read_ids(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                     PqErr *e)
{
    uint32_t n_entries = d->u.ids.n_entries, i = 0;
    const uint32_t *id = out;

    PQ_TRY(pq_rle_read(&d->u.ids.runs, d->k, n, out, e));
    if (!d->k->any_at_least(id, n, n_entries)) {
        return PQ_OK;
    }
    while (id[i] < n_entries) {
        i++;
    }
    return pq_fail(e, PQ_CORRUPT, "id %u in a dictionary of %u entries", id[i],
                   n_entries);
}

static PqRc skip_ids(PqDecoder *d, uint32_t n, PqErr *e)
{
    return pq_rle_skip(&d->u.ids.runs, n, e);
}

const PqDecoderKind pq_dictionary_ids = {open_ids, read_ids, skip_ids};
