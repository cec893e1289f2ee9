/*
** file_order.h - rows sorted or grouped by columns that have one value per
** file.
**
** A folder column has one value in all rows of a file, as do filename and
** file_index.  So the files in the order of that value give the rows in that
** order, and no value is compared:
**
**   ORDER BY day DESC      files 0  day=2024-03-01     read 2nd
**                                1  day=2024-03-02     read 1st
**                                2  (no folder)        NULL, read last
**
** Values are compared as the host gets them (cell.h).  Files with equal values
** keep their order, so rows with equal values come in the order of their
** rowids.
**
** For a DISTINCT of such columns, with no other column used, one row of each
** value is enough.  No page is read for it.
*/
#ifndef PQ_FILE_ORDER_H
#define PQ_FILE_ORDER_H

#include "core/numbering/cell.h"
#include "core/scan/row_source.h"

enum { PQ_FILE_ORDER_COLUMNS = 4 };

typedef struct PqFileOrderSpec {
    PqRowHost host;
    uint32_t  n, column[PQ_FILE_ORDER_COLUMNS];
    bool      desc[PQ_FILE_ORDER_COLUMNS];
    bool      once;                  /* a row of each value is enough       */
    /* The value of a column in all rows of a file.  Its bytes stay. */
    PqCell  (*value)(void *arg, uint32_t column, uint32_t file);
} PqFileOrderSpec;

/* spec is copied, but the arrays in it are not. */
PqRc pq_file_order_new(PqScan *scan, const PqFileOrderSpec *spec,
                       PqRowSource **out, PqErr *e);

#endif
