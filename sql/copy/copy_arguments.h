/*
** copy_arguments.h - what parquet_copy_to is called with, and what was meant
** where that is something else.
**
**   parquet_copy_to('trips', 'x.parquet')     a table's name: write
**                                             'SELECT * FROM trips'
**   parquet_copy_to('x.parquet', 'SELECT')    the query comes first
*/
#ifndef PQSQL_COPY_ARGUMENTS_H
#define PQSQL_COPY_ARGUMENTS_H

#include "core/parquet.h"
#include "sql/sqlite.h"

typedef struct PqsqlCopyArguments {
    const char *query, *path;
    const char *options;             /* or NULL                              */
} PqsqlCopyArguments;

/* The texts live as long as the values do.  False: the result is an error, also
** for a path that ends in .csv or as another format does. */
bool pqsql_copy_arguments(sqlite3_context *ctx, int argc, sqlite3_value **argv,
                          PqsqlCopyArguments *out);

/* The error of a query that SQLite refuses: e says what it is instead, and is
** left alone where that is not known. */
void pqsql_copy_arguments_meant(sqlite3 *db, const PqsqlCopyArguments *a,
                                PqErr *e);

#endif
