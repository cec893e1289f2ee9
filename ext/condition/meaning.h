/*
** meaning.h - what the stored values of a column mean to SQLite.
**
** For each type, one table says how SQLite compares its values, and whether
** they have the order of the stored values:
**
**   type                      affinity  order    limits
**   integers, BOOLEAN         numeric   places
**   UINT64                    none      places   0 .. 2^63-1; above they are texts
**   FLOAT16, FLOAT, DOUBLE    numeric   places   (NaN is NULL, or 'NaN')
**   DECIMAL                   numeric   places   64 bits; of many digits coarse
**     decimal=text            text      none
**   DATE, TIME, TIMESTAMP     text      places   years 0000 .. 9999; the day
**     timestamp=raw           numeric   places   64 bits
**     timestamp=unixepoch     numeric   none     (rounded to the nearest REAL)
**   UUID                      text      places
**   STRING, ENUM, JSON        text      bytes
**   BLOBs                     none      bytes
**   a path without a type     none      none; in a file where it is a leaf, that
**                                       of the leaf
**   INT96                     either    none
**
** In a UTF-16 database texts have another order than their bytes, so nothing is
** known about columns of texts, or of floats with nan=text.
*/
#ifndef PQEXT_MEANING_H
#define PQEXT_MEANING_H

#include "ext/condition/compare.h"

/* How SQLite compares the values of a column. */
typedef enum PqextAffinity {
    PQEXT_AFF_NONE,                  /* its values cannot be filtered       */
    PQEXT_AFF_NUMERIC, PQEXT_AFF_TEXT, PQEXT_AFF_BLOB
} PqextAffinity;

typedef struct PqextMeaning {
    PqextAffinity affinity;
    PqWantedForm  order;             /* CELLS: none that is known           */
    bool          coarse;            /* different places may mean equal     */
                                     /* values; the zeros of floats do      */
                                     /* anyway                              */
    bool          bounded;           /* places outside of these have another */
    PqPlace       least, most;
} PqextMeaning;

PqextMeaning pqext_meaning(const PqextTable *t, const PqType *type);

/* A leaf of one type stores values.  Would SQLite see the same if the column,
** of another type, stored them? */
bool pqext_same_meaning(const PqColumn *c, const PqType *stored);

/* May a stored value become NULL in the column because it cannot be cast, such
** as 1000 as a tinyint? */
bool pqext_may_become_null(const PqColumn *c, const PqType *stored);

/* The affinity of a column of the table; NONE if it is not a leaf. */
PqextAffinity pqext_affinity(const PqextTable *t, uint32_t column);

/* Do values of the column have the order of the stored values, so that its
** bounds are useful? */
bool pqext_has_order(const PqextTable *t, uint32_t column);

/* May a value be NaN as a text, which is not in the order of the numbers? */
bool pqext_may_be_nan(const PqextTable *t, const PqType *type);

bool pqext_is_string(const PqextTable *t, const PqType *type);

/* The value at a place, within the limits of a type that has places, as SQLite
** would see it.  Texts are made in room. */
enum { PQEXT_BOUND_ROOM = PQ_TIME_TEXT_ROOM };
void pqext_value_at(const PqextTable *t, const PqType *type, PqPlace place,
                    char *room, PqCell *out);

/* The same for a stored value (PLAIN, without a length), such as a bound; false
** if the order differs from the order of stored values. */
bool pqext_bound_value(const PqextTable *t, const PqType *type, PqSlice v,
                       char *room, PqCell *out);

/* Guesses the place of the values that are equal to an operand; false:
** anywhere. */
bool pqext_guess_place(const PqextTable *t, const PqType *type,
                       const PqCell *operand, PqPlace *out);

#endif
