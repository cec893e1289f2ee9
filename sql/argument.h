/*
** argument.h - arguments of functions that are texts, blobs or paths, and
** errors as results.
*/
#ifndef PQSQL_ARGUMENT_H
#define PQSQL_ARGUMENT_H

#include "core/for_host.h"
#include "sql/sqlite.h"

bool pqsql_any_null(int argc, sqlite3_value **argv);

/* The bytes of v, which live as long as v.  SQLite may fail to make them. */
PqRc pqsql_text_of(sqlite3_value *v, PqSlice *out, PqErr *e);
PqRc pqsql_blob_of(sqlite3_value *v, PqSlice *out, PqErr *e);

/* v, whose bytes live as long as v. */
PqRc pqsql_cell_of(sqlite3_value *v, PqCell *out, PqErr *e);

/* The text of v, which lives as long as v.  NULL and an error when v is NULL or
** has a NUL byte, or when there is no memory.  A path cut at a NUL may name
** another file, so it is refused. */
const char *pqsql_path_of(sqlite3_value *v, PqErr *e);

/* The same, or what stands for the bytes of a file themselves, which go to places. */
const char *pqsql_file_of(sqlite3_value *v, PqPlaces *places, PqErr *e);

/* Adds a hint to the error that there is no file at path: if a table has that
** name, the hint says how to call the function for its files. */
void pqsql_path_hint_table(sqlite3 *db, const char *function, const char *path,
                           PqErr *e);

void pqsql_result_error(sqlite3_context *ctx, const PqErr *e);

/* An error with a text of sqlite3_mprintf, which this frees; NULL: no
** memory. */
void pqsql_result_message(sqlite3_context *ctx, char *text);

#endif
