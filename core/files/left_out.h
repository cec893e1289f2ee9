/*
** left_out.h - files that a table does without: ignore_errors=on.
**
** Which files those are is decided when a statement begins, together with the
** listing, and by opening each file of it: what is left in the listing then are
** files that opened.  So every reader of the listing (rows, counts, orders, groups,
** an index of keys) sees the same files, and knows nothing of this.
**
**   left out                                           why
**   what cannot be opened, and folders that cannot be  PQ_IO
**   what is no Parquet file, or has a damaged footer   PQ_CORRUPT
**   what is encrypted, as far as the table wants it    PQ_UNSUPPORTED
**   what has other columns than the table can take     PQ_CHANGED
**   a summary (_metadata) of which a file is missing   PQ_IO
**
** Damage behind the footer stays an error: when it is found, rows of that file
** may have been handed out.
*/
#ifndef PQ_LEFT_OUT_H
#define PQ_LEFT_OUT_H

#include "core/files/table.h"

/* Is this an error for which a file can be left out? */
bool pq_is_left_out(PqRc rc);

/* Takes the files out of the listing that cannot be read as part of t, or, where
** t is NULL, not opened.  PQ_OK; or an error: there is no file left, or one that
** has nothing to do with files. */
PqRc pq_leave_out(PqListing *l, PqEngine *g, const PqTable *t,
                  const PqStop *stop, PqErr *e);

/* Adds to an error about one of several files how to do without it: t says it,
** see PqTableOptions. */
void pq_left_out_hint(const PqTable *t, const PqListing *l, PqErr *e);

/* Says of the scan which files were left out. */
void pq_left_out_notes(const PqListing *l, PqScanNotes *notes);

#endif
