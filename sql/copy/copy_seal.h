/*
** copy_seal.h - whether the keys and columns of the option "encryption" are
** there.
*/
#ifndef PQSQL_COPY_SEAL_H
#define PQSQL_COPY_SEAL_H

#include "sql/copy/copy_types.h"

/* Before the query runs: keys are in the ring, and columns in the query and not
** in partition_by.  Columns that differ by case are put right.  x may be NULL. */
PqRc pqsql_copy_seal_check(PqEncryption *x, PqKeyRing *ring,
                           const PqsqlCopyColumns *columns, PqArena *a,
                           PqErr *e);

/* When the types are known: paths into nested columns lead to leaves. */
PqRc pqsql_copy_seal_fit(const PqEncryption *x,
                         const PqsqlCopyColumns *columns,
                         const PqSchemaElementList *schema, PqArena *a,
                         PqErr *e);

#endif
