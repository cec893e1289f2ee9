/*
** sqlite.h - SQLite's interface, through the host's table of functions.
**
** Only ext/entry.c defines the table.  Functions newer than 3.40 are not
** called: an older host's table ends before them, and what lies behind its end
** is not NULL but garbage.
*/
#ifndef PQSQL_SQLITE_H
#define PQSQL_SQLITE_H

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif
