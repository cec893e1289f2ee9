/*
** utf8.h - is a text UTF-8, and the steps from character to character.
**
**   lead     second   more          what the bounds exclude
**   00..7f
**   c2..df   80..bf                 c0, c1: overlong
**   e0       a0..bf   80..bf        overlong
**   e1..ec   80..bf   80..bf
**   ed       80..9f   80..bf        surrogates
**   ee..ef   80..bf   80..bf
**   f0       90..bf   80..bf twice  overlong
**   f1..f3   80..bf   80..bf twice
**   f4       80..8f   80..bf twice  beyond U+10FFFF
*/
#ifndef PQ_UTF8_H
#define PQ_UTF8_H

#include "core/base/arena.h"

/* Is s well-formed UTF-8 (no surrogates, no overlong forms)? */
bool pq_utf8_valid(PqSlice s);

/* Writes s as well-formed UTF-8: each maximal ill-formed prefix becomes U+FFFD.
** Returns the new length; out has room for three times s.n. */
size_t pq_utf8_mend(PqSlice s, uint8_t *out);

/* The same in the arena, followed by a NUL; NULL: e says why. */
char *pq_utf8_text(PqArena *a, PqSlice s, PqErr *e);

/* Writes the character c, at most four bytes; returns its length. */
static inline size_t pq_utf8_put(uint32_t c, uint8_t *to)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    uint32_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    size_t n = more + 1;

    *to++ = (uint8_t)(first[more] | c >> 6 * more);
    while (more-- > 0) {
        *to++ = (uint8_t)(0x80 | (c >> 6 * more & 0x3f));
    }
    return n;
}

/* The length of the character at p; or, if *good is false, of the maximal
** ill-formed prefix there, at least 1.  p < end. */
static inline size_t pq_utf8_step(const uint8_t *p, const uint8_t *end,
                                  bool *good)
{
    uint8_t lead = p[0], low = 0x80, high = 0xbf;
    size_t want, n;

    *good = lead < 0x80;
    if (lead < 0xc2 || lead > 0xf4) {
        return 1;
    }
    want = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : low;
    high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : high;
    for (n = 1; n < want && p + n < end; n++) {
        if (p[n] < low || p[n] > high) {
            return n;
        }
        low = 0x80;
        high = 0xbf;
    }
    *good = n == want;
    return n;
}

#endif
