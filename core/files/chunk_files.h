/*
** chunk_files.h - the files that hold the chunks of a file.
**
** Mostly that is the file itself.  A summary file (_metadata) is only a footer;
** each of its chunks names another file:
**
**   sales/_metadata    group 0    file_path "year=2023/0.parquet"
**                      group 1    file_path "year=2024/0.parquet"
**
** A name is relative to the folder of the summary and must not lead out of it.
** A part is opened when a chunk needs it.  It stays open until
** pq_chunk_files_close, because readers keep using it.
*/
#ifndef PQ_CHUNK_FILES_H
#define PQ_CHUNK_FILES_H

#include "core/meta/footer.h"
#include "core/files/versions.h"

typedef struct PqPart {
    struct PqPart *next;
    uint32_t       group;            /* the last one that asked for it     */
    PqInput        in;
} PqPart;

typedef struct PqChunkFiles {
    PqMem   *mem;
    PqVersions *versions;            /* of the statement; NULL: any        */
    PqInput *own;                    /* the file that has the footer       */
    PqPart  *first;                  /* the one that was used last         */
} PqChunkFiles;

/* own is borrowed; it need not be open yet. */
void pq_chunk_files_init(PqChunkFiles *p, PqMem *mem, PqInput *own);
void pq_chunk_files_close(PqChunkFiles *p);             /* parts, not own */

/* The path of a file that is named like that in the file at path own.  The
** caller frees it. */
PqRc pq_chunk_files_path(const char *own, PqSlice name, PqMem *mem, char **out,
                         PqErr *e);

/* The file that holds a chunk of a row group. */
PqRc pq_chunk_files_input(PqChunkFiles *p, const PqColumnChunk *chunk, uint32_t group,
                    PqInput **out, PqErr *e);

/* PQ_CHANGED when a part has been written to since it was opened.  Checks the
** parts of this row group and of the next one, because readers run ahead. */
PqRc pq_chunk_files_check(const PqChunkFiles *p, uint32_t group, PqErr *e);

#endif
