/*
** dimension_ask.h - SQLite computes an expression of one column.
**
**   SELECT upper("city") FROM (SELECT CAST(?1 AS TEXT) AS "city")
**
** The CAST gives "city" the affinity that the column has, which decides how
** "city" compares; it is left out for a value that it would change.
*/
#ifndef PQEXT_DIMENSION_ASK_H
#define PQEXT_DIMENSION_ASK_H

#include "ext/rollup/definition.h"

typedef struct PqextAsk {
    sqlite3      *db;                /* NULL: it cannot be asked            */
    sqlite3_stmt *cast, *plain;      /* made when first needed              */
    PqBuf         bytes;             /* of the last value                   */
} PqextAsk;

void pqext_ask_init(PqextAsk *ask, sqlite3 *db, PqMem *mem);
void pqext_ask_reset(PqextAsk *ask);

/* The value of a dimension whose column is v; its bytes stay until the next
** call. */
PqRc pqext_ask(PqextAsk *ask, const PqextDefinition *d,
               const PqextDimension *of, const PqCell *v, PqCell *out,
               PqErr *e);

/* Would SQLite take it?  e says why not. */
PqRc pqext_ask_check(const PqextDefinition *d, const PqextDimension *of,
                     PqErr *e);

/* What is a function of this name to SQLite?  The text of a rollup may come from
** the schema of a file that somebody else made, so what SQLite allows no schema
** to call is not called for one.  CHANGES: its result is not always the same.
** OWN: a SCALAR that the program, not SQLite, has made.
** UNSURE: SQLite does not tell. */
typedef enum PqextFunctionKind {
    PQEXT_FUNCTION_UNKNOWN, PQEXT_FUNCTION_SCALAR, PQEXT_FUNCTION_OWN,
    PQEXT_FUNCTION_CHANGES,
    PQEXT_FUNCTION_AGGREGATE, PQEXT_FUNCTION_DIRECT, PQEXT_FUNCTION_UNSURE
} PqextFunctionKind;

/* *near: if the name is unknown, one that may have been meant, or NULL. */
PqRc pqext_ask_function(sqlite3 *db, const char *name, PqArena *a,
                        PqextFunctionKind *out, const char **near, PqErr *e);

#endif
