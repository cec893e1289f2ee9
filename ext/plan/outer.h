/*
** outer.h - conditions that SQLite offers, but that must not be used.
**
**   FROM l LEFT JOIN k ON l.a = k.a AND l.b <> 'x'
**
** If the ON is false for a row of l, the row is in the result too, with NULLs
** for k.  So a condition of ON chooses no rows of the left table, and SQLite
** does not offer it there.  But before 3.51.0 SQLite did offer it for the
** operators that it hands to virtual tables only: <>, IS NOT, IS NOT NULL,
** LIKE, GLOB and functions.  Nothing that xBestIndex is given tells ON from
** WHERE.
**
** In these versions, such a condition is used only where there is no outer
** join:
**
**   the plan     no view or trigger that can name the table has one.  The
**                views of a statement cannot change while it runs.
**   xFilter      no statement that is running has one in its text.  Ours is
**                among them.
**
** The plan does not know the text of its statement.  So the condition is never
** exact, and xFilter may leave it out.  A text has no outer join if it has none
** of the words that make one.  A word that means something else costs time,
** never rows.
*/
#ifndef PQEXT_OUTER_H
#define PQEXT_OUTER_H

#include "ext/plan/plan.h"

/* Does this SQLite offer the operator where it must not? */
bool pqext_outer_offers(PqextOp op);

/* Could an outer join come from a view or a trigger? */
bool pqext_outer_in_schema(const PqextTable *t);

/* ... or from a statement that is running? */
bool pqext_outer_in_statements(sqlite3 *db);

#endif
