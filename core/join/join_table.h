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

typedef struct PqJoinTable PqJoinTable;

/* ctx says whether to stop while the table is made.  limit is in bytes. */
PqRc pq_join_table_new(PqReadCtx *ctx, PqMem *mem, size_t limit,
                       PqJoinTable **out, PqErr *e);
void pq_join_table_free(PqJoinTable *t);                 /* t may be NULL */

/* Adds n rows.  valid has a bit for each; NULL means that all have a key. */
PqRc pq_join_table_add(PqJoinTable *t, const int64_t *keys,
                       const uint64_t *valid, uint32_t n, PqErr *e);

/* To be called after the last row, before the first search. */
PqRc pq_join_table_end(PqJoinTable *t, PqErr *e);

/* Would it take more than the limit?  Then it cannot be used. */
bool   pq_join_table_is_too_large(const PqJoinTable *t);
size_t pq_join_table_bytes(const PqJoinTable *t);

/* Does it find only rows that have the key? */
bool pq_join_table_is_exact(const PqJoinTable *t);

/* Calls hit for each row of the key, in ascending order, until hit returns
** false. */
typedef bool (*PqJoinHit)(void *arg, uint32_t row);
void pq_join_table_find(const PqJoinTable *t, int64_t key, PqJoinHit hit,
                        void *arg);

#endif
