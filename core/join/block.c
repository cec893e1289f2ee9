/*
** block.c - copies a vector into a block, and reads single values out of it.
**
** One rule serves integers, ids, offsets and levels: store the distance from
** the smallest in the fewest bytes.  Two things are hard: distances may wrap
** around, and a slot without a value must not make the others wider.
*/
#include "core/join/block.h"

#include "core/simd/kernels.h"

/* ---- numbers ------------------------------------------------------------ */

static unsigned width_for(uint64_t most)
{
    return most == 0            ? 0
           : most <= UINT8_MAX  ? 1
           : most <= UINT16_MAX ? 2
           : most < 1 << 24     ? 3
           : most <= UINT32_MAX ? 4
                                : 8;
}

/* Writes the lowest bytes of the distances.  These are unsigned, because two
** signed numbers may be 2^64 - 1 apart. */
PQ_INLINE void write_distances(uint8_t *to, unsigned width, uint64_t base,
                               const int64_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t d = (uint64_t)v[i] - base;

        memcpy(to + (size_t)i * width, &d, width);
    }
}

static void narrow(const PqNarrow *out, const int64_t *v, uint32_t n)
{
    switch (out->width) {
    case 0:  break;
    case 1:  write_distances(out->at, 1, out->base, v, n); break;
    case 2:  write_distances(out->at, 2, out->base, v, n); break;
    case 3:  write_distances(out->at, 3, out->base, v, n); break;
    case 4:  write_distances(out->at, 4, out->base, v, n); break;
    default: write_distances(out->at, 8, out->base, v, n); break;
    }
}

PqRc pq_narrow_make(PqNarrow *out, const int64_t *v, uint32_t n, PqMem *mem,
                    PqErr *e)
{
    const uint64_t *from = (const uint64_t *)v;
    uint64_t base = n ? (uint64_t)pq_kernels()->least64(from, n) : 0, bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        bits |= from[i] - base;
    }
    *out = (PqNarrow){.base = base, .width = width_for(bits)};
    if (out->width > 0) {
        out->at = pq_mem_array(mem, n, out->width, e);
        if (!out->at) {
            return e->rc;
        }
        narrow(out, v, n);
    }
    return PQ_OK;
}

PQ_INLINE void read_distances(const uint8_t *at, unsigned width, uint64_t base,
                              uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t d = 0;

        memcpy(&d, at + (size_t)i * width, width);
        out[i] = (int64_t)(base + d);
    }
}

void pq_narrow_read(const PqNarrow *v, uint32_t n, int64_t *out)
{
    switch (v->width) {
    case 0:
        for (uint32_t i = 0; i < n; i++) {
            out[i] = (int64_t)v->base;
        }
        break;
    case 1:  read_distances(v->at, 1, v->base, n, out); break;
    case 2:  read_distances(v->at, 2, v->base, n, out); break;
    case 3:  read_distances(v->at, 3, v->base, n, out); break;
    case 4:  read_distances(v->at, 4, v->base, n, out); break;
    default: read_distances(v->at, 8, v->base, n, out); break;
    }
}

/* ---- copying a vector --------------------------------------------------- */

typedef struct Copy {
    const PqVector *v;
    size_t   width;                  /* of a value                          */
    PqBuf   *scratch;
    PqMem   *mem;
    PqBlock *b;
    PqErr   *e;
} Copy;

/* Makes room for n numbers in the scratch buffer. */
static PqRc numbers(Copy *c, uint32_t n, int64_t **out)
{
    c->scratch->n = 0;
    PQ_TRY(pq_buf_reserve(c->scratch, (size_t)n * sizeof **out, c->e));
    *out = (int64_t *)(void *)c->scratch->p;
    return PQ_OK;
}

static PqRc keep_numbers(Copy *c, const int64_t *v, uint32_t n, PqNarrow *out)
{
    PQ_TRY(pq_narrow_make(out, v, n, c->mem, c->e));
    c->b->n_bytes += (size_t)n * out->width;
    return PQ_OK;
}

static PqRc keep_levels(Copy *c, const uint16_t *levels, PqNarrow *out)
{
    uint32_t i, n = c->v->n_slots;
    int64_t *v;

    PQ_TRY(numbers(c, n, &v));
    for (i = 0; i < n; i++) {
        v[i] = levels ? levels[i] : 0;
    }
    return keep_numbers(c, v, n, out);
}

static PqRc keep_starts(Copy *c)
{
    uint32_t row = 0;
    int64_t *v;

    PQ_TRY(numbers(c, c->v->n_rows + 1, &v));
    for (uint32_t i = 0; i < c->v->n_slots; i++) {
        if (c->v->rep[i] == 0 && row < c->v->n_rows) {
            v[row++] = i;
        }
    }
    while (row <= c->v->n_rows) {
        v[row++] = c->v->n_slots;
    }
    return keep_numbers(c, v, c->v->n_rows + 1, &c->b->starts);
}

static PqRc keep_valid(Copy *c)
{
    size_t n = ((size_t)c->v->n_slots + 63) / 64 * 8;

    if (!c->v->valid) {
        return PQ_OK;
    }
    c->b->valid = pq_mem_alloc(c->mem, n, c->e);
    if (!c->b->valid) {
        return c->e->rc;
    }
    memcpy(c->b->valid, c->v->valid, n);
    c->b->n_bytes += n;
    return PQ_OK;
}

/* Makes the numbers of all slots wide. */
static void widen(const Copy *c, int64_t *out)
{
    const uint32_t *ids = c->b->dict ? c->v->ids : NULL;
    const int32_t *narrow_ones = c->v->values;
    uint32_t n = c->v->n_slots;

    if (ids) {
        for (uint32_t i = 0; i < n; i++) {
            out[i] = ids[i];
        }
    } else if (c->width == sizeof *narrow_ones) {
        for (uint32_t i = 0; i < n; i++) {
            out[i] = narrow_ones[i];
        }
    } else {
        memcpy(out, c->v->values, (size_t)n * sizeof *out);
    }
}

/* The contents of an invalid slot mean nothing.  It gets the number of a valid
** slot, so that it does not make the others wider. */
static void fill_invalid(const Copy *c, uint32_t first_valid, int64_t *v)
{
    int64_t last = v[first_valid];

    for (uint32_t i = 0; i < c->v->n_slots; i++) {
        last = pq_vector_is_valid(c->v, i) ? v[i] : last;
        v[i] = last;
    }
}

static PqRc keep_integers(Copy *c)
{
    uint32_t n = c->v->n_slots, first_valid = 0;
    int64_t *v;

    if (!c->b->dict && c->width == sizeof *v && !c->v->valid) {
        return keep_numbers(c, c->v->values, n, &c->b->numbers);
    }
    PQ_TRY(numbers(c, n, &v));
    while (first_valid < n && !pq_vector_is_valid(c->v, first_valid)) {
        first_valid++;
    }
    if (first_valid == n) {          /* there may be no values at all */
        for (uint32_t i = 0; i < n; i++) {
            v[i] = 0;
        }
        return keep_numbers(c, v, n, &c->b->numbers);
    }
    widen(c, v);
    if (c->v->valid) {
        fill_invalid(c, first_valid, v);
    }
    return keep_numbers(c, v, n, &c->b->numbers);
}

static PqRc bytes(Copy *c, size_t n)
{
    c->b->bytes = pq_mem_alloc(c->mem, n, c->e);
    c->b->n_bytes += n;
    return c->b->bytes ? PQ_OK : c->e->rc;
}

static PqRc keep_texts(Copy *c)
{
    const PqStr *s = c->v->values;
    uint32_t i, n = c->v->n_slots;
    int64_t *v, at = 0;

    PQ_TRY(numbers(c, n + 1, &v));
    for (i = 0; i < n; i++) {
        v[i] = at;
        at += pq_vector_is_valid(c->v, i) ? s[i].n : 0;
    }
    v[n] = at;
    PQ_TRY(bytes(c, (size_t)at));
    for (i = 0; i < n; i++) {
        if (v[i + 1] > v[i]) {
            memcpy(c->b->bytes + v[i], s[i].p, s[i].n);
        }
    }
    return keep_numbers(c, v, n + 1, &c->b->numbers);
}

static PqRc keep_others(Copy *c)
{
    PQ_TRY(bytes(c, c->v->n_slots * c->width));
    for (uint32_t i = 0; i < c->v->n_slots; i++) {
        uint8_t *to = c->b->bytes + i * c->width;

        if (pq_vector_is_valid(c->v, i)) {
            memcpy(to, (const char *)c->v->values + i * c->width, c->width);
        } else {
            memset(to, 0, c->width);
        }
    }
    return PQ_OK;
}

static bool is_integer(PqPhysical type)
{
    return type == PQ_INT32 || type == PQ_INT64;
}

static bool is_bytes(PqPhysical type)
{
    return type == PQ_BYTE_ARRAY || type == PQ_FIXED;
}

static PqRc fill(Copy *c)
{
    PqPhysical type = c->v->leaf->type.physical;

    PQ_TRY(keep_valid(c));
    if (c->v->def || c->v->rep) {
        c->b->has_levels = true;
        PQ_TRY(keep_levels(c, c->v->def, &c->b->def));
        PQ_TRY(keep_levels(c, c->v->rep, &c->b->rep));
    }
    if (c->v->rep) {
        PQ_TRY(keep_starts(c));
    }
    return c->b->dict || is_integer(type) ? keep_integers(c)
           : is_bytes(type)               ? keep_texts(c)
                                          : keep_others(c);
}

PqRc pq_block_new(const PqVector *v, const PqBlock *dict, PqBuf *scratch,
                  PqMem *mem, PqBlock **out, PqErr *e)
{
    Copy c = {v, pq_physical_width(v->leaf->type.physical), scratch, mem,
              pq_mem_zeros(mem, 1, sizeof *c.b, e), e};

    *out = NULL;
    if (!c.b) {
        return e->rc;
    }
    c.b->n_rows = v->n_rows;
    c.b->n_slots = v->n_slots;
    c.b->dict = dict;
    c.b->n_bytes = sizeof *c.b;
    if (fill(&c) != PQ_OK) {
        pq_block_free(c.b);
        return e->rc;
    }
    *out = c.b;
    return PQ_OK;
}

PqRc pq_block_of_dict(const PqLeaf *leaf, const PqDict *d, PqBuf *scratch,
                      PqMem *mem, PqBlock **out, PqErr *e)
{
    PqVector v = {.leaf = leaf, .n_rows = d->n, .n_slots = d->n,
                  .values = d->values};

    return pq_block_new(&v, NULL, scratch, mem, out, e);
}

void pq_block_free(PqBlock *b)
{
    if (b) {
        pq_mem_free(b->valid);
        pq_mem_free(b->rep.at);
        pq_mem_free(b->def.at);
        pq_mem_free(b->starts.at);
        pq_mem_free(b->numbers.at);
        pq_mem_free(b->bytes);
        pq_mem_free(b);
    }
}

/* ---- reading ------------------------------------------------------------ */

static PqRc text_value(const PqBlock *b, bool ended, uint32_t slot, PqStr *out,
                       PqArena *texts, PqErr *e)
{
    uint64_t from = pq_narrow_at(&b->numbers, slot);
    size_t n = (size_t)(pq_narrow_at(&b->numbers, slot + 1) - from);
    uint8_t *p = pq_arena_bytes(texts, n + 1, e);

    if (!p) {
        return e->rc;
    }
    memcpy(p, b->bytes + from, n);
    if (ended) {
        p[n] = 0;
    }
    *out = (PqStr){p, (uint32_t)n};
    return PQ_OK;
}

PqRc pq_block_value(const PqBlock *b, PqPhysical type, uint32_t slot,
                    void *out, PqArena *texts, PqErr *e)
{
    size_t width;

    if (b->dict) {
        slot = (uint32_t)pq_narrow_at(&b->numbers, slot);
        b = b->dict;
    }
    switch (type) {
    case PQ_INT32:
        *(uint32_t *)out = (uint32_t)pq_narrow_at(&b->numbers, slot);
        return PQ_OK;
    case PQ_INT64:
        *(uint64_t *)out = pq_narrow_at(&b->numbers, slot);
        return PQ_OK;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return text_value(b, type == PQ_BYTE_ARRAY, slot, out, texts, e);
    default:
        width = pq_physical_width(type);
        memcpy(out, b->bytes + slot * width, width);
        return PQ_OK;
    }
}

void pq_block_integers(const PqBlock *b, PqPhysical type, uint32_t slot, uint32_t n,
                       void *out)
{
    const PqNarrow values = b->dict ? b->dict->numbers : b->numbers;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = b->dict ? (uint32_t)pq_narrow_at(&b->numbers, slot + i)
                              : slot + i;
        uint64_t value = pq_narrow_at(&values, at);

        if (type == PQ_INT32) {
            ((uint32_t *)out)[i] = (uint32_t)value;
        } else {
            ((uint64_t *)out)[i] = value;
        }
    }
}
