/*
** stored.h - from a SQLite value back to the bytes a column would store.
**
** value.h turns stored values into SQLite values; this is the way back, under
** SQLite's own rules of comparison: which values of a column are equal to this
** operand?  Mostly it is one or none, but not always:
**
**   DOUBLE 0.0                  +0.0 and -0.0
**   DECIMAL(18,3) 0.1           100
**   DECIMAL(18,3) 9e14          all unscaled values that round to that REAL
**   INT32 '7'                   7: the column's affinity makes it a number
**   STRING 7                    '7': the column's affinity makes it a text
**   STRING x'37'                none: a BLOB is never equal to a text
**   TIMESTAMP '2024-03-01'      none: no timestamp has that text
**   INT96, INTERVAL             not known: many forms mean the same
*/
#ifndef PQSQL_STORED_H
#define PQSQL_STORED_H

#include "core/parquet.h"
#include "sql/sqlite.h"

typedef struct PqsqlStored {
    bool     known;                  /* false: the list is not complete      */
    PqSlice *plain;                  /* PLAIN, without a length              */
    uint32_t n;
} PqsqlStored;

/* v is not NULL; what *out points to lies in a. */
PqRc pqsql_stored_values(sqlite3_value *v, const PqType *type, PqArena *a,
                         PqsqlStored *out, PqErr *e);

#endif
