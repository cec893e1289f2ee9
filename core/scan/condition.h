/*
** condition.h - a condition on one column: a proof and a filter in one.
**
** The host compiles its condition into spans of the values that a leaf stores
** (wanted.h), once for each type that the column has in its files.  The engine
** compares these spans with bounds, dictionaries and Bloom filters as a proof,
** and with batches as a filter.  It asks the host again where spans do not
** decide:
**
**   holds, hold   about a text in a span that is wider than the condition
**   cells         about a batch with values outside the limits, or of a type
**                 for which spans say nothing
*/
#ifndef PQ_CONDITION_H
#define PQ_CONDITION_H

#include "core/scan/row_proof.h"
#include "core/scan/row_filter.h"
#include "core/scan/wanted.h"

typedef struct PqCondition PqCondition;
struct PqCondition {
    PqProof  proof;                  /* for pq_scan_add_proof,              */
    PqFilter filter;                 /* ... and for pq_scan_add_filter      */
    /* Set by the host.  compile says what is wanted of a leaf of this type;
    ** its texts live as long as the arena. */
    PqRc (*compile)(PqCondition *c, const PqType *type, PqWanted *out,
                    PqErr *e);
    bool (*holds)(const PqCondition *c, PqSlice text);
    /* Or NULL: the same for many texts, also for those outside of the spans. */
    void (*hold)(const PqCondition *c, const PqStr *texts, uint32_t n,
                 const uint64_t *asked, uint64_t *bits);
    PqRc (*cells)(PqCondition *c, PqScan *s, uint64_t *keep, PqErr *e);
    PqArena *arena;                  /* for what is kept between calls      */
    /* Private: for the last type seen. */
    bool     compiled;
    PqType   type;
    PqWanted wanted;
    bool     hashed, hashes_known;
    PqType   hashed_type;
    uint64_t *hashes;
    uint32_t n_hashes;
    /* For the last dictionary seen: a byte per entry, 1 if it passes. */
    uint64_t dict_serial;
    uint8_t *passes;
    uint32_t n_passes, room;
    uint32_t n_passing, one;         /* entries that pass; one of them      */
    uint32_t few[8];                 /* the same as bits, for up to 256     */
};

/* Sets up a condition on a column of the table.  Refuting one value takes
** n_operands steps.  by_value: no NULL is wanted.  The host sets its functions
** before or after this call. */
void pq_condition_init(PqCondition *c, uint32_t column, bool by_value,
                       uint32_t n_operands, PqArena *a);

#endif
