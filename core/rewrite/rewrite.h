/*
** rewrite.h - one file made of the row groups of others, with as little decoded
** as can be.
**
**   a.parquet  [group 0: 1,000,000 rows] [group 1: 200 rows]
**   b.parquet  [group 0: 300 rows]
**   c.parquet  [group 0: 900,000 rows]
**
**   out        [copied: 1,000,000] [joined: 500] [copied: 900,000]
**
** Each chunk of a row group goes the cheapest way that gives what is wanted:
**
**   copied     its pages as they are: their headers are read and checked, and
**              their checksums verified where they have some
**   packed     its pages are decompressed and compressed with another codec, or
**              opened and sealed with another key; no value is decoded
**   written    its leaf is decoded and encoded: because rows are left out, row
**              groups are joined, the column is masked, or it may be null in the
**              output and not in the input
**
** Row groups that have fewer than min_group_rows rows and fewer than
** min_group_bytes bytes are joined with those next to them that are small too, up
** to group_rows and group_bytes, and as far as memory allows.  A small one between
** large ones is copied.
**
** What the output says about values is what a reader of the input may believe
** (stats.h, order.c): statistics of writers that are known to err are left out,
** because the output no longer says who they were.
**
** Files are added in order, one after the other; the rows of the output are in
** the same order.  A file that has other columns than the first is welcome if
** every column of the output is found by name, or is optional: see
** pq_rewrite_check.
*/
#ifndef PQ_REWRITE_H
#define PQ_REWRITE_H

#include "core/base/sink.h"
#include "core/column/chunk_copy.h"
#include "core/column/chunk_options.h"
#include "core/write/file_seal.h"
#include "core/write/publish.h"

/* What is hidden of a column.  HASH: of each value of a BYTE_ARRAY, HMAC-SHA256
** with a key, as 64 hexadecimal digits: mask.c. */
typedef enum PqMask { PQ_MASK_NONE, PQ_MASK_NULL, PQ_MASK_HASH } PqMask;

/* A column of the output: a field of the root, with all that is below it. */
typedef struct PqRewriteColumn {
    PqFooter       *like;            /* the file whose column it is like     */
    const char     *name;            /* of the field there, and in all files */
    const char     *as;              /* its name in the output; NULL: the
                                     ** same                                 */
    bool            optional;        /* may be null, even if not in `like`:
                                     ** for a column that is missing or
                                     ** optional in another file             */
    PqMask          mask;
    PqKey          *mask_key;        /* of HASH; borrowed                    */
    PqChunkOptions  options;         /* for what is written anew; codec and
                                     ** level also for repack                */
} PqRewriteColumn;

/* What it is called in the output. */
static inline const char *pq_rewrite_name(const PqRewriteColumn *c)
{
    return c->as ? c->as : c->name;
}

/* Rows [begin, end) of a file. */
typedef struct PqRowSpan {
    int64_t begin, end;
} PqRowSpan;

typedef struct PqRewriteProgress {
    uint64_t rows, bytes;            /* of the output so far                 */
    uint32_t row_groups;             /* of the output                        */
    uint32_t copied;                 /* of the inputs: without decoding any
                                     ** chunk                                */
    uint32_t joined;                 /* of the inputs: became part of another */
    uint32_t anew;                   /* of the inputs: rows or chunks were
                                     ** decoded, but not joined              */
    uint32_t empty;                  /* of the inputs: no row was left       */
} PqRewriteProgress;

/* Everything is borrowed until pq_rewrite_free. */
typedef struct PqRewritePlan {
    const PqRewriteColumn *columns;
    uint32_t      n_columns;
    bool          repack;            /* pages get the codec and the level of
                                     ** the column's options                 */
    unsigned      add;               /* PQ_ADD_..., to chunks that lack it;  */
                                     /* those that are written anew have it  */
    uint64_t      min_group_rows, min_group_bytes;   /* 0: it does not count;
                                     ** both 0: none is small                */
    uint64_t      group_rows, group_bytes;   /* of a joined one, at most; 0: as
                                     ** in a copy                            */
    /* Keys of the file.  The caller leaves out GeoParquet's "geo" (geometry.h), which is
    ** made anew of what it says about columns of the output; and "ARROW:schema" and
    ** "pandas" where columns were renamed or left out. */
    const PqKeyValue *key_values;
    uint32_t      n_key_values;
    const char   *created_by;
    const PqEncryption *encryption;  /* NULL: in the clear                   */
    const char   *path;              /* of the output: what does not fit into memory
                                     ** lies beside it; may be NULL          */
    unsigned      threads;           /* beside the caller's                  */
    const PqStop *stop;              /* may be NULL                          */
    PqRewriteProgress *now;          /* to which this file is added          */
    /* Called between row groups; may be NULL.  An error ends the rewrite. */
    PqRc        (*progress)(void *arg, PqErr *e);
    void         *progress_arg;
    PqMem        *mem;
} PqRewritePlan;

typedef struct PqRewrite PqRewrite;

/* PQ_USAGE: a column is not in the file that it is like, or two have one name. */
PqRc pq_rewrite_new(const PqRewritePlan *plan, PqRewrite **out, PqErr *e);
void pq_rewrite_free(PqRewrite *r);                  /* r may be NULL */

/* Can the leaves of the file become those of the output?  PQ_UNSUPPORTED: no, as "column x
** is INT64 here and INT32 in the output, ..." says.  Its rows then have to be copied as rows;
** pq_rewrite_add would fail likewise. */
PqRc pq_rewrite_check(PqRewrite *r, const PqFooter *f, PqErr *e);

/* Begins to write into a file, which the caller closes or publishes after the end. */
PqRc pq_rewrite_begin(PqRewrite *r, PqSink *to, PqErr *e);

/* Adds the row groups of a file, without the rows of n_left_out spans, which are
** in order and do not overlap, and which are needed only during the call.  Takes
** source, also after a failure.  f is held. */
PqRc pq_rewrite_add(PqRewrite *r, PqSource *source, PqFooter *f,
                    const PqRowSpan *left_out, uint32_t n_left_out, PqErr *e);

/* Writes what is still to be joined, and the end of the file.  A rewrite without
** rows makes a file without row groups.  A file of a publication is that from then on, with
** its key material; to NULL: of none. */
PqRc pq_rewrite_end(PqRewrite *r, PqPublish *to, PqErr *e);

#endif
