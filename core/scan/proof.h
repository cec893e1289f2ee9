/*
** proof.h - why a run of rows cannot hold an answer.
**
** A proof looks at the bounds of one or several leaves over the same rows and
** says whether any of these rows could be wanted.  It is asked about a row group
** with the bounds of its statistics, and about pages with theirs: where the pages
** of its leaves do not begin together, about each run of rows that lies in one
** page of every leaf.
**
**   price > 100          one leaf:   max <= 100
**   a box around (x, y)  four leaves: xmin's max < x ...
**   v:$.a = 'x'          two leaves: typed_value out of bounds and value
**                        all null
**
** A condition on values of one leaf can be asked more: which values it is an
** equality with, to look for them in a Bloom filter, and whether a value of the
** chunk's dictionary passes, which is a question about bounds that are equal.
**
** A proof that does not know says "maybe": a wrong "no" loses rows.
*/
#ifndef PQ_PROOF_H
#define PQ_PROOF_H

#include "core/meta/stats.h"

enum { PQ_PROOF_LEAVES = 4 };

typedef struct PqLeafBounds {
    const PqLeaf *leaf;
    PqBounds      bounds;
    int64_t       n_values;          /* slots; -1: not known                */
} PqLeafBounds;

typedef struct PqProof PqProof;
struct PqProof {
    uint32_t    n_columns;
    uint32_t    column[PQ_PROOF_LEAVES];     /* of the table                */
    /* bounds[i] for column[i]; n_rows rows.  True: none of them. */
    bool      (*refutes)(const PqProof *p, const PqLeafBounds *bounds,
                         int64_t n_rows);
    /* NULL: not an equality.  False: not known; else only values with these
    ** hashes (pq_bloom_hash), ascending, can pass. */
    bool      (*hashes)(const PqProof *p, const PqLeaf *leaf,
                        const uint64_t **out, uint32_t *n);
    bool        by_value;            /* no NULL passes, and a value v only
                                     ** when v..v is not refuted            */
    uint32_t    n_operands;          /* what refuting one value costs       */
};

#endif
