/*
** delta_text.h - what a log says of a file and of a table, as JSON.
**
**   {"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}
**   {"numRecords":3,"minValues":{"id":1},"maxValues":{"id":9},"nullCount":{"id":0}}
*/
#ifndef PQ_DELTA_TEXT_H
#define PQ_DELTA_TEXT_H

#include "core/lake/file_stats.h"

/* A column of a new table. */
typedef struct PqDeltaColumn {
    const char   *name;
    const PqNode *node;              /* in the files; NULL: it is a partition's  */
    PqType        type;              /* of such a column                     */
} PqDeltaColumn;

/* *zoneless: a column is a timestamp without a zone, which is a feature of tables. */
PqRc pq_delta_schema_text(const PqDeltaColumn *v, uint32_t n, PqBuf *out, bool *zoneless,
                          PqErr *e);

/* The statistics of a file; most: of so many leaves. */
PqRc pq_delta_stats_text(const PqFooter *f, uint32_t most, PqArena *a, PqBuf *out, PqErr *e);

#endif
