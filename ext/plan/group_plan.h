/*
** group_plan.h - whether the rows of a GROUP BY come grouped, and how.
*/
#ifndef PQEXT_GROUP_PLAN_H
#define PQEXT_GROUP_PLAN_H

#include "ext/plan/plan.h"

/* Fills *by with the way to do the GROUP BY, ORDER BY or DISTINCT of the call.
** by->n 0: SQLite sorts, and by->why_not may say why.  guarded: the table may
** be called once per row of another one. */
void pqext_group_plan(PqextTable *t, sqlite3_index_info *info, bool guarded,
                      PqextGroupBy *by);

#endif
