/*
** distinct.h - rows with a value that SQLite has seen are left out.
**
** SELECT DISTINCT of one column needs no second row with the same value,
** because it uses nothing of the row but that value.  So a filter, after all
** others, lets each entry of a dictionary pass once, and not at all if it has
** passed in another row group:
**
**   row group 0   entries AR DE US     rows 1 1 0 2 0 ..   1, 0 and 2 pass
**   row group 1   entries DE US        all of them passed: no page is read
**   row group 2   entries DE FR        only FR is waited for
**
** An entry that no row has never passes.  Values are remembered as long as they
** do not take much memory.  If one is forgotten, SQLite drops the second row.
**
** Once rows are told apart (row_source.h), the filter is out of action, and the rest
** of the batch is given as if there were none.
*/
#ifndef PQ_DISTINCT_H
#define PQ_DISTINCT_H

#include "core/scan/row_source.h"

typedef struct PqDistinct PqDistinct;

/* Made once for a scan, and freed before it. */
PqRc pq_distinct_new(PqScan *scan, PqDistinct **out, PqErr *e);
void pq_distinct_free(PqDistinct *d);                    /* d may be NULL */

/* Adds the filter to the scan, which was begun and has all others.  *out gives
** the rows that it leaves.  No value of the column has been seen yet. */
PqRc pq_distinct_begin(PqDistinct *d, uint32_t column, PqRowSource **out,
                       PqErr *e);

/* The bytes of an entry of a dictionary.  Different values have different
** bytes. */
PqSlice pq_dict_entry(const PqDict *d, uint32_t i);

#endif
