/*
** copy_types.h - the types of the columns of a copy.
**
**   1. what "types" says            a command
**   2. the Parquet table's type     a command
**   3. the declared type            a hint: for the first rows it has to fit
**   4. the values                   INTEGER INT64, with REAL DOUBLE, TEXT
**                                   STRING, BLOB BYTE_ARRAY
**
** 1 and 2 are known when the query is prepared.  Where 3 or 4 are wanted rows
** are gathered before the first file is begun, and then settled, once for the
** whole copy.
*/
#ifndef PQSQL_COPY_TYPES_H
#define PQSQL_COPY_TYPES_H

#include "sql/copy/copy_options.h"
#include "sql/copy/copy_origin.h"

typedef struct PqsqlCopyColumn {
    const char    *name;
    const char    *quoted;           /* the name as JSON, to be shown        */
    bool           is_partition;     /* a folder's name has it, and no type  */
    PqsqlType     *type;             /* NULL: to be settled                  */
    bool           is_hint;          /* likewise                             */
    bool           is_explicit;      /* "types" said so                      */
    bool           is_auto;          /* texts are taken for what they are    */
    bool           all_are_auto;     /* of the columns that are not named    */
    bool           empty_is_null;
    bool           required;
    bool           may_undo;         /* nobody asked for required by name    */
    const char    *remedy;           /* of misfits, or NULL                  */
    bool           unit_is_unknown;  /* of raw numbers, if nothing is said   */
    PqFillRules    rules;
    PqChunkOptions chunk;
} PqsqlCopyColumn;

typedef struct PqsqlCopyColumns {
    PqsqlCopyColumn *v;
    uint32_t n;
    bool     settled;                /* all columns that are no partition    */
} PqsqlCopyColumns;

/* The columns of a prepared query, with all that is known before it runs.  Every
** name in the options has to be one of them.  All lies in a. */
PqRc pqsql_copy_types_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           const PqsqlCopyOptions *o, PqArena *a,
                           PqsqlCopyColumns *out, PqErr *e);

/* Which column has the name, without case where none has it exactly; -1: none,
** and the error says which would be near. */
int32_t pqsql_copy_types_column(const PqsqlCopyColumns *columns,
                                const char *option, const char *name,
                                PqErr *e);

/* What remains of the column's type at this level of compatibility. */
PqRc pqsql_copy_types_adapt(const PqsqlCopyOptions *o, PqsqlCopyColumn *c,
                            PqErr *e);

/* The elements of the file's schema, without the columns of partitions. */
PqRc pqsql_copy_types_schema(const PqsqlCopyColumns *columns,
                             const PqsqlCopyOptions *o, PqMem *mem, PqArena *a,
                             PqSchemaElementList *out, PqErr *e);

#endif
