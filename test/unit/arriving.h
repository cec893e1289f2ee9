/*
** arriving.h - a page whose bytes arrive only when they are wanted.  Before
** that they are random.  Until all bytes are there, those that have arrived
** must not be changed.
*/
#ifndef ARRIVING_H
#define ARRIVING_H

#include "core/base/lazy_bytes.h"
#include "test/unit/test.h"

#include <stdlib.h>

typedef struct Arriving {
    PqLazyBytes bytes;
    PqSlice   from;                  /* the whole page                      */
    size_t    more;                  /* come beyond those that are wanted   */
    int       asked;
} Arriving;

static inline PqRc arriving_more(PqLazyBytes *bytes, size_t n, PqErr *e)
{
    Arriving *a = (Arriving *)(void *)bytes;
    size_t here = (size_t)(bytes->here - bytes->begin);

    if (n <= here || n > a->from.n ||
        memcmp(bytes->begin, a->from.p, here) != 0) {
        abort();                     /* nothing new, or it was written to   */
    }
    a->asked++;
    n = a->from.n - n < a->more ? a->from.n : n + a->more;
    memcpy(bytes->here, a->from.p + here, n - here);
    bytes->here = bytes->begin + n;
    return PQ_OK;
}

/* page has room for from. */
static inline void arriving_begin(Arriving *a, uint8_t *page, PqSlice from,
                                  size_t more)
{
    *a = (Arriving){.bytes = {page, page, page + from.n, arriving_more},
                    .from = from, .more = more};
    if (from.n) {
        memset(page, 0xa5, from.n);
    }
}

#endif
