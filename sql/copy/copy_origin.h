/*
** copy_origin.h - which table a column of a query comes from, and what is known
** about it there.
**
** SQLite can tell the table and column of a result column, even through views
** and subqueries, if it was compiled with SQLITE_ENABLE_COLUMN_METADATA, as
** distributions do.
**
**   from                     type                        required
**   a Parquet table          the file's own              as declared
**   a native table           its declared type, a hint   as declared
**   an expression            nothing                     no
**
** Without that option only the declared type is known, as a hint.  NOT NULL
** holds for the rows of a table, but not for rows of a LEFT JOIN, a UNION or a
** subquery, so it counts only in a plain query.  If that is still wrong, a NULL
** is an error that says what to write, and never a wrong value.
*/
#ifndef PQSQL_COPY_ORIGIN_H
#define PQSQL_COPY_ORIGIN_H

#include "sql/value/type_name.h"
#include "sql/value/value.h"
#include "sql/value/variant_of_text.h"

/* A column of a Parquet table. */
typedef struct PqsqlSource {
    const PqColumn *column;          /* valid until another statement runs   */
    PqsqlOptions    values;
    bool            required;
} PqsqlSource;

/* What the connection, in ext/, does for a copy, and keeps of it. */
typedef struct PqsqlCopyHost {
    PqStop stop;
    void (*sqlite_ran)(void *arg);   /* called after SQLite has run, which
                                     ** notices interrupts by itself         */
    /* False when there is no such Parquet table, or no such column in it. */
    bool (*source)(void *arg, const char *schema, const char *table,
                   const char *column, PqsqlSource *out);
    /* Called before the query is compiled. */
    void (*watch)(void *arg);
    /* The name of a Parquet table that the query reads and that would count a
    ** new file at this path among its files; NULL: there is none. */
    PqRc (*reads)(void *arg, const char *path, const char **table, PqErr *e);
    void  *arg;
    PqCleanup *cleanup;              /* of an interrupted copy, or NULL      */
    PqsqlTwins *twins;
    PqKeyRing *keys;
    PqEngine  *engine;
} PqsqlCopyHost;

typedef struct PqsqlOrigin {
    PqsqlType   *type;               /* NULL: nothing is known               */
    bool         is_hint;
    bool         required;
    PqNumberTime number_time;
    bool         unit_is_unknown;    /* raw numbers may have other origins   */
    uint8_t      classes;            /* see PqFillRules; 0: not known        */
    PqSlice      crs_json;           /* of a geometry, as GeoParquet has it
                                     ** there; n 0: it is not known          */
    const char  *covered_by;         /* ... and the id of the STRUCT that has
                                     ** its boxes, or NULL                   */
    const char  *struct_id;          /* of a STRUCT that the query only passes
                                     ** on, or NULL                          */
    bool         always_fits;        /* every scalar that the table may give */
    const char  *remedy;             /* advice for values that do not fit    */
    PqsqlPassed  passed;             /* a VARIANT that the query does nothing
                                     ** with; column NULL: none              */
} PqsqlOrigin;

/* Does NOT NULL of the query's tables hold for its rows? */
bool pqsql_copy_origin_is_plain(const char *sql);

/* Does it have a UNION?  SQLite tells the origin of its first SELECT, but rows
** come from all of them. */
bool pqsql_copy_origin_has_union(const char *sql);

/* The type of a geometry if nothing more is known about it. */
PqRc pqsql_copy_origin_geometry(PqArena *a, PqsqlType **out, PqErr *e);

/* What is known of a column of a Parquet table; *out is empty before. */
PqRc pqsql_copy_origin_of_source(const PqsqlSource *s, bool is_plain,
                                 PqArena *a, PqsqlOrigin *out, PqErr *e);

/* The name of the STRUCT with the boxes of a geometry; NULL: there is none. */
const char *pqsql_copy_origin_covering(const PqColumn *c);

/* Finds the origin of column i of a prepared statement; out points into a. */
PqRc pqsql_copy_origin(const PqsqlCopyHost *host, sqlite3_stmt *query, int i,
                       bool is_plain, PqArena *a, PqsqlOrigin *out, PqErr *e);

/* copy_calls.c: finds types for columns of the query that are calls, and have
** no type yet.  Geometries get one only if the files may have the type. */
PqRc pqsql_copy_calls_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           bool geometries, PqsqlOrigin *columns, uint32_t n,
                           PqArena *a, PqErr *e);

#endif
