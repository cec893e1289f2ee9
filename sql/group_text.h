/*
** group_text.h - what a statement does with the columns of a rollup.
**
**   SELECT country, sum(total) FROM ev WHERE ts >= ?1 AND ts < ?2 GROUP BY country
**
**   country   is read
**   ts        is only compared, by two constraints
**   total     is only added up
**
** SQLite does not tell a column that is compared from one that is read.  Its text
** does.  If a dimension is only compared, and SQLite leaves these comparisons to the
** table, then the statement has the same answer whether groups are split by it or
** not: all that is done with them is adding them up.
**
** A text is understood if each SELECT that names the table has it alone in its FROM,
** has neither OR in its WHERE nor a SELECT or a window inside, and adds up measures
** as they were added up:
**
**   sum(m), total(m)   of count and sum       min(m)   of min       max(m)   of max
**
** and calls no other functions than scalar functions of SQLite, min and max, and count of
** a dimension, of its values, or of rows.  Any other text is not.  Where groups are
** counted, by count(dimension) or count(*), each dimension splits them.
**
** This file does not use SQLite, so unit tests can link it.
*/
#ifndef PQSQL_GROUP_TEXT_H
#define PQSQL_GROUP_TEXT_H

#include "core/for_host.h"

enum { PQSQL_GROUP_DIMENSIONS = 62 };

/* How a measure is added up. */
typedef enum PqsqlAdds { PQSQL_ADDS_SUM, PQSQL_ADDS_MIN, PQSQL_ADDS_MAX } PqsqlAdds;

typedef struct PqsqlGroupNames {
    PqSlice          table;
    const PqSlice   *dimensions;
    /* Of each dimension that is computed: its text, with a NUL; else n 0. */
    const PqSlice   *expressions;
    uint32_t         n_dimensions;
    const PqSlice   *measures;
    const PqsqlAdds *adds;           /* of each measure                     */
    uint32_t         n_measures;
    uint64_t         used;           /* dimensions that the statement has: a
                                     ** bit each                            */
    const uint8_t   *offered;        /* how many constraints it has on each */
} PqsqlGroupNames;

/* What newcomers ask of rows, and groups answer. */
typedef enum PqsqlMistake {
    PQSQL_NO_MISTAKE,
    PQSQL_COUNTS_GROUPS,             /* count(*)                            */
    PQSQL_AVERAGES_GROUPS,           /* avg(m)                              */
    PQSQL_TESTS_GROUPS,              /* WHERE m > 1                         */
    PQSQL_WRITES_DIMENSION           /* WHERE length(x) > 1, which is one   */
} PqsqlMistake;

/* What ORDER BY begins with. */
typedef enum PqsqlTopOf {
    PQSQL_TOP_ANY,                   /* there is no ORDER BY                */
    PQSQL_TOP_MEASURE,               /* sum(m), min(m) or max(m)            */
    PQSQL_TOP_COUNT,                 /* count(d): groups whose d is not NULL */
    PQSQL_TOP_VALUES,                /* count(DISTINCT d)                   */
    PQSQL_TOP_GROUPS                 /* count(*)                            */
} PqsqlTopOf;

typedef struct PqsqlGroupText {
    uint32_t n_blocks;               /* SELECTs that can be the statement's:
                                     ** they have what names say            */
    uint64_t read;                   /* a bit per dimension; all, where
                                     ** groups are counted                  */
    bool     counts;                 /* they are                            */
    uint8_t  constraints[PQSQL_GROUP_DIMENSIONS];    /* in terms of WHERE, as
                                     ** SQLite offers them                  */
    PqsqlMistake mistake;            /* the first three only without GROUP BY */
    uint32_t written;                /* the dimension of the last one       */
    bool     unknown;                /* some block is not understood; then
                                     ** only mistake and the next two are
                                     ** known                               */
    uint64_t is_true;                /* WHERE d AND ..., of a single block  */
    uint64_t is_false;               /* WHERE NOT d                         */
    bool     simple;                 /* WHERE has no other terms            */
    /* ORDER BY sum(m) DESC LIMIT 10: only the first rows in that order are wanted, and
    ** there is a row for each combination of just these dimensions. */
    bool       has_top;
    PqsqlTopOf top_of;
    uint32_t   top_column;           /* the measure, or the dimension       */
    bool       alone;                /* ORDER BY has no other term: which of
                                     ** equal rows come does not matter     */
    bool       desc;
    uint64_t   top;                  /* LIMIT and OFFSET                    */
    uint64_t   grouped;
} PqsqlGroupText;

/* Adds what the text says to *out, which begins as zeros.  False: it names the table,
** and not alone after the FROM of a SELECT, or memory is not enough. */
bool pqsql_group_text(const char *sql, const PqsqlGroupNames *names, PqArena *a,
                      PqsqlGroupText *out);

/* Is a text misread if a program has a function of its own by this name, in lower
** case?  A scalar function may be another one, as long as it is of one row. */
bool pqsql_group_relies_on(const char *function, bool of_one_row);

#endif
