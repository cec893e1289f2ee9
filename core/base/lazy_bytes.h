/*
** lazy_bytes.h - bytes that are produced when they are needed.
**
** A large page is not decompressed at once.  A reader says how far it wants to
** read, and more() produces the bytes up to there.  The place and the number of
** the bytes are known from the start, so pointers into them stay valid.
**
**   begin               here                   end
**   [ there ........... | not there yet ........ ]
**                              ^ want(.., up to here): more() is called
**
** Nobody may write to these bytes before all of them are there, because a
** decompressor copies later bytes from earlier ones.
*/
#ifndef PQ_LAZY_BYTES_H
#define PQ_LAZY_BYTES_H

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct PqLazyBytes PqLazyBytes;

struct PqLazyBytes {
    uint8_t *begin, *here, *end;
    /* Produces bytes until the first n are there; here is before that.  After a
    ** failure it must not be called again. */
    PqRc (*more)(PqLazyBytes *a, size_t n, PqErr *e);
};

/* Makes sure that n bytes from p on are there, or all up to end.  p lies
** between begin and end.  When a is NULL, all bytes are there already. */
static inline PqRc pq_lazy_bytes_want(PqLazyBytes *a, const uint8_t *p, size_t n,
                                      PqErr *e)
{
    if (PQ_LIKELY(!a)) {
        return PQ_OK;
    }
    if (n > (size_t)(a->end - p)) {
        n = (size_t)(a->end - p);
    }
    return PQ_LIKELY((ptrdiff_t)n <= a->here - p)
               ? PQ_OK
               : a->more(a, (size_t)(p - a->begin) + n, e);
}

static inline bool pq_lazy_bytes_is_over(const PqLazyBytes *a)
{
    return !a || a->here == a->end;
}

#endif
