/*
** made_leaf.h - the chunk of a leaf that a file lacks, in memory.
**
**   the table    s STRUCT(a, b)                      a column b was added later
**   the file     s STRUCT(a)    {1} null {2}         a: def 2 0 2
**   made         s.b, null in the file                  def 1 0 1
**                s.b, whose first value was 5           def 2 0 2    values 5 5
**
** Where the struct is null, or how many there are in a list, the levels of another leaf
** of the struct say, its guide.  So the chunk is made when it is asked for, for a whole row
** group, and looks to all readers as if the file had it.  At the top of the schema
** nothing needs to be read, and each page is a few bytes.
*/
#ifndef PQ_MADE_LEAF_H
#define PQ_MADE_LEAF_H

#include "core/column/leaf_read.h"

typedef struct PqMadeLeaf {
    PqBuf   bytes;
    PqInput in;                      /* of these bytes                       */
} PqMadeLeaf;

/* Replaces the chunk that m had, which may be all zero.  in is the file; *chunk becomes
** what pq_leaf_reader_open needs, with m->in. */
PqRc pq_made_leaf_chunk(PqMadeLeaf *m, PqReadCtx *ctx, PqInput *in, const PqFooter *f,
                        uint32_t group, const PqLeaf *leaf, PqColumnChunk *chunk, PqErr *e);
void pq_made_leaf_free(PqMadeLeaf *m);

#endif
