/*
** outer.c - is there an outer join in the text of a statement, view or trigger?
**
** The hard part is to find the word wherever SQLite would.  SQLite ends a token
** at places where a person would put a space, so ?1LEFT JOIN is an outer join.
** Words in comments and in quotes are found too; that costs speed only.
*/
#include "ext/plan/outer.h"

enum { FIXED_IN = 3051000 };

bool pqext_outer_offers(PqextOp op)
{
    switch (op) {
    case PQEXT_NE:
    case PQEXT_IS_NOT:
    case PQEXT_NOT_NULL:
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        return sqlite3_libversion_number() < FIXED_IN;
    default:
        return false;
    }
}

/* ---- words --------------------------------------------------------------- */

/* LEFT, RIGHT and FULL make an outer join; OUTER alone does not, today. */
static const char *const words[] = {"left", "right", "full", "outer"};

/* Can the byte be inside a name? */
static bool goes_on(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9') || c == '$' || c >= 0x80;
}

/* A word may come right after a digit (?1LEFT JOIN) and after a byte order
** mark, but not after a letter. */
static bool goes_on_before(unsigned char c)
{
    return goes_on(c) && c < 0x80 && c != '$' && !(c >= '0' && c <= '9');
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
                !goes_on((unsigned char)at[n])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- where --------------------------------------------------------------- */

/* Views and triggers of a schema; what cannot be read may be anything. */
static bool in_schema(sqlite3 *db, const char *schema)
{
    char *sql = sqlite3_mprintf("SELECT sql FROM \"%w\".sqlite_schema "
                                "WHERE type IN ('view', 'trigger')", schema);
    sqlite3_stmt *stmt = NULL;
    bool found = true;

    if (sql && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        int rc;

        found = false;
        while (!found && (rc = sqlite3_step(stmt)) != SQLITE_DONE) {
            const char *text =
                rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
                                 : NULL;

            found = !text || pqext_outer_in_text(text);
        }
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return found;
}

/* Views and triggers of another schema cannot name the table, but for temporary
** ones. */
bool pqext_outer_in_schema(const PqextTable *t)
{
    return in_schema(t->host->db, "temp") ||
           (sqlite3_stricmp(t->schema, "temp") != 0 &&
            in_schema(t->host->db, t->schema));
}

bool pqext_outer_in_statements(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool any = false;

    while ((stmt = sqlite3_next_stmt(db, stmt)) != NULL) {
        if (sqlite3_stmt_busy(stmt)) {
            const char *sql = sqlite3_sql(stmt);

            if (!sql || pqext_outer_in_text(sql)) {
                return true;
            }
            any = true;
        }
    }
    return !any;
}
