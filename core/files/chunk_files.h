/*
** chunk_files.h - the files that the chunks of a file lie in.
**
** Mostly that is the file itself.  A summary file (_metadata) is a footer
** alone, whose chunks name another file each:
**
**   sales/_metadata    group 0    file_path "year=2023/0.parquet"
**                      group 1    file_path "year=2024/0.parquet"
**
** A name is relative to the folder of the summary and does not lead out of it.
** Parts are opened as chunks ask for them and stay open until pq_chunk_files_close:
** readers hold on to them.
*/
#ifndef PQ_CHUNK_FILES_H
#define PQ_CHUNK_FILES_H

#include "core/meta/footer.h"
#include "core/files/versions.h"

typedef struct PqPart {
    struct PqPart *next;
    uint32_t       group;            /* that last asked for it             */
    PqInput        in;
} PqPart;

typedef struct PqChunkFiles {
    PqMem   *mem;
    PqVersions *versions;            /* that are read; NULL: any           */
    PqInput *own;                    /* the file whose footer it is        */
    PqPart  *first;                  /* the one asked for last             */
} PqChunkFiles;

/* own is borrowed, and may be open yet or not. */
void pq_chunk_files_init(PqChunkFiles *p, PqMem *mem, PqInput *own);
void pq_chunk_files_close(PqChunkFiles *p);             /* parts, not own */

/* Where a chunk of a row group lies. */
PqRc pq_chunk_files_input(PqChunkFiles *p, const PqColumnChunk *chunk, uint32_t group,
                    PqInput **out, PqErr *e);

/* PQ_CHANGED when a part that this row group was read from, or the next one
** (readers run ahead), was written to since it was opened. */
PqRc pq_chunk_files_check(const PqChunkFiles *p, uint32_t group, PqErr *e);

#endif
