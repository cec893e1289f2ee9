/*
** ducklake.h - DuckLake tables, whose catalog is an SQLite database.
**
**   parquet('lake.ducklake', table='sales.orders', version=3)
**
** The catalog has all that a log has: snapshots, schemas, files, deletes, and also rows
** and keys.  It is opened for reading by a connection of its own.  But if it is a database
** of the user's connection, it is read there, with what is not committed yet.
**
**   ducklake_catalog.c   the connection, the snapshot, the table, where its files lie
**   ducklake_columns.c   columns become the schema of the table
**   ducklake_files.c     files and deletes
**   ducklake_rows.c      rows in the catalog become a Parquet file in memory
**   ducklake_nested.c    ... and their nested values JSON
**   ducklake_view.c      views
**   iceberg_catalog.c    a catalog of PyIceberg's, which names metadata of Iceberg tables
**
** spec: https://ducklake.select/docs/stable/specification
*/
#ifndef PQSQL_DUCKLAKE_H
#define PQSQL_DUCKLAKE_H

#include "core/for_host.h"
#include "sql/sqlite.h"

typedef struct PqsqlDucklake {
    sqlite3    *db;                  /* the user's connection                */
    const char *table;               /* name, or schema.name                 */
    bool        row_ids;             /* columns for what files and the catalog say of rows */
} PqsqlDucklake;

/* For PqLakeHost; arg is a PqsqlDucklake. */
PqRc pqsql_ducklake_read(void *arg, PqLakeReading *r, PqErr *e);

/* Is the file the catalog of a DuckLake? */
bool pqsql_ducklake_is(const char *path);

/* A table or a view of a snapshot. */
typedef struct PqsqlDucklakeName {
    const char *schema, *name;
    const char *view;                /* its SQL; NULL: a table               */
    const char *columns;             /* of a view: names, as DuckLake has them, or NULL */
} PqsqlDucklakeName;

/* Visits those of the newest snapshot, of a version that is not below 0, or of the newest one
** that is not later than as_of (microseconds; INT64_MAX: now): tables in the order of their
** names, then views, each after those that it may use. */
typedef PqRc (*PqsqlDucklakeVisit)(void *arg, const PqsqlDucklakeName *name, PqErr *e);
PqRc pqsql_ducklake_names(sqlite3 *db, const char *path, int64_t version, int64_t as_of,
                          PqsqlDucklakeVisit visit, void *arg, const PqStop *stop, PqErr *e);

/* Makes a temporary view.  An error code of SQLite, and why; *why is the caller's to free. */
int pqsql_ducklake_view(sqlite3 *db, const char *name, const PqsqlDucklakeName *n, char **why);

#endif
