/*
** condition.h - a condition on one column: a proof and a filter in one.
**
** The host compiles its condition into what it wants of the values that a leaf
** stores (wanted.h), once for each type that the column has in its files.  The
** engine evaluates that: against bounds, dictionaries and Bloom filters as a
** proof, against batches as a filter.  It asks the host again for values that
** spans do not decide:
**
**   holds, hold   a text in a span that is wider than the condition
**   cells         a batch of values outside the limits, or of a type for which
**                 spans say nothing
*/
#ifndef PQ_CONDITION_H
#define PQ_CONDITION_H

#include "core/scan/proof.h"
#include "core/scan/row_filter.h"
#include "core/scan/wanted.h"

typedef struct PqCondition PqCondition;
struct PqCondition {
    PqProof  proof;                  /* for pq_scan_add_proof,              */
    PqFilter filter;                 /* ... and for pq_scan_add_filter      */
    /* The host's: what is wanted of a leaf of this type.  Texts stay as long as
    ** the arena does. */
    PqRc (*compile)(PqCondition *c, const PqType *type, PqWanted *out,
                    PqErr *e);
    bool (*holds)(const PqCondition *c, PqSlice text);
    void (*hold)(const PqCondition *c, const PqStr *texts, uint32_t n,
                 const uint64_t *asked, uint64_t *bits); /* or NULL */
    PqRc (*cells)(PqCondition *c, PqScan *s, uint64_t *keep, PqErr *e);
    PqArena *arena;                  /* for what is kept between calls      */
    /* Inside: for the type met last. */
    bool     compiled;
    PqType   type;
    PqWanted wanted;
    bool     hashed, hashes_known;
    PqType   hashed_type;
    uint64_t *hashes;
    uint32_t n_hashes;
    /* For the dictionary met last: a byte per entry that passes. */
    uint64_t dict_serial;
    uint8_t *passes;
    uint32_t n_passes, room;
    uint32_t n_passing, one;         /* entries that do; one of them        */
    uint32_t few[8];                 /* likewise: a bit each, of 256        */
};

/* Of a column of the table, whose proof refutes one value in n_operands steps.
** by_value: no NULL is wanted.  The host's functions are set before or after. */
void pq_condition_init(PqCondition *c, uint32_t column, bool by_value,
                       uint32_t n_operands, PqArena *a);

#endif
