/*
** memo.h - keeps an answer for each entry of a dictionary.
**
** Rows have ids of entries.  So a question about a value is asked once per
** entry.  The answers are kept in an array by id until another dictionary
** comes.  Serials of dictionaries are unique in a process (vector.h).
*/
#ifndef PQ_MEMO_H
#define PQ_MEMO_H

#include "core/base/mem.h"

typedef struct PqMemo {
    void    *v;                      /* by id                               */
    uint32_t n, room;                /* entries                             */
    uint64_t serial;                 /* of the dictionary; 0: none          */
} PqMemo;

static inline void pq_memo_forget(PqMemo *m)
{
    m->serial = 0;
}

static inline void pq_memo_free(PqMemo *m)
{
    pq_mem_free(m->v);
    *m = (PqMemo){0};
}

static inline bool pq_memo_is_of(const PqMemo *m, uint64_t serial, uint32_t n)
{
    return m->serial == serial && serial != 0 && m->n == n;
}

/* Makes room for n entries of `width` bytes, unless the memo belongs to this
** dictionary already.  *fresh: it did not.  Then the caller fills it, and sets
** its serial. */
static inline PqRc pq_memo_enter(PqMemo *m, PqMem *mem, uint64_t serial,
                                 uint32_t n, size_t width, bool *fresh,
                                 PqErr *e)
{
    *fresh = !pq_memo_is_of(m, serial, n);
    if (!*fresh) {
        return PQ_OK;
    }
    m->serial = 0;
    if (n > m->room) {
        PQ_TRY(pq_mem_resize_array(mem, &m->v, n, width, e));
        m->room = n;
    }
    m->n = n;
    return PQ_OK;
}

#endif
