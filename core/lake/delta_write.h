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

#include "core/lake/delta_text.h"
#include "core/lake/lake_writer.h"

/* Fails if the table asks for what this writer does not do. */
PqRc pq_delta_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e);

/* The columns of a new table, which are borrowed until the commit. */
void pq_delta_write_columns(PqLakeWriter *w, const PqNode *const *v, uint32_t n);

/* Has the folder a log without a commit, as a new table has whose writer was killed? */
bool pq_delta_is_unborn(const char *table);

#endif
