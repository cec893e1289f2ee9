/*
** alp_encode.c - writes ALP pages, in vectors of 1024 values.
**
** The hard part, which integers to write, is in alp_plan.c; alp_decode.c has
** the picture.  Here the offset of each vector is filled in when the vector is
** written, because its size depends on its values.
*/
#include "core/encoding/alp_plan.h"

static uint32_t n_vectors_of(uint32_t n)
{
    return n / PQ_ALP_SIZE + (n % PQ_ALP_SIZE != 0);
}

/* Plans vector i. */
static void plan_vector(const PqEncodeJob *job, PqAlpChooser *c, uint32_t i,
                        PqAlpVector *v)
{
    uint32_t at = i * PQ_ALP_SIZE, n = job->n - at;
    const uint8_t *values = job->values;

    pq_alp_plan(job, c, values + (size_t)at * job->width,
                n < PQ_ALP_SIZE ? n : PQ_ALP_SIZE, v);
}

static size_t packed_size(const PqAlpVector *v)
{
    return ((size_t)v->n * v->width + 7) / 8;
}

static size_t size_of_vector(const PqEncodeJob *job, const PqAlpVector *v)
{
    return 5 + job->width + packed_size(v) +
           v->n_exceptions * (2 + (size_t)job->width);
}

static uint8_t *put_head(const PqEncodeJob *job, const PqAlpVector *v,
                         uint8_t *p)
{
    p[0] = v->choice.exponent;
    p[1] = v->choice.factor;
    p[2] = (uint8_t)v->n_exceptions;
    p[3] = (uint8_t)(v->n_exceptions >> 8);
    memcpy(p + 4, &v->frame, job->width);
    p[4 + job->width] = (uint8_t)v->width;
    return p + 5 + job->width;
}

static void put_exceptions(const PqEncodeJob *job, const PqAlpVector *v,
                           const uint8_t *values, uint8_t *p)
{
    size_t width = job->width;

    memcpy(p, v->exceptions, v->n_exceptions * sizeof *v->exceptions);
    p += v->n_exceptions * sizeof *v->exceptions;
    for (uint32_t i = 0; i < v->n_exceptions; i++, p += width) {
        memcpy(p, values + v->exceptions[i] * width, width);
    }
}

static PqRc write_vector(const PqEncodeJob *job, PqOut *o, uint32_t i,
                         const PqAlpVector *v, PqErr *e)
{
    size_t n_bytes = size_of_vector(job, v);
    uint8_t *p = pq_out_room(o, n_bytes + PQ_PACK_SLACK, e);
    const uint8_t *values = job->values;

    if (!p) {
        return e->rc;
    }
    p = put_head(job, v, p);
    if (job->type == PQ_FLOAT) {
        job->k->pack32(v->u.v32, v->width, v->n, p);
    } else {
        job->k->pack64(v->u.v64, v->width, v->n, p);
    }
    put_exceptions(job, v, values + (size_t)i * PQ_ALP_SIZE * job->width,
                   p + packed_size(v));
    o->buf->n += n_bytes;
    return PQ_OK;
}

static PqRc write_header(PqOut *o, uint32_t n, PqErr *e)
{
    size_t n_bytes = PQ_ALP_HEADER + 4 * (size_t)n_vectors_of(n);
    uint8_t *p = pq_out_room(o, n_bytes, e);

    if (!p) {
        return e->rc;
    }
    p[0] = p[1] = 0;
    p[2] = PQ_ALP_LOG_SIZE;
    pq_store_u32(p + 3, n);
    o->buf->n += n_bytes;
    return PQ_OK;
}

PqRc pq_encode_alp(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    size_t offsets = o->buf->n + PQ_ALP_HEADER;
    PqAlpChooser chooser = {0};
    PqAlpVector v;

    PQ_TRY(write_header(o, job->n, e));
    for (uint32_t i = 0; i < n_vectors_of(job->n); i++) {
        pq_store_u32(o->buf->p + offsets + 4 * (size_t)i,
                     (uint32_t)(o->buf->n - offsets));
        plan_vector(job, &chooser, i, &v);
        PQ_TRY(write_vector(job, o, i, &v, e));
    }
    return PQ_OK;
}
