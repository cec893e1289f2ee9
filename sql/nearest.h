/*
** nearest.h - names without case, and the one that was probably meant.
**
**   PqsqlNearest near = {.word = "compresion"};
**
**   for each name there is:  pqsql_nearest_look(&near, name);
**   pqsql_nearest(&near)     "compression", or NULL
**
** One rule says what is near, for every message that asks "did you mean":
**
**   a letter that is wrong, missing, too many, or changed places with the
**   next one, for every four letters of the longer name, three at most:
**       hve  hive      memmory  memory      timstmp  timestamp
**   else a name of four letters or more that is a word of the other one:
**       level  compression_level            use_dictionary  dictionary
**
** So names of up to three letters are near to nothing, and neither is a word
** without letters: 2023 is not a misspelt 2024.
**
** Nothing here or in the files that only need this knows SQLite, so that the
** unit tests can have them.
*/
#ifndef PQSQL_NEAREST_H
#define PQSQL_NEAREST_H

#include "core/parquet.h"

/* Equal but for the case of ASCII letters, as SQLite compares names. */
bool pqsql_same_name(const char *a, const char *b);

/* Equal but for case and the marks between words: rowGroupSize, row-group-size. */
bool pqsql_same_words(const char *a, const char *b);

/* Only word is the caller's to set.  Names are borrowed until the end. */
typedef struct PqsqlNearest {
    const char *word;
    const char *near, *by_part;      /* the best so far                      */
    unsigned    distance;            /* of near                              */
} PqsqlNearest;

void pqsql_nearest_look(PqsqlNearest *n, const char *name);

/* The nearest name, of several the first; NULL when none is near. */
const char *pqsql_nearest(const PqsqlNearest *n);

#endif
