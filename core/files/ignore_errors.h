/*
** ignore_errors.h - the files that a table skips with ignore_errors=on.
**
** They are chosen when a statement begins, together with the listing: each file
** is opened, and those that fail are taken out.  So every reader of the listing
** (rows, counts, sorting, groups, the index of a join) sees the same files and
** need not know about this.
**
**   left out                                               why
**   files and folders that cannot be opened                PQ_IO
**   files that are not Parquet or have a damaged footer    PQ_CORRUPT
**   files that encrypt a column of the table with a key
**   that is not at hand                                    PQ_UNSUPPORTED
**   files with columns that do not fit the table           PQ_CHANGED
**   a summary (_metadata) if one of its files is missing   PQ_IO
**
** Damage outside the footer stays an error: when it is found, rows of that file
** may already have been returned.
*/
#ifndef PQ_IGNORE_ERRORS_H
#define PQ_IGNORE_ERRORS_H

#include "core/files/table.h"

/* Is this an error that can make a table leave a file out? */
bool pq_is_left_out(PqRc rc);

/* Takes files out of the listing that cannot be read as part of t, or, with t
** NULL, that cannot be opened.  Fails when no file is left, and for errors that
** are not about one file. */
PqRc pq_leave_out(PqListing *l, PqEngine *g, const PqTable *t,
                  const PqStop *stop, PqErr *e);

/* Adds the hint how to leave the file out to an error about one of several
** files (PqTableOptions.left_out_hint). */
void pq_left_out_hint(const PqTable *t, const PqListing *l, PqErr *e);

/* Notes for the scan which files were left out. */
void pq_left_out_notes(const PqListing *l, PqScanNotes *notes);

#endif
