/*
** publish_lock.c - lock files, and what dead processes left.
**
**   .parquet-file.ID.lock      a copy to one file in this folder
**   .parquet-folder.ID.lock    a copy into this folder; its temporary files
**                              may be in any folder below
**
** The lock is flock, which ends when the process ends, for whatever reason.
** Between making a lock file and locking it, a copy that cleans up may take it
** for a leftover.  So after locking, the maker checks whether the name still
** means the file that it locked.  If not, it starts again with another name:
**
**   maker    make  .                      lock: fails, begin again
**   cleaner        lock  look: the same   remove
**
**   maker    make  .                                lock  look: gone, again
**   cleaner        lock  look: the same  remove close
**
** Of two cleaners, one gets the lock.  The other concludes that the owner
** lives, or finds the file gone.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/journal.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/write/folder_walk.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char of_file[] = ".parquet-file.", of_folder[] = PQ_JOURNAL_LOCK;
static const char ending[] = ".lock";

/* Does the name still mean the file? */
static bool is_still(int fd, const char *path)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
           S_ISREG(opened.st_mode) && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* --- taking one ---------------------------------------------------------------- */

static int make_file(const char *path)
{
    int fd;

    if (pq_fault_io()) {
        return -1;
    }
    do {
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* *taken is false when it must be tried again.  On a file system without locks
** the file is used unlocked. */
static PqRc try_to_take(PqPublish *p, bool *taken, PqErr *e)
{
    uint64_t id;

    *taken = false;
    PQ_TRY(pq_random_fill(&id, sizeof id, e));
    snprintf(p->id, sizeof p->id, "%016llx", (unsigned long long)id);
    p->lock = pq_arena_printf(&p->arena, e, "%s%s%s", p->is_folder ? of_folder
                                                                  : of_file,
                              p->id, ending);
    if (!p->lock || !(p->lock = pub_join(p, p->root, p->lock, e))) {
        return e->rc;
    }
    p->lock_fd = make_file(p->lock);
    if (p->lock_fd < 0) {
        int err = errno;
        p->lock = NULL;
        if (err == ENOENT && p->is_folder) {
            return pub_folder_remake(p, p->root, e);
        }
        return err == EEXIST ? PQ_OK
                             : pq_sink_refused(p->root, "cannot make files in "
                                               "this folder", err, e);
    }
    *taken = (flock(p->lock_fd, LOCK_EX | LOCK_NB) == 0 ||
              errno != EWOULDBLOCK) && is_still(p->lock_fd, p->lock);
    if (!*taken) {
        close(p->lock_fd);
        p->lock_fd = -1;
        p->lock = NULL;
    }
    return PQ_OK;
}

PqRc pub_lock_take(PqPublish *p, PqErr *e)
{
    enum { MOST_TRIES = 100 };
    bool taken = false;

    for (int i = 0; i < MOST_TRIES && !taken; i++) {
        PQ_TRY(try_to_take(p, &taken, e));
    }
    return taken ? PQ_OK
                 : pq_sink_refused(p->root, "cannot lock a file in this folder",
                                   EAGAIN, e);
}

/* The file is removed while it is locked, so nobody takes it for a leftover. */
void pub_lock_remove(PqPublish *p)
{
    if (p->lock && (pub_unlink(p->lock) == 0 || errno == ENOENT)) {
        pub_lock_leave(p);
    }
}

void pub_lock_leave(PqPublish *p)
{
    if (p->lock) {
        close(p->lock_fd);
        p->lock = NULL;
    }
}

/* Of two calls that work on the same files one fails at its end, but until then readers may
** see the new files of both.  So p locks its folder, and shares the locks of those above:
**
**   g          locks g         shares /
**   g/day=1    locks g/day=1   shares g, /        not beside the first
**   g/day=2    locks g/day=2   shares g, /        beside the second
**
** p's own lock file keeps others from removing the folder. */
PqRc pq_publish_alone(PqPublish *p, PqErr *e)
{
    char path[PATH_MAX], *slash;

    if (p->place->is_far || !realpath(p->root, path)) {
        return PQ_OK;
    }
    for (int how = LOCK_EX; p->n_alone < PUB_MOST_ALONE; how = LOCK_SH) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd >= 0) {
            p->alone[p->n_alone++] = fd;
            if (flock(fd, how | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
                return pub_wrong(p->shown, how == LOCK_EX
                                               ? "another export or compaction works on it"
                                               : "another export or compaction works on a folder "
                                                 "above it", "try again when that has ended", e);
            }
        }
        slash = strrchr(path, '/');
        if (!slash || !path[1]) {
            break;
        }
        slash[slash == path] = 0;
    }
    return PQ_OK;
}

/* --- what the dead left ---------------------------------------------------------- */

/* Errors are ignored here: what cannot be removed stays for the next copy. */
typedef struct Cleaning {
    char  id[PUB_ID_TEXT];           /* of the lock that is cleaned up after */
    PqBuf locks;                     /* names, a NUL after each              */
    bool  all;                       /* nothing was left                     */
} Cleaning;

/* The id in the name of a lock; NULL for other names. */
static const char *lock_id(const char *name, const char *begin)
{
    size_t n = strlen(begin), n_id = PUB_ID_TEXT - 1;

    return !strncmp(name, begin, n) &&
                   strspn(name + n, "0123456789abcdef") == n_id &&
                   !strcmp(name + n + n_id, ending)
               ? name + n : NULL;
}

static PqRc see_lock(void *arg, PqEntryKind kind, const char *path,
                     const char *name, PqErr *e)
{
    Cleaning *c = arg;

    if (kind == PQ_ENTRY_FILE &&
        (lock_id(name, of_file) || lock_id(name, of_folder))) {
        pq_buf_add(&c->locks, name, strlen(name) + 1);
    }
    return e->rc;
}

/* Removes temporary files of the id, and folders that are empty: they were made
** for such files, or are not needed. */
static PqRc see_temp(void *arg, PqEntryKind kind, const char *path,
                     const char *name, PqErr *e)
{
    Cleaning *c = arg;

    if (kind == PQ_ENTRY_FILE && pub_is_temp(name, c->id) &&
        pub_unlink(path) != 0 && errno != ENOENT) {
        c->all = false;
    }
    if (kind == PQ_ENTRY_FOLDER && strchr(name, '=')) {
        pub_rmdir(path);
    }
    return PQ_OK;
}

/* Locks the file of a dead process; -1 when the owner lives, or may live.  A
** lock over a network needs a file that is open for writing. */
static int lock_of_the_dead(const char *path)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, O_RDWR | flags);

    if (fd < 0 && errno == EACCES) {
        fd = open(path, O_RDONLY | flags);
    }
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_still(fd, path))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void clean_one(PqPublish *p, Cleaning *c, const char *name, PqErr *e)
{
    const char *id = lock_id(name, of_folder);
    PqFolderWalk walk = {see_temp, c, id != NULL, p->stop};
    char *path;
    int fd;

    snprintf(c->id, sizeof c->id, "%s", id ? id : lock_id(name, of_file));
    c->all = true;
    if (!strcmp(c->id, p->id) || !(path = pub_join(p, p->root, name, e))) {
        return;
    }
    fd = lock_of_the_dead(path);
    if (fd >= 0) {
        if (pub_journal_follow(p, fd) &&
            pq_folder_walk(p->mem, p->root, &walk, e) == PQ_OK && c->all) {
            pub_unlink(path);
        }
        close(fd);
    }
}

void pub_lock_clean(PqPublish *p)
{
    Cleaning c = {.all = true};
    PqFolderWalk walk = {see_lock, &c, false, p->stop};
    PqErr e = PQ_NO_ERR;

    pq_buf_init(&c.locks, p->mem, &e);
    if (pq_folder_walk(p->mem, p->root, &walk, &e) == PQ_OK) {
        for (size_t i = 0; i < c.locks.n && e.rc == PQ_OK;) {
            const char *name = (const char *)c.locks.p + i;
            clean_one(p, &c, name, &e);
            i += strlen(name) + 1;
        }
    }
    pq_buf_free(&c.locks);
}
