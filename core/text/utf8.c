/*
** utf8.c - most text is ASCII, so sixteen bytes of that are one step.
*/
#include "core/text/utf8.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

bool pq_utf8_valid(PqSlice s)
{
    const uint8_t *p = s.p, *end = s.n ? s.p + s.n : s.p;

    while (p < end) {
        bool good;
        if (end - p >= 16 &&
            !((pq_load_u64(p) | pq_load_u64(p + 8)) & HIGH_BITS)) {
            p += 16;
            continue;
        }
        do {
            p += pq_utf8_step(p, end, &good);
            if (!good) {
                return false;
            }
        } while (p < end && *p >= 0x80);
    }
    return true;
}
