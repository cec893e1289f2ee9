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
** Indexes stand together at the end because a reader wants many of them and
** nothing between them.  They and what the footer says are kept until then, as
** bytes: two or three hundred for each chunk.
*/
#ifndef PQ_FILE_WRITE_H
#define PQ_FILE_WRITE_H

#include "core/column/chunk_write.h"

/* What the files of a copy have in common. */
typedef struct PqFileShape {
    const PqSchemaElementList *elements;
    const PqSchema    *schema;
    const PqSliceList *paths;        /* of each leaf: path_in_schema         */
    const PqColumnOrder *orders;     /* of each leaf                         */
    const PqKeyValue  *key_values;
    uint32_t           n_key_values;
    const char        *created_by;
    const PqStop      *stop;         /* asked on the way; may be NULL        */
} PqFileShape;

typedef struct PqFileWrite PqFileWrite;

/* shape is borrowed; the sink stays the caller's. */
PqRc pq_file_write_new(PqMem *mem, const PqFileShape *shape, PqSink *to,
                       PqFileWrite **out, PqErr *e);
void pq_file_write_free(PqFileWrite *f);             /* f may be NULL */

/* A chunk per leaf, ended; sorting is copied. */
PqRc pq_file_write_group(PqFileWrite *f, PqChunkWrite *const *chunks,
                         uint64_t n_rows, const PqSortingColumn *sorting,
                         uint32_t n_sorting, PqSink *scratch, PqErr *e);

/* Indexes and footer.  The sink has everything then. */
PqRc pq_file_write_end(PqFileWrite *f, PqErr *e);

uint64_t pq_file_write_bytes(const PqFileWrite *f);

/* What is kept until the end. */
size_t   pq_file_write_memory(const PqFileWrite *f);

/* path_in_schema of each leaf, and the order of its bounds; in a. */
PqRc pq_file_write_paths(const PqSchemaElementList *elements, uint32_t n_leaves,
                         PqArena *a, PqSliceList **out, PqErr *e);

#endif
