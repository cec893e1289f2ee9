/*
** run_folder.c - the folder of a run of an archive: its name, and how it goes away.
*/
#define _GNU_SOURCE                  /* PATH_MAX */
#include "core/write/run_folder.h"

#include "core/base/bytes.h"
#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/remote/object.h"
#include "core/write/folder_walk.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define S3_SCHEME "s3://"

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

size_t pq_run_folder_bucket(const char *path)
{
    size_t n = strncmp(path, S3_SCHEME, strlen(S3_SCHEME)) == 0 ? strlen(S3_SCHEME) : 0;

    n += n ? strcspn(path + n, "/") : 0;
    return n + (n && path[n] == '/');
}

/* The name of a bucket is not that of a run: all of it would go. */
size_t pq_run_folder_of(const char *path)
{
    size_t n = pq_run_folder_bucket(path);
    size_t end = (n || pq_system_is_absolute(path)) && !strstr(path, "/../") ? find(path + n) : 0;

    return end ? n + end : 0;
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

PqRc pq_run_folder_may_ask(PqRemote *remote, PqArena *a, const char *url, PqUrl *out, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, url);

    if (!remote || pq_url_parse(a, url, out, e) != PQ_OK || out->scheme != PQ_SCHEME_S3) {
        pq_fail(e, PQ_USAGE, "an archive lies in a folder, or in s3://BUCKET/FOLDER");
    } else if (pq_url_check_path(out->path, e) == PQ_OK) {
        pq_remote_enter(remote);
        pq_access_check(remote->access, out, false, e);
    }
    e->where = outer;
    return e->rc;
}

PqRc pq_run_folder_name(PqRemote *remote, PqArena *a, const char *folder, const char *what,
                        const char **out, PqErr *e)
{
    enum { LONG = 64 };
    char here[PATH_MAX] = "", name[LONG], stamp[32];
    time_t now = time(NULL);
    uint64_t random;
    struct tm utc;
    size_t used, n;
    PqUrl url;

    if (pq_url_is(folder)) {
        PQ_TRY(pq_run_folder_may_ask(remote, a, folder, &url, e));
        if (strpbrk(folder, "*?[{")) {
            return pq_fail(e, PQ_USAGE, "%s: on a server a folder of this name is a pattern",
                           folder);
        }
        folder = pq_arena_printf(a, e, S3_SCHEME "%s/%s", url.host, url.path);
        PQ_TRY(folder ? PQ_OK : e->rc);
    } else if (!pq_system_is_absolute(folder) && !pq_folder_real(".", here, &used)) {
        return pq_fail(e, PQ_IO, "%s: %s", folder, strerror(errno));
    }
    PQ_TRY(pq_random_fill(&random, sizeof random, e));
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &utc);
    name_of(what, name, sizeof name);
    n = pq_folder_length(folder, strlen(folder));
    *out = pq_arena_printf(a, e, "%s%s%.*s/%s-%s-%016llx", here, *here ? "/" : "", (int)n, folder,
                           name, stamp, (unsigned long long)random);
    return e->rc;
}

/* ---- on a server -------------------------------------------------------------------- */

/* Objects go while they are listed, in groups, so that a listing may be long. */
typedef struct Removal {
    PqRemote *remote;
    PqUrl     below, object[PQ_OBJECTS_AT_ONCE];
    uint32_t  n;
    PqArena   keys;                  /* of the objects                       */
} Removal;

static PqRc remove_group(Removal *r, PqErr *e)
{
    pq_objects_delete(r->remote, r->object, r->n, false, e);
    r->n = 0;
    pq_arena_reset(&r->keys);
    return e->rc;
}

static PqRc see_key(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    Removal *r = arg;

    PQ_TRY(r->n == PQ_OBJECTS_AT_ONCE ? remove_group(r, e) : PQ_OK);
    r->object[r->n] = r->below;
    r->object[r->n].path = pq_arena_text(&r->keys, key, strlen(key), e);
    PQ_TRY(e->rc);
    r->n++;
    return PQ_OK;
}

static bool remove_far(PqRemote *remote, const char *path, bool is_folder)
{
    static const PqRemoteTerms little = {.own = true, .patience = {.retries = 1, .timeout = 5}};
    Removal r = {.remote = remote};
    PqObjectWalk w = {.remote = remote, .terms = &little, .below = &r.below, .see = see_key,
                      .arg = &r};
    PqErr e = PQ_NO_ERR;
    PqArena a;

    pq_arena_init(&a, remote->mem);
    pq_arena_init(&r.keys, remote->mem);
    if (pq_run_folder_may_ask(remote, &a, path, &r.below, &e) == PQ_OK) {
        const char *key = r.below.path;

        r.below.path = pq_arena_printf(&a, &e, "%s/", key);
        if (e.rc == PQ_OK && (is_folder ? pq_objects_walk(&w, &e)
                                        : see_key(&r, key, false, &a, &e)) == PQ_OK) {
            remove_group(&r, &e);
        }
    }
    pq_arena_free(&r.keys);
    pq_arena_free(&a);
    return e.rc == PQ_OK;
}

/* ---- here --------------------------------------------------------------------------- */

/* What stays is seen at the end. */
static PqRc remove_one(void *arg, PqEntryKind kind, const char *path, const char *name, PqErr *e)
{
    (void)(kind == PQ_ENTRY_FOLDER ? rmdir(path) : unlink(path));
    return PQ_OK;
}

static void remove_all(const char *path)
{
    PqMem *mem = pq_mem_new(SIZE_MAX);
    PqErr e = PQ_NO_ERR;

    if (mem) {
        pq_folder_walk(mem, path, &(PqFolderWalk){.see = remove_one, .deep = true}, &e);
        pq_mem_release(mem);
        rmdir(path);
    }
}

bool pq_run_folder_remove(PqRemote *remote, const char *path)
{
    size_t end = pq_run_folder_of(path);
    struct stat st;
    char *above;

    if (!end) {
        return false;
    }
    if (pq_url_is(path)) {
        return remote && remove_far(remote, path, !path[end]);
    }
    if (!path[end]) {
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            remove_all(path);
        }
        return lstat(path, &st) != 0 && errno == ENOENT;
    }
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return false;
    }
    above = strdup(path);            /* folders that are empty now go too    */
    for (size_t n = strlen(path); above && n > end; n--) {
        if (path[n - 1] == '/') {
            above[n - 1] = 0;
            if (rmdir(above) != 0) {
                break;
            }
        }
    }
    free(above);
    return true;
}
