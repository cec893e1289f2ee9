/*
** arena.h - many small allocations that are freed together.
**
** Memory comes in blocks of doubling size, handed out from front to back.  An
** arena belongs to whatever it serves: a file (footer, schema), a chunk
** (dictionary), a batch (strings of a delta page).  pq_arena_reset keeps the
** largest block, so a batch after the first allocates nothing.
*/
#ifndef PQ_ARENA_H
#define PQ_ARENA_H

#include "core/base/bytes.h"

typedef struct PqArenaBlock PqArenaBlock;

typedef struct PqArena {
    PqMem        *mem;
    PqArenaBlock *blocks;     /* newest first: that one is being filled */
    uint8_t      *at;
    size_t        left;
} PqArena;

void pq_arena_init(PqArena *a, PqMem *mem);
void pq_arena_free(PqArena *a);
void pq_arena_reset(PqArena *a);

/* Like pq_arena_free, but overwrites all bytes first: they held a secret. */
void pq_arena_wipe(PqArena *a);

/* Bytes of all blocks. */
size_t pq_arena_memory(const PqArena *a);

/* 8-aligned, not initialised. */
void *pq_arena_alloc(PqArena *a, size_t n, PqErr *e);
void *pq_arena_zeros(PqArena *a, size_t count, size_t size, PqErr *e);

/* v, a pointer, becomes an array of count zeros of its type; NULL if it
** fails. */
#define PQ_ARENA_NEW(a, v, count, e) \
    pq_arena_new_array(a, &(v), count, sizeof *(v), e)
PqRc pq_arena_new_array(PqArena *a, void *v, size_t count, size_t size,
                        PqErr *e);

/* Makes room for one more than n elements.  The array has grown this way since
** n was 0 and v was NULL, so its room is the next power of two.  Outgrown
** arrays stay in the arena. */
#define PQ_ARENA_GROW(a, v, n, e)       \
    ((n) & ((n) - 1) ? PQ_OK            \
                     : pq_arena_grow_array(a, &(v), n, sizeof *(v), e))
PqRc pq_arena_grow_array(PqArena *a, void *v, size_t n, size_t size, PqErr *e);

/* The part of pq_arena_bytes that adds a block. */
uint8_t *pq_arena_more(PqArena *a, size_t n, PqErr *e);

/* n bytes without alignment, for strings. */
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

/* A copy that ends with a NUL. */
char *pq_arena_text(PqArena *a, const void *p, size_t n, PqErr *e);
PqRc pq_arena_copy(PqArena *a, PqSlice from, PqSlice *to, PqErr *e);
char *pq_arena_printf(PqArena *a, PqErr *e, const char *fmt, ...)
    PQ_PRINTF(3, 4);

/* Moves the text of b into a, and frees b.  NULL: b's sink has an error. */
char *pq_arena_take(PqArena *a, PqBuf *b);

/* The same of bytes; p NULL: it has. */
PqSlice pq_arena_take_bytes(PqArena *a, PqBuf *b);

#endif
