/*
** file_batches.h - all rows of one file, batch by batch.
**
** The files of a log, and files of which only some columns are looked at.
*/
#ifndef PQ_FILE_BATCHES_H
#define PQ_FILE_BATCHES_H

#include "core/scan/scan.h"

/* Visits the batches in the order of the rows. */
typedef PqRc (*PqBatchVisit)(void *arg, PqScan *scan, PqErr *e);
PqRc pq_file_batches(PqEngine *g, const PqPlaces *places, const char *path,
                     const PqStop *stop, PqBatchVisit visit, void *arg, PqErr *e);

#endif
