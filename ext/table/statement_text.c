/*
** statement_text.c - looks through statements, views and triggers.
*/
#include "ext/table/statement_text.h"

static bool in_schema(sqlite3 *db, const char *schema, PqextTextTest has)
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

            found = !text || has(text);
        }
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return found;
}

/* Views and triggers of another schema cannot name the table, but for temporary
** ones. */
bool pqext_text_in_schema(const PqextTable *t, PqextTextTest has)
{
    return in_schema(t->host->db, "temp", has) ||
           (sqlite3_stricmp(t->schema, "temp") != 0 &&
            in_schema(t->host->db, t->schema, has));
}

/* A statement that runs without a text is an open BLOB.  It reads a native table,
** and a R*Tree keeps one as long as it is read. */
bool pqext_text_in_statements(sqlite3 *db, PqextTextTest has)
{
    sqlite3_stmt *stmt = NULL;
    bool any = false;

    while ((stmt = sqlite3_next_stmt(db, stmt)) != NULL) {
        const char *sql = sqlite3_stmt_busy(stmt) ? sqlite3_sql(stmt) : NULL;

        if (sql && has(sql)) {
            return true;
        }
        any |= sql != NULL;
    }
    return !any;
}

/* "variant" with a _ on either side. */
static bool names_variants(const char *sql)
{
    static const char word[] = "variant";
    const int n = sizeof word - 1;

    for (const char *at = sql; *at; at++) {
        if (sqlite3_strnicmp(at, word, n) == 0 &&
            (at[n] == '_' || (at > sql && at[-1] == '_'))) {
            return true;
        }
    }
    return false;
}

bool pqext_text_asks_variants(const PqextTable *t)
{
    return pqext_text_in_statements(t->host->db, names_variants) ||
           pqext_text_in_schema(t, names_variants);
}
