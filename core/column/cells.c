/*
** cells.c - storage for the cells of one column of a slab.
**
** A column has two arrays of the same length, classes and cells, which grow
** together.  Appending a cell is inline in cells.h; growth, which may fail
** halfway, is here.
*/
#include "core/column/cells.h"

void pq_cells_init(PqCells *c, PqMem *mem)
{
    *c = (PqCells){.mem = mem};
    pq_arena_init(&c->bytes, mem);
}

void pq_cells_free(PqCells *c)
{
    pq_mem_free(c->classes);
    pq_mem_free(c->cells);
    pq_arena_free(&c->bytes);
    pq_cells_init(c, c->mem);
}

void pq_cells_reset(PqCells *c)
{
    c->n = 0;
    if (c->n_all) {
        *c->n_all -= c->n_bytes;
    }
    c->n_bytes = 0;
    pq_arena_reset(&c->bytes);
}

/* If only classes could be enlarged, room stays that of cells. */
static PqRc grow(PqCells *c, PqErr *e)
{
    uint32_t room = c->room;

    PQ_TRY(PQ_GROW(c->mem, c->classes, c->n, room, e));
    return PQ_GROW(c->mem, c->cells, c->n, c->room, e);
}

PqRc pq_cells_reserve(PqCells *c, PqErr *e)
{
    return PQ_LIKELY(c->n < c->room) ? PQ_OK : grow(c, e);
}

PqRc pq_cells_too_large(size_t n, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "a value of %zu bytes: a page of a Parquet file "
                   "holds no more than 2147483647", n);
}
