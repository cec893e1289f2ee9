/*
** mem.h - memory with a budget.
**
** Every allocation of the engine is charged to a PqMem: a number that may not
** pass its limit.  A scan has one, a connection's cache has another.  So "no
** allocation beyond memory=" is a property of this file and not of the care
** taken everywhere else, and a test that fails the n-th allocation needs one
** hook.
**
**   block:  [ owner | size | ... bytes handed out ... ]     16 bytes before
**
** A block knows its owner, so freeing needs no context, and a PqMem lives until
** its last block is gone.  SQLite may hold on to a text value, and to the page
** it lies in, after the cursor that produced it was closed.  Safe from several
** threads at once.
*/
#ifndef PQ_MEM_H
#define PQ_MEM_H

#include "core/base/stop.h"

typedef struct PqMem PqMem;

enum { PQ_MEM_HEADER = 16 };

/* The limit that a user names, who may have written it for a larger machine: 4 GB are
** more than 32 bits hold, and then everything is allowed. */
static inline size_t pq_mem_limit_of(int64_t bytes)
{
    return (uint64_t)bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* A new budget of limit bytes.  NULL when the host has no memory. */
PqMem *pq_mem_new(size_t limit);

/* A budget for secrets: each block has pages of its own that core dumps leave out
** (secret.h), and is wiped when it is freed. */
PqMem *pq_mem_new_secret(size_t limit);

/* The large blocks of this budget are freed together, and then needed again.  So from now on
** they are of malloc, which keeps their pages, or free ones that are at hand.  Where blocks live
** apart malloc keeps too many (raw_block.h). */
void pq_mem_use_malloc(PqMem *m);

/* The owner lets go.  What is allocated stays until it is freed. */
void pq_mem_release(PqMem *m);

/* v, a pointer, becomes a struct of zeros with a budget of its own, which is its member mem.
** The blocks in it hold the budget, the struct among them: nobody has to release it. */
#define PQ_NEW_BUDGET(limit, v, e) \
    pq_mem_new_budget(limit, &(v), sizeof *(v), offsetof(__typeof__(*(v)), mem), e)
PqRc pq_mem_new_budget(size_t limit, void *v, size_t size, size_t at, PqErr *e);

/* n bytes, not initialised; n may be 0.  NULL and an error when the budget or
** the host has none. */
void *pq_mem_alloc(PqMem *m, size_t n, PqErr *e);

/* count * size bytes of zeros; the product is checked. */
void *pq_mem_zeros(PqMem *m, size_t count, size_t size, PqErr *e);

/* ... filled with a byte, in steps: large memory that is touched for the first time
** is slow.  stop may be NULL. */
void *pq_mem_filled(PqMem *m, size_t count, size_t size, int byte,
                    const PqStop *stop, PqErr *e);

/* count * size bytes, not initialised; the product is checked.  Arrays are filled, so
** large ones lie in huge pages (pq_mem_will_fill), also those that grow. */
void *pq_mem_array(PqMem *m, size_t count, size_t size, PqErr *e);

/* p (or NULL) with room for n bytes; on failure p is as it was. */
void *pq_mem_resize(PqMem *m, void *p, size_t n, PqErr *e);

/* v, a pointer, becomes an array of count zeros of its type; NULL if it
** fails. */
#define PQ_NEW(m, v, count, e) pq_mem_new_array(m, &(v), count, sizeof *(v), e)

/* ... whose elements are not initialised. */
#define PQ_ARRAY(m, v, count, e) ((v) = NULL, PQ_RESIZE(m, v, count, e))

/* An array that grows.  v is the pointer to its elements, NULL at first.
** PQ_RESIZE gives it room for count elements; PQ_GROW gives it room for one more
** than n, and doubles room, a uint32_t, when there is none.  The products are
** checked; on failure v and room are unchanged. */
#define PQ_RESIZE(m, v, count, e) \
    pq_mem_resize_array(m, &(v), count, sizeof *(v), e)
#define PQ_GROW(m, v, n, room, e)      \
    ((n) < (room) ? PQ_OK              \
                  : pq_mem_grow_array(m, &(v), &(room), sizeof *(v), e))

/* Gives v, an array that is used again and again, room for count elements.
** What it held is lost.  room is a size_t; both are 0 at first, and after a
** failure. */
#define PQ_ROOM(m, v, count, room, e) \
    ((count) <= (room) ? PQ_OK \
                       : pq_mem_room(m, &(v), &(room), count, sizeof *(v), e))

/* Behind the macros: v is the address of the pointer. */
PqRc pq_mem_new_array(PqMem *m, void *v, size_t count, size_t size, PqErr *e);
PqRc pq_mem_resize_array(PqMem *m, void *v, size_t count, size_t size,
                         PqErr *e);
PqRc pq_mem_grow_array(PqMem *m, void *v, uint32_t *room, size_t size,
                       PqErr *e);
PqRc pq_mem_room(PqMem *m, void *v, size_t *room, size_t count, size_t size,
                 PqErr *e);

/* A copy of n bytes, with a NUL after them. */
char *pq_mem_text(PqMem *m, const void *p, size_t n, PqErr *e);

/* All n bytes at p will be written soon.  The system then gives new memory in
** pages of 2 MB, if it has such pages.  DuckDB writes pages of 9 MB: 2,300 page
** faults would take longer than decoding one. */
void pq_mem_will_fill(void *p, size_t n);

/* p may be NULL. */
void pq_mem_free(void *p);

size_t pq_mem_used(const PqMem *m);
size_t pq_mem_peak(const PqMem *m);
size_t pq_mem_limit(const PqMem *m);
void   pq_mem_set_limit(PqMem *m, size_t limit);

/* For libraries that take an allocator: opaque is the PqMem.  They report
** failure in their own way, so there is no PqErr, only NULL. */
void *pq_mem_lib_alloc(void *mem, size_t n);

/* Test hook, 0 = off: the n-th allocation or read from now on fails, once.
** pq_fault_count tells how many fault points were passed since it was set. */
void    pq_fault_set(int64_t nth);
int64_t pq_fault_count(void);
bool    pq_fault_here(void);
bool    pq_fault_io(void);           /* ... and sets errno to EIO */

#endif
