/*
** copy.h - rows in, files out.
**
** The host appends cells to the columns of a slab, ends each row, and hands
** slabs over; what happens to them (types, encoding, compression, pages, row
** groups, files) happens in the pool, a column at a time.
**
**   rows -> PqCells (slab)  -> leaf batches -> pages -> row group -> file
**           host's thread      pool            pool     host's thread
**
** A slab is filled while the one before is worked on.  With partitions every
** partition has its own slab, and its own files.
*/
#ifndef PQ_COPY_H
#define PQ_COPY_H

#include "core/base/pool.h"
#include "core/column/cells.h"
#include "core/column/chunk_options.h"
#include "core/column/leaf_fill.h"
#include "core/write/publish.h"
#include "core/write/retreat.h"
#include "core/write/sorting.h"

/* A column of the files.  Partition columns are not among them. */
typedef struct PqCopyColumn {
    PqFillRules    rules;
    PqChunkOptions options;          /* of each leaf below it; an encoding of
                                     ** those that have it, when nested      */
} PqCopyColumn;

typedef enum PqSorting { PQ_SORTING_AUTO, PQ_SORTING_NONE, PQ_SORTING_GIVEN }
    PqSorting;

typedef struct PqCopyPlan {
    const char   *path;
    bool          is_folder;
    PqPublish    *publish;                   /* opened for that path         */
    const PqSchemaElementList *schema;       /* root's children: the columns */
    const PqCopyColumn *columns;
    uint32_t      n_columns;
    const char *const *partition_names;
    uint32_t      n_partition;
    const char   *filename_pattern;          /* {i}, {uuid}; NULL: data_{i};
                                             ** pq_file_name_check'd         */
    uint64_t      row_group_rows, row_group_bytes;
    uint64_t      file_rows, file_bytes;     /* 0: no rolling                */
    PqSorting     sorting;
    const PqSortingBy *sorting_by;
    uint32_t      n_sorting_by;
    const PqKeyValue *key_values;
    uint32_t      n_key_values;
    const char   *created_by;
    const PqStop *stop;
    unsigned      threads;
    PqMem        *mem;
} PqCopyPlan;

typedef struct PqCopy PqCopy;

/* Takes plan->publish.  It is opened before the query's first row is asked for,
** which may come hours after it: what cannot be written is known by then. */
PqRc pq_copy_open(const PqCopyPlan *plan, PqCopy **out, PqErr *e);

/* The cells of the row to come: n_columns of them, to each of which exactly
** one cell is appended before pq_copy_row_end.  With partitions, values are the
** texts of this row's partition columns (p NULL: null); they choose the
** slab. */
PqRc pq_copy_row(PqCopy *c, const PqSlice *values, PqCells **columns, PqErr *e);
PqRc pq_copy_row_end(PqCopy *c, PqErr *e);

/* Writes what is left and publishes.  A copy without rows is a file without row
** groups; of one with partitions an empty folder. */
PqRc pq_copy_finish(PqCopy *c, PqErr *e);
void pq_copy_free(PqCopy *c);        /* not finished: takes everything back */

/* The same for who has no time: see retreat.h. */
PqRetreat *pq_copy_retreat(PqCopy *c, PqRetreat *before, unsigned ms);

/* A value that did not fit; kinds: of a TEXT, see text_kind.h. */
typedef struct PqCopyMisfit {
    uint32_t    column;              /* of the plan                          */
    uint64_t    row;                 /* of the copy, from 1                  */
    PqCellClass cls;                 /* BLOB of a text that is not UTF-8     */
    unsigned    kinds;
} PqCopyMisfit;

/* False when what failed was something else. */
bool pq_copy_misfit(const PqCopy *c, PqCopyMisfit *out);

typedef struct PqCopyProgress {
    uint64_t rows, bytes;
    uint32_t files, row_groups, small_groups;
} PqCopyProgress;
PqCopyProgress pq_copy_progress(const PqCopy *c);

#endif
