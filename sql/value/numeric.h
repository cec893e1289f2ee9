/*
** numeric.h - the number that SQLite makes of a value under a numeric affinity.
**
**   ' 12 '    INTEGER 12          '1e2'    REAL 100.0
**   '12.0'    REAL 12.0           '12x'    TEXT, no number
**   '9223372036854775808'         REAL, it does not fit
**
** sqlite3_value_numeric_type does the same, but does not work for a copy of a
** value.  SQLite 3.53 locks the database that the value belongs to, and a copy
** from sqlite3_value_dup belongs to no database.  It would also turn the value
** itself into the number.
*/
#ifndef PQSQL_NUMERIC_H
#define PQSQL_NUMERIC_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* Does a numeric affinity make a number of it: blanks, a sign, digits with a
** point among them, an exponent, blanks?  SQLite 3.53 also accepts a NUL and
** anything after it, and older versions do not.  True for such a text too. */
bool pqsql_looks_like_number(PqSlice text);

/* The number that v is, or that a numeric affinity makes of its text; else NULL.
** *unsure: versions of SQLite differ.  v is a copy: asking for its text may convert
** it. */
PqRc pqsql_number_of(sqlite3_value *v, PqCell *out, bool *unsure, PqErr *e);

#endif
