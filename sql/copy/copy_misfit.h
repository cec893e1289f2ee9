/*
** copy_misfit.h - what is said of a value that does not fit its column.
**
**   column price, row 7: 'abc' is not a DECIMAL(10,2); write {"types":
**   {"price": "TEXT"}}
**
** The type that is named takes the value at hand: a BLOB for bytes, a DOUBLE
** for a REAL among whole numbers.
*/
#ifndef PQSQL_COPY_MISFIT_H
#define PQSQL_COPY_MISFIT_H

#include "sql/copy/copy_types.h"

/* e holds what is wrong with the value; its place, and what to do, are put
** around that. */
void pqsql_copy_misfit_tell(const PqsqlCopyColumn *c, const PqCopyMisfit *misfit,
                            PqErr *e);

#endif
