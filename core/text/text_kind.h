/*
** text_kind.h - guesses the type of a text where none was given.
**
**   2024  -5  0            INTEGER, and REAL up to 2^53
**   1.50  .5  -1e5         REAL: the nearest double, which must be finite
**   true  FALSE            BOOLEAN
**   2024-03-01             DATE
**   2024-03-01 13:45       STAMP, with a blank or T between date and clock, by
**   2024-03-01T13:45:00.5  the units that hold it exactly: MICROS, NANOS, both
**   ... 13:45:00Z  +01:00  STAMP_UTC, likewise
**
** Anything else is a text: an empty one; one with blanks around it; 007 and +5,
** whose spelling a number would lose; integers of more than 64 bits; NaN, inf,
** 30 February, 24:00.
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

/* All kinds that the text has; 0: none. */
unsigned pq_text_kinds(PqSlice text);

#endif
