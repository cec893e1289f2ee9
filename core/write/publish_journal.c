/*
** publish_journal.c - files that are replaced by files with the same rows, and what a
** process leaves that dies meanwhile.
**
** While both are there, rows come twice; while none is, they are lost.  Several files do not
** change places with one in a single step.  So the lock file says what was going to happen,
** and the next copy or compaction of the folder ends it:
**
**   written to the lock file                       who finds it with a dead owner
**   + 51 1700000000 5 8001 day=1/data_7.parquet    removes this file
**   - 52 1690000000 3 4000 day=1/data_0.parquet
**   - 53 1690000001 0 4001 day=1/data_1.parquet
**   done                                 removes these instead
**
** A line has the inode, the time of the last change, the size, and the path in the folder.
** Only a file that has all of these is touched: somebody may have used the name since.
**
** "done" is written when all new files have their names, and before the first old one loses
** its own.  What is taken back goes the other way: old names, "done", new names.  So at any
** moment the files that the journal keeps are all there.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char end_mark[] = "done\n";

PqRc pub_check_read(const PubOld *o, const char *at, PqErr *e)
{
    struct stat st;

    return lstat(at, &st) == 0 && st.st_ino == o->st.st_ino && st.st_size == o->st.st_size &&
                   st.st_mtim.tv_sec == o->st.st_mtim.tv_sec &&
                   st.st_mtim.tv_nsec == o->st.st_mtim.tv_nsec
               ? PQ_OK
               : pq_fail(e, PQ_CHANGED, "%s: was replaced or removed while its rows were "
                         "copied; run this again", o->path);
}

PqRc pq_publish_reads(PqPublish *p, const char *path, PqFileId version, PqErr *e)
{
    enum { NS = 1000000000 };
    PubOld *o = pq_arena_zeros(&p->arena, 1, sizeof *o, e);

    if (!o || !(o->path = pq_arena_text(&p->arena, path, strlen(path), e)) ||
        !(o->temp = pub_temp_name(p, path, e))) {
        return e->rc;
    }
    o->was_read = !p->place->is_far;
    o->st.st_ino = (ino_t)version.inode;
    o->st.st_size = (off_t)version.size;
    o->st.st_mtim = (struct timespec){version.mtime_ns / NS, version.mtime_ns % NS};
    return pub_list_add(p, &p->read, o, e);
}

/* --- writing it --------------------------------------------------------------------- */

static void add_line(const PqPublish *p, PqBuf *b, char sign, const struct stat *st,
                     const char *path)
{
    path += strlen(p->root) + 1;
    if (strchr(path, '\n')) {
        pq_fail(b->sink, PQ_USAGE, "%s: a name with a line feed cannot be replaced", path);
    }
    pq_buf_printf(b, "%c %llu %lld %ld %lld %s\n", sign, (unsigned long long)st->st_ino,
                  (long long)st->st_mtim.tv_sec, (long)st->st_mtim.tv_nsec,
                  (long long)st->st_size, path);
}

static PqRc write_all(PqPublish *p, const void *bytes, size_t n, off_t at, PqErr *e)
{
    for (size_t done = 0; done < n;) {
        ssize_t some = pq_fault_io() ? -1
            : pwrite(p->lock_fd, (const char *)bytes + done, n - done, at + (off_t)done);

        if (some < 0) {
            return pq_sink_refused(p->lock, "cannot write", errno, e);
        }
        done += (size_t)some;
    }
    return pq_fault_io() || fsync(p->lock_fd) != 0
               ? pq_sink_refused(p->lock, "cannot write", errno, e) : PQ_OK;
}

PqRc pub_journal_begin(PqPublish *p, PqErr *e)
{
    PqBuf b;

    if (!p->is_folder || !p->read.n) {
        return PQ_OK;
    }
    pq_buf_init(&b, p->mem, e);
    for (uint32_t i = 0; i < p->files.n; i++) {
        const PubFile *f = p->files.item[i];

        add_line(p, &b, '+', &f->st, f->path);
    }
    for (uint32_t i = 0; i < p->old.n; i++) {
        const PubOld *o = p->old.item[i];

        add_line(p, &b, '-', &o->st, o->path);
    }
    p->n_journal = (off_t)b.n;
    if (pq_buf_ok(&b) && e->rc == PQ_OK && ftruncate(p->lock_fd, 0) == 0) {
        write_all(p, b.p, b.n, 0, e);
    }
    pq_buf_free(&b);
    return e->rc;
}

PqRc pub_journal_done(PqPublish *p, PqErr *e)
{
    pub_step("done");
    return write_all(p, end_mark, strlen(end_mark), p->n_journal, e);
}

bool pub_journal_undo(PqPublish *p)
{
    return !p->n_journal ||
           (ftruncate(p->lock_fd, p->n_journal) == 0 && fsync(p->lock_fd) == 0);
}

/* --- following it --------------------------------------------------------------------- */

/* Nothing outside of the folder is touched, whoever wrote the line. */
static bool is_inside(const char *path)
{
    return *path && *path != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

static bool follow_line(PqPublish *p, const char *line, bool done, PqErr *e)
{
    unsigned long long inode;
    long long seconds, size;
    struct stat st;
    char *path;
    int at = 0;
    long ns;

    if (*line != (done ? '-' : '+') ||
        sscanf(line + 1, " %llu %lld %ld %lld %n", &inode, &seconds, &ns, &size, &at) != 4 ||
        !at || !is_inside(line + 1 + at)) {
        return true;
    }
    path = pub_join(p, p->root, line + 1 + at, e);
    if (!path || lstat(path, &st) != 0 || st.st_ino != inode || st.st_size != size ||
        st.st_mtim.tv_sec != seconds || st.st_mtim.tv_nsec != ns) {
        return path != NULL;
    }
    return pub_unlink(path) == 0 || errno == ENOENT;
}

bool pub_journal_follow(PqPublish *p, int fd)
{
    struct stat st;
    PqErr ignored;
    bool all = true, done;
    char *text, *line, *end;
    size_t n;

    if (fstat(fd, &st) != 0 || st.st_size == 0) {
        return true;
    }
    n = (size_t)st.st_size;
    pq_err_init(&ignored);
    text = pq_mem_zeros(p->mem, n + 1, 1, &ignored);
    if (!text || pread(fd, text, n, 0) != (ssize_t)n) {
        pq_mem_free(text);
        return false;
    }
    done = n >= strlen(end_mark) && strcmp(text + n - strlen(end_mark), end_mark) == 0;
    for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        all = follow_line(p, line, done, &ignored) && all;
    }
    pq_mem_free(text);
    return all;
}
