/*
** copy_pass.h - does a query only pass a column on?
**
**   SELECT * FROM log ORDER BY id                  passes event on
**   SELECT id, l.event AS e FROM log AS l          likewise
**   SELECT id, event FROM log WHERE event LIKE ?   does not
**   SELECT DISTINCT * FROM log                     does not: it compares values
**
** Then nobody but the copy sees the column's values, and the table may give
** them in a form that suits the copy (variant_of_text.h).  A yes is certain.  Anything
** that is not understood is a no.
*/
#ifndef PQSQL_COPY_PASS_H
#define PQSQL_COPY_PASS_H

#include "core/for_host.h"

/* The query reads the column of this table, and returns it at least once. */
bool pqsql_copy_passes(const char *sql, const char *table, const char *column);

#endif
