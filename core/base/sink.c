/*
** sink.c - gathers what is written; and the usual kind of sink, local files, which
** are written with pwrite.
**
** What is hard is to be honest about errors.  The system reports a failed write
** of earlier data once, in fsync or sync_file_range, so the first to see it
** must remember it: `failed` is set and stays.  A file that was paused may have
** been replaced meanwhile, so device, inode and size are compared when it is
** opened again.
*/
#define _GNU_SOURCE
#include "core/base/sink_kind.h"

#include "core/base/source.h"
#include "core/base/system.h"

#include <errno.h>
#include <assert.h>
#include <stdlib.h>

/* The size of the buffer, and after how many bytes writing to disk starts. */
enum { GATHER = 1 << 16, PUSH = 1 << 23 };

typedef struct FileSink {
    PqSink   base;
    char    *path;                   /* NULL: scratch                 */
    int      fd;                     /* -1: paused                    */
    dev_t    device;                 /* of the file, once it was      */
    ino_t    inode;                  /* paused                        */
    uint64_t pushed;                 /* to the disk                   */
} FileSink;

static FileSink *file_of(PqSink *s)
{
    return (FileSink *)s;
}

/* The error names this file only: the caller's place is in another file. */
PQ_COLD PqRc pq_sink_refused(const char *shown, const char *what, int err,
                             PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, shown);
    PqRc rc;

    if (err == ENOSPC || err == EDQUOT) {
        rc = pq_fail(e, PQ_IO, "%s: no space left%s", what,
                     err == EDQUOT ? " in the quota" : "");
    } else {
        rc = pq_fail_system(e, what, err);
    }
    e->where = outer;
    return rc;
}

static PQ_COLD PqRc sink_error(PqSink *s, const char *what, int err, PqErr *e)
{
    s->failed = true;
    return pq_sink_refused(s->shown, what, err, e);
}

static PqRc check(const PqSink *s, PqErr *e)
{
    return PQ_UNLIKELY(s->failed)
               ? pq_sink_refused(s->shown,
                                 "cannot write after an earlier error", EIO, e)
               : PQ_OK;
}

/* --- opening -------------------------------------------------------------- */

/* When no descriptor is left, files that are not being read give theirs up. */
static int open_here(const char *path, int flags, mode_t mode)
{
    int fd;

    do {
        fd = open(path, flags | O_RDWR | O_CLOEXEC, mode);
    } while (fd < 0 && (errno == EINTR || (errno == EMFILE &&
                                           pq_source_make_room())));
    return fd;
}

static int create(const char *path)
{
    return pq_fault_io() ? -1
                         : open_here(path, O_CREAT | O_EXCL | O_NOCTTY, 0666);
}

/* For file systems without O_TMPFILE: a file that is removed at once. */
static int create_named_scratch(PqMem *mem, const char *folder, PqErr *e)
{
    static const char name[] = "/.parquet-scratch.XXXXXX";
    size_t n = strlen(folder);
    char *path = pq_mem_alloc(mem, n + sizeof name, e);
    int fd, err;

    if (!path) {
        return -1;
    }
    memcpy(path, folder, n);
    memcpy(path + n, name, sizeof name);
    fd = mkostemp(path, O_CLOEXEC);
    err = errno;
    if (fd >= 0) {
        unlink(path);
    }
    pq_mem_free(path);
    errno = err;
    return fd;
}

static int create_scratch(PqMem *mem, const char *folder, PqErr *e)
{
    int fd;

    if (pq_fault_io()) {
        return -1;
    }
    fd = open_here(folder, O_TMPFILE | O_EXCL, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        fd = create_named_scratch(mem, folder, e);
    }
    return fd;
}

PqRc pq_sink_new(PqMem *mem, const PqSinkKind *kind, const char *shown, PqSink **out,
                 PqErr *e)
{
    PqSink *s = pq_mem_zeros(mem, 1, kind->size, e);

    *out = NULL;
    if (!s || !(s->shown = pq_mem_text(mem, shown, strlen(shown), e))) {
        pq_mem_free(s);
        return e->rc;
    }
    s->mem = mem;
    s->kind = kind;
    *out = s;
    return PQ_OK;
}

static const PqSinkKind file_kind;

/* path NULL: a scratch file in the folder that is shown. */
static PqRc new_file(PqMem *mem, const char *path, const char *shown, PqSink **out, PqErr *e)
{
    FileSink *f;
    PqSink *s;

    *out = NULL;
    PQ_TRY(pq_sink_new(mem, &file_kind, shown, &s, e));
    f = file_of(s);
    f->fd = -1;
    f->path = path ? pq_mem_text(mem, path, strlen(path), e) : NULL;
    if (e->rc == PQ_OK) {
        f->fd = path ? create(path) : create_scratch(mem, shown, e);
    }
    if (f->fd < 0) {
        sink_error(s, path ? "cannot create" : "cannot create a temporary file in this folder",
                   errno, e);
        pq_sink_close(s);
        return e->rc;
    }
    *out = s;
    return PQ_OK;
}

PqRc pq_sink_create(PqMem *mem, const char *path, const char *shown,
                    PqSink **out, PqErr *e)
{
    return new_file(mem, path, shown, out, e);
}

PqRc pq_sink_scratch(PqMem *mem, const char *folder, PqSink **out, PqErr *e)
{
    return new_file(mem, NULL, folder, out, e);
}

static void close_file(PqSink *s)
{
    FileSink *f = file_of(s);

    if (f->fd >= 0) {
        close(f->fd);
    }
    pq_mem_free(f->path);
}

void pq_sink_close(PqSink *s)
{
    if (s) {
        if (s->kind->close) {
            s->kind->close(s);
        }
        if (s->turn.release) {
            s->turn.release(s->turn.arg);
        }
        pq_mem_free(s->gathered);
        pq_mem_free(s->shown);
        pq_mem_free(s);
    }
}

/* --- pausing -------------------------------------------------------------- */

/* Is the file with the descriptor still the one that was paused? */
static bool is_same(const FileSink *f)
{
    struct stat st;

    return fstat(f->fd, &st) == 0 && st.st_dev == f->device &&
           st.st_ino == f->inode && st.st_size == (off_t)f->base.written;
}

static PqRc reopen(FileSink *f, PqErr *e)
{
    PqSink *s = &f->base;

    if (pq_fault_here()) {
        return sink_error(s, "cannot open again", EIO, e);
    }
    f->fd = open_here(f->path, O_NOCTTY | O_NOFOLLOW, 0);
    if (f->fd < 0) {
        return sink_error(s, errno == ENOENT
                                 ? "somebody else has removed it while it was "
                                   "written"
                                 : "cannot open again", errno, e);
    }
    return is_same(f) ? PQ_OK
                      : sink_error(s, "somebody else has changed it", ESTALE,
                                   e);
}

/* Makes sure that there is a descriptor. */
static PqRc need_open(FileSink *f, PqErr *e)
{
    assert(f->base.kind == &file_kind);
    return PQ_LIKELY(f->fd >= 0) ? PQ_OK : reopen(f, e);
}

/* No error is lost by closing: a later fsync through another descriptor of the
** file reports it. */
static PqRc pause_file(PqSink *s, PqErr *e)
{
    FileSink *f = file_of(s);
    struct stat st;

    assert(f->path);
    if (f->fd < 0) {
        return PQ_OK;
    }
    if (fstat(f->fd, &st) != 0) {
        return sink_error(s, "cannot write", errno, e);
    }
    f->device = st.st_dev;
    f->inode = st.st_ino;
    if (close(f->fd) != 0 && errno != EINTR) {
        f->fd = -1;
        return sink_error(s, "cannot write", errno, e);
    }
    f->fd = -1;
    return PQ_OK;
}

PqRc pq_sink_pause(PqSink *s, PqErr *e)
{
    PQ_TRY(pq_sink_flush(s, e));
    return s->kind->pause ? s->kind->pause(s, e) : PQ_OK;
}

/* --- writing -------------------------------------------------------------- */

static const char *writing(const FileSink *f)
{
    return f->path ? "cannot write" : "cannot write a temporary file in this folder";
}

/* Only starts the writing.  pq_sink_sync finds out whether it failed. */
static void push_from(FileSink *f, uint64_t end, uint64_t least)
{
    if (f->path && end - f->pushed >= least) {
        sync_file_range(f->fd, (off_t)f->pushed, (off_t)(end - f->pushed),
                        SYNC_FILE_RANGE_WRITE);
        f->pushed = end;
    }
}

static void push_file(PqSink *s)
{
    push_from(file_of(s), s->written, 1);
}

static PqRc put_file(PqSink *s, const uint8_t *p, size_t n, PqErr *e)
{
    FileSink *f = file_of(s);
    uint64_t at = s->written;

    PQ_TRY(need_open(f, e));
    while (n) {
        size_t some = n < PUSH ? n : PUSH;
        ssize_t done;

        if (pq_fault_here()) {
            return sink_error(s, writing(f), ENOSPC, e);
        }
        done = pwrite(f->fd, p, some, (off_t)at);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return sink_error(s, writing(f), done < 0 ? errno : ENOSPC, e);
        }
        p += done;
        n -= (size_t)done;
        at += (uint64_t)done;
        push_from(f, at, PUSH);
    }
    return PQ_OK;
}

static const PqSinkKind file_kind = {
    .size = sizeof(FileSink), .put = put_file, .push = push_file,
    .pause = pause_file, .close = close_file,
};

static PqRc hand_over(PqSink *s, const uint8_t *p, size_t n, PqErr *e)
{
    if (n && s->kind->put(s, p, n, e) != PQ_OK) {
        s->failed = true;
        return e->rc;
    }
    s->written += n;
    return PQ_OK;
}

void pq_sink_turn(PqSink *s, PqSinkTurn turn)
{
    assert(pq_sink_offset(s) == 0 && !s->turn.turn);
    s->turn = turn;
}

static PqRc hand_over_gathered(PqSink *s, PqErr *e)
{
    size_t n = s->n_gathered;

    s->n_gathered = 0;
    if (s->turn.turn && n &&
        s->turn.turn(s->turn.arg, s->written, s->gathered, n, e) != PQ_OK) {
        s->failed = true;
        return e->rc;
    }
    return hand_over(s, s->gathered, n, e);
}

PqRc pq_sink_flush(PqSink *s, PqErr *e)
{
    PQ_TRY(check(s, e));
    PQ_TRY(hand_over_gathered(s, e));
    pq_mem_free(s->gathered);
    s->gathered = NULL;
    if (s->kind->push) {
        s->kind->push(s);
    }
    return PQ_OK;
}

static PqRc gather(PqSink *s, const void *p, size_t n, PqErr *e)
{
    if (!s->gathered && !(s->gathered = pq_mem_alloc(s->mem, GATHER, e))) {
        s->failed = true;
        return e->rc;
    }
    memcpy(s->gathered + s->n_gathered, p, n);
    s->n_gathered += n;
    return PQ_OK;
}

/* The caller's bytes stay as they are, so they are turned in the buffer. */
static PqRc write_turned(PqSink *s, const uint8_t *p, size_t n, PqErr *e)
{
    while (n) {
        size_t room = GATHER - s->n_gathered, some = n < room ? n : room;

        PQ_TRY(gather(s, p, some, e));
        if (s->n_gathered == GATHER) {
            PQ_TRY(hand_over_gathered(s, e));
        }
        p += some;
        n -= some;
    }
    return PQ_OK;
}

PqRc pq_sink_write(PqSink *s, const void *p, size_t n, PqErr *e)
{
    PQ_TRY(check(s, e));
    if (!n) {
        return PQ_OK;
    }
    if (s->turn.turn) {
        return write_turned(s, p, n, e);
    }
    if (n > GATHER - s->n_gathered) {
        PQ_TRY(hand_over_gathered(s, e));
    }
    return n >= GATHER ? hand_over(s, p, n, e) : gather(s, p, n, e);
}

uint64_t pq_sink_offset(const PqSink *s)
{
    return s->written + s->n_gathered;
}

/* The system reports an error once, here or in fsync, so here it has to count.
** A file system that cannot wait for part of a file is not an error. */
PqRc pq_sink_settle(PqSink *s, const PqStop *stop, PqErr *e)
{
    const unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                         SYNC_FILE_RANGE_WAIT_AFTER;
    const uint64_t some = PUSH / 2;

    PQ_TRY(check(s, e));
    PQ_TRY(need_open(file_of(s), e));
    for (uint64_t at = 0; at < s->written; at += some) {
        PQ_TRY(pq_stop_poll(stop, e));
        if (sync_file_range(file_of(s)->fd, (off_t)at, (off_t)some, how) != 0 &&
            (errno == EIO || errno == ENOSPC || errno == EDQUOT)) {
            return sink_error(s, "cannot write to the disk", errno, e);
        }
    }
    return PQ_OK;
}

PqRc pq_sink_sync(PqSink *s, PqErr *e)
{
    int rc;

    PQ_TRY(pq_sink_flush(s, e));
    PQ_TRY(need_open(file_of(s), e));
    if (pq_fault_here()) {
        return sink_error(s, "cannot write to the disk", EIO, e);
    }
    do {
        rc = fsync(file_of(s)->fd);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? PQ_OK
                   : sink_error(s, "cannot write to the disk", errno, e);
}

/* --- reading back ---------------------------------------------------------- */

PqRc pq_sink_read(PqSink *s, uint64_t offset, size_t n, void *out, PqErr *e)
{
    uint8_t *to = out;
    const size_t all = n;
    const uint64_t from = offset;

    PQ_TRY(check(s, e));
    if (n > pq_sink_offset(s) || offset > pq_sink_offset(s) - n) {
        return pq_fail(e, PQ_USAGE, "%zu bytes wanted at byte %llu, %llu were "
                       "written", n, (unsigned long long)offset,
                       (unsigned long long)pq_sink_offset(s));
    }
    if (offset + n > s->written) {
        PQ_TRY(hand_over_gathered(s, e));
    }
    PQ_TRY(need_open(file_of(s), e));
    while (n) {
        ssize_t got;
        if (pq_fault_here()) {
            return sink_error(s, "cannot read back", EIO, e);
        }
        got = pread(file_of(s)->fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return sink_error(s, "cannot read back", got < 0 ? errno : EIO, e);
        }
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return s->turn.turn ? s->turn.turn(s->turn.arg, from, out, all, e) : PQ_OK;
}

int pq_sink_descriptor(const PqSink *s)
{
    return ((const FileSink *)s)->fd;
}
