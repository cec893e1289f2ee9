/*
** levels.h - repetition and definition levels.
**
** Two encodings: RLE (runs and bit-packed groups, see rle.h), and the
** deprecated BIT_PACKED, most significant bit first.  Levels are uint16_t: a
** schema may be nested deeper than 255.
**
** A column that is optional but not nested has levels 0 and 1 and needs only a
** bitmap: pq_levels_read_valid makes one without an array of levels.
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
    bool     is_exact;               /* no bytes follow the last one  */
    PqSlice  bits;                   /* BIT_PACKED                    */
    uint64_t bit;                    /* taken from bits so far        */
} PqLevels;

/* Takes the level bytes from the front of *page.  v1 pages have a 4-byte length
** before RLE levels.  v2 pages have it in the page header: it is n_bytes, and
** the encoding is RLE.  All the bytes must be used, because the values begin
** where the header says that the levels end.  max is the largest level the
** schema allows; 0 means that there are no bytes, or in a v2 page runs of
** nothing.  With an arrival, the bytes of a v1 page are produced on demand, and
** all levels are wanted, since the values come after them. */
PqRc pq_levels_open_v1(PqLevels *l, int encoding, uint16_t max,
                       uint32_t n_levels, PqSlice *page, PqLazyBytes *arrival,
                       PqErr *e);
PqRc pq_levels_open_v2(PqLevels *l, uint16_t max, uint32_t n_levels,
                       size_t n_bytes, PqSlice *page, PqErr *e);

/* n levels, none above max. */
PqRc pq_levels_read(PqLevels *l, uint32_t n, uint16_t *out, PqErr *e);

/* Of n <= 64 levels: bit i is set when v[i] is value. */
uint64_t pq_level_bits(const uint16_t *v, uint32_t n, uint16_t value);

/* n levels as bits: bit bit_at + i of out (little-endian words) is set when
** level i is max.  Other bits are left alone.  *n_set counts the set ones. */
PqRc pq_levels_read_valid(PqLevels *l, uint32_t n, uint64_t *out,
                          uint32_t bit_at, uint32_t *n_set, PqErr *e);

/* Skips n levels; *n_max is how many of them were max. */
PqRc pq_levels_skip(PqLevels *l, uint32_t n, uint32_t *n_max, PqErr *e);

#endif
