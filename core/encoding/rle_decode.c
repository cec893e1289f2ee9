/*
** rle_decode.c - reads runs: begins each one and copies out its values.
**
** Hostile counts are hard.  Each run takes at least one byte of the stream,
** even an empty one, so every stream ends.  And nothing is allocated by the
** count of a run, which may claim 2^63 values.
*/
#include "core/encoding/rle.h"

/* A varint, and the value of a repeat. */
enum { LONGEST_HEADER = 10 + 4 };

void pq_rle_init(PqRle *r, unsigned width, PqSlice bytes)
{
    *r = (PqRle){.rest = bytes, .width = width};
}

/* One byte is enough for most runs. */
static inline PqRc read_header(PqRle *r, uint64_t *out, PqErr *e)
{
    if (PQ_LIKELY(r->rest.n > 0 && r->rest.p[0] < 0x80)) {
        *out = r->rest.p[0];
        r->rest.p++;
        r->rest.n--;
        return PQ_OK;
    }
    if (r->rest.n == 0) {
        return pq_fail(e, PQ_CORRUPT, "the runs end before the values do");
    }
    return pq_slice_varint(&r->rest, out, e);
}

static uint32_t cap(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static PqRc begin_repeat(PqRle *r, uint64_t count, PqErr *e)
{
    size_t n = (r->width + 7) / 8;

    if (r->rest.n < n) {
        return pq_fail(e, PQ_CORRUPT, "a run is cut off before its value");
    }
    r->value = 0;
    for (size_t i = 0; i < n; i++) {
        r->value |= (uint32_t)r->rest.p[i] << (8 * i);
    }
    pq_slice_cut(&r->rest, n);
    r->is_packed = false;
    r->left = cap(count);
    return PQ_OK;
}

static void begin_packed(PqRle *r, uint64_t groups)
{
    uint64_t n_values;
    size_t n;

    if (groups <= r->rest.n / r->width) {
        n = (size_t)groups * r->width;
        n_values = groups * 8;
    } else {                          /* cut off: only complete values */
        n = r->rest.n;
        n_values = (uint64_t)n * 8 / r->width;
    }
    r->bits = (PqPacked){.p = r->rest.p, .end = r->rest.p + r->rest.n,
                         .width = r->width, .at = 0};
    pq_slice_cut(&r->rest, n);
    r->is_packed = true;
    r->left = cap(n_values);
}

PqRc pq_rle_begin_run(PqRle *r, PqErr *e)
{
    while (r->left == 0) {
        uint64_t header;

        if (r->width == 0) {
            r->left = UINT32_MAX;
            break;
        }
        PQ_TRY(pq_lazy_bytes_want(r->arrival, r->rest.p, LONGEST_HEADER, e));
        PQ_TRY(read_header(r, &header, e));
        if (header & 1) {
            begin_packed(r, header >> 1);
        } else {
            PQ_TRY(begin_repeat(r, header >> 1, e));
        }
    }
    return PQ_OK;
}

/* Copies what is written so far after itself, each time twice as much. */
static void repeat(uint32_t value, uint32_t n, uint32_t *out)
{
    size_t done = n < 16 ? n : 16, some;

    for (size_t i = 0; i < done; i++) {
        out[i] = value;
    }
    for (; done < n; done += some) {
        some = n - done < done ? n - done : done;
        memcpy(out + done, out, some * sizeof *out);
    }
}

PqRc pq_rle_read(PqRle *r, const PqKernels *k, uint32_t n, uint32_t *out,
                 PqErr *e)
{
    while (n > 0) {
        uint32_t some;

        PQ_TRY(pq_rle_begin_run(r, e));
        some = n < r->left ? n : r->left;
        PQ_TRY(pq_rle_want(r, some, e));
        if (r->is_packed) {
            pq_packed_read32(&r->bits, k, some, out);
        } else {
            repeat(r->value, some, out);
        }
        r->left -= some;
        out += some;
        n -= some;
    }
    return PQ_OK;
}

PqRc pq_rle_skip(PqRle *r, uint32_t n, PqErr *e)
{
    while (n > 0) {
        uint32_t some;

        PQ_TRY(pq_rle_begin_run(r, e));
        some = n < r->left ? n : r->left;
        pq_rle_pass(r, some);
        n -= some;
    }
    return PQ_OK;
}
