/*
** path_text.h - an argument of a function that is a path.
*/
#ifndef PQSQL_PATH_TEXT_H
#define PQSQL_PATH_TEXT_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* The text of v, which lives as long as v.  NULL and an error when v is NULL or
** has a NUL byte, or when there is no memory.  A path cut at a NUL may name
** another file, so it is refused. */
const char *pqsql_path_of(sqlite3_value *v, PqErr *e);

/* Adds a hint to the error that there is no file at path: if a table has that
** name, the hint says how to call the function for its files. */
void pqsql_path_hint_table(sqlite3 *db, const char *function, const char *path,
                           PqErr *e);

#endif
