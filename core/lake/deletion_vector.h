/*
** deletion_vector.h - the rows of a file that are deleted, as Delta and Iceberg keep them.
**
**   {"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":1,
**    "sizeInBytes":40,"cardinality":6}
**
**   u   ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin in the table's folder:
**       a UUID in 20 characters of Z85, after the name of a folder, or nothing
**   p   the path of such a file
**   i   the data itself, in Z85
**
**   file   := version (1) u8, stored*                   spec: delta, PROTOCOL.md
**   stored := size of data u32, data, CRC-32 of data u32          big-endian
**   data   := magic d1 d3 39 64, set of bitmaps                   roaring.h
**
** What a Puffin file of Iceberg has as a blob deletion-vector-v1 is the same as stored.
** All that describes it is a claim, and is compared with the bytes: where a size, a
** checksum or a number of rows differs, nobody knows which rows are deleted, and
** a query may not guess.
*/
#ifndef PQ_DELETION_VECTOR_H
#define PQ_DELETION_VECTOR_H

#include "core/base/row_range.h"
#include "core/lake/log_names.h"

/* The members of a descriptor, borrowed. */
typedef struct PqDeletionVector {
    PqSlice storage_type, path_or_inline;
    int64_t offset;                  /* 0: it has none                       */
    int64_t size, n_rows;            /* sizeInBytes, cardinality             */
} PqDeletionVector;

/* What has to be read of which file. */
typedef struct PqDeletionPlace {
    const char *path;                /* NULL: nothing, it is inline          */
    bool        in_table;            /* the path is below the table's folder, and is not
                                     ** encoded; else it is as an action has paths */
    PqLogPart   part;
} PqDeletionPlace;

PqRc pq_deletion_vector_find(const PqDeletionVector *d, PqArena *a, PqDeletionPlace *out,
                             PqErr *e);

/* Appends the deleted rows to ranges: sorted, disjoint, none touching another.  bytes:
** what pq_deletion_vector_find asked for. */
PqRc pq_deletion_vector_read(const PqDeletionVector *d, PqSlice bytes, PqBuf *ranges,
                             const PqStop *stop, PqErr *e);

/* ... those of a blob of a Puffin file, whose properties say n_rows. */
PqRc pq_deletion_vector_blob(PqSlice blob, int64_t n_rows, PqBuf *ranges,
                             const PqStop *stop, PqErr *e);

#endif
