/*
** parse.h - the result of parsing a value, and what is parsed in many places:
** blanks, words, hex digits.
*/
#ifndef PQ_PARSE_H
#define PQ_PARSE_H

#include "core/base/ascii.h"
#include "core/base/bytes.h"

typedef enum PqParse {
    PQ_PARSE_OK,
    PQ_PARSE_NOT,                    /* the text is not such a value         */
    PQ_PARSE_RANGE,                  /* it is one, but too large or small    */
    PQ_PARSE_FINER                   /* it has more digits than can be kept  */
} PqParse;

/* Without leading and trailing blanks. */
static inline PqSlice pq_parse_trim(PqSlice s)
{
    while (s.n && pq_ascii_is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && pq_ascii_is_blank(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

/* Is s this word?  The case does not matter. */
static inline bool pq_parse_is_word(PqSlice s, const char *word)
{
    return pq_ascii_compare(s.p, s.n, word) == 0;
}

/* Two hex digits of either case per byte and nothing else; writes text.n / 2
** bytes. */
PqParse pq_hex_parse(PqSlice text, uint8_t *out);

/* 32 hex digits.  Braces around them are optional, and so is a hyphen after
** every four digits. */
PqParse pq_uuid_parse(PqSlice text, uint8_t out[16]);

#endif
