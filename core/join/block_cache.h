/*
** block_cache.h - inside scan.h: decoded blocks of rows that were picked.
**
**   chunk (file, row group, leaf)   blocks of 2^shift rows each
**   +--------+--------+--------+--------+--
**   |   -    | block  |   -    | block  |       '-': not decoded, or dropped
**   +--------+--------+--------+--------+--
**
** All blocks form a ring (the "clock" algorithm).  When there is no room for
** one more, the hand goes round and drops blocks.  A block that was used since
** the hand last passed it is spared once.  A chunk and its dictionary live as
** long as any of its blocks.
*/
#ifndef PQ_BLOCK_CACHE_H
#define PQ_BLOCK_CACHE_H

#include "core/join/block.h"

typedef struct PqPickChunk PqPickChunk;

typedef struct PqPickBlock {
    struct PqPickBlock *next, *before;   /* in the ring                     */
    PqPickChunk *chunk;
    uint32_t     number;
    bool         used;
    PqBlock     *rows;
} PqPickBlock;

struct PqPickChunk {
    PqPickChunk  *next;              /* in its bucket                       */
    uint32_t      file, group, leaf;
    unsigned      shift;
    uint32_t      n_blocks, n_here;
    PqBlock      *dict;              /* NULL: none was needed yet           */
    PqPickBlock **blocks;
};

typedef struct PqPickCache {
    PqMem        *mem;
    size_t        limit, used;       /* bytes of blocks and dictionaries    */
    PqPickBlock  *hand;
    PqPickChunk  *bucket[1024];
    PqBuf         scratch;
} PqPickCache;

PqRc pq_pick_cache_new(PqMem *mem, size_t limit, PqPickCache **out, PqErr *e);
void pq_pick_cache_free(PqPickCache *c);                 /* c may be NULL */

/* NULL when it is not in the cache. */
PqPickChunk *pq_pick_cache_find(const PqPickCache *c, uint32_t file,
                                uint32_t group, uint32_t leaf);

/* Adds a chunk of n_rows rows without blocks.  pq_pick_cache_done removes it if
** it still has none. */
PqRc pq_pick_cache_add(PqPickCache *c, uint32_t file, uint32_t group,
                       uint32_t leaf, int64_t n_rows, unsigned shift,
                       PqPickChunk **out, PqErr *e);
void pq_pick_cache_done(PqPickCache *c, PqPickChunk *chunk);

/* Keeps v as block `number` of the chunk.  Other blocks are dropped if there is
** no room, but never the dictionary of this chunk. */
PqRc pq_pick_cache_keep(PqPickCache *c, PqPickChunk *chunk, uint32_t number,
                        const PqVector *v, PqErr *e);

/* Is there room for n bytes more, without dropping anything? */
bool pq_pick_cache_has_room(const PqPickCache *c, size_t n);

/* Drops blocks until the rest fits. */
void pq_pick_cache_set_limit(PqPickCache *c, size_t limit);

void pq_pick_cache_empty(PqPickCache *c);

#endif
