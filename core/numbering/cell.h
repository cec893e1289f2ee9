/*
** cell.h - a value as the host sees it: with a class, without a type.
**
**   NULL   -7   2.5   3   "10"   "9"   x'00'        in ascending order
**
** NULLs come first, then numbers, then texts, then BLOBs.  An integer and a
** real are compared exactly, as numbers.  Neither is converted, which would
** round it: 2^53 and 2^53 + 1 are the same real.  Texts and BLOBs are compared
** by their bytes.
**
** Equal cells are one value, and have one hash: 5 and 5.0, 0.0 and -0.0, two
** NULLs.  A cell that is compared is never NaN: the host shows NaN as NULL.
**
** A cell borrows its bytes.
*/
#ifndef PQ_CELL_H
#define PQ_CELL_H

#include "core/base/arena.h"

typedef enum PqCellClass {           /* in their order                      */
    PQ_CELL_NULL, PQ_CELL_INT, PQ_CELL_REAL, PQ_CELL_TEXT, PQ_CELL_BLOB,
    PQ_CELL_CLASSES
} PqCellClass;

typedef struct PqCell {
    union {
        int64_t        i;
        double         r;
        const uint8_t *p;            /* TEXT and BLOB: n bytes              */
    };
    uint32_t n;
    uint8_t  kind;                   /* PqCellClass                         */
    uint8_t  room;                   /* log2 of the bytes that a set owns   */
} PqCell;

static inline PqCell pq_cell_int(int64_t i)
{
    return (PqCell){.i = i, .kind = PQ_CELL_INT};
}

static inline PqCell pq_cell_real(double r)
{
    return (PqCell){.r = r, .kind = PQ_CELL_REAL};
}

/* The cell that the host shows for a real: NaN is NULL. */
static inline PqCell pq_cell_shown_real(double r)
{
    return r == r ? pq_cell_real(r) : (PqCell){.kind = PQ_CELL_NULL};
}

/* A cell of kind TEXT or BLOB.  A value has less than 2^32 bytes. */
static inline PqCell pq_cell_bytes(PqCellClass kind, PqSlice s)
{
    return (PqCell){.p = s.p, .n = (uint32_t)s.n, .kind = (uint8_t)kind};
}

static inline PqCell pq_cell_text(PqSlice s)
{
    return pq_cell_bytes(PQ_CELL_TEXT, s);
}

static inline bool pq_cell_is_number(const PqCell *c)
{
    return c->kind == PQ_CELL_INT || c->kind == PQ_CELL_REAL;
}

/* A number's nearest real. */
static inline double pq_cell_double(const PqCell *c)
{
    return c->kind == PQ_CELL_INT ? (double)c->i : c->r;
}

static inline bool pq_cell_has_bytes(const PqCell *c)
{
    return c->kind >= PQ_CELL_TEXT;
}

static inline PqSlice pq_cell_slice(const PqCell *c)
{
    return pq_slice(c->p, c->n);
}

static inline PqStr pq_cell_str(const PqCell *c)
{
    return (PqStr){c->p, c->n};
}

/* Copies its bytes, if it has any, into a, with a NUL after them. */
PqRc pq_cell_keep(PqCell *c, PqArena *a, PqErr *e);

/* Appends it to b: its class, then 8 bytes of a number, or a length of 4 bytes and
** the bytes. */
void pq_cell_put(const PqCell *c, PqBuf *b);

/* ---- order ----------------------------------------------------------------- */

/* <0, 0, >0.  Exact, whatever the size of the integer. */
int pq_int_real_compare(int64_t i, double r);

/* The same for two cells of different classes. */
int pq_cell_compare_classes(const PqCell *a, const PqCell *b);

/* <0, 0, >0: the ascending order. */
static inline int pq_cell_compare(const PqCell *a, const PqCell *b)
{
    if (a->kind != b->kind) {
        return pq_cell_compare_classes(a, b);
    }
    switch (a->kind) {
    case PQ_CELL_NULL:
        return 0;
    case PQ_CELL_INT:
        return (a->i > b->i) - (a->i < b->i);
    case PQ_CELL_REAL:
        return (a->r > b->r) - (a->r < b->r);
    default:
        return pq_slice_compare(pq_cell_slice(a), pq_cell_slice(b));
    }
}

/* Of two cells of one class, or one of them NULL, the cell with the smaller
** head is less.  Equal heads say nothing. */
uint64_t pq_cell_head(const PqCell *c);

/* The same for two cells of any classes.  It has fewer bits of the value. */
uint64_t pq_cell_head_of_any(const PqCell *c);

/* ---- equality -------------------------------------------------------------- */

/* Is this real a whole number that fits an integer?  Then the two are equal. */
static inline bool pq_real_is_whole(double r)
{
    static const double limit = 9223372036854775808.0;

    return r >= -limit && r < limit && r == (double)(int64_t)r;
}

/* Makes a whole number an INT, and NaN NULL.  So equal cells look the same,
** except that their bytes may lie in different places. */
PqCell pq_cell_plain(const PqCell *c);

/* Are two plain cells equal? */
static inline bool pq_cell_same(const PqCell *a, const PqCell *b)
{
    return a->kind == b->kind && pq_cell_compare(a, b) == 0;
}

uint64_t pq_cell_hash(const PqCell *c, uint64_t seed);

/* ... of a TEXT or BLOB. */
uint64_t pq_cell_hash_bytes(PqCellClass kind, PqStr s, uint64_t seed);

#endif
