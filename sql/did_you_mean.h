/*
** did_you_mean.h - "did you mean": the name that was probably meant, by names
** without case.
**
**   PqsqlNearest near = {.word = "compresion"};
**
**   for each valid name:     pqsql_nearest_look(&near, name);
**   pqsql_nearest(&near)     "compression", or NULL
**
** One rule says what is near, for every message that asks "did you mean":
**
**   one error for every four letters of the longer name, three at most, where
**   an error is a letter that is wrong, missing, too many, or swapped with
**   the next one:
**       hve  hive      memmory  memory      timstmp  timestamp
**   else a name of four letters or more that is a word of the other one:
**       level  compression_level            use_dictionary  dictionary
**
** So names of up to three letters are near to nothing.  A word without letters
** is not near to any name either: 2023 is not a misspelt 2024.
**
** This file does not use SQLite, so unit tests can link it.
*/
#ifndef PQSQL_DID_YOU_MEAN_H
#define PQSQL_DID_YOU_MEAN_H

#include "core/for_host.h"

/* Are they equal, ignoring case and the marks between words: rowGroupSize and
** row-group-size? */
bool pqsql_same_words(const char *a, const char *b);

/* The caller sets only word.  Names must live as long as the struct is used. */
typedef struct PqsqlNearest {
    const char *word;
    const char *near, *by_part;      /* the best so far                      */
    unsigned    distance;            /* of near                              */
} PqsqlNearest;

void pqsql_nearest_look(PqsqlNearest *n, const char *name);

/* The first of the nearest names; NULL when none is near. */
const char *pqsql_nearest(const PqsqlNearest *n);

/* ... as the hint of the error that was noted, if one is near. */
void pqsql_nearest_hint(const PqsqlNearest *n, PqErr *e);

#endif
