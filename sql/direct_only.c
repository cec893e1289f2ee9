/*
** direct_only.c - looks for the name of a function in the statements that run.
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

bool pqsql_direct_only(sqlite3_context *ctx, const char *function)
{
    char text[80];

    if (is_called_by_name(sqlite3_context_db_handle(ctx), function)) {
        return true;
    }
    snprintf(text, sizeof text, "unsafe use of %s()", function);
    sqlite3_result_error(ctx, text, -1);
    return false;
}
