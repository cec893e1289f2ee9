/*
** bool_encode.c - booleans: PLAIN, one bit each, or RLE, runs of width 1 after
** a length of 4 bytes.
**
** Values are a byte each and runs are found in bits, 64 at a time, so RLE packs
** them to bits first.  bool_decode.c has the picture.
*/
#include "core/encoding/encode_inside.h"

PqRc pq_encode_plain_bool(const PqEncodeJob *job, PqOut *o, PqErr *e)
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

PqRc pq_encode_rle_bool(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_words = ((size_t)job->n + 63) / 64;
    uint64_t *bits;
    PqBuf *b = o->buf;
    size_t from = b->n + 4;
    PqRc rc;

    PQ_GO(PQ_ARRAY(b->mem, bits, n_words, e));
    PQ_GO(pq_out_room(o, 4, e) ? PQ_OK : e->rc);
    b->n += 4;
    job->k->pack_bools(job->values, job->n, (uint8_t *)bits);
    PQ_GO(pq_bit_runs_write(o, bits, 0, job->n, e));
    pq_store_u32(b->p + from - 4, (uint32_t)(b->n - from));
done:
    pq_mem_free(bits);
    return rc;
}
