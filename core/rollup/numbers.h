/*
** numbers.h - arithmetic over vectors of numbers.
**
** The argument of a measure, price * (1 - discount), is a small program.  For
** each batch it takes the vectors of its columns and makes a vector of results,
** an operation at a time over all rows:
**
**   column 0, constant 1, column 1, subtract, multiply
**
**   kind      values                    from
**   INT       int64_t                   integers, BOOLEAN, raw times
**   DECIMAL   int64_t, times 10^-scale  DECIMAL of up to 18 digits
**   WIDE      PqWide, likewise          larger ones, and products
**   REAL      double                    FLOAT, DOUBLE, FLOAT16
**
** The rules are SQLite's: a division by zero is NULL; integers whose result does
** not fit become REAL, in that row only; an INT divided by an INT is cut; a REAL
** that is not a number is NULL.  A DECIMAL stays exact under + - *, and becomes
** REAL beside a REAL or in a division.  It also does where 128 bits or 38 digits
** after the point are not enough, in all rows of the batch.
**
** A constant with a point, 0.05, is an exact decimal beside a DECIMAL, and a
** REAL beside everything else.
*/
#ifndef PQ_NUMBERS_H
#define PQ_NUMBERS_H

#include "core/base/arena.h"
#include "core/column/vector.h"

__extension__ typedef __int128 PqWide __attribute__((aligned(8)));

enum { PQ_NUMBER_DIGITS = 38 };      /* that 128 bits have room for         */

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
    const uint64_t *reals;           /* INT: a bit per row whose place has a
                                     ** double; NULL: none has              */
} PqNumbers;

typedef enum PqNumberOp {
    PQ_NUMBER_COLUMN,                /* step.column                         */
    PQ_NUMBER_CONSTANT,
    PQ_NUMBER_ADD, PQ_NUMBER_SUBTRACT, PQ_NUMBER_MULTIPLY, PQ_NUMBER_DIVIDE,
    PQ_NUMBER_REMAINDER
} PqNumberOp;

typedef struct PqNumberStep {
    PqNumberOp   op;
    uint32_t     column;             /* among those of the program          */
    PqNumberKind kind;               /* of a constant: INT, DECIMAL, REAL   */
    int64_t      i;                  /* INT; DECIMAL, times 10^-scale       */
    int          scale;
    double       r;                  /* REAL; DECIMAL as a REAL             */
} PqNumberStep;

/* Steps in postfix order; every prefix of them leaves at least one value, and
** all of them leave one. */
typedef struct PqNumberProgram {
    PqNumberStep *steps;
    uint32_t      n_steps;
    uint32_t     *columns;           /* of the table                        */
    uint32_t      n_columns;
} PqNumberProgram;

/* columns: a vector of n rows for each column of the program, with 0 in rows that
** are not valid.  What *out points to is in the arena, or is a column's. */
PqRc pq_numbers_run(const PqNumberProgram *p, const PqNumbers *columns,
                    uint32_t n, PqArena *a, PqNumbers *out, PqErr *e);

#endif
