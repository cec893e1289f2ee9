/*
** utf8.c - checks UTF-8, and replaces what is malformed.
**
** Most text is ASCII, so sixteen ASCII bytes are one step.  What counts as one
** malformed piece is decided by pq_utf8_step alone, so that all printers put
** U+FFFD in the same places.
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

size_t pq_utf8_mend(PqSlice s, uint8_t *out)
{
    const uint8_t *p = s.p, *end = s.n ? s.p + s.n : s.p;
    uint8_t *to = out;

    while (p < end) {
        bool good;
        size_t n = pq_utf8_step(p, end, &good);

        memcpy(to, good ? p : (const uint8_t *)"\xef\xbf\xbd", good ? n : 3);
        to += good ? n : 3;
        p += n;
    }
    return (size_t)(to - out);
}

char *pq_utf8_text(PqArena *a, PqSlice s, PqErr *e)
{
    uint8_t *text;

    if (pq_utf8_valid(s)) {
        return pq_arena_text(a, s.p, s.n, e);
    }
    text = pq_arena_bytes(a, s.n * 3 + 1, e);
    if (text) {
        text[pq_utf8_mend(s, text)] = 0;
    }
    return (char *)text;
}
