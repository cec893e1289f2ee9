/*
** group_notes.h - which group each row is of: a byte per row, by batches.
**
**   batch at rowid 4096, 2048 rows     1 1 0 - 2 0 1 ...      its groups: 0 1 2
**
** Later passes over the same rows may cut them into other batches.
*/
#ifndef PQ_GROUP_NOTES_H
#define PQ_GROUP_NOTES_H

#include "core/group/grouping.h"

/* Groups are told apart by a byte; a row without one has this. */
enum { PQ_GROUP_CODES = 256, PQ_NO_GROUP = UINT8_MAX };

/* Notes about a batch. */
typedef struct PqGroupNote {
    int64_t  rowid;                  /* of its first row                    */
    uint32_t n_rows;
    size_t   at;                     /* in codes                            */
    uint64_t there[4];               /* a bit per group                     */
} PqGroupNote;

typedef struct PqGroupNotes {
    PqMem   *mem;
    PqBuf    codes, notes;
    uint32_t n, next;                /* next: where a pass is               */
    uint32_t here[PQ_BATCH_ROWS], n_here, next_here;     /* of one group    */
} PqGroupNotes;

void pq_group_notes_init(PqGroupNotes *g, PqMem *mem);
void pq_group_notes_free(PqGroupNotes *g);

/* Do notes of the batch fit as well into this share of the memory? */
bool pq_group_notes_fit(const PqGroupNotes *g, const PqBatch *b, unsigned share);

/* Adds a note of the batch.  Its rows have no group yet: *codes has a byte for each,
** which the caller sets, and *there is to get their bits.  Both stay until the next. */
PqRc pq_group_notes_add(PqGroupNotes *g, const PqBatch *b, uint8_t **codes,
                        uint64_t **there, PqErr *e);

/* A pass begins. */
void pq_group_notes_begin(PqGroupNotes *g);

/* Keeps the rows of the batch that are of a group: a bit per row. */
void pq_group_notes_keep(PqGroupNotes *g, const PqBatch *b, uint8_t code, uint64_t *keep);

/* The groups of the batch's rows.  Keeps those of a wanted one: a bit per row. */
void pq_group_notes_codes(PqGroupNotes *g, const PqBatch *b, const bool *wanted,
                          uint8_t *codes, uint64_t *keep);

/* The rowids of the next n rows of a group, which has that many. */
void pq_group_notes_rowids(PqGroupNotes *g, uint8_t code, uint32_t n, int64_t *out);

#endif
