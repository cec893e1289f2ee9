/*
** copy_seal.h - checks that the keys and columns of the option "encryption"
** exist.
*/
#ifndef PQSQL_COPY_SEAL_H
#define PQSQL_COPY_SEAL_H

#include "sql/copy/copy_types.h"

/* Called before the query runs: keys must be in the ring, and columns in the
** query and not in partition_by.  Names that differ only in case are corrected.
** x may be NULL. */
PqRc pqsql_copy_seal_check(PqEncryption *x, PqKeyRing *ring,
                           const PqsqlCopyColumns *columns, PqArena *a,
                           PqErr *e);

/* Called when the types are known: paths into nested columns must lead to
** leaves. */
PqRc pqsql_copy_seal_fit(const PqEncryption *x,
                         const PqsqlCopyColumns *columns,
                         const PqSchemaElementList *schema, PqArena *a,
                         PqErr *e);

#endif
