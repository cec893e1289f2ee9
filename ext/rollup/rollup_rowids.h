/*
** rollup_rowids.h - the rowids of groups.
**
** SQLite compares rowids of different calls of a statement, as for an OR between
** two dimensions.  A group is another one in each call, but its combination of
** values is the same.  So a combination gets a number when its rowid is asked for
** the first time.  The numbers belong to the listing of the statement.
*/
#ifndef PQEXT_ROLLUP_ROWIDS_H
#define PQEXT_ROLLUP_ROWIDS_H

#include "ext/rollup/rollup_table.h"

/* The number of the combination with these bytes.  All of a listing take at most so
** much memory. */
PqRc pqext_rowids_of(PqextListing *l, size_t memory, PqSlice key,
                     const PqStop *stop, int64_t *out, PqErr *e);
void pqext_rowids_free(struct PqextRowids *r);            /* r may be NULL */

/* Appends the bytes of a value.  Equal values have the same ones: an integer and
** a real that are equal are one value of a dimension. */
void pqext_rollup_put_cell(const PqCell *v, PqBuf *out);

#endif
