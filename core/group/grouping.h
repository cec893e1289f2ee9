/*
** grouping.h - the rows of a scan, those with equal keys side by side.
**
** SQLite sorts the rows of a GROUP BY unless equal ones come side by side.
** Which group comes first is all the same to it, so they need not be sorted:
**
**   rows by their hashes      user  4 9 4 7 9 4 ...
**   partition 0               7 ..                  as large as fits the cache
**   partition 1               4 9 4 9 4 ..          grouped: 4 4 4  9 9
**
** 1. The scan is read once, with all its conditions (group_read.c).  A record
**    of each row (group_shape.h) is put aside in one of up to 256 partitions,
**    by the first bits of its key's hash (group_store.h).
** 2. Partition after partition, the rows are numbered by their groups
**    (number_table.h) and lined up by these numbers (group_give.c).
** 3. They become batches of the scan (pq_scan_give).  Their vectors are set to
**    what the records hold, so that a value is made by the code that makes
**    all values, and a row knows its rowid.
**
** Rows of a group keep their order, so sums of reals are what they would be.
**
** Memory: the records take up to half of the scan's, or an eighth if it is known
** ahead that half is too little.  Beyond that all are written to a file without a
** name, and each partition is read back when it is its turn.  A partition that is
** too large then is cut by further bits.  One with a single key is not cut, but
** handed out as it is read.
**
** If groups have to be in the order of their keys, they are sorted in each
** partition, and the partitions are merged (group_runs.c).
**
** Files may differ in the type of a column.  Then keys are compared as the host
** shows them, and each batch has rows of one file.
*/
#ifndef PQ_GROUPING_H
#define PQ_GROUPING_H

#include "core/numbering/cell.h"
#include "core/scan/row_source.h"

enum {
    PQ_GROUP_KEYS = 4,
    PQ_GROUP_USED = 20               /* columns, keys among them            */
};

/* How stored values are compared for equality. */
typedef enum PqGroupForm {
    PQ_GROUP_INTS,                   /* as integers                         */
    PQ_GROUP_REALS,                  /* as reals: both zeros are equal, NaN
                                     ** is NULL                             */
    PQ_GROUP_BYTES,                  /* texts: by their bytes               */
    PQ_GROUP_CELLS                   /* what the host shows                 */
} PqGroupForm;

typedef struct PqGroupSpec {
    PqRowHost host;
    uint32_t n_keys, keys[PQ_GROUP_KEYS];        /* columns of the table    */
    uint32_t n_used, used[PQ_GROUP_USED];        /* ... of pages; keys too  */
    bool     once;                   /* one row of each group will do       */
    bool     ordered;                /* groups come in the order of their
                                     ** keys; not with once                 */
    bool     desc[PQ_GROUP_KEYS];    /* ... which is descending             */
    double   rows;                   /* about so many rows, or fewer        */
    bool     all_rows;               /* ... and no condition drops any      */
    /* Of few groups: `used` is known, so that values can be gathered (group_gather.h);
    ** and if groups are not few, they may be hashed. */
    bool     gather, hash;
    bool     rowids;                 /* columns outside of pages are used, so batches
                                     ** need rowids before one is asked for */
    /* How values of a column that are stored with this type are compared; NULL:
    ** the file does not have the column.  With ordered, INTS and BYTES have to be
    ** in the order of what the host shows.  arg is host.arg. */
    PqGroupForm (*form)(void *arg, uint32_t column, const PqType *stored,
                        bool ordered);
} PqGroupSpec;

/* The scan was begun.  spec is copied.  All of the scan is read before the
** first batch comes. */
PqRc pq_group_new(PqScan *scan, const PqGroupSpec *spec, PqRowSource **out,
                  PqErr *e);

/* The same for few groups: rows are read once per group, or once for several groups
** (group_passes.c).  Groups come in the order of their keys, unless they are hashed
** after all; form and ordered are for that.  A note is made of each row, if all notes
** fit a share of the memory, and values are gathered in another one. */
enum { PQ_GROUP_NOTES_SHARE = 4, PQ_GROUP_GATHER_SHARE = 8, PQ_GROUP_PASSES = 255 };

PqRc pq_group_passes_new(PqScan *scan, const PqGroupSpec *spec,
                         PqRowSource **out, PqErr *e);

#endif
