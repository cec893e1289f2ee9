/*
** delta_bytes_decode.c - strings with all lengths first, and strings as a
** prefix of the value before and a suffix.
**
**   DELTA_LENGTH_BYTE_ARRAY  lengths  5 5           (DELTA_BINARY_PACKED)
**                            bytes    HelloWorld
**   DELTA_BYTE_ARRAY         prefixes 0 2 0 3       (DELTA_BINARY_PACKED)
**                            suffixes as DELTA_LENGTH_BYTE_ARRAY:
**                                     4 2 6 5  axislebabbleyhood
**   -> axis axle babble babyhood
**
** The bytes begin where the lengths end, so all lengths are decoded when the
** page is opened.  They are also checked then: none is negative, together they
** are no longer than the bytes that are there, and no prefix is longer than the
** value before.  Reading has nothing left to check.
**
** Values are in the caller's arena, each with its NUL.  They can be far larger
** than the page, because a value may repeat all of the one before.  So the size
** of a read is summed up first, and the arena's budget may refuse it.  A copy
** of the last value is kept, since the arena may be gone by the next read.
*/
#include "core/encoding/decoder_kinds.h"

/* Room after what is written, and after what a value is copied from. */
enum { SLACK = 32 };

static inline uint32_t *lengths(const PqDecoder *d)
{
    return (uint32_t *)(void *)d->lengths.p;
}

static inline uint32_t *prefixes(const PqDecoder *d)
{
    return (uint32_t *)(void *)d->prefixes.p;
}

/* Most strings are short, and a call to memcpy takes longer than copying them.
** So where there is room, a fixed size is copied, whatever the length.  A
** prefix may overlap its target then, but what is copied beyond its length does
** not matter. */
static inline void copy16(uint8_t *to, const uint8_t *from)
{
    uint64_t low = pq_load_u64(from), high = pq_load_u64(from + 8);

    pq_store_u64(to, low);
    pq_store_u64(to + 8, high);
}

static inline void copy_prefix(uint8_t *to, const uint8_t *from, uint32_t n)
{
    if (PQ_LIKELY(n <= 16)) {
        copy16(to, from);
    } else {
        memcpy(to, from, n);
    }
}

/* At most 16 bytes, in two stores: the next prefix is loaded from here very
** soon, and a load that overlaps several unfinished stores makes the CPU
** wait. */
static inline void copy_suffix(uint8_t *to, const uint8_t *from,
                               const uint8_t *end, uint32_t n)
{
    if (PQ_LIKELY(n <= 16 && end - from >= 16)) {
        copy16(to, from);
    } else {
        memcpy(to, from, n);
    }
}

static inline void copy_string(uint8_t *to, const uint8_t *from,
                               const uint8_t *end, uint32_t n)
{
    if (PQ_LIKELY(n <= 32 && end - from >= 32)) {
        copy16(to, from);
        copy16(to + 16, from + 16);
    } else {
        memcpy(to, from, n);
    }
}

/* Takes a delta stream from the front of *rest; none of its integers may be
** negative. */
static PqRc read_lengths(PqDecoder *d, PqSlice *rest, PqBuf *out,
                         uint32_t *count, const char *what, PqErr *e)
{
    PqDelta delta;
    uint32_t *length, negative = 0;

    PQ_TRY(pq_delta_open(&delta, *rest, d->left, d->arrival, e));
    *count = delta.left;
    PQ_TRY(pq_buf_resize(out, (size_t)delta.left * sizeof *length, e));
    length = (uint32_t *)(void *)out->p;
    if (*count > 0) {
        PQ_TRY(pq_delta_read32(&delta, d->k, *count, length, e));
    }
    *rest = delta.rest;
    for (uint32_t i = 0; i < *count; i++) {
        negative |= length[i];
    }
    if (negative > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "a negative %s length", what);
    }
    return PQ_OK;
}

static uint64_t sum(const uint32_t *v, uint32_t n)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < n; i++) {
        total += v[i];
    }
    return total;
}

/* Reads the lengths at the front of rest; d->p then points to the bytes. */
static PqRc open_suffixes(PqDecoder *d, PqSlice rest, PqErr *e)
{
    uint32_t count;
    uint64_t total;

    PQ_TRY(read_lengths(d, &rest, &d->lengths, &count, "string", e));
    total = sum(lengths(d), count);
    if (total > rest.n) {
        return pq_fail(e, PQ_CORRUPT, "%llu bytes of strings where %zu are "
                       "left in the page", (unsigned long long)total, rest.n);
    }
    d->p = d->end - rest.n;
    d->left = count;
    d->u.at = 0;
    return PQ_OK;
}

static PqRc open_lengths(PqDecoder *d, PqErr *e)
{
    return open_suffixes(d, pq_decoder_rest(d), e);
}

static PqRc read_lengths_values(PqDecoder *d, uint32_t n, void *out,
                                PqArena *strings, PqErr *e)
{
    const uint32_t *length = lengths(d) + d->u.at;
    uint8_t *from = d->p, *const end = d->end;
    PqStr *value = out;
    uint64_t total = sum(length, n);
    uint8_t *to;

    PQ_TRY(pq_decoder_want(d, from, total, e));
    to = pq_arena_bytes(strings, total + n + SLACK, e);
    if (!to) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        copy_string(to, from, end, length[i]);
        value[i] = (PqStr){to, length[i]};
        to += length[i];
        from += length[i];
        *to++ = 0;
    }
    d->p = from;
    d->u.at += n;
    return PQ_OK;
}

static PqRc skip_lengths(PqDecoder *d, uint32_t n, PqErr *e)
{
    d->p += sum(lengths(d) + d->u.at, n);
    d->u.at += n;
    return PQ_OK;
}

static PqRc check_prefixes(const PqDecoder *d, PqErr *e)
{
    const uint32_t *prefix = prefixes(d), *suffix = lengths(d);
    uint32_t before = 0;

    for (uint32_t i = 0; i < d->left; i++) {
        if (prefix[i] > before) {
            return pq_fail(e, PQ_CORRUPT, "a prefix of %u bytes of a value of "
                           "%u", prefix[i], before);
        }
        before = prefix[i] + suffix[i];
        if (d->shape.type == PQ_FIXED && before != d->width) {
            return pq_fail(e, PQ_CORRUPT, "a value of %u bytes in a column of "
                           "values of %u bytes", before, d->width);
        }
    }
    return PQ_OK;
}

static PqRc open_prefixed(PqDecoder *d, PqErr *e)
{
    PqSlice rest = pq_decoder_rest(d);
    uint32_t count;

    PQ_TRY(read_lengths(d, &rest, &d->prefixes, &count, "prefix", e));
    PQ_TRY(open_suffixes(d, rest, e));
    if (count != d->left) {
        return pq_fail(e, PQ_CORRUPT, "%u prefixes and %u suffixes", count,
                       d->left);
    }
    PQ_TRY(pq_buf_resize(&d->previous, SLACK, e));
    return check_prefixes(d, e);
}

/* Makes room for n bytes and the slack in d->previous; keeps its bytes. */
static PqRc hold_previous(PqDecoder *d, uint32_t n, PqErr *e)
{
    size_t want = (size_t)n + SLACK;

    return want > d->previous.n ? pq_buf_resize(&d->previous, want, e) : PQ_OK;
}

static PqRc read_prefixed(PqDecoder *d, uint32_t n, void *out,
                          PqArena *strings, PqErr *e)
{
    const uint32_t *prefix = prefixes(d) + d->u.at;
    const uint32_t *suffix = lengths(d) + d->u.at;
    uint8_t *from = d->p, *const end = d->end;
    const uint8_t *before = d->previous.p;
    PqStr *value = out;
    uint64_t total = sum(suffix, n);
    uint8_t *to;

    PQ_TRY(pq_decoder_want(d, from, total, e));
    to = pq_arena_bytes(strings, sum(prefix, n) + total + n + SLACK, e);
    if (!to) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *begin = to;

        copy_prefix(to, before, prefix[i]);
        to += prefix[i];
        copy_suffix(to, from, end, suffix[i]);
        to += suffix[i];
        from += suffix[i];
        *to++ = 0;
        value[i] = (PqStr){begin, prefix[i] + suffix[i]};
        before = begin;
    }
    PQ_TRY(hold_previous(d, value[n - 1].n, e));
    memcpy(d->previous.p, before, value[n - 1].n);
    d->p = from;
    d->u.at += n;
    return PQ_OK;
}

/* Only suffixes are copied: each value overwrites the end of the one before. */
static PqRc skip_prefixed(PqDecoder *d, uint32_t n, PqErr *e)
{
    const uint32_t *prefix = prefixes(d) + d->u.at;
    const uint32_t *suffix = lengths(d) + d->u.at;
    uint8_t *from = d->p;

    PQ_TRY(pq_decoder_want(d, from, sum(suffix, n), e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(hold_previous(d, prefix[i] + suffix[i], e));
        copy_suffix(d->previous.p + prefix[i], from, d->end, suffix[i]);
        from += suffix[i];
    }
    d->p = from;
    d->u.at += n;
    return PQ_OK;
}

const PqDecoderKind pq_delta_length = {open_lengths, read_lengths_values,
                                       skip_lengths};
const PqDecoderKind pq_delta_prefix = {open_prefixed, read_prefixed,
                                       skip_prefixed};
