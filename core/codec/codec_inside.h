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

/* The rules for the three functions of a codec:
**
** claim   in is not empty
** decode  neither pointer is NULL, in is not empty, out is filled exactly
** encode  in.p is not NULL; a level of 0 or less is the codec's default, one
**         above its highest is the highest; out grows only on success
*/
/* And for its three functions for steps (unpack.h), if it has them:
**
** begin   there is a feed, of at least one byte
** more    at < upto <= n_out, upto <= expect; for damaged bytes it sets whole:
**         the decoder of the whole page then reports what is wrong
** free    lib is not NULL
*/
PqRc pq_unpack_feed(PqUnpack *u, size_t n, PqErr *e);  /* n, or what is left */
PqRc pq_unpack_feed_some(PqUnpack *u, PqErr *e);       /* if there is none   */
void pq_unpack_took(PqUnpack *u, size_t n);

PqRc pq_snappy_claim(PqSlice in, PqCodecClaim *claim, PqErr *e);
PqRc pq_snappy_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                      PqErr *e);
PqRc pq_snappy_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                      PqErr *e);
PqRc pq_snappy_unpack_begin(PqUnpack *u, PqErr *e);
PqRc pq_snappy_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
void pq_snappy_version(PqBuf *out);

PqRc pq_gzip_claim(PqSlice in, PqCodecClaim *claim, PqErr *e);
PqRc pq_gzip_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                    PqErr *e);
PqRc pq_gzip_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                    PqErr *e);
PqRc pq_gzip_unpack_begin(PqUnpack *u, PqErr *e);
PqRc pq_gzip_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
void pq_gzip_unpack_free(PqUnpack *u);
void pq_gzip_version(PqBuf *out);

/* *zlib: a zlib stream, not a gzip member.  Fails when it is neither. */
PqRc pq_gzip_find_wrapper(PqSlice in, bool *zlib, PqErr *e);

/* Takes one member (zlib: one zlib stream) from the front of in, puts at most
** room bytes to out and their number to *n_out. */
PqRc pq_gzip_inflate_steps(PqCodecState *s, bool zlib, PqSlice *in,
                           uint8_t *out, size_t room, size_t *n_out, PqErr *e);

/* The same, as fast as possible.  Two files define these, and the Makefile
** links one of them: gzip_libdeflate.c where libdeflate is installed,
** gzip_zlib.c elsewhere. */
PqRc pq_gzip_inflate(PqCodecState *s, bool zlib, PqSlice *in, uint8_t *out,
                     size_t room, size_t *n_out, PqErr *e);
void pq_gzip_inflate_free(PqCodecState *s);
const char *pq_gzip_inflate_version(void);

PqRc pq_brotli_claim(PqSlice in, PqCodecClaim *claim, PqErr *e);
PqRc pq_brotli_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                      PqErr *e);
PqRc pq_brotli_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                      PqErr *e);
PqRc pq_brotli_unpack_begin(PqUnpack *u, PqErr *e);
PqRc pq_brotli_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
void pq_brotli_unpack_free(PqUnpack *u);
void pq_brotli_version(PqBuf *out);

PqRc pq_zstd_claim(PqSlice in, PqCodecClaim *claim, PqErr *e);
PqRc pq_zstd_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                    PqErr *e);
bool pq_zstd_has_searches(int level);
PqRc pq_zstd_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                    PqErr *e);
PqRc pq_zstd_unpack_begin(PqUnpack *u, PqErr *e);
PqRc pq_zstd_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
void pq_zstd_unpack_free(PqUnpack *u);
void pq_zstd_free(PqCodecState *s);
void pq_zstd_version(PqBuf *out);

PqRc pq_lz4_claim(PqSlice in, PqCodecClaim *claim, PqErr *e);
PqRc pq_lz4_decode_framed(PqCodecState *s, PqSlice in, uint8_t *out,
                          size_t n_out, PqErr *e);
PqRc pq_lz4_decode_raw(PqCodecState *s, PqSlice in, uint8_t *out,
                       size_t n_out, PqErr *e);
PqRc pq_lz4_encode_framed(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                          PqErr *e);
PqRc pq_lz4_encode_raw(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                       PqErr *e);
PqRc pq_lz4_unpack_begin(PqUnpack *u, PqErr *e);
PqRc pq_lz4_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e);
void pq_lz4_version(PqBuf *out);

#endif
