/*
** levels.h - repetition and definition levels.
**
** Two encodings: RLE (runs and bit-packed groups, see rle.h), and the
** deprecated BIT_PACKED, most significant bit first.  Levels are uint16_t: a
** schema may be nested deeper than 255.
**
** A column that is merely optional, not nested, has levels 0 and 1 and wants a
** bitmap: pq_levels_read_valid gives bits and never makes the array.
*/
#ifndef PQ_LEVELS_H
#define PQ_LEVELS_H

#include "core/encoding/decoder.h"
#include "core/encoding/rle.h"

typedef struct PqLevels {
    const PqKernels *k;
    int      encoding;
    uint16_t max;                    /* 0: no bytes, every level is 0 */
    uint32_t left;                   /* levels not yet handed out     */
    PqRle    runs;                   /* RLE                           */
    PqSlice  bits;                   /* BIT_PACKED                    */
    uint64_t bit;                    /* taken from bits so far        */
} PqLevels;

/* Takes the level bytes from the front of *page.  v1 pages put a 4-byte length
** before RLE levels; v2 pages say the length in their header (then n_bytes is
** it, and the encoding is RLE).  max is the largest level the schema allows,
** 0 means there are no bytes.  A v1 page may be arriving; its levels are wanted
** whole, since values come behind them. */
PqRc pq_levels_open_v1(PqLevels *l, int encoding, uint16_t max,
                       uint32_t n_levels, PqSlice *page, PqArrival *arrival,
                       PqErr *e);
PqRc pq_levels_open_v2(PqLevels *l, uint16_t max, uint32_t n_levels,
                       size_t n_bytes, PqSlice *page, PqErr *e);

/* n levels, none above max. */
PqRc pq_levels_read(PqLevels *l, uint32_t n, uint16_t *out, PqErr *e);

/* n levels of which only "is it max" matters: bit i of out (little-endian
** words, from bit bit_at on, bits beyond are left alone) is set when level i
** is max.  *n_set counts them. */
PqRc pq_levels_read_valid(PqLevels *l, uint32_t n, uint64_t *out,
                          uint32_t bit_at, uint32_t *n_set, PqErr *e);

/* Passes n levels; *n_max is how many of them were max. */
PqRc pq_levels_skip(PqLevels *l, uint32_t n, uint32_t *n_max, PqErr *e);

#endif
