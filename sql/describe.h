/*
** describe.h - parquet_describe(file): one text for a person.
*/
#ifndef PQSQL_DESCRIBE_H
#define PQSQL_DESCRIBE_H

#include "core/parquet.h"
#include "sql/sqlite.h"

/* engine stays as long as the connection's modules do. */
int pqsql_register_describe(sqlite3 *db, PqEngine *engine);

#endif
