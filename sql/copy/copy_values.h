/*
** copy_values.h - the types that the first rows of a copy decide.
**
**   declared as a hint      all values must fit the type in its usual form: a
**                           DATE is a text, a DECIMAL has no more digits than
**                           its scale, a BLOB(16) has 16 bytes
**   declared as nothing     INTEGER                   INT64
**   or as what does not     REAL, REAL and INTEGER    DOUBLE
**   fit                     TEXT, TEXT and numbers    STRING
**                           BLOB                      BYTE_ARRAY
**                           BLOB and others           an error
**                           only NULL                 STRING; modern UNKNOWN
**
** With "auto", texts of one kind (text_kind.h) count as values of that type:
** INTEGER, REAL, BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ.  Empty texts are NULL
** before they come here.
**
** Later values must be of a class on the left of the column's line.  Any other
** class is a misfit, because the value would be read back as something else.
*/
#ifndef PQSQL_COPY_VALUES_H
#define PQSQL_COPY_VALUES_H

#include "sql/copy/copy_types.h"

/* Settles the column's type from the cells that were gathered. */
PqRc pqsql_copy_values_settle(PqsqlCopyColumn *c, const PqCells *cells,
                              const PqsqlCopyOptions *o, const PqStop *stop,
                              PqMem *mem, PqArena *a, PqErr *e);

#endif
