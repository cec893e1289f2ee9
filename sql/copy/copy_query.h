/*
** copy_query.h - the arguments of parquet_copy_to, and its query.
*/
#ifndef PQSQL_COPY_QUERY_H
#define PQSQL_COPY_QUERY_H

#include "sql/copy/copy_options.h"
#include "sql/sqlite.h"

/* ---- arguments (copy_arguments.c) ---------------------------------------- */

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

/* ---- the query (copy_query.c) -------------------------------------------- */

/* Prepares one statement that returns rows and changes nothing, and binds its
** parameters to the option params.  PQ_USAGE says what is wrong with it. */
PqRc pqsql_copy_query_open(sqlite3 *db, const char *sql,
                           const PqsqlCopyOptions *o, PqMem *mem,
                           sqlite3_stmt **out, PqErr *e);

/* Replaces the prepared query by one that returns the same columns, with the
** rows in an order: terms of ORDER BY, where "1" is the first column. */
PqRc pqsql_copy_query_sort(sqlite3 *db, sqlite3_stmt **query, const PqBuf *by,
                           const PqsqlCopyOptions *o, PqMem *mem, PqErr *e);

/* Turns the current error of the connection into ours. */
PqRc pqsql_copy_query_error(sqlite3 *db, PqErr *e, const char *before);

#endif
