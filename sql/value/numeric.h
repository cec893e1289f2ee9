/*
** numeric.h - what SQLite makes of a value under a numeric affinity.
**
**   ' 12 '    INTEGER 12          '1e2'    REAL 100.0
**   '12.0'    REAL 12.0           '12x'    TEXT, no number
**   '9223372036854775808'         REAL, it does not fit
**
** sqlite3_value_numeric_type says the same, but not of a copy: SQLite 3.53
** locks the database that a value belongs to, and what sqlite3_value_dup made
** belongs to none.  And it turns the value itself into the number.
*/
#ifndef PQSQL_NUMERIC_H
#define PQSQL_NUMERIC_H

#include "core/parquet.h"
#include "sql/sqlite.h"

/* Blanks, a sign, digits with a point among them, an exponent, blanks: what a
** numeric affinity makes a number of.  SQLite 3.53 does so too where a NUL and
** anything follows, which no older one does: such a text may be a number. */
bool pqsql_looks_like_number(PqSlice text);

typedef struct PqsqlNumber {
    bool    is_number;
    bool    unsure;                  /* versions of SQLite differ           */
    bool    is_int;
    int64_t i;
    double  r;                       /* also of an integer, the nearest     */
} PqsqlNumber;

/* v is a copy: asking for its text may convert it. */
PqRc pqsql_number_of(sqlite3_value *v, PqsqlNumber *out, PqErr *e);

#endif
