/*
** delta_text.h - what a log says of a file and of a table, as JSON.
**
**   {"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}
**   {"numRecords":3,"minValues":{"id":1},"maxValues":{"id":9},"nullCount":{"id":0}}
*/
#ifndef PQ_DELTA_TEXT_H
#define PQ_DELTA_TEXT_H

#include "core/meta/footer.h"

/* A column of a new table. */
typedef struct PqDeltaColumn {
    const char   *name;
    const PqNode *node;              /* in the files; NULL: it is a partition's  */
    PqType        type;              /* of such a column                     */
    uint32_t      nth;               /* ... and which of them it is, from 0  */
} PqDeltaColumn;

/* *zoneless: a column is a timestamp without a zone, which is a feature of tables. */
PqRc pq_delta_schema_text(const PqDeltaColumn *v, uint32_t n, PqBuf *out, bool *zoneless,
                          PqErr *e);

/* What a footer says of a leaf, over all row groups. */
typedef struct PqLeafSums {
    bool    has_min, has_max;
    PqSlice min, max;                /* of values that are not NaN           */
    int64_t nulls, nans;             /* -1: not known                        */
    int64_t values, bytes;           /* NULLs too; bytes: compressed         */
} PqLeafSums;

PqRc pq_leaf_sums(const PqFooter *f, const PqNode *node, PqArena *a, PqLeafSums *out,
                    PqErr *e);

/* The statistics of a file; most: of so many leaves. */
PqRc pq_delta_stats_text(const PqFooter *f, uint32_t most, PqArena *a, PqBuf *out, PqErr *e);

/* At most so many characters of a text, as a bound of it: an upper one then ends with the
** greatest character, so that what was cut off is below it.  False: there is no bound. */
#define PQ_LAKE_CUT_ROOM(most) (((most) + 1) * 4)
bool pq_lake_cut_text(PqSlice v, int most, bool is_max, uint8_t *text, size_t *n);

#endif
