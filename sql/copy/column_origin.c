/*
** column_origin.c - asks SQLite, if it was compiled to tell.  In a SQLite that was not,
** these functions are NULL, and a program that links it lacks them:
** column_origin_absent.c.
*/
#include "sql/copy/column_origin.h"

#include <stddef.h>

PqsqlColumnOrigin pqsql_column_origin(sqlite3_stmt *query, int i)
{
    if (!sqlite3_compileoption_used("ENABLE_COLUMN_METADATA")) {
        return (PqsqlColumnOrigin){NULL, NULL, NULL};
    }
    return (PqsqlColumnOrigin){
        .schema = sqlite3_column_database_name(query, i),
        .table = sqlite3_column_table_name(query, i),
        .column = sqlite3_column_origin_name(query, i),
    };
}
