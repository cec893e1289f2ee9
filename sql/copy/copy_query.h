/*
** copy_query.h - prepares the query of parquet_copy_to.
*/
#ifndef PQSQL_COPY_QUERY_H
#define PQSQL_COPY_QUERY_H

#include "sql/copy/copy_options.h"
#include "sql/sqlite.h"

/* Prepares one statement that returns rows and changes nothing, and binds its
** parameters to the option params.  PQ_USAGE says what is wrong with it. */
PqRc pqsql_copy_query_open(sqlite3 *db, const char *sql,
                           const PqsqlCopyOptions *o, PqMem *mem,
                           sqlite3_stmt **out, PqErr *e);

/* Replaces the prepared query by one that returns the same columns, with the
** rows in the order of a Hilbert curve through the geometries of a column; rows
** without a geometry are last. */
PqRc pqsql_copy_query_sort(sqlite3 *db, sqlite3_stmt **query, uint32_t column,
                           const PqsqlCopyOptions *o, PqMem *mem, PqErr *e);

/* Turns the current error of the connection into ours. */
PqRc pqsql_copy_query_error(sqlite3 *db, PqErr *e, const char *before);

#endif
