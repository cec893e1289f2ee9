/*
** parse.h - the result of parsing a value, and small helpers.
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

/* word is in lower case, s in any. */
static inline bool pq_parse_is_word(PqSlice s, const char *word)
{
    size_t i;

    for (i = 0; i < s.n && word[i]; i++) {
        if ((s.p[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return i == s.n && !word[i];
}

#endif
