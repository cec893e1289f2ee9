/*
** arrow_columns.h - which columns were not dictionaries in Arrow.
**
** Arrow C++ has its own way to write a column that is a dictionary in memory,
** such as categories of pandas.  Until version 12 such columns got wrong
** statistics (order.c, stats.c).  Arrow's schema in the file says which columns
** they are.  Where it is missing, each column may be one.
*/
#ifndef PQ_ARROW_COLUMNS_H
#define PQ_ARROW_COLUMNS_H

#include "core/meta/footer.h"

/* Before this version the statistics of dictionaries may be wrong. */
#define PQ_ARROW_DICTIONARIES_RIGHT PQ_VERSION(12, 0, 0)

/* Sets no_dictionary of the leaves, in files of such writers. */
PqRc pq_arrow_columns_find(PqFooter *f, PqErr *e);

#endif
