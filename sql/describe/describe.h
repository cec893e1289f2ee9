/*
** describe.h - parquet_describe(file): one text for a person.
*/
#ifndef PQSQL_DESCRIBE_H
#define PQSQL_DESCRIBE_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* Writes the text, in lines that end with \n, about a file, a glob or a folder,
** opened with the keys.  out allocates from mem; on success the caller frees
** it. */
PqRc pqsql_describe(sqlite3 *db, PqEngine *engine, PqMem *mem,
                    sqlite3_value *path, const PqKeyChoice *keys,
                    const PqPatience *patience, PqBuf *out,
                    PqErr *e);

/* engine must live as long as the connection's modules. */
int pqsql_register_describe(sqlite3 *db, PqEngine *engine);

#endif
