/*
** replaced.c - reads the journals of a folder, and looks up files in them by inode.
*/
#define _GNU_SOURCE
#include "core/files/replaced.h"

#include "core/base/folder.h"
#include "core/base/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool pq_replaced_changed(const struct stat *a, const struct stat *b)
{
    return a->st_ino != b->st_ino || a->st_dev != b->st_dev || a->st_size != b->st_size ||
           a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

void pq_replaced_begin(PqReplaced *r)
{
    r->n_names = 0;
    memset(r->counts, 0, sizeof r->counts);
}

PqRc pq_replaced_see(PqReplaced *r, const char *name, PqErr *e)
{
    if (pq_journal_is_name(name) && r->n_names < PQ_REPLACED_JOURNALS &&
        strlen(name) < sizeof r->name[0]) {
        strcpy(r->name[r->n_names++], name);
    }
    return e->rc;
}

static int by_inode(const void *a, const void *b)
{
    const PqJournalLine *x = a, *y = b;

    return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Reads the journal again if it has changed; *same: it has not. */
static PqRc take(PqReplaced *r, uint32_t i, int fd, bool *same, PqErr *e)
{
    PqJournal *j = &r->journal[i];
    struct stat st;
    bool whole;

    if (fstat(fd, &st) == 0 && st.st_size == 0) {
        *same = true;                /* so no file has come yet             */
        r->counts[i] = false;
        return PQ_OK;
    }
    *same = r->counts[i] && !pq_replaced_changed(&st, &j->st);
    if (!j->text || pq_replaced_changed(&st, &j->st)) {
        pq_journal_free(j);
        PQ_TRY(pq_journal_read(fd, r->mem, j, &whole, e));
        if (j->n) {
            qsort(j->line, j->n, sizeof *j->line, by_inode);
        }
    }
    r->counts[i] = true;
    return PQ_OK;
}

PqRc pq_replaced_is_steady(PqReplaced *r, PqBuf *path, bool *steady, PqErr *e)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    uint32_t n_names = r->n_names;
    size_t n = path->n;

    *steady = true;
    r->n_names = 0;
    for (uint32_t i = 0; i < PQ_REPLACED_JOURNALS; i++) {
        bool same = !r->counts[i];
        int fd;

        if (i < n_names) {
            PQ_TRY(pq_folder_enter(path, r->name[i], e));
            fd = open(pq_folder_place(path), flags);
            pq_folder_leave(path, n);
            same = fd >= 0 || errno != ENOENT;
            r->counts[i] &= fd >= 0;
            PQ_TRY(fd >= 0 ? take(r, i, fd, &same, e) : PQ_OK);
            if (fd >= 0) {
                close(fd);
            }
        } else {
            r->counts[i] = false;
        }
        *steady = *steady && same;
    }
    return PQ_OK;
}

static bool drops(const PqJournal *j, const struct stat *st)
{
    PqJournalLine key = {.inode = st->st_ino};
    const PqJournalLine *at = !j->n || st->st_dev != j->st.st_dev ? NULL
        : bsearch(&key, j->line, j->n, sizeof key, by_inode);
    const PqJournalLine *end = j->line + j->n;
    bool found = false;

    while (at && at > j->line && at[-1].inode == st->st_ino) {
        at--;
    }
    for (; at && at < end && at->inode == st->st_ino && !found; at++) {
        found = pq_journal_drops(j, at, st);
    }
    return found;
}

PqRc pq_replaced_drop(PqReplaced *r, PqPaths *paths, uint32_t first, PqErr *e)
{
    uint32_t n = first;

    for (uint32_t k = first; k < paths->n; k++) {
        bool dropped = false;
        struct stat st;

        for (uint32_t i = 0; i < PQ_REPLACED_JOURNALS && !dropped; i++) {
            dropped = r->counts[i] && lstat(paths->path[k], &st) == 0 &&
                      drops(&r->journal[i], &st);
        }
        if (!dropped) {
            paths->path[n++] = paths->path[k];
        }
    }
    paths->n = n;
    return e->rc;
}

void pq_replaced_end(PqReplaced *r)
{
    for (uint32_t i = 0; i < PQ_REPLACED_JOURNALS; i++) {
        pq_journal_free(&r->journal[i]);
    }
}
