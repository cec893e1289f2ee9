/*
** bool_encode.c - booleans: PLAIN, one bit each, or RLE, runs of width 1 behind
** a 4-byte length.
*/
#include "core/encoding/encode_inside.h"

enum { PIECE = 8192 };

static PqEncodedSize plain_size(const PqEncodeJob *job)
{
    return (PqEncodedSize){((uint64_t)job->n + 7) / 8, true};
}

static PqRc encode_plain(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_bytes = ((size_t)job->n + 7) / 8;
    uint8_t *p = pq_out_room(o, n_bytes, e);

    if (!p) {
        return e->rc;
    }
    job->k->pack_bools(job->values, job->n, p);
    o->buf->n += n_bytes;
    return PQ_OK;
}

/* Each piece as if it were alone: a run that reaches from one to the next is
** counted twice. */
static PqEncodedSize runs_size(const PqEncodeJob *job)
{
    PqEncodedSize size = {4, job->n <= PIECE};
    uint64_t bits[PIECE / 64];
    const uint8_t *value = job->values;

    for (uint32_t at = 0; at < job->n; at += PIECE) {
        uint32_t some = job->n - at < PIECE ? job->n - at : PIECE;

        job->k->pack_bools(value + at, some, (uint8_t *)bits);
        size.n_bytes += pq_bit_runs_size(bits, 0, some);
    }
    return size;
}

static PqRc encode_runs(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_words = ((size_t)job->n + 63) / 64;
    uint64_t *bits = pq_mem_array(o->buf->mem, n_words, sizeof *bits, e);
    PqBuf *b = o->buf;
    size_t from = b->n + 4;
    PqRc rc;

    if (!bits || !pq_out_room(o, 4, e)) {
        rc = e->rc;
        goto done;
    }
    b->n += 4;
    job->k->pack_bools(job->values, job->n, (uint8_t *)bits);
    PQ_GO(pq_bit_runs_write(o, bits, 0, job->n, e));
    pq_store_u32(b->p + from - 4, (uint32_t)(b->n - from));
done:
    pq_mem_free(bits);
    return rc;
}

const PqEncoderKind pq_encode_plain_bool = {encode_plain, plain_size};
const PqEncoderKind pq_encode_rle_bool = {encode_runs, runs_size};
