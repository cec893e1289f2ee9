/*
** plan_idxstr.h - idxStr, which takes a plan from xBestIndex to xFilter.
**
**   "rows by payment LIKE ?" 00 .. | compiled | number | the plan, as it is
**    for EXPLAIN QUERY PLAN          at a multiple of 8 bytes
**
** SQLite hands xFilter the idxStr of xBestIndex itself, and frees it when it drops
** the plan, or the statement.  So a plan lives exactly as long as it can be
** asked for.
**
** Its place in memory does not identify it, because a freed plan leaves room
** for another.  So each plan has a number that no other plan of the connection
** ever has.  By this number a cursor knows whether it gets the same plan again.
**
** SQLite does not tell a table which statement calls.  But a statement is compiled
** in one go, and xBestIndex is called for each of its parts during that.  So all
** plans of a statement have the number of its compilation.  A statement that is
** being compiled has no SQL yet, and is the newest of the connection.
*/
#ifndef PQEXT_PLAN_IDXSTR_H
#define PQEXT_PLAN_IDXSTR_H

#include "ext/host/host.h"

typedef struct PqextSigned {
    uint64_t compiled;               /* the statement's number; 0: not known */
    uint64_t number;                 /* the plan's, never 0                  */
} PqextSigned;

/* Ends the text of a plan.  What is appended after that is the plan. */
void pqext_plan_sign(sqlite3_str *s, PqextHost *h);

/* Gives SQLite everything that was appended, with idxNum.  Takes s. */
int pqext_plan_give(sqlite3_str *s, sqlite3_index_info *info, int flags);

/* The part that follows a text in its idxStr.  The plan itself comes after
** it. */
static inline const PqextSigned *pqext_plan_signed(const char *text)
{
    size_t end = strlen(text) + 1;

    return (const void *)(text + (end + 7) / 8 * 8);
}

#endif
