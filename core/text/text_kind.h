/*
** text_kind.h - what a text by itself is taken for, where nobody said its type.
**
**   2024  -5  0            INTEGER, and REAL up to 2^53
**   1.50  .5  -1e5         REAL: the nearest double, which has to be finite
**   true  FALSE            BOOLEAN
**   2024-03-01             DATE
**   2024-03-01 13:45       STAMP, a T between date and clock as well; which of
**   2024-03-01T13:45:00.5  the units hold it is told: MICROS, NANOS or both
**   ... 13:45:00Z  +01:00  STAMP_UTC, likewise
**
** Anything else is a text: an empty one, one with blanks around it, 007 and +5,
** whose spelling says more than a number does, integers of more than 64 bits,
** NaN, inf, 30 February, 24:00.
*/
#ifndef PQ_TEXT_KIND_H
#define PQ_TEXT_KIND_H

#include "core/text/parse.h"

enum {
    PQ_KIND_BOOLEAN = 1,
    PQ_KIND_INTEGER = 2,
    PQ_KIND_REAL = 4,
    PQ_KIND_DATE = 8,
    PQ_KIND_STAMP_MICROS = 16,
    PQ_KIND_STAMP_NANOS = 32,
    PQ_KIND_STAMP_UTC_MICROS = 64,
    PQ_KIND_STAMP_UTC_NANOS = 128,
    PQ_KIND_STAMP = PQ_KIND_STAMP_MICROS | PQ_KIND_STAMP_NANOS,
    PQ_KIND_STAMP_UTC = PQ_KIND_STAMP_UTC_MICROS | PQ_KIND_STAMP_UTC_NANOS,
    PQ_KIND_ANY = 255
};

/* All the kinds that it is of; 0: none. */
unsigned pq_text_kinds(PqSlice text);

#endif
