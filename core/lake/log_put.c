/*
** log_put.c - links, where the file system has them.
*/
#define _GNU_SOURCE
#include "core/lake/log_put.h"

#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/base/sink.h"
#include "core/base/system.h"
#include "core/text/json_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

PqRc pq_log_write(PqMem *mem, const char *path, const char *shown, PqSlice bytes, PqErr *e)
{
    PqSink *sink = NULL;

    if (e->rc == PQ_OK && pq_sink_create(mem, path, shown, &sink, e) == PQ_OK && bytes.n &&
        pq_sink_write(sink, bytes.p, bytes.n, e) == PQ_OK) {
        pq_sink_sync(sink, e);
    }
    pq_sink_close(sink);
    return e->rc;
}

/* A server of files may say that a name is taken by our own link, whose answer was lost. */
static int link_new(const char *temp, const char *name)
{
    struct stat ours, theirs;
    int err;

    if (pq_fault_io()) {
        return errno;
    }
    if (link(temp, name) == 0) {
        return 0;
    }
    err = errno;
    if (err == EPERM || err == ENOSYS || err == EOPNOTSUPP) {
        return renameat2(AT_FDCWD, temp, AT_FDCWD, name, RENAME_NOREPLACE) == 0 ? 0 : errno;
    }
    return stat(temp, &ours) == 0 && stat(name, &theirs) == 0 &&
                   ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino ? 0 : err;
}

static PqRc put_near(const char *temp, const char *name, bool replaces, PqObjectMade *made,
                     PqErr *e)
{
    int err = !replaces ? link_new(temp, name)
              : pq_fault_io() || rename(temp, name) != 0 ? errno : 0;

    *made = err == 0 ? PQ_OBJECT_MADE : PQ_OBJECT_TAKEN;
    return err == 0 || err == EEXIST
               ? PQ_OK : pq_sink_refused(name, "cannot be made, so nothing was written", err, e);
}

static PqRc put_far(const PqPlaces *places, PqArena *a, const char *url, PqSlice bytes,
                    bool replaces, PqObjectMade *made, PqErr *e)
{
    PqUrl u;

    PQ_TRY(pq_url_parse(a, url, &u, e));
    return pq_object_make(places->remote, &u, bytes, replaces, &places->terms, made, e);
}

const char *pq_log_temp(PqArena *a, const char *folder, const char *kind, PqErr *e)
{
    const char *id = pq_log_uuid(a, e);

    return id ? pq_arena_printf(a, e, "%s/.%s.%s.tmp", folder, kind, id) : NULL;
}

PqRc pq_log_put(const PqPlaces *places, PqArena *a, const char *name, const char *kind,
                PqSlice bytes, bool replaces, PqObjectMade *made, PqErr *e)
{
    const char *folder, *temp;

    if (pq_url_is(name)) {
        return put_far(places, a, name, bytes, replaces, made, e);
    }
    folder = pq_arena_text(a, name, (size_t)(strrchr(name, '/') - name), e);
    temp = folder ? pq_log_temp(a, folder, kind, e) : NULL;
    PQ_TRY(temp ? PQ_OK : e->rc);
    if (pq_log_write(a->mem, temp, name, bytes, e) == PQ_OK) {
        put_near(temp, name, replaces, made, e);
    }
    if (unlink(temp) != 0) {
        unlink(temp);                /* a full disk may lack room for that, once */
    }
    return e->rc;
}

void pq_log_remove_stale(const char *folder)
{
    enum { DAY_S = 24 * 60 * 60 };
    static const char *const begins[] = {".commit.", ".checkpoint.", ".metadata.",
                                         ".version-hint."};
    char path[PATH_MAX];
    struct dirent *entry;
    struct stat st;
    DIR *d;

    d = pq_url_is(folder) ? NULL : pq_folder_open(folder);
    while (d && (entry = pq_folder_next(d)) != NULL) {
        const char *name = entry->d_name, *end = strrchr(name, '.');
        bool is_ours = false;

        for (size_t i = 0; i < PQ_COUNT(begins); i++) {
            is_ours = is_ours || strncmp(name, begins[i], strlen(begins[i])) == 0;
        }
        if (is_ours && strcmp(end, ".tmp") == 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
            lstat(path, &st) == 0 && st.st_mtim.tv_sec < time(NULL) - DAY_S) {
            unlink(path);
        }
    }
    if (d) {
        closedir(d);
    }
}

int64_t pq_log_now(void)
{
    enum { PER_SECOND = 1000, NANOS = 1000000 };
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * PER_SECOND + t.tv_nsec / NANOS;
}

const char *pq_log_uuid(PqArena *a, PqErr *e)
{
    char text[PQ_UUID_TEXT];
    uint8_t v[16];

    if (pq_random_fill(v, sizeof v, e) != PQ_OK) {
        return NULL;
    }
    v[6] = (uint8_t)((v[6] & 0x0f) | 0x40);
    v[8] = (uint8_t)((v[8] & 0x3f) | 0x80);
    pq_uuid_text(v, text);
    return pq_arena_text(a, text, sizeof text, e);
}
