/*
** copy.h - rows in, files out.
**
** The host appends cells to the columns of a slab and ends each row.  A full
** slab goes to the pool, which does the rest a column at a time: types,
** encodings, compression, pages.
**
**   rows -> PqCells (slab)  -> leaf batches -> pages -> row group -> file
**           host's thread      pool            pool     host's thread
**
** A slab is filled while the pool works on the previous one.  Every partition
** has its own slabs and its own files.
*/
#ifndef PQ_COPY_H
#define PQ_COPY_H

#include "core/base/pool.h"
#include "core/column/cells.h"
#include "core/column/chunk_options.h"
#include "core/column/leaf_fill.h"
#include "core/geo/geoparquet.h"
#include "core/write/file_seal.h"
#include "core/write/publish.h"
#include "core/write/cleanup.h"
#include "core/write/sorting.h"

/* A column of the files.  Partition columns are not among them. */
typedef struct PqCopyColumn {
    PqFillRules    rules;
    PqChunkOptions options;          /* of each leaf below it; an encoding
                                     ** only of leaves that support it       */
    uint32_t       cover_of;         /* 0: its cells come from the host; else
                                     ** it has the boxes of the geometries in
                                     ** column cover_of - 1: covering_fill.h */
} PqCopyColumn;

typedef enum PqSorting { PQ_SORTING_AUTO, PQ_SORTING_NONE, PQ_SORTING_GIVEN }
    PqSorting;

/* The sizes of row groups that are good for most files.
**
** A row group has 262,144 rows, because other readers work by row groups: DuckDB
** and ClickHouse give each to a thread, and a reader without page indexes reads
** one whole for one row.  Measured with 6 million rows of lineitem (1), 10
** million events (2) and 2 million rows of 105 columns (3), default options:
**
**   rows of a row group             131072   262144   1048576
**   file, (1)                       142.4    141.5    140.8 MB
**         (2)                       270.9    270.8    266.2 MB
**         (3)                       255.8    254.0    249.5 MB
**   DuckDB, a row by its key            18       18        93 ms
**           10,000 keys                  5        6        19 ms
**           ORDER BY x LIMIT 10         58       72       150 ms
**           a scan of two columns      585      549       563 ms
**   this engine, all of these         even     even      even
**   memory of a copy of (1)             70       73       107 MB
**   the copy of (1), all threads       7.9      7.2       7.1 s
**
** Files are larger where a column's dictionary pays only in a large row group.
** With 131,072 rows some are larger than DuckDB's.  Each chunk is also judged
** by a trial, which costs more the larger the chunk is. */
enum { PQ_COPY_GROUP_ROWS = 1 << 18, PQ_COPY_GROUP_BYTES = 128 << 20 };

typedef struct PqCopyPlan {
    const char   *path;
    bool          is_folder;
    bool          adds;                      /* to the files of the folder   */
    PqPublish    *publish;                   /* opened for that path         */
    const char   *name;                      /* not NULL: one file of that folder
                                     ** of publish, which others write into too:
                                     ** the caller commits and frees it      */
    PqSink       *into;              /* not NULL: the one file goes there, and
                                     ** publish is NULL                      */
    const PqSchemaElementList *schema;       /* root's children: the columns */
    const PqSchemaElementList *named;        /* ... as the files name them; NULL: so */
    const PqCopyColumn *columns;             /* covering ones are last       */
    uint32_t      n_columns;
    const PqGeoParquet *geo;                 /* NULL: no key "geo".  Columns
                                     ** are found by name; each file has its
                                     ** own boxes and types                  */
    const char *const *partition_names;
    uint32_t      n_partition;
    uint64_t      row_group_rows, row_group_bytes;
    uint64_t      file_rows, file_bytes;     /* 0: no rolling                */
    PqSorting     sorting;
    const PqSortingBy *sorting_by;
    uint32_t      n_sorting_by;
    const PqKeyValue *key_values;
    uint32_t      n_key_values;
    const char   *created_by;
    const PqEncryption *encryption;          /* NULL: in the clear           */
    const PqStop *stop;
    unsigned      threads;
    PqMem        *mem;
} PqCopyPlan;

typedef struct PqCopy PqCopy;

/* A file without a name in the folder of the path, which needs as much room anyway; if that is
** on a server, or NULL, where others are.  sealed: enciphered. */
PqRc pq_copy_scratch_beside(PqMem *mem, const char *path, bool is_folder, bool sealed,
                            PqSink **out, PqErr *e);

/* Takes plan->publish, unless there is a name.  It is opened before the first row of
** the query, which may take hours to come, so a target that cannot be written fails
** early. */
PqRc pq_copy_open(const PqCopyPlan *plan, PqCopy **out, PqErr *e);

/* Begins a row.  The caller appends one cell to each column that has cells, and
** then calls pq_copy_row_end.  With partitions, values are the texts of the
** row's partition columns (p NULL: null), which choose the slab. */
PqRc pq_copy_row(PqCopy *c, const PqSlice *values, PqCells **columns, PqErr *e);
PqRc pq_copy_row_end(PqCopy *c, PqErr *e);

/* Writes the remaining rows, so that all files are whole but for their names.  What
** pq_copy_finish does by itself; for a caller that has a last word. */
PqRc pq_copy_end_files(PqCopy *c, PqErr *e);

/* Writes the remaining rows and publishes them, unless there is a name.  A copy without
** rows makes a file without row groups; with partitions, or where adds says so, it makes
** none. */
PqRc pq_copy_finish(PqCopy *c, PqErr *e);
void pq_copy_free(PqCopy *c);        /* not finished: takes everything back */

/* The same for a caller that cannot wait: see cleanup.h. */
PqCleanup *pq_copy_cleanup(PqCopy *c, PqCleanup *before, unsigned ms);

/* A value that did not fit its column; text_kind.h has the kinds of a TEXT. */
typedef struct PqCopyMisfit {
    uint32_t    column;              /* of the plan                          */
    uint64_t    row;                 /* of the copy, from 1                  */
    PqCellClass cls;                 /* BLOB for a text that is not UTF-8    */
    unsigned    kinds;
} PqCopyMisfit;

/* False when the copy failed for another reason. */
bool pq_copy_misfit(const PqCopy *c, PqCopyMisfit *out);

typedef struct PqCopyProgress {
    uint64_t rows, bytes;
    uint32_t files, row_groups, small_groups;
} PqCopyProgress;
PqCopyProgress pq_copy_progress(const PqCopy *c);

/* Counts values that do not have the type that the user named for a part of a
** VARIANT.  Appends "column v, $.a: 3 of 20 values are not of type DOUBLE", with a
** semicolon between two such texts.  If no value of a part has its type,
** pq_copy_finish fails. */
void pq_copy_unfit(const PqCopy *c, PqBuf *out);

/* What a finished copy took away: see publish.h. */
PqPublishLost pq_copy_lost(const PqCopy *c);

#endif
