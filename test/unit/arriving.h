/*
** arriving.h - a page whose bytes arrive only when they are wanted.  Before
** that they are random.  Until all bytes are there, those that have arrived
** must not be changed.
*/
#ifndef ARRIVING_H
#define ARRIVING_H

#include "core/base/lazy_bytes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Arriving {
    PqLazyBytes bytes;
    PqSlice   from;                  /* the whole page                      */
    size_t    more;                  /* come beyond those that are wanted   */
    bool      passes;                /* over bytes that are not wanted      */
    int       asked;
} Arriving;

static inline bool arriving_same(const PqLazyBytes *b, PqSlice from, const uint8_t *p,
                                 const uint8_t *end)
{
    return p == end || memcmp(p, from.p + (p - b->begin), (size_t)(end - p)) == 0;
}

static inline PqRc arriving_more(PqLazyBytes *b, size_t n, PqErr *e)
{
    Arriving *a = (Arriving *)(void *)b;
    size_t wanted_from = (size_t)(b->from - b->begin), here = (size_t)(b->here - b->begin);
    bool in_gap = b->gap && b->from < b->gap_end;

    if ((n <= here && !in_gap) || n > a->from.n || wanted_from > n ||
        !arriving_same(b, a->from, b->begin, b->gap ? b->gap : b->here) ||
        (b->gap && !arriving_same(b, a->from, b->gap_end, b->here))) {
        abort();                     /* nothing new, or it was written to   */
    }
    a->asked++;
    if (in_gap) {                    /* the page comes whole                */
        b->gap = b->gap_end = NULL;
        here = 0;
        n = a->from.n;
    } else if (a->passes && wanted_from > here) {
        b->gap = b->gap ? b->gap : b->here;
        b->gap_end = b->begin + wanted_from;
        here = wanted_from;
    }
    n = a->from.n - n < a->more ? a->from.n : n + a->more;
    memcpy(b->begin + here, a->from.p + here, n - here);
    b->here = b->begin + n;
    return PQ_OK;
}

/* page has room for from. */
static inline void arriving_begin(Arriving *a, uint8_t *page, PqSlice from,
                                  size_t more, bool passes)
{
    *a = (Arriving){.bytes = {.begin = page, .here = page, .end = page + from.n,
                              .more = arriving_more},
                    .from = from, .more = more, .passes = passes};
    if (from.n) {
        memset(page, 0xa5, from.n);
    }
}

#endif
