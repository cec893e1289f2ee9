/*
** order_text.h - may a statement want its groups in the order of their keys?
**
** Before 3.52 SQLite says the same of GROUP BY a as of GROUP BY a ORDER BY a,
** and relies on an order in the second case only.  Its text tells them apart:
** an ORDER BY that can be the GROUP BY has as many terms, and each may be a
** column.
**
**   GROUP BY a ORDER BY a             may be
**   GROUP BY a ORDER BY n             may be; not if n is a function's AS n
**   GROUP BY a ORDER BY count(*)      is not: no column
**   GROUP BY a ORDER BY a, b          is not: two terms
**   GROUP BY a, 1 ORDER BY a, 1       may be: constants do not count
**   OVER (PARTITION BY a ...)         may be: SQLite orders by a for it
*/
#ifndef PQEXT_ORDER_TEXT_H
#define PQEXT_ORDER_TEXT_H

#include "ext/table/vtable.h"

/* May there be an ORDER BY that is a GROUP BY of n columns, in a text that can
** use t? */
bool pqext_text_may_order(const PqextTable *t, uint32_t n);

/* ... in this text? */
bool pqext_may_order(const char *sql, uint32_t n);

#endif
