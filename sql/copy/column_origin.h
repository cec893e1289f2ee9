/*
** column_origin.h - the column of a table that a column of a query is.
*/
#ifndef PQSQL_COLUMN_ORIGIN_H
#define PQSQL_COLUMN_ORIGIN_H

#include "sql/sqlite.h"

/* Each is NULL if the column is computed, or if this SQLite does not tell. */
typedef struct PqsqlColumnOrigin {
    const char *schema, *table, *column;
} PqsqlColumnOrigin;

PqsqlColumnOrigin pqsql_column_origin(sqlite3_stmt *query, int i);

#endif
