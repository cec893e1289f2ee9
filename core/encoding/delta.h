/*
** delta.h - integers as differences: DELTA_BINARY_PACKED, and the lengths of
** the two delta encodings of strings.
**
**   header  := varint block, varint miniblocks, varint count, zigzag first
**   block   := zigzag min_delta, one width byte per miniblock, miniblocks
**   value   := value before + min_delta + what the miniblock holds
**
**   7 5 3 1 2 3 4 5 (blocks of 8, for the example only):
**   08 01 08 0e         block 8, 1 miniblock, 8 values, first 7
**   03 02  c0 3f        min_delta -2, width 2, 0 0 0 3 3 3 3 and padding
**
** All sums wrap.  Stricter writers than readers: blocks ought to be multiples
** of 128 and miniblocks of 32, but anything whose miniblocks end at a byte is
** read; the widths of miniblocks without values are ignored, as is what fills
** up the last one, be it there or not; INT32 may be packed wider than 32 bits,
** since only the low half of a sum counts.
*/
#ifndef PQ_DELTA_H
#define PQ_DELTA_H

#include "core/base/arrival.h"
#include "core/encoding/packed.h"

typedef struct PqDelta {
    PqSlice        rest;         /* behind the miniblocks begun so far      */
    uint32_t       left;         /* values not handed out                   */
    bool           at_first;     /* the next value is last, from the header */
    uint64_t       last;
    uint64_t       min_delta;
    uint32_t       per_block;    /* miniblocks                              */
    uint32_t       per_mini;     /* values, a multiple of 8                 */
    const uint8_t *widths;       /* of the block's miniblocks not begun,    */
    uint32_t       n_widths;     /* so many                                 */
    PqPacked       mini;         /* the miniblock being handed out,         */
    uint32_t       mini_left;    /* so many values                          */
    PqArrival     *arrival;      /* NULL: all bytes are there               */
} PqDelta;

/* Reads the header.  No bytes are no values.  most is what the page can hold;
** a header that claims more is corrupt.  The bytes may be of what arrives. */
PqRc pq_delta_open(PqDelta *d, PqSlice bytes, uint32_t most, PqArrival *arrival,
                   PqErr *e);

/* n <= left values.  When none is left, rest is what lies behind them. */
PqRc pq_delta_read32(PqDelta *d, const PqKernels *k, uint32_t n,
                     uint32_t *out, PqErr *e);

#endif
