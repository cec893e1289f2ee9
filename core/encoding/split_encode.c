/*
** split_encode.c - BYTE_STREAM_SPLIT: all first bytes, then all second bytes...
** split_decode.c has the picture.
**
** Numbers lie side by side, as the kernel wants them.  Values of FIXED are only
** pointers: short ones are gathered first, long ones are read where they are.
*/
#include "core/encoding/encode_inside.h"

enum { PIECE = 4096, LONGEST_SHORT = 128 };

PqRc pq_encode_split_number(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_bytes = (size_t)job->n * job->width;
    uint8_t *p = pq_out_room(o, n_bytes, e);

    if (!p) {
        return e->rc;
    }
    job->k->split(job->values, job->width, job->n, job->n, 0, p);
    o->buf->n += n_bytes;
    return PQ_OK;
}

/* Long values stay where they are: a byte of each at a time. */
static void split_long(const PqEncodeJob *job, uint8_t *out)
{
    const PqStr *value = job->values;

    for (uint32_t b = 0; b < job->width; b++, out += job->n) {
        for (uint32_t i = 0; i < job->n; i++) {
            out[i] = value[i].p[b];
        }
    }
}

/* Short values are copied side by side first, some at a time. */
static void split_short(const PqEncodeJob *job, uint8_t *out)
{
    const PqStr *value = job->values;
    uint32_t width = job->width, most = PIECE / width, some;
    uint8_t piece[PIECE];

    for (uint32_t at = 0; at < job->n; at += some) {
        some = job->n - at < most ? job->n - at : most;
        for (uint32_t i = 0; i < some; i++) {
            pq_copy_short(piece + (size_t)i * width, value[at + i].p, width);
        }
        job->k->split(piece, width, some, job->n, at, out);
    }
}

PqRc pq_encode_split_fixed(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t n_bytes = (size_t)job->n * job->width;
    uint8_t *p = pq_out_room(o, n_bytes, e);

    if (!p) {
        return e->rc;
    }
    if (job->width > 0 && job->width <= LONGEST_SHORT) {
        split_short(job, p);
    } else {
        split_long(job, p);
    }
    o->buf->n += n_bytes;
    return PQ_OK;
}
