/*
** arena.h - many small things that die together.
**
** Blocks of doubling size, handed out front to back, 8-aligned.  An arena
** belongs to the thing named after it: a file (footer, schema), a chunk
** (dictionary), a batch (strings of a delta page).  pq_arena_reset keeps the
** largest block, so a batch after the first allocates nothing.
*/
#ifndef PQ_ARENA_H
#define PQ_ARENA_H

#include "core/base/bytes.h"

typedef struct PqArenaBlock PqArenaBlock;

typedef struct PqArena {
    PqMem        *mem;
    PqArenaBlock *blocks;     /* the one being filled first */
    uint8_t      *at;
    size_t        left;
} PqArena;

void pq_arena_init(PqArena *a, PqMem *mem);
void pq_arena_free(PqArena *a);
void pq_arena_reset(PqArena *a);

/* Bytes of all blocks. */
size_t pq_arena_memory(const PqArena *a);

/* 8-aligned, not initialised. */
void *pq_arena_alloc(PqArena *a, size_t n, PqErr *e);
void *pq_arena_zeros(PqArena *a, size_t count, size_t size, PqErr *e);

/* pq_arena_bytes where the block at hand has no room. */
uint8_t *pq_arena_more(PqArena *a, size_t n, PqErr *e);

/* Without alignment: for strings. */
static inline uint8_t *pq_arena_bytes(PqArena *a, size_t n, PqErr *e)
{
    uint8_t *p = a->at;

    if (PQ_UNLIKELY(n > a->left || !p)) {
        return pq_arena_more(a, n, e);
    }
    a->at += n;
    a->left -= n;
    return p;
}

/* A copy with a NUL behind it. */
char *pq_arena_text(PqArena *a, const void *p, size_t n, PqErr *e);
char *pq_arena_printf(PqArena *a, PqErr *e, const char *fmt, ...)
    PQ_PRINTF(3, 4);

#endif
