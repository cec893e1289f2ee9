/*
** describe.h - parquet_describe(file): one text for a person.
*/
#ifndef PQSQL_DESCRIBE_H
#define PQSQL_DESCRIBE_H

#include "core/parquet.h"
#include "sql/sqlite.h"

/* The text, lines that end with \n, about a file, a glob or a folder.  On
** success out is the caller's to free; it allocates from mem. */
PqRc pqsql_describe(sqlite3 *db, PqEngine *engine, PqMem *mem,
                    sqlite3_value *path, PqBuf *out, PqErr *e);

/* engine stays as long as the connection's modules do. */
int pqsql_register_describe(sqlite3 *db, PqEngine *engine);

#endif
