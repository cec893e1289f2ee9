/*
** copy_values.h - types that the first rows of a copy decide.
**
**   declared as a hint      the values have to fit it, each as it is meant:
**                           a DATE is a text, a DECIMAL has no more digits
**                           than its scale, a BLOB(16) 16 bytes
**   declared as nothing     INTEGER                   INT64
**   or as what does not     REAL, REAL and INTEGER    DOUBLE
**   fit                     TEXT, TEXT and numbers    STRING
**                           BLOB                      BYTE_ARRAY
**                           BLOB and others           an error
**                           only NULL                 STRING; modern UNKNOWN
**
** Where texts are to be taken for what they are, those of a kind (text_kind.h)
** count as such values: INTEGER, REAL, and BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ.
** Empty ones are NULL before they come here.
**
** What comes later has to be of a class on the left of its line, or else it is a
** misfit: it would come back as something else.
*/
#ifndef PQSQL_COPY_VALUES_H
#define PQSQL_COPY_VALUES_H

#include "sql/copy/copy_types.h"

/* Settles the column's type by the cells that were gathered. */
PqRc pqsql_copy_values_settle(PqsqlCopyColumn *c, const PqCells *cells,
                              const PqsqlCopyOptions *o, const PqStop *stop,
                              PqMem *mem, PqArena *a, PqErr *e);

#endif
