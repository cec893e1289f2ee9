/*
** vector.h - the values of one leaf for a run of rows.
**
** A slot is one entry of the leaf's levels.  A leaf that is not repeated has
** a slot per row; a repeated one has at least one per row (an empty or null
** list still takes one), and rep[slot] == 0 begins a row.
**
**   rows            [7, 8]     []      null    [9, null]
**   rep             0  1       0       0       0  1
**   def (max 3)     3  3       1       0       3  2
**   valid bits      1  1       0       0       1  0
**   values          7  8       -       -       9  -
**
** Values are spaced: the value of slot s is values[s] (or dictionary entry
** ids[s]).  Where valid has no bit the value is undefined, but an id is 0, so
** that ids can be looked up without testing valid.
**
** Packed values have no gaps: 7 8 9.
**
** A vector borrows everything from the reader that filled it.  It is valid
** until that reader's next call.
*/
#ifndef PQ_VECTOR_H
#define PQ_VECTOR_H

#include "core/base/bits.h"
#include "core/meta/schema.h"

/* The decoded dictionary page of a chunk; or slots that several rows share,
** where some may be null (core/scan/unnest.h). */
typedef struct PqDict {
    PqPhysical type;
    uint32_t   n;
    void      *values;               /* n values; see decoder.h            */
    uint64_t   serial;               /* unique in the process: a cache can */
                                     /* use it as a key                    */
    const uint64_t *valid;           /* NULL: all entries have a value     */
} PqDict;

/* A serial for one more dictionary. */
uint64_t pq_dict_serial(void);

/* The entries of n ids, each of width bytes. */
void pq_dict_look_up(const void *entries, size_t width, const uint32_t *ids,
                     uint32_t n, void *out);

typedef struct PqVector {
    const PqLeaf   *leaf;
    uint32_t        n_rows;
    uint32_t        n_slots;
    const uint16_t *rep;             /* NULL: not repeated                 */
    const uint16_t *def;             /* NULL: max_def is 0, or not wanted  */
    const uint64_t *valid;           /* bit per slot; NULL: all valid, or  */
                                     /* packed                             */
    const void     *values;          /* NULL when dict is set              */
    const PqDict   *dict;            /* NULL: plain values                 */
    const uint32_t *ids;
    bool            packed;          /* the values or ids lie in parts too */
    uint32_t        n_packed;        /* ... how many                       */
} PqVector;

static inline bool pq_vector_is_valid(const PqVector *v, uint32_t slot)
{
    return !v->valid || pq_bit(v->valid, slot);
}

/* A pointer to the value of a valid slot. */
static inline const void *pq_vector_at(const PqVector *v, size_t width,
                                       uint32_t slot)
{
    return v->dict ? (const char *)v->dict->values + v->ids[slot] * width
                   : (const char *)v->values + slot * width;
}

/* For plain texts (PqStr): is it known that none holds a NUL?  One pass over
** their bytes, which mostly lie side by side, costs less than searching each.
** Also false if one is so long that searching it costs little compared with
** copying it. */
bool pq_vector_is_clean(const PqVector *v);

#endif
