/*
** ducklake_view.c - a view of a catalog becomes one of SQLite.
**
** Its SQL is that of DuckDB, and a stranger's.  SQLite takes one SELECT after CREATE VIEW
** ... AS, and runs nothing of it.  A view that it does not understand is not kept.
*/
#include "sql/ducklake/ducklake.h"

/* Is it one statement that SQLite understands now?  CREATE VIEW does not ask. */
static int check_view(sqlite3 *db, const char *name, char **why)
{
    char *ask = sqlite3_mprintf("SELECT * FROM temp.\"%w\" LIMIT 0", name);
    char *drop = sqlite3_mprintf("DROP VIEW temp.\"%w\"", name);
    int rc = ask && drop ? sqlite3_exec(db, ask, NULL, NULL, why) : SQLITE_NOMEM;

    if (rc != SQLITE_OK && drop) {
        sqlite3_exec(db, drop, NULL, NULL, NULL);
    }
    sqlite3_free(ask);
    sqlite3_free(drop);
    return rc;
}

int pqsql_ducklake_view(sqlite3 *db, const char *name, const PqsqlDucklakeName *n, char **why)
{
    bool renames = n->columns && *n->columns, bare = renames && *n->columns != '(';
    char *sql = sqlite3_mprintf("CREATE VIEW temp.\"%w\"%s%s%s AS %s", name, bare ? "(" : "",
                                renames ? n->columns : "", bare ? ")" : "", n->view);
    const char *tail = NULL;
    sqlite3_stmt *s = NULL;
    int rc = sql ? sqlite3_prepare_v2(db, sql, -1, &s, &tail) : SQLITE_NOMEM;

    if (rc == SQLITE_OK && tail[strspn(tail, "; \t\r\n")]) {
        *why = sqlite3_mprintf("its SQL is more than one statement");
        rc = *why ? SQLITE_ERROR : SQLITE_NOMEM;
    } else if (rc == SQLITE_OK) {
        sqlite3_step(s);
        rc = sqlite3_reset(s);
    }
    if (rc != SQLITE_OK && !*why) {
        *why = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return rc == SQLITE_OK ? check_view(db, name, why) : rc;
}
