/*
** encoder.c - the table of encoders for each pair of encoding and type, and
** what all of them share: a page has a limit, and a call that fails appends
** nothing.
*/
#include "core/encoding/encode_inside.h"

#include <assert.h>

/* The same pairs as in decoder.c, except dictionary ids. */
static PqEncoder *const encoders[PQ_ENCODING_COUNT][PQ_PHYSICAL_COUNT] = {
    [PQ_ENCODING_PLAIN] = {
        [PQ_BOOLEAN] = pq_encode_plain_bool,
        [PQ_INT32] = pq_encode_plain_number,
        [PQ_INT64] = pq_encode_plain_number,
        [PQ_INT96] = pq_encode_plain_number,
        [PQ_FLOAT] = pq_encode_plain_number,
        [PQ_DOUBLE] = pq_encode_plain_number,
        [PQ_BYTE_ARRAY] = pq_encode_plain_byte_array,
        [PQ_FIXED] = pq_encode_plain_fixed,
    },
    [PQ_ENCODING_RLE] = {[PQ_BOOLEAN] = pq_encode_rle_bool},
    [PQ_ENCODING_DELTA_BINARY_PACKED] = {
        [PQ_INT32] = pq_encode_delta_int32,
        [PQ_INT64] = pq_encode_delta_int64,
    },
    [PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = {
        [PQ_BYTE_ARRAY] = pq_encode_delta_length},
    [PQ_ENCODING_DELTA_BYTE_ARRAY] = {
        [PQ_BYTE_ARRAY] = pq_encode_delta_prefix,
        [PQ_FIXED] = pq_encode_delta_prefix,
    },
    [PQ_ENCODING_BYTE_STREAM_SPLIT] = {
        [PQ_INT32] = pq_encode_split_number,
        [PQ_INT64] = pq_encode_split_number,
        [PQ_FLOAT] = pq_encode_split_number,
        [PQ_DOUBLE] = pq_encode_split_number,
        [PQ_FIXED] = pq_encode_split_fixed,
    },
    [PQ_ENCODING_ALP] = {[PQ_FLOAT] = pq_encode_alp,
                         [PQ_DOUBLE] = pq_encode_alp},
};

bool pq_encodes(int encoding, PqPhysical type)
{
    assert((unsigned)type < PQ_PHYSICAL_COUNT);
    return encoding >= 0 && encoding < PQ_ENCODING_COUNT &&
           encoders[encoding][type];
}

PqRc pq_out_begin(PqOut *o, PqBuf *buf, uint32_t n_values, PqErr *e)
{
    *o = (PqOut){buf, buf->n, pq_kernels()};
    if (!pq_buf_ok(buf)) {
        return buf->sink->rc;
    }
    return n_values <= PQ_ENCODE_MOST
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "%u values are too many for one page",
                         n_values);
}

PqRc pq_out_end(PqOut *o, PqRc rc)
{
    if (rc != PQ_OK) {
        o->buf->n = o->start;
    }
    return rc;
}

uint8_t *pq_out_room(PqOut *o, size_t n, PqErr *e)
{
    PqBuf *b = o->buf;

    if (n > INT32_MAX || b->n - o->start > INT32_MAX - n) {
        pq_fail(e, PQ_USAGE, "more than %d bytes for one page", INT32_MAX);
        return NULL;
    }
    /* At least one byte, so that there is something to point to. */
    if (pq_buf_reserve(b, n ? n : 1, e) != PQ_OK) {
        return NULL;
    }
    return b->p + b->n;
}

PqRc pq_encode(const PqValueShape *shape, const void *values, PqBuf *out,
               PqErr *e)
{
    const char *name = pq_encoding_name(shape->encoding);
    PqEncodeJob job = {shape->type, shape->n_values, pq_width_in_page(shape),
                       values, pq_kernels()};
    PqOut o;

    PQ_TRY(pq_out_begin(&o, out, shape->n_values, e));
    if (!name) {
        return pq_fail(e, PQ_USAGE, "unknown encoding %d", shape->encoding);
    }
    if (!pq_encodes(shape->encoding, shape->type)) {
        return pq_fail(e, PQ_USAGE, "encoding %s is not allowed for %s", name,
                       pq_physical_name((int)shape->type));
    }
    return pq_out_end(&o, encoders[shape->encoding][shape->type](&job, &o, e));
}
