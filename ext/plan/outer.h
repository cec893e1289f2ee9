/*
** outer.h - conditions that SQLite hands over though they are not to be used.
**
**   FROM l LEFT JOIN k ON l.a = k.a AND l.b <> 'x'
**
** A row of l for which the ON is false is given all the same, with NULLs for k.
** So a condition of ON chooses no rows of the left table, and SQLite does not
** offer it there; but before 3.51.0 it forgot to say so of those operators that
** it knows for the sake of virtual tables only: <>, IS NOT, IS NOT NULL, LIKE
** and GLOB.  Nothing in what xBestIndex is given tells ON from WHERE.
**
** There, such a condition is heeded only where no outer join is about:
**
**   the plan     no view or trigger that can name the table has one.  What a
**                statement was compiled from cannot change behind it.
**   xFilter      no statement that is running has one in its text.  Ours is
**                among them.
**
** As the plan does not know the text, the condition is never exact, and xFilter
** may leave it alone.  A text has no outer join if it has none of the words that
** make one, wherever they stand; a word too many costs time, never rows.
*/
#ifndef PQEXT_OUTER_H
#define PQEXT_OUTER_H

#include "ext/plan/plan.h"

/* Does this SQLite offer the operator where it must not? */
bool pqext_outer_offers(PqextOp op);

/* Could an outer join come out of a view or a trigger? */
bool pqext_outer_in_schema(const PqextTable *t);

/* ... or does one stand in a statement that is running? */
bool pqext_outer_in_statements(sqlite3 *db);

/* Has the text a word of an outer join? */
bool pqext_outer_in_text(const char *sql);

#endif
