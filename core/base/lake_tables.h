/*
** lake_tables.h - folders whose files are not all rows of a table.
**
**   sales/_delta_log/                      a Delta table
**   sales/metadata/00002-f3.metadata.json  an Iceberg table
**   sales/.hoodie/hoodie.properties        a Hudi table
**
** A log says which of the files below count, and which of their rows.  Read as a
** pile of files, such a folder has rows that were removed, and a file that a copy
** adds is not one of the table's.  So whoever lists or writes files asks here.
*/
#ifndef PQ_LAKE_TABLES_H
#define PQ_LAKE_TABLES_H

#include "core/base/bytes.h"

/* The kinds whose logs are read.  That of a DuckLake table is no folder: whoever lists says
** that it is one. */
extern const char pq_lake_delta[], pq_lake_iceberg[], pq_lake_ducklake[];
bool pq_lake_is_read(const char *kind);

/* Is it the path of the metadata of an Iceberg table? */
bool pq_lake_is_metadata(const char *path);

/* May a folder with an entry of this name be a lake table? */
bool pq_lake_mark(const char *name);

/* *kind is "a Delta table" if the folder is one, or NULL. */
PqRc pq_lake_of(const char *folder, const char **kind, PqErr *e);

/* The same for the folder and those above it.  *table is the folder of the
** table; the caller frees it with pq_mem_free.  A path beside the data, such as
** the log, is not in the table. */
PqRc pq_lake_around(const char *folder, PqMem *mem, const char **kind,
                    char **table, PqErr *e);

/* The kind of the table in whose log the object of a key lies, or of its log itself if
** the key ends so: "a/_delta_log/"; NULL: in none.  *n: the bytes before the log. */
const char *pq_lake_of_key(const char *key, size_t *n);

/* The error for reading the table as a pile of files.  It names the table alone. */
PqRc pq_lake_refuse(const char *table, const char *kind, PqErr *e);

/* An error if a copy into the folder would write into a table. */
PqRc pq_lake_refuse_copy(const char *folder, PqMem *mem, PqErr *e);

#endif
