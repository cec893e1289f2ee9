/*
** dimension_condition.h - a condition on a dimension that is computed, as
** conditions on its column.
**
**   date(ts) <= '2024-05-01'    implies    ts <= '2024-05-01;'
**
** The text of the instant begins with the text of the dimension.  So bounds of
** one are bounds of the other.  The conditions are weak: a row that passes them
** may fail the dimension's own condition.
*/
#ifndef PQEXT_DIMENSION_CONDITION_H
#define PQEXT_DIMENSION_CONDITION_H

#include "ext/condition/sqlite_condition.h"
#include "ext/cursor/cursor_scan.h"
#include "ext/rollup/definition.h"

/* Does `dimension op value` say anything about the column? */
bool pqext_dimension_can(const PqextDefinition *d, uint32_t dimension,
                         PqextOp op);

/* The conditions that it implies, in the arena: *n, at most two.  v is the list of
** an IN, and is not NULL otherwise. */
PqRc pqext_dimension_begin(const PqextDefinition *d, uint32_t dimension,
                           PqextOp op, sqlite3_value *v, PqextScan *source,
                           PqArena *a, PqextCondition *out[2], uint32_t *n,
                           PqErr *e);

#endif
