/*
** path_text.h - an argument of a function that is a path.
*/
#ifndef PQSQL_PATH_TEXT_H
#define PQSQL_PATH_TEXT_H

#include "core/parquet.h"
#include "sql/sqlite.h"

/* The text of v, which lives as long as v does; or NULL and an error: the value
** is NULL, it holds a NUL byte, or memory is short.  What would be cut off at a
** NUL may name another file than the one that is meant. */
const char *pqsql_path_of(sqlite3_value *v, PqErr *e);

#endif
