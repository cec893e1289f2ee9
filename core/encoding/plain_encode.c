/*
** plain_encode.c - PLAIN: values back to back, each string after its length.
**
**   numbers      the bytes of the array
**   FIXED        01 02 03  04 05 06           (fixed length 3)
**   BYTE_ARRAY   05 00 00 00 h e l l o  00 00 00 00
*/
#include "core/encoding/encode_inside.h"

PqRc pq_encode_plain_number(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_bytes = (size_t)job->n * job->width;
    uint8_t *p = pq_out_room(o, n_bytes, e);

    if (!p) {
        return e->rc;
    }
    pq_bytes_copy(p, job->values, n_bytes);
    o->buf->n += n_bytes;
    return PQ_OK;
}

PqRc pq_encode_plain_fixed(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_bytes = (size_t)job->n * job->width;
    uint8_t *p = pq_out_room(o, n_bytes, e);
    const PqStr *value = job->values;
    uint32_t width = job->width;

    if (!p) {
        return e->rc;
    }
    for (uint32_t i = 0; i < job->n; i++, p += width) {
        pq_copy_short(p, value[i].p, width);
    }
    o->buf->n += n_bytes;
    return PQ_OK;
}

PqRc pq_encode_plain_byte_array(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    uint64_t n_bytes = (uint64_t)job->n * 4;
    const PqStr *value = job->values;
    uint8_t *p;

    for (uint32_t i = 0; i < job->n; i++) {
        n_bytes += value[i].n;
    }
    p = pq_out_room(o, (size_t)n_bytes, e);
    if (!p) {
        return e->rc;
    }
    for (uint32_t i = 0; i < job->n; i++) {
        pq_store_u32(p, value[i].n);
        pq_copy_short(p + 4, value[i].p, value[i].n);
        p += 4 + (size_t)value[i].n;
    }
    o->buf->n += (size_t)n_bytes;
    return PQ_OK;
}
