/*
** arrow_columns.h - which columns were no dictionaries in Arrow.
**
** Arrow C++ writes a column that is a dictionary in memory, as of categories in
** pandas, in a way of its own.  Until version 12 that gave it wrong statistics
** (order.c, stats.c).  Arrow's schema in the file tells these columns from the
** rest.  Where it is missing, each may be one.
*/
#ifndef PQ_ARROW_COLUMNS_H
#define PQ_ARROW_COLUMNS_H

#include "core/meta/footer.h"

/* Before this version the statistics of dictionaries may be wrong. */
#define PQ_ARROW_DICTIONARIES_RIGHT PQ_VERSION(12, 0, 0)

/* Sets no_dictionary of the leaves, in files of such writers. */
PqRc pq_arrow_columns_find(PqFooter *f, PqErr *e);

#endif
