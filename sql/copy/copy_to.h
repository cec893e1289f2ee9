/*
** copy_to.h - parquet_copy_to(query, path [, options]).
*/
#ifndef PQSQL_COPY_TO_H
#define PQSQL_COPY_TO_H

#include "sql/copy/copy_origin.h"

/* host must live as long as the connection's modules. */
int pqsql_register_copy(sqlite3 *db, PqsqlCopyHost *host);

#endif
