/*
** publish_look.c - an existing file has the name of a new one.  Says what it
** is, by its ends and by what the host knows.
**
** What is hard is that others may write or remove it at any time.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include <errno.h>

/* Of a file that the host does not look at. */
static const char *read_ends(PqPublish *p, const char *at, PqFileEnds *out)
{
    size_t n = sizeof out->first, n_last = sizeof out->last;
    PqSource *s = NULL;
    bool good;
    PqErr e = PQ_NO_ERR;

    *out = (PqFileEnds){0};
    good = p->place->source(p, at, false, &s, &e) == PQ_OK;
    if (good) {
        out->size = pq_source_size(s);
        n = out->size < n ? (size_t)out->size : n;
        good = pq_source_read(s, 0, n, out->first, &e) == PQ_OK &&
               (out->size < n_last ||
                pq_source_read(s, out->size - n_last, n_last, out->last, &e) == PQ_OK);
    }
    pq_source_close(s);
    return good ? NULL : "exists, but cannot be read to see what it is";
}

static const char *look(PqPublish *p, const char *path, const char *at, PqFileEnds *out)
{
    return p->host && p->host->look && !p->place->is_far
               ? p->host->look(p->host->arg, path, at, out)
               : at ? read_ends(p, at, out) : NULL;
}

/* If a local file changes meanwhile, it is read again. */
const char *pub_look(PqPublish *p, const char *path, const char *at, PqFileEnds *out,
                     bool *gone)
{
    enum { MOST_TRIES = 10 };
    struct stat before, after;
    const char *why = NULL;

    *gone = false;
    for (int i = 0; i < MOST_TRIES; i++) {
        bool here = at && !p->place->is_far;

        if (here && lstat(at, &before) != 0) {
            *gone = errno == ENOENT;
            return *gone ? NULL : "exists, but cannot be read";
        }
        why = look(p, path, at, out);
        if (!here || !why) {
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
