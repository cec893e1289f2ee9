/*
** publish_look.c - an existing file has the name of a new one.  Says what it
** is, by its ends and by what the host knows.
**
** What is hard is that others may write or remove it at any time.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool read_ends(int fd, PqFileEnds *out)
{
    size_t n = out->size < sizeof out->first ? (size_t)out->size
                                             : sizeof out->first;
    size_t n_last = sizeof out->last;

    return !pq_fault_here() &&
           pread(fd, out->first, n, 0) == (ssize_t)n &&
           (out->size < n_last ||
            pread(fd, out->last, n_last, (off_t)(out->size - n_last)) ==
                (ssize_t)n_last);
}

/* Reads the ends of a file when there is no host. */
static const char *look_plainly(const char *at, PqFileEnds *out)
{
    int fd = open(at, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    bool good;

    memset(out, 0, sizeof *out);
    if (fd < 0) {
        return "cannot be read";
    }
    good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    out->size = good ? (uint64_t)st.st_size : 0;
    good = good && read_ends(fd, out);
    close(fd);
    return good ? NULL : "cannot be read";
}

/* If the file changes meanwhile, it is read again. */
const char *pub_look_here(const PqPublish *p, const char *path, const char *at,
                          PqFileEnds *out, bool *gone)
{
    enum { MOST_TRIES = 10 };
    struct stat before, after;
    const char *why = NULL;

    *gone = false;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (at && lstat(at, &before) != 0) {
            *gone = errno == ENOENT;
            return *gone ? NULL : "exists, but cannot be read";
        }
        why = p->host && p->host->look ? p->host->look(p->host->arg, path, at, out)
              : at    ? look_plainly(at, out) : NULL;
        if (!at || !why) {
            break;
        }
        *gone = lstat(at, &after) != 0 && errno == ENOENT;
        if (*gone || (before.st_ino == after.st_ino &&
                      before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)) {
            break;
        }
    }
    return *gone ? NULL : why;
}

const char *pub_keeps(const PqPublish *p, const char *path, const char *at)
{
    return p->host && p->host->keeps ? p->host->keeps(p->host->arg, path, at) : NULL;
}

bool pub_is_magic(const uint8_t *bytes)
{
    return !memcmp(bytes, "PAR1", 4) || !memcmp(bytes, "PARE", 4);
}

bool pub_is_parquet(const PqFileEnds *ends)
{
    const uint64_t least = 12;       /* both magics and a length */

    return ends->size >= least && pub_is_magic(ends->first) &&
           pub_is_magic(ends->last);
}
