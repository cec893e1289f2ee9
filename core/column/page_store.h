/*
** page_store.h - finished pages, and hashes of values, that wait for their row
** group to be written.
**
** Rows come one by one, but a file holds a row group column by column.  So the
** pages of every column are kept until the last row.  What does not fit into
** memory goes to a scratch file, oldest first, and is read back when the row
** group is written.  The bytes are the same either way.
**
**   spilled  [offset 0, 40 kB] [offset 96000, 12 kB]     in the scratch file
**   recent   the pages after them                        in memory
*/
#ifndef PQ_PAGE_STORE_H
#define PQ_PAGE_STORE_H

#include "core/base/sink.h"

typedef struct PqSpilled {
    uint64_t offset;
    size_t   n;
} PqSpilled;

typedef struct PqPageStore {
    PqBuf      recent;
    PqSpilled *spilled;
    uint32_t   n_spilled, spilled_room;
    uint64_t   n_bytes;              /* of all pages                         */
    PqMem     *mem;
} PqPageStore;

void pq_page_store_init(PqPageStore *s, PqMem *mem);
void pq_page_store_free(PqPageStore *s);             /* and makes it empty */

PqRc pq_page_store_add(PqPageStore *s, PqSlice bytes, PqErr *e);

/* Appends what is in memory to the scratch file, and frees the memory. */
PqRc pq_page_store_spill(PqPageStore *s, PqSink *scratch, PqErr *e);

/* Writes everything, in order, to the end of a file.  stop may be NULL. */
PqRc pq_page_store_write(const PqPageStore *s, PqSink *scratch, PqSink *to,
                         const PqStop *stop, PqErr *e);

/* Gives everything, in order, to take, piece by piece.  Pieces end at multiples
** of eight bytes if every page that was added does. */
typedef PqRc (*PqPageTake)(void *arg, PqSlice piece, PqErr *e);
PqRc pq_page_store_each(const PqPageStore *s, PqSink *scratch,
                        const PqStop *stop, PqPageTake take, void *arg,
                        PqErr *e);

#endif
