/*
** cells.c - storage for the cells of one column of a slab.
*/
#include "core/column/cells.h"

void pq_cells_init(PqCells *c, PqMem *mem)
{
    *c = (PqCells){.mem = mem};
    pq_arena_init(&c->bytes, mem);
}

void pq_cells_free(PqCells *c)
{
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

PqRc pq_cells_too_large(size_t n, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "a value of %zu bytes: a page of a Parquet file "
                   "holds no more than 2147483647", n);
}
