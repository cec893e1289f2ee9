/*
** log_names.c - lists a folder of this machine or a prefix of a bucket.
*/
#include "core/lake/log_names.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"
#include "core/base/system.h"
#include "core/remote/object.h"

#include <errno.h>

enum { MOST = 1 << 30 };             /* bytes that are read of a file        */

typedef struct Names {
    PqLogName see;
    void     *arg;
} Names;

static PqRc take_key(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    const Names *n = arg;

    return folder ? PQ_OK : n->see(n->arg, strrchr(key, '/') + 1, e);
}

static PqRc list_bucket(const PqPlaces *places, const char *folder, const char *start_after,
                        PqArena *a, const PqStop *stop, Names *names, PqErr *e)
{
    PqUrl url;
    PqObjectWalk how = {.remote = places->remote, .terms = &places->terms, .below = &url,
                        .stop = stop, .folders = true, .see = take_key, .arg = names};

    folder = pq_arena_printf(a, e, "%s/", folder);
    PQ_TRY(folder ? pq_url_parse(a, folder, &url, e) : e->rc);
    if (start_after) {
        how.start_after = pq_arena_printf(a, e, "%s%s", url.path, start_after);
        PQ_TRY(how.start_after ? PQ_OK : e->rc);
    }
    return pq_objects_walk(&how, e);
}

PqRc pq_log_names(const PqPlaces *places, const char *folder, const char *start_after,
                  PqArena *a, const PqStop *stop, PqLogName see, void *arg, PqErr *e)
{
    struct dirent *entry;
    int err;
    DIR *d;

    if (pq_url_is(folder)) {
        return list_bucket(places, folder, start_after, a, stop, &(Names){see, arg}, e);
    }
    d = pq_folder_open(folder);
    if (!d) {
        return pq_fail_system(e, "cannot read the log of the table", errno);
    }
    while (e->rc == PQ_OK && (entry = pq_folder_next(d)) != NULL) {
        see(arg, entry->d_name, e);
    }
    err = errno;
    closedir(d);
    return e->rc ? e->rc
           : err ? pq_fail_system(e, "cannot read the log of the table", err) : PQ_OK;
}

PqRc pq_log_read(const PqPlaces *places, PqMem *mem, const char *path, PqLogPart part, PqBuf *out,
                 PqFileId *id, PqErr *e)
{
    PqSource *source;
    uint64_t size;
    PqRc rc;

    out->n = 0;
    PQ_TRY(pq_places_open(places, mem, path, &source, e));
    if (!source) {                   /* only asked for                       */
        return PQ_OK;
    }
    size = pq_source_size(source);
    *id = pq_source_id(source);
    part.n = part.or_less && size < part.n ? (size_t)size : part.n;
    if (part.begin > size || part.n > size - part.begin || part.n > MOST) {
        rc = pq_fail(e, part.or_less ? PQ_BUDGET : PQ_CORRUPT, "%zu bytes at byte %llu of a file "
                     "of %llu", part.n, (unsigned long long)part.begin, (unsigned long long)size);
    } else {
        rc = pq_buf_resize(out, part.n, e);
        rc = rc ? rc : pq_source_read(source, part.begin, part.n, out->p, e);
    }
    pq_source_close(source);
    return rc;
}

/* Is a part of the path ".."? */
static bool leads_up(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) {
            return true;
        }
    }
    return false;
}

PqRc pq_log_below(const char *table, const char *path, PqArena *a, const char **out, PqErr *e)
{
    size_t n = strlen(table), n_path = strlen(path) + 1;
    char *to;

    if (!*path || leads_up(path)) {
        return pq_fail(e, PQ_CORRUPT, "%.300s is not in the table", path);
    }
    n -= n && table[n - 1] == '/';
    *out = to = (char *)pq_arena_bytes(a, n + 1 + n_path, e);
    PQ_TRY(to ? PQ_OK : e->rc);
    memcpy(to, table, n);
    to[n] = '/';
    memcpy(to + n + 1, path, n_path);
    return PQ_OK;
}

/* The length of "s3://bucket", "https://host". */
static size_t place_of(const char *url)
{
    size_t n = strcspn(url, ":") + strlen("://");

    return n + strcspn(url + n, "/");
}

/* *rest: of the URL, from the slash on.  Hadoop calls S3 s3a. */
static PqRc check_place(const char *table, const char *url, const char **rest, PqErr *e)
{
    size_t ours = strcspn(table, ":"), theirs = strcspn(url, ":");
    size_t n = place_of(table) - ours;
    bool is = pq_ascii_same_n(table, "s3:", 3)
                  ? (theirs == 2 || theirs == 3) && pq_ascii_same_n(url, "s3an", theirs)
                  : theirs == ours && pq_ascii_same_n(url, table, theirs);

    *rest = url + theirs + n;
    return is && strncmp(url + theirs, table + ours, n) == 0 && **rest == '/'
               ? PQ_OK : pq_fail(e, PQ_USAGE, "the log of a table in a bucket names a file that is "
                                 "elsewhere: %.100s", url);
}

PqRc pq_log_elsewhere(const PqPlaces *places, const char *table, const char *path, bool is_url,
                      PqArena *a, const char **out, PqErr *e)
{
    const char *rest = path;

    if (pq_url_is(table)) {
        PQ_TRY(check_place(table, path, &rest, e));
    } else if (!pq_system_is_absolute(path) && pq_ascii_same_n(path, "file:", 5)) {
        return pq_places_name(places, a, path, out, e);
    } else if (!pq_system_is_absolute(path)) {
        return pq_fail(e, PQ_USAGE, "the log of a table on a disk names a file that is not on "
                       "one: %.100s", path);
    }
    rest = is_url ? pq_url_decode(a, pq_slice_text(rest), e) : rest;
    *out = !rest || !pq_url_is(table)
               ? rest : pq_arena_printf(a, e, "%.*s%s", (int)place_of(table), table, rest);
    return *out ? PQ_OK : e->rc;
}

bool pq_log_folder(const char **at, PqArena *a, const char **name, const char **value, PqErr *e)
{
    const char *slash = strchr(*at, '/');
    const char *is = slash ? memchr(*at, '=', (size_t)(slash - *at)) : NULL;
    PqSlice text;

    *name = *value = NULL;
    if (!is) {
        if (slash) {
            pq_fail(e, PQ_IO, "%.300s is not in a folder of a partition", *at);
        }
        return false;
    }
    text = pq_slice(is + 1, (size_t)(slash - is - 1));
    *name = pq_url_decode(a, pq_slice(*at, (size_t)(is - *at)), e);
    if (!pq_slice_is(text, "__HIVE_DEFAULT_PARTITION__")) {
        *value = pq_url_decode(a, text, e);
    }
    *at = slash + 1;
    return e->rc == PQ_OK;
}
