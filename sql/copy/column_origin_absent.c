/*
** column_origin_absent.c - stands in for column_origin.c in a program whose SQLite was
** compiled without SQLITE_ENABLE_COLUMN_METADATA.
*/
#include "sql/copy/column_origin.h"

#include <stddef.h>

PqsqlColumnOrigin pqsql_column_origin(sqlite3_stmt *query, int i)
{
    return (PqsqlColumnOrigin){NULL, NULL, NULL};
}
