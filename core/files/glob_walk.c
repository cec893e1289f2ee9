/*
** glob_walk.c - finds the files on the disk that match a pattern.
**
** A folder is read to its end and closed before the walk goes below it, so only
** one descriptor is open at a time.  Its files are added at once; the names of
** its folders wait in a buffer.  Most file systems tell the kind of an entry
** along with its name, so a file costs no system call of its own.
**
** What is hard is that links make loops.  The folders that the walk is in are a
** chain of frames on the stack, each with device and inode; a folder that is in
** the chain already is not entered by **.
*/
#define _GNU_SOURCE
#include "core/base/folder.h"
#include "core/base/journal.h"
#include "core/base/lake_tables.h"
#include "core/base/system.h"
#include "core/files/glob.h"
#include "core/files/replaced.h"

#include <errno.h>

typedef struct Walk {
    const PqGlob *glob;
    PqMem        *mem;
    PqBuf         path;              /* a NUL follows its n bytes */
    PqPaths      *out;
    const PqStop *stop;
    uint32_t      n_seen;            /* names so far */
    bool          marked;            /* the folder may be a lake table */
    struct stat   seen;              /* the folder, before it is read  */
    bool          moved;             /* it changed while it was read   */
    DIR          *names;             /* it, while it is read           */
    PqReplaced    replaced;
} Walk;

/* Names between two polls of stop; each may take a system call. */
enum { AT_ONCE = 128 };

/* A folder that changes all the time is still read: only journals have to be steady. */
enum { ENOUGH_READINGS = 3, MOST_READINGS = 100 };

typedef struct Folder {
    const struct Folder *up;
    dev_t                device;
    ino_t                inode;
    int                  depth;
} Folder;

typedef enum EntryKind { ENTRY_GONE, ENTRY_FILE, ENTRY_FOLDER } EntryKind;

static const char *path_of(const Walk *w)
{
    return (const char *)w->path.p;
}

static const char *place_of(const Walk *w)
{
    return pq_folder_place(&w->path);
}

/* After an error about the path: the error, or PQ_OK when it is only noted as left
** out and the walk goes on. */
static PqRc leave_out(const Walk *w, PqErr *e)
{
    if (w->out->left_out) {
        pq_left_out_add(w->out->left_out, w->out->arena, place_of(w), e->text);
        pq_err_clear(e);
    }
    return e->rc;
}

/* The path cannot be read. */
static PQ_COLD PqRc refused(const Walk *w, const char *what, int err, PqErr *e)
{
    const char *outer = e->where.file;

    e->where.file = place_of(w);
    pq_fail_system(e, what, err);
    e->where.file = outer;
    return leave_out(w, e);
}

/* The folder at the path is a lake table. */
static PQ_COLD PqRc refuse_lake(const Walk *w, const char *kind, PqErr *e)
{
    pq_lake_refuse(place_of(w), kind, e);
    return leave_out(w, e);
}

PqRc pq_paths_add(PqPaths *out, const void *path, size_t n, PqErr *e)
{
    PQ_TRY(PQ_GROW(out->arena->mem, out->path, out->n, out->room, e));
    out->path[out->n] = pq_arena_text(out->arena, path, n, e);
    PQ_TRY(out->path[out->n] ? PQ_OK : e->rc);
    out->n++;
    return PQ_OK;
}

static int examine(const Walk *w, bool follow, struct stat *st)
{
    if (pq_fault_io()) {
        return -1;
    }
    return follow ? stat(place_of(w), st) : lstat(place_of(w), st);
}

static bool is_absence(int err)
{
    return err == ENOENT || err == ENOTDIR;
}

/* What lies at the path.  A link to nowhere counts as a file. */
static PqRc kind_at_path(const Walk *w, EntryKind *out, PqErr *e)
{
    struct stat st;

    *out = ENTRY_FILE;
    if (examine(w, true, &st) == 0) {
        *out = S_ISDIR(st.st_mode) ? ENTRY_FOLDER : ENTRY_FILE;
        return PQ_OK;
    }
    if (!is_absence(errno) && errno != ELOOP) {
        return refused(w, "cannot open", errno, e);
    }
    if (examine(w, false, &st) == 0) {
        return PQ_OK;
    }
    *out = ENTRY_GONE;
    return is_absence(errno) ? PQ_OK : refused(w, "cannot open", errno, e);
}

/* Takes a name that is, or may be, in the folder at the path; type is d_type.
** A file that matches is added.  A folder to go into is added to names. */
static PqRc offer(Walk *w, PqGlobPlaces at, const char *name,
                  unsigned char type, PqBuf *names, PqErr *e)
{
    PqGlobStep step = pq_glob_step(w->glob, at, name);
    bool folder = step.named | step.deep;
    EntryKind kind = type == DT_DIR ? ENTRY_FOLDER : ENTRY_FILE;
    size_t n = w->path.n;

    if (++w->n_seen % AT_ONCE == 0) {
        PQ_TRY(pq_stop_poll(w->stop, e));
    }
    if (!step.file && (!folder || type == DT_REG)) {
        return PQ_OK;
    }
    PQ_TRY(pq_folder_enter(&w->path, name, e));
    if (type == DT_UNKNOWN || type == DT_LNK) {
        PQ_TRY(kind_at_path(w, &kind, e));
    }
    if (kind == ENTRY_FILE && step.file) {
        PQ_TRY(pq_paths_add(w->out, w->path.p, w->path.n, e));
    }
    pq_folder_leave(&w->path, n);
    if (kind == ENTRY_FOLDER && folder) {
        pq_buf_add(names, name, strlen(name) + 1);
        return pq_buf_ok(names) ? PQ_OK : e->rc;
    }
    return PQ_OK;
}

static void close_names(Walk *w)
{
    if (w->names) {
        closedir(w->names);
        w->names = NULL;
    }
}

/* Opens the folder at the path, whose names are to be read: none if it is gone. */
static PqRc open_names(Walk *w, PqErr *e)
{
    int err;

    close_names(w);
    w->names = pq_folder_open(place_of(w));
    if (w->names && fstat(dirfd(w->names), &w->seen) == 0) {
        return PQ_OK;
    }
    err = errno;
    close_names(w);
    return is_absence(err) ? PQ_OK : refused(w, "cannot read this folder", err, e);
}

/* Offers every name in the folder. */
static PqRc offer_all(Walk *w, PqGlobPlaces at, PqBuf *folders, PqErr *e)
{
    struct stat after;
    struct dirent *entry;

    while (w->names && (entry = pq_folder_next(w->names)) != NULL) {
        PQ_TRY(pq_replaced_see(&w->replaced, entry->d_name, e));
        w->marked = w->marked || pq_lake_mark(entry->d_name);
        PQ_TRY(offer(w, at, entry->d_name, entry->d_type, folders, e));
    }
    if (w->names && errno) {
        return refused(w, "cannot read this folder", errno, e);
    }
    w->moved = w->names && (fstat(dirfd(w->names), &after) != 0 ||
                            pq_replaced_changed(&w->seen, &after));
    return PQ_OK;
}

/* Reads the folder, which is open, until nothing has changed meanwhile, neither its names nor
** what journals say, and leaves out the files that do not count. */
static PqRc read_steadily(Walk *w, PqGlobPlaces at, PqBuf *folders, PqErr *e)
{
    uint32_t n_before = w->out->n;
    bool steady = false;

    pq_replaced_begin(&w->replaced);
    for (int i = 0; i < MOST_READINGS && !steady; i++) {
        w->out->n = n_before;
        folders->n = 0;
        PQ_TRY(i > 0 ? open_names(w, e) : PQ_OK);
        PQ_TRY(offer_all(w, at, folders, e));
        PQ_TRY(pq_replaced_is_steady(&w->replaced, &w->path, &steady, e));
        steady = steady && (!w->moved || i >= ENOUGH_READINGS);
    }
    return pq_replaced_drop(&w->replaced, w->out, n_before, e);
}

/* Does an earlier place in at want the name that place i wants? */
static bool is_repeated(const PqGlob *g, PqGlobPlaces at, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (at >> k & 1 && pq_slice_equal(g->part[k].text, g->part[i].text)) {
            return true;
        }
    }
    return false;
}

/* Offers only the names that the pattern asks for.  That is cheaper than
** reading the folder, and works for a folder that may not be read. */
static PqRc offer_named(Walk *w, PqGlobPlaces at, PqBuf *names, PqErr *e)
{
    for (uint32_t i = 0; i < w->glob->n_parts; i++) {
        if (at >> i & 1 && !is_repeated(w->glob, at, i)) {
            PqSlice text = w->glob->part[i].text;
            char *name = pq_mem_text(w->mem, text.p, text.n, e);
            PqRc rc = name ? offer(w, at, name, DT_UNKNOWN, names, e) : e->rc;
            pq_mem_free(name);
            PQ_TRY(rc);
        }
    }
    return PQ_OK;
}

/* Which folder is at the path?  One whose names are to be read is opened for it: then its path
** is looked up once. */
static PqRc identify(Walk *w, bool read, Folder *here, bool *there, PqErr *e)
{
    *there = false;
    if (read) {
        PQ_TRY(open_names(w, e));
        *there = w->names != NULL;
    } else if (examine(w, true, &w->seen) == 0) {
        *there = S_ISDIR(w->seen.st_mode);
    } else if (!is_absence(errno)) {
        return refused(w, "cannot open", errno, e);
    }
    here->device = w->seen.st_dev;
    here->inode = w->seen.st_ino;
    return PQ_OK;
}

static bool is_inside_itself(const Folder *here)
{
    for (const Folder *f = here->up; f; f = f->up) {
        if (f->device == here->device && f->inode == here->inode) {
            return true;
        }
    }
    return false;
}

static PqRc visit(Walk *w, PqGlobStep step, const Folder *up, PqErr *e);

static PqRc visit_each(Walk *w, PqGlobPlaces at, const PqBuf *names,
                       const Folder *up, PqErr *e)
{
    size_t n = w->path.n, i = 0;

    while (i < names->n) {
        const char *name = (const char *)names->p + i;
        PQ_TRY(pq_folder_enter(&w->path, name, e));
        PQ_TRY(visit(w, pq_glob_step(w->glob, at, name), up, e));
        pq_folder_leave(&w->path, n);
        i += strlen(name) + 1;
    }
    return PQ_OK;
}

/* Visits the folder at the path and all below it. */
static PqRc visit(Walk *w, PqGlobStep step, const Folder *up, PqErr *e)
{
    Folder here = {.up = up, .depth = up ? up->depth + 1 : 0};
    PqGlobPlaces at;
    uint32_t n_before = w->out->n;
    const char *lake = NULL;
    PqBuf names;
    bool there;
    PqRc rc;

    PQ_TRY(pq_stop_poll(w->stop, e));
    pq_buf_init(&names, w->mem, e);
    PQ_GO(identify(w, pq_glob_unnamed(w->glob, step.named | step.deep), &here, &there, e));
    at = step.named | (is_inside_itself(&here) ? 0 : step.deep);
    if (!there || !at) {
        goto done;
    }
    if (here.depth > PQ_GLOB_DEPTH) {
        rc = pq_fail(e, PQ_UNSUPPORTED, "folders deeper than %d levels: %s",
                     PQ_GLOB_DEPTH, path_of(w));
        goto done;
    }
    w->marked = !pq_glob_unnamed(w->glob, at);
    PQ_GO(w->marked ? offer_named(w, at, &names, e) : read_steadily(w, at, &names, e));
    close_names(w);
    if (w->marked && !w->out->lakes) {
        PQ_GO(pq_lake_of(place_of(w), &lake, e));
    }
    if (lake) {
        w->out->n = n_before;
        rc = refuse_lake(w, lake, e);
        goto done;
    }
    PQ_GO(visit_each(w, at, &names, &here, e));
done:
    close_names(w);
    pq_buf_free(&names);
    return rc;
}

PqRc pq_glob_walk(const PqGlob *g, PqMem *mem, const PqStop *stop,
                  PqPaths *out, PqErr *e)
{
    Walk w = {.glob = g, .mem = mem, .out = out, .stop = stop, .replaced.mem = mem};
    PqGlobStep start = {.named = pq_glob_start(g)};
    PqRc rc;

    pq_buf_init(&w.path, mem, e);
    PQ_GO(pq_buf_reserve(&w.path, g->base.n + 1, e));
    if (g->base.n) {
        memcpy(w.path.p, g->base.p, g->base.n);
    }
    pq_folder_leave(&w.path, g->base.n);
    PQ_GO(visit(&w, start, NULL, e));
done:
    pq_replaced_end(&w.replaced);
    pq_buf_free(&w.path);
    return rc;
}
