/*
** journal.h - which files of a folder come in place of which others.
**
** Several files do not change places with one in a single step, so somebody who replaces
** files by others with the same rows writes first what is going to happen, into its lock
** file, of which every folder that gets or loses files has another name (a hard link):
**
**   out/.parquet-folder.7f3a91c2d05be846.lock
**   out/day=1/.parquet-journal.7f3a91c2d05be846.tmp
**
**   + 51 1700000000 5 8001 day=1/data_7.parquet         comes
**   - 52 1690000000 3 4000 day=1/data_0.parquet         goes
**   done
**
** A line has the inode, the time of the last change, the size, and the path below the
** folder of the lock.  Only a file that has all of these is meant: somebody may have used
** the name since.  Before "done" the files that come do not count, from then on those that
** go.  The files that count are all there, at any moment.  Lines are only added, but for
** "done", which goes again when everything is taken back.
**
** What a journal says is a claim of whoever can write into the folder.
*/
#ifndef PQ_JOURNAL_H
#define PQ_JOURNAL_H

#include "core/base/mem.h"

#include <sys/stat.h>

#define PQ_JOURNAL_LOCK ".parquet-folder."
#define PQ_JOURNAL_MARK "parquet-journal"            /* of a temporary name */
#define PQ_JOURNAL_DONE "done\n"

typedef struct PqJournalLine {
    uint64_t    inode;
    int64_t     seconds, ns, size;
    const char *path;
    bool        comes;
} PqJournalLine;

typedef struct PqJournal {
    struct stat    st;               /* of its file                          */
    char          *text;
    PqJournalLine *line;             /* NULL without lines                   */
    uint32_t       n, room;
    bool           done;
} PqJournal;

/* May an entry of this name be a journal? */
bool pq_journal_is_name(const char *name);

/* Reads it.  One that cannot be read, or is larger than any that was ever written, has no
** lines, and *whole is false.  Lines that lead out of the folder are left out. */
PqRc pq_journal_read(int fd, PqMem *mem, PqJournal *out, bool *whole, PqErr *e);
void pq_journal_free(PqJournal *j);

/* Is this the file of a line that does not count? */
bool pq_journal_drops(const PqJournal *j, const PqJournalLine *line, const struct stat *st);

#endif
