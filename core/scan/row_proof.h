/*
** row_proof.h - shows that a run of rows cannot hold an answer.
**
** A proof looks at the bounds of one or several leaves over the same rows and
** says whether any of these rows could be wanted.  It is asked about a row
** group with the bounds of its statistics, and about a page with the page's
** bounds.  Pages of different leaves may begin at different rows.  Then the
** proof is asked about each run of rows that lies within one page of every
** leaf.
**
**   price > 100          one leaf:   max <= 100
**   v:$.a = 'x'          two leaves: typed_value out of bounds and value
**                        all null
**
** A proof about a geometry (refutes_box) is asked with boxes instead, which
** scan_boxes.c finds:
**
**   geom meets a box     the box of a row group, or of a run of rows by the
**                        leaves of a covering, does not meet it
**
** A proof about one leaf may know more.  If it is an equality, it lists the
** hashes of the values to look for in a Bloom filter.  If it is by_value, it
** is asked about single values of a dictionary, as bounds whose min and max
** are equal.
**
** A proof that does not know says "maybe": a wrong "no" loses rows.
*/
#ifndef PQ_ROW_PROOF_H
#define PQ_ROW_PROOF_H

#include "core/geo/geo_box.h"
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
    /* The bounds of n_rows rows, bounds[i] for column[i].  True: none of the
    ** rows is wanted. */
    bool      (*refutes)(const PqProof *p, const PqLeafBounds *bounds,
                         int64_t n_rows);
    /* NULL if this is not an equality.  True: only values with these hashes
    ** (pq_bloom_hash, ascending) can pass.  False: they are not known. */
    bool      (*hashes)(const PqProof *p, const PqLeaf *leaf,
                        const uint64_t **out, uint32_t *n);
    bool        by_value;            /* no NULL passes, and v passes only
                                     ** if the bounds [v, v] are not refuted */
    uint32_t    n_operands;          /* what refuting one value costs       */
    /* NULL if this is not about a geometry; otherwise the other functions are
    ** NULL.  True: no geometry whose box lies within `box` is wanted.  Unknown
    ** axes of `box` are absent. */
    bool      (*refutes_box)(const PqProof *p, const PqGeoBox *box);
};

#endif
