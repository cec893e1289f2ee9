/*
** estimate.h - how many rows a condition leaves, by what the footer says.
**
** SQLite chooses the order of a join by how many rows each table would give,
** and by what that would cost.  The bounds of a sample of row groups (sample.h)
** tell both:
**
**   ts >= '2024-03-01' AND ts < '2024-03-02' AND country = 'FI'
**
**   group   ts            country           read  given
**   0       01-01..02-28  AR..US, 40 kinds  no    0
**   1       02-28..04-30  AR..US, 40 kinds  yes   1/62 of its rows, of these 1/40
**
** Conditions on one column cut an interval out of its bounds.  Within a group,
** columns are taken to be independent of one another.  An operand that is not
** known yet is taken to be like most values.  All of these are guesses, and
** only speed depends on them.
*/
#ifndef PQEXT_ESTIMATE_H
#define PQEXT_ESTIMATE_H

#include "ext/plan/plan.h"

/* A term, and its operand; NULL: it is not known. */
typedef struct PqextAsked {
    PqextTerm      term;
    sqlite3_value *operand;
} PqextAsked;

/* Shares of all rows: the rows that pass all n terms, and the rows of row
** groups that have to be read for that. */
typedef struct PqextShares {
    double given, read;
} PqextShares;

PqextShares pqext_estimate(PqextTable *t, const PqextAsked *asked, uint32_t n);

/* How many rows have the same value in a column, on average. */
double pqext_rows_of_value(PqextTable *t, uint32_t column);

#endif
