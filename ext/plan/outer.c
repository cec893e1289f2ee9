/*
** outer.c - is there an outer join in the text of a statement, view or trigger?
*/
#include "ext/plan/outer.h"

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
