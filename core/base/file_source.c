/*
** file_source.c - local files, read with pread.
**
** Three things are hard.  A file may be written to while it is read, so its
** size and time are compared after each read.  If its time stamp is too fresh
** to tell two writes apart, opening waits.  Descriptors may run out: each file
** keeps its path so that its descriptor can be closed and opened again.  And
** closing a descriptor of an SQLite database would drop the locks that this
** process holds on it, so those descriptors are never closed.
*/
#define _GNU_SOURCE
#include "core/base/source_kind.h"

#include "core/base/sink.h"
#include "core/base/system.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <time.h>

typedef struct FileSource FileSource;

typedef enum Descriptor {
    GIVEN_BACK,                      /* if there are few                      */
    OWN,                             /* closed with the source: the file has
                                     ** no name to be opened by again         */
    KEPT                             /* never closed: of a database           */
} Descriptor;

struct FileSource {
    PqSource         source;
    pthread_mutex_t  lock;                      /* for fd and n_reading */
    int              fd;                        /* -1: given back */
    Descriptor       how;
    unsigned         n_reading;
    FileSource      *newer, *older;             /* of all, under all_lock */
};

/* Every source, so that pq_source_make_room finds descriptors to close.
** Whoever holds all_lock waits for no other lock. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static FileSource *newest;

static PqFileId id_of(const struct stat *st)
{
    return (PqFileId){
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .size = (int64_t)st->st_size,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 +
                    (int64_t)st->st_mtim.tv_nsec,
        .ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 +
                    (int64_t)st->st_ctim.tv_nsec,
    };
}

static PqRc not_regular(const struct stat *st, PqErr *e)
{
    const char *what = S_ISDIR(st->st_mode)    ? "a folder"
                       : S_ISFIFO(st->st_mode) ? "a FIFO"
                       : S_ISSOCK(st->st_mode) ? "a socket"
                                               : "a device";
    return pq_fail(e, PQ_IO, "is %s, not a file", what);
}

/* ---- descriptors ------------------------------------------------------------ */

static void enlist(FileSource *s)
{
    pthread_mutex_lock(&all_lock);
    s->older = newest;
    if (newest) {
        newest->newer = s;
    }
    newest = s;
    pthread_mutex_unlock(&all_lock);
}

static void strike(FileSource *s)
{
    pthread_mutex_lock(&all_lock);
    *(s->newer ? &s->newer->older : &newest) = s->older;
    if (s->older) {
        s->older->newer = s->newer;
    }
    pthread_mutex_unlock(&all_lock);
}

bool pq_source_make_room(void)
{
    FileSource *s;
    bool any = false;

    pthread_mutex_lock(&all_lock);
    for (s = newest; s; s = s->older) {
        if (pthread_mutex_trylock(&s->lock) == 0) {
            if (s->n_reading == 0 && s->fd >= 0 && s->how == GIVEN_BACK) {
                close(s->fd);
                s->fd = -1;
                any = true;
            }
            pthread_mutex_unlock(&s->lock);
        }
    }
    pthread_mutex_unlock(&all_lock);
    return any;
}

static int open_path(const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, flags);

    if (fd < 0 && (errno == EMFILE || errno == ENFILE) &&
        pq_source_make_room()) {
        fd = open(path, flags);
    }
    return fd;
}

/* Needs s->lock, after the descriptor was given back. */
static PqRc open_again(FileSource *s, PqErr *e)
{
    struct stat st;

    s->fd = open_path(s->source.path);
    if (s->fd < 0) {
        return errno == ENOENT ? pq_source_changed(&s->source, e)
                               : pq_fail_system(e, "cannot open again", errno);
    }
    if (fstat(s->fd, &st) != 0 || !pq_file_id_same(id_of(&st), s->source.id)) {
        close(s->fd);
        s->fd = -1;
        return pq_source_changed(&s->source, e);
    }
    return PQ_OK;
}

/* The descriptor stays open until let_go. */
static PqRc hold(FileSource *s, int *fd, PqErr *e)
{
    PqRc rc = PQ_OK;

    pthread_mutex_lock(&s->lock);
    if (s->fd < 0) {
        rc = open_again(s, e);
    }
    s->n_reading += rc == PQ_OK;
    *fd = s->fd;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static void let_go(FileSource *s)
{
    pthread_mutex_lock(&s->lock);
    s->n_reading--;
    pthread_mutex_unlock(&s->lock);
}

/* ---- databases ------------------------------------------------------------ */

/* POSIX locks belong to a process and a file: closing any descriptor of the
** file releases all of them.  If this process has an SQLite database open,
** merely looking at that file here would drop SQLite's locks, and another
** process could write at the same time.  So a descriptor of a database stays
** open for good, and is used again when the same file is opened again.  Beyond
** KEPT_AT_MOST databases each open leaves a new descriptor. */
enum { KEPT_AT_MOST = 64 };

static struct {
    uint64_t device, inode;
    int      fd;
} kept[KEPT_AT_MOST];
static _Atomic unsigned n_kept;                 /* under all_lock to write */

static bool is_database(int fd)
{
    static const char magic[] = "SQLite format 3";
    char first[sizeof magic];

    return pread(fd, first, sizeof first, 0) == (ssize_t)sizeof first &&
           memcmp(first, magic, sizeof magic) == 0;
}

static void keep(int fd, const struct stat *st)
{
    pthread_mutex_lock(&all_lock);
    if (n_kept < KEPT_AT_MOST) {
        kept[n_kept].device = (uint64_t)st->st_dev;
        kept[n_kept].inode = (uint64_t)st->st_ino;
        kept[n_kept].fd = fd;
        n_kept++;
    }
    pthread_mutex_unlock(&all_lock);
}

/* The kept descriptor of the file, or -1. */
static int kept_of(const char *path)
{
    struct stat st;
    int fd = -1;

    if (n_kept == 0 || stat(path, &st) != 0) {
        return -1;
    }
    pthread_mutex_lock(&all_lock);
    for (unsigned i = 0; i < n_kept && fd < 0; i++) {
        if (kept[i].device == (uint64_t)st.st_dev &&
            kept[i].inode == (uint64_t)st.st_ino) {
            fd = kept[i].fd;
        }
    }
    pthread_mutex_unlock(&all_lock);
    return fd;
}

/* The -shm file of a database in WAL mode has locks too, but no magic
** number. */
static bool is_memory_of_database(const char *path)
{
    static const char ending[] = "-shm";
    size_t n = strlen(path), of_name = n - (sizeof ending - 1);
    char name[PATH_MAX];
    struct stat st;

    if (n < sizeof ending || n >= sizeof name ||
        strcmp(path + of_name, ending) != 0) {
        return false;
    }
    memcpy(name, path, of_name);
    name[of_name] = 0;
    return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- files ---------------------------------------------------------------- */

static PqRc check_version(const FileSource *s, int fd, PqErr *e)
{
    struct stat st;
    PqFileId now;

    if (fstat(fd, &st) != 0) {
        return pq_sink_refused(s->source.path, "cannot examine", errno, e);
    }
    now = id_of(&st);
    return now.size == s->source.id.size && now.mtime_ns == s->source.id.mtime_ns
               ? PQ_OK : pq_source_changed(&s->source, e);
}

static PqRc read_from(int fd, uint64_t offset, size_t n, void *out, PqErr *e)
{
    uint8_t *to = out;

    while (n) {
        ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return pq_fail_system(e, "cannot read", errno);
        }
        if (got == 0) {
            return pq_fail(e, PQ_CHANGED,
                           "the file became shorter while it was read");
        }
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return PQ_OK;
}

static PqRc read_file(PqSource *source, uint64_t offset, size_t n, void *out,
                      PqErr *e)
{
    FileSource *s = (FileSource *)source;
    PqRc rc;
    int fd;

    PQ_TRY(hold(s, &fd, e));
    rc = read_from(fd, offset, n, out, e);
    if (rc == PQ_OK) {
        rc = check_version(s, fd, e);
    }
    let_go(s);
    return rc;
}

static PqRc check_file(PqSource *source, PqErr *e)
{
    return read_file(source, 0, 0, NULL, e);
}

static void close_file(PqSource *source)
{
    FileSource *s = (FileSource *)source;

    strike(s);
    if (s->fd >= 0 && s->how != KEPT) {
        close(s->fd);
    }
    pthread_mutex_destroy(&s->lock);
}

static PqRc open_file_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e);

static PqRc open_beside(PqSource *s, PqMem *mem, const char *path, bool optional,
                        PqSource **out, PqErr *e)
{
    return optional && access(path, F_OK) != 0 ? PQ_OK
                                               : pq_source_open(mem, path, out, e);
}

static const PqSourceKind file_kind = {
    .size = sizeof(FileSource), .read = read_file, .check = check_file,
    .again = open_file_again, .beside = open_beside, .close = close_file,
};

/* On success the source owns fd. */
static PqRc new_source(PqMem *mem, const char *path, int fd, Descriptor how,
                       PqFileId id, PqSource **out, PqErr *e)
{
    FileSource *s;

    PQ_TRY(pq_source_new(mem, &file_kind, path, id, out, e));
    s = (FileSource *)*out;
    s->fd = fd;
    s->how = how;
    pthread_mutex_init(&s->lock, NULL);
    enlist(s);
    return PQ_OK;
}

/* File times have the resolution of the kernel's clock tick: two writes within
** one tick cannot be told apart.  So a file written to in the current tick is
** opened when the tick has passed, some milliseconds later.  A file that is
** written to in every tick cannot be read.  A time far from this clock's is not
** waited for. */
enum { TICKS_AT_MOST = 5, WAIT_NS = 500000, TICK_NS = 20000000 };

static int64_t coarse_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_nsec;
}

static bool is_of_this_tick(PqFileId id)
{
    int64_t now = coarse_now_ns();

    return id.mtime_ns >= now && id.mtime_ns - now < TICK_NS;
}

static PqRc examine(FileSource *s, struct stat *st, PqErr *e)
{
    PqRc rc;
    int fd;

    PQ_TRY(hold(s, &fd, e));
    rc = fstat(fd, st) == 0 ? PQ_OK : pq_fail_system(e, "cannot examine", errno);
    let_go(s);
    return rc;
}

PqRc pq_source_rights(PqSource *s, unsigned *mode, bool *is_own, PqErr *e)
{
    struct stat st;

    PQ_TRY(examine((FileSource *)s, &st, e));
    *mode = st.st_mode & 07777;
    *is_own = st.st_uid == geteuid();
    return PQ_OK;
}

static PqRc settle(FileSource *s, PqErr *e)
{
    struct timespec wait = {.tv_nsec = WAIT_NS};
    struct stat st;

    for (int i = 0; is_of_this_tick(s->source.id); i++) {
        if (i == TICKS_AT_MOST) {
            return pq_source_changed(&s->source, e);
        }
        while (is_of_this_tick(s->source.id)) {
            nanosleep(&wait, NULL);
        }
        PQ_TRY(examine(s, &st, e));
        s->source.id = id_of(&st);
    }
    return PQ_OK;
}

PqRc pq_source_open(PqMem *mem, const char *path, PqSource **out, PqErr *e)
{
    const char *outer = e->where.file;
    int fd = kept_of(path);
    Descriptor how = fd >= 0 ? KEPT : GIVEN_BACK;
    struct stat st;
    PqRc rc;

    *out = NULL;
    e->where.file = path;
    if (is_memory_of_database(path)) {
        rc = pq_fail(e, PQ_CORRUPT, "not a Parquet file: the shared memory of the SQLite "
                     "database beside it");
    } else if (fd < 0 && (fd = open_path(path)) < 0) {
        rc = pq_fail_system(e, "cannot open", errno);
    } else if (fstat(fd, &st) != 0) {
        rc = pq_fail_system(e, "cannot examine", errno);
    } else if (!S_ISREG(st.st_mode)) {
        rc = not_regular(&st, e);
    } else {
        if (PQ_SYSTEM_DROPS_LOCKS && how != KEPT && is_database(fd)) {
            how = KEPT;
            keep(fd, &st);
        }
        rc = new_source(mem, path, fd, how, id_of(&st), out, e);
    }
    if (rc != PQ_OK && fd >= 0 && how != KEPT) {
        close(fd);
    }
    if (rc == PQ_OK && (rc = settle((FileSource *)*out, e)) != PQ_OK) {
        pq_source_close(*out);
        *out = NULL;
    }
    e->where.file = outer;
    return rc;
}

/* Another descriptor of the same file. */
static PqRc duplicate(PqMem *mem, const char *path, int of, Descriptor how,
                      PqFileId id, PqSource **out, PqErr *e)
{
    int fd;

    do {
        fd = fcntl(of, F_DUPFD_CLOEXEC, 0);
    } while (fd < 0 && errno == EMFILE && pq_source_make_room());
    if (fd < 0) {
        return pq_fail_system(e, "cannot open", errno);
    }
    if (new_source(mem, path, fd, how, id, out, e) != PQ_OK) {
        close(fd);
    }
    return e->rc;
}

static PqRc open_file_again(PqSource *source, PqMem *mem, PqSource **out,
                            PqErr *e)
{
    FileSource *s = (FileSource *)source;
    PqRc rc;
    int fd;

    if (s->how == KEPT) {
        return new_source(mem, source->path, s->fd, KEPT, source->id, out, e);
    }
    PQ_TRY(hold(s, &fd, e));
    rc = duplicate(mem, source->path, fd, s->how, source->id, out, e);
    let_go(s);
    return rc;
}

PqRc pq_source_of_scratch(PqMem *mem, const char *name, PqSink *s, PqSource **out,
                          PqErr *e)
{
    struct stat st;

    *out = NULL;
    PQ_TRY(pq_sink_flush(s, e));
    return fstat(pq_sink_descriptor(s), &st) == 0
               ? duplicate(mem, name, pq_sink_descriptor(s), OWN, id_of(&st), out, e)
               : pq_fail_system(e, "cannot examine", errno);
}
