/*
** copy_parts.h - what the files behind copy.h share.
**
**   copy.c         the plan, rows in, which output they go to
**   copy_slab.c    a slab's cells become pages, a column at a time
**   copy_out.c     row groups and files of one output
**
** An output is a file that is being written, or the sequence of files of one
** partition: rows are collected in one of its two slabs while the other is
** worked on.  Its row group is worked on by one job per column; the jobs of one
** slab are all done before those of the next begin.  A row group that ends is
** written while those of the next one begin.
*/
#ifndef PQ_COPY_PARTS_H
#define PQ_COPY_PARTS_H

#include "core/nested/json_shred.h"
#include "core/write/copy.h"
#include "core/write/file_write.h"

#include <pthread.h>

typedef struct PqSlab {
    PqCells  *columns;               /* n_columns; NULL: none yet            */
    uint64_t *numbers;               /* of each row, with partitions         */
    uint32_t  numbers_room;
    uint64_t  first;                 /* number of the first row, without     */
    uint32_t  n_rows;
} PqSlab;

typedef struct PqCopyOut PqCopyOut;

typedef struct PqColumnJob {
    PqJob      job;
    PqCopyOut *out;
    PqSlab    *slab;                 /* NULL: no rows                        */
    uint32_t   column;
    size_t     weight;               /* how long it may take                 */
    bool       ends;                 /* the row group, with these rows       */
} PqColumnJob;

/* A row group that only has to be written. */
typedef struct PqEndedGroup {
    PqChunkWrite **chunks;           /* NULL: there is none                  */
    uint64_t      n_rows;
    bool          ends_file;
} PqEndedGroup;

struct PqCopyOut {
    PqCopy       *copy;
    const char   *folder;            /* of the partition, or NULL            */
    PqSink       *sink;              /* NULL: no file is begun               */
    PqFileWrite  *file;
    uint32_t      n_files;
    PqChunkWrite **chunks;           /* n_leaves; NULL: none yet             */
    PqEndedGroup  ended;
    PqLeafBatch  *batches;           /* likewise                             */
    PqJsonShred **shreds;            /* n_columns, where they are nested     */
    PqColumnJob  *jobs;
    PqSortingCheck *sorting;         /* of what was promised, or NULL        */
    PqSlab        slabs[2];
    int           filling;           /* which slab gets the rows             */
    bool          working, ending;   /* jobs are queued; they end the group  */
    bool          ending_file;       /* ... and the file                     */
    uint64_t      group_rows;        /* handed over since it began           */
    uint64_t      ending_rows;       /* of the group that ends               */
    uint64_t      file_rows;         /* handed over since the file began     */
};

/* What one thread needs; the host's own is the first. */
typedef struct PqCopyWorker {
    PqWriteCtx ctx;
    bool       ready;
} PqCopyWorker;

struct PqCopy {
    PqCopyPlan     plan;
    PqMem         *mem;
    PqArena        arena;
    PqSchema       schema;
    PqFileShape    shape;
    const PqLeaf **sorting_leaves;   /* of plan.sorting_by                   */
    PqSortingColumn *claims;         /* room for one of each leaf            */
    PqPool        *pool;
    PqCopyWorker   workers[PQ_POOL_THREADS + 1];
    PqPublish     *publish;
    PqSink        *scratch;          /* for finished pages; or NULL          */
    PqCopyOut    **outs;
    uint32_t       n_outs, outs_room;
    uint32_t      *slots;            /* partitions by key: number in outs + 1 */
    uint32_t       mask;
    PqSlice       *keys;             /* of each output                       */
    PqBuf          key;              /* of the row at hand                   */
    PqCopyOut     *at;               /* where the row at hand goes           */
    uint32_t       slab_rows;
    size_t         slab_bytes;
    uint32_t       unasked;          /* rows since memory was looked at      */
    PqCopyProgress progress;
    pthread_mutex_t lock;            /* of what follows                      */
    PqErr          failure;          /* the first in the order of rows       */
    uint64_t       failed_row;
    uint32_t       failed_column;
    bool           failed, misfit;
    _Atomic bool   stopped;          /* jobs give up                         */
};

/* The slab that is filled, with room for one more row. */
PqRc pq_copy_slab_reserve(PqCopyOut *o, PqErr *e);
void pq_copy_slab_free(PqCopy *c, PqSlab *s);
size_t pq_copy_slab_bytes(const PqCopy *c, const PqSlab *s);

/* Queues the jobs of a slab (NULL: of none), or waits for them. */
PqRc pq_copy_slab_start(PqCopyOut *o, PqSlab *slab, bool ends, PqErr *e);
PqRc pq_copy_slab_wait(PqCopyOut *o, PqErr *e);

PqRc pq_copy_out_new(PqCopy *c, const char *folder, PqCopyOut **out, PqErr *e);
void pq_copy_out_free(PqCopyOut *o);

/* How many more rows the slab at hand may have. */
uint32_t pq_copy_out_left(const PqCopyOut *o);

/* Hands over the slab that is filled. */
PqRc pq_copy_out_submit(PqCopyOut *o, PqErr *e);

/* The row group ends here, and is written; or the file as well. */
PqRc pq_copy_out_end_group(PqCopyOut *o, PqErr *e);
PqRc pq_copy_out_end_file(PqCopyOut *o, PqErr *e);

/* Memory that writing the row group, or spilling it, would give back. */
size_t pq_copy_out_bytes(const PqCopyOut *o);
void   pq_copy_out_slim(PqCopyOut *o);           /* after the group's end */

#endif
