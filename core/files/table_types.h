/*
** table_types.h - one column in files that do not agree about its type.
**
** pq_table_converts (table.h) says what converts without loss: INT32 to INT64,
** FLOAT to DOUBLE, a narrow DECIMAL to a wide one, ...
*/
#ifndef PQ_TABLE_TYPES_H
#define PQ_TABLE_TYPES_H

#include "core/files/table.h"

/* Makes *type the narrowest type that both convert to, for union_by_name.
** Returns false and leaves *type as it is when there is none. */
bool pq_table_widen(PqType *type, const PqType *with);

/* The error about a column that has the type of node in the file at path, with
** a hint what to do. */
PqRc pq_table_types_differ(const PqTable *t, const PqColumn *c,
                           const PqNode *node, const char *path, PqErr *e);

#endif
