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
} PqsqlDucklake;

/* For PqLakeHost; arg is a PqsqlDucklake. */
PqRc pqsql_ducklake_read(void *arg, PqLakeReading *r, PqErr *e);

/* Is the file the catalog of a DuckLake? */
bool pqsql_ducklake_is(const char *path);

/* Visits the tables of the newest snapshot, or of a version that is not below 0, in the
** order of their names. */
typedef PqRc (*PqsqlDucklakeVisit)(void *arg, const char *schema, const char *table,
                                   PqErr *e);
PqRc pqsql_ducklake_tables(sqlite3 *db, const char *path, int64_t version,
                           PqsqlDucklakeVisit visit, void *arg, PqErr *e);

#endif
