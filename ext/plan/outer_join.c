/*
** outer_join.c - conditions that SQLite offers, but that must not be used.
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
#include "ext/plan/plan.h"

#include "sql/statement_text.h"
#include "sql/token.h"

enum { FIXED_IN = 3051000 };

bool pqext_outer_offers(PqextOp op)
{
    switch (op) {
    case PQEXT_NE:
    case PQEXT_IS_NOT:
    case PQEXT_NOT_NULL:
    case PQEXT_LIKE:
    case PQEXT_GLOB:
    case PQEXT_GEO_INTERSECTS:
    case PQEXT_GEO_CONTAINS:
    case PQEXT_GEO_WITHIN:
        return sqlite3_libversion_number() < FIXED_IN;
    default:
        return false;
    }
}

/* LEFT, RIGHT and FULL make an outer join; OUTER alone does not, today. */
static bool has_outer_join(const char *sql, const void *arg)
{
    static const char *const words[] = {"left", "right", "full", "outer"};
    PqsqlToken t;

    do {
        t = pqsql_next_token(&sql);
    } while (t.n > 0 && !pqsql_is_one_of(t, words, PQ_COUNT(words)));
    return t.n > 0;
}

/* ---- where --------------------------------------------------------------- */

bool pqext_outer_in_schema(const PqextTable *t)
{
    return pqsql_text_near_table(t->host->db, t->schema, has_outer_join, NULL);
}

bool pqext_outer_in_statements(sqlite3 *db)
{
    return pqsql_text_in_statements(db, has_outer_join, NULL);
}
