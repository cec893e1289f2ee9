/*
** arrival.h - bytes that come as they are wanted.
**
** A large page is not unpacked in one go: whoever reads it says how far, and
** is told when that much is there.  Where the bytes will lie, and how many they
** will be, is known from the beginning, so that pointers into them stay.
**
**   begin               here                   end
**   [ there ........... | not there yet ........ ]
**                              ^ want(.., up to here): more() is called
**
** What is there must not be written to before all is: what comes may be copied
** from what came before.
*/
#ifndef PQ_ARRIVAL_H
#define PQ_ARRIVAL_H

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct PqArrival PqArrival;

struct PqArrival {
    uint8_t *begin, *here, *end;
    /* Makes the first n bytes be there, of which some are not.  After a failure
    ** there is no more. */
    PqRc (*more)(PqArrival *a, size_t n, PqErr *e);
};

/* n bytes from p on are wanted, or as many as there will be.  a may be NULL:
** all bytes are there.  p lies between begin and end. */
static inline PqRc pq_arrival_want(PqArrival *a, const uint8_t *p, size_t n,
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

static inline bool pq_arrival_is_over(const PqArrival *a)
{
    return !a || a->here == a->end;
}

#endif
