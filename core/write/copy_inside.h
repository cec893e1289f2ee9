/*
** copy_inside.h - what the files that implement copy.h share.
**
**   copy.c         the plan, rows in, which output they go to
**   copy_slab.c    turns a slab's cells into pages, a column at a time
**   copy_memory.c  which partitions give memory back when it gets tight
**   copy_spill.c   rows of partitions that wait, in the scratch file
**   copy_out.c     row groups and files of one output
**
** An output is a file that is being written, or the sequence of files of one
** partition.  Rows are collected in one of its two slabs while the pool works
** on the other, with one job per column.  All jobs of one slab end before the
** jobs of the next begin.  A row group that has ended is written to the file
** while the jobs of the next one run.
*/
#ifndef PQ_COPY_INSIDE_H
#define PQ_COPY_INSIDE_H

#include "core/column/covering_fill.h"
#include "core/nested/json_shred.h"
#include "core/nested/variant_shred.h"
#include "core/numbering/text_numbers.h"
#include "core/write/copy.h"
#include "core/write/file_write.h"

#include <pthread.h>

typedef struct PqSlab {
    PqCells  *columns;               /* n_cells; NULL: none yet              */
    size_t    n_bytes;               /* of texts and bytes in them           */
    uint64_t *numbers;               /* of the rows; only with partitions    */
    uint32_t  numbers_room;
    uint64_t  first;                 /* without: number of the first row     */
    uint32_t  n_rows;
} PqSlab;

/* Rows that were put aside; see copy_spill.c. */
typedef struct PqCopyPiece {
    uint64_t before;                 /* offset of the previous piece         */
    uint64_t n_bytes, n_rows;
    uint64_t first;                  /* number of its first row              */
} PqCopyPiece;

typedef struct PqCopyOut PqCopyOut;

typedef struct PqColumnJob {
    PqJob      job;
    PqCopyOut *out;
    PqSlab    *slab;                 /* NULL: no rows                        */
    uint32_t   column;
    uint64_t   took;                 /* nanoseconds, for the previous slab   */
    size_t     n_bytes;              /* of texts in this slab                */
    bool       ends;                 /* these rows end the row group         */
} PqColumnJob;

/* A row group whose chunks are complete, but not in the file yet. */
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
    PqFileSeal   *seal;              /* of the file that the chunks will be in;
                                     ** NULL: none yet, or in the clear      */
    PqFileSeal   *waiting;           /* of the file before, while its last row
                                     ** group waits to be written            */
    uint32_t      n_sealed;          /* row groups that have got `seal`      */
    uint64_t      n_files;           /* the number of the next name          */
    bool          begun;             /* at least one file                    */
    PqChunkWrite **chunks;           /* n_leaves; NULL: none yet             */
    PqEndedGroup  ended;
    PqChunkLesson *lessons;          /* n_leaves, of the row group before    */
    PqLeafBatch  *batches;           /* likewise                             */
    PqJsonShred **shreds;            /* n_columns; NULL where not nested     */
    PqCover      *covers;            /* of the columns from n_cells on       */
    PqColumnJob  *jobs;
    PqSortingCheck *sorting;         /* if an order was promised, or NULL    */
    PqSlab        slabs[2];
    int           filling;           /* which slab gets the rows             */
    uint64_t      aside_rows;        /* put aside, before those in that slab */
    uint64_t      n_pieces, last_piece;      /* ... and where they are       */
    bool          working, ending;   /* jobs are queued; they end the group  */
    bool          ending_file;       /* ... and the file                     */
    bool          failed;            /* a job; read after waiting for them   */
    size_t        kept;              /* memory of its chunks and batches when
                                     ** jobs were last waited for            */
    uint64_t      group_rows;        /* handed over since it began           */
    uint64_t      ending_rows;       /* of the group that ends               */
    uint64_t      file_rows;         /* handed over since the file began     */
};

/* What one thread needs; the host's thread has the first. */
typedef struct PqCopyWorker {
    PqWriteCtx ctx;
    bool       ready;
} PqCopyWorker;

/* The memory that an output could give back. */
typedef struct PqCopyWeight {
    size_t   n_bytes;
    uint32_t out;
} PqCopyWeight;

struct PqCopy {
    PqCopyPlan     plan;
    PqMem         *mem;
    PqArena        arena;
    PqSchema       schema;
    PqShredTally  *tally;            /* by leaf; NULL: nothing is counted    */
    uint32_t       n_cells;          /* columns that have cells: the first   */
    PqFileShape    shape;
    PqEncryption   encryption;       /* as planned, for leaves of files      */
    PqSealPlan    *seal;             /* NULL: in the clear                   */
    const PqLeaf **sorting_leaves;   /* of plan.sorting_by                   */
    PqSortingColumn *claims;         /* room for one per leaf                */
    PqEndedChunk  *ended;            /* likewise                             */
    PqPool        *pool;
    unsigned       n_threads;        /* of the pool, at most                 */
    PqCopyWorker   workers[PQ_POOL_THREADS + 1];
    PqPublish     *publish;
    PqSink        *scratch;          /* for finished pages, or rows of
                                     ** partitions; or NULL                  */
    uint64_t       n_aside;          /* rows in it                           */
    PqCopyOut    **outs;
    uint32_t       n_outs, outs_room;
    PqTextNumbers  partitions;       /* the joined values of each output    */
    PqCopyWeight  *weights;          /* room for one per output              */
    PqBuf          partition;        /* joined values of the current row     */
    PqCopyOut     *at;               /* where the current row goes           */
    uint32_t       slab_rows;
    size_t         slab_bytes;
    uint32_t       unasked;          /* rows since memory was relieved       */
    size_t         used_before;      /* memory in use then                   */
    PqCopyProgress progress;
    bool           is_over;          /* finished, or failed                  */
    bool           is_written;       /* all rows are in files                */
    pthread_mutex_t lock;            /* of all below                         */
    PqErr          failure;          /* the first in the order of rows       */
    uint64_t       failed_row;
    uint32_t       failed_column;
    PqCellClass    failed_class;             /* of a misfit                  */
    unsigned       failed_kinds;
    bool           failed, misfit;
    PqSharedStop   stop;             /* jobs give up                         */
};

/* The number of a row in the copy. */
static inline uint64_t pq_copy_slab_number(const PqSlab *s, uint32_t row)
{
    return s->numbers ? s->numbers[row] : s->first + row;
}

/* Makes room for one more row in the slab that is being filled. */
PqRc pq_copy_slab_reserve(PqCopyOut *o, PqErr *e);
void pq_copy_slab_free(PqCopy *c, PqSlab *s);
size_t pq_copy_slab_bytes(const PqCopy *c, const PqSlab *s);

/* Queue the jobs of a slab (NULL: without rows), and wait for them.  After a
** failure, the wait is for the jobs of all outputs, because the failure of the
** first row is the one to report. */
PqRc pq_copy_slab_start(PqCopyOut *o, PqSlab *slab, bool ends, PqErr *e);
PqRc pq_copy_slab_wait(PqCopyOut *o, PqErr *e);

/* Waits for the jobs, even if they fail. */
PqRc pq_copy_slab_join(PqCopyOut *o, PqErr *e);

PqRc pq_copy_out_new(PqCopy *c, const char *folder, PqCopyOut **out, PqErr *e);
void pq_copy_out_free(PqCopyOut *o);

/* The locks for the chunks of a new row group, and its ordinal; NULL: in the
** clear. */
PqRc pq_copy_out_seal(PqCopyOut *o, const PqFileSeal **out, int *row_group,
                      PqErr *e);

/* Does the slab that is being filled have enough rows or bytes to be handed
** over? */
bool pq_copy_out_is_full(const PqCopyOut *o);

/* Hands over the slab that is being filled.  No rows may be aside. */
PqRc pq_copy_out_submit(PqCopyOut *o, PqErr *e);

/* Opens c->scratch, unless it is open. */
PqRc pq_copy_scratch(PqCopy *c, PqErr *e);

/* copy_memory.c: called after each row; makes room when the rows of partitions
** use up the memory. */
PqRc pq_copy_relieve(PqCopy *c, PqErr *e);

/* copy_spill.c: puts aside the rows of the slab that is being filled, and frees
** it. */
PqRc pq_copy_spill_rows(PqCopyOut *o, PqErr *e);

/* Brings back all rows that are aside.  Full slabs are handed over, the rest
** stays in the slab. */
PqRc pq_copy_spill_back(PqCopyOut *o, PqErr *e);

/* For a copy that has failed: puts the rows that are aside into the slab, piece
** by piece, in place of its own rows, and calls look. */
PqRc pq_copy_spill_show(PqCopyOut *o, PqRc (*look)(PqCopyOut *o, PqErr *e),
                        PqErr *e);

/* End the row group, and with the second also the file, and write it. */
PqRc pq_copy_out_end_group(PqCopyOut *o, PqErr *e);
PqRc pq_copy_out_end_file(PqCopyOut *o, PqErr *e);

/* The memory that ending the row group, or the file, and pq_copy_out_slim would
** give back. */
size_t pq_copy_out_bytes(const PqCopyOut *o);
size_t pq_copy_out_file_bytes(const PqCopyOut *o);

/* Frees the row group and everything that jobs need.  No job may be queued. */
void   pq_copy_out_slim(PqCopyOut *o);

/* Frees the row groups but keeps the rows: nothing will be written any more. */
void   pq_copy_out_give_up(PqCopyOut *o);

#endif
