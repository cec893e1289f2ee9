/*
** roaring.c - see roaring.h.
**
** A bitmap is walked twice: room for all of its ranges is made at once.  Memory that is
** touched for the first time takes several times as long as decoding, above all memory
** that grew bit by bit.
*/
#include "core/lake/roaring.h"

enum {
    COOKIE = 12346, COOKIE_RUNS = 12347, FEWEST_WITH_OFFSETS = 4,
    CONTAINER_VALUES = 1 << 16, ARRAY_VALUES = 4096, BITS_BYTES = CONTAINER_VALUES / 8,
    FEWEST_BYTES = 12                /* of a bitmap in a set, with its key   */
};

typedef struct Head {
    const uint8_t *start;            /* of the bitmap                        */
    uint32_t       n;                /* containers                           */
    PqSlice        has_runs;         /* a bit each; empty: none has          */
    PqSlice        containers;       /* key and cardinality - 1              */
    PqSlice        offsets;          /* or empty                             */
} Head;

typedef struct Container {
    uint32_t key, n;                 /* values                               */
    bool     has_runs;
    PqSlice  body;
} Container;

static PqRc take(PqSlice *in, size_t n, PqSlice *out, PqErr *e)
{
    return n <= in->n ? pq_slice_take(in, n, out, e)
                      : pq_fail(e, PQ_CORRUPT, "a roaring bitmap ends too early: %zu "
                                "bytes wanted, %zu left", n, in->n);
}

static PqRc take_head(PqSlice *in, Head *h, PqErr *e)
{
    PqSlice word;
    uint32_t cookie;

    *h = (Head){.start = in->p};
    PQ_TRY(take(in, 4, &word, e));
    cookie = pq_load_u32(word.p);
    if (cookie == COOKIE) {
        PQ_TRY(take(in, 4, &word, e));
        h->n = pq_load_u32(word.p);
    } else if ((cookie & 0xffff) == COOKIE_RUNS) {
        h->n = (cookie >> 16) + 1;
        PQ_TRY(take(in, (h->n + 7) / 8, &h->has_runs, e));
    } else {
        return pq_fail(e, PQ_CORRUPT, "a roaring bitmap does not begin with %08x",
                       (unsigned)cookie);
    }
    if (h->n > CONTAINER_VALUES) {
        return pq_fail(e, PQ_CORRUPT, "a roaring bitmap has %u containers",
                       (unsigned)h->n);
    }
    PQ_TRY(take(in, 4 * (size_t)h->n, &h->containers, e));
    return cookie != COOKIE && h->n < FEWEST_WITH_OFFSETS
               ? PQ_OK : take(in, 4 * (size_t)h->n, &h->offsets, e);
}

static PqRc take_container(const Head *h, uint32_t i, PqSlice *in, Container *c, PqErr *e)
{
    const uint8_t *said = h->containers.p + 4 * (size_t)i;
    PqSlice n_runs;
    size_t n;

    *c = (Container){.key = pq_load_u16(said), .n = pq_load_u16(said + 2) + 1u,
                     .has_runs = h->has_runs.n && h->has_runs.p[i / 8] >> i % 8 & 1};
    if (i && c->key <= pq_load_u16(said - 4)) {
        return pq_fail(e, PQ_CORRUPT, "a bitmap's container %u follows container %u",
                       c->key, pq_load_u16(said - 4));
    }
    if (h->offsets.n &&
        pq_load_u32(h->offsets.p + 4 * (size_t)i) != (size_t)(in->p - h->start)) {
        return pq_fail(e, PQ_CORRUPT, "a bitmap's container %u is at byte %zu, its head "
                       "says %u", c->key, (size_t)(in->p - h->start),
                       (unsigned)pq_load_u32(h->offsets.p + 4 * (size_t)i));
    }
    n = c->n <= ARRAY_VALUES ? 2 * (size_t)c->n : BITS_BYTES;
    if (c->has_runs) {
        PQ_TRY(take(in, 2, &n_runs, e));
        n = 4 * (size_t)pq_load_u16(n_runs.p);
    }
    return take(in, n, &c->body, e);
}

static PQ_COLD PqRc unordered(const Container *c, const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the %s of a bitmap's container %u are not in order",
                   what, c->key);
}

static PqRc check_count(const Container *c, uint64_t n, PqErr *e)
{
    return n == c->n ? PQ_OK
                     : pq_fail(e, PQ_CORRUPT, "a bitmap's container %u has %llu values, "
                               "its head says %u", c->key, (unsigned long long)n, c->n);
}

/* The bits that differ from the one before them; *before is that of the first. */
static inline uint64_t changes(uint64_t word, uint64_t *before)
{
    uint64_t shifted = word << 1 | *before;

    *before = word >> 63;
    return word ^ shifted;
}

static size_t most_ranges(const Container *c)
{
    uint64_t before = 0, n = 0;

    if (c->has_runs || c->n <= ARRAY_VALUES) {
        return c->body.n / (c->has_runs ? 4 : 2);
    }
    for (size_t i = 0; i < BITS_BYTES; i += 8) {
        n += (uint64_t)__builtin_popcountll(changes(pq_load_u64(c->body.p + i), &before));
    }
    return (size_t)(n + 1) / 2;
}

/* The functions that add a container write to *to, behind the last range, and move it.
** touches: that one ends where the container begins. */

/* No branch depends on a value: begin is written again and again until a value does not
** follow the one before it. */
static PqRc add_array(const Container *c, int64_t base, bool touches, PqRowRange **to,
                      PqErr *e)
{
    const uint8_t *p = c->body.p;
    int32_t previous = touches ? -1 : -2;
    PqRowRange *at = *to;
    bool ordered = true;

    for (uint32_t i = 0; i < c->n; i++) {
        int32_t v = pq_load_u16(p + 2 * i);

        ordered &= v > previous;
        at->begin = base + v;
        at += v != previous + 1;
        at[-1].end = base + v + 1;
        previous = v;
    }
    *to = at;
    return ordered ? PQ_OK : unordered(c, "values", e);
}

/* The places where bits change are the ranges. */
static PqRc add_bits(const Container *c, int64_t base, bool touches, PqRowRange **to,
                     PqErr *e)
{
    uint64_t before = touches && c->body.p[0] & 1, n = 0;
    int64_t *at = before ? &(*to)[-1].end : &(*to)->begin;

    for (size_t i = 0; i < BITS_BYTES; i += 8) {
        uint64_t word = pq_load_u64(c->body.p + i), left = changes(word, &before);

        n += (uint64_t)__builtin_popcountll(word);
        for (; left; left &= left - 1) {
            *at++ = base + (int64_t)(i * 8) + __builtin_ctzll(left);
        }
    }
    if (before) {
        *at++ = base + CONTAINER_VALUES;
    }
    *to = (PqRowRange *)(void *)at;
    return check_count(c, n, e);
}

static PqRc add_runs(const Container *c, int64_t base, bool touches, PqRowRange **to,
                     PqErr *e)
{
    uint32_t end = 0;
    uint64_t n = 0;

    for (size_t i = 0; i < c->body.n; i += 4) {
        uint32_t first = pq_load_u16(c->body.p + i);
        uint32_t length = pq_load_u16(c->body.p + i + 2) + 1u;

        if (first < end) {
            return unordered(c, "runs", e);
        }
        if (first + length > CONTAINER_VALUES) {
            return pq_fail(e, PQ_CORRUPT, "a run of a bitmap's container %u has %u values "
                           "from %u on", c->key, length, first);
        }
        if (first != end || (i == 0 && !touches)) {
            ((*to)++)->begin = base + first;
        }
        end = first + length;
        (*to)[-1].end = base + end;
        n += length;
    }
    return check_count(c, n, e);
}

static PqRc add_container(const Container *c, int64_t base, PqBuf *ranges, PqErr *e)
{
    size_t n;
    PqRowRange *to = pq_row_ranges(ranges, &n);
    bool touches;

    base += (int64_t)c->key << 16;
    touches = n && to[n - 1].end == base;
    to += n;
    PQ_TRY(c->has_runs               ? add_runs(c, base, touches, &to, e)
           : c->n <= ARRAY_VALUES    ? add_array(c, base, touches, &to, e)
                                     : add_bits(c, base, touches, &to, e));
    ranges->n = (size_t)((const uint8_t *)to - ranges->p);
    return PQ_OK;
}

static PqRc make_room(const Head *h, PqSlice in, PqBuf *ranges, const PqStop *stop,
                      PqErr *e)
{
    size_t most = 1;                 /* so that there is memory to point to */

    for (uint32_t i = 0; i < h->n; i++) {
        Container c;

        PQ_TRY(take_container(h, i, &in, &c, e));
        most += most_ranges(&c);
        PQ_TRY(pq_stop_poll(stop, e));
    }
    PQ_TRY(pq_buf_reserve(ranges, most * sizeof(PqRowRange), e));
    pq_mem_will_fill(ranges->p + ranges->n, most * sizeof(PqRowRange));
    return PQ_OK;
}

PqRc pq_roaring_take(PqSlice *in, int64_t base, PqBuf *ranges, uint64_t *n_rows,
                     const PqStop *stop, PqErr *e)
{
    Head h;

    PQ_TRY(take_head(in, &h, e));
    PQ_TRY(make_room(&h, *in, ranges, stop, e));
    for (uint32_t i = 0; i < h.n; i++) {
        Container c;

        PQ_TRY(take_container(&h, i, in, &c, e));
        PQ_TRY(add_container(&c, base, ranges, e));
        *n_rows += c.n;
        PQ_TRY(pq_stop_poll(stop, e));
    }
    return PQ_OK;
}

PqRc pq_roaring_take_set(PqSlice *in, PqBuf *ranges, uint64_t *n_rows,
                         const PqStop *stop, PqErr *e)
{
    int64_t previous = -1;
    PqSlice word;
    uint64_t n;

    PQ_TRY(take(in, 8, &word, e));
    n = pq_load_u64(word.p);
    if (n > in->n / FEWEST_BYTES) {
        return pq_fail(e, PQ_CORRUPT, "%llu roaring bitmaps in %zu bytes",
                       (unsigned long long)n, in->n);
    }
    for (; n; n--) {
        uint32_t key;

        PQ_TRY(take(in, 4, &word, e));
        key = pq_load_u32(word.p);
        if (key <= previous) {
            return pq_fail(e, PQ_CORRUPT, "the bitmap of key %u follows that of key %lld",
                           (unsigned)key, (long long)previous);
        }
        if (key >= INT32_MAX) {      /* the last row would end beyond int64_t */
            return pq_fail(e, PQ_CORRUPT, "no row has a number as large as %u << 32",
                           (unsigned)key);
        }
        PQ_TRY(pq_roaring_take(in, (int64_t)key << 32, ranges, n_rows, stop, e));
        PQ_TRY(pq_stop_poll(stop, e));
        previous = key;
    }
    return PQ_OK;
}
