/*
** pipe.c - reads pipes, and remembers them by what the file system calls them.
**
** The hard part is when a FIFO ends.  It is opened without waiting for a writer, and
** until one has come, reading it looks like its end.  But poll tells: it reports nothing
** before the first writer, and a hang-up after the last.
*/
#define _GNU_SOURCE
#include "core/base/pipe.h"

#include "core/base/folder.h"
#include "core/base/sink_kind.h"
#include "core/base/system.h"

#include <errno.h>

const char pq_path_of_stdin[] = "/dev/stdin";

struct PqPipe {
    struct PqPipe *older;
    PqFileId  id;
    int       fd;
    PqSink   *sink;                  /* NULL: the end has come               */
    PqSource *_Atomic source;        /* ... and then this is what came, or it is
                                     ** NULL: some of it is lost              */
};

typedef struct PqPipe PqPipe;

/* A FIFO that was made anew may have the number of one that was removed, so the time
** when it was made counts too, where the file system knows it. */
static bool identify(const char *path, PqFileId *out)
{
    struct statx st;

    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &st) != 0) {
        return false;
    }
    *out = (PqFileId){.device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
                      .inode = st.stx_ino};
    if (st.stx_mask & STATX_BTIME) {
        out->ctime_ns = st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec;
    }
    return S_ISFIFO(st.stx_mode) || S_ISSOCK(st.stx_mode);
}

static PqPipe *find(PqPipes *p, PqFileId id)
{
    PqPipe *x = p->newest;

    while (x && !pq_file_id_equal(x->id, id)) {
        x = x->older;
    }
    return x;
}

/* Nothing more is read. */
static void shut(PqPipe *x)
{
    if (x->fd >= 0) {
        close(x->fd);
    }
    pq_sink_close(x->sink);
    x->fd = -1;
    x->sink = NULL;
}

static void drop(PqPipe *x)
{
    shut(x);
    pq_source_close(x->source);
    pq_mem_free(x);
}

/* Standard input may be a socket, which has no path to be opened by. */
static int open_pipe(const char *path)
{
    int fd;

    do {
        fd = strcmp(path, pq_path_of_stdin) == 0
                 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (fd < 0 && errno == EMFILE && pq_source_make_room());
    return fd;
}

static PqRc begin(PqPipes *p, const char *path, PqFileId id, PqPipe **out, PqErr *e)
{
    PqPipe *x;

    PQ_TRY(PQ_NEW(p->mem, x, 1, e));
    x->id = id;
    x->fd = open_pipe(path);
    if (x->fd < 0) {
        pq_fail_system(e, "cannot open", errno);
    } else {
        pq_sink_scratch(p->mem, pq_folder_of_scratch(), &x->sink, e);
    }
    if (e->rc != PQ_OK) {
        drop(x);
        return e->rc;
    }
    x->older = p->newest;
    p->newest = *out = x;
    return PQ_OK;
}

/* What was read is always written, so that a larger bound, or another try, goes on. */
static PqRc drain(PqPipe *x, uint64_t most, const PqStop *stop, PqErr *e)
{
    enum { STEP_MS = 20, STEP = 1 << 14 };
    uint8_t bytes[STEP];
    ssize_t n = -1;

    while (n != 0) {
        PQ_TRY(pq_stop_poll(stop, e));
        if (pq_sink_offset(x->sink) > most) {
            return pq_fail(e, PQ_UNSUPPORTED, "more bytes come out of the pipe than the "
                           "%llu that spool= allows", (unsigned long long)most);
        }
        if (!pq_system_wait(x->fd, STEP_MS)) {
            continue;
        }
        n = pq_system_read(x->fd, bytes, sizeof bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            return pq_fail_system(e, "cannot read", errno);
        }
        if (n > 0) {
            PQ_TRY(pq_sink_write(x->sink, bytes, (size_t)n, e));
        }
    }
    return PQ_OK;
}

/* A pipe that gave nothing is asked again: a FIFO may be written to later. */
static PqRc finish(PqPipes *p, PqPipe *x, const char *path, PqErr *e)
{
    PqSource *source;

    if (pq_sink_offset(x->sink) == 0) {
        return pq_fail(e, PQ_IO, "nothing comes out of the pipe: was it read before?");
    }
    PQ_TRY(pq_source_of_scratch(p->mem, path, x->sink, &source, e));
    x->source = source;
    shut(x);
    return PQ_OK;
}

PqRc pq_pipes_read(PqPipes *p, const char *path, uint64_t most, const PqStop *stop, PqErr *e)
{
    const char *outer = e->where.file;
    PqPipe *x = NULL;
    PqFileId id;

    if (!identify(path, &id)) {
        return PQ_OK;                /* whoever opens it says what it is      */
    }
    e->where.file = path;
    x = find(p, id);
    if (x && !x->sink && !x->source) {
        pq_fail(e, PQ_IO, "an earlier error has lost what came out of the pipe: run its "
                "program again, in a new connection");
    } else if (x || begin(p, path, id, &x, e) == PQ_OK) {
        if (x->sink && drain(x, most, stop, e) == PQ_OK) {
            finish(p, x, path, e);
        }
        if (x->sink && x->sink->failed) {
            shut(x);                 /* what was not written is gone, and what
                                     ** comes after it is not a file         */
        }
    }
    e->where.file = outer;
    return e->rc;
}

PqRc pq_pipes_open(PqPipes *p, PqMem *mem, const char *path, PqSource **out, PqErr *e)
{
    PqPipe *x;
    PqFileId id;

    *out = NULL;
    if (!p->newest || !identify(path, &id) || !(x = find(p, id)) || !x->source) {
        return PQ_OK;
    }
    return pq_source_again(x->source, mem, out, e);
}

void pq_pipes_free(PqPipes *p)
{
    for (PqPipe *x = p->newest, *older; x; x = older) {
        older = x->older;
        drop(x);
    }
}
