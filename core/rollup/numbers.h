/*
** numbers.h - arithmetic over vectors of numbers.
**
** The argument of a measure, price * (1 - discount), is a small program.  For
** each batch it takes the vectors of its columns and makes a vector of results,
** an operation at a time over all rows.
**
**   kind      values                    from
**   INT       int64_t                   integers, BOOLEAN, raw times
**   DECIMAL   int64_t, times 10^-scale  DECIMAL of up to 18 digits
**   WIDE      __int128, likewise        larger ones, and products
**   REAL      double                    FLOAT, DOUBLE, FLOAT16
**
** The rules are SQLite's: a division by zero is NULL; integers whose result does
** not fit become REAL; an INT divided by an INT is cut; a REAL that is not a
** number is NULL.  A DECIMAL stays exact under + - *, and becomes REAL in a
** division, or when it does not fit 128 bits.
*/
#ifndef PQ_NUMBERS_H
#define PQ_NUMBERS_H

#include "core/column/vector.h"

typedef enum PqNumberKind {
    PQ_NUMBER_INT, PQ_NUMBER_DECIMAL, PQ_NUMBER_WIDE, PQ_NUMBER_REAL
} PqNumberKind;

/* A vector of them, a place per row. */
typedef struct PqNumbers {
    PqNumberKind    kind;
    int             scale;           /* DECIMAL, WIDE                       */
    uint32_t        n;
    const void     *values;
    const uint64_t *valid;           /* NULL: all valid                     */
} PqNumbers;

#endif
