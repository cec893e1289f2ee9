/*
** delta_write.h - a commit in the log of a Delta table.
**
**   part-1f0c.parquet                         written, synced and named (publish.h)
**   _delta_log/.commit.7f3a91c2.tmp           synced; then a link to it:
**   _delta_log/00000000000000000012.json      from here on the table has version 12
**
** A link never replaces, so of two writers of version 12 one is told that it is taken.  It
** reads what the other one did.  Rows that are added do not contradict other rows: they
** become version 13.  A writer that was killed leaves files that no log names.
**
** In a bucket the commit is a PUT with If-None-Match: *, which S3 and most that speak it know.
** A server that ignores it is noticed: before the commit, a file of the copy is made again.
*/
#ifndef PQ_DELTA_WRITE_H
#define PQ_DELTA_WRITE_H

#include "core/files/listing.h"
#include "core/lake/delta_text.h"
#include "core/lake/snapshot.h"
#include "core/write/publish.h"

typedef enum PqDeltaHow { PQ_DELTA_APPEND, PQ_DELTA_OVERWRITE, PQ_DELTA_CREATE } PqDeltaHow;

typedef struct PqDeltaWritePlan {
    PqDeltaHow    how;
    const char   *table;             /* its folder                           */
    const PqListing *listing;        /* of the version that the copy is based on;
                                     ** CREATE: not used                     */
    PqEngine     *engine;
    PqPlaces      places;            /* to open files with                   */
    const char   *writer;            /* engineInfo                           */
    PqMem        *mem;
    const PqStop *stop;
} PqDeltaWritePlan;

typedef struct PqDeltaWrite PqDeltaWrite;

/* Fails if the table asks for what this writer does not do. */
PqRc pq_delta_write_new(const PqDeltaWritePlan *plan, PqDeltaWrite **out, PqErr *e);

/* w may be NULL.  Called before the publication is freed. */
void pq_delta_write_free(PqDeltaWrite *w);

/* The columns of a new table, which are borrowed until the commit. */
void pq_delta_write_columns(PqDeltaWrite *w, const PqDeltaColumn *v, uint32_t n);

/* What enters the commit. */
const PqPublishLog *pq_delta_write_log(const PqDeltaWrite *w);

/* Has the folder a log without a commit, as a new table has whose writer was killed? */
bool pq_delta_is_unborn(const char *table);

#endif
