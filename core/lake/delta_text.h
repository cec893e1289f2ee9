/*
** delta_text.h - what a log says of a file and of a table, as JSON.
**
**   {"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}
**   {"numRecords":3,"minValues":{"id":1},"maxValues":{"id":9},"nullCount":{"id":0}}
*/
#ifndef PQ_DELTA_TEXT_H
#define PQ_DELTA_TEXT_H

#include "core/lake/file_stats.h"

/* Of the columns of a new table.  *zoneless: one is a timestamp without a zone, which is a feature
** of tables. */
PqRc pq_delta_schema_text(const PqNode *const *v, uint32_t n, PqBuf *out, bool *zoneless,
                          PqErr *e);

/* The statistics of a file; most: of so many leaves. */
PqRc pq_delta_stats_text(const PqFooter *f, uint32_t most, PqArena *a, PqBuf *out, PqErr *e);

#endif
