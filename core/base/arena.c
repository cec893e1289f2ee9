/*
** arena.c - blocks of doubling size, each handed out from front to back.
**
** An allocation moves one pointer; the budget is asked once per block.  What is
** hard is alignment: strings are packed without gaps, so pq_arena_alloc first
** moves up to the next multiple of eight.  Sizes come from files, so each one
** is checked for overflow before it is added to a header.
**
** The largest blocks are one huge page each, with the headers, unless that is much of
** the budget.
*/
#include "core/base/arena.h"

#include "core/base/raw_block.h"
#include "core/base/secret.h"

#include <stdio.h>

struct PqArenaBlock {
    PqArenaBlock *next;
    size_t        n;          /* bytes after this header */
};

enum {
    FIRST_BLOCK = 112, LARGE_BLOCK = 1 << 18,
    HUGE_BLOCK = PQ_HUGE_PAGE - PQ_MEM_HEADER - (int)sizeof(PqArenaBlock),
    HUGE_SHARE = 64                  /* of the budget                       */
};

void pq_arena_init(PqArena *a, PqMem *mem)
{
    *a = (PqArena){mem, NULL, NULL, 0};
}

void pq_arena_free(PqArena *a)
{
    while (a->blocks) {
        PqArenaBlock *next = a->blocks->next;
        pq_mem_free(a->blocks);
        a->blocks = next;
    }
    a->at = NULL;
    a->left = 0;
}

void pq_arena_wipe(PqArena *a)
{
    for (PqArenaBlock *b = a->blocks; b; b = b->next) {
        pq_wipe(b + 1, b->n);
    }
    pq_arena_free(a);
}

void pq_arena_reset(PqArena *a)
{
    PqArenaBlock *keep = a->blocks, *b, *next;

    for (b = a->blocks; b; b = b->next) {
        keep = b->n > keep->n ? b : keep;
    }
    for (b = a->blocks; b; b = next) {
        next = b->next;
        if (b != keep) {
            pq_mem_free(b);
        }
    }
    a->blocks = keep;
    if (keep) {
        keep->next = NULL;
        a->at = (uint8_t *)(keep + 1);
        a->left = keep->n;
    }
}

size_t pq_arena_memory(const PqArena *a)
{
    size_t n = 0;

    for (const PqArenaBlock *b = a->blocks; b; b = b->next) {
        n += sizeof *b + b->n;
    }
    return n;
}

static PqRc add_block(PqArena *a, size_t at_least, PqErr *e)
{
    size_t n = a->blocks ? a->blocks->n * 2 : FIRST_BLOCK;
    size_t most = pq_mem_limit(a->mem) / HUGE_SHARE < HUGE_BLOCK ? LARGE_BLOCK : HUGE_BLOCK;
    PqArenaBlock *b;

    n = n > most / 2 ? most : n;
    n = n < at_least ? at_least : n;
    if (n > SIZE_MAX / 2) {
        return pq_fail(e, PQ_NOMEM, "out of memory (%zu bytes)", n);
    }
    b = pq_mem_array(a->mem, 1, sizeof *b + n, e);
    if (!b) {
        return e->rc;
    }
    b->next = a->blocks;
    b->n = n;
    a->blocks = b;
    a->at = (uint8_t *)(b + 1);
    a->left = n;
    return PQ_OK;
}

PqRc pq_arena_new_array(PqArena *a, void *v, size_t count, size_t size,
                        PqErr *e)
{
    void *p = pq_arena_zeros(a, count, size, e);

    memcpy(v, &p, sizeof p);         /* a pointer to whatever, as its bytes */
    return p ? PQ_OK : e->rc;
}

PqRc pq_arena_grow_array(PqArena *a, void *v, size_t n, size_t size, PqErr *e)
{
    void *p, *more = pq_arena_zeros(a, n ? n * 2 : 1, size, e);

    if (!more) {
        return e->rc;
    }
    if (n) {
        memcpy(&p, v, sizeof p);     /* a pointer to whatever, as its bytes */
        memcpy(more, p, n * size);
    }
    memcpy(v, &more, sizeof more);
    return PQ_OK;
}

uint8_t *pq_arena_more(PqArena *a, size_t n, PqErr *e)
{
    return add_block(a, n, e) == PQ_OK ? pq_arena_bytes(a, n, e) : NULL;
}

void *pq_arena_alloc(PqArena *a, size_t n, PqErr *e)
{
    size_t skew = (size_t)(-(uintptr_t)a->at & 7);

    if (skew <= a->left) {
        a->at = a->at ? a->at + skew : NULL;
        a->left -= skew;
    } else {
        a->left = 0;
    }
    return pq_arena_bytes(a, n, e);
}

void *pq_arena_zeros(PqArena *a, size_t count, size_t size, PqErr *e)
{
    void *p;

    if (size && count > SIZE_MAX / 4 / size) {
        pq_fail(e, PQ_NOMEM, "out of memory (%zu items)", count);
        return NULL;
    }
    p = pq_arena_alloc(a, count * size, e);
    if (p) {
        memset(p, 0, count * size);
    }
    return p;
}

char *pq_arena_text(PqArena *a, const void *p, size_t n, PqErr *e)
{
    char *copy = (char *)pq_arena_bytes(a, n + 1, e);

    if (copy) {
        pq_bytes_copy(copy, p, n);
        copy[n] = 0;
    }
    return copy;
}

PqRc pq_arena_copy(PqArena *a, PqSlice from, PqSlice *to, PqErr *e)
{
    const char *copy = pq_arena_text(a, from.p, from.n, e);

    *to = pq_slice(copy, copy ? from.n : 0);
    return copy ? PQ_OK : e->rc;
}

char *pq_arena_take(PqArena *a, PqBuf *b)
{
    char *text = pq_buf_ok(b) ? pq_arena_text(a, b->p, b->n, b->sink) : NULL;

    pq_buf_free(b);
    return text;
}

PqSlice pq_arena_take_bytes(PqArena *a, PqBuf *b)
{
    size_t n = b->n;
    const char *p = pq_arena_take(a, b);

    return pq_slice(p, p ? n : 0);
}

char *pq_arena_printf(PqArena *a, PqErr *e, const char *fmt, ...)
{
    va_list ap;
    char *text;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    text = (char *)pq_arena_bytes(a, (size_t)(n < 0 ? 0 : n) + 1, e);
    if (text) {
        va_start(ap, fmt);
        vsnprintf(text, (size_t)(n < 0 ? 0 : n) + 1, fmt, ap);
        va_end(ap);
    }
    return text;
}
