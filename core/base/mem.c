/*
** mem.c - the budget: blocks with a header of 16 bytes that is charged too.
**
** Threads charge at the same time, so a charge is added first and taken back
** when it passes the limit.  `holders` counts the owner and every live block;
** the last of them frees the PqMem, so a block may outlive its owner.  Large
** blocks that are freed go to a list (free_blocks.h) and are taken from there.
*/
#define _DEFAULT_SOURCE                /* MADV_HUGEPAGE */
#include "core/base/mem.h"

#include "core/base/bytes.h"
#include "core/base/free_blocks.h"
#include "core/base/raw_block.h"
#include "core/base/secret.h"
#include "core/base/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4 };             /* elements of an array that grows     */

struct PqMem {
    _Atomic size_t used, peak, limit;
    _Atomic size_t holders;          /* the owner, and every live block */
    bool           secret;
    bool           of_malloc;        /* new blocks are of malloc            */
};

typedef struct Block {
    PqMem   *mem;
    uint64_t n;                      /* as asked for; MAPPED; and FRESH     */
} Block;

/* The block is mapped (raw_block.h), and for it alone: its bytes are zero. */
#define MAPPED ((uint64_t)1 << 63)
#define FRESH  ((uint64_t)1 << 62)

static inline size_t bytes_of(const Block *b)
{
    return (size_t)(b->n & ~(MAPPED | FRESH));
}

_Static_assert(sizeof(Block) == PQ_MEM_HEADER, "keeps malloc's alignment");
_Static_assert(sizeof(Block) == PQ_RAW_HEADER, "arrays begin where huge pages do");

static _Atomic int64_t fault_at;     /* 0: never */
static _Atomic int64_t fault_seen;

void pq_fault_set(int64_t nth)
{
    fault_seen = 0;
    fault_at = nth;
}

int64_t pq_fault_count(void)
{
    return fault_seen;
}

bool pq_fault_here(void)
{
    if (PQ_LIKELY(fault_at == 0)) {
        return false;
    }
    return atomic_fetch_add(&fault_seen, 1) + 1 == fault_at;
}

bool pq_fault_io(void)
{
    bool here = pq_fault_here();

    errno = here ? EIO : errno;
    return here;
}

/* A shelf would hide a use after free from a sanitizer.  Advice comes before the header:
** once there is a small page, the system makes no huge one in its place.  An aligned block
** was made with it. */
static Block *take(const PqMem *m, size_t n, bool fills)
{
    bool mapped = false;
    Block *b = PQ_MEMORY_IS_WATCHED ? NULL : pq_free_blocks_take(n, &mapped);
    bool fresh = b == NULL;

    b = b              ? b
        : m->of_malloc ? malloc(n)
        : fills        ? pq_raw_new_aligned(n, &mapped)
                       : pq_raw_new(n, &mapped);
    if (fills && mapped && !fresh) {
        pq_mem_will_fill(b, n);
    }
    if (b) {
        b->n = !mapped ? 0 : fresh ? MAPPED | FRESH : MAPPED;
    }
    return b;
}

static void give_back(Block *b, size_t n)
{
    bool mapped = b->n & MAPPED;

    if (PQ_MEMORY_IS_WATCHED || !pq_free_blocks_put(b, n, mapped)) {
        pq_raw_free(b, n, mapped);
    }
}

PqMem *pq_mem_new(size_t limit)
{
    PqMem *m = pq_fault_here() ? NULL : calloc(1, sizeof *m);

    if (m) {
        m->limit = limit;
        m->holders = 1;
    }
    return m;
}

PqMem *pq_mem_new_secret(size_t limit)
{
    PqMem *m = pq_mem_new(limit);

    if (m) {
        m->secret = true;
    }
    return m;
}

void pq_mem_use_malloc(PqMem *m)
{
    m->of_malloc = true;
}

static void let_go(PqMem *m)
{
    if (atomic_fetch_sub(&m->holders, 1) == 1) {
        free(m);
    }
}

void pq_mem_release(PqMem *m)
{
    if (m) {
        let_go(m);
    }
}

/* Charges n more bytes, or does nothing. */
static bool charge(PqMem *m, size_t n)
{
    size_t used = atomic_fetch_add(&m->used, n) + n;
    size_t peak = m->peak;

    if (used < n || used > m->limit) {
        atomic_fetch_sub(&m->used, n);
        return false;
    }
    while (used > peak &&
           !atomic_compare_exchange_weak(&m->peak, &peak, used)) {
    }
    return true;
}

/* `fills`: all bytes will be written soon. */
static void *alloc(PqMem *m, size_t n, bool fills)
{
    Block *b = NULL;

    if (n >= SIZE_MAX / 2 || !charge(m, n + sizeof *b)) {
        return NULL;
    }
    b = pq_fault_here() ? NULL
        : m->secret     ? pq_secret_map(n + sizeof *b)
                        : take(m, n + sizeof *b, fills);
    if (!b) {
        atomic_fetch_sub(&m->used, n + sizeof *b);
        return NULL;
    }
    b->mem = m;
    b->n |= n;
    atomic_fetch_add(&m->holders, 1);
    return b + 1;
}

void *pq_mem_lib_alloc(void *mem, size_t n)
{
    return alloc(mem, n, false);
}

void pq_mem_free(void *p)
{
    Block *b;
    PqMem *m;
    size_t n;

    if (!p) {
        return;
    }
    b = (Block *)p - 1;
    m = b->mem;
    n = bytes_of(b) + sizeof *b;
    atomic_fetch_sub(&m->used, n);
    if (m->secret) {
        pq_secret_unmap(b, n);
    } else {
        give_back(b, n);
    }
    let_go(m);
}

/* Says whether it was the budget or the host that had no memory. */
static PqRc refuse(PqMem *m, size_t n, PqErr *e)
{
    size_t used = m->used, limit = m->limit;

    if (n >= limit || used + sizeof(Block) > limit - n) {
        return pq_fail(e, PQ_BUDGET,
                       "needs %zu bytes more, %zu are in use and memory=%zu "
                       "allows no more; raise the option memory",
                       n, used, limit);
    }
    return pq_fail(e, PQ_NOMEM, "out of memory (%zu bytes)", n);
}

static void *alloc_or_refuse(PqMem *m, size_t n, bool fills, PqErr *e)
{
    void *p = alloc(m, n, fills);

    if (PQ_UNLIKELY(!p)) {
        refuse(m, n, e);
    }
    return p;
}

void *pq_mem_alloc(PqMem *m, size_t n, PqErr *e)
{
    return alloc_or_refuse(m, n, false, e);
}

void *pq_mem_array(PqMem *m, size_t count, size_t size, PqErr *e)
{
    if (size && count > SIZE_MAX / 2 / size) {
        refuse(m, SIZE_MAX / 2, e);
        return NULL;
    }
    return alloc_or_refuse(m, count * size, true, e);
}

static bool is_fresh(const void *p)
{
    return ((const Block *)p - 1)->n & FRESH;
}

void *pq_mem_zeros(PqMem *m, size_t count, size_t size, PqErr *e)
{
    void *p = pq_mem_array(m, count, size, e);

    if (p && !is_fresh(p)) {
        memset(p, 0, count * size);
    }
    return p;
}

void *pq_mem_filled(PqMem *m, size_t count, size_t size, int byte,
                    const PqStop *stop, PqErr *e)
{
    void *p = pq_mem_array(m, count, size, e);

    if (!p) {
        return NULL;
    }
    if ((byte != 0 || !is_fresh(p)) &&
        pq_stop_fill(stop, p, byte, count * size, e) != PQ_OK) {
        pq_mem_free(p);
        return NULL;
    }
    return p;
}

/* Copies into another block.  NULL: the two do not fit into memory. */
static void *move(PqMem *m, void *p, size_t old, size_t n)
{
    void *moved = alloc(m, n, true);

    if (moved) {
        memcpy(moved, p, n < old ? n : old);
        pq_mem_free(p);
    }
    return moved;
}

/* A block that has to be mapped now: perhaps there is a free one. */
static Block *map(Block *b, size_t had, size_t n, bool fills, bool *mapped)
{
    Block *to = take(b->mem, n, fills);

    if (to) {
        *mapped = to->n & MAPPED;
        memcpy(to, b, had);
        give_back(b, had);
    }
    return to;
}

/* Nothing of a secret is left in the old place.  An array that has small pages where it
** could have a huge one is copied, once in its life. */
static void *resize(PqMem *m, void *p, size_t n, bool fills, PqErr *e)
{
    Block *b, *moved;
    bool mapped;
    size_t old;
    void *elsewhere;

    if (!p) {
        return alloc_or_refuse(m, n, fills, e);
    }
    b = (Block *)p - 1;
    old = bytes_of(b);
    mapped = b->n & MAPPED;
    if (m->secret || (fills && !m->of_malloc && old < PQ_HUGE_PAGE && n >= PQ_HUGE_PAGE)) {
        elsewhere = move(m, p, old, n);
        if (m->secret && !elsewhere) {
            refuse(m, n, e);
        }
        if (m->secret || elsewhere) {
            return elsewhere;
        }
    }
    if (n > old && (n >= SIZE_MAX / 2 || !charge(m, n - old))) {
        refuse(m, n - old, e);
        return NULL;
    }
    moved = pq_fault_here() ? NULL
            : mapped || n <= old
                ? pq_raw_resize(b, old + sizeof *b, n + sizeof *b, &mapped)
            : n < PQ_RAW_MAPPED || m->of_malloc
                ? realloc(b, n + sizeof *b)
                : map(b, old + sizeof *b, n + sizeof *b, fills, &mapped);
    if (!moved) {
        if (n > old) {
            atomic_fetch_sub(&m->used, n - old);
        }
        pq_fail(e, PQ_NOMEM, "out of memory (%zu bytes)", n);
        return NULL;
    }
    if (n < old) {
        atomic_fetch_sub(&m->used, old - n);
    }
    moved->n = n | (mapped ? MAPPED : 0);
    return moved + 1;
}

void *pq_mem_resize(PqMem *m, void *p, size_t n, PqErr *e)
{
    return resize(m, p, n, false, e);
}

PqRc pq_mem_new_budget(size_t limit, void *v, size_t size, size_t at, PqErr *e)
{
    PqMem *m = pq_mem_new(limit);
    char *p = m ? pq_mem_zeros(m, 1, size, e) : NULL;

    memcpy(v, &p, sizeof p);
    if (p) {
        memcpy(p + at, &m, sizeof m);
    }
    pq_mem_release(m);
    return p ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory");
}

PqRc pq_mem_new_array(PqMem *m, void *v, size_t count, size_t size, PqErr *e)
{
    void *p = pq_mem_zeros(m, count, size, e);

    memcpy(v, &p, sizeof p);         /* a pointer to whatever, as its bytes */
    return p ? PQ_OK : e->rc;
}

PqRc pq_mem_room(PqMem *m, void *v, size_t *room, size_t count, size_t size,
                 PqErr *e)
{
    void *old, *none = NULL;

    memcpy(&old, v, sizeof old);
    pq_mem_free(old);
    memcpy(v, &none, sizeof none);
    *room = 0;
    PQ_TRY(pq_mem_resize_array(m, v, count, size, e));
    *room = count;
    return PQ_OK;
}

PqRc pq_mem_resize_array(PqMem *m, void *v, size_t count, size_t size, PqErr *e)
{
    void *p;

    if (size && count > SIZE_MAX / 2 / size) {
        return refuse(m, SIZE_MAX / 2, e);
    }
    memcpy(&p, v, sizeof p);
    p = resize(m, p, count * size, true, e);
    if (!p) {
        return e->rc;
    }
    memcpy(v, &p, sizeof p);
    return PQ_OK;
}

PqRc pq_mem_grow_array(PqMem *m, void *v, uint32_t *room, size_t size, PqErr *e)
{
    uint32_t more = *room ? *room * 2 : FIRST_ROOM;

    if (*room > UINT32_MAX / 2) {
        return refuse(m, SIZE_MAX / 2, e);
    }
    PQ_TRY(pq_mem_resize_array(m, v, more, size, e));
    *room = more;
    return PQ_OK;
}

char *pq_mem_text(PqMem *m, const void *p, size_t n, PqErr *e)
{
    char *copy = n == SIZE_MAX ? NULL : pq_mem_alloc(m, n + 1, e);

    if (copy) {
        pq_bytes_copy(copy, p, n);
        copy[n] = 0;
    }
    return copy;
}

size_t pq_mem_used(const PqMem *m)
{
    return m->used;
}

size_t pq_mem_peak(const PqMem *m)
{
    return m->peak;
}

size_t pq_mem_limit(const PqMem *m)
{
    return m->limit;
}

void pq_mem_set_limit(PqMem *m, size_t limit)
{
    m->limit = limit;
}

/* Asks only if a huge page lies wholly between p and p + n, so that no memory outside of
** these bytes is taken.  The end is in the advice, so that a block stays one mapping. */
void pq_mem_will_fill(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    size_t before = -(uintptr_t)p % PQ_HUGE_PAGE;

    if (n >= before + PQ_HUGE_PAGE) {
        (void)madvise((char *)p + before, n - before, MADV_HUGEPAGE);
    }
#endif
}
