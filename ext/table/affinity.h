/*
** affinity.h - affinity='{"day": "NUMERIC"}': how SQLite is to compare a column.
**
** A declared type gives a column the affinity of its values: a DATE has TEXT.  A native
** table may have said something else, DATETIME for example, which is NUMERIC.  Its rows
** compare as before only if their Parquet table says the same.  The values stay as they are.
*/
#ifndef PQEXT_AFFINITY_H
#define PQEXT_AFFINITY_H

#include "ext/table/options.h"

typedef enum PqextDeclared {
    PQEXT_DECLARED_BY_TYPE,          /* the option does not name the column */
    PQEXT_DECLARED_INTEGER, PQEXT_DECLARED_REAL, PQEXT_DECLARED_NUMERIC,
    PQEXT_DECLARED_TEXT, PQEXT_DECLARED_BLOB
} PqextDeclared;

/* The word of SQLite's for it, which is a type that has it; NULL: BY_TYPE. */
const char *pqext_affinity_word(PqextDeclared d);

/* Reads the option: an entry for each column of t, in memory of SQLite. */
PqRc pqext_affinity_read(const PqTable *t, const char *option, PqextDeclared **out, PqErr *e);

#endif
