/*
** roaring.h - a roaring bitmap becomes ranges of rows.
**
**   set       := count u64, { key u32, bitmap }*        spec: RoaringFormatSpec
**   bitmap    := 12346 u32, n u32                       no container has runs
**              | 12347 u16, n - 1 u16, a bit for each container: it has runs
**                { key u16, cardinality - 1 u16 }*      n of them
**                offset u32 *                           n, or none: runs and n < 4
**                container*
**   container := first u16, length - 1 u16, ...         runs, after their count u16
**              | value u16 *                            cardinality up to 4096
**              | 65536 bits
**
**   3 4 7   3a 30 00 00  01 00 00 00  00 00 02 00  10 00 00 00  03 00 04 00 07 00
**
** A value has its lowest 16 bits in a container, the next 16 in the container's key,
** and the highest ones in the bitmap's.  All integers are little-endian.
**
** A bitmap that contradicts itself is an error, also where other readers do not look:
** order of keys, values and runs, cardinalities, offsets.  Two containers may touch, and
** so may two runs.  They become one range.
**
** Memory follows what is there and no count that a file claims.  A container of
** 8192 bytes has 32,768 ranges if every other bit is set, which is the most: 64 bytes of
** ranges for a byte of input.
*/
#ifndef PQ_ROARING_H
#define PQ_ROARING_H

#include "core/base/row_range.h"

/* Takes a bitmap, or a set of them, from the front of in.  Appends the ranges of
** base + value to ranges, sorted, and joins those that touch; base is not below what is
** there.  Adds the number of values to *n_rows.  After an error, ranges has a part. */
PqRc pq_roaring_take(PqSlice *in, int64_t base, PqBuf *ranges, uint64_t *n_rows,
                     const PqStop *stop, PqErr *e);
PqRc pq_roaring_take_set(PqSlice *in, PqBuf *ranges, uint64_t *n_rows,
                         const PqStop *stop, PqErr *e);

#endif
