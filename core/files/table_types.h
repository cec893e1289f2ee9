/*
** table_types.h - one column in files that do not agree about its type.
**
** What converts without loss is in table.h (pq_table_converts): INT32 to INT64,
** FLOAT to DOUBLE, a narrow DECIMAL to a wide one, ...
*/
#ifndef PQ_TABLE_TYPES_H
#define PQ_TABLE_TYPES_H

#include "core/files/table.h"

/* Makes *type the narrowest one that both convert to, for union_by_name; false:
** there is none, and *type is as it was. */
bool pq_table_widen(PqType *type, const PqType *with);

/* The error of a column that is node in the file at path, and what can be done
** about it. */
PqRc pq_table_types_differ(const PqTable *t, const PqColumn *c,
                           const PqNode *node, const char *path, PqErr *e);

#endif
