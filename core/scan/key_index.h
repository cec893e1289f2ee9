/*
** key_index.h - which rows of a table have this key?
**
** An index of one column over the files of a scan, made by reading the column
** once.  Where the bounds of the row groups hardly overlap, a key is in one or
** two of them, and an index of each is made when it is first asked for a key
** within its bounds:
**
**   row group   0          1            2
**   bounds      [3 .. 70]  [71 .. 140]  [138 .. 200]
**   table                  made         made            for 100 and 139
**
** Such tables come and go within the limit.  Otherwise there is one table
** (key_table.h) for all rows.
*/
#ifndef PQ_KEY_INDEX_H
#define PQ_KEY_INDEX_H

#include "core/lookup/key_bounds.h"
#include "core/scan/scan.h"

/* INT32 and INT64: what is stored is the key.  Else a hash of it is. */
static inline bool pq_key_is_stored(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64;
}

/* ... and has no meaning but its number, below 2^63. */
bool pq_key_is_number(const PqType *type);

/* Of a text or BLOB. */
typedef uint32_t (*PqKeyHash)(PqSlice key);
uint32_t pq_key_hash_bytes(PqSlice key);

typedef struct PqKeySpec {
    uint32_t      column;            /* of the table, a leaf                */
    const PqType *type;
    PqKeyHash     hash;              /* NULL: INT32 or INT64                */
    bool          bounds;            /* are believed                        */
    size_t        limit;             /* bytes that it may take,             */
    size_t        memory;            /* together with rows that are picked  */
    PqSkipFile    skip_file;         /* files that it need not have         */
    void         *skip_arg;
} PqKeySpec;

typedef struct PqKeyIndex PqKeyIndex;

/* Looks at the bounds.  *out is NULL when a file has a type that its keys
** cannot be compared with. */
PqRc pq_key_index_new(PqScan *s, const PqKeySpec *spec, PqKeyIndex **out,
                      PqErr *e);
void pq_key_index_free(PqKeyIndex *x);                   /* x may be NULL */

/* From now on skip_file is asked with this. */
void pq_key_index_skips(PqKeyIndex *x, void *skip_arg);

/* Is there one table for all rows?  Then it has to be made before a key is
** asked for: *made false says that it would take too much. */
bool pq_key_index_is_whole(const PqKeyIndex *x);
PqRc pq_key_index_make(PqKeyIndex *x, bool *made, PqErr *e);

/* Are the rows that it finds those of the key?  If not, they may be. */
bool pq_key_index_is_exact(const PqKeyIndex *x);

/* The integer that a stored value is as a key. */
int64_t pq_key_integer(const PqType *type, const void *stored);

/* Rowids that are found. */
typedef struct PqKeyRows {
    PqMem   *mem;
    int64_t *rowid;
    uint32_t n, room;
} PqKeyRows;

/* Appends the rows of a key, a number or a hash; stops once there are more than
** most.  *known false: there may be others, where it is cheaper to look for
** them than to make a table, or where there is no room for one. */
PqRc pq_key_index_find(PqKeyIndex *x, int64_t key, uint32_t most,
                       PqKeyRows *rows, bool *known, PqErr *e);

#endif
