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

/* The values of a node in the batch as JSON, a row each; vectors has room for all leaves of the
** file. */
PqRc pq_batch_texts(PqScan *scan, const PqNode *node, PqJsonRows *json, const PqVector **vectors,
                    const PqStr **texts, PqErr *e);

#endif
