/*
** ducklake_write.h - a change of a DuckLake table: rows of its catalog, in one snapshot.
**
**   files                written, synced and named, in the folder of the table
**   SAVEPOINT            of the user's connection if the catalog is a database of it, else
**                        of a connection of its own
**   the lock             for writing; the newest snapshot; is the table as it was?
**   rows                 ducklake_data_file, ducklake_file_column_stats, ...
**   ducklake_snapshot    from here on the table has another version
**   RELEASE
**
** So a rollback of the user takes the change back, and leaves files that no catalog names.
** A process that dies leaves the same.
**
**   ducklake_write.c     the change as a whole, and the copy that appends
**   ducklake_stats.c     what the catalog keeps of the columns of a file
**   ducklake_part.c      the partition of a row
*/
#ifndef PQSQL_DUCKLAKE_WRITE_H
#define PQSQL_DUCKLAKE_WRITE_H

#include "sql/ducklake/ducklake_inside.h"

/* Of pages and row groups of encrypted files: see copy_lake.c. */
enum { PQSQL_LAKE_SEALED_ROWS = 122880, PQSQL_LAKE_SEALED_BYTES = 1 << 30 };

/* A column by which new files are sorted (SET SORTED BY). */
typedef struct PqsqlDucklakeKey {
    const char *column;
    bool        descending, nulls_first;
} PqsqlDucklakeKey;

typedef struct PqsqlDucklakeWrite {
    PqLakeWriter  writer;            /* of a copy that appends               */
    PqsqlLakeCatalog c;              /* version: after begin, the one that is made */
    PqLakeReading r;                 /* whose snapshot has the schema        */
    PqArena      *a;                 /* the writer's                         */
    int64_t       base;              /* the version that was looked at       */
    int64_t       next_file_id;
    int64_t       next_row_id, n_rows, n_bytes; /* of the table; counts that are added */
    bool          has_stats;         /* ducklake_table_stats has the table   */
    int64_t       partition_id;      /* if the writer has any parts          */
    PqsqlDucklakeKey *order;
    uint32_t      n_order;
    const char   *key_name;          /* of the new files, in the ring; NULL: in the clear */
    const char   *key_text;          /* as the catalog has it                */
    bool          merges;            /* files have rows that were there      */
    bool          has_begun;
    bool          is_outer;          /* there was no transaction             */
} PqsqlDucklakeWrite;

/* Finds the table.  w is freed in any case. */
PqRc pqsql_ducklake_write_open(PqsqlDucklakeWrite *w, const PqsqlDucklake *of,
                               const PqLakeWritePlan *plan, PqErr *e);

/* Takes back what was begun and not ended. */
void pqsql_ducklake_write_free(PqLakeWriter *w);

/* Fails if the table has another form by now. */
PqRc pqsql_ducklake_write_begin(PqsqlDucklakeWrite *w, PqErr *e);

/* what: of ducklake_snapshot_changes, such as "deleted_from_table".  n 0: nothing was changed, so
** no version is made. */
PqRc pqsql_ducklake_write_end(PqsqlDucklakeWrite *w, const char *const *what, uint32_t n,
                              PqErr *e);

/* Enters a delete file of n rows of a data file, whose earlier one ends. */
PqRc pqsql_ducklake_write_deletes(PqsqlDucklakeWrite *w, int64_t file, const PqPublished *f,
                                  int64_t n, PqErr *e);

/* A data file and its deletes end with this version; -1: all do. */
PqRc pqsql_ducklake_write_end_file(PqsqlDucklakeWrite *w, int64_t file, PqErr *e);

/* Runs a statement for each table of inlined rows, which is $."%w" in it, with a text for ?3.
** *n: the number of rows that it changed. */
PqRc pqsql_ducklake_write_inlined(PqsqlDucklakeWrite *w, const char *change, const char *value,
                                  int64_t *n, PqErr *e);

/* Begins a statement: the columns and fields of the table, f, with their ids and their paths as the
** option field_ids has them.  Parts of lists and maps have their names by their places. */
#define PQSQL_LAKE_FIELDS \
    "WITH RECURSIVE c AS (SELECT * FROM $.ducklake_column AS c WHERE c.table_id = ?2 AND " \
    PQSQL_LIVE("c") "), f(id, path, type) AS (SELECT column_id, column_name, column_type FROM c " \
    "WHERE parent_column IS NULL UNION ALL SELECT c.column_id, f.path || '.' || CASE " \
    "lower(f.type) WHEN 'list' THEN 'element' WHEN 'map' THEN iif(EXISTS (SELECT 1 FROM c AS o " \
    "WHERE o.parent_column = f.id AND (o.column_order, o.column_id) < (c.column_order, " \
    "c.column_id)), 'value', 'key') ELSE c.column_name END, c.column_type FROM f JOIN c ON " \
    "c.parent_column = f.id) "

/* ---- ducklake_stats.c ---- */

PqRc pqsql_ducklake_stats(PqsqlDucklakeWrite *w, int64_t file, const PqFooter *f, PqErr *e);

/* ---- iceberg_catalog.c ---- */

/* A table of PyIceberg's catalog, to which rows are added. */
typedef struct PqsqlIcebergWrite {
    PqsqlLakeCatalog lake;
    PqLakeReading r;
    const char   *table;
    const char   *location;          /* that newest told                     */
    PqIcebergCatalog catalog;        /* for iceberg_write.h                  */
} PqsqlIcebergWrite;

/* *data: the folder of its data; NULL: the catalog is a DuckLake's.  w is closed in any case. */
PqRc pqsql_iceberg_write_open(PqsqlIcebergWrite *w, const PqsqlDucklake *of, const char *catalog,
                              PqArena *a, const PqStop *stop, const char **data, PqErr *e);
void pqsql_iceberg_write_close(PqsqlIcebergWrite *w);

/* ---- ducklake_part.c ---- */

PqRc pqsql_ducklake_part_find(PqsqlDucklakeWrite *w, PqErr *e);
PqRc pqsql_ducklake_order_find(PqsqlDucklakeWrite *w, PqErr *e);

/* The text of a value that folders are for, as they and the catalog have it: in scratch. */
PqRc pqsql_ducklake_part_text(PqsqlDucklakeWrite *w, const PqLakeBy *by, PqSlice *text, PqErr *e);

#endif
