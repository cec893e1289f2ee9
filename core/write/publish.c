/*
** publish.c - opens a copy, makes its files, and gives it up.
**
** What is hard is that the target may be anything, and may change at any time:
** a link, a device, a folder that somebody removes meanwhile.  So everything
** that can be wrong is checked before the first row.  The file system is asked
** again at each step, and a list has everything that was made, so that it can
** be removed.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/folder.h"
#include "core/base/lake_tables.h"
#include "core/base/path_hint.h"
#include "core/base/system.h"
#include "core/write/file_name.h"
#include "core/write/hive_name.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

/* --- what the target is ---------------------------------------------------------- */

/* Follows one link, which is relative to its own folder. */
static PqRc follow_link(PqPublish *p, PqErr *e)
{
    char to[4096], *folder;
    ssize_t n = readlink(p->target, to, sizeof to - 1);

    if (n < 0) {
        return pq_sink_refused(p->shown, "cannot follow the link", errno, e);
    }
    to[n] = 0;
    folder = pub_folder_of(p, p->target, e);
    PQ_TRY(folder ? PQ_OK : e->rc);
    p->target = pq_system_is_absolute(to) ? pq_arena_text(&p->arena, to, (size_t)n, e)
                                          : pub_join(p, folder, to, e);
    return p->target ? PQ_OK : e->rc;
}

/* Follows the links of the target; *there tells whether it exists. */
static PqRc find_file(PqPublish *p, bool *there, PqErr *e)
{
    enum { MOST_LINKS = 40 };
    struct stat st;

    for (int i = 0; i < MOST_LINKS; i++) {
        *there = lstat(p->target, &st) == 0;
        if (!*there && errno != ENOENT) {
            return pq_sink_refused(p->shown, "cannot write", errno, e);
        }
        if (!*there || S_ISREG(st.st_mode)) {
            return PQ_OK;
        }
        if (!S_ISLNK(st.st_mode)) {
            return pub_wrong(p->shown,
                             S_ISDIR(st.st_mode)
                                 ? "is a folder, not a file; name a file in it, or "
                                   "end the path in / to write data_0.parquet "
                                   "and so on into it"
                             : S_ISFIFO(st.st_mode) ? "is a FIFO, not a file"
                             : S_ISSOCK(st.st_mode) ? "is a socket, not a file"
                                                    : "is a device, not a file",
                             NULL, e);
        }
        PQ_TRY(follow_link(p, e));
    }
    return pq_sink_refused(p->shown, "cannot follow the link", ELOOP, e);
}

static PQ_COLD PqRc no_folder(const PqPublish *p, PqErr *e)
{
    pub_wrong(p->shown, "the folder it would be in does not exist", NULL, e);
    pq_path_hint_to(p->shown, e);
    return e->rc;
}

static PqRc need_folder(const PqPublish *p, const char *folder, PqErr *e)
{
    struct stat st;

    if (stat(folder, &st) != 0) {
        return errno == ENOENT
                   ? no_folder(p, e)
                   : pq_sink_refused(p->shown, "the folder it would be in "
                                     "cannot be used", errno, e);
    }
    return S_ISDIR(st.st_mode)
               ? PQ_OK : pub_wrong(p->shown, "would be in something that is not a "
                                   "folder", NULL, e);
}

static PqRc check_beside(PqPublish *p, PqErr *e)
{
    bool has = false;

    if (p->has_beside) {
        PQ_TRY(pub_has_beside(p, p->target, &has, e));
    }
    return has ? pub_wrong(p->shown, "there is key material beside it, "
                           "_KEY_MATERIAL_FOR_..., and two files cannot be replaced in one "
                           "step", "name another file, or have the key material inside "
                           "(\"internal\")", e)
               : PQ_OK;
}

PqRc pub_not_a_folder(const PqPublish *p, PqErr *e)
{
    return pub_wrong(p->shown, "is a file, not a folder; append, partition_by, file_rows, "
                     "file_bytes and filename_pattern write into a folder: name another "
                     "path", NULL, e);
}

PqRc pub_check_one(const PqPublish *p, PqErr *e)
{
    if (p->target[strlen(p->target) - 1] == '/') {
        return pub_wrong(p->shown, "is the name of a folder, not of a file", NULL, e);
    }
    if (p->overwrite == PQ_OVERWRITE_APPEND) {
        return pub_wrong(p->shown, "one file cannot be appended to", NULL, e);
    }
    if (p->overwrite == PQ_OVERWRITE_PARTITIONS) {
        return pub_wrong(p->shown, "one file has no partitions", NULL, e);
    }
    return PQ_OK;
}

PqRc pub_check_target(PqPublish *p, bool there, PqErr *e)
{
    if (there && p->overwrite == PQ_OVERWRITE_ERROR) {
        return pub_wrong(p->shown, "exists, and the option overwrite says not to "
                         "replace it", NULL, e);
    }
    return pub_check_replaced(p, p->target, there ? p->target : NULL, p->shown, e);
}

static PqRc open_file(PqPublish *p, PqErr *e)
{
    const char *name;
    PubFolder *folder;
    bool there;

    PQ_TRY(pub_check_one(p, e));
    PQ_TRY(find_file(p, &there, e));
    name = pq_path_name(p->target);
    if (strlen(name) > PQ_NAME_BYTES) {
        return pq_sink_refused(p->shown, "cannot write", ENAMETOOLONG, e);
    }
    PQ_TRY(pub_check_target(p, there, e));
    PQ_TRY(check_beside(p, e));
    if (there && access(p->target, W_OK) != 0 && errno != ENOENT) {
        return pq_sink_refused(p->shown, "cannot replace", errno, e);
    }
    if (!(p->root = pub_folder_of(p, p->target, e))) {
        return e->rc;
    }
    PQ_TRY(need_folder(p, p->root, e));
    return pub_folder_note(p, p->root, &folder, e);
}

/* Nobody wants a new folder that is called ~ or https:. */
static PqRc need_beginning(const PqPublish *p, PqErr *e)
{
    size_t n = strcspn(p->root, "/");
    char *name = pq_mem_text(p->mem, p->root, n, e);
    bool there = name && pub_is_there(name);

    pq_mem_free(name);
    return there ? PQ_OK : e->rc != PQ_OK ? e->rc : no_folder(p, e);
}

static PqRc open_folder(PqPublish *p, PqErr *e)
{
    struct stat st;

    p->root = p->target;
    if (stat(p->root, &st) == 0) {
        PQ_TRY(S_ISDIR(st.st_mode) ? PQ_OK : pub_not_a_folder(p, e));
    } else if (errno != ENOENT) {
        return pq_sink_refused(p->shown, "cannot write", errno, e);
    } else if (pq_path_is_of_others(p->root)) {
        PQ_TRY(need_beginning(p, e));
    }
    PQ_TRY(pub_folder_make_root(p, e));
    return pub_check_folder(p, e);
}

static PqRc copy_keys(PqPublish *p, const PqPublishPlan *plan, PqErr *e)
{
    p->n_folder_columns = plan->n_folder_columns;
    PQ_TRY(PQ_ARENA_NEW(&p->arena, p->folder_columns, plan->n_folder_columns + 1u, e));
    for (uint32_t i = 0; i < plan->n_folder_columns; i++) {
        const char *column = plan->folder_columns[i];

        p->folder_columns[i] = pq_arena_text(&p->arena, column, strlen(column), e);
    }
    return e->rc;
}

/* A lake table does not see files that its log does not name, and would miss
** files that were replaced. */
static PqRc refuse_lake(PqPublish *p, PqErr *e)
{
    const char *folder = p->is_folder ? p->target : pub_folder_of(p, p->target, e);

    return folder ? pq_lake_refuse_copy(folder, p->mem, e) : e->rc;
}

static PqRc check_folder_plan(PqPublish *p, PqErr *e)
{
    size_t n = strlen(p->target);

    if (p->overwrite == PQ_OVERWRITE_PARQUET) {
        p->overwrite = PQ_OVERWRITE_ERROR;
    }
    if (p->overwrite == PQ_OVERWRITE_PARTITIONS && !p->n_folder_columns) {
        return pub_wrong(p->shown, "to replace partitions, the copy needs partition_by, "
                         "which names their columns", NULL, e);
    }
    p->target[pq_folder_length(p->target, n)] = 0;
    return PQ_OK;
}

static PqRc open_here(PqPublish *p, const PqPublishPlan *plan, PqErr *e)
{
    PQ_TRY(p->log && p->overwrite == PQ_OVERWRITE_APPEND ? PQ_OK : refuse_lake(p, e));
    PQ_TRY(p->is_folder ? open_folder(p, e) : open_file(p, e));
    PQ_TRY(pub_lock_take(p, e));
    pub_lock_clean(p);
    return PQ_OK;
}

static PqRc open_any(PqPublish *p, const PqPublishPlan *plan, PqErr *e)
{
    const char *target = plan->target, *pattern = plan->pattern;
    size_t n = strlen(target);

    if (!n) {
        return pq_fail(e, PQ_USAGE, "no file or folder to write to is given");
    }
    pattern = pattern ? pattern : PQ_FILE_NAME_PATTERN;
    p->shown = pq_arena_text(&p->arena, target, n, e);
    p->target = pq_arena_text(&p->arena, target, n, e);
    p->pattern = pq_arena_text(&p->arena, pattern, strlen(pattern), e);
    PQ_TRY(p->shown && p->target && p->pattern ? PQ_OK : e->rc);
    PQ_TRY(copy_keys(p, plan, e));
    PQ_TRY(p->is_folder ? check_folder_plan(p, e) : PQ_OK);
    return p->place->open(p, plan, e);
}

static uint32_t most_waiting(void)
{
    struct rlimit files;
    uint64_t n;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return 1;
    }
    n = files.rlim_cur / PUB_WAITING_SHARE;
    return n < 1 ? 1 : n < PUB_WAITING ? (uint32_t)n : PUB_WAITING;
}

PqRc pq_publish_open(PqMem *mem, const PqPublishPlan *plan, PqPublish **out,
                     PqErr *e)
{
    PqPublish *p;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, p, 1, e));
    p->mem = mem;
    pq_arena_init(&p->arena, mem);
    p->stop = plan->stop;
    p->is_folder = plan->is_folder;
    p->overwrite = plan->overwrite;
    p->is_clear = plan->is_clear;
    p->has_beside = plan->has_beside;
    p->host = plan->host;
    p->log = plan->log;
    p->place = pq_url_is(plan->target) ? &pub_far : &pub_here;
    p->lock_fd = -1;
    p->most_waiting = most_waiting();
    if (open_any(p, plan, e) != PQ_OK) {
        pq_publish_free(p);
        return e->rc;
    }
    *out = p;
    return PQ_OK;
}

/* --- files ------------------------------------------------------------------------ */

/* Each part of the path must be a plain name: none may lead out of the folder,
** or spell a path in a second way. */
static PqRc check_name(const char *name, PqErr *e)
{
    for (const char *part = name;; part++) {
        size_t n = strcspn(part, "/");

        if (!n || (n <= 2 && !strncmp(part, "..", n))) {
            return pq_fail(e, PQ_USAGE, "no file can be called \"%s\"", name);
        }
        if (n > PQ_NAME_BYTES) {
            return pq_fail(e, PQ_USAGE, "\"%.*s...\" is a name of %zu bytes, "
                           "file systems allow %d", 40, part, n, PQ_NAME_BYTES);
        }
        part += n;
        if (!*part) {
            return PQ_OK;
        }
    }
}

/* Sets the old file's permissions while the new file is still empty.  If its
** group cannot be kept, members of the new group get no more than everybody.
** The file becomes read-only only at the end, because a sink that was paused
** has to open it again. */
static void keep_mode(PubFile *f)
{
    int fd = pq_sink_descriptor(f->sink);
    struct stat old, now;
    mode_t mode;

    if (stat(f->path, &old) != 0 || !S_ISREG(old.st_mode) ||
        fstat(fd, &now) != 0) {
        return;
    }
    mode = old.st_mode & 0777;
    if (old.st_uid != now.st_uid || old.st_gid != now.st_gid) {
        bool kept = fchown(fd, old.st_uid, old.st_gid) == 0 ||
                    (old.st_gid != now.st_gid &&
                     fchown(fd, (uid_t)-1, old.st_gid) == 0) ||
                    old.st_gid == now.st_gid;
        mode &= kept ? 0777 : (0707 | (mode & 07) << 3);
    }
    f->mode = mode;
    f->read_only = fchmod(fd, mode | S_IWUSR) == 0 && !(mode & S_IWUSR);
}

static bool has_descriptor_left(const PqPublish *p)
{
    int fd = dup(p->lock_fd);

    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0 || errno != EMFILE;
}

/* When the process has no descriptor left, waiting files are synced and
** closed. */
static PqRc create_sink(PqPublish *p, PubFile *f, PqErr *e)
{
    PqRc rc = pq_sink_create(p->mem, f->temp, f->shown, &f->sink, e);

    if (rc != PQ_IO || !p->n_waiting || has_descriptor_left(p)) {
        return rc;
    }
    pq_err_clear(e);
    PQ_TRY(pub_sync_waiting(p, e));
    return pq_sink_create(p->mem, f->temp, f->shown, &f->sink, e);
}

/* Another copy that cleans up may have removed the folder while it was
** empty. */
static PqRc create(PqPublish *p, PubFile *f, PqErr *e)
{
    enum { MOST_TRIES = 10 };

    for (int i = 0;; i++) {
        PqRc rc = create_sink(p, f, e);
        if (rc != PQ_IO || !p->is_folder || pub_is_there(f->folder->path)) {
            return rc;
        }
        pq_err_clear(e);
        if (i == MOST_TRIES) {
            return pub_refused(f->shown, "", ENOENT, e);
        }
        PQ_TRY(pub_folder_remake(p, f->folder->path, e));
    }
}

static PqRc make_names(PqPublish *p, PubFile *f, const char *name, PqErr *e)
{
    char *folder;

    f->path = name ? pub_join(p, p->root, name, e) : p->target;
    f->shown = name ? f->path : p->shown;
    f->temp = f->path ? pub_temp_name(p, f->path, e) : NULL;
    folder = f->temp ? pub_folder_of(p, f->path, e) : NULL;
    return folder ? pub_folder_make(p, folder, &f->folder, e) : e->rc;
}

static PqRc make_here(PqPublish *p, PubFile *f, bool *taken, PqErr *e)
{
    struct stat st;
    bool there;

    if (p->is_folder && p->has_beside) {
        PQ_TRY(pub_has_beside(p, f->path, taken, e));
    }
    if (*taken || pub_is_there(f->temp) ||
        (p->overwrite == PQ_OVERWRITE_APPEND && pub_is_there(f->path))) {
        *taken = true;
        return PQ_OK;
    }
    there = stat(f->path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        return pq_sink_refused(f->shown, "cannot be a file", EISDIR, e);
    }
    there = there && pub_replaces(p);
    PQ_TRY(pub_check_replaced(p, f->path, there ? f->path : NULL, f->shown, e));
    PQ_TRY(create(p, f, e));
    if (pub_replaces(p)) {
        keep_mode(f);
    }
    return PQ_OK;
}

PqRc pq_publish_file(PqPublish *p, const char *name, bool *taken,
                     PqSink **out, PqErr *e)
{
    bool ignored = false;
    PubFile *f;

    taken = taken ? taken : &ignored;
    *taken = false;
    *out = NULL;
    if (!name != !p->is_folder) {
        return pq_fail(e, PQ_USAGE, "a copy to one file has one file, one into "
                                    "a folder has names");
    }
    PQ_TRY(pq_stop_poll(p->stop, e));
    if (name) {
        PQ_TRY(check_name(name, e));
    }
    PQ_TRY(PQ_ARENA_NEW(&p->arena, f, 1, e));
    PQ_TRY(make_names(p, f, name, e));
    PQ_TRY(pub_list_add(p, &p->files, f, e));
    if (p->place->file(p, f, taken, e) != PQ_OK || *taken) {
        p->files.n--;
        return e->rc;
    }
    *out = f->sink;
    return PQ_OK;
}

/* Where the file of s is in the list. */
static uint32_t index_of(const PqPublish *p, const PqSink *s)
{
    uint32_t i = p->files.n;
    const PubFile *f;

    do {
        assert(i);
        f = p->files.item[--i];
    } while (f->sink != s);
    assert(!f->done);
    return i;
}

/* Key material gets its name before its file does, so it is put before it. */
static PqRc add_beside(PqPublish *p, uint32_t at, PubFile *b, PqErr *e)
{
    PubFile *f = p->files.item[at];

    PQ_TRY(pub_list_add(p, &p->files, b, e));
    memmove(p->files.item + at + 1, p->files.item + at,
            (p->files.n - 1 - at) * sizeof *p->files.item);
    p->files.item[at] = b;
    b->of = f;
    f->beside = b;
    return PQ_OK;
}

PqRc pq_publish_beside(PqPublish *p, const PqSink *s, PqSlice bytes, PqErr *e)
{
    PubFile *b = pq_arena_zeros(&p->arena, 1, sizeof *b, e);
    uint32_t at = index_of(p, s);
    const PubFile *f = p->files.item[at];

    if (!b || !(b->path = pq_key_material_path(f->path, &p->arena, e)) ||
        !(b->temp = pub_temp_name(p, b->path, e))) {
        return e->rc;
    }
    if (strlen(pq_path_name(b->path)) > PQ_NAME_BYTES) {
        return pq_sink_refused(b->path, "cannot write the key material",
                               ENAMETOOLONG, e);
    }
    b->shown = b->path;
    b->folder = f->folder;
    PQ_TRY(create(p, b, e));
    if (add_beside(p, at, b, e) != PQ_OK) {
        pq_sink_close(b->sink);
        pub_unlink(b->temp);
        return e->rc;
    }
    PQ_TRY(pq_sink_write(b->sink, bytes.p, bytes.n, e));
    return pq_publish_done(p, b->sink, e);
}

static PqRc done_here(PqPublish *p, PubFile *f, PqErr *e)
{
    PQ_TRY(pq_sink_flush(f->sink, e));
    if (p->n_waiting == p->most_waiting) {
        PQ_TRY(pub_sync_waiting(p, e));
    }
    p->waiting[p->n_waiting++] = f;
    return PQ_OK;
}

PqRc pq_publish_done(PqPublish *p, PqSink *s, PqErr *e)
{
    PubFile *f = p->files.item[index_of(p, s)];

    PQ_TRY(p->place->done(p, f, e));
    f->done = true;
    return PQ_OK;
}

PqRc pq_publish_commit(PqPublish *p, PqErr *e)
{
    for (uint32_t i = 0; i < p->files.n; i++) {
        const PubFile *f = p->files.item[i];
        if (!f->done) {
            return pq_fail(e, PQ_USAGE, "%s is not complete", f->shown);
        }
    }
    return p->place->commit(p, e);
}

/* --- giving up --------------------------------------------------------------------- */

static void close_sinks(PqPublish *p)
{
    for (uint32_t i = 0; i < p->files.n; i++) {
        PubFile *f = p->files.item[i];
        pq_sink_close(f->sink);
        f->sink = NULL;
    }
}

/* Removes a temporary name; true if there is none left. */
static bool gone(char **path)
{
    if (*path && (pub_unlink(*path) == 0 || errno == ENOENT)) {
        *path = NULL;
    }
    return !*path;
}

/* Deeper folders come later in the list.  The root, and folders above it, have
** to wait for the lock. */
static void remove_folders(PqPublish *p)
{
    for (uint32_t i = p->folders.n; i-- > 0;) {
        PubFolder *f = p->folders.item[i];
        bool goes = p->committed ? f->emptied : f->made;

        if (goes && !pub_folder_is_root(p, f->path) &&
            pub_rmdir(f->path) == 0) {
            f->made = f->emptied = false;
            f->changed = false;
        }
    }
}

bool pub_remove_rest(PqPublish *p)
{
    bool all = true;

    for (uint32_t i = 0; i < p->files.n; i++) {
        PubFile *f = p->files.item[i];
        if (f->state == (p->committed ? PUB_SWAPPED : PUB_TEMP)) {
            all = gone(&f->temp) && all;
        }
    }
    for (uint32_t i = 0; i < p->old.n; i++) {
        PubOld *o = p->old.item[i];
        if (o->hidden && p->committed) {
            all = gone(&o->temp) && all;
        }
    }
    for (uint32_t i = 0; i < p->folders.n; i++) {
        PubFolder *f = p->folders.item[i];
        all = gone(&f->mark) && all;
    }
    remove_folders(p);
    return all;
}

static void remove_root(PqPublish *p)
{
    for (uint32_t i = p->folders.n; i-- > 0;) {
        const PubFolder *f = p->folders.item[i];
        if (f->made && pub_folder_is_root(p, f->path)) {
            pub_rmdir(f->path);
        }
    }
}

PqPublishLost pq_publish_lost(const PqPublish *p)
{
    return p->committed ? p->lost : (PqPublishLost){0};
}

bool pq_publish_made(const PqPublish *p, uint32_t i, PqPublished *out)
{
    enum { PER_SECOND = 1000, NANOS = 1000000 };
    const PubFile *f = i < p->files.n ? p->files.item[i] : NULL;

    if (f) {
        *out = (PqPublished){.path = f->path, .below = f->path + strlen(p->root),
                             .size = f->sink ? pq_sink_offset(f->sink)
                                             : (uint64_t)f->st.st_size,
                             .modified = (int64_t)f->st.st_mtim.tv_sec * PER_SECOND +
                                         f->st.st_mtim.tv_nsec / NANOS};
        out->below += strspn(out->below, "/");
    }
    return f != NULL;
}

PqRc pq_publish_sync_folder(const char *folder, PqErr *e)
{
    return pub_sync_folder(folder, e);
}

static void close_here(PqPublish *p)
{
    close_sinks(p);
    if (pub_remove_rest(p)) {
        pub_lock_remove(p);
    }
    pub_lock_leave(p);
    if (!p->committed) {
        remove_root(p);
    }
    while (p->n_alone) {
        close(p->alone[--p->n_alone]);
    }
}

static PqRc walk_here(PqPublish *p, const PqFolderWalk *walk, PqErr *e)
{
    return pq_folder_walk(p->mem, p->root, walk, e);
}

static bool is_there_here(PqPublish *p, const char *path)
{
    return pub_is_there(path);
}

static PqRc source_here(PqPublish *p, const char *path, bool again, PqSource **out,
                        PqErr *e)
{
    return pq_source_open(p->mem, path, out, e);
}

const PubPlace pub_here = {
    .open = open_here, .file = make_here, .done = done_here,
    .commit = pub_commit_here, .close = close_here, .walk = walk_here,
    .is_there = is_there_here, .source = source_here,
};

void pq_publish_free(PqPublish *p)
{
    if (!p) {
        return;
    }
    if (!p->committed) {
        pub_step("give up");
    }
    p->place->close(p);
    pq_mem_free(p->folders.item);
    pq_mem_free(p->files.item);
    pq_mem_free(p->old.item);
    pq_mem_free(p->read.item);
    pq_mem_free(p->kept.item);
    pq_arena_free(&p->arena);
    pq_mem_free(p);
}
