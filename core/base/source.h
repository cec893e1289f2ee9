/*
** source.h - where the bytes of a file come from.
**
** Everything is read through pq_source_read: exactly n bytes or an error.
** There is no mmap: when another process truncates a file, that has to be an
** error and not a SIGBUS in the host.  Several threads may read at once.
**
** All bytes come from the version of the file that was opened: after every read
** the file's size and time are checked.  That tells versions apart as far as
** the file system's clock does.  A file that was written to in the current
** clock tick is opened when the tick has passed.
**
** A process may have few descriptors, and a statement many cursors, each with a
** file.  When none is left, files that are not being read give theirs back.
** They are opened again for the next read.  A file that is not the same then is
** PQ_CHANGED.
*/
#ifndef PQ_SOURCE_H
#define PQ_SOURCE_H

#include "core/base/bytes.h"

/* The identity of a file: two opens that give equal identities see the same
** bytes, as far as the file system can tell. */
typedef struct PqFileId {
    uint64_t device, inode;
    int64_t  size;
    int64_t  mtime_ns, ctime_ns;
} PqFileId;

typedef struct PqSource PqSource;
struct PqSink;

/* path is copied.  Refuses what is not a regular file (a FIFO would hang). */
PqRc pq_source_open(PqMem *mem, const char *path, PqSource **out, PqErr *e);

/* Borrows the bytes, which must outlive the source. */
PqRc pq_source_open_memory(PqMem *mem, const char *name, PqSlice bytes,
                           PqSource **out, PqErr *e);
/* What was written to a scratch file, which stays as long as a source of it does.
** name: in the place of its path. */
PqRc pq_source_of_scratch(PqMem *mem, const char *name, struct PqSink *s,
                          PqSource **out, PqErr *e);

/* A second source on the file that s has open, whatever is at its path now. */
PqRc pq_source_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e);

/* Another file, from where s came: one that s names, such as key material.  If it does
** not exist, *out is NULL where it is optional, and otherwise that is an error. */
PqRc pq_source_beside(PqSource *s, PqMem *mem, const char *path, bool optional,
                      PqSource **out, PqErr *e);

void pq_source_close(PqSource *s);                       /* s may be NULL */

const char *pq_source_path(const PqSource *s);
uint64_t    pq_source_size(const PqSource *s);
PqFileId    pq_source_id(const PqSource *s);

PqRc pq_source_read(PqSource *s, uint64_t offset, size_t n, void *out,
                    PqErr *e);

/* PQ_CHANGED when the file was written to or truncated since it was opened. */
PqRc pq_source_check(PqSource *s, PqErr *e);

/* For a file of secrets: its permission bits, and whether it belongs to the
** user of this process. */
PqRc pq_source_rights(PqSource *s, unsigned *mode, bool *is_own, PqErr *e);

/* PQ_CHANGED when s is not the file that id describes, or another version. */
PqRc pq_source_is(const PqSource *s, PqFileId id, PqErr *e);

/* Says that these bytes will be read soon.  A file that is far away fetches them
** meanwhile; for a local one there is nothing to do.  An extent that does not lie
** in the file is passed over. */
typedef struct PqExtent {
    uint64_t begin, end;
} PqExtent;

void pq_source_will_need(PqSource *s, PqExtent at);

/* How many of n bytes at an offset can be had without asking for more than was
** announced; of a local file all.  For those who would read more than they need. */
size_t pq_source_at_hand(PqSource *s, uint64_t offset, size_t n);

/* Is it worth while to find out what will be needed? */
bool pq_source_is_far(const PqSource *s);

/* Bytes read so far, and the time that took. */
uint64_t pq_source_bytes_read(const PqSource *s);
int64_t pq_source_ns_read(const PqSource *s);

/* For an open that failed with EMFILE or ENFILE: closes descriptors that can be
** opened again; false if there are none. */
bool pq_source_make_room(void);

static inline bool pq_file_id_equal(PqFileId a, PqFileId b)
{
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns;
}

#endif
