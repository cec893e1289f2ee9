/*
** key_table.h - which of these rows have this key?
**
** Rows are numbered from 0 in the order in which they are added, and a key is
** an integer: a number as it is stored, or the hash of a text.  What is kept
** depends on what has come:
**
**   SORTED   the keys ascend, and none is NULL: they are kept as they are, in
**            blocks (block.h), and bisected
**
**     keys     0 3 7 7 | 9 12 12 40 | 41 ...
**
**   DIRECT   they span hardly more numbers than there are rows: the rows of a
**            key lie side by side
**
**     keys     7 5 7 NULL 9         least 5
**     starts   0 1 1 3 3 4          of 5 6 7 8 9, and the end
**     rows     1 0 2 4
**
**   HASHED   the same by a hash of the key; the keys are kept, to tell those
**            apart that have one start
**
** Where that would take too much, keys of a HASHED table are folded into 32
** bits: it then finds rows that may have the key, and no longer those that do.
*/
#ifndef PQ_KEY_TABLE_H
#define PQ_KEY_TABLE_H

#include "core/column/read_ctx.h"

typedef struct PqKeyTable PqKeyTable;

/* ctx is asked while it is made; limit: of bytes. */
PqRc pq_key_table_new(PqReadCtx *ctx, size_t limit, PqKeyTable **out, PqErr *e);
void pq_key_table_free(PqKeyTable *t);                   /* t may be NULL */

/* n rows more; valid: a bit for each, NULL: none is NULL. */
PqRc pq_key_table_add(PqKeyTable *t, const int64_t *keys, const uint64_t *valid,
                      uint32_t n, PqErr *e);

/* The last row was added. */
PqRc pq_key_table_end(PqKeyTable *t, PqErr *e);

/* It would take more than the limit, and is of no use. */
bool   pq_key_table_is_too_large(const PqKeyTable *t);
size_t pq_key_table_bytes(const PqKeyTable *t);

/* What it finds are the rows that have the key. */
bool pq_key_table_is_exact(const PqKeyTable *t);

/* Calls hit for each row of the key, ascending, until it says that it wants no
** more: false. */
typedef bool (*PqKeyHit)(void *arg, uint32_t row);
void pq_key_table_find(const PqKeyTable *t, int64_t key, PqKeyHit hit,
                       void *arg);

#endif
