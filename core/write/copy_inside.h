/*
** copy_inside.h - what the files behind copy.h share.
**
**   copy.c         the plan, rows in, which output they go to
**   copy_slab.c    a slab's cells become pages, a column at a time
**   copy_relieve.c which partitions give memory back when it gets tight
**   copy_spill.c   rows of partitions that wait, in the scratch file
**   copy_out.c     row groups and files of one output
**
** An output is a file that is being written, or the sequence of files of one
** partition: rows are collected in one of its two slabs while the other is
** worked on.  Its row group is worked on by one job per column; the jobs of one
** slab are all done before those of the next begin.  A row group that ends is
** written while those of the next one begin.
*/
#ifndef PQ_COPY_INSIDE_H
#define PQ_COPY_INSIDE_H

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

/* Rows that are put aside; see copy_spill.c. */
typedef struct PqPiece {
    uint64_t before;                 /* offset of the piece before           */
    uint64_t n_bytes, n_rows;
    uint64_t first;                  /* number of its first row              */
} PqPiece;

typedef struct PqCopyOut PqCopyOut;

typedef struct PqColumnJob {
    PqJob      job;
    PqCopyOut *out;
    PqSlab    *slab;                 /* NULL: no rows                        */
    uint32_t   column;
    uint64_t   took;                 /* nanoseconds, with the slab before    */
    size_t     n_bytes;              /* of texts in this one                 */
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
    uint32_t      n_files;           /* names that were tried                */
    bool          begun;             /* a file, at least                     */
    PqChunkWrite **chunks;           /* n_leaves; NULL: none yet             */
    PqEndedGroup  ended;
    PqLeafBatch  *batches;           /* likewise                             */
    PqJsonShred **shreds;            /* n_columns, where they are nested     */
    PqColumnJob  *jobs;
    PqSortingCheck *sorting;         /* of what was promised, or NULL        */
    PqSlab        slabs[2];
    int           filling;           /* which slab gets the rows             */
    uint64_t      aside_rows;        /* in front of those in that slab       */
    uint64_t      n_pieces, last_piece;      /* ... and where they lie       */
    bool          working, ending;   /* jobs are queued; they end the group  */
    bool          ending_file;       /* ... and the file                     */
    bool          failed;            /* one of them; read behind the wait    */
    size_t        kept;              /* memory of its chunks and batches, as
                                     ** it was when jobs were last waited for */
    uint64_t      group_rows;        /* handed over since it began           */
    uint64_t      ending_rows;       /* of the group that ends               */
    uint64_t      file_rows;         /* handed over since the file began     */
};

/* What one thread needs; the host's own is the first. */
typedef struct PqCopyWorker {
    PqWriteCtx ctx;
    bool       ready;
} PqCopyWorker;

/* What an output could give back. */
typedef struct PqCopyWeight {
    size_t   n_bytes;
    uint32_t out;
} PqCopyWeight;

struct PqCopy {
    PqCopyPlan     plan;
    PqMem         *mem;
    PqArena        arena;
    PqSchema       schema;
    PqFileShape    shape;
    const PqLeaf **sorting_leaves;   /* of plan.sorting_by                   */
    PqSortingColumn *claims;         /* room for one of each leaf            */
    PqPool        *pool;
    unsigned       n_threads;        /* of it, at most                       */
    PqCopyWorker   workers[PQ_POOL_THREADS + 1];
    PqPublish     *publish;
    PqSink        *scratch;          /* for finished pages, or rows of
                                     ** partitions; or NULL                  */
    uint64_t       n_aside;          /* rows that lie there                  */
    PqCopyOut    **outs;
    uint32_t       n_outs, outs_room;
    uint32_t      *slots;            /* by partition: number in outs + 1     */
    uint32_t       mask;
    PqSlice       *partitions;       /* of each output                       */
    PqCopyWeight  *weights;          /* room for one of each                 */
    PqBuf          partition;        /* of the row at hand                   */
    PqCopyOut     *at;               /* where the row at hand goes           */
    uint32_t       slab_rows;
    size_t         slab_bytes;
    uint32_t       unasked;          /* rows since memory was relieved       */
    size_t         used_before;      /* as it was then                       */
    PqCopyProgress progress;
    bool           is_over;          /* finished, or failed                  */
    pthread_mutex_t lock;            /* of what follows                      */
    PqErr          failure;          /* the first in the order of rows       */
    uint64_t       failed_row;
    uint32_t       failed_column;
    PqCellClass    failed_class;             /* of a misfit                  */
    unsigned       failed_kinds;
    bool           failed, misfit;
    _Atomic bool   stopped;          /* jobs give up                         */
};

/* The slab that is filled, with room for one more row. */
PqRc pq_copy_slab_reserve(PqCopyOut *o, PqErr *e);
void pq_copy_slab_free(PqCopy *c, PqSlab *s);
size_t pq_copy_slab_bytes(const PqCopy *c, const PqSlab *s);

/* Queues the jobs of a slab (NULL: of none), or waits for them.  Of failures the
** first in the order of the rows is told, so they are waited for in all
** outputs. */
PqRc pq_copy_slab_start(PqCopyOut *o, PqSlab *slab, bool ends, PqErr *e);
PqRc pq_copy_slab_wait(PqCopyOut *o, PqErr *e);

/* Waits, whatever became of them. */
PqRc pq_copy_slab_join(PqCopyOut *o, PqErr *e);

PqRc pq_copy_out_new(PqCopy *c, const char *folder, PqCopyOut **out, PqErr *e);
void pq_copy_out_free(PqCopyOut *o);

/* The slab at hand has as many rows, or bytes, as are handed over at once. */
bool pq_copy_out_is_full(const PqCopyOut *o);

/* Hands over the slab that is filled; no rows are aside. */
PqRc pq_copy_out_submit(PqCopyOut *o, PqErr *e);

/* c->scratch, from now on. */
PqRc pq_copy_scratch(PqCopy *c, PqErr *e);

/* copy_relieve.c: makes room where rows of partitions use up the memory; not
** after each row, unless rows are large. */
PqRc pq_copy_relieve(PqCopy *c, PqErr *e);

/* copy_spill.c: puts aside the rows of the slab that is filled, and frees it. */
PqRc pq_copy_spill_rows(PqCopyOut *o, PqErr *e);

/* Brings back all that are aside, hands over what is full, and leaves the rest
** in the slab. */
PqRc pq_copy_spill_back(PqCopyOut *o, PqErr *e);

/* For a copy that has failed: shows the rows that are aside, piece by piece, in
** the slab instead of what is in there. */
PqRc pq_copy_spill_show(PqCopyOut *o, PqRc (*look)(PqCopyOut *o, PqErr *e),
                        PqErr *e);

/* The row group ends here, and is written; or the file as well. */
PqRc pq_copy_out_end_group(PqCopyOut *o, PqErr *e);
PqRc pq_copy_out_end_file(PqCopyOut *o, PqErr *e);

/* Memory that ending the row group, or the file, and slimming would give
** back. */
size_t pq_copy_out_bytes(const PqCopyOut *o);
size_t pq_copy_out_file_bytes(const PqCopyOut *o);
void   pq_copy_out_slim(PqCopyOut *o);           /* after the group's end */

/* Nothing is written any more: row groups go, rows stay. */
void   pq_copy_out_give_up(PqCopyOut *o);

#endif
