/*
** rollup_rowids.h - the rowids of groups.
**
** SQLite compares rowids of different calls of a statement, as for an OR
** between two dimensions.  Each call makes its own groups, but a group's
** combination of values stays the same.  So a combination gets a number when
** SQLite first asks for its rowid.  The numbers belong to the listing of the
** statement.
*/
#ifndef PQEXT_ROLLUP_ROWIDS_H
#define PQEXT_ROLLUP_ROWIDS_H

#include "ext/rollup/rollup_table.h"

/* The number of the combination with these bytes.  All numbers of a listing
** take at most `memory` bytes. */
PqRc pqext_rowids_of(PqextListing *l, size_t memory, PqSlice key,
                     const PqStop *stop, int64_t *out, PqErr *e);
void pqext_rowids_free(struct PqextRowids *r);            /* r may be NULL */

/* Appends the bytes of a value.  Equal values have the same bytes: an integer
** and a REAL that are equal are one value of a dimension. */
void pqext_rollup_put_cell(const PqCell *v, PqBuf *out);

#endif
