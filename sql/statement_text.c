/*
** statement_text.c - looks through statements, views and triggers.
*/
#include "sql/statement_text.h"

#include "sql/argument.h"
#include "sql/token.h"

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

/* Does the column of a row with one of the types have it?  What cannot be read has it
** if_unread. */
static bool any_of_schema(sqlite3 *db, const char *schema, const char *column,
                          const char *types, bool if_unread, PqsqlTextTest has,
                          const void *arg)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM \"%w\".sqlite_schema WHERE type IN (%s)",
                                column, schema, types);
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

bool pqsql_text_in_schema(sqlite3 *db, const char *schema, bool if_unread,
                          PqsqlTextTest has, const void *arg)
{
    return any_of_schema(db, schema, "sql", "'view', 'trigger'", if_unread, has, arg);
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

static bool has_token(const char *sql, const void *name)
{
    PqSlice wanted = pq_slice_text(name);
    PqsqlToken t;

    do {
        t = pqsql_next_token(&sql);
    } while (t.n > 0 && !(pqsql_is_name(t) && pqsql_names(t, wanted)));
    return t.n > 0;
}

/* A name with a quote inside is not recognized. */
static bool is_in_statements(const char *name, const void *db)
{
    return strpbrk(name, "'\"`[]") ||
           pqsql_text_in_statements((sqlite3 *)db, has_token, name);
}

/* May a statement that is running use a view of the schema? */
static bool uses_a_view(sqlite3 *db, const char *schema)
{
    return any_of_schema(db, schema, "name", "'view'", true, is_in_statements, db);
}

/* Only a statement that writes runs triggers. */
static bool may_run_a_trigger(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;

    while ((stmt = sqlite3_next_stmt(db, stmt)) != NULL) {
        if (sqlite3_stmt_busy(stmt) && !sqlite3_stmt_readonly(stmt)) {
            return true;
        }
    }
    return false;
}

bool pqsql_text_anywhere(sqlite3 *db, const char *schema, PqsqlTextTest has,
                         const void *arg)
{
    return pqsql_text_in_statements(db, has, arg) ||
           ((may_run_a_trigger(db) || uses_a_view(db, "temp") ||
             uses_a_view(db, schema)) &&
            pqsql_text_near_table(db, schema, has, arg));
}

/* ---- functions that only a statement of the user may call ---------------- */

/* Is the name in the text, in any case? */
static bool has_name(const char *sql, const void *name)
{
    size_t n = strlen(name);

    while (*sql && sqlite3_strnicmp(sql, name, (int)n) != 0) {
        sql++;
    }
    return *sql != 0;
}

static bool unsafe(sqlite3_context *ctx, const char *function)
{
    pqsql_result_message(ctx, sqlite3_mprintf("unsafe use of %s()", function));
    return false;
}

bool pqsql_direct_only(sqlite3_context *ctx, const char *function)
{
    return pqsql_text_in_statements(sqlite3_context_db_handle(ctx), has_name,
                                    function) ||
           unsafe(ctx, function);
}

bool pqsql_direct_or_temp(sqlite3_context *ctx, const char *function)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);

    return pqsql_text_in_statements(db, has_name, function) ||
           pqsql_text_in_schema(db, "temp", false, has_name, function) ||
           unsafe(ctx, function);
}
