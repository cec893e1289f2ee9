/*
** blob_source.h - a BLOB of this connection's database, as a file.
**
**   blob:main.files.body.7        schema.table.column.rowid
**
** It is read in place, so pages that no query needs are never read.  SQLite answers
** on the thread of the statement only.  A BLOB whose row was changed meanwhile is a
** file that was written to.
*/
#ifndef PQEXT_BLOB_SOURCE_H
#define PQEXT_BLOB_SOURCE_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* For PqPlaces.open_blob; db is the connection. */
PqRc pqext_blob_open(void *db, PqMem *mem, const char *path, PqSource **out, PqErr *e);

#endif
