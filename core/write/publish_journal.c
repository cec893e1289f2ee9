/*
** publish_journal.c - files that are replaced by files with the same rows, and what a
** process leaves that dies meanwhile.
**
** While both are there, rows come twice; while none is, they are lost.  So the lock file
** becomes a journal (core/base/journal.h) before the first new file gets its name.  Readers
** leave out the files that it says do not count, and the next copy or compaction of the
** folder removes them if the owner is dead.
**
** "done" is written when all new files have their names, and before the first old one loses
** its own.  What is taken back goes the other way: old names, "done", new names.  So at any
** moment the files that the journal keeps are all there.
**
** A file system without hard links has the journal only in the folder of the call, and one
** where a file has at most 65,000 names not in all folders: there, a reader may see rows
** twice in the last pass.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/journal.h"
#include "core/base/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Lines are only added, so that readers never see it shorter. */
static PqRc add_lines(PqPublish *p, const PqBuf *b, PqErr *e)
{
    PQ_TRY(pq_buf_ok(b) ? PQ_OK : e->rc);
    PQ_TRY(write_all(p, b->p, b->n, p->n_journal, e));
    p->n_journal += (off_t)b->n;
    return PQ_OK;
}

/* The folder of the lock has the journal already. */
static PqRc mark(PqPublish *p, PubFolder *f, PqErr *e)
{
    char *path;

    if (f->mark || strcmp(f->path, p->root) == 0) {
        return PQ_OK;
    }
    path = pub_join(p, f->path, PQ_JOURNAL_MARK, e);
    path = path ? pub_temp_name(p, path, e) : NULL;
    PQ_TRY(path ? PQ_OK : e->rc);
    if (pq_fault_io() || link(p->lock, path) != 0) {
        return errno == EPERM || errno == EMLINK || errno == ENOSYS || errno == EOPNOTSUPP
                   ? PQ_OK : pq_sink_refused(path, "cannot make this", errno, e);
    }
    f->mark = path;
    return PQ_OK;
}

PqRc pub_journal_begin(PqPublish *p, PqErr *e)
{
    PqBuf b;

    if (!p->is_folder || !p->read.n) {
        return PQ_OK;
    }
    pq_buf_init(&b, p->mem, e);
    for (uint32_t i = 0; i < p->files.n && e->rc == PQ_OK; i++) {
        const PubFile *f = p->files.item[i];

        add_line(p, &b, '+', &f->st, f->path);
        mark(p, f->folder, e);
    }
    for (uint32_t i = 0; i < p->old.n && e->rc == PQ_OK; i++) {
        const PubOld *o = p->old.item[i];

        add_line(p, &b, '-', &o->st, o->path);
        mark(p, o->folder, e);
    }
    add_lines(p, &b, e);
    pq_buf_free(&b);
    return e->rc;
}

PqRc pub_journal_renamed(PqPublish *p, const PubFile *f, PqErr *e)
{
    PqBuf b;

    if (!p->n_journal) {
        return PQ_OK;
    }
    pq_buf_init(&b, p->mem, e);
    add_line(p, &b, '+', &f->st, f->path);
    if (f->beside) {
        add_line(p, &b, '+', &f->beside->st, f->beside->path);
    }
    add_lines(p, &b, e);
    pq_buf_free(&b);
    return e->rc;
}

PqRc pub_journal_done(PqPublish *p, PqErr *e)
{
    pub_step("done");
    return write_all(p, PQ_JOURNAL_DONE, strlen(PQ_JOURNAL_DONE), p->n_journal, e);
}

bool pub_journal_undo(PqPublish *p)
{
    return !p->n_journal ||
           (ftruncate(p->lock_fd, p->n_journal) == 0 && fsync(p->lock_fd) == 0);
}

/* --- following it --------------------------------------------------------------------- */

bool pub_journal_follow(PqPublish *p, int fd)
{
    PqJournal j;
    PqErr ignored = PQ_NO_ERR;
    bool all;

    if (pq_journal_read(fd, p->mem, &j, &all, &ignored) != PQ_OK) {
        return false;
    }
    for (uint32_t i = 0; i < j.n; i++) {
        char *path = pub_join(p, p->root, j.line[i].path, &ignored);
        struct stat st;

        if (path && lstat(path, &st) == 0 && pq_journal_drops(&j, &j.line[i], &st)) {
            all = (pub_unlink(path) == 0 || errno == ENOENT) && all;
        }
        all = all && path;
    }
    pq_journal_free(&j);
    return all;
}
