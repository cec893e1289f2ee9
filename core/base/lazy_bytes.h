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
** Bytes between those that were wanted may be passed over.  What lies in the gap is not
** there, although more bytes after it are; more() is called if it is wanted after all.
**
**   begin     gap          gap_end   here      end
**   [ there . | passed over | there . | not yet  ]
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
    /* Produces bytes until those from `from` to the n-th are there; some of them are
    ** not.  After a failure it must not be called again. */
    PqRc (*more)(PqLazyBytes *a, size_t n, PqErr *e);
    const uint8_t *from;
    uint8_t *gap, *gap_end;          /* NULL: there is none                  */
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
    if (PQ_LIKELY((ptrdiff_t)n <= a->here - p) &&
        (!a->gap || p >= a->gap_end || (ptrdiff_t)n <= a->gap - p)) {
        return PQ_OK;
    }
    a->from = p;
    return a->more(a, (size_t)(p - a->begin) + n, e);
}

static inline bool pq_lazy_bytes_is_over(const PqLazyBytes *a)
{
    return !a || (a->here == a->end && !a->gap);
}

#endif
