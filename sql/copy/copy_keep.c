/*
** copy_keep.c - recognizes the files of SQLite databases.
**
** Names are hard: a database may be reached by links, its -wal need not exist
** yet, and a database without a row may be an empty file.  Files are compared
** by device and inode, names by folder and last part.
*/
#define _GNU_SOURCE
#include "sql/copy/copy_keep.h"

#include "core/base/system.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the databases of the connection ---------------------------------------------- */

/* The folder that holds path. */
static bool stat_folder(const char *path, struct stat *out)
{
    size_t n = (size_t)(pq_path_name(path) - path);
    char *folder = n ? sqlite3_mprintf("%.*s", (int)n, path)
                     : sqlite3_mprintf(".");
    bool good = folder && stat(folder, out) == 0;

    sqlite3_free(folder);
    return good;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Are they the same name in the same folder? */
static bool is_same_name(const char *a, const char *b)
{
    struct stat folder_a, folder_b;

    return strcmp(pq_path_name(a), pq_path_name(b)) == 0 &&
           stat_folder(a, &folder_a) && stat_folder(b, &folder_b) &&
           is_same(&folder_a, &folder_b);
}

/* Is it the file `of`?  at is NULL when no file has the name path. */
static bool is_the_file(const char *of, const char *path, const char *at)
{
    struct stat it, own;

    return is_same_name(of, path) ||
           (at && stat(of, &own) == 0 && stat(at, &it) == 0 &&
            is_same(&it, &own));
}

/* Is it the database or one of the files beside it?  Links are followed,
** because SQLite puts those files beside the file itself. */
static bool is_of_database(const char *file, const char *path, const char *at)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char *real = realpath(file, NULL);
    bool is = false;

    for (size_t i = 0; i < PQ_COUNT(ends) && !is; i++) {
        char *own = sqlite3_mprintf("%s%s", file, ends[i]);
        char *followed = real ? sqlite3_mprintf("%s%s", real, ends[i]) : NULL;

        is = (own && is_the_file(own, path, at)) ||
             (followed && is_the_file(followed, path, at));
        sqlite3_free(own);
        sqlite3_free(followed);
    }
    free(real);
    return is;
}

static const char *keeps(void *arg, const char *path, const char *at)
{
    PqsqlCopyKeep *k = arg;
    const char *name;

    for (int i = 0; (name = sqlite3_db_name(k->db, i)) != NULL; i++) {
        const char *file = sqlite3_db_filename(k->db, name);

        if (file && *file && is_of_database(file, path, at)) {
            snprintf(k->words, sizeof k->words, "is a file of the database %s, "
                     "which this connection has open, and no copy replaces it",
                     name);
            return k->words;
        }
    }
    return NULL;
}

/* ---- other files --------------------------------------------------------------------- */

/* Is it named like my.db-wal, and is there a my.db beside it that it would
** belong to? */
static bool is_named_beside(const char *path)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    size_t n = strlen(path), i;
    bool is = false;

    for (i = 0; i < PQ_COUNT(ends) && !is; i++) {
        size_t n_end = strlen(ends[i]);

        if (n > n_end && strcmp(path + n - n_end, ends[i]) == 0) {
            char *of = sqlite3_mprintf("%.*s", (int)(n - n_end), path);
            struct stat st;

            is = of && stat(of, &st) == 0 && S_ISREG(st.st_mode);
            sqlite3_free(of);
        }
    }
    return is;
}

static bool has_beside(const char *path, const char *end)
{
    char *beside = sqlite3_mprintf("%s%s", path, end);
    struct stat st;
    bool has = beside && stat(beside, &st) == 0 && st.st_size > 0;

    sqlite3_free(beside);
    return has;
}

/* Reads through f, which is open.  A file that was not empty, but whose
** xFileSize is 0, gets size 1. */
static bool read_ends(sqlite3_file *f, PqFileEnds *out)
{
    const sqlite3_int64 n_last = sizeof out->last;
    sqlite3_int64 size = 0;
    int n;

    if (f->pMethods->xFileSize(f, &size) != SQLITE_OK || size < 0) {
        return false;
    }
    size += size == 0;
    n = size < (int)sizeof out->first ? (int)size : (int)sizeof out->first;
    out->size = (uint64_t)size;
    return f->pMethods->xRead(f, out->first, n, 0) == SQLITE_OK &&
           (size < n_last || f->pMethods->xRead(f, out->last, (int)n_last,
                                                size - n_last) == SQLITE_OK);
}

/* Opens the file like a database, to read it.  The default VFS may translate
** the bytes, so the plain one is used; VFSes with locks share its knowledge of
** them. */
static bool read_file(const char *at, PqFileEnds *out)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix");
    sqlite3_vfs *vfs = unix_vfs ? unix_vfs : sqlite3_vfs_find(NULL);
    char *full = realpath(at, NULL);
    const char *name = full ? sqlite3_create_filename(full, "", "", 0, NULL)
                            : NULL;
    sqlite3_file *f = vfs ? sqlite3_malloc(vfs->szOsFile) : NULL;
    bool good = false;
    int got;

    if (name && f) {
        memset(f, 0, (size_t)vfs->szOsFile);
        good = vfs->xOpen(vfs, name, f, flags, &got) == SQLITE_OK &&
               read_ends(f, out);
        if (f->pMethods) {
            f->pMethods->xClose(f);
        }
    }
    sqlite3_free(f);
    if (name) {
        sqlite3_free_filename((char *)name);
    }
    free(full);
    return good;
}

/* An empty file may be a database whose rows are all in its WAL.  The VFS does
** not know the locks on a WAL's index, so the WAL is not opened. */
static const char *look(void *arg, const char *path, const char *at,
                        PqFileEnds *out)
{
    static const char magic[] = "SQLite format 3";
    struct stat st;

    memset(out, 0, sizeof *out);
    if (is_named_beside(path)) {
        return "is named as a part of the SQLite database beside it";
    }
    if (!at) {
        return NULL;
    }
    if (stat(at, &st) != 0 || !S_ISREG(st.st_mode)) {
        return "exists, but cannot be read";
    }
    out->size = (uint64_t)st.st_size;
    if (has_beside(path, "-wal") || has_beside(path, "-journal")) {
        return "exists and has the -wal or -journal of an SQLite database "
               "beside it";
    }
    if (st.st_size == 0) {
        return NULL;
    }
    return !read_file(at, out) ? "exists, but cannot be read to see what it is"
           : memcmp(out->first, magic, sizeof magic) == 0
               ? "exists and is an SQLite database" : NULL;
}

void pqsql_copy_keep_init(PqsqlCopyKeep *k, sqlite3 *db)
{
    *k = (PqsqlCopyKeep){.db = db};
    k->host = (PqPublishHost){k, keeps, look, PQ_WRITER_HERE, NULL};
}
