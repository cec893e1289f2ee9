/*
** unpack.h - a page in steps: as much of it as is wanted so far.
**
**   compressed   [ taken  | p: there .... | left: not read yet ]
**   page         [ at: there   | not yet                       ]
**
** The compressed bytes come through a feed, which reads them as they are
** needed.  ZSTD and BROTLI go on where they stopped, as often as they like.
** The others pay for stopping, so they do it while little of a page is wanted
** (a row in its first part, a LIMIT), and then say that the page is to be
** decoded whole by pq_codec_decode:
**
**   SNAPPY   blocks of 64 KiB, each found by a walk over its elements; the
**            rest of the page can be had at once, as another block
**   GZIP     zlib can stop, libdeflate cannot but is 2.5 times as fast
**   LZ4_RAW  begins anew each time
**
** Whole is also how a page ends that is anything out of the ordinary: of
** several frames, without a size, damaged.  What was there before is the same
** afterwards, and what is wrong with it is said by those who always say it.
*/
#ifndef PQ_UNPACK_H
#define PQ_UNPACK_H

#include "core/codec/codec.h"

/* So many bytes before p may be written to. */
enum { PQ_FEED_BEFORE = 8 };

typedef struct PqFeed PqFeed;

struct PqFeed {
    uint8_t *p;                      /* not taken yet,                      */
    size_t   n;                      /* ... so many of them;                */
    size_t   left;                   /* and those behind them, not yet there */
    /* Makes n be at least so many, which are no more than n and left. */
    PqRc   (*more)(PqFeed *f, size_t n, PqErr *e);
};

typedef struct PqUnpack {
    PqCodecState *state;
    PqFeed       *feed;
    int           codec;
    uint8_t      *out;               /* set by the caller before the first  */
                                     /* pq_unpack_more: n_out bytes         */
    size_t        at, n_out;         /* bytes that are there, and all       */
    bool          whole;             /* it has to be decoded whole          */
    size_t        expects;           /* ZSTD: bytes for the next step       */
    void         *lib;               /* of the library, kept for more pages */
    int           lib_codec;
} PqUnpack;

/* A zeroed PqUnpack is one that was not begun. */

/* Can pages of the codec be had in steps, at all and without paying for it? */
bool pq_unpack_can(int codec);
bool pq_unpack_resumes(int codec);

/* feed and s stay until the end.  u->whole afterwards: not this page.  It says
** so, too, where n_out is what these bytes cannot be: what pq_codec_check_claim
** finds is found before anything is allocated. */
PqRc pq_unpack_begin(PqUnpack *u, PqCodecState *s, int codec, PqFeed *feed,
                     size_t n_out, PqErr *e);

/* Makes u->at be at least upto, which is more than it is, or u->whole.  At
** n_out the end of the compressed bytes was looked at as well.  expect: how
** much will be wanted in the end, as far as one can tell; those that pay for
** stopping do not begin where it is much. */
PqRc pq_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);

/* The page is done with; what the library has stays for the next. */
void pq_unpack_end(PqUnpack *u);
void pq_unpack_free(PqUnpack *u);

#endif
