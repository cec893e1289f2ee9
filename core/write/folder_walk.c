/*
** folder_walk.c - shows all entries below a folder, each folder after its
** contents.
**
** A folder is read to its end, and the names of its folders wait in a buffer.
** What is hard is that others change the folders meanwhile.  An entry that is
** gone is not an error.  Links to folders are shown but never entered.
*/
#define _GNU_SOURCE
#include "core/write/folder_walk.h"

#include "core/base/folder.h"
#include "core/base/sink.h"
#include "core/base/system.h"

#include <errno.h>

/* No copy makes folders this deep, so they are a loop. */
enum { DEEPEST = 100 };

typedef struct Walk {
    const PqFolderWalk *how;
    PqMem              *mem;
    PqBuf               path;        /* a NUL follows its n bytes */
} Walk;

static const char *path_of(const Walk *w)
{
    return (const char *)w->path.p;
}

static const char *place_of(const Walk *w)
{
    return pq_folder_place(&w->path);
}

/* False when it is gone. */
static bool kind_of(const char *path, const struct dirent *d, PqEntryKind *out)
{
    struct stat st;
    bool link = d->d_type == DT_LNK;

    *out = d->d_type == DT_DIR ? PQ_ENTRY_FOLDER : PQ_ENTRY_FILE;
    if (d->d_type == DT_UNKNOWN) {
        if (lstat(path, &st) != 0) {
            return false;
        }
        link = S_ISLNK(st.st_mode);
        *out = S_ISDIR(st.st_mode) ? PQ_ENTRY_FOLDER : PQ_ENTRY_FILE;
    }
    if (link && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        *out = PQ_ENTRY_LINK;
    }
    return true;
}

static PqRc see(const Walk *w, PqEntryKind kind, PqErr *e)
{
    return w->how->see(w->how->arg, kind, path_of(w), pq_path_name(path_of(w)), e);
}

static PqRc see_entry(Walk *w, const struct dirent *d, PqBuf *folders, PqErr *e)
{
    const char *name = d->d_name;
    size_t n = w->path.n;
    PqEntryKind kind;
    PqRc rc = PQ_OK;

    PQ_TRY(pq_folder_enter(&w->path, name, e));
    if (!kind_of(path_of(w), d, &kind)) {
        pq_folder_leave(&w->path, n);
        return PQ_OK;
    }
    if (kind == PQ_ENTRY_FILE) {
        rc = see(w, kind, e);
    } else if (w->how->deep && !pq_folder_is_hidden(name)) {
        if (kind == PQ_ENTRY_LINK) {
            rc = see(w, kind, e);
        } else {
            pq_buf_add(folders, name, strlen(name) + 1);
            rc = pq_buf_ok(folders) ? PQ_OK : e->rc;
        }
    }
    pq_folder_leave(&w->path, n);
    return rc;
}

/* Shows the files, and puts the names of the folders into folders. */
static PqRc read_folder(Walk *w, PqBuf *folders, PqErr *e)
{
    DIR *dir = pq_folder_open(place_of(w));
    const struct dirent *d;
    uint32_t n = 0;
    PqRc rc = PQ_OK;
    int err;

    if (!dir) {
        return errno == ENOENT ? PQ_OK
                               : pq_sink_refused(place_of(w),
                                                 "cannot open the folder",
                                                 errno, e);
    }
    while ((d = pq_folder_next(dir)) != NULL) {
        if (++n % 128 == 0) {
            PQ_GO(pq_stop_poll(w->how->stop, e));
        }
        PQ_GO(see_entry(w, d, folders, e));
    }
    err = errno;
    if (err) {
        rc = pq_sink_refused(place_of(w), "cannot read the folder", err, e);
    }
done:
    closedir(dir);
    return rc;
}

static PqRc walk(Walk *w, int depth, PqErr *e)
{
    size_t n = w->path.n;
    PqBuf folders;
    PqRc rc;

    if (depth > DEEPEST) {
        return pq_fail(e, PQ_UNSUPPORTED, "%s: folders deeper than %d levels",
                       path_of(w), DEEPEST);
    }
    pq_buf_init(&folders, w->mem, e);
    PQ_GO(pq_stop_poll(w->how->stop, e));
    PQ_GO(read_folder(w, &folders, e));
    for (size_t i = 0; i < folders.n;) {
        const char *name = (const char *)folders.p + i;

        PQ_GO(pq_folder_enter(&w->path, name, e));
        PQ_GO(walk(w, depth + 1, e));
        pq_folder_leave(&w->path, n);
        i += strlen(name) + 1;
    }
    rc = depth ? see(w, PQ_ENTRY_FOLDER, e) : PQ_OK;
done:
    pq_buf_free(&folders);
    return rc;
}

PqRc pq_folder_walk(PqMem *mem, const char *root, const PqFolderWalk *how,
                    PqErr *e)
{
    Walk w = {.how = how, .mem = mem};
    PqRc rc;

    pq_buf_init(&w.path, mem, e);
    PQ_GO(pq_folder_enter(&w.path, strcmp(root, ".") ? root : "", e));
    PQ_GO(walk(&w, 0, e));
done:
    pq_buf_free(&w.path);
    return rc;
}
