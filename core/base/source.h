/*
** source.h - where the bytes of a file come from.
**
** Everything is read through pq_source_read: exactly n bytes or an error.  A
** source is a table of three functions, so that memory, or an object store,
** can be one later; local files are the one that exists.  No mmap: a file
** truncated by someone else has to be an error and not a SIGBUS in the host.
** Reads may come from several threads at once.
**
** What is read is of the version that was opened: after every read the file is
** asked when it was last written to.  That tells one version from the next, as
** far as the file system's clock does; a file that was written to within the
** tick that is running is opened when that has passed.
**
** A process may have few descriptors, and a statement many cursors, each with a
** file.  Where the system has none left, files that nobody reads at the moment
** give theirs back, and are opened again when they are read: then they must be
** the same as before, or it is PQ_CHANGED.
*/
#ifndef PQ_SOURCE_H
#define PQ_SOURCE_H

#include "core/base/bytes.h"

/* Who a file is: two opens of the same path that give equal identities see
** the same bytes (as far as a file system tells). */
typedef struct PqFileId {
    uint64_t device, inode;
    int64_t  size;
    int64_t  mtime_ns, ctime_ns;
} PqFileId;

typedef struct PqSource PqSource;

/* path is copied.  Refuses what is not a regular file (a FIFO would hang). */
PqRc pq_source_open(PqMem *mem, const char *path, PqSource **out, PqErr *e);

/* Borrows p, which must outlive the source: for tests and fuzzers. */
PqRc pq_source_open_memory(PqMem *mem, const char *name, PqSlice bytes,
                           PqSource **out, PqErr *e);
/* A second source on the file that s has open, whatever is at its path now. */
PqRc pq_source_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e);

void pq_source_close(PqSource *s);                       /* s may be NULL */

const char *pq_source_path(const PqSource *s);
uint64_t    pq_source_size(const PqSource *s);
PqFileId    pq_source_id(const PqSource *s);

PqRc pq_source_read(PqSource *s, uint64_t offset, size_t n, void *out,
                    PqErr *e);

/* PQ_CHANGED when the file behind the source was written to or truncated since
** it was opened. */
PqRc pq_source_check(PqSource *s, PqErr *e);

/* PQ_CHANGED when it is another file than this, or was written to since. */
PqRc pq_source_is(const PqSource *s, PqFileId id, PqErr *e);

/* Bytes read so far, and calls made for them. */
uint64_t pq_source_bytes_read(const PqSource *s);
int64_t pq_source_ns_read(const PqSource *s);     /* how long that took */
uint64_t pq_source_reads(const PqSource *s);

/* After an open that failed with EMFILE or ENFILE: closes what can be opened
** again; false where there is nothing of the kind. */
bool pq_source_make_room(void);

/* Without opening.  PQ_IO when there is no such file. */
PqRc pq_source_identify(const char *path, PqFileId *out, PqErr *e);

static inline bool pq_file_id_equal(PqFileId a, PqFileId b)
{
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns;
}

#endif
