/*
** copy_query.h - the first argument of parquet_copy_to, ready to be stepped.
*/
#ifndef PQSQL_COPY_QUERY_H
#define PQSQL_COPY_QUERY_H

#include "sql/copy/copy_options.h"
#include "sql/sqlite.h"

/* One statement that gives rows and changes nothing, its parameters bound to
** those of the options.  PQ_USAGE with what it is instead. */
PqRc pqsql_copy_query_open(sqlite3 *db, const char *sql,
                           const PqsqlCopyOptions *o, PqMem *mem,
                           sqlite3_stmt **out, PqErr *e);

/* The error at hand of the connection, as ours. */
PqRc pqsql_copy_query_error(sqlite3 *db, PqErr *e, const char *before);

#endif
