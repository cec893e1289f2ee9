/*
** ducklake_inside.h - what the files that implement ducklake.h share.
*/
#ifndef PQSQL_DUCKLAKE_INSIDE_H
#define PQSQL_DUCKLAKE_INSIDE_H

#include "sql/ducklake/ducklake.h"

/* A column of the snapshot. */
typedef struct PqsqlLakeColumn {
    int64_t     id, parent;          /* parent -1: none                      */
    const char *name, *type;
    const char *first_value;         /* of rows that are older; NULL: null   */
} PqsqlLakeColumn;

typedef struct PqsqlLakeCatalog {
    sqlite3       *db;
    bool           own;              /* the connection                       */
    bool           writes;
    bool           row_ids;
    bool           is_iceberg;       /* it is PyIceberg's                    */
    const char    *schema;           /* the name of the database in it       */
    sqlite3_stmt  *held;             /* a statement that runs, so that all others read
                                     ** the same state                       */
    PqLakeReading *r;                /* NULL: only names are read            */
    const PqStop  *stop;             /* NULL: nobody is asked                */
    PqArena       *arena;
    int64_t        version, table_id;
    const char    *folder;           /* of the table's files, with a slash   */
    const char    *data;             /* data_path                            */
    PqsqlLakeColumn *columns;        /* by parent, then in their order       */
    uint32_t       n_columns;
    uint32_t       n_made;           /* ... that the schema has so far       */
} PqsqlLakeCatalog;

/* The catalog is opened, and the state of a DuckLake's is held. */
PqRc pqsql_lake_open(PqsqlLakeCatalog *c, sqlite3 *db, const char *path, PqErr *e);
void pqsql_lake_close(PqsqlLakeCatalog *c);

/* Sets version: the newest if it is below 0, or that of a time; INT64_MAX: none.  Then
** table_id and folder. */
PqRc pqsql_lake_find_snapshot(PqsqlLakeCatalog *c, int64_t version, int64_t as_of, PqErr *e);
PqRc pqsql_lake_find_table(PqsqlLakeCatalog *c, const char *name, PqErr *e);

/* What merged files and rows in the catalog have besides, as Iceberg's files (lake_names.h). */
#define PQSQL_LAKE_ROW_ID "_ducklake_internal_row_id"
#define PQSQL_LAKE_SNAPSHOT_ID "_ducklake_internal_snapshot_id"

/* Rows of a table of the catalog that its snapshot ?1 has. */
#define PQSQL_LIVE(t) \
    t ".begin_snapshot <= ?1 AND (" t ".end_snapshot IS NULL OR ?1 < " t ".end_snapshot)"

/* A statement of the catalog.  $ stands for its database, ?1 for the snapshot, ?2 for the
** table. */
PqRc pqsql_lake_ask(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **out, PqErr *e);
PqRc pqsql_lake_prepare(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **out, PqErr *e);
PqRc pqsql_lake_step(PqsqlLakeCatalog *c, sqlite3_stmt *s, bool *more, PqErr *e);

/* The rows of such a statement:
**
**   sqlite3_stmt *s = NULL;
**   while (pqsql_lake_next(c, sql, &s, e)) { ... }
**   PQ_TRY(e->rc);
**
** It ends with an error too, also with one that e has from what was done with the row. */
bool pqsql_lake_next(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **s, PqErr *e);

/* Runs one with ?3 and so on: i int64_t, n the same, below 0: NULL, s a text or NULL.  After ">"
** comes what its first row has: i int64_t, b bool, t a text, in the arena.  Without a row, all of
** that is 0; a "?" before it tells whether there was one. */
PqRc pqsql_lake_run(PqsqlLakeCatalog *c, PqErr *e, const char *sql, const char *types, ...);

/* What SQLite says of the connection. */
PqRc pqsql_lake_failed(const PqsqlLakeCatalog *c, PqErr *e);

/* The text of a column, in the arena; NULL and no error: null. */
PqRc pqsql_lake_text(PqsqlLakeCatalog *c, sqlite3_stmt *s, int i, const char **out,
                     PqErr *e);

/* A path of the catalog, as it is opened. */
PqRc pqsql_lake_path(PqsqlLakeCatalog *c, const char *folder, const char *path,
                     bool is_relative, const char **out, PqErr *e);
bool pqsql_lake_is_true(sqlite3_stmt *s, int i);

/* Does the catalog have a table of that name? */
PqRc pqsql_lake_has(PqsqlLakeCatalog *c, const char *name, bool *has, PqErr *e);

/* Bytes as DuckDB prints them, in the arena: what is no letter is \xAB. */
PqRc pqsql_lake_bytes(PqsqlLakeCatalog *c, const char *text, PqSlice *out, PqErr *e);

/* A nested value of a row in the catalog, as JSON. */
PqRc pqsql_lake_nested(PqsqlLakeCatalog *c, const PqNode *node, PqSlice text, PqBuf *out,
                       PqErr *e);

/* Fails, with some of the names that a SELECT has.  when: " in version 3", or empty. */
PqRc pqsql_lake_no_table(PqsqlLakeCatalog *c, const char *names_sql, const char *name,
                         const char *when, PqErr *e);

/* The catalog is PyIceberg's: its table is read by the metadata that it names. */
PqRc pqsql_lake_iceberg(PqsqlLakeCatalog *c, const char *table, PqErr *e);

/* The columns of a snapshot of the table, and its schema. */
PqRc pqsql_lake_schema(PqsqlLakeCatalog *c, PqFooter **out, PqErr *e);

PqRc pqsql_lake_columns(PqsqlLakeCatalog *c, PqErr *e);
PqRc pqsql_lake_files(PqsqlLakeCatalog *c, PqErr *e);
PqRc pqsql_lake_rows(PqsqlLakeCatalog *c, PqErr *e);

#endif
