/*
** block_cache.c - a cache of blocks within a limit of bytes.
**
** What is hard is that ids in a block mean nothing without the dictionary of
** their chunk.  So a chunk is freed only with its last block, and it is spared
** while a block is being added to it.
*/
#include "core/join/block_cache.h"

PqRc pq_pick_cache_new(PqMem *mem, size_t limit, PqPickCache **out, PqErr *e)
{
    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    (*out)->mem = mem;
    (*out)->limit = limit;
    pq_buf_init(&(*out)->scratch, mem, NULL);
    return PQ_OK;
}

/* ---- chunks ------------------------------------------------------------- */

static uint32_t bucket_of(uint32_t file, uint32_t group, uint32_t leaf)
{
    uint64_t h = ((uint64_t)file << 40 ^ (uint64_t)leaf << 20 ^ group) *
                 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 54);
}

PqPickChunk *pq_pick_cache_find(const PqPickCache *c, uint32_t file,
                                uint32_t group, uint32_t leaf)
{
    PqPickChunk *x = c->bucket[bucket_of(file, group, leaf)];

    while (x && (x->file != file || x->group != group || x->leaf != leaf)) {
        x = x->next;
    }
    return x;
}

PqRc pq_pick_cache_add(PqPickCache *c, uint32_t file, uint32_t group,
                       uint32_t leaf, int64_t n_rows, unsigned shift,
                       PqPickChunk **out, PqErr *e)
{
    uint32_t n = (uint32_t)((n_rows + ((int64_t)1 << shift) - 1) >> shift);
    PqPickChunk *x = pq_mem_zeros(c->mem, 1, sizeof *x, e);
    PqPickChunk **bucket = &c->bucket[bucket_of(file, group, leaf)];

    *out = NULL;
    if (!x) {
        return e->rc;
    }
    *x = (PqPickChunk){.next = *bucket, .file = file, .group = group,
                       .leaf = leaf, .shift = shift, .n_blocks = n};
    x->blocks = pq_mem_zeros(c->mem, n, sizeof *x->blocks, e);
    if (!x->blocks) {
        pq_mem_free(x);
        return e->rc;
    }
    *bucket = x;
    *out = x;
    return PQ_OK;
}

void pq_pick_cache_done(PqPickCache *c, PqPickChunk *chunk)
{
    PqPickChunk **at;

    if (chunk->n_here > 0) {
        return;
    }
    at = &c->bucket[bucket_of(chunk->file, chunk->group, chunk->leaf)];
    while (*at != chunk) {
        at = &(*at)->next;
    }
    *at = chunk->next;
    if (chunk->dict) {
        c->used -= chunk->dict->n_bytes;
        pq_block_free(chunk->dict);
    }
    pq_mem_free(chunk->blocks);
    pq_mem_free(chunk);
}

/* ---- blocks ------------------------------------------------------------- */

/* Drops a block, and its chunk if it has no other block and is not spared. */
static void drop(PqPickCache *c, PqPickBlock *b, const PqPickChunk *spared)
{
    c->hand = b->next == b ? NULL : b->next;
    b->before->next = b->next;
    b->next->before = b->before;
    b->chunk->blocks[b->number] = NULL;
    b->chunk->n_here--;
    c->used -= b->rows->n_bytes;
    if (b->chunk != spared) {
        pq_pick_cache_done(c, b->chunk);
    }
    pq_block_free(b->rows);
    pq_mem_free(b);
}

void pq_pick_cache_empty(PqPickCache *c)
{
    while (c->hand) {
        drop(c, c->hand, NULL);
    }
}

void pq_pick_cache_free(PqPickCache *c)
{
    if (c) {
        pq_pick_cache_empty(c);
        pq_buf_free(&c->scratch);
        pq_mem_free(c);
    }
}

bool pq_pick_cache_has_room(const PqPickCache *c, size_t n)
{
    return c->used < c->limit && n <= c->limit - c->used;
}

/* Makes room for a new block, which is not in the ring yet: even a block that
** is larger than the limit is kept, alone. */
static void make_room(PqPickCache *c, const PqPickChunk *spared)
{
    while (c->hand && c->used > c->limit) {
        if (c->hand->used) {
            c->hand->used = false;
            c->hand = c->hand->next;
        } else {
            drop(c, c->hand, spared);
        }
    }
}

void pq_pick_cache_set_limit(PqPickCache *c, size_t limit)
{
    c->limit = limit;
    make_room(c, NULL);
}

static PqRc keep_dict(PqPickCache *c, PqPickChunk *chunk, const PqVector *v,
                      PqErr *e)
{
    if (!chunk->dict) {
        PQ_TRY(pq_block_of_dict(v->leaf, v->dict, &c->scratch, c->mem,
                                &chunk->dict, e));
        c->used += chunk->dict->n_bytes;
    }
    if (chunk->dict->n_slots != v->dict->n) {
        return pq_fail(e, PQ_CHANGED, "the dictionary has changed");
    }
    return PQ_OK;
}

PqRc pq_pick_cache_keep(PqPickCache *c, PqPickChunk *chunk, uint32_t number,
                        const PqVector *v, PqErr *e)
{
    PqPickBlock *b;

    if (v->dict) {
        PQ_TRY(keep_dict(c, chunk, v, e));
    }
    PQ_TRY(PQ_NEW(c->mem, b, 1, e));
    if (pq_block_new(v, v->dict ? chunk->dict : NULL, &c->scratch, c->mem,
                     &b->rows, e) != PQ_OK) {
        pq_mem_free(b);
        return e->rc;
    }
    c->used += b->rows->n_bytes;
    make_room(c, chunk);
    b->chunk = chunk;
    b->number = number;
    if (c->hand) {                   /* the hand reaches it last */
        b->next = c->hand;
        b->before = c->hand->before;
        b->before->next = b;
        b->next->before = b;
    } else {
        b->next = b->before = b;
        c->hand = b;
    }
    b->used = true;
    chunk->blocks[number] = b;
    chunk->n_here++;
    return PQ_OK;
}
