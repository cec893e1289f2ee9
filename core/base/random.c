/*
** random.c - random bytes from getrandom.
**
** After boot it always has some, so this never blocks.  A call may be
** interrupted, or give fewer bytes than asked for; then it is repeated.
*/
#define _GNU_SOURCE
#include "core/base/random.h"

#include "core/base/mem.h"
#include "core/base/system.h"

#include <errno.h>
#include <string.h>

PqRc pq_random_fill(void *p, size_t n, PqErr *e)
{
    uint8_t *to = p;

    while (n) {
        ssize_t got = pq_fault_io() ? -1 : getrandom(to, n, 0);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return pq_fail_system(e, "no random bytes", errno);
        }
        to += got;
        n -= (size_t)got;
    }
    return PQ_OK;
}
