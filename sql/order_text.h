/*
** order_text.h - may a statement want its groups in the order of their keys, or few rows?
**
** Before 3.52 SQLite tells a table the same about GROUP BY a and about GROUP BY
** a ORDER BY a, but relies on an order only in the second case.  Its text tells
** them apart: an ORDER BY that can be the GROUP BY has as many terms, and each
** may be a column.
**
**   GROUP BY a ORDER BY a             may be
**   GROUP BY a ORDER BY n             may be; not if n is a function's AS n
**   GROUP BY a ORDER BY count(*)      is not: no column
**   GROUP BY a ORDER BY a, b          is not: two terms
**   GROUP BY a, 1 ORDER BY a, 1       may be: constants do not count
**   OVER (PARTITION BY a ...)         may be: SQLite orders by a for it
*/
#ifndef PQSQL_ORDER_TEXT_H
#define PQSQL_ORDER_TEXT_H

#include <stdbool.h>

/* May this text have an ORDER BY that is a GROUP BY of n columns (a uint32_t)?
** For statement_text.h. */
bool pqsql_text_may_order(const char *sql, const void *n);

/* May this text want only some of its rows, and no groups?  It has a LIMIT, and no GROUP BY.
** For statement_text.h; arg is not used. */
bool pqsql_text_may_want_few(const char *sql, const void *arg);

#endif
