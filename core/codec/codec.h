/*
** codec.h - compression: one table over the libraries of the distribution.
**
** A page's header says how many bytes come out; a codec fills exactly that
** many or the page is corrupt.  The number is a claim: pq_codec_check_claim
** refuses, before anything is allocated, what these bytes cannot possibly
** hold (a snappy stream says its own length, an LZ4 byte stands for at most
** 255, and so on).
*/
#ifndef PQ_CODEC_H
#define PQ_CODEC_H

#include "core/base/bytes.h"
#include "core/base/stop.h"

/* Numbers as in the file format. */
typedef enum PqCodecId {
    PQ_CODEC_UNCOMPRESSED = 0,
    PQ_CODEC_SNAPPY = 1,
    PQ_CODEC_GZIP = 2,
    PQ_CODEC_LZO = 3,
    PQ_CODEC_BROTLI = 4,
    PQ_CODEC_LZ4 = 5,                /* deprecated: three framings occur */
    PQ_CODEC_ZSTD = 6,
    PQ_CODEC_LZ4_RAW = 7,
    PQ_CODEC_COUNT
} PqCodecId;

/* "SNAPPY"; "codec 42" style names are the caller's business: NULL for a
** number that is not in the table. */
const char *pq_codec_name(int codec);

/* Decompressor contexts that are worth keeping between pages; one per thread.
** Everything the libraries allocate is charged to mem. */
typedef struct PqCodecState PqCodecState;

PqRc pq_codec_state_new(PqMem *mem, PqCodecState **out, PqErr *e);
void pq_codec_state_free(PqCodecState *s);               /* s may be NULL */

/* Decoding and encoding ask stop between steps, where there is more than one:
** large pages are decompressed piece by piece, straight to where they go, and
** compressed in pieces that know what was before them.  A step is what takes
** less than a tenth of a second at the level asked for, so it depends on the
** level what comes out.  stop is borrowed for good; NULL, as in the beginning:
** nobody is asked.
**
** Not decoded in steps: SNAPPY, LZ4_RAW and raw LZ4 blocks, which their
** libraries only decode whole, at about a gigabyte a second. */
void pq_codec_watch(PqCodecState *s, const PqStop *stop);

/* About what an encoder may take to work with, its output aside.  The highest
** levels of ZSTD and BROTLI ask for up to forty megabytes for a page of one:
** with less they look less far back.  0, as in the beginning: all they want. */
void pq_codec_confine(PqCodecState *s, size_t n_bytes);

/* Could in decompress to n_out bytes?  Cheap, before allocating; also where a
** codec that is not here is refused. */
PqRc pq_codec_check_claim(int codec, PqSlice in, size_t n_out, PqErr *e);

/* Fills out[0..n_out) or fails; PQ_STOPPED where stop says so. */
PqRc pq_codec_decode(PqCodecState *s, int codec, PqSlice in, uint8_t *out,
                     size_t n_out, PqErr *e);

/* A codec's levels are 1 to this; 0: it has none. */
int pq_codec_levels(int codec);

/* Appends the compressed bytes to out, or nothing; PQ_STOPPED where stop says
** so.  A level of 0 or less is
** the codec's default, one beyond its scale its highest. */
PqRc pq_codec_encode(PqCodecState *s, int codec, int level, PqSlice in,
                     PqBuf *out, PqErr *e);

/* How an encoder looks for what it has seen before.  Its level says how hard it
** tries; how far back it does best to look depends on the bytes, and only
** trying tells:
**
**                 a page of       numbers 1, 2, ..   urls     C headers
**   PQ_SEARCH_LEVEL  as the level has it    0.175     0.304      0.206
**   PQ_SEARCH_NEAR   small tables           0.145     0.298      0.212
**   PQ_SEARCH_FAST   a small table          0.131     0.295      0.225
**
** Each is faster than the one before it, twice as fast on texts like urls. */
typedef enum PqSearch {
    PQ_SEARCH_LEVEL, PQ_SEARCH_NEAR, PQ_SEARCH_FAST, PQ_SEARCH_COUNT
} PqSearch;

/* Does the codec have all of them at this level?  Otherwise they are one. */
bool pq_codec_has_searches(int codec, int level);

PqRc pq_codec_encode_by(PqCodecState *s, int codec, int level, PqSearch search,
                        PqSlice in, PqBuf *out, PqErr *e);

/* "zstd 1.5.4, snappy, lz4 1.9.4, ..." for parquet_version(). */
void pq_codec_versions(PqBuf *out);

#endif
