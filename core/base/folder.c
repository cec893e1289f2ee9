/*
** folder.c - opendir, readdir, and a path that grows and shrinks.
**
** What is hard: readdir tells its end from an error by errno alone, so errno
** is set before each call.
*/
#define _GNU_SOURCE
#include "core/base/folder.h"

#include "core/base/source.h"
#include "core/base/system.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

DIR *pq_folder_open(const char *path)
{
    DIR *d;

    if (pq_fault_io()) {
        return NULL;
    }
    d = opendir(path);
    if (!d && (errno == EMFILE || errno == ENFILE) && pq_source_make_room()) {
        d = opendir(path);
    }
    return d;
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

struct dirent *pq_folder_next(DIR *d)
{
    struct dirent *entry;

    do {
        errno = pq_fault_here() ? EIO : 0;
        entry = errno ? NULL : readdir(d);
    } while (entry && is_dots(entry->d_name));
    return entry;
}

bool pq_folder_is_hidden(const char *name)
{
    return *name == '.' || (*name == '_' && !strchr(name, '='));
}

bool pq_folder_is_parquet(PqSlice name)
{
    static const char *const endings[] = {".parquet", ".parq"};

    for (size_t i = 0; i < PQ_COUNT(endings); i++) {
        size_t n = strlen(endings[i]);

        if (name.n >= n && !memcmp(name.p + name.n - n, endings[i], n)) {
            return true;
        }
    }
    return false;
}

PqRc pq_folder_enter(PqBuf *path, const char *name, PqErr *e)
{
    size_t n = strlen(name);

    PQ_TRY(pq_buf_reserve(path, n + 2, e));
    if (path->n && path->p[path->n - 1] != '/') {
        path->p[path->n++] = '/';
    }
    memcpy(path->p + path->n, name, n + 1);
    path->n += n;
    return PQ_OK;
}

void pq_folder_leave(PqBuf *path, size_t n)
{
    path->n = n;
    path->p[n] = 0;
}

const char *pq_folder_place(const PqBuf *path)
{
    return path->n ? (const char *)path->p : ".";
}

bool pq_folder_real(const char *path, char *out, size_t *used)
{
    char text[PATH_MAX];
    size_t at = strlen(path);

    if (at >= sizeof text) {
        return false;
    }
    memcpy(text, path, at + 1);
    while (!realpath(at ? text : ".", out)) {
        if (errno != ENOENT || !at) {            /* "." can be gone, too */
            return false;
        }
        while (at && text[at - 1] == '/') {
            at--;
        }
        while (at && text[at - 1] != '/') {
            at--;
        }
        text[at] = 0;
    }
    *used = at;
    return true;
}

const char *pq_folder_of_scratch(void)
{
    const char *const folders[] = {getenv("SQLITE_TMPDIR"), getenv("TMPDIR"),
                                   "/var/tmp", "/usr/tmp", "/tmp"};

    for (size_t i = 0; i < PQ_COUNT(folders); i++) {
        if (folders[i] && access(folders[i], W_OK | X_OK) == 0) {
            return folders[i];
        }
    }
    return ".";
}
