/*
** file_batches.h - all rows of one file, batch by batch.
**
** The files of a log, and files of which only some columns are looked at.
*/
#ifndef PQ_FILE_BATCHES_H
#define PQ_FILE_BATCHES_H

#include "core/nested/json_rows.h"
#include "core/scan/scan.h"

/* Visits the batches in the order of the rows. */
typedef PqRc (*PqBatchVisit)(void *arg, PqScan *scan, PqErr *e);
PqRc pq_file_batches(PqEngine *g, const PqPlaces *places, const char *path,
                     const PqStop *stop, PqBatchVisit visit, void *arg, PqErr *e);

/* The values of some nodes of the file in a batch, as JSON. */
enum { PQ_BATCH_TEXTS_MOST = 32 };

typedef struct PqBatchTexts {
    uint32_t         n;
    const PqNode    *node[PQ_BATCH_TEXTS_MOST];  /* NULL: the file lacks it  */
    PqJsonRows      *json[PQ_BATCH_TEXTS_MOST];
    const PqStr     *texts[PQ_BATCH_TEXTS_MOST]; /* a row each; NULL likewise */
    const PqVector **vectors;        /* by leaf; NULL: no node was added     */
} PqBatchTexts;

PqRc pq_batch_texts_add(PqBatchTexts *b, PqMem *mem, const PqSchema *schema, const PqNode *node,
                        PqErr *e);
PqRc pq_batch_texts_load(PqBatchTexts *b, PqScan *scan, PqErr *e);
void pq_batch_texts_free(PqBatchTexts *b);       /* and none are in it       */

#endif
