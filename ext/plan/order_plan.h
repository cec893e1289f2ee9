/*
** order_plan.h - ORDER BY, min() and max() given to the engine.
**
** A plan may promise an order ("in order of ts desc").  SQLite then takes rows
** until it has enough, and the engine finds these without sorting all of them
** (core/top/top.h).  Whether that pays is decided when the statement is
** prepared:
**
**   the row groups hardly overlap       a file sorted by the column, or nearly
**   a LIMIT of not too many rows        one round finds them
**   nothing but these columns is used   max(), and sorting a column
**
** Where the files say the order, they are read in it (core/scan/file_order.h).
*/
#ifndef PQEXT_ORDER_PLAN_H
#define PQEXT_ORDER_PLAN_H

#include "ext/plan/plan.h"

/* Should the plan promise the ORDER BY (GROUP BY) of this call?  all_exact:
** SQLite will not drop a given row by the terms of the call.  guarded: some
** term may compare with another table's column. */
bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqTopBy *out);

/* The ORDER BY of the call, if ordering the files fulfills it; false: it does
** not.  *once: one row of each value is enough. */
bool pqext_file_order_plan(const PqextTable *t, sqlite3_index_info *info,
                           PqextGroupBy *out);

/* What the engine asks about the order of rows.  While planning, host has a listing
** only. */
PqTopSpec pqext_order_spec(const PqextTable *t, PqRowHost host);

#endif
