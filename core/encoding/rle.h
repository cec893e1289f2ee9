/*
** rle.h - runs of small integers: levels, dictionary indexes, booleans.
**
**   stream := run*                     Encodings.md, "RLE"
**   run    := varint(count << 1)       value, ceil(width / 8) bytes
**           | varint(groups << 1 | 1)  8 * groups values, width bits each
**
**   width 3:  06 05        5 5 5
**             03 88 c6 fa  0 1 2 3 4 5 6 7
**
** Writers pad the last group to eight, so a run may hold more values than its
** page; the surplus is ignored.  Padding may also be missing: a packed run that
** is cut off has the values whose bits are all there.  Values of width 0 are an
** endless run of zeros, whether or not a writer wrote runs for them.
**
** The caller pulls values from the decoder: it knows how much room it has, and
** may want to see a repeat without expanding it.
*/
#ifndef PQ_RLE_H
#define PQ_RLE_H

#include "core/base/lazy_bytes.h"
#include "core/encoding/packed.h"

enum { PQ_RLE_WIDEST = 32 };

typedef struct PqRle {
    PqSlice  rest;                   /* the runs not yet begun              */
    unsigned width;                  /* 0..PQ_RLE_WIDEST                    */
    uint32_t left;                   /* of the current run, not handed out  */
    bool     is_packed;
    uint32_t value;                  /* of a repeat; may exceed width bits  */
    PqPacked bits;                   /* of a packed run                     */
    PqLazyBytes *arrival;              /* NULL: all bytes are there           */
} PqRle;

/* Sets arrival to NULL: all bytes are there.  The caller may set it. */
void pq_rle_init(PqRle *r, unsigned width, PqSlice bytes);

/* Makes left > 0: begins the next run when the current one is used up. */
PqRc pq_rle_begin_run(PqRle *r, PqErr *e);

/* Makes sure that n <= left values of the current run are there: for callers
** that read r->bits themselves. */
static inline PqRc pq_rle_want(const PqRle *r, uint32_t n, PqErr *e)
{
    size_t n_bits = (r->bits.at + (size_t)n) * r->width;

    return PQ_LIKELY(!r->arrival) || !r->is_packed
               ? PQ_OK
               : pq_lazy_bytes_want(r->arrival, r->bits.p, (n_bits + 7) / 8, e);
}

/* Skips n <= left values of the current run. */
static inline void pq_rle_pass(PqRle *r, uint32_t n)
{
    r->left -= n;
    if (r->is_packed) {
        pq_packed_skip(&r->bits, n);
    }
}

PqRc pq_rle_read(PqRle *r, const PqKernels *k, uint32_t n, uint32_t *out,
                 PqErr *e);
PqRc pq_rle_skip(PqRle *r, uint32_t n, PqErr *e);

#endif
