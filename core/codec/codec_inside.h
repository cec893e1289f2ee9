/*
** codec_inside.h - what the files of this folder share: the state, the three
** functions each codec has, and the wording of failures.
**
** Libraries allocate through pq_codec_lib_alloc, whose opaque pointer is the
** PqCodecState.  A refusal, or a stop, is reported to the PqErr of the call
** under way, so whatever the library makes of it afterwards, the first failure
** wins and the user reads how much memory was missing, not "brotli error -26".
*/
#ifndef PQ_CODEC_INSIDE_H
#define PQ_CODEC_INSIDE_H

#include "core/codec/unpack.h"

struct PqCodecState {
    PqMem *mem;
    PqErr *e;                          /* of the call under way */
    size_t n_out;                      /* announced in the call under way */
    const PqStop *stop;                /* NULL: nobody is asked */
    size_t confines;                   /* of an encoder; 0: none */
    PqSearch search;                   /* of the call under way */
    void  *inflater;                   /* gzip_libdeflate.c */
    struct ZSTD_DCtx_s *zstd_decoder;
    struct ZSTD_CCtx_s *zstd_encoder;
};

/* How many bytes can come out, as far as the compressed bytes tell without
** being decoded. */
typedef struct PqCodecClaim {
    uint64_t least, most;
} PqCodecClaim;

/* For what is done in one go: a large piece of memory is taken from the system
** beforehand and in steps, which is most of the time it takes.  A page that is
** decoded whole, and the tables of an encoder, which are half a gigabyte at the
** highest level of zstd. */
PqRc pq_codec_touch(const PqCodecState *s, uint8_t *out, size_t n, PqErr *e);

void *pq_codec_lib_alloc(void *state, size_t n);
void  pq_codec_lib_free(void *state, void *p);

PQ_COLD PqRc pq_codec_fail_damaged(const char *codec, const char *how,
                                   PqErr *e);
PQ_COLD PqRc pq_codec_fail_short(const char *codec, size_t came, size_t n_out,
                                 PqErr *e);
PQ_COLD PqRc pq_codec_fail_long(const char *codec, size_t n_out, PqErr *e);

/* When a library says that it has no memory: usually pq_codec_lib_alloc has
** reported already, and this returns what it said. */
PQ_COLD PqRc pq_codec_fail_memory(const char *codec, PqErr *e);

/* The rules of the three, for every codec:
**
** claim   in is not empty
** decode  neither pointer is NULL, in is not empty, out is filled exactly
** encode  in.p is not NULL; a level of 0 or less is the codec's default, one
**         beyond its scale is its highest; out grows only on success
*/
/* And of the three for steps (unpack.h), for those that have them:
**
** begin   there is a feed, of at least one byte
** more    at < upto <= n_out, upto <= expect; what is wrong with the bytes is
**         for those to say who decode the whole page: whole is set then
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

/* Is it a zlib stream, or a gzip member?  Fails when it is neither. */
PqRc pq_gzip_find_wrapper(PqSlice in, bool *zlib, PqErr *e);

/* Takes one member (zlib: one zlib stream) from the front of in, puts at most
** room bytes to out and their number to *n_out. */
PqRc pq_gzip_inflate_steps(PqCodecState *s, bool zlib, PqSlice *in,
                           uint8_t *out, size_t room, size_t *n_out, PqErr *e);

/* The same as fast as can be had.  Two files define these, and the Makefile
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
