/*
** versions.c - remembers each file that a statement opens, and compares.
**
** A statement may read a million files and a process may open only some
** thousand, so few files are held open.  The rest is an open hash of 64-bit
** hashes and identities, without the paths.
*/
#include "core/files/versions.h"

#include <pthread.h>
#include <xxhash.h>

enum { HELD_OPEN = 4, FIRST_ROOM = 16 };

typedef struct Version {
    uint64_t path;                   /* its hash; 0: none                   */
    PqFileId id;
} Version;

struct PqVersions {
    PqMem    *mem;
    pthread_mutex_t lock;            /* for all that follows                */
    Version  *v;                     /* an open hash                        */
    size_t    n, room;               /* a power of two                      */
    uint64_t  path[HELD_OPEN];
    PqSource *held[HELD_OPEN];
    uint32_t  n_held;
};

PqRc pq_versions_new(PqMem *mem, PqVersions **out, PqErr *e)
{
    *out = pq_mem_zeros(mem, 1, sizeof **out, e);
    if (!*out) {
        return e->rc;
    }
    (*out)->mem = mem;
    pthread_mutex_init(&(*out)->lock, NULL);
    return PQ_OK;
}

void pq_versions_free(PqVersions *v)
{
    if (v) {
        for (uint32_t i = 0; i < v->n_held; i++) {
            pq_source_close(v->held[i]);
        }
        pq_mem_free(v->v);
        pthread_mutex_destroy(&v->lock);
        pq_mem_free(v);
    }
}

/* The slot of the path, or the empty one for it.  There is always one. */
static Version *place_of(Version *v, size_t room, uint64_t path)
{
    size_t i = path & (room - 1);

    while (v[i].path && v[i].path != path) {
        i = (i + 1) & (room - 1);
    }
    return &v[i];
}

static PqRc make_room(PqVersions *v, PqErr *e)
{
    size_t room = v->room ? v->room * 2 : FIRST_ROOM;
    Version *more;

    if (v->n * 4 < v->room * 3) {
        return PQ_OK;
    }
    more = pq_mem_zeros(v->mem, room, sizeof *more, e);
    if (!more) {
        return e->rc;
    }
    for (size_t i = 0; i < v->room; i++) {
        if (v->v[i].path) {
            *place_of(more, room, v->v[i].path) = v->v[i];
        }
    }
    pq_mem_free(v->v);
    v->v = more;
    v->room = room;
    return PQ_OK;
}

/* If descriptors run out, a file is compared instead of held open. */
static void hold(PqVersions *v, uint64_t path, PqSource *s)
{
    PqErr e;

    if (v->n_held < HELD_OPEN) {
        pq_err_init(&e);
        if (pq_source_again(s, v->mem, &v->held[v->n_held], &e) == PQ_OK) {
            v->path[v->n_held++] = path;
        }
        pq_err_clear(&e);
    }
}

/* A file that was opened before must be the same.  A new file is noted. */
static PqRc check_or_add(PqVersions *v, uint64_t path, PqSource *s, PqErr *e)
{
    Version *place;

    PQ_TRY(make_room(v, e));
    place = place_of(v->v, v->room, path);
    if (place->path) {
        return pq_source_is(s, place->id, e);
    }
    *place = (Version){path, pq_source_id(s)};
    v->n++;
    hold(v, path, s);
    return PQ_OK;
}

static uint64_t hash_of(const char *path)
{
    return XXH3_64bits(path, strlen(path)) | 1;
}

bool pq_versions_id(const PqVersions *v, const char *path, PqFileId *out)
{
    const Version *place = v->room > 0
                               ? place_of(v->v, v->room, hash_of(path)) : NULL;

    if (!place || !place->path) {
        return false;
    }
    *out = place->id;
    return true;
}

static PqRc open_version(PqVersions *v, PqMem *mem, const char *path,
                         PqSource **out, PqErr *e)
{
    uint64_t hash = hash_of(path);

    for (uint32_t i = 0; i < v->n_held; i++) {
        if (v->path[i] == hash) {
            return pq_source_again(v->held[i], mem, out, e);
        }
    }
    PQ_TRY(pq_source_open(mem, path, out, e));
    if (check_or_add(v, hash, *out, e) != PQ_OK) {
        pq_source_close(*out);
        *out = NULL;
    }
    return e->rc;
}

PqRc pq_versions_open(PqVersions *v, PqMem *mem, const char *path,
                      PqSource **out, PqErr *e)
{
    PqRc rc;

    if (!v) {
        return pq_source_open(mem, path, out, e);
    }
    pthread_mutex_lock(&v->lock);
    rc = open_version(v, mem, path, out, e);
    pthread_mutex_unlock(&v->lock);
    return rc;
}
