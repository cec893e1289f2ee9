/*
** summary_files.h - the files of a summary whose folders are columns.
**
**   sales/_metadata    group 0    file_path "year=2023/0.parquet"
**                      group 1    file_path "year=2024/0.parquet"
**
** A listing of sales/_metadata becomes one of these two files, in the order of the
** summary: each has its own value of year.  A summary without such folders stays
** as it is, and is read as one file (chunk_files.h).
*/
#ifndef PQ_SUMMARY_FILES_H
#define PQ_SUMMARY_FILES_H

#include "core/files/engine.h"

/* For a listing with hive.  A summary that cannot be read stays as it is, and
** fails when it is opened. */
PqRc pq_listing_unfold(PqListing *l, PqEngine *g, const PqStop *stop, PqErr *e);

#endif
