/*
** codec_inside.h - what the files of this folder share: the state, the functions
** that each codec has, and the wording of failures.
**
** Libraries allocate through pq_codec_lib_alloc, whose opaque pointer is the
** PqCodecState.  When it refuses, it reports to the PqErr of the current call.
** That first failure wins over whatever the library reports afterwards, so the
** user reads how much memory was missing, not "brotli error -26".
*/
#ifndef PQ_CODEC_INSIDE_H
#define PQ_CODEC_INSIDE_H

#include "core/codec/unpack.h"

struct PqCodecState {
    PqMem *mem;
    PqErr *e;                          /* of the current call */
    size_t n_out;                      /* of the current call */
    const PqStop *stop;                /* NULL: nobody is asked */
    size_t confines;                   /* of an encoder; 0: none */
    PqSearch search;                   /* of the current call */
    void  *inflater;                   /* gzip_libdeflate.c */
    struct ZSTD_DCtx_s *zstd_decoder;
    struct ZSTD_CCtx_s *zstd_encoder;
};

/* How many bytes the compressed bytes can decompress to, as far as they tell
** without being decoded. */
typedef struct PqCodecClaim {
    uint64_t least, most;
} PqCodecClaim;

/* Takes a large piece of memory from the system in steps that can be
** interrupted, because the library call that follows cannot be.  Used for a
** page that is decoded in one call, and for the tables of an encoder, which
** take half a gigabyte at the highest level of zstd. */
PqRc pq_codec_touch(const PqCodecState *s, uint8_t *out, size_t n, PqErr *e);

void *pq_codec_lib_alloc(void *state, size_t n);
void  pq_codec_lib_free(void *state, void *p);

PQ_COLD PqRc pq_codec_fail_damaged(const char *codec, const char *how,
                                   PqErr *e);
PQ_COLD PqRc pq_codec_fail_short(const char *codec, size_t came, size_t n_out,
                                 PqErr *e);
PQ_COLD PqRc pq_codec_fail_long(const char *codec, size_t n_out, PqErr *e);

/* For a library that says that it has no memory.  Usually pq_codec_lib_alloc
** has reported already, and this returns that error. */
PQ_COLD PqRc pq_codec_fail_memory(const char *codec, PqErr *e);

/* The three functions of a codec:
**
** claim   in is not empty
** decode  neither pointer is NULL, in is not empty, out is filled exactly
** encode  in.p is not NULL; a level of 0 or less is the codec's default, one
**         above its highest is the highest; out grows only on success
*/
typedef PqRc PqClaim(PqSlice in, PqCodecClaim *claim, PqErr *e);
typedef PqRc PqDecode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                      PqErr *e);
/* As pq_codec_decode_all, whose out is empty. */
typedef PqRc PqDecodeAll(PqCodecState *s, bool raw, PqSlice in, size_t most, PqBuf *out,
                         PqErr *e);
typedef PqRc PqEncode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                      PqErr *e);

/* Its three functions for steps (unpack.h), if it has them:
**
** begin   there is a feed, of at least one byte
** more    at < upto <= n_out, upto <= expect; for damaged bytes it sets whole:
**         the decoder of the whole page then reports what is wrong
** free    lib is not NULL
*/
typedef PqRc PqUnpackBegin(PqUnpack *u, PqErr *e);
typedef PqRc PqUnpackMore(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
typedef void PqUnpackFree(PqUnpack *u);

/* What a codec can do.  In a build without its library another file is linked in its
** place, as zstd_absent.c, which has a work without functions. */
typedef struct PqCodecWork {
    PqClaim  *claim;
    PqDecode *decode;
    PqEncode *encode;
    void (*version)(PqBuf *out);     /* appends the name and version of its library */
    void (*state_free)(PqCodecState *s);     /* what it keeps there; may be NULL  */
    PqDecodeAll *decode_all;                 /* NULL: it has none                 */
    bool (*has_searches)(int level);         /* NULL: it has none                 */
    PqUnpackBegin *unpack_begin;             /* NULL: not in steps                */
    PqUnpackMore  *unpack_more;
    PqUnpackFree  *unpack_free;
    bool           resumes, spoils;          /* unpack.h                          */
} PqCodecWork;

extern const PqCodecWork pq_codec_snappy, pq_codec_gzip, pq_codec_brotli,
    pq_codec_lz4, pq_codec_lz4_raw, pq_codec_zstd;
PqEncode pq_lz4_encode_framed, pq_lz4_encode_raw;

/* Room in out for about n bytes more, which may be few; an error if it has the most. */
PqRc pq_codec_more_room(const PqCodecState *s, size_t n, size_t most, PqBuf *out, PqErr *e);

/* NULL: no codec has this number, or this build lacks it. */
const PqCodecWork *pq_codec_work(int codec);

PqRc pq_unpack_feed(PqUnpack *u, size_t n, PqErr *e);  /* n, or what is left */
PqRc pq_unpack_feed_some(PqUnpack *u, PqErr *e);       /* if there is none   */
void pq_unpack_took(PqUnpack *u, size_t n);

/* Takes one gzip member (zlib: one zlib stream) from the front of in, puts at
** most room bytes to out and their number to *n_out. */
typedef PqRc PqInflate(PqCodecState *s, bool zlib, PqSlice *in, uint8_t *out,
                       size_t room, size_t *n_out, PqErr *e);

/* In steps; and as fast as possible.  Two files define the latter, and the
** Makefile links one of them: gzip_libdeflate.c where libdeflate is installed,
** gzip_zlib.c elsewhere. */
PqInflate pq_gzip_inflate_steps, pq_gzip_inflate;
void pq_gzip_inflate_free(PqCodecState *s);
const char *pq_gzip_inflate_version(void);

#endif
