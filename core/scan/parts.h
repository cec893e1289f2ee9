/*
** parts.h - the files that the chunks of a file lie in.
**
** Mostly that is the file itself.  A summary file (_metadata) is a footer
** alone, whose chunks name another file each:
**
**   sales/_metadata    group 0    file_path "year=2023/0.parquet"
**                      group 1    file_path "year=2024/0.parquet"
**
** A name is relative to the folder of the summary and does not lead out of it.
** Parts are opened as chunks ask for them and stay open until pq_parts_close:
** readers hold on to them.
*/
#ifndef PQ_PARTS_H
#define PQ_PARTS_H

#include "core/meta/footer.h"
#include "core/scan/versions.h"

typedef struct PqPart {
    struct PqPart *next;
    uint32_t       group;            /* that last asked for it             */
    PqInput        in;
} PqPart;

typedef struct PqParts {
    PqMem   *mem;
    PqVersions *versions;            /* that are read; NULL: any           */
    PqInput *own;                    /* the file whose footer it is        */
    PqPart  *first;                  /* the one asked for last             */
} PqParts;

/* own is borrowed, and may be open yet or not. */
void pq_parts_init(PqParts *p, PqMem *mem, PqInput *own);
void pq_parts_close(PqParts *p);             /* parts, not own */

/* Where a chunk of a row group lies. */
PqRc pq_parts_input(PqParts *p, const PqColumnChunk *chunk, uint32_t group,
                    PqInput **out, PqErr *e);

/* PQ_CHANGED when a part that this row group was read from, or the next one
** (readers run ahead), was written to since it was opened. */
PqRc pq_parts_check(const PqParts *p, uint32_t group, PqErr *e);

#endif
