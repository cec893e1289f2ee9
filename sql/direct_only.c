/*
** direct_only.c - looks for the name of a function in the statements that run,
** and in temp's views and triggers, which only the user can have made.
*/
#include "sql/direct_only.h"

#include <stdio.h>
#include <string.h>

/* Is the name in the text, in any case? */
static bool has_name(const char *sql, const char *name)
{
    size_t n = strlen(name);

    while (*sql && sqlite3_strnicmp(sql, name, (int)n) != 0) {
        sql++;
    }
    return *sql != 0;
}

static bool is_called_by_name(sqlite3 *db, const char *function)
{
    sqlite3_stmt *s = NULL;
    bool any = false;

    while ((s = sqlite3_next_stmt(db, s))) {
        const char *sql = sqlite3_stmt_busy(s) ? sqlite3_sql(s) : NULL;

        if (sql && has_name(sql, function)) {
            return true;
        }
        any = any || sql;
    }
    return !any;
}

static bool is_in_temp(sqlite3 *db, const char *function)
{
    static const char sql[] = "SELECT 1 FROM sqlite_temp_master WHERE type IN "
                              "('view', 'trigger') AND instr(lower(sql), ?)";
    sqlite3_stmt *s = NULL;
    bool found = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(s, 1, function, -1, SQLITE_STATIC) ==
                     SQLITE_OK &&
                 sqlite3_step(s) == SQLITE_ROW;

    sqlite3_finalize(s);
    return found;
}

static bool unsafe(sqlite3_context *ctx, const char *function)
{
    char text[80];

    snprintf(text, sizeof text, "unsafe use of %s()", function);
    sqlite3_result_error(ctx, text, -1);
    return false;
}

bool pqsql_direct_only(sqlite3_context *ctx, const char *function)
{
    return is_called_by_name(sqlite3_context_db_handle(ctx), function) ||
           unsafe(ctx, function);
}

bool pqsql_direct_or_temp(sqlite3_context *ctx, const char *function)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);

    return is_called_by_name(db, function) || is_in_temp(db, function) ||
           unsafe(ctx, function);
}
