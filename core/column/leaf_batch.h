/*
** leaf_batch.h - rows of one leaf on their way into a file.
**
** Values have the physical type and the layout of decoder.h; nulls are left
** out.  Which other arrays there are depends on the leaf:
**
**   max_rep 0, max_def 0    nothing: every row has a value
**   max_rep 0, max_def 1    valid: a bit per row, set where there is a value
**   else                    def and, with max_rep > 0, rep: a level per entry
**
** Texts are borrowed from the cells they came in, or lie in the batch's arena.
*/
#ifndef PQ_LEAF_BATCH_H
#define PQ_LEAF_BATCH_H

#include "core/meta/schema.h"

typedef struct PqLeafBatch {
    const PqLeaf *leaf;
    void     *values;                /* n_values of pq_physical_width each   */
    uint32_t  n_values, values_room;
    uint64_t *valid;                 /* see above                            */
    uint16_t *def, *rep;
    uint32_t  n_entries, entries_room;   /* rows where max_rep is 0          */
    uint32_t  n_rows;
    size_t    n_bytes;               /* of BYTE_ARRAY values, all together   */
    PqArena   bytes;                 /* of texts that are not borrowed       */
    PqMem    *mem;
} PqLeafBatch;

void pq_leaf_batch_init(PqLeafBatch *b, const PqLeaf *leaf, PqMem *mem);
void pq_leaf_batch_free(PqLeafBatch *b);
void pq_leaf_batch_reset(PqLeafBatch *b);            /* keeps its room */

/* Does the batch have valid bits?  Does it have levels? */
static inline bool pq_leaf_has_valid(const PqLeaf *leaf)
{
    return leaf->max_rep == 0 && leaf->max_def == 1;
}

static inline bool pq_leaf_batch_has_valid(const PqLeafBatch *b)
{
    return pq_leaf_has_valid(b->leaf);
}

static inline bool pq_leaf_batch_has_levels(const PqLeafBatch *b)
{
    return b->leaf->max_rep > 0 || b->leaf->max_def > 1;
}

/* The memory that its arrays and its own texts take. */
size_t pq_leaf_batch_memory(const PqLeafBatch *b);

/* Makes room for n more entries, each with a value.  New bits of valid are
** 0. */
PqRc pq_leaf_batch_reserve(PqLeafBatch *b, uint32_t n, PqErr *e);

#endif
