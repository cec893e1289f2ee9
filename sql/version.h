/*
** version.h - which build of the extension this is.
*/
#ifndef PQSQL_VERSION_H
#define PQSQL_VERSION_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* parquet_version() */
int pqsql_register_version(sqlite3 *db);

#endif
