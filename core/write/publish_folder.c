/*
** publish_folder.c - the folders of a copy, and its steps on the file system.
**
** Folders are kept in the order of their paths, so one is found by binary
** search.  A folder comes before its contents, so when folders are removed from
** the back, each is empty when its turn comes.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/folder.h"
#include "core/base/system.h"
#include "core/write/file_name.h"
#include "core/write/hive_name.h"

#include <errno.h>
#include <stdio.h>

static int pub_mkdir(const char *path)
{
    return pq_fault_io() ? -1 : mkdir(path, 0777);
}

int pub_unlink(const char *path)
{
    return pq_fault_io() ? -1 : unlink(path);
}

int pub_link(const char *from, const char *to)
{
    return pq_fault_io() ? -1 : link(from, to);
}

bool pub_is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

int pub_rmdir(const char *path)
{
    return pq_fault_io() ? -1 : rmdir(path);
}

/* If an open file holds its name, it may be one of ours that nobody is reading. */
int pub_rename(const char *from, const char *to, unsigned flags)
{
    int rc;

    if (pq_fault_io()) {
        return -1;
    }
    do {
        rc = flags ? renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) : rename(from, to);
    } while (PQ_SYSTEM_HOLDS_NAMES && rc != 0 && errno == EACCES && pq_source_make_room());
    return rc;
}

PqRc pub_wrong(const char *shown, const char *why, const char *do_this, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, shown);

    pq_fail(e, PQ_USAGE, "%s", why);
    if (do_this) {
        pq_err_hint(e, "%s", do_this);
    }
    e->where = outer;
    return e->rc;
}

PqRc pub_refused(const char *shown, const char *what, int err, PqErr *e)
{
    return err == ENOENT
               ? pq_fail(e, PQ_IO, "%s: was removed by somebody else while this "
                         "copy ran, or its folder was", shown)
           : err == EEXIST
               ? pq_fail(e, PQ_IO, "%s: was made by somebody else while this copy ran", shown)
               : pq_sink_refused(shown, what, err, e);
}

/* Some file systems cannot fsync folders, and return EINVAL. */
PqRc pub_sync_folder(const char *path, PqErr *e)
{
    int fd = pq_fault_io() ? -1
                           : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc, err;

    if (fd < 0) {
        return pub_refused(path, "cannot open the folder", errno, e);
    }
    do {
        rc = pq_fault_io() ? -1 : fsync(fd);
    } while (rc != 0 && errno == EINTR);
    err = errno;
    close(fd);
    return rc == 0 || err == EINVAL
               ? PQ_OK
               : pq_sink_refused(path, "cannot write the folder to the disk",
                                 err, e);
}

/* --- names ------------------------------------------------------------------- */

char *pub_join(PqPublish *p, const char *folder, const char *name, PqErr *e)
{
    return !strcmp(folder, ".")
               ? pq_arena_text(&p->arena, name, strlen(name), e)
               : pq_arena_printf(&p->arena, e, "%s%s%s", folder,
                                 folder[strlen(folder) - 1] == '/' ? "" : "/",
                                 name);
}

char *pub_folder_of(PqPublish *p, const char *path, PqErr *e)
{
    size_t n = (size_t)(pq_path_name(path) - path);

    n = pq_folder_length(path, n);
    return n ? pq_arena_text(&p->arena, path, n, e)
             : pq_arena_text(&p->arena, ".", 1, e);
}

/* A name always gets the same temporary name.  A name that would become too
** long is cut, and a hash of the whole name replaces the rest. */
char *pub_temp_name(PqPublish *p, const char *path, PqErr *e)
{
    const char *name = pq_path_name(path);
    size_t n = strlen(name), room = PQ_NAME_BYTES - strlen("..") -
                                    strlen(p->id) - strlen(".tmp");
    uint64_t hash = 0xcbf29ce484222325u;
    int n_folder = (int)(name - path);

    if (n <= room) {
        return pq_arena_printf(&p->arena, e, "%.*s.%s.%s.tmp", n_folder, path,
                               name, p->id);
    }
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3u;
    }
    return pq_arena_printf(&p->arena, e, "%.*s.%.*s~%016llx.%s.tmp", n_folder,
                           path, (int)room - 17, name,
                           (unsigned long long)hash, p->id);
}

bool pub_is_temp(const char *name, const char *id)
{
    char end[PUB_ID_TEXT + 8];
    size_t n = strlen(name), n_end;

    n_end = (size_t)snprintf(end, sizeof end, ".%s.tmp", id);
    return *name == '.' && n > n_end && !strcmp(name + n - n_end, end);
}

PqRc pub_list_add(PqPublish *p, PubList *l, void *item, PqErr *e)
{
    PQ_TRY(PQ_GROW(p->mem, l->item, l->n, l->room, e));
    l->item[l->n++] = item;
    return PQ_OK;
}

/* --- folders ------------------------------------------------------------------ */

/* The position of path in the list, or where it would be. */
static uint32_t place_of(const PqPublish *p, const char *path, bool *found)
{
    uint32_t low = 0, high = p->folders.n;

    *found = false;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const PubFolder *f = p->folders.item[mid];
        int c = strcmp(path, f->path);

        *found = *found || c == 0;
        low = c > 0 ? mid + 1 : low;
        high = c > 0 ? high : mid;
    }
    return low;
}

PqRc pub_folder_note(PqPublish *p, const char *path, PubFolder **out, PqErr *e)
{
    bool found;
    uint32_t at = place_of(p, path, &found);
    PubList *l = &p->folders;
    PubFolder *f;

    if (found) {
        *out = l->item[at];
        return PQ_OK;
    }
    f = pq_arena_zeros(&p->arena, 1, sizeof *f, e);
    if (!f || !(f->path = pq_arena_text(&p->arena, path, strlen(path), e))) {
        return e->rc;
    }
    PQ_TRY(pub_list_add(p, l, f, e));
    memmove(l->item + at + 1, l->item + at, (l->n - 1 - at) * sizeof *l->item);
    l->item[at] = f;
    *out = f;
    return PQ_OK;
}

PubFolder *pub_folder_find(const PqPublish *p, const char *path)
{
    bool found;
    uint32_t at = place_of(p, path, &found);

    return found ? p->folders.item[at] : NULL;
}

static PqRc above(PqPublish *p, const char *path, PubFolder **out, PqErr *e)
{
    char *folder = pub_folder_of(p, path, e);

    return folder ? pub_folder_note(p, folder, out, e) : e->rc;
}

/* Makes one folder, unless it exists. */
static PqRc make_one(PqPublish *p, PubFolder *f, PqErr *e)
{
    struct stat st;
    PubFolder *up;

    if (pub_mkdir(f->path) == 0) {
        f->made = true;
        PQ_TRY(above(p, f->path, &up, e));
        up->changed = true;
        return PQ_OK;
    }
    if (errno != EEXIST) {
        return pub_refused(f->path, "cannot make the folder", errno, e);
    }
    if (stat(f->path, &st) != 0) {
        return pub_refused(f->path, "exists and is not a folder", errno, e);
    }
    return S_ISDIR(st.st_mode)
               ? PQ_OK
               : pq_sink_refused(f->path, "exists and is not a folder", ENOTDIR,
                                 e);
}

/* Makes each folder between the root, which exists, and path, for a new
** file. */
PqRc pub_folder_make(PqPublish *p, const char *path, PubFolder **out, PqErr *e)
{
    size_t n_root = strlen(p->root), n = strlen(path);
    char *part;

    *out = pub_folder_find(p, path);
    if (*out) {
        return PQ_OK;
    }
    part = pq_arena_text(&p->arena, path, n, e);
    PQ_TRY(part ? PQ_OK : e->rc);
    for (size_t i = strcmp(p->root, ".") ? n_root : 1; i <= n; i++) {
        if (part[i] == '/' || !part[i]) {
            bool found;

            part[i] = 0;
            found = pub_folder_find(p, part) != NULL;
            PQ_TRY(pub_folder_note(p, part, out, e));
            (*out)->has_new = true;
            if (!found && !p->place->is_far) {
                PQ_TRY(make_one(p, *out, e));
            }
            part[i] = path[i];
        }
    }
    return PQ_OK;
}

/* Makes the root, and the folders above it that do not exist. */
PqRc pub_folder_make_root(PqPublish *p, PqErr *e)
{
    char *part = pq_arena_text(&p->arena, p->root, strlen(p->root), e);
    struct stat st;
    PubFolder *f;

    PQ_TRY(part ? PQ_OK : e->rc);
    for (size_t i = 1, n = strlen(p->root); i <= n; i++) {
        if ((p->root[i] && p->root[i] != '/') || p->root[i - 1] == '/') {
            continue;
        }
        part[i] = 0;
        if (stat(part, &st) != 0 && errno == ENOENT) {
            PQ_TRY(pub_folder_note(p, part, &f, e));
            PQ_TRY(make_one(p, f, e));
        }
        part[i] = p->root[i];
    }
    return pub_folder_note(p, p->root, &f, e);
}

bool pub_folder_is_root(const PqPublish *p, const char *path)
{
    size_t n = strlen(path);

    return !strncmp(p->root, path, n) &&
           (!p->root[n] || p->root[n] == '/' || !strcmp(path, "/"));
}

PqRc pub_folder_remake(PqPublish *p, const char *path, PqErr *e)
{
    PQ_TRY(pub_folder_make_root(p, e));
    for (uint32_t i = 0; i < p->folders.n; i++) {
        PubFolder *f = p->folders.item[i];
        size_t n = strlen(f->path);

        if (!strncmp(path, f->path, n) && (!path[n] || path[n] == '/') &&
            strlen(f->path) > strlen(p->root)) {
            PQ_TRY(make_one(p, f, e));
        }
    }
    return PQ_OK;
}

/* The number that is greater than those of all files in the folder. */
static PqRc first_number(PqPublish *p, const char *folder, uint64_t *out, PqErr *e)
{
    const struct dirent *entry;
    const char *path;
    uint64_t number;
    DIR *d;

    *out = 0;
    if (p->place->is_far || p->overwrite != PQ_OVERWRITE_APPEND) {
        return PQ_OK;
    }
    PQ_TRY((path = pub_join(p, p->root, folder, e)) ? PQ_OK : e->rc);
    for (d = pq_folder_open(path); d && (entry = pq_folder_next(d)) != NULL;) {
        if (pq_file_name_is_of(p->pattern, entry->d_name, &number) && number >= *out &&
            number < INT64_MAX) {
            *out = number + 1;
        }
    }
    if (d) {
        closedir(d);
    }
    return PQ_OK;
}

PqRc pq_publish_next(PqPublish *p, const char *folder, uint64_t *number, PqSink **out, PqErr *e)
{
    bool taken = true;
    PqBuf name;

    PQ_TRY(*number ? PQ_OK : first_number(p, folder, number, e));
    pq_buf_init(&name, p->mem, e);
    while (taken && e->rc == PQ_OK) {
        name.n = 0;
        pq_buf_text(&name, folder);
        pq_file_name_add(&name, p->pattern, (*number)++, e);
        pq_buf_byte(&name, 0);
        if (pq_buf_ok(&name)) {
            pq_publish_file(p, (const char *)name.p, &taken, out, e);
        }
    }
    pq_buf_free(&name);
    return e->rc;
}
