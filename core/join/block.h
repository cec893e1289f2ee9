/*
** block.h - decoded rows of a leaf in little memory, readable in any order.
**
** A block holds what a vector holds (column/vector.h), owns it, and takes as
** few bytes as the values allow.  A number is stored as its distance from the
** smallest one in the block, in 0, 1, 2, 3, 4 or 8 bytes.  Texts lie end to
** end; their offsets are such numbers, and so are the ids of a dictionary.
**
**   INT64      1700000000000  1700000000003  1700000000250
**   numbers    base 1700000000000, one byte each: 0 3 250
**
**   STRING     "ab"  ""  "cde"
**   numbers    0 2 2 5        bytes  a b c d e
**
** A dictionary is a block too, with one slot per entry.
*/
#ifndef PQ_BLOCK_H
#define PQ_BLOCK_H

#include "core/column/vector.h"

typedef struct PqNarrow {
    uint64_t base;
    unsigned width;                  /* bytes each; 0: all are equal to base */
    void    *at;
} PqNarrow;

typedef struct PqBlock {
    uint32_t  n_rows, n_slots;
    bool      has_levels;
    uint64_t *valid;                 /* bit per slot; NULL: all valid       */
    PqNarrow  rep, def;              /* if has_levels                       */
    PqNarrow  starts;                /* of the rows, n_rows + 1; if the     */
                                     /* leaf is repeated                    */
    const struct PqBlock *dict;      /* borrowed; NULL: values of its own   */
    PqNarrow  numbers;               /* values, ids or offsets, see above   */
    uint8_t  *bytes;                 /* texts; or values of types that are  */
                                     /* no integers, width each             */
    size_t    n_bytes;               /* the memory that all this takes      */
} PqBlock;

/* Makes a copy of v.  dict is the block of v's dictionary, if it has one.
** scratch is a buffer that calls share. */
PqRc pq_block_new(const PqVector *v, const PqBlock *dict, PqBuf *scratch,
                  PqMem *mem, PqBlock **out, PqErr *e);
PqRc pq_block_of_dict(const PqLeaf *leaf, const PqDict *d, PqBuf *scratch,
                      PqMem *mem, PqBlock **out, PqErr *e);
void pq_block_free(PqBlock *b);                          /* b may be NULL */

static inline uint64_t pq_narrow_at(const PqNarrow *n, uint32_t i)
{
    const uint8_t *three;

    switch (n->width) {
    case 0:  return n->base;
    case 1:  return n->base + ((const uint8_t *)n->at)[i];
    case 2:  return n->base + ((const uint16_t *)n->at)[i];
    case 3:
        three = (const uint8_t *)n->at + 3 * (size_t)i;
        return n->base + (three[0] | (uint32_t)three[1] << 8 |
                          (uint32_t)three[2] << 16);
    case 4:  return n->base + ((const uint32_t *)n->at)[i];
    default: return n->base + ((const uint64_t *)n->at)[i];
    }
}

/* Reads the first n numbers. */
void pq_narrow_read(const PqNarrow *v, uint32_t n, int64_t *out);

/* Stores n numbers, which count as signed.  The caller frees out->at. */
PqRc pq_narrow_make(PqNarrow *out, const int64_t *v, uint32_t n, PqMem *mem,
                    PqErr *e);

/* Writes the value of a valid slot to *out, as the physical type.  Texts are
** copied into `texts`; texts of a BYTE_ARRAY end with a NUL. */
PqRc pq_block_value(const PqBlock *b, PqPhysical type, uint32_t slot,
                    void *out, PqArena *texts, PqErr *e);

/* ... of n slots side by side, of PQ_INT32 or PQ_INT64. */
void pq_block_integers(const PqBlock *b, PqPhysical type, uint32_t slot, uint32_t n,
                       void *out);

#endif
