/*
** copy_arguments.h - the arguments of parquet_copy_to, and what was probably
** meant if they are wrong.
**
**   parquet_copy_to('trips', 'x.parquet')     a table's name: write
**                                             'SELECT * FROM trips'
**   parquet_copy_to('x.parquet', 'SELECT')    the query comes first
*/
#ifndef PQSQL_COPY_ARGUMENTS_H
#define PQSQL_COPY_ARGUMENTS_H

#include "core/for_host.h"
#include "sql/sqlite.h"

typedef struct PqsqlCopyArguments {
    const char *query, *path;
    const char *options;             /* or NULL                              */
} PqsqlCopyArguments;

/* Takes the texts, which live as long as the values.  Returns false when it has
** set an error in ctx, for example for a path that ends in .csv or like another
** format. */
bool pqsql_copy_arguments(sqlite3_context *ctx, int argc, sqlite3_value **argv,
                          PqsqlCopyArguments *out);

/* For a query that SQLite refuses: sets e to say what the query seems to be, or
** leaves e as it is. */
void pqsql_copy_arguments_meant(sqlite3 *db, const PqsqlCopyArguments *a,
                                PqErr *e);

#endif
