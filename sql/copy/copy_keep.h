/*
** copy_keep.h - files that a copy leaves alone.
**
**   my.db            main file of a database of the connection, under this name
**   my.db-wal        or another one (a link, a hard link): never replaced
**   my.db-shm
**   my.db-journal
**   other.db         any other SQLite database, or what lies beside one: only
**                    where the user named it and says "overwrite": "replace"
**
** The names count too where no file has them yet: what is put there would be
** taken for the database's.
**
** POSIX locks end when a process closes any descriptor of the file.  A database
** may be open in another connection of this process, so files are looked at by
** SQLite's own means: its VFS knows who holds locks, and closes late.
*/
#ifndef PQSQL_COPY_KEEP_H
#define PQSQL_COPY_KEEP_H

#include "core/parquet.h"
#include "sql/sqlite.h"

typedef struct PqsqlCopyKeep {
    sqlite3      *db;
    PqPublishHost host;              /* its arg is this                      */
    char          words[300];        /* the last that were said              */
} PqsqlCopyKeep;

void pqsql_copy_keep_init(PqsqlCopyKeep *k, sqlite3 *db);

/* How the created_by of files begins that are written here. */
#define PQSQL_WRITER "parquet.so for SQLite"

#endif
