/*
** attach_inside.h - what the files of parquet_attach share.
**
**   parquet_attach.c   files, folders, and the answer
**   attach_lake.c      the tables and views of a DuckLake
*/
#ifndef PQEXT_ATTACH_INSIDE_H
#define PQEXT_ATTACH_INSIDE_H

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

/* What the call returns: the names of the tables, the names that were taken,
** and the paths that could not become a table. */
typedef struct PqextAttached {
    sqlite3_str *names, *taken, *left_out;
    uint32_t     n_taken, n_left_out;
} PqextAttached;

void pqext_attach_begin(sqlite3 *db, PqextAttached *a);
void pqext_attach_leave_out(PqextAttached *a, const char *why);

/* Frees the parts of the answer. */
char *pqext_attach_text(PqextAttached *a);

/* The result of the call; frees error, and the answer. */
void pqext_attach_give(sqlite3_context *ctx, int rc, char *error, PqextAttached *a);

/* The options as SQL.  NULL after an error, which is the result in ctx. */
char *pqext_attach_options(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* Has any schema a table or view of that name? */
bool pqext_attach_is_taken(sqlite3 *db, const char *name);

/* Makes a table under a name that is free in every schema, because a temp table
** would hide the user's own.  Notes the name.  stem may be NULL: no memory. */
int pqext_attach_free_name(sqlite3 *db, const char *stem, const char *path,
                           const char *options, PqextAttached *a, char **error);

/* Is it a call with the catalog of a DuckLake, and perhaps options? */
bool pqext_is_lake_call(int argc, sqlite3_value **argv);
void pqext_attach_lake(sqlite3_context *ctx, const char *path, int argc, sqlite3_value **argv);

#endif
