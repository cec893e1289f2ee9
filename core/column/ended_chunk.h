/*
** ended_chunk.h - a chunk that is complete, on its way into a file.
**
** A file takes its chunks from here and asks each of them three times: for its
** pages when the row group is written, for its Bloom filter after the chunks of
** the row group, and then for its indexes.  A chunk is made of batches
** (chunk_write.h), or copied from another file (chunk_copy.h).
*/
#ifndef PQ_ENDED_CHUNK_H
#define PQ_ENDED_CHUNK_H

#include "core/base/sink.h"
#include "core/encoding/decoder.h"
#include "core/geo/geo_bounds.h"
#include "core/meta/format.h"

typedef struct PqEndedKind {
    /* Writes dictionary page and pages to the end of a file.  *out is the chunk's
    ** metadata for the footer, allocated in a, still without the places of the
    ** indexes and the filter.  scratch may be NULL if nothing was spilled; stop
    ** may be NULL. */
    PqRc (*out)(void *chunk, PqSink *scratch, PqSink *to, const PqStop *stop,
                PqArena *a, PqColumnMetaData *out, PqErr *e);
    /* After that: the bytes of the Bloom filter, as the file has them, and of both
    ** indexes, without a seal; empty where there is none.  The buffers of indexes
    ** have e as their sink. */
    PqRc (*bloom)(void *chunk, PqSink *scratch, const PqStop *stop, PqBuf *out,
                  PqErr *e);
    PqRc (*indexes)(void *chunk, PqBuf *column_index, PqBuf *offset_index,
                    PqErr *e);
} PqEndedKind;

typedef struct PqEndedChunk {
    const PqEndedKind *kind;
    void              *chunk;
    const PqGeoBounds *geo;          /* the box and the types of geometries;
                                     ** NULL: it has none, or nobody asked   */
} PqEndedChunk;

/* Lists the encodings of all pages, by numbers of pages of each kind and encoding
** (chunk_out.c). */
PqRc pq_ended_encodings(const uint32_t counts[][PQ_ENCODING_COUNT], PqArena *a,
                        PqColumnMetaData *out, PqErr *e);

#endif
