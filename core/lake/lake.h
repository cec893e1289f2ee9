/*
** lake.h - the files of a lake table, by its log.
**
**   sales/_delta_log/00000000000000000010.checkpoint.parquet
**   sales/_delta_log/00000000000000000011.json    {"add":{"path":"b.parquet",...}}
**                                                  {"remove":{"path":"a.parquet"}}
**
** The listing of such a folder (PQ_LIST_TABLES) has no files.  Here it gets those of a
** snapshot, their values of partition columns, and the schema of the table.
*/
#ifndef PQ_LAKE_H
#define PQ_LAKE_H

#include "core/files/table.h"

/* The reader of logs that are an SQLite database, which the host has: it fills the
** snapshot as those of snapshot.h do. */
struct PqLakeReading;
typedef struct PqLakeHost {
    PqRc (*read)(void *arg, struct PqLakeReading *r, PqErr *e);
    void  *arg;
} PqLakeHost;

/* Does nothing to a listing of files.  version: of the table; below 0: the newest, or the
** newest at a time, as_of: '2026-01-31' or '2026-01-31 12:00:00', UTC; NULL: now.
** host: NULL: logs that are an SQLite database are not read. */
PqRc pq_lake_read(PqListing *l, PqEngine *g, int64_t version, const char *as_of,
                  const PqLakeHost *host, const PqStop *stop, PqErr *e);

/* A version that the log still tells of. */
typedef struct PqLakeVersion {
    int64_t     version;             /* as version= takes it                 */
    int64_t     at;                  /* microseconds; INT64_MAX: not known   */
    const char *operation;           /* NULL: not said                       */
    int64_t     n_rows;              /* Delta: added; Iceberg: of the table; -1: not said */
    int64_t     order;               /* of the newer: higher; then at, then nth */
    uint32_t    nth;
} PqLakeVersion;

typedef struct PqLakeVersions {
    PqArena       *arena;
    PqLakeVersion *v;                /* the newest first                     */
    uint32_t       n;
} PqLakeVersions;

/* No file of the table is looked at.  A listing of files is an error. */
PqRc pq_lake_versions(const PqListing *l, PqEngine *g, PqMem *mem, const PqLakeHost *host,
                      PqLakeVersions *out, const PqStop *stop, PqErr *e);

/* Does the snapshot still have the columns of a table that was declared before?  A column
** that was renamed since would read as NULL.  Does nothing to a listing of files. */
PqRc pq_lake_fits(const PqListing *l, const PqTable *t, PqErr *e);

#endif
