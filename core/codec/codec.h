/*
** codec.h - compression: one table over the libraries of the distribution.
**
** A page's header says how many bytes it decompresses to.  A codec fills
** exactly that many, or the page is corrupt.  The number is only a claim.
** Before anything is allocated, pq_codec_check_claim refuses more than the
** compressed bytes can possibly hold: a snappy stream says its own length, an
** LZ4 byte stands for at most 255, and so on.
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

/* "SNAPPY"; NULL for a number that is not in the table. */
const char *pq_codec_name(int codec);

/* The contexts of the libraries, kept from page to page; one per thread.  All
** memory of the libraries is charged to mem. */
typedef struct PqCodecState PqCodecState;

PqRc pq_codec_state_new(PqMem *mem, PqCodecState **out, PqErr *e);
void pq_codec_state_free(PqCodecState *s);               /* s may be NULL */

/* Decoding and encoding of large pages ask stop between steps.  Pages are
** decompressed piece by piece, straight into the output.  They are compressed
** in pieces that may refer to earlier ones.  A step takes less than a tenth of
** a second at the level asked for, so the compressed bytes depend on the step.
** stop must outlive s.  NULL, as at first, means that nobody is asked.
**
** SNAPPY, LZ4_RAW and raw LZ4 blocks are not decoded in steps: their libraries
** only decode them whole, at about a gigabyte a second. */
void pq_codec_watch(PqCodecState *s, const PqStop *stop);

/* About how much working memory an encoder may take, without its output.  The
** highest levels of ZSTD and BROTLI want up to 40 MB for a page of 1 MB; with
** less they look back less far.  0, as at first: no limit. */
void pq_codec_confine(PqCodecState *s, size_t n_bytes);

/* Fails when in cannot decompress to n_out bytes, or when the codec is not
** supported.  Cheap: call it before allocating n_out bytes. */
PqRc pq_codec_check_claim(int codec, PqSlice in, size_t n_out, PqErr *e);

/* Fills out[0..n_out) or fails; PQ_STOPPED when stop says so. */
PqRc pq_codec_decode(PqCodecState *s, int codec, PqSlice in, uint8_t *out,
                     size_t n_out, PqErr *e);

/* For streams whose size nobody says, GZIP and ZSTD: makes out all they decompress to,
** at most that many bytes.  raw: deflate without the head and the end of gzip. */
PqRc pq_codec_decode_all(PqCodecState *s, int codec, bool raw, PqSlice in, size_t most,
                         PqBuf *out, PqErr *e);

/* What a copy compresses with if nobody says: ZSTD, where this build has it. */
int pq_codec_default(void);

/* A codec's levels are 1 to this number; 0 if it has none. */
int pq_codec_levels(int codec);

/* How an encoder looks for repetitions.  The level says how hard it tries.  How
** far back it should look depends on the bytes, and only trying tells:
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

/* Do the searches differ for this codec at this level? */
bool pq_codec_has_searches(int codec, int level);

/* Appends the compressed bytes to out, or nothing when it fails; PQ_STOPPED
** when stop says so.  A level of 0 or less is the codec's default, one above
** its highest level is the highest. */
PqRc pq_codec_encode(PqCodecState *s, int codec, int level, PqSearch search,
                     PqSlice in, PqBuf *out, PqErr *e);

/* The checksum of pages: CRC-32 as in gzip, from libdeflate where it is installed,
** otherwise from zlib, which is several times slower.  Continues from crc, which
** is 0 at first.  v.p may be NULL when v.n is 0. */
uint32_t pq_crc32(uint32_t crc, PqSlice v);

/* "zstd 1.5.4, snappy, lz4 1.9.4, ..." for parquet_version(). */
void pq_codec_versions(PqBuf *out);

#endif
