/*
** lazy_page.h - a page that is read and unpacked only as far as needed.
**
** DuckDB writes one page for 122,880 rows, and a query may want one of them.
** If the codec can stop (core/codec/unpack.h), whatever follows the last row
** wanted is neither read nor unpacked.  Decoders say which bytes they want
** (core/base/lazy_bytes.h), and this provides them.
**
**   file    header | levels (v2) | compressed ................. |
**                                 [ window ]  ->  read ahead
**                                    | unpack
**   page           | levels      | values so far ...|  not yet  |
**                                                  ^ here
**
** It is used by the thread that reads the rows, for one page at a time.  A page
** taken ahead by another thread is taken whole.  So is a page that follows a
** completely used page, because it will probably be used completely too.
**
** A page with a checksum is read whole and checked before anything is unpacked.
** So is an encrypted page, which can only be opened whole; it is opened in the
** window, and unpacked from there as far as it is wanted.
** Damage after the last byte wanted goes unnoticed, except for impossible
** lengths: those are checked at the beginning.  So does damage in bytes that are
** passed over, unless an element is too long or looks back too far.
*/
#ifndef PQ_LAZY_PAGE_H
#define PQ_LAZY_PAGE_H

#include "core/base/lazy_bytes.h"
#include "core/codec/unpack.h"
#include "core/column/chunk_read.h"

typedef struct PqPageArrival {
    PqLazyBytes  bytes;                /* of the page: for decoders; first    */
    PqReadCtx *ctx;
    bool       is_open;
    /* Set by the reader: how many values it has read (not skipped), and the
    ** slot of the page that it is going to. */
    uint32_t   n_read, slot;
    uint32_t   n_jumps;              /* from values that it read to others  */
    PqRc       failed;
    PqInput   *in;
    PqPageBody body;
    uint64_t   header_at, body_at;
    int        codec;
    int32_t    number;               /* of the page                         */
    uint32_t   n_slots;
    PqFeed     feed;
    PqBuf      window;               /* compressed bytes                    */
    bool       took_window;          /* it is the chunk reader's, unchanged */
    PqSlice    opened;               /* of a sealed page: levels and values,
                                     ** in window; n 0: not there           */
    uint64_t   fed;                  /* file offset after these bytes       */
    PqUnpack   unpack;
} PqPageArrival;

void pq_lazy_page_init(PqPageArrival *p, PqReadCtx *ctx);
void pq_lazy_page_reset(PqPageArrival *p);

/* Begins with the page whose header was parsed; the page then counts as taken.
** If it is too small, or cannot be unpacked in steps, p is not open, and the
** caller uses pq_chunk_take.  all: every row is likely to be wanted. */
PqRc pq_lazy_page_begin(PqPageArrival *p, PqChunkReader *r, PqPage *page,
                        bool all, PqErr *e);

/* No more of the page will be asked for. */
void pq_lazy_page_end(PqPageArrival *p);

#endif
