/*
** source.c - local files by pread, and bytes in memory.
*/
#define _GNU_SOURCE
#include "core/base/source.h"

#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct SourceKind {
    PqRc (*read)(PqSource *s, uint64_t offset, size_t n, void *out, PqErr *e);
    PqRc (*check)(PqSource *s, PqErr *e);
    void (*close)(PqSource *s);
} SourceKind;

struct PqSource {
    const SourceKind *kind;
    char             *path;
    PqFileId          id;
    int               fd;
    PqSlice           bytes;                    /* of a memory source */
    _Atomic uint64_t  bytes_read, reads;
    _Atomic int64_t   ns_read;                  /* that took             */
};

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

static PQ_COLD PqRc system_error(PqErr *e, const char *what, int err)
{
    char buf[128];

    return pq_fail(e, PQ_IO, "%s: %s", what, strerror_r(err, buf, sizeof buf));
}

static PqRc not_regular(const struct stat *st, PqErr *e)
{
    const char *what = S_ISDIR(st->st_mode)    ? "a folder"
                       : S_ISFIFO(st->st_mode) ? "a FIFO"
                       : S_ISSOCK(st->st_mode) ? "a socket"
                                               : "a device";
    return pq_fail(e, PQ_IO, "is %s, not a file", what);
}

PqRc pq_source_identify(const char *path, PqFileId *out, PqErr *e)
{
    struct stat st;
    const char *outer = e->where.file;
    PqRc rc = PQ_OK;

    e->where.file = path;
    if (stat(path, &st) != 0) {
        rc = system_error(e, "cannot open", errno);
    } else if (!S_ISREG(st.st_mode)) {
        rc = not_regular(&st, e);
    } else {
        *out = id_of(&st);
    }
    e->where.file = outer;
    return rc;
}

static PQ_COLD PqRc written_to(const PqSource *s, PqErr *e)
{
    const char *outer = e->where.file;

    e->where.file = s->path;
    pq_fail(e, PQ_CHANGED, "the file was written to while it was read; run the "
                           "statement again");
    e->where.file = outer;
    return e->rc;
}

static PqRc file_check(PqSource *s, PqErr *e)
{
    const char *outer = e->where.file;
    struct stat st;
    PqFileId now;

    if (fstat(s->fd, &st) != 0) {
        e->where.file = s->path;
        system_error(e, "cannot examine", errno);
        e->where.file = outer;
        return e->rc;
    }
    now = id_of(&st);
    return now.size == s->id.size && now.mtime_ns == s->id.mtime_ns
               ? PQ_OK : written_to(s, e);
}

PqRc pq_source_is(const PqSource *s, PqFileId id, PqErr *e)
{
    return s->id.device == id.device && s->id.inode == id.inode &&
                   s->id.size == id.size && s->id.mtime_ns == id.mtime_ns
               ? PQ_OK : written_to(s, e);
}

static PqRc file_read(PqSource *s, uint64_t offset, size_t n, void *out,
                      PqErr *e)
{
    uint8_t *to = out;

    while (n) {
        ssize_t got = pread(s->fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return system_error(e, "cannot read", errno);
        }
        if (got == 0) {
            return pq_fail(e, PQ_CHANGED,
                           "the file became shorter while it was read");
        }
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return file_check(s, e);
}

static void file_close(PqSource *s)
{
    close(s->fd);
}

static PqRc memory_read(PqSource *s, uint64_t offset, size_t n, void *out,
                        PqErr *e)
{
    (void)e;                     /* pq_source_read has checked the range */
    memcpy(out, s->bytes.p + offset, n);
    return PQ_OK;
}

static PqRc memory_check(PqSource *s, PqErr *e)
{
    (void)s;
    (void)e;
    return PQ_OK;
}

static void memory_close(PqSource *s)
{
    (void)s;
}

static const SourceKind file_kind = {file_read, file_check, file_close};
static const SourceKind memory_kind = {memory_read, memory_check, memory_close};

static PqRc new_source(PqMem *mem, const SourceKind *kind, const char *name,
                       PqSource **out, PqErr *e)
{
    PqSource *s = pq_mem_zeros(mem, 1, sizeof *s, e);

    if (!s) {
        return e->rc;
    }
    s->kind = kind;
    s->path = pq_mem_text(mem, name, strlen(name), e);
    if (!s->path) {
        pq_mem_free(s);
        return e->rc;
    }
    *out = s;
    return PQ_OK;
}

/* Times of files are those of the clock's ticks: two writes within one cannot be
** told apart.  So a file of the tick that is running is waited for, which takes
** some milliseconds; one that is written to again and again is no file to read.
** A time that is not of this clock is left alone. */
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

static PqRc settle(PqSource *s, PqErr *e)
{
    struct timespec wait = {.tv_nsec = WAIT_NS};
    struct stat st;

    for (int i = 0; is_of_this_tick(s->id); i++) {
        if (i == TICKS_AT_MOST) {
            return written_to(s, e);
        }
        while (is_of_this_tick(s->id)) {
            nanosleep(&wait, NULL);
        }
        if (fstat(s->fd, &st) != 0) {
            return system_error(e, "cannot examine", errno);
        }
        s->id = id_of(&st);
    }
    return PQ_OK;
}

static PqRc make_source(PqMem *mem, const char *path, int fd, PqSource **out,
                        PqErr *e)
{
    struct stat st;

    if (fstat(fd, &st) != 0) {
        return system_error(e, "cannot examine", errno);
    }
    if (!S_ISREG(st.st_mode)) {
        return not_regular(&st, e);
    }
    PQ_TRY(new_source(mem, &file_kind, path, out, e));
    (*out)->fd = fd;
    (*out)->id = id_of(&st);
    return PQ_OK;
}

PqRc pq_source_open(PqMem *mem, const char *path, PqSource **out, PqErr *e)
{
    const char *outer = e->where.file;
    PqRc rc;
    int fd;

    *out = NULL;
    e->where.file = path;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    rc = fd < 0 ? system_error(e, "cannot open", errno)
                : make_source(mem, path, fd, out, e);
    if (rc != PQ_OK && fd >= 0) {
        close(fd);
    }
    if (rc == PQ_OK && (rc = settle(*out, e)) != PQ_OK) {
        pq_source_close(*out);
        *out = NULL;
    }
    e->where.file = outer;
    return rc;
}

PqRc pq_source_again(const PqSource *s, PqMem *mem, PqSource **out, PqErr *e)
{
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);

    *out = NULL;
    if (fd < 0) {
        return system_error(e, "cannot open", errno);
    }
    if (new_source(mem, s->kind, s->path, out, e) != PQ_OK) {
        close(fd);
        return e->rc;
    }
    (*out)->fd = fd;
    (*out)->id = s->id;
    return PQ_OK;
}

PqRc pq_source_open_memory(PqMem *mem, const char *name, PqSlice bytes,
                           PqSource **out, PqErr *e)
{
    *out = NULL;
    PQ_TRY(new_source(mem, &memory_kind, name, out, e));
    (*out)->bytes = bytes;
    (*out)->id.size = (int64_t)bytes.n;
    return PQ_OK;
}

void pq_source_close(PqSource *s)
{
    if (s) {
        s->kind->close(s);
        pq_mem_free(s->path);
        pq_mem_free(s);
    }
}

const char *pq_source_path(const PqSource *s)
{
    return s->path;
}

uint64_t pq_source_size(const PqSource *s)
{
    return (uint64_t)s->id.size;
}

PqFileId pq_source_id(const PqSource *s)
{
    return s->id;
}

PqRc pq_source_read(PqSource *s, uint64_t offset, size_t n, void *out,
                    PqErr *e)
{
    uint64_t size = pq_source_size(s);
    int64_t began;
    PqRc rc;

    if (offset > size || n > size - offset) {
        return pq_fail(e, PQ_CORRUPT,
                       "%zu bytes wanted at byte %llu, the file has %llu", n,
                       (unsigned long long)offset, (unsigned long long)size);
    }
    if (pq_fault_here()) {
        return system_error(e, "cannot read", EIO);
    }
    atomic_fetch_add_explicit(&s->bytes_read, n, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->reads, 1, memory_order_relaxed);
    began = pq_clock_ns();
    rc = s->kind->read(s, offset, n, out, e);
    atomic_fetch_add_explicit(&s->ns_read, pq_clock_ns() - began,
                              memory_order_relaxed);
    return rc;
}

PqRc pq_source_check(PqSource *s, PqErr *e)
{
    return s->kind->check(s, e);
}

uint64_t pq_source_bytes_read(const PqSource *s)
{
    return s->bytes_read;
}

int64_t pq_source_ns_read(const PqSource *s)
{
    return s->ns_read;
}

uint64_t pq_source_reads(const PqSource *s)
{
    return s->reads;
}
