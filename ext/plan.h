/*
** plan.h - a plan, which is text.
**
** xBestIndex writes it into idxStr, xFilter parses it, and a person sees it in
** EXPLAIN QUERY PLAN:
**
**   SCAN t VIRTUAL TABLE INDEX 0:rowid = ?, files by year#7 >= ?,
**                                bounds of price#2 IN ?
**
** The n-th term takes the n-th argument.  "files by" terms choose files, and
** "bounds of" row groups and pages (prune.h): SQLite tests the rows again.  An
** empty plan reads everything.
*/
#ifndef PQEXT_PLAN_H
#define PQEXT_PLAN_H

#include "ext/vtable.h"

enum { PQEXT_NO_COLUMNS = 1 };       /* idxNum: only rows are counted */

typedef enum PqextOp {
    PQEXT_EQ, PQEXT_LT, PQEXT_LE, PQEXT_GT, PQEXT_GE, PQEXT_IN,
    PQEXT_IS_NULL, PQEXT_NOT_NULL
} PqextOp;

enum { PQEXT_ROWID = -1 };

typedef struct PqextTerm {
    int     column;                  /* PQEXT_ROWID, or a column            */
    PqextOp op;
    bool    by_bounds;               /* else by file                        */
} PqextTerm;

/* Takes the next term from *at; false at the end. */
bool pqext_plan_term(const char **at, PqextTerm *out);

#endif
