/*
** places.c - looks at how a path begins.
*/
#include "core/files/places.h"

#include "core/base/ascii.h"
#include "core/base/system.h"

static bool begins(const char *path, const char *scheme)
{
    return pq_ascii_same_n(path, scheme, strlen(scheme));
}

bool pq_places_is_blob(const char *path)
{
    return begins(path, "blob:");
}

const char pq_path_of_bytes[] = "the BLOB";

/* The bytes that are the file; p NULL: it is another one. */
static PqSlice bytes_of(const PqPlaces *p, const char *path)
{
    if (p && p->bytes.p && strcmp(path, pq_path_of_bytes) == 0) {
        return p->bytes;
    }
    for (uint32_t i = 0; p && i < p->n_own; i++) {
        if (strcmp(path, p->own[i].path) == 0) {
            return p->own[i].bytes;
        }
    }
    return (PqSlice){0};
}

bool pq_places_is_file(const PqPlaces *p, const char *path)
{
    return bytes_of(p, path).p || pq_url_is(path) || pq_places_is_blob(path);
}

static PqRc need_remote(const PqPlaces *p, PqErr *e)
{
    return p && p->remote ? PQ_OK
                          : pq_fail(e, PQ_USAGE, "a URL is not allowed here");
}

/* file:///a/b and file:/a/b, and file://localhost/a/b; %XX stands for a byte. */
static PqRc local_path(PqArena *a, const char *url, const char **out, PqErr *e)
{
    const char *at = url + strlen("file:");

    if (begins(at, "//")) {
        at += begins(at, "//localhost/") ? strlen("//localhost") : 2;
    }
    if (*at != '/') {
        return pq_fail(e, PQ_USAGE, "a file: URL has an absolute path, as in "
                       "file:///data/a.parquet");
    }
    *out = pq_url_decode(a, pq_slice_text(at), e);
    *out += *out && pq_system_has_drive(*out + 1);       /* file:///C:/a */
    return *out ? PQ_OK : e->rc;
}

/* All below knows / only, and puts \\?\ before a long path by itself.  So \\?\C:\a becomes
** C:/a, and \\?\UNC\server\a becomes //server/a. */
static PqRc with_slashes(PqArena *a, const char *path, const char **out, PqErr *e)
{
    bool server = begins(path, "\\\\?\\UNC\\");
    size_t n = server ? strlen("\\\\?\\UNC") : begins(path, "\\\\?\\") ? 4 : 0;
    char *to;

    if (PQ_SYSTEM_HAS_DRIVES && strchr(path, '\\') && !pq_places_is_blob(path)) {
        *out = to = pq_arena_printf(a, e, "%s%s", server ? "/" : "", path + n);
        for (; to && *to; to++) {
            *to = *to == '\\' ? '/' : *to;
        }
    }
    return *out ? PQ_OK : e->rc;
}

PqRc pq_places_name(const PqPlaces *p, PqArena *a, const char *path,
                    const char **out, PqErr *e)
{
    *out = path;
    if (begins(path, "file:/")) {
        return local_path(a, path, out, e);
    }
    if (!pq_url_is(path)) {
        return with_slashes(a, path, out, e);
    }
    PQ_TRY(need_remote(p, e));
    return pq_remote_adopt(p->remote, a, path, out, e);
}

void pq_places_let_go(const PqPlaces *p, const char *name)
{
    if (p->remote && pq_url_is(name)) {
        pq_remote_hold(p->remote, name, false);
    }
}

PqRc pq_places_read_pipe(const PqPlaces *p, const char *path, PqErr *e)
{
    if (!p->pipes) {
        return PQ_OK;                /* opening it says that it is not a file */
    }
    if (!p->terms.own) {
        return pq_fail(e, PQ_USAGE, "a table in a stored schema does not read a pipe: a "
                       "table in temp does");
    }
    return pq_pipes_read(p->pipes, path, (uint64_t)p->terms.patience.spool,
                         &p->remote->stop, e);
}

PqRc pq_places_open(const PqPlaces *p, PqMem *mem, const char *path,
                    PqSource **out, PqErr *e)
{
    const PqSlice bytes = bytes_of(p, path);

    *out = NULL;
    if (bytes.p) {
        return pq_source_open_memory(mem, path, bytes, out, e);
    }
    if (pq_url_is(path)) {
        PQ_TRY(need_remote(p, e));
        return pq_remote_open(p->remote, mem, path, &p->terms, out, e);
    }
    if (pq_places_is_blob(path)) {
        return p && p->open_blob
                   ? p->open_blob(p->arg, mem, path, out, e)
                   : pq_fail(e, PQ_USAGE, "a blob: path needs a database");
    }
    if (p && p->pipes) {
        PQ_TRY(pq_pipes_open(p->pipes, mem, path, out, e));
    }
    return *out ? PQ_OK : pq_source_open(mem, path, out, e);
}
