/*
** copy_elsewhere.h - options of a copy by the names that other tools have for
** them.
**
** They are not taken: what they mean differs in what it counts or promises.
** The message about them says what there is instead.
*/
#ifndef PQSQL_COPY_ELSEWHERE_H
#define PQSQL_COPY_ELSEWHERE_H

typedef struct PqsqlElsewhere {
    const char *known_as;
    const char *option;              /* here                                 */
    const char *meant;               /* what to write, NULL: the option      */
} PqsqlElsewhere;

/* Case and the marks between words do not count: rowGroupSize, row-group-size.
** NULL: no tool is known that has it. */
const PqsqlElsewhere *pqsql_copy_elsewhere(const char *name);

#endif
