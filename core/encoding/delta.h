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
** All sums wrap.  Reading allows more than the format: blocks should be
** multiples of 128 values and miniblocks of 32, but any miniblocks that end at
** a byte are read.  The widths of miniblocks without values are ignored.  The
** padding of the last miniblock is ignored too, and may be missing.  INT32 may
** be packed in more than 32 bits, since only the low half of a sum counts.
*/
#ifndef PQ_DELTA_H
#define PQ_DELTA_H

#include "core/base/lazy_bytes.h"
#include "core/encoding/packed.h"

typedef struct PqDelta {
    PqSlice        rest;         /* bytes after the current miniblock       */
    uint32_t       left;         /* values not handed out                   */
    bool           at_first;     /* the next value is last, from the header */
    uint64_t       last;
    uint64_t       min_delta;
    uint32_t       per_block;    /* miniblocks                              */
    uint32_t       per_mini;     /* values, a multiple of 8                 */
    const uint8_t *widths;       /* of the block's miniblocks not begun,    */
    uint32_t       n_widths;     /* how many                                */
    PqPacked       mini;         /* the miniblock being handed out,         */
    uint32_t       mini_left;    /* and its values that are left            */
    PqLazyBytes     *arrival;      /* NULL: all bytes are there               */
} PqDelta;

/* Reads the header.  No bytes mean no values.  A header that claims more than
** `most` values is corrupt.  With an arrival, bytes are produced on demand. */
PqRc pq_delta_open(PqDelta *d, PqSlice bytes, uint32_t most, PqLazyBytes *arrival,
                   PqErr *e);

/* Reads n <= left values.  When none is left, rest is the bytes after them. */
PqRc pq_delta_read32(PqDelta *d, const PqKernels *k, uint32_t n,
                     uint32_t *out, PqErr *e);

#endif
