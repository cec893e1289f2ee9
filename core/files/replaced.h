/*
** replaced.h - leaves out the files of a folder that journals (core/base/journal.h) say do
** not count: rows that are being moved into other files are seen once.
**
**   see each name     data_0  data_1  data_2  .parquet-journal.ID.tmp
**   is it steady?     no: the journal was not known.  The folder is read again
**   see each name     data_0  data_1  data_2  .parquet-journal.ID.tmp
**   is it steady?     yes: the journal says what it said before that reading
**   drop              data_0  data_1
**
** So the names were read while the journal said one thing, and the files that it keeps
** were all there.  A folder without a journal costs nothing.
*/
#ifndef PQ_REPLACED_H
#define PQ_REPLACED_H

#include "core/base/journal.h"
#include "core/files/glob.h"

/* More journals of one folder are ignored. */
enum { PQ_REPLACED_JOURNALS = 16 };

/* All 0 but mem: no folder yet.  Journals are kept for the next folder, which often has
** the same ones. */
typedef struct PqReplaced {
    PqMem    *mem;
    char      name[PQ_REPLACED_JOURNALS][64];        /* seen in this reading */
    uint32_t  n_names;
    PqJournal journal[PQ_REPLACED_JOURNALS];         /* sorted by inode      */
    bool      counts[PQ_REPLACED_JOURNALS];          /* for this folder      */
} PqReplaced;

void pq_replaced_begin(PqReplaced *r);
PqRc pq_replaced_see(PqReplaced *r, const char *name, PqErr *e);

/* After a reading of the folder at path.  The next one begins. */
PqRc pq_replaced_is_steady(PqReplaced *r, PqBuf *path, bool *steady, PqErr *e);

/* Removes from paths those from first on, which lie in the folder, that do not count. */
PqRc pq_replaced_drop(PqReplaced *r, PqPaths *paths, uint32_t first, PqErr *e);
void pq_replaced_end(PqReplaced *r);

/* Are these two states of a file? */
bool pq_replaced_changed(const struct stat *a, const struct stat *b);

#endif
