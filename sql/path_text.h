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

/* Adds to an error about path, where there is no file: path is the name of a
** table, if it is, and how the table leads to its files. */
void pqsql_path_hint_table(sqlite3 *db, const char *path, PqErr *e);

#endif
