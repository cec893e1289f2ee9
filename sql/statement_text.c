/*
** statement_text.c - looks through statements, views and triggers.
*/
#include "sql/statement_text.h"

#include <stddef.h>

/* A running statement without a text is an open BLOB.  It reads a native table,
** and an R*Tree keeps one as long as it is read. */
bool pqsql_text_in_statements(sqlite3 *db, PqsqlTextTest has, const void *arg)
{
    sqlite3_stmt *stmt = NULL;
    bool any = false;

    while ((stmt = sqlite3_next_stmt(db, stmt)) != NULL) {
        const char *sql = sqlite3_stmt_busy(stmt) ? sqlite3_sql(stmt) : NULL;

        if (sql && has(sql, arg)) {
            return true;
        }
        any |= sql != NULL;
    }
    return !any;
}

bool pqsql_text_in_schema(sqlite3 *db, const char *schema, bool if_unread,
                          PqsqlTextTest has, const void *arg)
{
    char *sql = sqlite3_mprintf("SELECT sql FROM \"%w\".sqlite_schema "
                                "WHERE type IN ('view', 'trigger')", schema);
    sqlite3_stmt *stmt = NULL;
    bool found = if_unread;

    if (sql && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        int rc;

        do {
            const char *text;

            rc = sqlite3_step(stmt);
            text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
                                    : NULL;
            found = text ? has(text, arg) : rc != SQLITE_DONE && if_unread;
        } while (!found && rc == SQLITE_ROW);
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return found;
}

/* Of the views and triggers of other schemas, only temporary ones can name the
** table. */
bool pqsql_text_near_table(sqlite3 *db, const char *schema, PqsqlTextTest has,
                           const void *arg)
{
    return pqsql_text_in_schema(db, "temp", true, has, arg) ||
           (sqlite3_stricmp(schema, "temp") != 0 &&
            pqsql_text_in_schema(db, schema, true, has, arg));
}

bool pqsql_text_anywhere(sqlite3 *db, const char *schema, PqsqlTextTest has,
                         const void *arg)
{
    return pqsql_text_in_statements(db, has, arg) ||
           pqsql_text_near_table(db, schema, has, arg);
}
