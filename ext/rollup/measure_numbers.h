/*
** measure_numbers.h - the numbers of a column in a batch.
*/
#ifndef PQEXT_MEASURE_NUMBERS_H
#define PQEXT_MEASURE_NUMBERS_H

#include "ext/cursor/cursor_scan.h"

typedef struct PqextNumberColumn {
    uint32_t           column;
    uint64_t           batch;        /* that it is loaded for               */
    PqNumbers          numbers;
    const uint64_t    *summed;       /* as numbers.reals, to sum(); NULL: they
                                     ** are the same                        */
    /* The entries of a dictionary, if all are numbers; serial 0: there is
    ** none. */
    uint64_t           serial;
    const void        *entries;      /* NULL: some is NaN                   */
    uint64_t           bound;        /* of entries that are integers        */
    PqArena            made;         /* entries that are not as stored      */
} PqextNumberColumn;

void pqext_numbers_init(PqextNumberColumn *c, uint32_t column, PqMem *mem);
void pqext_numbers_free(PqextNumberColumn *c);

/* The leaf of a column in the file of the batch.  *leaf: its stored values mean
** the same as those of the column's type.  NULL with *leaf: the file does not
** have the column, so all rows are NULL. */
const PqNode *pqext_plain_leaf(PqextScan *source, uint32_t column,
                               bool *leaf);

/* The numbers of a numeric column, for the rows of the batch; rows that are not
** valid are 0, or have an id.  They lie in a, or in c.  A decimal of bytes is WIDE
** also with scale 0. */
PqRc pqext_numbers_load(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                        PqErr *e);

#endif
