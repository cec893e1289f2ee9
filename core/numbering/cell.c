/*
** cell.c - compares cells of two classes, and hashes cells.
**
** Comparing an integer and a real as reals would round the integer.  So the
** real is cut to a whole number instead, and its fraction decides if these are
** equal.
*/
#include "core/numbering/cell.h"

#include "core/numbering/hash.h"

PqRc pq_cell_keep(PqCell *c, PqArena *a, PqErr *e)
{
    if (pq_cell_has_bytes(c)) {
        c->p = (const uint8_t *)pq_arena_text(a, c->p, c->n, e);
        return c->p ? PQ_OK : e->rc;
    }
    return PQ_OK;
}

void pq_cell_put(const PqCell *c, PqBuf *b)
{
    pq_buf_byte(b, c->kind);
    if (pq_cell_has_bytes(c)) {
        pq_buf_add(b, &c->n, sizeof c->n);
        pq_buf_add(b, c->p, c->n);
    } else if (c->kind != PQ_CELL_NULL) {
        pq_buf_add(b, &c->i, sizeof c->i);
    }
}

int pq_int_real_compare(int64_t i, double r)
{
    int64_t whole;

    if (r >= 9223372036854775808.0) return -1;
    if (r < -9223372036854775808.0) return 1;
    whole = (int64_t)r;
    if (i != whole) {
        return i < whole ? -1 : 1;
    }
    return r > (double)whole ? -1 : r < (double)whole;
}

int pq_cell_compare_classes(const PqCell *a, const PqCell *b)
{
    if (a->kind == PQ_CELL_INT && b->kind == PQ_CELL_REAL) {
        return pq_int_real_compare(a->i, b->r);
    }
    if (a->kind == PQ_CELL_REAL && b->kind == PQ_CELL_INT) {
        return -pq_int_real_compare(b->i, a->r);
    }
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* The bits of a real, arranged so that they have the order of reals.  Both
** zeros become 0.0. */
static uint64_t head_of_real(double r)
{
    uint64_t bits, sign = (uint64_t)1 << 63;

    r += 0.0;
    memcpy(&bits, &r, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

uint64_t pq_cell_head(const PqCell *c)
{
    switch (c->kind) {
    case PQ_CELL_NULL:
        return 0;
    case PQ_CELL_INT:
        return (uint64_t)c->i ^ (uint64_t)1 << 63;
    case PQ_CELL_REAL:
        return head_of_real(c->r);
    default:
        return pq_str_prefix(pq_cell_str(c));
    }
}

uint64_t pq_cell_head_of_any(const PqCell *c)
{
    enum { CLASS_BITS = 2 };
    bool number = pq_cell_is_number(c);
    PqCell real = number ? pq_cell_real(pq_cell_double(c)) : *c;
    uint64_t kind = number ? 1 : c->kind == PQ_CELL_NULL ? 0 : c->kind - 1u;

    return kind << (64 - CLASS_BITS) | pq_cell_head(&real) >> CLASS_BITS;
}

PqCell pq_cell_plain(const PqCell *c)
{
    return c->kind != PQ_CELL_REAL   ? *c
           : pq_real_is_whole(c->r) ? pq_cell_int((int64_t)c->r)
                                     : pq_cell_shown_real(c->r);
}

uint64_t pq_cell_hash_bytes(PqCellClass kind, PqStr s, uint64_t seed)
{
    uint64_t word = pq_hash_seeded(s.p, s.n, seed ^ (uint64_t)kind);

    return pq_hash_mix(seed, word) & pq_hash_bits;
}

uint64_t pq_cell_hash(const PqCell *c, uint64_t seed)
{
    uint64_t word = PQ_HASH_NULL;

    if (pq_cell_has_bytes(c)) {
        return pq_cell_hash_bytes((PqCellClass)c->kind, pq_cell_str(c), seed);
    }
    if (c->kind == PQ_CELL_INT) {
        word = (uint64_t)c->i;
    } else if (c->kind == PQ_CELL_REAL) {
        word = pq_real_is_whole(c->r) ? (uint64_t)(int64_t)c->r
                                      : pq_hash_real(c->r);
    }
    return pq_hash_mix(seed, word) & pq_hash_bits;
}
