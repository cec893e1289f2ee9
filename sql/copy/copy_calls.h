/*
** copy_calls.h - the types of columns that are calls of min, max, date, datetime
** and time, or of functions that make geometries.
**
**   SELECT max(pickup), date(max(pickup)) AS day, datetime(pickup, '+1 hour')
**          TIMESTAMP    DATE                      TIMESTAMP without UTC
**
** of a scalar column of a Parquet table.  A column is given a type only where
** every value that the function may return fits; all else is left to the values,
** as without this.
**
** ST_Point(lon, lat) is a GEOMETRY.  That is a hint, because the function may be
** another's of this name.
*/
#ifndef PQSQL_COPY_CALLS_H
#define PQSQL_COPY_CALLS_H

#include "sql/copy/copy_origin.h"

/* Finds types for those of the query's n columns that have no type yet, of
** geometries too if the files may have such. */
PqRc pqsql_copy_calls_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           bool geometries, PqsqlOrigin *columns, uint32_t n,
                           PqArena *a, PqErr *e);

#endif
