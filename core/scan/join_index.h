/*
** join_index.h - which rows of a table have this key?
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
#ifndef PQ_JOIN_INDEX_H
#define PQ_JOIN_INDEX_H

#include "core/join/join_bounds.h"
#include "core/join/join_table.h"
#include "core/scan/scan.h"

/* For INT32 and INT64 the stored value is the key; for other types, a hash of
** it. */
static inline bool pq_join_key_is_stored(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64;
}

/* The same, and the value is a plain number below 2^63. */
bool pq_join_key_is_number(const PqType *type);

/* The key of a text, a BLOB or a float. */
typedef uint32_t (*PqJoinHash)(PqSlice key);
uint32_t pq_join_hash(PqSlice key);

typedef struct PqJoinSpec {
    uint32_t      column;            /* of the table, a leaf                */
    const PqType *type;
    PqJoinHash    hash;              /* NULL: INT32 or INT64                */
    bool          bounds;            /* the bounds of row groups are trusted */
    double        n_rows, n_keys;    /* of all files, about: rows that are
                                     ** read, and their keys                */
} PqJoinSpec;

/* A row group, and its table. */
typedef struct PqJoinPart {
    int64_t     rowid;               /* of the first row                    */
    uint32_t    group, n_rows;
    uint32_t    wanted;              /* keys that asked for a missing table */
    bool        paged;               /* has a page index: scans skip rows   */
    bool        refused;             /* its table would take too much       */
    bool        used;                /* since the hand last passed          */
    PqJoinTable *table;              /* NULL: not built, or dropped         */
} PqJoinPart;

/* The first row of a file, or the first element of a row: its number among all
** rows or elements with keys, and its rowid. */
typedef struct PqJoinStart {
    uint32_t first;
    int64_t  rowid;
} PqJoinStart;

typedef struct PqJoinIndex {
    PqLookup   *lookup;              /* NULL: kept for the next statement   */
    PqMem      *mem;
    struct PqJoinIndex *next;        /* of the lookup                       */
    PqJoinSpec  spec;
    bool       *without;             /* files that it lacks; NULL: none     */
    uint32_t    n_without;
    bool        second;              /* has all files, beside one of some   */
    bool        listed;              /* its row groups were looked at       */
    bool        ready;               /* it can be asked                     */
    bool        refused, whole;
    uint64_t    scans, ended;        /* for keys, begun and ended: counted by */
    uint64_t    scanned;             /* whoever scans, with the rows read   */
    const PqScan *reader;            /* the scan that is reading all rows   */
    size_t      bytes;
    /* With a table per row group. */
    PqJoinPart *parts;
    PqJoinBounds *bounds;            /* of each part; sorted                */
    uint32_t    n_parts, part_room, bounds_room, hand;
    bool        inexact;
    /* With one table for all rows. */
    PqJoinTable *table;
    PqJoinStart *starts;
    uint32_t    n_starts, start_room;
    bool        elements;            /* elements have the keys, not rows    */
    uint32_t    longest;             /* elements of the longest list        */
} PqJoinIndex;

/* The index of the column over all files that skip does not leave out.  It has
** to be ready before it is asked. */
PqRc pq_join_index_of(PqScan *s, const PqJoinSpec *spec, PqSkipFile skip,
                      void *arg, PqJoinIndex **out, PqErr *e);

/* Does the index have all these files? */
bool pq_join_index_has_files(const PqJoinIndex *x, const PqScan *s,
                             PqSkipFile skip, void *arg);

/* Is there an index of the column that can be asked? */
bool pq_join_index_is_there(const PqScan *s, uint32_t column);

/* Makes the index ready, by reading with s, unless that would cost more than
** scanning for keys has cost so far.  s has to be started again afterwards. */
PqRc pq_join_index_make(PqJoinIndex *x, PqScan *s, PqErr *e);

/* True: the rows found have the key.  False: they may have it. */
bool pq_join_index_is_exact(const PqJoinIndex *x);

/* The most rows that should be picked at once. */
uint32_t pq_join_index_at_once(const PqJoinIndex *x);

/* A stored value as an integer key. */
int64_t pq_join_integer(const PqType *type, const void *stored);

/* The rowids found so far. */
typedef struct PqJoinRows {
    PqMem   *mem;
    int64_t *rowid;
    uint32_t n, room;
} PqJoinRows;

/* Appends the rows of a key, which is a number or a hash.  Stops once there
** are more than `most`.  Tables of row groups are read with s.  *known false:
** there may be other rows, because a table does not fit or scanning is cheaper
** than building it. */
PqRc pq_join_index_find(PqJoinIndex *x, PqScan *s, int64_t key, uint32_t most,
                        PqJoinRows *rows, bool *known, PqErr *e);

/* Frees x, which may be NULL, and those after it. */
void pq_join_index_free(PqJoinIndex *x);

/* ---- join_values.c ---- */

/* A column is this node in the scan's file.  Does it have keys of the type? */
bool pq_join_is_comparable(const PqScan *s, const PqNode *node,
                           const PqType *type);

/* Adds the keys of at most PQ_BATCH_ROWS rows. */
PqRc pq_join_add(const PqJoinSpec *spec, PqJoinTable *t, const PqVector *v,
                 PqErr *e);

#endif
