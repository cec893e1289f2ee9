/*
** key_index.h - which rows of a table have this key?
**
** An index of one column over the files of a scan.  It is built by reading the
** column once.  Where the bounds of the row groups hardly overlap, a key lies
** in one or two of them.  Then each row group has its own table, which is
** built when the first key within its bounds is looked up:
**
**   row group   0          1            2
**   bounds      [3 .. 70]  [71 .. 140]  [138 .. 200]
**   table                  built        built           for 100 and 139
**
** These tables are built and dropped within a memory limit.  Otherwise one
** table (key_table.h) covers all rows.
*/
#ifndef PQ_KEY_INDEX_H
#define PQ_KEY_INDEX_H

#include "core/lookup/key_bounds.h"
#include "core/scan/scan.h"

/* For INT32 and INT64 the stored value is the key; for other types, a hash of
** it. */
static inline bool pq_key_is_stored(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64;
}

/* The same, and the value is a plain number below 2^63. */
bool pq_key_is_number(const PqType *type);

/* The key of a text or BLOB. */
typedef uint32_t (*PqKeyHash)(PqSlice key);
uint32_t pq_key_hash_bytes(PqSlice key);

typedef struct PqKeySpec {
    uint32_t      column;            /* of the table, a leaf                */
    const PqType *type;
    PqKeyHash     hash;              /* NULL: INT32 or INT64                */
    bool          bounds;            /* the bounds of row groups are trusted */
    size_t        limit;             /* bytes that the index may take       */
    size_t        memory;            /* ... together with picked rows       */
    PqSkipFile    skip_file;         /* files that are left out             */
    void         *skip_arg;
} PqKeySpec;

typedef struct PqKeyIndex PqKeyIndex;

/* Looks at the bounds.  *out is NULL if a file has a type that cannot be
** compared with the keys. */
PqRc pq_key_index_new(PqScan *s, const PqKeySpec *spec, PqKeyIndex **out,
                      PqErr *e);
void pq_key_index_free(PqKeyIndex *x);                   /* x may be NULL */

/* Replaces the argument of skip_file. */
void pq_key_index_skips(PqKeyIndex *x, void *skip_arg);

/* Is there one table for all rows?  Then pq_key_index_make has to build it
** before a key is looked up.  *made false: it would take too much memory, or a
** file has a type that cannot be compared. */
bool pq_key_index_is_whole(const PqKeyIndex *x);
PqRc pq_key_index_make(PqKeyIndex *x, bool *made, PqErr *e);

/* A key was scanned for, and so many rows were read. */
void pq_key_index_scanned(PqKeyIndex *x, uint64_t rows);

/* True: the rows found have the key.  False: they may have it. */
bool pq_key_index_is_exact(const PqKeyIndex *x);

/* A stored value as an integer key. */
int64_t pq_key_integer(const PqType *type, const void *stored);

/* The rowids found so far. */
typedef struct PqKeyRows {
    PqMem   *mem;
    int64_t *rowid;
    uint32_t n, room;
} PqKeyRows;

/* Appends the rows of a key, which is a number or a hash.  Stops once there
** are more than `most`.  *known false: there may be other rows, because a
** table does not fit or scanning is cheaper than building it. */
PqRc pq_key_index_find(PqKeyIndex *x, int64_t key, uint32_t most,
                       PqKeyRows *rows, bool *known, PqErr *e);

#endif
