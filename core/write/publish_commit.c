/*
** publish_commit.c - the last pass: syncs all files, gives them their names,
** and removes the old ones.
**
** The steps that can be undone come first, and are undone if one fails:
**
**   the file     before           done                undone by
**   new name     .b.ID.tmp, -     -, b                renaming it back
**   replaced     .b.ID.tmp, b     .b.ID.tmp, b with   the same swap again
**                                 places changed
**   ... without  .b.ID.tmp, b     b, the old as a     renaming the old one
**       a swap                    link with a         over it
**                                 temporary name
**   removed      c                .c.ID.tmp           renaming it back
**
** After the folders are synced, only temporary names have to be removed, and
** that is no longer a reason to fail.
**
** What is hard is that other copies may work on the same names at the same
** time.  Each step checks, before or after it, whose file it moves.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/write/file_name.h"

#include <errno.h>
#include <stdio.h>

void (*pq_publish_step_hook)(const char *step);

void pub_step(const char *name)
{
    if (pq_publish_step_hook) {
        pq_publish_step_hook(name);
    }
}

PqRc pub_sync_waiting(PqPublish *p, PqErr *e)
{
    for (; p->n_waiting; p->n_waiting--) {
        PubFile *f = p->waiting[p->n_waiting - 1];

        PQ_TRY(pq_stop_poll(p->stop, e));
        pub_step("sync");
        PQ_TRY(pq_sink_settle(f->sink, p->stop, e));
        if (f->read_only && fchmod(pq_sink_descriptor(f->sink), f->mode) != 0) {
            return pq_sink_refused(f->shown, "cannot keep its permissions",
                                   errno, e);
        }
        PQ_TRY(pq_sink_sync(f->sink, e));
        if (fstat(pq_sink_descriptor(f->sink), &f->st) != 0) {
            return pq_sink_refused(f->shown, "cannot be found", errno, e);
        }
        pq_sink_close(f->sink);
        f->sink = NULL;
    }
    return PQ_OK;
}

/* --- names, there and back -------------------------------------------------------- */

static bool not_known(int err)
{
    return err == EINVAL || err == ENOSYS || err == EOPNOTSUPP;
}

/* Renames without replacing anything.  If the file system cannot do that, the
** name is only checked first, and a file that comes in between is replaced. */
static int rename_to_new(const char *from, const char *to)
{
    int rc = pub_rename(from, to, RENAME_NOREPLACE);

    if (rc != 0 && not_known(errno)) {
        if (pub_is_there(to)) {
            errno = EEXIST;
            return -1;
        }
        rc = pub_rename(from, to, 0);
    }
    return rc;
}

static bool is_of_copy(const PubFile *f, const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_dev == f->st.st_dev &&
           st.st_ino == f->st.st_ino;
}

/* Somebody else replaced or removed the new file.  If nothing has its name, the
** old file gets it back.  Otherwise the old file is removed with the other
** temporary names. */
static bool leave(PubFile *f)
{
    bool left = f->state != PUB_SWAPPED || pub_is_there(f->path) ||
                rename_to_new(f->temp, f->path) == 0 || errno == EEXIST;

    f->state = left ? PUB_TEMP : f->state;
    return left;
}

/* Undoes what was done to the file; false if it cannot.  If another copy has
** put a file in its place since, that file is not touched. */
static bool take_back(PubFile *f)
{
    unsigned how = f->state == PUB_SWAPPED ? RENAME_EXCHANGE : 0;

    if (f->state == PUB_TEMP || f->state == PUB_OVER) {
        return f->state == PUB_TEMP;
    }
    if (!is_of_copy(f, f->path)) {
        return leave(f);
    }
    if (pub_rename(f->path, f->temp, how) != 0) {
        if (how && not_known(errno) && pub_rename(f->temp, f->path, 0) == 0) {
            f->state = PUB_TEMP;
        }
        return f->state == PUB_TEMP || (errno == ENOENT && leave(f));
    }
    if (!is_of_copy(f, f->temp)) {   /* another file came in between */
        if (how ? pub_rename(f->temp, f->path, how) != 0
                : rename_to_new(f->temp, f->path) != 0) {
            return false;
        }
    }
    f->state = PUB_TEMP;
    return true;
}

/* The old file may have been put there after the last check.  If it may not be
** replaced, the two change back. */
static PqRc check_swapped(PqPublish *p, PubFile *f, PqErr *e)
{
    PqRc rc = pub_check_replaced(p, f->path, f->temp, f->shown, e);

    if (rc == PQ_OK && !p->is_folder && p->read.n) {
        rc = pub_check_read(p->read.item[0], f->temp, e);
    }
    if (rc != PQ_OK) {
        take_back(f);
    }
    return rc;
}

/* Where two names cannot change places, a link keeps the old file; where there are no
** links, it is gone. */
static PqRc put_over(PqPublish *p, PubFile *f, int *rc, PqErr *e)
{
    char *kept = pub_temp_name(p, f->temp, e);
    bool is_kept;
    int err;

    PQ_TRY(kept ? PQ_OK : e->rc);
    is_kept = pub_link(f->path, kept) == 0;
    *rc = pub_rename(f->temp, f->path, 0);
    if (*rc != 0) {
        err = errno;
        if (is_kept) {
            pub_unlink(kept);
        }
        errno = err;
        return PQ_OK;
    }
    f->state = is_kept ? PUB_SWAPPED : PUB_OVER;
    f->temp = is_kept ? kept : f->temp;
    return is_kept ? check_swapped(p, f, e) : PQ_OK;
}

/* Changes places with the file that has the name.  *rc is 0 when that is done;
** otherwise errno says why not, ENOENT that the name is free. */
static PqRc swap(PqPublish *p, PubFile *f, int *rc, PqErr *e)
{
    bool there = pub_is_there(f->path);

    PQ_TRY(pub_check_replaced(p, f->path, there ? f->path : NULL, f->shown, e));
    if (!p->is_folder && p->read.n) {
        PQ_TRY(pub_check_read(p->read.item[0], f->path, e));
    }
    pub_step("swap");
    *rc = pub_rename(f->temp, f->path, RENAME_EXCHANGE);
    if (*rc == 0) {
        f->state = PUB_SWAPPED;
        return check_swapped(p, f, e);
    }
    return not_known(errno) && there ? put_over(p, f, rc, e) : PQ_OK;
}

/* append: another copy took the name after the file was begun.  Makes the next
** name in b; NULL: that is not free either. */
static char *next_name(PqPublish *p, const PubFile *f, uint64_t i, PqBuf *b,
                       PqErr *e)
{
    bool has = false;

    b->n = 0;
    pq_buf_add(b, f->path, (size_t)(pq_path_name(f->path) - f->path));
    if (pq_file_name_add(b, p->pattern, i, e) != PQ_OK) {
        return NULL;
    }
    pq_buf_byte(b, 0);
    if (!pq_buf_ok(b) || pub_is_there((const char *)b->p) ||
        (f->beside && pub_has_beside(p, (const char *)b->p, &has, e) != PQ_OK) ||
        has) {
        return NULL;
    }
    return pq_arena_text(&p->arena, b->p, b->n - 1, e);
}

/* Gives the key material the name that goes with path.  *moved is false if
** somebody else took that name. */
static PqRc rename_beside(PqPublish *p, PubFile *f, const char *path, bool *moved,
                          PqErr *e)
{
    char *to = pq_key_material_path(path, &p->arena, e);

    *moved = true;
    PQ_TRY(to ? PQ_OK : e->rc);
    if (f->state == PUB_NAMED && rename_to_new(f->path, to) != 0) {
        *moved = errno != EEXIST;
        return *moved ? pq_sink_refused(to, "cannot rename to this", errno, e)
                      : PQ_OK;
    }
    f->path = f->shown = to;
    return PQ_OK;
}

/* Takes the next name that is free, for a file and its key material together. */
static PqRc rename_next(PqPublish *p, PubFile *f, PqErr *e)
{
    bool moved = false;
    PqBuf b;

    f = f->of ? f->of : f;
    pq_buf_init(&b, p->mem, e);
    for (uint64_t i = 0; e->rc == PQ_OK && !moved; i++) {
        char *path = next_name(p, f, i, &b, e);

        moved = path != NULL;
        if (path && f->beside) {
            rename_beside(p, f->beside, path, &moved, e);
        }
        if (moved && e->rc == PQ_OK) {
            f->path = f->shown = path;
            pub_journal_renamed(p, f, e);
        }
    }
    pq_buf_free(&b);
    return e->rc;
}

/* Changes places with the file that has the name, or takes the name if it is
** free.  One of the two works, unless somebody else takes or frees the name in
** between. */
static PqRc put(PqPublish *p, PubFile *f, PqErr *e)
{
    enum { MOST_TRIES = 100 };
    int rc = -1;

    for (int i = 0; i < MOST_TRIES; i++) {
        if (pub_replaces(p) && !f->of) {
            PQ_TRY(swap(p, f, &rc, e));
            if (rc == 0) {
                return PQ_OK;
            }
            if (errno != ENOENT && !not_known(errno)) {
                break;
            }
        } else {
            PQ_TRY(pub_check_replaced(p, f->path, NULL, f->shown, e));
        }
        rc = rename_to_new(f->temp, f->path);
        if (rc == 0) {
            f->state = PUB_NAMED;
            return PQ_OK;
        }
        if (errno != EEXIST || p->overwrite == PQ_OVERWRITE_ERROR ||
            (f->of && p->overwrite != PQ_OVERWRITE_APPEND)) {
            break;
        }
        if (p->overwrite == PQ_OVERWRITE_APPEND) {
            PQ_TRY(rename_next(p, f, e));
            errno = EEXIST;
        }
    }
    return pub_refused(f->shown, "cannot rename to this", errno, e);
}

static PqRc put_all(PqPublish *p, PqErr *e)
{
    for (uint32_t i = 0; i < p->files.n; i++) {
        PubFile *f = p->files.item[i];

        pub_step("rename");
        f->folder->changed = true;
        PQ_TRY(put(p, f, e));
    }
    return PQ_OK;
}

/* Is it no longer the file that was listed?  The inode number alone does not
** tell, since a new file may have got it. */
static bool is_another(const PubOld *o, const char *at)
{
    struct stat st;

    return lstat(at, &st) != 0 || st.st_size != o->st.st_size ||
           st.st_mtim.tv_sec != o->st.st_mtim.tv_sec ||
           st.st_mtim.tv_nsec != o->st.st_mtim.tv_nsec;
}

static PqRc hide_old(PqPublish *p, PqErr *e)
{
    for (uint32_t i = 0; i < p->old.n; i++) {
        PubOld *o = p->old.item[i];

        pub_step("hide");
        if (o->was_read) {
            PQ_TRY(pub_check_read(o, o->path, e));
        } else if (is_another(o, o->path)) {
            continue;
        }
        o->folder->changed = true;
        if (rename_to_new(o->path, o->temp) != 0) {
            if (errno == ENOENT) {
                continue;
            }
            return pq_sink_refused(o->path, "cannot move the old file away",
                                   errno, e);
        }
        o->hidden = true;
        if (is_another(o, o->temp) && rename_to_new(o->temp, o->path) == 0) {
            o->hidden = false;       /* another file came in between */
            PQ_TRY(o->was_read ? pub_check_read(o, o->path, e) : PQ_OK);
        }
    }
    return PQ_OK;
}

static PqRc sync_folders(PqPublish *p, PqErr *e)
{
    for (uint32_t i = 0; i < p->folders.n; i++) {
        const PubFolder *f = p->folders.item[i];
        if (f->changed) {
            pub_step("folders");
            PQ_TRY(pub_sync_folder(f->path, e));
        }
    }
    return PQ_OK;
}

/* Undoes all steps.  Folders are synced too, so that a crash soon after does
** not show half of it. */
static void take_all_back(PqPublish *p, PqErr *e)
{
    bool all = true;
    PqErr ignored = PQ_NO_ERR;

    for (uint32_t i = p->old.n; i-- > 0;) {
        PubOld *o = p->old.item[i];
        if (o->hidden) {
            o->hidden = rename_to_new(o->temp, o->path) != 0 &&
                        errno != ENOENT;
            all = all && !o->hidden;
        }
    }
    all = pub_journal_undo(p) && all;
    for (uint32_t i = p->files.n; i-- > 0;) {
        all = take_back(p->files.item[i]) && all;
    }
    sync_folders(p, &ignored);
    if (!all && p->is_folder) {
        pq_err_hint(e, "some files of %s are new and some are old now, each of "
                    "them whole; old ones may be called .NAME.%s.tmp", p->shown,
                    p->id);
    } else if (!all) {
        pq_err_hint(e, "the file is the new one, and complete");
    }
}

/* --- the pass ----------------------------------------------------------------------- */

/* When replace empties a folder, the folders above it may become empty as
** well. */
static PqRc note_emptied(PqPublish *p, PqErr *e)
{
    size_t n_root = strlen(p->root);

    for (uint32_t i = 0; p->is_folder && i < p->old.n; i++) {
        PubOld *o = p->old.item[i];
        PubFolder *f = o->folder;

        while (strlen(f->path) > n_root && strcmp(f->path, p->root) != 0 &&
               !f->emptied) {
            char *above = pub_folder_of(p, f->path, e);
            f->emptied = true;
            PQ_TRY(above ? PQ_OK : e->rc);
            PQ_TRY(pub_folder_note(p, above, &f, e));
            f->changed = true;
        }
    }
    return PQ_OK;
}

/* The lock may only go when its temporary names are removed and synced. */
static void remove_all(PqPublish *p)
{
    PqErr ignored = PQ_NO_ERR;

    pub_step("remove");
    if (pub_remove_rest(p)) {
        if (p->old.n) {
            sync_folders(p, &ignored);
        }
        pub_step("unlock");
        pub_lock_remove(p);
    }
}

PqRc pub_commit_here(PqPublish *p, PqErr *e)
{
    PqRc rc;

    PQ_TRY(pub_sync_waiting(p, e));
    PQ_TRY(pub_list_old(p, e));
    PQ_TRY(note_emptied(p, e));
    PQ_TRY(pq_stop_poll(p->stop, e));
    PQ_GO(pub_journal_begin(p, e));
    PQ_GO(p->log && p->log->begin ? p->log->begin(p->log->arg, e) : PQ_OK);
    PQ_GO(put_all(p, e));
    if (p->is_folder && p->read.n) {
        PQ_GO(sync_folders(p, e));
        PQ_GO(pub_journal_done(p, e));
    }
    PQ_GO(hide_old(p, e));
    PQ_GO(sync_folders(p, e));
    if (p->log) {
        PQ_GO(p->log->enter(p->log->arg, p, &p->committed, e));
    }
    p->committed = true;
    remove_all(p);
done:
    if (rc != PQ_OK && !p->committed) {
        take_all_back(p, e);
    }
    return rc;
}
