/*
** tally.h - the true statistics of a page or a chunk, to verify the claimed
** ones.
**
** Computed from decoded levels and values:
**
**   slots   1.5  null  NaN  -2.0        n_slots 4, n_values 3, n_nans 1
**                                       min -2.0, max 1.5
**
** min and max ignore NaN.  The least and the greatest NaN in IEEE 754 total
** order are kept separately: if all values of a column in that order are NaN,
** they are its bounds.
*/
#ifndef PQ_TALLY_H
#define PQ_TALLY_H

#include "core/meta/stats.h"

typedef struct PqExtremes {
    bool  has;                       /* a value was seen                    */
    PqBuf min, max;
} PqExtremes;

typedef struct PqTally {
    const PqLeaf *leaf;
    PqOrder       order;             /* NONE: no bounds                     */
    int64_t       n_slots, n_rows;   /* rows that begin here                */
    int64_t       n_values;          /* slots that are not null             */
    int64_t       n_own_nulls;       /* slots that are null although the list
                                     ** or struct around them is not        */
    int64_t       n_nans;
    int64_t       n_bytes;           /* of BYTE_ARRAY values                */
    int64_t      *reps, *defs;       /* slots per level                     */
    PqExtremes    bounds, nan_bounds;
} PqTally;

enum { PQ_TALLY_BLOCK = 4096 };      /* values or levels per call, at most  */

PqRc pq_tally_init(PqTally *t, const PqLeaf *leaf, PqOrder order, PqMem *mem,
                   PqErr *e);
void pq_tally_free(PqTally *t);
void pq_tally_restart(PqTally *t);

/* Levels of n slots; NULL for levels that the leaf does not have. */
void pq_tally_levels(PqTally *t, const uint16_t *rep, const uint16_t *def,
                     uint32_t n);

/* n values that are not null, in the layout of decoder.h. */
PqRc pq_tally_values(PqTally *t, const void *values, uint32_t n, PqErr *e);

/* Adds what is in page. */
PqRc pq_tally_add(PqTally *t, const PqTally *page, PqErr *e);

/* The PLAIN bytes of value i of a decoded array. */
PqSlice pq_tally_value(const PqType *type, const void *values, uint32_t i);

#endif
