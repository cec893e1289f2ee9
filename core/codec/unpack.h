/*
** unpack.h - decompresses a page in steps, as far as it is wanted.
**
**   compressed   [ taken  | p: there .... | left: not read yet ]
**   page         [ at: there   | not yet                       ]
**
** The compressed bytes come through a feed, which reads them as they are
** needed.  ZSTD and BROTLI can stop and go on at no cost.  For the others
** stopping is expensive.  They do it while little of a page is wanted (a row in
** its first part, a LIMIT), and then set `whole`: pq_codec_decode has to decode
** the whole page:
**
**   SNAPPY   blocks of 64 KiB, each found by a walk over its elements; the
**            rest of the page can be decoded at once, as another block.
**            A block that is not wanted is passed over after the walk, in half
**            of the time
**   GZIP     zlib can stop; libdeflate cannot, but is 2.5 times as fast
**   LZ4_RAW  starts again from the beginning each time
**
** An unusual page also ends with `whole`: several frames, no size, or damage.
** The bytes that are there by then stay as they are, and pq_codec_decode
** reports what is wrong.
*/
#ifndef PQ_UNPACK_H
#define PQ_UNPACK_H

#include "core/codec/codec.h"

/* How many bytes before p may be written to. */
enum { PQ_FEED_BEFORE = 8 };

typedef struct PqFeed PqFeed;

struct PqFeed {
    uint8_t *p;                      /* n bytes that are there, not taken   */
    size_t   n;
    size_t   left;                   /* bytes after them, not yet there     */
    /* Brings in bytes until f->n is at least n; n <= f->n + f->left. */
    PqRc   (*more)(PqFeed *f, size_t n, PqErr *e);
};

typedef struct PqUnpack {
    PqCodecState *state;
    PqFeed       *feed;
    int           codec;
    uint8_t      *out;               /* set by the caller before the first  */
                                     /* pq_unpack_more: n_out bytes         */
    size_t        at, n_out;         /* bytes decoded so far, and in all    */
    bool          whole;             /* the page has to be decoded whole    */
    size_t        from;              /* set by the caller: bytes before it are not wanted
                                     ** now                                  */
    size_t        gap, gap_end;      /* bytes before `at` that were passed over: they
                                     ** are not there; gap_end 0: none       */
    size_t        n_passed;          /* ... without what was decoded between */
    size_t        expects;           /* ZSTD: bytes for the next step       */
    void         *lib;               /* of the library, kept for more pages */
    int           lib_codec;
} PqUnpack;

/* A zeroed PqUnpack was not begun. */

/* Can the codec decode in steps; and can it do so at no cost? */
bool pq_unpack_can(int codec);
bool pq_unpack_resumes(int codec);

/* Does it write to the bytes of the feed?  They cannot be decoded again then. */
bool pq_unpack_spoils(int codec);

/* feed and s must stay until the end.  Sets u->whole when this page cannot be
** decoded in steps, or when its bytes cannot decompress to n_out: as in
** pq_codec_check_claim, that is found before anything is allocated. */
PqRc pq_unpack_begin(PqUnpack *u, PqCodecState *s, int codec, PqFeed *feed,
                     size_t n_out, PqErr *e);

/* Decodes until u->at is at least upto, which must be more than it is, or sets
** u->whole.  When u->at reaches n_out, the end of the compressed bytes was
** checked too.  expect: how much will probably be wanted in the end.  If that
** is much, a codec that pays for stopping sets u->whole at once. */
PqRc pq_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);

/* Ends the page.  The library's context is kept for the next one. */
void pq_unpack_end(PqUnpack *u);
void pq_unpack_free(PqUnpack *u);

#endif
