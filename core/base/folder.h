/*
** folder.h - reads the names in a folder, and the path of a walk through
** folders.
**
** A walk reads a folder to its end and closes it before it goes on below, so
** one descriptor is open at a time.  The path is a PqBuf with a NUL after its n
** bytes:
**
**   n = path->n;                            data
**   pq_folder_enter(path, "year=2024", e)   data/year=2024
**   pq_folder_leave(path, n)                data
*/
#ifndef PQ_FOLDER_H
#define PQ_FOLDER_H

#include "core/base/bytes.h"

#include <dirent.h>

/* On failure NULL, with errno.  When descriptors run out, sources give theirs
** up first. */
DIR *pq_folder_open(const char *path);

/* The next entry other than "." and ".."; NULL at the end, with errno 0, or
** with another errno. */
struct dirent *pq_folder_next(DIR *d);

/* Is it the name of a folder that readers leave out: .git, _temporary?  A column
** may begin with "_": _key=value is not left out. */
bool pq_folder_is_hidden(const char *name);

/* Does it end in .parquet or .parq, like the files that a folder is read for? */
bool pq_folder_is_parquet(PqSlice name);

/* Adds name and, where there is none yet, a slash before it. */
PqRc pq_folder_enter(PqBuf *path, const char *name, PqErr *e);

/* Shortens the path to n bytes. */
void pq_folder_leave(PqBuf *path, size_t n);

/* Resolves the links of path as far as it exists: its first *used bytes.  out has
** PATH_MAX bytes.  False: it cannot be resolved. */
bool pq_folder_real(const char *path, char *out, size_t *used);

/* Where temporary files go: a folder that can be written to, by the environment
** (SQLITE_TMPDIR, TMPDIR) or by custom; "." if there is none. */
const char *pq_folder_of_scratch(void);

/* The bytes of a path, n of them, without slashes at its end.  The first byte stays. */
static inline size_t pq_folder_length(const char *path, size_t n)
{
    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    return n;
}

/* The path for the system, which does not take an empty path. */
const char *pq_folder_place(const PqBuf *path);

#endif
