/*
** face.h - inside parquet.h: its opaque types.
**
** The face mostly passes calls on.  It adds what a C program needs without
** SQLite: an error that outlives its object, one flag that stops everything,
** conditions in the values of the column's type, and vectors that have this
** type in every file.
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
    PqStop       progress;           /* set by the caller                      */
    PqStop       stop;               /* asks both                              */
    PqKeyChoice  keys;               /* for objects that are opened next       */
    PqArena      texts;              /* of all choices of keys                 */
    PqErr        failure;            /* the texts of error                     */
    ParquetError error;
    ParquetScanned scanned;
};

/* Each object begins with a head, and has its own memory. */
typedef struct FaceHead {
    Parquet    *p;
    PqMem      *mem;
    PqArena     arena;
    PqErr       e;
    bool        told;                /* e was returned before                  */
    PqKeyChoice keys;                /* when it was opened                     */
} FaceHead;

/* Makes an object of `size` bytes that begins with a head; NULL:
** parquet_error() says why. */
void *pq_face_new(Parquet *p, size_t size);
void  pq_face_free(FaceHead *h);

/* Returns the code of h->e.  Keeps a failure for parquet_error(). */
ParquetCode pq_face_end(FaceHead *h);

/* Forgets a failure that has changed nothing. */
void pq_face_forget(FaceHead *h);

/* Lists the files of a path, each in one version. */
PqRc pq_face_list(FaceHead *h, const char *path, unsigned how, PqListing *out);

/* ---- types and values: face_type.c ---- */

PqType      pq_face_stored(const ParquetType *t);
ParquetType pq_face_type(const PqType *t);
const char *pq_face_type_name(const PqType *t, FaceHead *h);

/* A vector's value as PLAIN bytes without a length. */
PqSlice pq_face_plain(const PqType *t, const void *at);

/* Makes a ParquetValue, whose texts are in the vector or in a. */
PqRc pq_face_value(const PqType *t, const void *at, PqArena *a, ParquetValue *out, PqErr *e);

PqRc pq_face_cell(const ParquetValue *v, PqCell *out, PqErr *e);

/* Appends a value that is not NULL to a batch of its column's leaf.  The batch
** has room. */
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

/* A condition.  Conditions on folders choose files; the engine tests the
** others. */
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

/* Ends a call.  After PARQUET_USAGE the scan can go on, since nothing has
** changed. */
ParquetCode pq_face_scan_end(ParquetScan *s);

PqRc pq_face_vectors_new(ParquetScan *s);
void pq_face_vectors_free(ParquetScan *s);

/* Loads a column for the engine's batch, perhaps before it is filtered. */
PqRc pq_face_load(ParquetScan *s, int column, const ParquetVector **out);

/* The value that a folder gives all rows of a file; false: it is NULL. */
bool pq_face_of_folder(const ParquetTable *t, int column, const PqListedFile *file,
                       int64_t *i, PqStr *text);

/* Gives the terms to the scan, and begins it. */
PqRc pq_face_start(ParquetScan *s);

#endif
