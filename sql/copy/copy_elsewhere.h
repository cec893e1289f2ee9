/*
** copy_elsewhere.h - the names that other tools have for options of a copy.
**
** These names are not accepted, because their meaning often differs in a
** detail.  The error names the option to use instead.
*/
#ifndef PQSQL_COPY_ELSEWHERE_H
#define PQSQL_COPY_ELSEWHERE_H

typedef struct PqsqlElsewhere {
    const char *known_as;
    const char *option;              /* its name here                        */
    const char *meant;               /* what to write; NULL: the option      */
} PqsqlElsewhere;

/* Case and the marks between words are ignored: rowGroupSize, row-group-size.
** NULL when no tool is known to have the name. */
const PqsqlElsewhere *pqsql_copy_elsewhere(const char *name);

#endif
