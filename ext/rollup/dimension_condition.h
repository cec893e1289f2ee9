/*
** dimension_condition.h - a condition on a dimension that is computed, as
** conditions on its column.
**
**   date(ts) <= '2024-05-01'    implies    ts <= '2024-05-01;'
**
** The text of such a dimension is how the text of the instant begins.  So what is
** less or more than it is known of the instant too.  The conditions are weak: a
** row that passes them need not pass the dimension's own.
*/
#ifndef PQEXT_DIMENSION_CONDITION_H
#define PQEXT_DIMENSION_CONDITION_H

#include "ext/condition/sqlite_condition.h"
#include "ext/cursor/cursor.h"
#include "ext/rollup/definition.h"

/* Does `dimension op value` say anything of the column? */
bool pqext_dimension_can(const PqextDefinition *d, uint32_t dimension,
                         PqextOp op);

/* The conditions that it implies, in the arena: *n, at most two.  v is the list of
** an IN, and is not NULL otherwise. */
PqRc pqext_dimension_begin(const PqextDefinition *d, uint32_t dimension,
                           PqextOp op, sqlite3_value *v, PqextCursor *source,
                           PqArena *a, PqextCondition *out[2], uint32_t *n,
                           PqErr *e);

#endif
