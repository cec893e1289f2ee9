/*
** hex_parse.c - parses hex digits and UUIDs.
**
** There is no branch per digit: an invalid digit sets bits above the byte,
** which are collected and tested once at the end.
*/
#include "core/text/parse.h"

enum { ODD = 0x100 };

/* The value of a hex digit plus one; 0: it is not one.  Digits and letters mix
** at random in a UUID, so a branch would cost more than this table. */
static const uint8_t digit_of[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

/* The value of a digit; more than a byte if it is invalid. */
static inline unsigned nibble(uint8_t c)
{
    return digit_of[c] - 1u;
}

/* The byte of two digits; more than a byte if one is invalid. */
static inline unsigned pair(const uint8_t *p)
{
    return nibble(p[0]) << 4 | nibble(p[1]);
}

PqParse pq_hex_parse(PqSlice text, uint8_t *out)
{
    unsigned bad = text.n & 1 ? ODD : 0;

    for (size_t i = 0; i < text.n / 2; i++) {
        unsigned v = pair(text.p + 2 * i);

        bad |= v;
        out[i] = (uint8_t)v;
    }
    return bad > 0xff ? PQ_PARSE_NOT : PQ_PARSE_OK;
}

PqParse pq_uuid_parse(PqSlice text, uint8_t out[16])
{
    PqSlice s = pq_parse_trim(text);
    unsigned bad = 0;
    size_t at = 0;

    if (s.n >= 2 && s.p[0] == '{' && s.p[s.n - 1] == '}') {
        s = pq_slice(s.p + 1, s.n - 2);
    }
    for (size_t i = 0; i < 16; i++, at += 2) {
        unsigned v;

        at += i && i % 2 == 0 && at < s.n && s.p[at] == '-';
        if (s.n < at + 2) {
            return PQ_PARSE_NOT;
        }
        v = pair(s.p + at);
        bad |= v;
        out[i] = (uint8_t)v;
    }
    return bad <= 0xff && at == s.n ? PQ_PARSE_OK : PQ_PARSE_NOT;
}
