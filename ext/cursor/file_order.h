/*
** file_order.h - rows sorted or grouped by what their files say.
**
** A folder column has one value in all rows of a file, and so have filename and
** file_index.  So the files in the order of that value give the rows in that
** order, and no value is compared:
**
**   ORDER BY day DESC      files 0  day=2024-03-01     read 2nd
**                                1  day=2024-03-02     read 1st
**                                2  (no folder)        NULL, read last
**
** The order is that of the values as SQLite is given them: NULL, integers by
** their numbers, texts by their bytes.  Files of equal values keep their order,
** so rows of equal values come in the order of their rowids.
**
** For DISTINCT of such columns, with no other column used, one row of each value
** will do.  No page is read for it.
**
** Once rows are told apart (core/scan/row_source.h), all come.
*/
#ifndef PQEXT_FILE_ORDER_H
#define PQEXT_FILE_ORDER_H

#include "ext/plan/plan.h"

typedef struct PqextFileOrder {
    PqRowSource rows;                /* first                               */
    struct PqextCursor *cursor;
    uint32_t *v;                     /* files, in order                     */
    uint32_t  n, at;                 /* those before were read, or begun    */
    bool      once;                  /* a row of each value will do         */
    bool      running;               /* rows of the files before at are read */
    uint32_t  n_kept;                /* rows of the batch, of which with    */
                                     /* once the first one is given         */
} PqextFileOrder;

struct PqextCursor;

/* Begins to give the cursor's rows in the order of its plan. */
PqRc pqext_file_order_begin(struct PqextCursor *c, PqRowSource **out);

#endif
