/*
** order.h - ORDER BY, min() and max() given to the engine.
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
**   order_plan.c   whether to promise an order, and the words of the plan
**   order_host.c   what the engine asks about the values of a column
*/
#ifndef PQEXT_ORDER_H
#define PQEXT_ORDER_H

#include "ext/cursor/cursor.h"

/* How rows are sorted by this column of the table; false: no order by it can be
** promised. */
bool pqext_order_column(const PqextTable *t, int column, bool desc,
                        PqTopColumn *out);

/* Is the ORDER BY (GROUP BY) of this call to be promised?  all_exact: SQLite is
** given no row that it may throw away by a term it told of; guarded: some term
** may compare with another table's column. */
bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqTopBy *out);

/* The row groups of the first file, for planning.  False: there are none, or
** they cannot be read.  Frees nothing: the caller frees out. */
bool pqext_order_sections(const PqextTable *t, PqTopBy *by, PqTopSections *out);

/* Begins to give the cursor's rows in this order. */
PqRc pqext_order_begin(PqextCursor *c, const PqTopBy *asked,
                       PqRowSource **out, PqErr *e);

#endif
