/*
** key_index.h - which rows have this key?
**
** An index of one column over the files of a scan, made by reading the column
** once.  Rows are numbered in the order of the scan.
**
** Integers that come in ascending order are kept as they are, in blocks (see
** block.h), and found by bisection:
**
**   keys     0 3 7 7 | 9 12 12 40 | 41 ...
**
** Anything else is a hash table: heads of chains, a link and a hash per row.
** The key itself is not kept, so what is found are the rows that may have it;
** 32 bits of hash make it rarely more than those that do.
**
**   row      0    1    2    3         heads[hash >> shift] = row + 1
**   hash     a7   31   a7   null
**   next     0    0    1    0
*/
#ifndef PQ_KEY_INDEX_H
#define PQ_KEY_INDEX_H

#include "core/scan/scan.h"

/* Of a text or BLOB. */
typedef uint32_t (*PqKeyHash)(PqSlice key);
uint32_t pq_key_hash_bytes(PqSlice key);

typedef struct PqKeySpec {
    uint32_t      column;            /* of the table, a leaf                */
    const PqType *type;
    PqKeyHash     hash;              /* NULL: INT32 or INT64                */
    size_t        limit;             /* bytes                               */
} PqKeySpec;

typedef struct PqKeyIndex PqKeyIndex;

/* The scan was started, without filters and proofs, and is read to its end.
** *out is NULL when the index would take too much, or when a file has a type
** that its keys cannot be compared with. */
PqRc pq_key_index_build(PqScan *s, const PqKeySpec *spec, PqKeyIndex **out,
                        PqErr *e);
void pq_key_index_free(PqKeyIndex *x);                   /* x may be NULL */
size_t pq_key_index_bytes(const PqKeyIndex *x);

/* The integer that a stored value is as a key. */
int64_t pq_key_integer(const PqType *type, const void *stored);

/* Rowids that are found, ascending for one key. */
typedef struct PqKeyRows {
    PqMem   *mem;
    int64_t *rowid;
    uint32_t n, room;
} PqKeyRows;

/* Appends; stops once there are more than most. */
PqRc pq_key_index_find_integer(const PqKeyIndex *x, int64_t key, uint32_t most,
                               PqKeyRows *rows, PqErr *e);
PqRc pq_key_index_find_hash(const PqKeyIndex *x, uint32_t hash, uint32_t most,
                            PqKeyRows *rows, PqErr *e);

#endif
