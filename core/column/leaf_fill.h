/*
** leaf_fill.h - turns cells into the stored values of a column without
** structure.
**
** The inverse of sql/value/value.h: a cell becomes the value that reads back as
** that cell.  Where the type cannot hold it exactly, it becomes the nearest
** value by the rules of the table of types in sql/values.md.
**
**   leaf                 takes
**   BOOLEAN              INT 0 and 1, REAL 0.0 and 1.0, TEXT of such a number
**                        or true/false, t/f, yes/no, y/n, on/off in any case
**   integers             INT in range, REAL without a fraction in range, TEXT
**                        of such a number; UINT64 also TEXT beyond INT
**   FLOAT DOUBLE FLOAT16 INT and REAL, the nearest where it is not exact; TEXT
**                        that is a number, 'NaN', '-NaN', 'inf', ...
**   DECIMAL(p,s)         INT, TEXT exactly; REAL rounded to the scale if the
**                        result has at most 15 digits
**   DATE TIME TIMESTAMP  TEXT in the forms of time_parse.h; INT and REAL by
**   INT96                number_time; INT96 also BLOB of 12 bytes
**   STRING ENUM JSON     TEXT that is UTF-8, and for JSON also JSON; INT and
**                        REAL with the fewest digits that read back the same
**   UUID                 TEXT of 32 digits with or without hyphens, braces;
**                        BLOB of 16 bytes
**   INTERVAL             TEXT PnMnDTn.nnnS; BLOB of 12 bytes
**   BYTE_ARRAY           BLOB; TEXT as its bytes
**   FIXED(n)             the same, n bytes long
**   BSON                 BLOB
**   GEOMETRY GEOGRAPHY   BLOB that is WKB; EWKB becomes ISO WKB; TEXT that is
**                        WKT
**   UNKNOWN              NULL only
**
** A NULL is an entry without a value; in a required column it is a misfit.  A
** misfit fails with PQ_USAGE and a text that names the value and the type.
** With null_misfits it becomes NULL if the column is optional.
*/
#ifndef PQ_LEAF_FILL_H
#define PQ_LEAF_FILL_H

#include "core/column/cells.h"
#include "core/column/leaf_batch.h"

/* What an integer or a real means as a DATE, TIME, TIMESTAMP or INT96. */
typedef enum PqNumberTime {
    PQ_NUMBER_TIME_EPOCH,            /* seconds since 1970, as unixepoch();
                                     ** for TIME since midnight.  A REAL is
                                     ** rounded to the unit; a DATE must be
                                     ** whole days                           */
    PQ_NUMBER_TIME_RAW               /* the stored integer: units of the type,
                                     ** days for DATE, nanoseconds since 1970
                                     ** for INT96                            */
} PqNumberTime;

typedef struct PqFillRules {
    PqNumberTime number_time;
    bool         null_misfits;
    bool         nanos_may_lose;     /* a time finer than the unit is cut;
                                     ** otherwise it is a misfit             */
    int64_t      stored_unit;        /* units per second of the cells that
                                     ** give the stored number: raw numbers,
                                     ** and the digits of a TIME outside the
                                     ** day.  0: as in the type;
                                     ** PQ_STORED_UNIT_UNKNOWN: such a cell is
                                     ** a misfit                             */
    bool         exact_numbers;      /* misfits are: a REAL that a DECIMAL
                                     ** would round, an INT a DOUBLE cannot be,
                                     ** a TEXT like "05", which is not how the
                                     ** number would be written; EWKB and WKT */
    uint8_t      classes;            /* PQ_CLASS of each that a column takes,
                                     ** the others are misfits; 0: all       */
    const PqType *geometry;          /* of a BYTE_ARRAY that does not say that
                                     ** it is one; NULL: the leaf's type
                                     ** counts.  Only of a column of its own */
    bool         named_parts;        /* of a VARIANT: the user named the types
                                     ** of its parts.  A DOUBLE takes numbers
                                     ** of the same digits                   */
    struct PqShredTally *tally;      /* ... by the leaf "value" beside a
                                     ** typed_value; NULL: nobody counts     */
    uint8_t      text_kinds;         /* if classes is without TEXT: a TEXT of
                                     ** these kinds (text_kind.h) is taken   */
} PqFillRules;

#define PQ_STORED_UNIT_UNKNOWN (-1)
#define PQ_CLASS(cls) (1u << (cls))

/* Appends cells [from, from + n) to a batch of a leaf that is a whole column:
** max_rep 0, max_def at most 1.  On failure the batch is as it was, and *misfit
** is the index of the cell; the error's text says what is wrong with the cell,
** without its place.  If there is no memory, the code is not PQ_USAGE. */
PqRc pq_leaf_fill(PqLeafBatch *b, const PqCells *c, uint32_t from, uint32_t n,
                  const PqFillRules *rules, uint32_t *misfit, PqErr *e);

/* Appends one cell that is not NULL as one value.  The caller takes care of
** room, levels and null_misfits.  For parts of nested values. */
PqRc pq_leaf_fill_one(PqLeafBatch *b, const PqCell *cell,
                      const PqFillRules *rules, PqErr *e);

#endif
