/*
** lake_change.h - parquet_delete, and parquet_compact of a DuckLake: a change of a table whose
** rows are read by a table of this connection.
**
**   lake_delete.c    rows that satisfy a condition
**   lake_compact.c   small files, files with deleted rows, and rows in the catalog
**
** The lock comes first, and what is read then is what the change is of.
*/
#ifndef PQSQL_LAKE_CHANGE_H
#define PQSQL_LAKE_CHANGE_H

#include "sql/ducklake/ducklake_write.h"
#include "sql/move/move.h"

/* The rows with their files, and what a call finds among them. */
#define PQSQL_LAKE_TABLE "temp.\"parquet lake table\""
#define PQSQL_LAKE_FOUND "temp.\"parquet lake rows\""
#define PQSQL_LAKE_JOINED "temp.\"parquet lake files\""

/* A file that the newest snapshot has. */
typedef struct PqsqlLakeFile {
    int64_t     id, begin, size, n_rows, n_deleted;
    const char *path;                /* as it is opened, and as filename is  */
    const char *deletes;             /* the path of its delete file, or NULL */
    bool        ever_deleted;        /* from, by whatever                    */
    const char *partition;           /* equal where the partition is; NULL: none */
    int64_t     n_found, n_live;     /* rows that a condition found, of so many */
} PqsqlLakeFile;

typedef struct PqsqlLakeChange {
    PqsqlMove         *m;            /* its folder is the catalog            */
    PqsqlDucklakeWrite w;
    bool               exact;        /* rows are read to be written again    */
    PqsqlLakeFile     *files;        /* by partition, then by the ids of their rows */
    uint32_t           n_files;
    const char       **made;         /* new files, which go if the change does not come */
    uint32_t           n_made;
} PqsqlLakeChange;

/* Takes the lock, and finds the files. */
PqRc pqsql_lake_change_begin(PqsqlLakeChange *l, const char *table);

/* After an error in m->e: new files go.  Frees what l has. */
void pqsql_lake_change_end(PqsqlLakeChange *l);

/* Writes the rows of a query into a new file of the table: below its folder, and called
** ducklake-UUID and the ending.  options, and to: the ids of fields, are of JSON objects. */
PqRc pqsql_lake_change_write(PqsqlLakeChange *l, const char *query, const char *options,
                             const char *ids, const char *ending, PqPublished *made);

/* parquet_compact of a table of a catalog: returns the answer. */
const char *pqsql_lake_compact(PqsqlMove *m, const char *table);

#endif
