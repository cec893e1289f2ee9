/*
** outer.c - is there an outer join in the text of a statement, view or trigger?
**
** The hard part is to find the word wherever SQLite would.  SQLite ends a token
** at places where a person would put a space, so ?1LEFT JOIN is an outer join.
** Words in comments and in quotes are found too; that costs speed only.
*/
#include "ext/plan/outer.h"

#include "ext/table/statement_text.h"

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

/* ---- words --------------------------------------------------------------- */

/* LEFT, RIGHT and FULL make an outer join; OUTER alone does not, today. */
static const char *const words[] = {"left", "right", "full", "outer"};

/* A word may come right after a digit (?1LEFT JOIN) and after a byte order
** mark, but not after a letter. */
static bool goes_on_before(unsigned char c)
{
    return pq_ascii_is_letter(c) || c == '_';
}

bool pqext_outer_in_text(const char *sql)
{
    for (const char *at = sql; *at; at++) {
        if (at > sql && goes_on_before((unsigned char)at[-1])) {
            continue;
        }
        for (size_t i = 0; i < PQ_COUNT(words); i++) {
            size_t n = strlen(words[i]);

            if (sqlite3_strnicmp(at, words[i], (int)n) == 0 &&
                !pq_ascii_in_name((unsigned char)at[n])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- where --------------------------------------------------------------- */

bool pqext_outer_in_schema(const PqextTable *t)
{
    return pqext_text_in_schema(t, pqext_outer_in_text);
}

bool pqext_outer_in_statements(sqlite3 *db)
{
    return pqext_text_in_statements(db, pqext_outer_in_text);
}
