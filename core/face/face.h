/*
** face.h - what the opaque types of parquet.h are.
**
** The face passes on.  What it adds is what a C program lacks that is not SQLite: an
** error that outlives what it is about, one flag that stops everything, conditions
** that have the meaning of the column's type, and vectors that have this type in every
** file.
*/
#ifndef PQ_FACE_H
#define PQ_FACE_H

#include "core/column/leaf_batch.h"
#include "core/numbering/cell.h"
#include "core/face/parquet.h"
#include "core/scan/condition.h"
#include "core/scan/scan.h"

struct Parquet {
    PqEngine    *engine;
    size_t       memory;
    unsigned     threads;
    _Atomic bool interrupted;
    PqStop       progress;           /* the caller's                           */
    PqStop       stop;               /* asks both                              */
    PqKeyChoice  keys;               /* for what is opened next                */
    PqArena      texts;              /* of all choices of keys                 */
    PqErr        failure;            /* what error points to                   */
    ParquetError error;
    ParquetScanned scanned;
};

/* What each object begins with.  Its memory is its own. */
typedef struct FaceHead {
    Parquet    *p;
    PqMem      *mem;
    PqArena     arena;
    PqErr       e;
    PqKeyChoice keys;                /* when it was opened                     */
} FaceHead;

/* size bytes that begin with a head; NULL: parquet_error() says so. */
void *pq_face_new(Parquet *p, size_t size);
void  pq_face_free(FaceHead *h);

/* The code of h->e; what failed is kept for parquet_error(). */
ParquetCode pq_face_end(FaceHead *h);

/* The files of a path, in one version each. */
PqRc pq_face_list(FaceHead *h, const char *path, unsigned how, PqListing *out);

/* The text in b, which is freed, in a. */
const char *pq_face_text(PqBuf *b, PqArena *a);

/* ---- types and values: face_type.c ---- */

PqType      pq_face_stored(const ParquetType *t);
ParquetType pq_face_type(const PqType *t);
const char *pq_face_type_name(const PqType *t, FaceHead *h);

/* A value as vectors have it, as PLAIN bytes without a length. */
PqSlice pq_face_plain(const PqType *t, const void *at);

/* The value as a ParquetValue, whose texts are there, or in a. */
PqRc pq_face_value(const PqType *t, const void *at, PqArena *a, ParquetValue *out, PqErr *e);

PqRc pq_face_cell(const ParquetValue *v, PqCell *out, PqErr *e);

/* Appends a value that is not NULL to a batch of its column's leaf, which has room. */
PqRc pq_face_fill(const ParquetValue *v, PqLeafBatch *b, PqErr *e);

/* ---- tables and scans ---- */

typedef struct FaceColumn {
    uint32_t number;                 /* in the engine's table                  */
    uint32_t folder;                 /* PARQUET_FOLDER: in the listing         */
    PqType   type;                   /* of its vectors                         */
} FaceColumn;

struct ParquetTable {
    FaceHead       h;
    PqListing      listing;
    PqTable       *table;
    bool           unchecked;        /* PARQUET_UNCHECKED                      */
    ParquetColumn *columns;
    FaceColumn    *of;
    int            n_columns;
};

/* A condition.  Those on folders choose files; the others are the engine's. */
typedef struct FaceTerm FaceTerm;
struct FaceTerm {
    PqCondition  base;
    FaceTerm    *next;
    ParquetScan *s;
    int          column;
    PqWanted     wanted;             /* of values of the column's type         */
};

struct ParquetScan {
    FaceHead      h;
    ParquetTable *t;
    PqScan       *scan;
    uint64_t      serial;            /* of its statistics                      */
    PqArena       texts;             /* of the batch                           */
    FaceTerm     *terms;
    PqRowRange    rows;              /* end 0: all                             */
    bool          begun;
    ParquetBatch  batch;
    struct FaceVector *vectors;      /* one per column                         */
};

/* A call that makes no sense has changed nothing. */
ParquetCode pq_face_scan_end(ParquetScan *s);

PqRc pq_face_vectors_new(ParquetScan *s);
void pq_face_vectors_free(ParquetScan *s);

/* Loads a column for the engine's batch, which filters may not have seen yet. */
PqRc pq_face_load(ParquetScan *s, int column, const ParquetVector **out);

/* A folder's value for all rows of a file; false: it is NULL. */
bool pq_face_of_folder(const ParquetTable *t, int column, const PqListedFile *file,
                       int64_t *i, PqStr *text);

/* Hands the terms to the scan, which begins. */
PqRc pq_face_start(ParquetScan *s);

#endif
