/*
** copy_lake.h - rows of a query become a version of a Delta, an Iceberg or a
** DuckLake table.
**
**   {"lake": "append"}      the files of the table and the new ones
**   {"lake": "overwrite"}   the new ones
**   {"lake": "delta"}       a table that was not there
**   {"lake": "append", "table": "orders"}      of a DuckLake or of PyIceberg, whose catalog is
**                                              the path
**
** The files are written as into any folder; the log knows them as the last step of
** their publication (delta_write.h, iceberg_write.h, ducklake_write.h).  Into an Iceberg table rows
** are only appended.
*/
#ifndef PQSQL_COPY_LAKE_H
#define PQSQL_COPY_LAKE_H

#include "sql/copy/copy_folder.h"
#include "sql/ducklake/ducklake_write.h"

typedef struct PqsqlCopyLake {
    const PqsqlCopyInto *into;
    PqLakeWriter  *writer;           /* NULL: not into a lake table          */
    const char    *kind;             /* of it, as lake_tables.h has them     */
    PqsqlDucklake  of;               /* table NULL: not into one of a catalog */
    PqLakeHost     catalogs;
    PqsqlIcebergWrite pyiceberg;     /* lake.db NULL: not into its tables    */
    PqsqlDucklakeWrite catalog;
    const PqLakeSnapshot *table;     /* of Delta; NULL: a new one             */
    PqSchema       schema;           /* of the files of a new table          */
    struct PqsqlLakeBy {
        PqType     type;
        bool       is_typed;         /* the type is known                    */
        unsigned   classes;          /* SQLite's, a bit each: of its values  */
    } *by;                           /* of the partition columns             */
    const char   **partition;        /* their names, from pqsql_copy_lake_types on */
} PqsqlCopyLake;

/* Checks the options, and makes them those of a copy into a folder.  That of the data of an
** Iceberg table, or of a table of a DuckLake, is then in into. */
PqRc pqsql_copy_lake_see(PqsqlCopyLake *l, sqlite3 *db, PqsqlCopyInto *into,
                         PqsqlCopyOptions *o, PqErr *e);

/* The folder was looked at: partition_by becomes the table's. */
PqRc pqsql_copy_lake_open(PqsqlCopyLake *l, const PqsqlCopyFolder *f, PqsqlCopyOptions *o,
                          PqErr *e);

/* The columns are found: partition_by becomes that of an Iceberg or DuckLake table, whose
** files have these columns too. */
PqRc pqsql_copy_lake_fit(PqsqlCopyLake *l, PqsqlCopyColumns *columns, PqsqlCopyOptions *o,
                         PqErr *e);

/* Appends by what the table sorts new files, as terms of ORDER BY (copy_query.h). */
void pqsql_copy_lake_order(const PqsqlCopyLake *l, const PqsqlCopyColumns *columns, PqBuf *out);

/* partition: the columns of partition_by. */
void pqsql_copy_lake_types(PqsqlCopyLake *l, const PqsqlCopyColumns *columns,
                           const uint32_t *partition);

/* The types are settled.  The plan gets the names that files of the table have. */
PqRc pqsql_copy_lake_schema(PqsqlCopyLake *l, PqCopyPlan *plan, PqArena *a, PqErr *e);

/* Another row begins: texts of the one before go. */
void pqsql_copy_lake_row(PqsqlCopyLake *l);

/* The text of a value of partition column k of a row, as the log has it. */
PqRc pqsql_copy_lake_value(PqsqlCopyLake *l, uint32_t k, int sqlite_type, const char *name,
                           PqSlice *text, PqErr *e);

/* Is the table partitioned by a transform of the column?  Then that of a value, which is not
** NULL. */
bool pqsql_copy_lake_transforms(const PqsqlCopyLake *l, uint32_t k);
PqRc pqsql_copy_lake_part(PqsqlCopyLake *l, uint32_t k, sqlite3_value *v,
                          const PqsqlCopyColumn *column, PqSlice *text, PqErr *e);

/* All rows have come. */
PqRc pqsql_copy_lake_columns(PqsqlCopyLake *l, const PqsqlCopyColumns *columns, PqErr *e);

/* NULL: not into a lake table. */
const PqPublishLog *pqsql_copy_lake_log(const PqsqlCopyLake *l);

void pqsql_copy_lake_free(PqsqlCopyLake *l);

#endif
