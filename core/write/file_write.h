/*
** file_write.h - one Parquet file: row groups, filters, indexes, footer.
**
**   PAR1
**   row group 0    chunk, chunk, ...        Bloom filters of these
**   row group 1    ...
**   column indexes, of all chunks in their order
**   offset indexes, likewise
**   FileMetaData | length | PAR1
**
** An encrypted file has PARE for PAR1, and a longer end; with a plaintext footer
** it has PAR1 and a signature.
**
**   FileCryptoMetaData | sealed FileMetaData | length | PARE
**   FileMetaData | signature                 | length | PAR1
**
** If readers of the footer must not know a column, its metadata is sealed by
** itself.  What they find instead has neither statistics nor boxes.
**
** The indexes are together at the end because a reader wants many of them and
** nothing in between.  They and the metadata of chunks are kept until then, as
** bytes: two or three hundred per chunk.
*/
#ifndef PQ_FILE_WRITE_H
#define PQ_FILE_WRITE_H

#include "core/column/ended_chunk.h"
#include "core/geo/geoparquet.h"
#include "core/write/file_seal.h"

/* What the files of a copy have in common. */
typedef struct PqFileShape {
    const PqSchemaElementList *elements;
    const PqSchema    *schema;
    const PqSliceList *paths;        /* of each leaf: path_in_schema         */
    const PqColumnOrder *orders;     /* of each leaf                         */
    const PqKeyValue  *key_values;
    uint32_t           n_key_values;
    const PqGeoParquet *geo;         /* NULL: no key "geo".  Its columns are found by
                                     ** name; boxes and types are filled in  */
    const char        *created_by;
    const PqStop      *stop;         /* asked while writing; may be NULL     */
} PqFileShape;

typedef struct PqFileWrite PqFileWrite;

/* shape and seal are borrowed; seal NULL: in the clear.  The caller closes the
** sink. */
PqRc pq_file_write_new(PqMem *mem, const PqFileShape *shape,
                       const PqFileSeal *seal, PqSink *to, PqFileWrite **out,
                       PqErr *e);
void pq_file_write_free(PqFileWrite *f);             /* f may be NULL */

/* Writes a row group: an ended chunk per leaf.  sorting is copied.  Chunks that
** are sealed know that they go into this file, as its next row group. */
PqRc pq_file_write_group(PqFileWrite *f, const PqEndedChunk *chunks,
                         uint64_t n_rows, const PqSortingColumn *sorting,
                         uint32_t n_sorting, PqSink *scratch, PqErr *e);

/* Writes indexes and footer; the file is then complete. */
PqRc pq_file_write_end(PqFileWrite *f, PqErr *e);

uint64_t pq_file_write_bytes(const PqFileWrite *f);

/* The memory that is kept until the end. */
size_t   pq_file_write_memory(const PqFileWrite *f);

/* Makes path_in_schema of each leaf, and the order of its bounds, in a. */
PqRc pq_file_write_paths(const PqSchemaElementList *elements, uint32_t n_leaves,
                         PqArena *a, PqSliceList **out, PqErr *e);

#endif
