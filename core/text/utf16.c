/*
** utf16.c - see utf16.h.
**
** Bytes that are not valid UTF-8 become what SQLite makes of them (its
** READ_UTF8 and WRITE_UTF16).  That is not always U+FFFD: a lone 0x80 becomes
** U+0080, the bytes F4 90 80 80 become U+10000, and U+FFFF becomes U+FFFD.
*/
#include "core/text/utf16.h"

#include "core/text/utf8.h"

enum { REPLACEMENT = 0xfffd, SURROGATES = 0xd800, LOW = 0xdc00, PLANE = 0x10000 };

/* The bits of a character that its first byte has, which is at least 0xc0. */
static uint32_t first_bits(uint8_t first)
{
    return first < 0xe0   ? first & 0x1fu
           : first < 0xf0 ? first & 0x0fu
           : first < 0xf8 ? first & 0x07u
           : first < 0xfc ? first & 0x03u
           : first < 0xfe ? first & 0x01u : 0;
}

/* The character at *i.  Moves *i past it and past all bytes that continue
** it. */
static uint32_t take_utf8(PqSlice s, size_t *i)
{
    uint8_t first = s.p[(*i)++];
    uint32_t c;

    if (first < 0xc0) {
        return first;
    }
    c = first_bits(first);
    while (*i < s.n && (s.p[*i] & 0xc0) == 0x80) {
        c = c << 6 | (s.p[(*i)++] & 0x3f);
    }
    if (c < 0x80 || (c & 0xfffff800) == SURROGATES ||
        (c & 0xfffffffe) == 0xfffe) {
        return REPLACEMENT;
    }
    return c < PLANE ? c : PLANE + ((c - PLANE) & 0xfffff);
}

static void put_unit(uint32_t unit, bool big, PqBuf *out)
{
    uint8_t low = (uint8_t)unit, high = (uint8_t)(unit >> 8);

    pq_buf_byte(out, big ? high : low);
    pq_buf_byte(out, big ? low : high);
}

void pq_utf16_encode(PqSlice text, bool big, PqBuf *out)
{
    for (size_t i = 0; i < text.n;) {
        uint32_t c = take_utf8(text, &i);

        if (c >= PLANE) {
            put_unit(SURROGATES + ((c - PLANE) >> 10), big, out);
            c = LOW + ((c - PLANE) & 0x3ff);
        }
        put_unit(c, big, out);
    }
}

static uint32_t unit_at(PqSlice s, size_t i, bool big)
{
    return big ? (uint32_t)s.p[i] << 8 | s.p[i + 1]
               : (uint32_t)s.p[i + 1] << 8 | s.p[i];
}

static void put_utf8(uint32_t c, PqBuf *out)
{
    uint8_t text[4];

    pq_buf_add(out, text, pq_utf8_put(c, text));
}

void pq_utf16_decode(PqSlice units, bool big, PqBuf *out)
{
    for (size_t i = 0; i + 1 < units.n; i += 2) {
        uint32_t c = unit_at(units, i, big);

        if (c >= SURROGATES && c < LOW && i + 3 < units.n) {
            uint32_t low = unit_at(units, i + 2, big);

            c = PLANE + ((c - SURROGATES) << 10) + (low - LOW);
            i += 2;
        }
        put_utf8(c, out);
    }
}

void pq_utf16_kept(PqSlice text, PqBuf *out)
{
    for (size_t i = 0; i < text.n;) {
        put_utf8(take_utf8(text, &i), out);
    }
}
