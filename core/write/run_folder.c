/*
** run_folder.c - the folder of a run of an archive: its name, and how it goes away.
*/
#define _GNU_SOURCE                  /* PATH_MAX */
#include "core/write/run_folder.h"

#include "core/base/bytes.h"
#include "core/base/folder.h"
#include "core/base/random.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What follows the name: d is a digit, x one of base 16. */
static const char shape[] = "-ddddddddTdddddd-xxxxxxxxxxxxxxxx";

static bool is_shaped(const char *at)
{
    for (size_t i = 0; shape[i]; i++) {
        char c = at[i];
        bool digit = c >= '0' && c <= '9';

        if (!(shape[i] == 'd'   ? digit
              : shape[i] == 'x' ? digit || (c >= 'a' && c <= 'f') : c == shape[i])) {
            return false;
        }
    }
    return true;
}

static size_t find(const char *path)
{
    enum { LONG = sizeof shape - 1 };

    for (const char *at = path; *at;) {
        size_t n = strcspn(at, "/");

        if (n >= LONG && is_shaped(at + n - LONG)) {
            return (size_t)(at - path) + n;
        }
        at += n + (at[n] == '/');
    }
    return 0;
}

bool pq_run_folder_in(const char *path)
{
    return find(path) > 0;
}

size_t pq_run_folder_of(const char *path)
{
    return *path != '/' || strstr(path, "/../") ? 0 : find(path);
}

static void name_of(const char *what, char *out, size_t room)
{
    size_t n = 0;

    for (; *what && n + 1 < room; what++) {
        bool plain = (*what >= 'a' && *what <= 'z') || (*what >= 'A' && *what <= 'Z') ||
                     (*what >= '0' && *what <= '9') || (*what == '_' && n);

        out[n++] = plain ? *what : '-';
    }
    out[n] = 0;
}

PqRc pq_run_folder_name(PqArena *a, const char *folder, const char *what, const char **out,
                        PqErr *e)
{
    enum { LONG = 64 };
    char here[PATH_MAX] = "", name[LONG], stamp[32];
    time_t now = time(NULL);
    uint64_t random;
    struct tm utc;
    size_t used, n = strlen(folder);

    if (*folder != '/' && !pq_folder_real(".", here, &used)) {
        return pq_fail(e, PQ_IO, "%s: %s", folder, strerror(errno));
    }
    PQ_TRY(pq_random_fill(&random, sizeof random, e));
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &utc);
    name_of(what, name, sizeof name);
    while (n > 1 && folder[n - 1] == '/') {
        n--;
    }
    *out = pq_arena_printf(a, e, "%s%s%.*s/%s-%s-%016llx", here, *here ? "/" : "", (int)n, folder,
                           name, stamp, (unsigned long long)random);
    return e->rc;
}

/* Removes all in a folder, and the folder. */
static bool remove_all(PqBuf *path, PqErr *e)
{
    size_t n = path->n;
    struct dirent *entry;
    struct stat st;
    bool all = true, found = true;
    DIR *d;

    while (found) {                  /* a folder is closed before the walk goes on */
        found = false;
        d = pq_folder_open((const char *)path->p);
        if (!d) {
            return errno == ENOENT;
        }
        while (!found && (entry = pq_folder_next(d))) {
            if (pq_folder_enter(path, entry->d_name, e) != PQ_OK) {
                closedir(d);
                return false;
            }
            found = lstat((const char *)path->p, &st) == 0 && S_ISDIR(st.st_mode);
            if (!found) {
                all = unlink((const char *)path->p) == 0 && all;
                pq_folder_leave(path, n);
            }
        }
        closedir(d);
        if (found) {
            all = remove_all(path, e);
            pq_folder_leave(path, n);
            if (!all) {
                return false;
            }
        }
    }
    return rmdir((const char *)path->p) == 0 && all;
}

bool pq_run_folder_remove(const char *path)
{
    size_t end = pq_run_folder_of(path), n = strlen(path);
    struct stat st;
    PqMem *mem;
    bool gone;
    PqErr e;
    PqBuf b;

    if (!end) {
        return false;
    }
    pq_err_init(&e);
    mem = pq_mem_new(1 << 20);
    if (!mem) {
        return false;
    }
    pq_buf_init(&b, mem, &e);
    pq_buf_text(&b, path);
    pq_buf_byte(&b, 0);
    gone = pq_buf_ok(&b);
    if (gone && n == end) {
        b.n = n;
        gone = lstat(path, &st) != 0 ? errno == ENOENT : S_ISDIR(st.st_mode) && remove_all(&b, &e);
    } else if (gone) {
        gone = unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR;
        for (; n > end; n--) {
            if (path[n - 1] == '/') {
                b.p[n - 1] = 0;
                if (rmdir((const char *)b.p) != 0) {
                    break;
                }
            }
        }
    }
    pq_buf_free(&b);
    pq_mem_release(mem);
    return gone;
}
