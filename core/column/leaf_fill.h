/*
** leaf_fill.h - cells to the values of a column without structure.
**
** The way back of sql/value/value.h: a cell becomes what is stored, so that reading
** it again gives the cell (or, where the type says less, what is nearest by the
** rules of the table of types in sql/README.md).
**
**   leaf                 takes
**   BOOLEAN              INT 0 and 1, REAL 0.0 and 1.0, TEXT of such a number
**                        or true/false, t/f, yes/no, y/n, on/off in any case
**   integers             INT in range, REAL without a fraction in range, TEXT
**                        that is such a number; UINT64 also TEXT beyond INT
**   FLOAT DOUBLE FLOAT16 INT and REAL, the nearest where it is not exact; TEXT
**                        that is a number, 'NaN', '-NaN', 'inf', ...
**   DECIMAL(p,s)         INT, TEXT exactly; REAL rounded to the scale, where
**                        that has no more digits than 15
**   DATE TIME TIMESTAMP  TEXT in the forms of time_parse.h; INT and REAL by
**   INT96                number_time; INT96 also BLOB of 12 bytes
**   STRING ENUM JSON     TEXT, which has to be UTF-8 and, of a JSON, JSON; INT
**                        and REAL with the fewest digits that give them back
**   UUID                 TEXT of 32 digits with or without hyphens, braces;
**                        BLOB of 16 bytes
**   INTERVAL             TEXT PnMnDTn.nnnS; BLOB of 12 bytes
**   BYTE_ARRAY           BLOB; TEXT as its bytes
**   FIXED(n)             the same, n bytes long
**   BSON and geometries  BLOB
**   UNKNOWN              NULL only
**
** A NULL is an entry without a value, or a misfit in a required column.  What
** does not fit fails with PQ_USAGE and a text that names the value and the
** type; with null_misfits it becomes NULL where the column may be null.
*/
#ifndef PQ_LEAF_FILL_H
#define PQ_LEAF_FILL_H

#include "core/column/cells.h"
#include "core/column/leaf_batch.h"

/* What an integer or a real means as a DATE, TIME, TIMESTAMP or INT96. */
typedef enum PqNumberTime {
    PQ_NUMBER_TIME_EPOCH,            /* seconds since 1970, as unixepoch(), of
                                     ** a TIME since midnight; a REAL is
                                     ** rounded to the unit, a DATE wants whole
                                     ** days                                 */
    PQ_NUMBER_TIME_RAW               /* the stored integer: unit of the type,
                                     ** days of a DATE, nanoseconds since 1970
                                     ** for an INT96                         */
} PqNumberTime;

typedef struct PqFillRules {
    PqNumberTime number_time;
    bool         null_misfits;
    bool         nanos_may_lose;     /* a finer time is cut to the unit;
                                     ** otherwise a misfit                   */
    int64_t      stored_unit;        /* what the second has of what is given
                                     ** as it was stored, which are raw
                                     ** numbers and the digits of a TIME
                                     ** outside the day.  0: as many as the
                                     ** type has; PQ_STORED_UNIT_UNKNOWN: a
                                     ** misfit                               */
    bool         exact_numbers;      /* a REAL that a DECIMAL would round is a
                                     ** misfit, and so are an INT that is no
                                     ** DOUBLE and a TEXT like "05", which a
                                     ** number is not written as             */
    uint8_t      classes;            /* PQ_CLASS of each that a column takes,
                                     ** the others are misfits; 0: all       */
    uint8_t      text_kinds;         /* TEXT is none of the classes, but one of
                                     ** these kinds (text_kind.h) is taken   */
} PqFillRules;

#define PQ_STORED_UNIT_UNKNOWN (-1)
#define PQ_CLASS(cls) (1u << (cls))

/* Appends cells [from, from + n) to a batch of a leaf that is a column of its
** own: max_rep 0, max_def at most 1.  On failure the batch is as it was, and
** *misfit is the index of the cell; the text says what is wrong with it,
** without its place.  A failure for want of memory has another code than
** PQ_USAGE. */
PqRc pq_leaf_fill(PqLeafBatch *b, const PqCells *c, uint32_t from, uint32_t n,
                  const PqFillRules *rules, uint32_t *misfit, PqErr *e);

/* One cell that is not NULL as one value behind the others; the caller sees to
** room and levels, and to null_misfits.  For parts of nested values. */
PqRc pq_leaf_fill_one(PqLeafBatch *b, PqCellClass cls, const PqCell *cell,
                      const PqFillRules *rules, PqErr *e);

#endif
