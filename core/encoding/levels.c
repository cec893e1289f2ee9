/*
** levels.c - reads levels in pieces: as numbers, as bits, or only to skip them.
**
** A piece is part of a repeat or some unpacked values.  For readers that only
** ask "is it max" a piece may also be bits as they lie in the page.  A column
** that is optional but not nested has one bit per level, and the bit is the
** answer.  Then a long run needs no array of levels.
**
**   max 1:  0a 01  03 b5 0f      repeat 5 x 1, bits 10101101 11110000
*/
#include "core/encoding/levels.h"

#include "core/base/bits.h"

enum { PIECE = 256 };

typedef enum PieceKind { REPEAT, VALUES, BITS } PieceKind;

typedef struct Piece {
    PieceKind      kind;
    uint32_t       n;
    uint32_t       value;            /* REPEAT                            */
    const uint8_t *p;                /* BITS: from bit at of *p           */
    unsigned       at;
    uint32_t       v[PIECE];         /* VALUES                            */
} Piece;

static unsigned width_of(uint16_t max)
{
    unsigned width = 0;

    for (; max; max >>= 1) {
        width++;
    }
    return width;
}

static void start(PqLevels *l, int encoding, uint16_t max, uint32_t n_levels)
{
    *l = (PqLevels){.k = pq_kernels(), .encoding = encoding, .max = max,
                    .left = n_levels};
}

static PQ_COLD PqRc bytes_left(const PqLevels *l, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%zu bytes after the last level",
                   l->runs.rest.n);
}

static PqRc open_runs(PqLevels *l, size_t n_bytes, PqSlice *page, PqErr *e)
{
    PqSlice runs;

    if (n_bytes > page->n) {
        return pq_fail(e, PQ_CORRUPT, "%zu bytes of levels in a page with %zu "
                       "left", n_bytes, page->n);
    }
    PQ_TRY(pq_slice_take(page, n_bytes, &runs, e));
    pq_rle_init(&l->runs, width_of(l->max), runs);
    return PQ_OK;
}

PqRc pq_levels_open_v1(PqLevels *l, int encoding, uint16_t max,
                       uint32_t n_levels, PqSlice *page, PqLazyBytes *arrival,
                       PqErr *e)
{
    uint64_t n_bytes = ((uint64_t)n_levels * width_of(max) + 7) / 8;
    uint32_t length;

    start(l, encoding, max, n_levels);
    if (max == 0) {
        return PQ_OK;
    }
    if (encoding == PQ_ENCODING_RLE) {
        PQ_TRY(pq_lazy_bytes_want(arrival, page->p, sizeof length, e));
        PQ_TRY(pq_slice_u32(page, &length, e));
        PQ_TRY(pq_lazy_bytes_want(arrival, page->p, length, e));
        return open_runs(l, length, page, e);
    }
    if (encoding != PQ_ENCODING_BIT_PACKED) {
        const char *name = pq_encoding_name(encoding);
        return pq_fail(e, PQ_UNSUPPORTED, "levels in encoding %s (%d)",
                       name ? name : "unknown", encoding);
    }
    if (n_bytes > page->n) {
        return pq_fail(e, PQ_CORRUPT, "%u levels of %u bits in a page with "
                       "%zu bytes", n_levels, width_of(max), page->n);
    }
    PQ_TRY(pq_lazy_bytes_want(arrival, page->p, (size_t)n_bytes, e));
    return pq_slice_take(page, (size_t)n_bytes, &l->bits, e);
}

/* Some writers store the levels of nothing: a run of values of no bits. */
static PqRc pass_no_levels(PqLevels *l, PqErr *e)
{
    uint64_t run;

    PQ_TRY(pq_slice_varint(&l->runs.rest, &run, e));
    return run / 2 == l->left && l->runs.rest.n == 0
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "levels where the schema has none");
}

PqRc pq_levels_open_v2(PqLevels *l, uint16_t max, uint32_t n_levels,
                       size_t n_bytes, PqSlice *page, PqErr *e)
{
    start(l, PQ_ENCODING_RLE, max, n_levels);
    PQ_TRY(open_runs(l, n_bytes, page, e));
    l->is_exact = true;
    return max == 0 && n_bytes > 0 ? pass_no_levels(l, e) : PQ_OK;
}

/* The deprecated order: the first value has the highest bits of its byte. */
static uint32_t high_bits(PqSlice s, uint64_t bit, unsigned width)
{
    uint64_t end = bit + width;
    uint32_t v = 0;

    for (uint64_t byte = bit / 8; byte * 8 < end; byte++) {
        v = v << 8 | s.p[byte];
    }
    return v >> (8 - end % 8) % 8 & ((1u << width) - 1);
}

static void high_bits_piece(PqLevels *l, Piece *p)
{
    unsigned width = width_of(l->max);

    for (uint32_t i = 0; i < p->n; i++, l->bit += width) {
        p->v[i] = high_bits(l->bits, l->bit, width);
    }
}

static PqRc run_piece(PqLevels *l, bool bits_do, uint32_t most, Piece *p,
                      PqErr *e)
{
    PqRle *r = &l->runs;

    PQ_TRY(pq_rle_begin_run(r, e));
    p->n = most < r->left ? most : r->left;
    if (!r->is_packed) {
        p->kind = REPEAT;
        p->value = r->value;
    } else if (bits_do && r->width == 1) {
        p->kind = BITS;
        p->p = r->bits.p;
        p->at = r->bits.at;
    } else {
        p->kind = VALUES;
        p->n = p->n < PIECE ? p->n : PIECE;
        pq_packed_read32(&r->bits, l->k, p->n, p->v);
        r->left -= p->n;
        return PQ_OK;
    }
    pq_rle_pass(r, p->n);
    return PQ_OK;
}

static PQ_COLD PqRc above_max(uint32_t level, uint16_t max, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "a level of %u where the schema has %u at "
                   "most", level, max);
}

static PqRc check_piece(const PqLevels *l, const Piece *p, PqErr *e)
{
    uint32_t limit = (uint32_t)l->max + 1, i = 0;

    if (p->kind == REPEAT && p->value >= limit) {
        return above_max(p->value, l->max, e);
    }
    if (p->kind == VALUES && (limit & l->max) != 0 &&
        l->k->any_at_least(p->v, p->n, limit)) {
        while (p->v[i] < limit) {
            i++;
        }
        return above_max(p->v[i], l->max, e);
    }
    return PQ_OK;
}

/* At most `most` levels.  bits_do: the piece may be BITS. */
static PqRc next_piece(PqLevels *l, bool bits_do, uint32_t most, Piece *p,
                       PqErr *e)
{
    if (l->max == 0) {
        p->kind = REPEAT;
        p->n = most;
        p->value = 0;
    } else if (l->encoding == PQ_ENCODING_BIT_PACKED) {
        p->kind = VALUES;
        p->n = most < PIECE ? most : PIECE;
        high_bits_piece(l, p);
    } else {
        PQ_TRY(run_piece(l, bits_do, most, p, e));
    }
    l->left -= p->n;
    return l->left == 0 && l->is_exact && l->runs.rest.n > 0
               ? bytes_left(l, e) : check_piece(l, p, e);
}

static PqRc check_left(const PqLevels *l, uint32_t n, PqErr *e)
{
    return n <= l->left
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "%u levels wanted, %u left in the page",
                         n, l->left);
}

/* Copies what is written so far after itself, each time twice as much. */
static void repeat(uint16_t value, uint32_t n, uint16_t *out)
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

PqRc pq_levels_read(PqLevels *l, uint32_t n, uint16_t *out, PqErr *e)
{
    Piece p;

    PQ_TRY(check_left(l, n, e));
    for (; n > 0; n -= p.n, out += p.n) {
        PQ_TRY(next_piece(l, false, n, &p, e));
        if (p.kind == REPEAT) {
            repeat((uint16_t)p.value, p.n, out);
        } else {
            l->k->narrow16(p.v, p.n, out);
        }
    }
    return PQ_OK;
}

/* Eight bytes of 0 or 1, as bits. */
static uint64_t eight_bits(const uint8_t *flags)
{
    return pq_load_u64(flags) * UINT64_C(0x0102040810204080) >> 56;
}

uint64_t pq_level_bits(const uint16_t *v, uint32_t n, uint16_t value)
{
    uint8_t flags[64] = {0};
    uint64_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        flags[i] = v[i] == value;
    }
    for (uint32_t i = 0; i < 8; i++) {
        bits |= eight_bits(flags + 8 * i) << 8 * i;
    }
    return bits;
}

/* n (1 to 64) bits of a BITS piece, from bit at on. */
static uint64_t take_bits(const uint8_t *p, size_t at, uint32_t n)
{
    unsigned shift = at % 8;
    uint64_t v = 0;

    p += at / 8;
    if (n == 64) {
        return pq_load_u64(p) >> shift |
               (shift ? (uint64_t)p[8] << (64 - shift) : 0);
    }
    for (uint32_t i = 0; i * 8 < shift + n && i < 8; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    v >>= shift;
    if (shift + n > 64) {
        v |= (uint64_t)p[8] << (64 - shift);
    }
    return v & pq_bits_low(n);
}

/* Up to 64 levels of a piece, from the i-th on: a bit is set if it is max. */
static uint64_t valid_bits(const PqLevels *l, const Piece *p, uint32_t i,
                           uint32_t n)
{
    if (p->kind == REPEAT) {
        return p->value == l->max ? pq_bits_low(n) : 0;
    }
    if (p->kind == BITS) {
        return take_bits(p->p, (size_t)p->at + i, n);
    }
    return l->k->match64(p->v + i, n, l->max);
}

/* n equal bits, from bit at of out on. */
static void repeat_bits(bool set, uint32_t n, uint64_t *out, uint32_t at)
{
    uint32_t head = (64 - at % 64) % 64, tail;
    uint64_t v = set ? ~(uint64_t)0 : 0;

    head = head < n ? head : n;
    tail = (n - head) % 64;
    if (head > 0) {
        pq_bits_put(out, at, head, v);
    }
    memset(out + (at + head) / 64, (int)(v & 0xff),
           (n - head) / 64 * sizeof *out);
    if (tail > 0) {
        pq_bits_put(out, at + n - tail, tail, v);
    }
}

PqRc pq_levels_read_valid(PqLevels *l, uint32_t n, uint64_t *out,
                          uint32_t bit_at, uint32_t *n_set, PqErr *e)
{
    Piece p;

    *n_set = 0;
    PQ_TRY(check_left(l, n, e));
    for (; n > 0; n -= p.n) {
        PQ_TRY(next_piece(l, true, n, &p, e));
        if (p.kind == REPEAT) {
            repeat_bits(p.value == l->max, p.n, out, bit_at);
            *n_set += p.value == l->max ? p.n : 0;
            bit_at += p.n;
            continue;
        }
        for (uint32_t i = 0; i < p.n;) {
            uint32_t some = p.n - i < 64 ? p.n - i : 64;
            uint64_t v = valid_bits(l, &p, i, some);

            pq_bits_put(out, bit_at, some, v);
            *n_set += l->k->count_bits(&v, 1);
            bit_at += some;
            i += some;
        }
    }
    return PQ_OK;
}

PqRc pq_levels_skip(PqLevels *l, uint32_t n, uint32_t *n_max, PqErr *e)
{
    Piece p;

    *n_max = 0;
    PQ_TRY(check_left(l, n, e));
    for (; n > 0; n -= p.n) {
        PQ_TRY(next_piece(l, true, n, &p, e));
        if (p.kind == REPEAT) {
            *n_max += p.value == l->max ? p.n : 0;
            continue;
        }
        for (uint32_t i = 0; i < p.n; i += 64) {
            uint32_t some = p.n - i < 64 ? p.n - i : 64;
            uint64_t v = valid_bits(l, &p, i, some);

            *n_max += l->k->count_bits(&v, 1);
        }
    }
    return PQ_OK;
}
