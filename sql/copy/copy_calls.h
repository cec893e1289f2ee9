/*
** copy_calls.h - the types of columns that are calls of min, max, date, datetime
** and time, or of functions that make geometries.
**
**   SELECT max(pickup), date(max(pickup)) AS day, datetime(pickup, '+1 hour')
**          TIMESTAMP    DATE                      TIMESTAMP without UTC
**
** of a scalar column of a Parquet table.  A column gets a type only if every
** value that the function may return fits it.  Otherwise the values decide, as
** without this file.
**
** ST_Point(lon, lat) is a GEOMETRY.  That is a hint, because the function of
** this name may be somebody else's.
*/
#ifndef PQSQL_COPY_CALLS_H
#define PQSQL_COPY_CALLS_H

#include "sql/copy/copy_origin.h"

/* Finds types for columns of the query that have no type yet.  Geometries get
** one only if the files may have the type. */
PqRc pqsql_copy_calls_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           bool geometries, PqsqlOrigin *columns, uint32_t n,
                           PqArena *a, PqErr *e);

#endif
