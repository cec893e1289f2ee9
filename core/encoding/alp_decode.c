/*
** alp_decode.c - ALP: floating-point values that were decimals, as integers.
**
**   page    := u8 mode 0, u8 integers 0, u8 log2 of a vector's size, i32 count,
**              u32 offset of each vector (from the first offset), vectors
**   vector  := u8 exponent, u8 factor, u16 exceptions,
**              frame (i32 or i64), u8 width, packed values,
**              u16 position of each exception, exceptions as they are
**   value   := (packed + frame) * 10^factor * 10^-exponent
**
**   exponent 4, factor 3, frame 3335, width 15: 11665 11665 21665 0
**   -> 15000 15000 25000 3335 -> 1500.0 1500.0 2500.0 333.5
**   one exception, position 1: NaN -> 1500.0 NaN 2500.0 333.5
**
** What is hard is to get every last bit right: the two products are computed
** one after the other, and each is rounded to the type.  No sum follows that a
** compiler could fuse with a product.
**
** A vector that is wanted whole is decoded straight into the output.  Any other
** is decoded into a buffer and kept, since a read may end in the middle of it.
*/
#include "core/encoding/alp.h"
#include "core/encoding/decoder_kinds.h"

/* The powers of ten and their inverses: see alp.h. */
const float pq_alp_float_tens[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
const float pq_alp_float_tenths[] = {1e-0f, 1e-1f, 1e-2f, 1e-3f,
                                     1e-4f, 1e-5f, 1e-6f, 1e-7f,
                                     1e-8f, 1e-9f, 1e-10f};
const double pq_alp_double_tens[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
const double pq_alp_double_tenths[] = {
    1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
    1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};

enum { CHUNK = 256 };

static const uint32_t NOTHING_HELD = UINT32_MAX;

/* One vector, checked: every part of it lies in the page. */
typedef struct Vector {
    uint32_t       n, n_exceptions;
    unsigned       exponent, factor, width;
    uint64_t       frame;
    const uint8_t *packed, *positions, *exceptions;
    const uint8_t *end;              /* of the page */
} Vector;

static uint64_t n_vectors_of(const PqAlp *a)
{
    return ((uint64_t)a->count + (1u << a->log_size) - 1) >> a->log_size;
}

/* The last vector may be smaller than the others. */
static uint32_t size_of_vector(const PqAlp *a, uint32_t i)
{
    uint32_t left = a->count - (i << a->log_size), size = 1u << a->log_size;

    return left < size ? left : size;
}

static PqRc open_alp(PqDecoder *d, PqErr *e)
{
    PqSlice page = pq_decoder_rest(d);
    PqAlp *a = &d->u.alp;

    *a = (PqAlp){.held = NOTHING_HELD};
    if (page.n == 0) {
        d->left = 0;
        return PQ_OK;
    }
    PQ_TRY(pq_decoder_want(d, d->p, PQ_ALP_HEADER, e));
    if (page.n < PQ_ALP_HEADER) {
        return pq_fail(e, PQ_CORRUPT, "an ALP page of %zu bytes is too short",
                       page.n);
    }
    if (page.p[0] != 0 || page.p[1] != 0) {
        return pq_fail(e, PQ_UNSUPPORTED, "ALP mode %u with integer encoding "
                       "%u is not supported", page.p[0], page.p[1]);
    }
    a->log_size = page.p[2];
    a->count = pq_load_u32(page.p + 3);
    a->vectors = pq_slice(page.p + PQ_ALP_HEADER, page.n - PQ_ALP_HEADER);
    if (a->log_size < PQ_ALP_LOG_SMALLEST || a->log_size > PQ_ALP_LOG_LARGEST) {
        return pq_fail(e, PQ_CORRUPT, "ALP vectors of 2^%u values",
                       a->log_size);
    }
    if (a->count > d->left) {
        return pq_fail(e, PQ_CORRUPT, "%u ALP values in a page of %u",
                       a->count, d->left);
    }
    if (n_vectors_of(a) * 4 > a->vectors.n) {
        return pq_fail(e, PQ_CORRUPT, "%u ALP values in %zu bytes", a->count,
                       d->n_bytes);
    }
    d->left = a->count;
    return pq_buf_resize(&d->vector, (size_t)d->width << a->log_size, e);
}

/* The bytes of vector i: from its offset to the offset of the next. */
static PqRc vector_bytes(const PqDecoder *d, uint32_t i, PqSlice *out, PqErr *e)
{
    const PqAlp *a = &d->u.alp;
    size_t n_vectors = (size_t)n_vectors_of(a);
    const uint8_t *offset = a->vectors.p + 4 * (size_t)i;
    size_t begin, end = a->vectors.n;

    PQ_TRY(pq_decoder_want(d, offset, 8, e));
    begin = pq_load_u32(offset);
    if (i + 1 < n_vectors) {
        end = pq_load_u32(offset + 4);
    }
    if (begin < 4 * n_vectors || begin > end || end > a->vectors.n) {
        return pq_fail(e, PQ_CORRUPT, "ALP vector %u lies in bytes %zu to %zu "
                       "of %zu", i, begin, end, a->vectors.n);
    }
    *out = pq_slice(a->vectors.p + begin, end - begin);
    return pq_decoder_want(d, out->p, out->n, e);
}

/* size: the bytes of a value, and of the frame. */
static PqRc vector_header(PqSlice bytes, unsigned size, Vector *v, PqErr *e)
{
    unsigned most = size == 4 ? PQ_ALP_FLOAT_POWERS : PQ_ALP_DOUBLE_POWERS;
    const uint8_t *p = bytes.p;

    if (bytes.n < 5 + (size_t)size) {
        return pq_fail(e, PQ_CORRUPT, "an ALP vector of %zu bytes is too short",
                       bytes.n);
    }
    v->exponent = p[0];
    v->factor = p[1];
    v->n_exceptions = pq_load_u16(p + 2);
    v->frame = size == 4 ? pq_load_u32(p + 4) : pq_load_u64(p + 4);
    v->width = p[4 + size];
    v->packed = p + 5 + size;
    if (v->exponent >= most || v->factor > v->exponent) {
        return pq_fail(e, PQ_CORRUPT, "ALP exponent %u with factor %u",
                       v->exponent, v->factor);
    }
    if (v->width > size * 8) {
        return pq_fail(e, PQ_CORRUPT, "ALP integers %u bits wide", v->width);
    }
    return PQ_OK;
}

static PqRc vector_body(PqSlice bytes, unsigned size, Vector *v, PqErr *e)
{
    size_t n_packed = ((size_t)v->n * v->width + 7) / 8;
    size_t want = 5 + size + n_packed + v->n_exceptions * (2 + (size_t)size);

    if (v->n_exceptions > v->n || want > bytes.n) {
        return pq_fail(e, PQ_CORRUPT, "an ALP vector of %u values, %u "
                       "exceptions, %u bits each in %zu bytes", v->n,
                       v->n_exceptions, v->width, bytes.n);
    }
    v->positions = v->packed + n_packed;
    v->exceptions = v->positions + 2 * (size_t)v->n_exceptions;
    for (uint32_t i = 0; i < v->n_exceptions; i++) {
        unsigned position = pq_load_u16(v->positions + 2 * (size_t)i);
        if (position >= v->n) {
            return pq_fail(e, PQ_CORRUPT, "an ALP exception at %u of %u",
                           position, v->n);
        }
    }
    return PQ_OK;
}

static PqRc open_vector(const PqDecoder *d, uint32_t i, Vector *v, PqErr *e)
{
    const PqAlp *a = &d->u.alp;
    PqSlice bytes = {NULL, 0};

    v->n = size_of_vector(a, i);
    v->end = a->vectors.p + a->vectors.n;
    PQ_TRY(vector_bytes(d, i, &bytes, e));
    PQ_TRY(vector_header(bytes, d->width, v, e));
    return vector_body(bytes, d->width, v, e);
}

static void decode_float(const PqKernels *k, const Vector *v, float *out)
{
    const float ten = pq_alp_float_tens[v->factor];
    const float tenth = pq_alp_float_tenths[v->exponent];
    PqPacked bits = {v->packed, v->end, v->width, 0};
    uint32_t packed[CHUNK], frame = (uint32_t)v->frame;

    for (uint32_t at = 0; at < v->n; at += CHUNK) {
        uint32_t some = v->n - at < CHUNK ? v->n - at : CHUNK;

        pq_packed_read32(&bits, k, some, packed);
        for (uint32_t i = 0; i < some; i++) {
            out[at + i] = (float)(int32_t)(packed[i] + frame) * ten * tenth;
        }
    }
    for (uint32_t i = 0; i < v->n_exceptions; i++) {
        memcpy(out + pq_load_u16(v->positions + 2 * (size_t)i),
               v->exceptions + 4 * (size_t)i, 4);
    }
}

static void decode_double(const PqKernels *k, const Vector *v, double *out)
{
    const double ten = pq_alp_double_tens[v->factor];
    const double tenth = pq_alp_double_tenths[v->exponent];
    PqPacked bits = {v->packed, v->end, v->width, 0};
    uint64_t packed[CHUNK];

    for (uint32_t at = 0; at < v->n; at += CHUNK) {
        uint32_t some = v->n - at < CHUNK ? v->n - at : CHUNK;

        pq_packed_read64(&bits, k, some, packed);
        for (uint32_t i = 0; i < some; i++) {
            out[at + i] = (double)(int64_t)(packed[i] + v->frame) * ten * tenth;
        }
    }
    for (uint32_t i = 0; i < v->n_exceptions; i++) {
        memcpy(out + pq_load_u16(v->positions + 2 * (size_t)i),
               v->exceptions + 8 * (size_t)i, 8);
    }
}

static void decode(const PqDecoder *d, const Vector *v, void *out)
{
    if (d->width == sizeof(float)) {
        decode_float(d->k, v, out);
    } else {
        decode_double(d->k, v, out);
    }
}

/* Decodes all of vector i to out. */
static PqRc read_vector(PqDecoder *d, uint32_t i, void *out, PqErr *e)
{
    Vector v;

    PQ_TRY(open_vector(d, i, &v, e));
    decode(d, &v, out);
    return PQ_OK;
}

/* Makes d->vector hold vector i. */
static PqRc hold_vector(PqDecoder *d, uint32_t i, PqErr *e)
{
    if (d->u.alp.held != i) {
        PQ_TRY(read_vector(d, i, d->vector.p, e));
        d->u.alp.held = i;
    }
    return PQ_OK;
}

static PqRc read_alp(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                     PqErr *e)
{
    PqAlp *a = &d->u.alp;
    size_t width = d->width;
    uint8_t *to = out;

    while (n > 0) {
        uint32_t i = a->at >> a->log_size;
        uint32_t within = a->at - (i << a->log_size);
        uint32_t size = size_of_vector(a, i), some = size - within;

        some = some < n ? some : n;
        if (some == size) {
            PQ_TRY(read_vector(d, i, to, e));
        } else {
            PQ_TRY(hold_vector(d, i, e));
            memcpy(to, d->vector.p + within * width, some * width);
        }
        to += some * width;
        a->at += some;
        n -= some;
    }
    return PQ_OK;
}

static PqRc skip_alp(PqDecoder *d, uint32_t n, PqErr *e)
{
    d->u.alp.at += n;
    return PQ_OK;
}

const PqDecoderKind pq_alp = {open_alp, read_alp, skip_alp};
