/*
** nearest.h - names without case, and the one that was probably meant.
**
** Nothing here or in the files that only need this knows SQLite, so that the
** unit tests can have them.
*/
#ifndef PQSQL_NEAREST_H
#define PQSQL_NEAREST_H

#include "core/parquet.h"

/* Equal but for the case of ASCII letters, as SQLite compares names. */
bool pqsql_same_name(const char *a, const char *b);

/* Levenshtein distance without case; long words are far from everything. */
unsigned pqsql_name_distance(const char *a, const char *b);

/* So near that a message should ask for it, given how long the word is. */
bool pqsql_name_is_near(const char *word, unsigned distance);

/* Is part in name, and long enough to be no accident? */
bool pqsql_name_has_part(const char *name, const char *part);

#endif
