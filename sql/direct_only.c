/*
** direct_only.c - looks for the name of a function in the statements that run,
** and in temp's views and triggers, which only the user can have made.
*/
#include "sql/direct_only.h"

#include "sql/statement_text.h"

#include <stdio.h>
#include <string.h>

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
    char text[80];

    snprintf(text, sizeof text, "unsafe use of %s()", function);
    sqlite3_result_error(ctx, text, -1);
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
