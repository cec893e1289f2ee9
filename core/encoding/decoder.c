/*
** decoder.c - the names of encodings and types, and the table of decoders for
** each pair of them.
**
** Checks that all decoders need are done here once: no more values are read
** than the page has left, and a pair that the format does not allow is corrupt.
** A page of a FIXED_LEN_BYTE_ARRAY without a length in the schema is opened, so
** that nulls can be read, and fails for the first value.
*/
#include "core/encoding/decoder_kinds.h"

#include <assert.h>

static const char *const encoding_names[PQ_ENCODING_COUNT] = {
    [PQ_ENCODING_PLAIN] = "PLAIN",
    [PQ_ENCODING_PLAIN_DICTIONARY] = "PLAIN_DICTIONARY",
    [PQ_ENCODING_RLE] = "RLE",
    [PQ_ENCODING_BIT_PACKED] = "BIT_PACKED",
    [PQ_ENCODING_DELTA_BINARY_PACKED] = "DELTA_BINARY_PACKED",
    [PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = "DELTA_LENGTH_BYTE_ARRAY",
    [PQ_ENCODING_DELTA_BYTE_ARRAY] = "DELTA_BYTE_ARRAY",
    [PQ_ENCODING_RLE_DICTIONARY] = "RLE_DICTIONARY",
    [PQ_ENCODING_BYTE_STREAM_SPLIT] = "BYTE_STREAM_SPLIT",
    [PQ_ENCODING_ALP] = "ALP",
};

typedef struct Physical {
    const char *name;
    size_t      width;               /* in a decoded array */
} Physical;

static const Physical physicals[] = {
    [PQ_BOOLEAN] = {"BOOLEAN", 1},
    [PQ_INT32] = {"INT32", 4},
    [PQ_INT64] = {"INT64", 8},
    [PQ_INT96] = {"INT96", 12},
    [PQ_FLOAT] = {"FLOAT", 4},
    [PQ_DOUBLE] = {"DOUBLE", 8},
    [PQ_BYTE_ARRAY] = {"BYTE_ARRAY", sizeof(PqStr)},
    [PQ_FIXED] = {"FIXED_LEN_BYTE_ARRAY", sizeof(PqStr)},
};
_Static_assert(PQ_COUNT(physicals) == PQ_PHYSICAL_COUNT, "one row per type");

#define EVERY_TYPE(k) {&(k), &(k), &(k), &(k), &(k), &(k), &(k), &(k)}

/* The pairs of Encodings.md; the format does not allow the others. */
static const PqDecoderKind *const kinds[PQ_ENCODING_COUNT][PQ_PHYSICAL_COUNT] =
{
    [PQ_ENCODING_PLAIN] = {
        [PQ_BOOLEAN] = &pq_plain_bool,
        [PQ_INT32] = &pq_plain_fixed_size,
        [PQ_INT64] = &pq_plain_fixed_size,
        [PQ_INT96] = &pq_plain_fixed_size,
        [PQ_FLOAT] = &pq_plain_fixed_size,
        [PQ_DOUBLE] = &pq_plain_fixed_size,
        [PQ_BYTE_ARRAY] = &pq_plain_byte_array,
        [PQ_FIXED] = &pq_plain_fixed,
    },
    [PQ_ENCODING_PLAIN_DICTIONARY] = EVERY_TYPE(pq_dictionary_ids),
    [PQ_ENCODING_RLE_DICTIONARY] = EVERY_TYPE(pq_dictionary_ids),
    [PQ_ENCODING_RLE] = {[PQ_BOOLEAN] = &pq_rle_bool},
    [PQ_ENCODING_DELTA_BINARY_PACKED] = {
        [PQ_INT32] = &pq_delta_int32,
        [PQ_INT64] = &pq_delta_int64,
    },
    [PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = {
        [PQ_BYTE_ARRAY] = &pq_delta_length},
    [PQ_ENCODING_DELTA_BYTE_ARRAY] = {
        [PQ_BYTE_ARRAY] = &pq_delta_prefix,
        [PQ_FIXED] = &pq_delta_prefix,
    },
    [PQ_ENCODING_BYTE_STREAM_SPLIT] = {
        [PQ_INT32] = &pq_split_number,
        [PQ_INT64] = &pq_split_number,
        [PQ_FLOAT] = &pq_split_number,
        [PQ_DOUBLE] = &pq_split_number,
        [PQ_FIXED] = &pq_split_fixed,
    },
    [PQ_ENCODING_ALP] = {[PQ_FLOAT] = &pq_alp, [PQ_DOUBLE] = &pq_alp},
};

const char *pq_encoding_name(int encoding)
{
    return encoding >= 0 && encoding < PQ_ENCODING_COUNT
               ? encoding_names[encoding] : NULL;
}

const char *pq_physical_name(int physical)
{
    return physical >= 0 && physical < PQ_PHYSICAL_COUNT
               ? physicals[physical].name : NULL;
}

size_t pq_physical_width(PqPhysical type)
{
    assert((unsigned)type < PQ_PHYSICAL_COUNT);
    return physicals[type].width;
}

PqRc pq_decoder_new(PqMem *mem, PqDecoder **out, PqErr *e)
{
    PqDecoder *d;

    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    d = *out;
    d->mem = mem;
    d->k = pq_kernels();
    pq_buf_init(&d->lengths, mem, NULL);
    pq_buf_init(&d->prefixes, mem, NULL);
    pq_buf_init(&d->previous, mem, NULL);
    pq_buf_init(&d->vector, mem, NULL);
    return PQ_OK;
}

void pq_decoder_free(PqDecoder *d)
{
    if (d) {
        pq_buf_free(&d->lengths);
        pq_buf_free(&d->prefixes);
        pq_buf_free(&d->previous);
        pq_buf_free(&d->vector);
        pq_mem_free(d);
    }
}

uint32_t pq_width_in_page(const PqValueShape *s)
{
    return s->type == PQ_FIXED        ? s->fixed_length
           : s->type == PQ_BYTE_ARRAY ? 0
                                      : (uint32_t)physicals[s->type].width;
}

PqRc pq_decoder_open(PqDecoder *d, const PqValueShape *shape, uint8_t *bytes,
                     size_t n_bytes, PqErr *e)
{
    return pq_decoder_open_arriving(d, shape, bytes, n_bytes, NULL, e);
}

PqRc pq_decoder_open_arriving(PqDecoder *d, const PqValueShape *shape,
                              uint8_t *bytes, size_t n_bytes, PqLazyBytes *a,
                              PqErr *e)
{
    const char *name = pq_encoding_name(shape->encoding);

    assert((unsigned)shape->type < PQ_PHYSICAL_COUNT);
    if (!name) {
        return pq_fail(e, PQ_UNSUPPORTED, "unknown encoding %d",
                       shape->encoding);
    }
    if (!kinds[shape->encoding][shape->type]) {
        return pq_fail(e, PQ_CORRUPT, "encoding %s is not allowed for %s", name,
                       physicals[shape->type].name);
    }
    if (n_bytes > INT32_MAX || (shape->fixed_length > INT32_MAX &&
                                shape->fixed_length != PQ_NO_LENGTH)) {
        return pq_fail(e, PQ_CORRUPT, "a page of %zu bytes or a value of %u "
                       "bytes is too large", n_bytes, shape->fixed_length);
    }
    d->kind = kinds[shape->encoding][shape->type];
    d->shape = *shape;
    d->n_bytes = n_bytes;
    d->p = bytes ? bytes : &d->nothing;
    d->end = d->p + n_bytes;
    d->arrival = a;
    d->left = shape->n_values;
    d->width = pq_width_in_page(shape);
    d->no_length = d->width == PQ_NO_LENGTH &&
                   !pq_encoding_is_dictionary(shape->encoding);
    return d->no_length ? PQ_OK : d->kind->open(d, e);
}

PqRc pq_encoding_in_dictionary(int *encoding, PqErr *e)
{
    if (*encoding != PQ_ENCODING_PLAIN &&
        *encoding != PQ_ENCODING_PLAIN_DICTIONARY) {
        return pq_fail(e, PQ_CORRUPT, "a dictionary page of encoding %d",
                       *encoding);
    }
    *encoding = PQ_ENCODING_PLAIN;
    return PQ_OK;
}

static PqRc check_left(const PqDecoder *d, uint32_t n, PqErr *e)
{
    if (n > d->left) {
        return pq_fail(e, PQ_CORRUPT, "%u values of %s wanted, %u left in %zu "
                       "bytes of %s", n, physicals[d->shape.type].name,
                       d->left, d->n_bytes, encoding_names[d->shape.encoding]);
    }
    if (n > 0 && d->no_length) {
        return pq_fail(e, PQ_CORRUPT, "the schema does not say how long a "
                       "value of this FIXED_LEN_BYTE_ARRAY is; the other "
                       "columns can be read");
    }
    return PQ_OK;
}

PqRc pq_decoder_read(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                     PqErr *e)
{
    assert(d->kind && !pq_encoding_is_dictionary(d->shape.encoding));
    PQ_TRY(check_left(d, n, e));
    if (n > 0) {
        PQ_TRY(d->kind->read(d, n, out, strings, e));
    }
    d->left -= n;
    return PQ_OK;
}

PqRc pq_decoder_lend(PqDecoder *d, uint32_t n, const void **out, PqErr *e)
{
    *out = NULL;
    if (d->kind != &pq_plain_fixed_size || d->arrival) {
        return PQ_OK;
    }
    PQ_TRY(check_left(d, n, e));
    *out = pq_plain_lend(d, n);
    d->left -= *out ? n : 0;
    return PQ_OK;
}

PqRc pq_decoder_locate(PqDecoder *d, uint32_t n, PqStr *out, PqErr *e)
{
    assert(d->kind == &pq_plain_byte_array);
    PQ_TRY(check_left(d, n, e));
    PQ_TRY(pq_plain_locate(d, n, out, e));
    d->left -= n;
    return PQ_OK;
}

PqRc pq_decoder_skip(PqDecoder *d, uint32_t n, PqErr *e)
{
    assert(d->kind);
    PQ_TRY(check_left(d, n, e));
    if (n > 0) {
        PQ_TRY(d->kind->skip(d, n, e));
    }
    d->left -= n;
    return PQ_OK;
}

PqRc pq_decoder_read_ids(PqDecoder *d, uint32_t n, uint32_t n_entries,
                         uint32_t *out, PqErr *e)
{
    assert(d->kind && pq_encoding_is_dictionary(d->shape.encoding));
    PQ_TRY(check_left(d, n, e));
    if (n > 0) {
        d->u.ids.n_entries = n_entries;
        PQ_TRY(d->kind->read(d, n, out, NULL, e));
    }
    d->left -= n;
    return PQ_OK;
}
