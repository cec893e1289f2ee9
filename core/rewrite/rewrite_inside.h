/*
** rewrite_inside.h - what the files that implement rewrite.h share.
**
**   rewrite.c        row groups: which are copied, which wait to be joined
**   rewrite_shape.c  the columns of the output, and where they are in a file
**   rewrite_geo.c    the key "geo"
**   rewrite_leaf.c   leaves that are decoded and encoded, one job each
**   mask.c           keyed hashes
*/
#ifndef PQ_REWRITE_INSIDE_H
#define PQ_REWRITE_INSIDE_H

#include "core/base/pool.h"
#include "core/column/chunk_write.h"
#include "core/column/leaf_rows.h"
#include "core/files/chunk_files.h"
#include "core/geo/geoparquet.h"
#include "core/rewrite/rewrite.h"
#include "core/write/file_write.h"

#include <pthread.h>

/* How a leaf of the output is made of a file. */
typedef enum PqLeafWay { PQ_LEAF_COPIED, PQ_LEAF_WRITTEN, PQ_LEAF_NULLS }
    PqLeafWay;

/* A column in a file; NULL: the file lacks it. */
static inline const PqNode *pq_rewrite_field(const PqFooter *f, const PqRewriteColumn *c)
{
    return pq_node_field(f->schema.root, pq_slice_text(c->name), 0);
}

typedef struct PqLeafFrom {
    PqLeafWay way;
    uint32_t  leaf;                  /* of the file; anything where the way is NULLS */
} PqLeafFrom;

/* A file whose row groups are added. */
typedef struct PqRewriteFile {
    unsigned     n_users;
    PqInput      in;
    PqFooter    *f;
    PqChunkFiles parts;
    PqArena      arena;
    PqLeafFrom  *from;               /* of each leaf of the output           */
} PqRewriteFile;

/* Some rows of a row group, that are written. */
typedef struct PqRewriteRows {
    PqRewriteFile   *file;           /* NULL: none                           */
    uint32_t         group;
    uint64_t         n_rows;         /* that are not left out                */
    const PqRowSpan *left_out;       /* in the file; the first one may end in
                                     ** the row group, or later              */
    uint32_t         n_left_out;
} PqRewriteRows;

/* A leaf of the output, and the job that adds rows to it. */
typedef struct PqRewriteLeaf {
    PqJob            job;
    struct PqRewrite *r;
    const PqLeaf    *leaf;
    const PqRewriteColumn *column;
    const PqGeoColumn *geo;          /* of a GeoParquet column the first leaf; or NULL */
    PqChunkOptions   options;
    PqOrder          order;          /* of its bounds                        */
    PqLeafBatch      batch;
    PqChunkLesson    lesson;         /* of the row group before              */
    PqChunkCopy     *copy;           /* NULL: it is not copied               */
    PqRewriteRows    rows;
    PqInput         *in;             /* of the chunk                         */
    bool             ends;           /* the chunk ends with these rows       */
    PqErr            e;
} PqRewriteLeaf;

/* What a thread needs; the caller's has the first. */
typedef struct PqRewriteWorker {
    PqReadCtx  read;
    PqWriteCtx write;
    bool       ready;
} PqRewriteWorker;

struct PqRewrite {
    PqRewritePlan  plan;
    PqMem         *mem;
    PqArena        arena;
    PqSink        *to;
    PqFileWrite   *file;             /* NULL: not begun                      */
    uint64_t       bytes_before;     /* of plan.now                          */
    uint32_t       n_groups;         /* of the file                          */
    PqSchemaElementList elements;
    PqSchema       schema;
    PqRewriteLeaf *leaves;
    PqFileShape    shape;
    PqGeoParquet   geo;
    PqSealPlan    *seal_plan;        /* NULL: in the clear                   */
    PqFileSeal    *seal;
    /* The row group that comes next. */
    PqRewriteRows  held;             /* small; perhaps it can be joined      */
    PqChunkWrite **chunks;           /* of each leaf; NULL: not begun        */
    PqEndedChunk  *ended;            /* likewise                             */
    uint64_t       n_rows;           /* in chunks                            */
    uint32_t       n_joined;         /* row groups in chunks                 */
    PqSortingColumn *claims;         /* room for one per leaf                */
    /* Threads. */
    PqPool        *pool;
    PqRewriteWorker workers[PQ_POOL_THREADS + 1];
    PqSink        *scratch;          /* NULL: nothing was spilled            */
    pthread_mutex_t lock;            /* of scratch                           */
    PqSharedStop   stop;             /* jobs give up                         */
};

/* rewrite_shape.c: makes the columns of the output. */
PqRc pq_rewrite_make_shape(PqRewrite *r, PqErr *e);

/* Finds them in a file.  PQ_UNSUPPORTED: they are not there in this form. */
PqRc pq_rewrite_find(const PqRewrite *r, PqRewriteFile *file, PqErr *e);

/* rewrite_geo.c */
PqRc pq_rewrite_make_geo(PqRewrite *r, PqErr *e);
PqRc pq_rewrite_find_geo(const PqRewrite *r, const PqRewriteFile *file, PqErr *e);

/* What GeoParquet says of the column in a file; NULL: nothing. */
const PqGeoColumn *pq_rewrite_geo_said(const PqFooter *f, const PqRewriteColumn *c);

/* rewrite_leaf.c: adds rows to the chunks of the output: of all leaves, or only
** of those that cannot be copied.  ends: the chunks end with them. */
PqRc pq_rewrite_write(PqRewrite *r, const PqRewriteRows *rows, bool all, bool ends, PqErr *e);
PqRc pq_rewrite_worker(PqRewrite *r, PqRewriteWorker **out, int thread, PqErr *e);

/* The file that has a chunk. */
PqRc pq_rewrite_input(PqRewriteFile *file, uint32_t group, uint32_t leaf, PqInput **out, PqErr *e);

/* mask.c: puts hashes in the place of values [from, n_values) of a batch. */
PqRc pq_mask_hash(PqLeafBatch *b, uint32_t from, const PqKey *key, PqErr *e);

#endif
