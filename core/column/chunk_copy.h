/*
** chunk_copy.h - a chunk of another file, as a chunk of this one.
**
**   chunk of a.parquet   [dictionary] [page] [page]   indexes, filter
**                             |          |      |
**   chunk of the output  [dictionary] [page] [page]   indexes, filter
**
** No value is decoded.  Every page header is parsed and checked as a reader does
** it, and the checksum of a page that has one is verified: what the output says
** about its pages was seen, and a damaged input is an error.  Header and body are
** copied byte for byte where nothing about them changes.  Otherwise the header is
** written anew, with a checksum, and the body is opened, sealed, or compressed
** with another codec.
**
** The footer of the output says that this engine wrote it.  Nothing may depend on
** what a reader knows about the writer of the input:
**
**   statistics      only as far as they can be trusted (stats.h), also in page
**                   headers; the column index only if they all can
**   sizes           recomputed (PARQUET-816)
**   v2 pages        say that they are compressed, if they are (ARROW-10353)
**   checksums of 0  are left out where they mean that there is none
**
** Tests: rewrite_writer_test.c.
**
** What is asked for and missing is computed by reading the chunk a second time
** (chunk_look.c).
*/
#ifndef PQ_CHUNK_COPY_H
#define PQ_CHUNK_COPY_H

#include "core/column/ended_chunk.h"
#include "core/column/read_ctx.h"
#include "core/column/write_ctx.h"
#include "core/geo/geoparquet.h"
#include "core/meta/stats.h"

/* What to add to chunks that lack it. */
enum {
    PQ_ADD_PAGE_INDEX = 1, PQ_ADD_BLOOM = 2, PQ_ADD_CHECKSUM = 4,
    PQ_ADD_SIZES = 8
};

typedef struct PqChunkCopySpec {
    PqInput        *in;              /* the file of the chunk                */
    const PqFooter *f;
    uint32_t        group, leaf;     /* in f                                 */
    const PqLeaf   *to;              /* of the output: the same physical type
                                     ** and levels                           */
    PqOrder         order;           /* of the output's bounds               */
    unsigned        add;             /* PQ_ADD_...                           */
    bool            repack;          /* with codec and level                 */
    int             codec, level;
    double          bloom_fpp;       /* 0: the default                       */
    const PqLock   *lock;            /* of the output; NULL: in the clear    */
    int             row_group;       /* of the output                        */
    const PqGeoColumn *geo;          /* as GeoParquet describes it in the output; NULL:
                                     ** it does not                          */
    const PqGeoColumn *said;         /* ... in the input                     */
    PqReadCtx      *read;            /* verifies checksums                   */
    PqWriteCtx     *write;
    PqMem          *mem;
} PqChunkCopySpec;

typedef struct PqChunkCopy PqChunkCopy;

/* Whatever spec points to is borrowed.  *out is the caller's to free. */
PqRc pq_chunk_copy_new(const PqChunkCopySpec *spec, PqChunkCopy **out,
                       PqErr *e);
void pq_chunk_copy_free(PqChunkCopy *c);             /* c may be NULL */

PqEndedChunk pq_chunk_copy_ended(PqChunkCopy *c);

#endif
