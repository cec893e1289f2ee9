/*
** copy_misfit.h - the error about a value that does not fit its column.
**
**   column price, row 7: 'abc' is not a DECIMAL(10,2); write {"types":
**   {"price": "TEXT"}}
**
** The type that it advises takes this value: a BLOB for bytes, a DOUBLE for a
** REAL among whole numbers.
*/
#ifndef PQSQL_COPY_MISFIT_H
#define PQSQL_COPY_MISFIT_H

#include "sql/copy/copy_types.h"

/* e says what is wrong with the value.  Adds its place and what to do. */
void pqsql_copy_misfit_explain(const PqsqlCopyColumn *c,
                               const PqCopyMisfit *misfit, PqErr *e);

#endif
