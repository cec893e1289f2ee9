/*
** plain_decode.c - PLAIN: values back to back, in the page's own bytes.
**
** Values of a fixed size are copied, or stay in the page where they can.  A
** FIXED_LEN_BYTE_ARRAY becomes a pointer.  To skip such values is one addition.
** BYTE_ARRAY is a walk from length to length:
**
**   p -> 05 00 00 00  h e l l o  03 00 00 00  a b c
**
** Reading a value puts a NUL after it, which overwrites the first byte of the
** next length.  So a length is always read before the NUL is written, and the
** length at p is kept in next_length: its bytes may be overwritten already.
** Skipping writes no NUL, but also reads next_length.
**
** Booleans are in bool_decode.c.
*/
#include "core/encoding/decoder_kinds.h"

/* While a page is arriving: how much one read may copy, and what share of the
** page (one eighth) all reads may copy. */
enum { COPIED_AT_ONCE = 4 << 20, COPIED_SHARE = 8 };

static PqRc open_fixed_size(PqDecoder *d, PqErr *e)
{
    size_t n = d->width ? d->n_bytes / d->width : d->left;

    d->left = n < d->left ? (uint32_t)n : d->left;
    return PQ_OK;
}

static PqRc read_fixed_size(PqDecoder *d, uint32_t n, void *out,
                            PqArena *strings, PqErr *e)
{
    size_t n_bytes = (size_t)n * d->width;

    PQ_TRY(pq_decoder_want(d, d->p, n_bytes, e));
    memcpy(out, d->p, n_bytes);
    d->p += n_bytes;
    return PQ_OK;
}

const void *pq_plain_lend(PqDecoder *d, uint32_t n)
{
    uintptr_t alignment = d->width & -d->width;  /* INT96 is read by parts of 4 */
    const uint8_t *values = d->p;

    if ((uintptr_t)values % alignment != 0) {
        return NULL;
    }
    d->p += (size_t)n * d->width;
    return values;
}

static PqRc read_fixed(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                       PqErr *e)
{
    PqStr *value = out;
    uint32_t width = d->width;
    uint8_t *p = d->p;

    PQ_TRY(pq_decoder_want(d, p, (size_t)n * width, e));
    for (uint32_t i = 0; i < n; i++, p += width) {
        value[i] = (PqStr){p, width};
    }
    d->p = p;
    return PQ_OK;
}

static PqRc skip_fixed_size(PqDecoder *d, uint32_t n, PqErr *e)
{
    d->p += (size_t)n * d->width;
    return PQ_OK;
}

/* A length says where the next one is, so the processor cannot look ahead: the bytes
** of a large page come from far away, one after the other.  This fetches those that
** are wanted some dozen values later. */
static inline void fetch_ahead(const uint8_t *p)
{
    enum { AHEAD = 2048 };

    __builtin_prefetch((const void *)((uintptr_t)p + AHEAD));
}

/* The length at p, or 0 when the page ends before it: then reading the value
** fails. */
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
    PQ_TRY(pq_decoder_want(d, d->p, 4, e));
    d->u.text = (PqText){.next_length = length_at(d->p, d->end)};
    return PQ_OK;
}

/* Makes sure that the value at p and the length after it are there. */
static inline PqRc want_value(const PqDecoder *d, const uint8_t *p,
                              uint32_t length, PqErr *e)
{
    if (PQ_UNLIKELY((int64_t)length > d->end - p - 4)) {
        return past_the_end(d, p, length, e);
    }
    return pq_decoder_want(d, p, (size_t)length + 8, e);
}

/* Finds n values; *total is their size, each with its NUL. */
static PqRc locate(PqDecoder *d, uint32_t n, PqStr *value, size_t *total,
                   PqErr *e)
{
    uint32_t length = d->u.text.next_length;
    uint8_t *p = d->p;

    *total = n;
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(want_value(d, p, length, e));
        value[i] = (PqStr){p + 4, length};
        *total += length;
        p += 4 + (size_t)length;
        length = length_at(p, d->end);
    }
    d->p = p;
    d->u.text.next_length = length;
    return PQ_OK;
}

PqRc pq_plain_locate(PqDecoder *d, uint32_t n, PqStr *out, PqErr *e)
{
    size_t total;

    return locate(d, n, out, &total, e);
}

static void copy_out(PqStr *value, uint32_t n, uint8_t *to)
{
    for (uint32_t i = 0; i < n; i++) {
        memcpy(to, value[i].p, value[i].n);
        to[value[i].n] = 0;
        value[i].p = to;
        to += value[i].n + 1;
    }
}

/* While bytes are still to come, values are copied.  When that becomes too
** much, all of the page is wanted, and values can stay in it. */
static PqRc read_arriving(PqDecoder *d, uint32_t n, PqStr *value,
                          PqArena *strings, bool *copied, PqErr *e)
{
    PqText before = d->u.text;
    uint8_t *p = d->p, *to;
    size_t total;

    *copied = false;
    PQ_TRY(locate(d, n, value, &total, e));
    if (total > COPIED_AT_ONCE ||
        before.copied + total > d->n_bytes / COPIED_SHARE) {
        PQ_TRY(pq_decoder_want(d, p, d->n_bytes, e));
    }
    if (pq_lazy_bytes_is_over(d->arrival)) {
        d->p = p;
        d->u.text = before;
        return PQ_OK;
    }
    to = pq_arena_bytes(strings, total, e);
    if (!to) {
        return e->rc;
    }
    copy_out(value, n, to);
    d->u.text.copied += total;
    *copied = true;
    return PQ_OK;
}

static PqRc read_byte_array(PqDecoder *d, uint32_t n, void *out,
                            PqArena *strings, PqErr *e)
{
    PqStr *value = out;
    uint8_t *p = d->p, *const end = d->end;
    uint32_t length = d->u.text.next_length;

    if (PQ_UNLIKELY(!pq_lazy_bytes_is_over(d->arrival))) {
        bool copied;

        PQ_TRY(read_arriving(d, n, value, strings, &copied, e));
        if (copied) {
            return PQ_OK;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next;

        if (PQ_UNLIKELY((int64_t)length > end - p - 4)) {
            return past_the_end(d, p, length, e);
        }
        p += 4;
        fetch_ahead(p);
        value[i] = (PqStr){p, length};
        p += length;
        next = length_at(p, end);
        *p = 0;
        length = next;
    }
    d->p = p;
    d->u.text.next_length = length;
    return PQ_OK;
}

static PqRc skip_byte_array(PqDecoder *d, uint32_t n, PqErr *e)
{
    const uint8_t *const end = d->end;
    uint8_t *p = d->p;
    uint32_t length = d->u.text.next_length;

    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(want_value(d, p, length, e));
        fetch_ahead(p);
        p += 4 + (size_t)length;
        length = length_at(p, end);
    }
    d->p = p;
    d->u.text.next_length = length;
    return PQ_OK;
}

const PqDecoderKind pq_plain_fixed_size = {open_fixed_size, read_fixed_size,
                                           skip_fixed_size};
const PqDecoderKind pq_plain_fixed = {open_fixed_size, read_fixed,
                                      skip_fixed_size};
const PqDecoderKind pq_plain_byte_array = {open_byte_array, read_byte_array,
                                           skip_byte_array};
