/*
** rle_encode.c - finds runs, then writes them.
**
** Values are walked over in steps.  Each step is some bit-packed values and a
** repeat after them; either may be missing:
**
**   width 3   0 1 2 3 4 5 6 7  5 5 5 5 5 5 5 5 5 5
**             packed: 8        repeat: 10
**             03 88 c6 fa      14 05
**
** Bit-packed values come in groups of eight, so a repeat is only looked for
** where a group begins; up to seven of its values go into the group before.
** Only the last group of all may be padded.  Packed runs are as long as
** possible: a repeat between two has to save more than its header, its value,
** and the header of the second packed run.
*/
#include "core/base/bits.h"
#include "core/encoding/encode_inside.h"

enum { GROUP = 8, HEADER_MOST = 5 };

typedef struct Step {
    uint32_t packed, repeat;
} Step;

/* The values that are not yet written: an array of them, or of single bits. */
typedef struct Source {
    const PqKernels *k;
    const uint32_t  *values;         /* NULL: bits, from bit at on */
    const uint64_t  *bits;
    uint64_t         at;
    unsigned         width;
} Source;

static unsigned bytes_of(unsigned width)
{
    return (width + 7) / 8;
}

/* The shortest repeat between packed runs that saves bytes. */
static uint32_t least_repeat(unsigned width)
{
    uint32_t least = 8 * (2 + bytes_of(width)) / width + 1;

    return least < GROUP ? GROUP : least;
}

static uint32_t n_groups(uint32_t n)
{
    return (n + GROUP - 1) / GROUP;
}

static uint64_t packed_header(uint32_t n)
{
    return (uint64_t)n_groups(n) << 1 | 1;
}

/* The last step: n values are left, less than a group, and the first `same` of
** them are equal. */
static Step last_step(uint32_t packed, uint32_t n, uint32_t same,
                      unsigned width)
{
    bool repeat = same == n && (packed == 0 || width > 1 + bytes_of(width));

    return repeat ? (Step){packed, n} : (Step){packed + n, 0};
}

/* Of single bits, a group is a byte, and 64 bits are looked at together. */

/* How many of n >= 1 bits, from the start, are equal to the first. */
static uint32_t count_equal(const uint64_t *bits, uint64_t at, uint32_t n)
{
    bool one = pq_bits_from(bits, at, 1);

    for (uint32_t i = 0; i < n; i += 64) {
        uint32_t some = n - i < 64 ? n - i : 64;
        uint64_t v = pq_bits_from(bits, at + i, some);

        v ^= one ? pq_bits_low(some) : 0;
        if (v) {
            return i + (uint32_t)__builtin_ctzll(v);
        }
    }
    return n;
}

/* The highest bit of each byte that is 0. */
static uint64_t zero_bytes(uint64_t v)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

    return ~(((v & low) + low) | v | low);
}

/* Index of the first byte of equal bits; only multiples of eight bits are
** looked at.  If there is none: n rounded down to a multiple of 8. */
static uint32_t find_equal(const uint64_t *bits, uint64_t at, uint32_t n)
{
    for (uint32_t i = 0; i + 8 <= n;) {
        uint32_t some = n - i < 64 ? (n - i) / 8 * 8 : 64;
        uint64_t v = pq_bits_from(bits, at + i, some);
        uint64_t equal = zero_bytes(v) | zero_bytes(~v);

        equal &= pq_bits_low(some);
        if (equal) {
            return i + (uint32_t)__builtin_ctzll(equal) / 8 * 8;
        }
        i += some;
    }
    return n / 8 * 8;
}

/* Where n values, from the i-th on, have a group of equal ones. */
static uint32_t find_repeat(const Source *s, uint32_t i, uint32_t n)
{
    return s->values ? s->k->find_repeat(s->values + i, n)
                     : find_equal(s->bits, s->at + i, n);
}

static uint32_t count_repeat(const Source *s, uint32_t i, uint32_t n)
{
    return s->values ? s->k->count_repeat(s->values + i, n)
                     : count_equal(s->bits, s->at + i, n);
}

static Step next_step(const Source *s, uint32_t n)
{
    uint32_t least = least_repeat(s->width), at = 0, same;

    for (;;) {
        at += find_repeat(s, at, n - at);
        if (at == n) {
            return (Step){n, 0};
        }
        same = count_repeat(s, at, n - at);
        if (n - at < GROUP) {
            return last_step(at, n - at, same, s->width);
        }
        if (same >= least || same == n) {
            return (Step){at, same};
        }
        at += same / GROUP * GROUP;
    }
}

/* Makes room for a packed run and writes its header. */
static uint8_t *begin_packed(PqOut *o, uint32_t n, unsigned width, PqErr *e)
{
    size_t n_bytes = (size_t)n_groups(n) * width;
    uint8_t *p = pq_out_room(o, HEADER_MOST + n_bytes + PQ_PACK_SLACK, e);
    uint8_t *values;

    if (!p) {
        return NULL;
    }
    values = pq_put_varint(p, packed_header(n));
    o->buf->n += (size_t)(values - p) + n_bytes;
    return values;
}

static PqRc write_repeat(PqOut *o, uint32_t n, uint32_t value, unsigned width,
                         PqErr *e)
{
    uint8_t *p = pq_out_room(o, HEADER_MOST + sizeof value, e), *end;

    if (!p) {
        return e->rc;
    }
    end = pq_put_varint(p, (uint64_t)n << 1);
    pq_store_u32(end, value);
    o->buf->n += (size_t)(end - p) + bytes_of(width);
    return PQ_OK;
}

static PqRc write_packed(PqOut *o, const Source *s, uint32_t n, PqErr *e)
{
    uint8_t *p = begin_packed(o, n, s->width, e);
    size_t used = ((size_t)n * s->width + 7) / 8;

    if (!p) {
        return e->rc;
    }
    if (s->values) {
        s->k->pack32(s->values, s->width, n, p);
        memset(p + used, 0, (size_t)n_groups(n) * s->width - used);
        return PQ_OK;
    }
    for (uint32_t i = 0; i < n; i += 64, p += 8) {
        pq_store_u64(p, pq_bits_from(s->bits, s->at + i,
                                     n - i < 64 ? n - i : 64));
    }
    return PQ_OK;
}

static void pass(Source *s, uint32_t n)
{
    s->values = s->values ? s->values + n : NULL;
    s->at += n;
}

static PqRc write_runs(PqOut *o, Source *s, uint32_t n, PqErr *e)
{
    while (n > 0) {
        Step step = next_step(s, n);

        if (step.packed) {
            PQ_TRY(write_packed(o, s, step.packed, e));
        }
        pass(s, step.packed);
        if (step.repeat) {
            uint32_t value = s->values
                                 ? *s->values
                                 : (uint32_t)pq_bits_from(s->bits, s->at, 1);

            PQ_TRY(write_repeat(o, step.repeat, value, s->width, e));
        }
        pass(s, step.repeat);
        n -= step.packed + step.repeat;
    }
    return PQ_OK;
}

PqRc pq_runs_write(PqOut *o, const uint32_t *v, uint32_t n, unsigned width,
                   PqErr *e)
{
    Source s = {.k = o->k, .values = v, .width = width};

    return write_runs(o, &s, n, e);
}

PqRc pq_bit_runs_write(PqOut *o, const uint64_t *bits, uint64_t bit_at,
                       uint32_t n, PqErr *e)
{
    Source s = {.k = o->k, .bits = bits, .at = bit_at, .width = 1};

    return write_runs(o, &s, n, e);
}

/* One byte says how wide the ids are, runs of them follow. */
PqRc pq_encode_ids(const uint32_t *ids, uint32_t n, uint32_t n_entries,
                   PqBuf *out, PqErr *e)
{
    unsigned width = n_entries > 2 ? pq_bits_of(n_entries - 1) : 1;
    uint8_t *p;
    PqOut o;

    PQ_TRY(pq_out_begin(&o, out, n, e));
    p = pq_out_room(&o, 1, e);
    if (!p) {
        return e->rc;
    }
    *p = (uint8_t)width;
    out->n++;
    return pq_out_end(&o, pq_runs_write(&o, ids, n, width, e));
}
