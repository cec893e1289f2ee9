/*
** sqlite.h - SQLite's interface, through the host's table of functions.
**
** Only ext/entry.c defines the table.  Functions newer than 3.40 are not
** called: the table of an older host ends before them, and the memory after its
** end is not NULL but garbage.
*/
#ifndef PQSQL_SQLITE_H
#define PQSQL_SQLITE_H

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif
