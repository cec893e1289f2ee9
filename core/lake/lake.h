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

#include "core/files/engine.h"

/* Does nothing to a listing of files.  version: of the table; below 0: the newest, or the
** newest at a time, as_of: '2026-01-31' or '2026-01-31 12:00:00', UTC; NULL: now. */
PqRc pq_lake_read(PqListing *l, PqEngine *g, int64_t version, const char *as_of,
                  const PqStop *stop, PqErr *e);

#endif
