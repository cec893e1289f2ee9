/*
** cells.h - rows as a host hands them over, before their types are known.
**
** Cells are collected column by column, a few thousand rows at a time (a slab).
** Another thread turns them into leaf batches (leaf_fill.h, nested/json_shred.h).
**
** Texts and bytes are copied into the column's arena.  Each is followed by a
** NUL that is not counted.  Texts are UTF-8, unchecked.
*/
#ifndef PQ_CELLS_H
#define PQ_CELLS_H

#include "core/numbering/cell.h"

typedef struct PqCells {             /* one column of a slab                 */
    PqCell  *cells;
    uint32_t n, room;
    size_t   n_bytes;                /* of texts and bytes                   */
    size_t  *n_all;                  /* the same of all columns of the slab;
                                     ** NULL: nobody asks                    */
    PqArena  bytes;
    PqMem   *mem;
} PqCells;

void pq_cells_init(PqCells *c, PqMem *mem);
void pq_cells_free(PqCells *c);
void pq_cells_reset(PqCells *c);                     /* keeps its room */

/* Makes room for one more cell; the pq_cells_... below do not check. */
static inline PqRc pq_cells_reserve(PqCells *c, PqErr *e)
{
    return PQ_GROW(c->mem, c->cells, c->n, c->room, e);
}

/* Rows are appended to all columns in turn, so each column is a separate stream
** of writes: more streams than the processor prefetches by itself.  This
** prefetches the place that will be written some rows later, once per line of
** the cache. */
static inline void pq_cells_expect(const PqCells *c)
{
    enum { AHEAD = 16, IN_A_LINE = 64 / sizeof(PqCell) };
    uintptr_t at = (uintptr_t)c->cells + (c->n + AHEAD) * sizeof *c->cells;

    if (c->n % IN_A_LINE == 0) {
        __builtin_prefetch((const void *)at, 1);
    }
}

static inline void pq_cells_null(PqCells *c)
{
    c->cells[c->n++] = (PqCell){.kind = PQ_CELL_NULL};
}

static inline void pq_cells_int(PqCells *c, int64_t v)
{
    c->cells[c->n++] = pq_cell_int(v);
}

static inline void pq_cells_real(PqCells *c, double v)
{
    c->cells[c->n++] = pq_cell_real(v);
}

PQ_COLD PqRc pq_cells_too_large(size_t n, PqErr *e);

/* cls is PQ_CELL_TEXT or PQ_CELL_BLOB; the bytes are copied. */
static inline PqRc pq_cells_bytes(PqCells *c, PqCellClass cls, const void *p,
                                  size_t n, PqErr *e)
{
    uint8_t *to;

    if (PQ_UNLIKELY(n > INT32_MAX - 1)) {
        return pq_cells_too_large(n, e);
    }
    to = pq_arena_bytes(&c->bytes, n + 1, e);
    if (PQ_UNLIKELY(!to)) {
        return e->rc;
    }
    pq_bytes_copy(to, p, n);
    to[n] = 0;
    c->cells[c->n++] = pq_cell_bytes(cls, pq_slice(to, n));
    c->n_bytes += n;
    if (c->n_all) {
        *c->n_all += n;
    }
    return PQ_OK;
}

/* A cell of any class. */
static inline PqRc pq_cells_add(PqCells *c, const PqCell *cell, PqErr *e)
{
    if (pq_cell_has_bytes(cell)) {
        return pq_cells_bytes(c, (PqCellClass)cell->kind, cell->p, cell->n, e);
    }
    c->cells[c->n++] = *cell;
    return PQ_OK;
}

#endif
