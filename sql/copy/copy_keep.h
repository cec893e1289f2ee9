/*
** copy_keep.h - files that a copy must not replace.
**
**   my.db            main file of a database of the connection, under this name
**   my.db-wal        or another one (a link, a hard link): never replaced
**   my.db-shm
**   my.db-journal
**   other.db         any other SQLite database, or a file that belongs to one:
**                    only if the user named it and says "overwrite": "replace"
**
** The names count even if no such file exists yet: SQLite would take a file of
** that name as part of the database.
**
** POSIX locks end when a process closes any descriptor of the file.  A database
** may be open in another connection of this process.  So files are read through
** SQLite's VFS, which knows who holds locks, and closes late.
*/
#ifndef PQSQL_COPY_KEEP_H
#define PQSQL_COPY_KEEP_H

#include "core/for_host.h"
#include "sql/sqlite.h"

typedef struct PqsqlCopyKeep {
    sqlite3      *db;
    PqPublishHost host;              /* its arg is this                      */
    char          words[300];        /* the last answer                      */
} PqsqlCopyKeep;

void pqsql_copy_keep_init(PqsqlCopyKeep *k, sqlite3 *db);

#endif
