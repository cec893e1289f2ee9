/*
** direct_only.h - functions that only a statement of the user may call.
**
** SQLITE_DIRECTONLY keeps a database's schema from calling such a function, but
** older versions of SQLite (3.40) do not check CHECK constraints and generated
** columns.  So some running statement must name the function in its own text.
** For a function that only reads, a view or trigger of temp may do so, too.
*/
#ifndef PQSQL_DIRECT_ONLY_H
#define PQSQL_DIRECT_ONLY_H

#include "sql/sqlite.h"

#include <stdbool.h>

/* False, with an error as the result in ctx, if none does. */
bool pqsql_direct_only(sqlite3_context *ctx, const char *function);
bool pqsql_direct_or_temp(sqlite3_context *ctx, const char *function);

#endif
