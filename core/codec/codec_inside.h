/*
** codec_inside.h - what the files of this folder share: the state, the three
** functions each codec has, and the wording of failures.
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
typedef PqRc PqEncode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                      PqErr *e);

PqClaim pq_snappy_claim, pq_gzip_claim, pq_brotli_claim, pq_zstd_claim,
    pq_lz4_claim;
PqDecode pq_snappy_decode, pq_gzip_decode, pq_brotli_decode, pq_zstd_decode,
    pq_lz4_decode_framed, pq_lz4_decode_raw;
PqEncode pq_snappy_encode, pq_gzip_encode, pq_brotli_encode, pq_zstd_encode,
    pq_lz4_encode_framed, pq_lz4_encode_raw;

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

PqUnpackBegin pq_snappy_unpack_begin, pq_gzip_unpack_begin,
    pq_brotli_unpack_begin, pq_zstd_unpack_begin, pq_lz4_unpack_begin;
PqUnpackMore pq_snappy_unpack_more, pq_gzip_unpack_more, pq_brotli_unpack_more,
    pq_zstd_unpack_more, pq_lz4_unpack_more;
PqUnpackFree pq_gzip_unpack_free, pq_brotli_unpack_free, pq_zstd_unpack_free;

PqRc pq_unpack_feed(PqUnpack *u, size_t n, PqErr *e);  /* n, or what is left */
PqRc pq_unpack_feed_some(PqUnpack *u, PqErr *e);       /* if there is none   */
void pq_unpack_took(PqUnpack *u, size_t n);

/* Appends the name and the version of the library. */
void pq_snappy_version(PqBuf *out);
void pq_gzip_version(PqBuf *out);
void pq_brotli_version(PqBuf *out);
void pq_zstd_version(PqBuf *out);
void pq_lz4_version(PqBuf *out);

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

bool pq_zstd_has_searches(int level);
void pq_zstd_free(PqCodecState *s);

#endif
