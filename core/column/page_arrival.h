/*
** page_arrival.h - a page of which no more is read and unpacked than is wanted.
**
** DuckDB writes one page for 122,880 rows, and a query may want one of them.
** What lies behind the last row wanted is then neither read nor unpacked, where
** the codec can stop (core/codec/unpack.h): decoders say what they want
** (core/base/arrival.h) and this brings it.
**
**   file    header | levels (v2) | compressed ................. |
**                                 [ window ]  ->  read ahead
**                                    | unpack
**   page           | levels      | values so far ...|  not yet  |
**                                                  ^ here
**
** It is for the thread that reads the rows, and for one page at a time: a page
** taken ahead by another thread is taken whole, and so is one behind a page of
** which everything was used, since that is what will become of it.
**
** A page with a checksum is read whole and checked before anything is unpacked.
** What is wrong behind the last byte wanted goes unnoticed, but for lengths
** that cannot be: those are looked at in the beginning.
*/
#ifndef PQ_PAGE_ARRIVAL_H
#define PQ_PAGE_ARRIVAL_H

#include "core/base/arrival.h"
#include "core/codec/unpack.h"
#include "core/column/chunk_read.h"

typedef struct PqPageArrival {
    PqArrival  bytes;                /* of the page: for decoders; first    */
    PqReadCtx *ctx;
    bool       is_open;
    /* Kept by whoever reads: values, but for those passed over, and the slot of
    ** the page that will be wanted, as far as is known. */
    uint32_t   n_read, slot;
    PqRc       failed;
    PqInput   *in;
    PqPageBody body;
    uint64_t   header_at, body_at;
    int        codec;
    int32_t    number;               /* of the page                         */
    uint32_t   n_slots;
    PqFeed     feed;
    PqBuf      window;               /* compressed bytes                    */
    bool       took_window;          /* of the chunk reader, as it was      */
    uint64_t   fed;                  /* file offset behind them             */
    PqUnpack   unpack;
} PqPageArrival;

void pq_page_arrival_init(PqPageArrival *p, PqReadCtx *ctx);
void pq_page_arrival_reset(PqPageArrival *p);

/* Begins with the page whose header was parsed, which counts as taken, unless
** it is too small for this, or cannot be had in parts: then p is not open, and
** pq_chunk_take is what is left.  all: every row is likely to be wanted. */
PqRc pq_page_arrival_begin(PqPageArrival *p, PqChunkReader *r, PqPage *page,
                           bool all, PqErr *e);

/* The page is done with, or its values are: no more of it will come. */
void pq_page_arrival_end(PqPageArrival *p);

#endif
