/*
** join_table.h - which rows have this join key?
**
** Rows are numbered from 0 in the order in which they are added.  A key is an
** integer: a number as it is stored, or the hash of a text.  The form of the
** table depends on the keys that were added:
**
**   SORTED   the keys ascend, and none is NULL: they are kept in this order, in
**            blocks (block.h), and found by binary search
**
**     keys     0 3 7 7 | 9 12 12 40 | 41 ...
**
**   DIRECT   the keys span hardly more numbers than there are rows: rows with
**            the same key are stored side by side
**
**     keys     7 5 7 NULL 9         least 5
**     starts   0 1 1 3 3 4          of 5 6 7 8 9, and the end
**     rows     1 0 2 4
**
**   HASHED   the same, by a hash of the key; the keys are kept too, because
**            different keys may share a start
**
** If a HASHED table would take too much memory, its keys are folded into 32
** bits.  It is then no longer exact: it finds rows that may have the key.
*/
#ifndef PQ_JOIN_TABLE_H
#define PQ_JOIN_TABLE_H

#include "core/column/read_ctx.h"
#include "core/join/block.h"

typedef enum PqJoinForm {
    PQ_JOIN_SORTED, PQ_JOIN_DIRECT, PQ_JOIN_HASHED
} PqJoinForm;

typedef struct PqJoinTable {
    PqReadCtx *ctx;                  /* until the end                       */
    PqMem     *mem;
    size_t     limit, bytes;
    PqJoinForm form;                 /* so far: SORTED or HASHED            */
    bool       folded;               /* rows that are found may have the    */
                                     /* key; otherwise they have it         */
    bool       too_large;            /* it cannot be used                   */
    uint32_t   n_rows;
    int64_t    least, most, last;    /* key so far that is not NULL         */
    PqNarrow  *blocks;
    uint32_t   n_blocks, block_room;
    uint64_t  *valid;                /* NULL: every row has a key           */
    size_t     valid_room;
    int64_t   *pending;              /* of the block that is being filled   */
    uint32_t   n_pending;
    uint32_t  *starts, *rows;
    unsigned   bits;                 /* HASHED: of the number of starts     */
} PqJoinTable;

/* ctx says whether to stop while the table is made.  limit is in bytes. */
PqRc pq_join_table_new(PqReadCtx *ctx, PqMem *mem, size_t limit,
                       PqJoinTable **out, PqErr *e);
void pq_join_table_free(PqJoinTable *t);                 /* t may be NULL */

/* Adds n rows.  valid has a bit for each; NULL means that all have a key. */
PqRc pq_join_table_add(PqJoinTable *t, const int64_t *keys,
                       const uint64_t *valid, uint32_t n, PqErr *e);

/* To be called after the last row, before the first search. */
PqRc pq_join_table_end(PqJoinTable *t, PqErr *e);

/* Calls hit for each row of the key, in ascending order, until hit returns
** false. */
typedef bool (*PqJoinHit)(void *arg, uint32_t row);
void pq_join_table_find(const PqJoinTable *t, int64_t key, PqJoinHit hit,
                        void *arg);

#endif
