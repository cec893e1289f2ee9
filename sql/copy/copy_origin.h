/*
** copy_origin.h - where a column of a query comes from, and what is known of it
** there.
**
** SQLite can tell the table and column that a result column is taken from,
** through views and subqueries, where it was compiled with
** SQLITE_ENABLE_COLUMN_METADATA (distributions do that).
**
**   from                     type                        required
**   a Parquet table          the file's own              as declared
**   a native table           its declared type, a hint   as declared
**   an expression            nothing                     no
**
** Without that option a declared type is all there is, and a hint.  NOT NULL
** holds for the rows of a table, not for those of a LEFT JOIN, a UNION or a
** subquery: it counts where the query is a plain one.  Where that is still
** wrong, a NULL is an error that says what to write, never a wrong value.
*/
#ifndef PQSQL_COPY_ORIGIN_H
#define PQSQL_COPY_ORIGIN_H

#include "sql/value/type_name.h"
#include "sql/value/value.h"

/* A column of a Parquet table. */
typedef struct PqsqlSource {
    const PqColumn *column;          /* as long as no other statement runs   */
    PqsqlOptions    values;
    bool            required;
} PqsqlSource;

/* What the connection, in ext/, does for a copy, and keeps of one. */
typedef struct PqsqlCopyHost {
    PqStop stop;
    void (*spoke)(void *arg);        /* SQLite has run, and would have heard
                                     ** whoever interrupts                   */
    /* False: there is no such Parquet table, or column of it. */
    bool (*source)(void *arg, const char *schema, const char *table,
                   const char *column, PqsqlSource *out);
    void  *arg;
    PqRetreat *retreat;              /* of an interrupted copy, or NULL      */
} PqsqlCopyHost;

typedef struct PqsqlOrigin {
    PqsqlType   *type;               /* NULL: nothing is known               */
    bool         is_hint;
    bool         required;
    PqNumberTime number_time;
    bool         unit_is_unknown;    /* of raw numbers: not all are from there */
    uint8_t      classes;            /* PqFillRules; 0: not known            */
    const char  *remedy;             /* of values that do not fit, or NULL   */
} PqsqlOrigin;

/* Does NOT NULL of its tables hold for the rows of the query? */
bool pqsql_copy_origin_is_plain(const char *sql);

/* Column i of a prepared statement; what out holds lies in a. */
PqRc pqsql_copy_origin(const PqsqlCopyHost *host, sqlite3_stmt *query, int i,
                       bool is_plain, PqArena *a, PqsqlOrigin *out, PqErr *e);

#endif
