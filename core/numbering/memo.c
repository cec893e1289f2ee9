/*
** memo.c - see memo.h.
*/
#include "core/numbering/memo.h"

PqRc pq_memo_enter(PqMemo *m, PqMem *mem, uint64_t serial, uint32_t n,
                   size_t width, bool *fresh, PqErr *e)
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
