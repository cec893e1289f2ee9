/*
** plain_decode.c - PLAIN: values back to back, in the page's own bytes.
**
** Fixed sizes are a copy, or for FIXED_LEN_BYTE_ARRAY a pointer each, and a
** skip is an addition.  BYTE_ARRAY is a walk from length to length:
**
**   p -> 05 00 00 00  h e l l o  03 00 00 00  a b c
**
** Reading a value ends it with a NUL, and that NUL lies on the first byte of
** the next length.  So a length is always read before the value in front of it
** is ended, and the one that p points to is kept in next_length: its bytes may
** be gone already.  Skipping ends nothing, but moves next_length all the same.
**
** Booleans are in bool_decode.c.
*/
#include "core/encoding/decoder_kinds.h"

static PqRc open_fixed_size(PqDecoder *d, PqErr *e)
{
    size_t n = d->width ? d->n_bytes / d->width : d->left;

    (void)e;
    d->left = n < d->left ? (uint32_t)n : d->left;
    return PQ_OK;
}

static PqRc read_fixed_size(PqDecoder *d, uint32_t n, void *out,
                            PqArena *strings, PqErr *e)
{
    size_t n_bytes = (size_t)n * d->width;

    (void)strings;
    (void)e;
    memcpy(out, d->p, n_bytes);
    d->p += n_bytes;
    return PQ_OK;
}

static PqRc read_fixed(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                       PqErr *e)
{
    PqStr *value = out;
    uint32_t width = d->width;
    uint8_t *p = d->p;

    (void)strings;
    (void)e;
    for (uint32_t i = 0; i < n; i++, p += width) {
        value[i] = (PqStr){p, width};
    }
    d->p = p;
    return PQ_OK;
}

static PqRc skip_fixed_size(PqDecoder *d, uint32_t n, PqErr *e)
{
    (void)e;
    d->p += (size_t)n * d->width;
    return PQ_OK;
}

/* The length at p, if there is room for one; a value without room for its
** length fails when it is wanted. */
static inline uint32_t length_at(const uint8_t *p, const uint8_t *end)
{
    return PQ_LIKELY(end - p >= 4) ? pq_load_u32(p) : 0;
}

static PQ_COLD PqRc past_the_end(const PqDecoder *d, const uint8_t *p,
                                 uint32_t length, PqErr *e)
{
    size_t left = (size_t)(d->end - p);

    if (left < 4) {
        return pq_fail(e, PQ_CORRUPT, "a page of %zu bytes ends before its "
                       "strings do", d->n_bytes);
    }
    return pq_fail(e, PQ_CORRUPT, "a string of %u bytes where %zu are left in "
                   "the page", length, left - 4);
}

static PqRc open_byte_array(PqDecoder *d, PqErr *e)
{
    (void)e;
    d->u.next_length = length_at(d->p, d->end);
    return PQ_OK;
}

static PqRc read_byte_array(PqDecoder *d, uint32_t n, void *out,
                            PqArena *strings, PqErr *e)
{
    PqStr *value = out;
    uint8_t *p = d->p, *const end = d->end;
    uint32_t length = d->u.next_length;

    (void)strings;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next;

        if (PQ_UNLIKELY((int64_t)length > end - p - 4)) {
            return past_the_end(d, p, length, e);
        }
        p += 4;
        value[i] = (PqStr){p, length};
        p += length;
        next = length_at(p, end);
        *p = 0;
        length = next;
    }
    d->p = p;
    d->u.next_length = length;
    return PQ_OK;
}

static PqRc skip_byte_array(PqDecoder *d, uint32_t n, PqErr *e)
{
    const uint8_t *const end = d->end;
    uint8_t *p = d->p;
    uint32_t length = d->u.next_length;

    for (uint32_t i = 0; i < n; i++) {
        if (PQ_UNLIKELY((int64_t)length > end - p - 4)) {
            return past_the_end(d, p, length, e);
        }
        p += 4 + (size_t)length;
        length = length_at(p, end);
    }
    d->p = p;
    d->u.next_length = length;
    return PQ_OK;
}

const PqDecoderKind pq_plain_fixed_size = {open_fixed_size, read_fixed_size,
                                           skip_fixed_size};
const PqDecoderKind pq_plain_fixed = {open_fixed_size, read_fixed,
                                      skip_fixed_size};
const PqDecoderKind pq_plain_byte_array = {open_byte_array, read_byte_array,
                                           skip_byte_array};
