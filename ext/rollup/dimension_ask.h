/*
** dimension_ask.h - SQLite computes an expression of one column.
**
**   SELECT upper("city") FROM (SELECT CAST(?1 AS TEXT) AS "city")
**
** The CAST gives "city" the affinity of the column, which decides how "city"
** compares.  There is no CAST for a value that it would change.
*/
#ifndef PQEXT_DIMENSION_ASK_H
#define PQEXT_DIMENSION_ASK_H

#include "ext/rollup/definition.h"

typedef struct PqextAsk {
    sqlite3      *db;                /* NULL: SQLite cannot be asked        */
    sqlite3_stmt *cast, *plain;      /* made when first needed              */
    PqBuf         bytes;             /* of the last value                   */
} PqextAsk;

void pqext_ask_init(PqextAsk *ask, sqlite3 *db, PqMem *mem);
void pqext_ask_reset(PqextAsk *ask);

/* The value of a dimension where its column has the value v.  The bytes stay
** until the next call. */
PqRc pqext_ask(PqextAsk *ask, const PqextDefinition *d,
               const PqextDimension *of, const PqCell *v, PqCell *out,
               PqErr *e);

/* What length() counts: the characters up to a NUL, as SQLite tells them apart.  And what
** substr() takes of them. */
int64_t pqext_text_length(PqSlice text);
PqSlice pqext_text_part(PqSlice text, uint32_t from, uint32_t n);

/* Does SQLite accept the expression?  e says why not. */
PqRc pqext_ask_check(const PqextDefinition *d, const PqextDimension *of,
                     PqErr *e);

/* What SQLite knows of a function.  The text of a rollup may come from the
** schema of a file that somebody else made.  So a rollup in a schema does not
** call what SQLite does not let schemas call.  CHANGES: its result is not
** always the same.  OWN: a SCALAR that the program made, not SQLite.  UNSURE:
** SQLite does not say. */
typedef enum PqextFunctionKind {
    PQEXT_FUNCTION_UNKNOWN, PQEXT_FUNCTION_SCALAR, PQEXT_FUNCTION_OWN,
    PQEXT_FUNCTION_CHANGES,
    PQEXT_FUNCTION_AGGREGATE, PQEXT_FUNCTION_DIRECT, PQEXT_FUNCTION_UNSURE
} PqextFunctionKind;

/* *near: for an unknown name, a name that may have been meant, or NULL. */
PqRc pqext_ask_function(sqlite3 *db, const char *name, PqArena *a,
                        PqextFunctionKind *out, const char **near, PqErr *e);

#endif
