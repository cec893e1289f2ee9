/*
** key_index.h - which rows of a table have this key?
**
** An index of one column over the files of a listing.  All scans of the listing
** share it: one of them lends itself for reading, and any may ask.  It is built
** by reading the column once.  If the bounds of the row groups hardly overlap,
** a key lies in one or two of them.  Then each row group has its own table,
** which is built when the first key within its bounds is looked up:
**
**   row group   0          1            2
**   bounds      [3 .. 70]  [71 .. 140]  [138 .. 200]
**   table                  built        built           for 100 and 139
**
** These tables are built and dropped within a memory limit.  Otherwise one
** table (join_table.h) covers all rows.
**
** An index belongs to the column and to the files that its first scan wanted.
** A scan that wants others too gets a second one, of all files.
**
** In a scan that unnests, the rows of a key are the rows that have such an
** element.
*/
#ifndef PQ_KEY_INDEX_H
#define PQ_KEY_INDEX_H

#include "core/join/join_bounds.h"
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
    double        n_rows, n_keys;    /* about as many, of all files: rows
                                     ** that are read, and their keys       */
} PqKeySpec;

typedef struct PqKeyIndex PqKeyIndex;

/* The index of the column over all files that skip does not leave out.  It has
** to be ready before it is asked. */
PqRc pq_key_index_of(PqScan *s, const PqKeySpec *spec, PqSkipFile skip,
                     void *arg, PqKeyIndex **out, PqErr *e);

/* Does it have all these files? */
bool pq_key_index_has_files(const PqKeyIndex *x, const PqScan *s,
                            PqSkipFile skip, void *arg);

/* Is there an index of the column that can be asked? */
bool pq_key_index_is_there(const PqScan *s, uint32_t column);

/* A scan for a key begins; when it is over, it has read this many rows. */
void pq_key_index_scan(PqKeyIndex *x);
void pq_key_index_scanned(PqKeyIndex *x, uint64_t rows);

/* How many keys were scanned for. */
uint64_t pq_key_index_scans(const PqKeyIndex *x);

/* Makes it ready, by reading with s, unless that would cost more than scanning
** for keys has cost so far.  s has to be started again afterwards. */
PqRc pq_key_index_make(PqKeyIndex *x, PqScan *s, PqErr *e);

/* Can it be asked? */
bool pq_key_index_is_ready(const PqKeyIndex *x);

/* Does it have all files of the listing? */
bool pq_key_index_has_all(const PqKeyIndex *x);

/* True: the rows found have the key.  False: they may have it. */
bool pq_key_index_is_exact(const PqKeyIndex *x);

/* The most rows that should be picked at once. */
uint32_t pq_key_index_at_once(const PqKeyIndex *x);

/* A stored value as an integer key. */
int64_t pq_key_integer(const PqType *type, const void *stored);

/* The rowids found so far. */
typedef struct PqKeyRows {
    PqMem   *mem;
    int64_t *rowid;
    uint32_t n, room;
} PqKeyRows;

/* Appends the rows of a key, which is a number or a hash.  Stops once there
** are more than `most`.  Tables of row groups are read with s.  *known false:
** there may be other rows, because a table does not fit or scanning is cheaper
** than building it. */
PqRc pq_key_index_find(PqKeyIndex *x, PqScan *s, int64_t key, uint32_t most,
                       PqKeyRows *rows, bool *known, PqErr *e);

/* For pq_lookup_free; x may be NULL. */
void pq_key_index_free(PqKeyIndex *x);

#endif
