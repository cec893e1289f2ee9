/*
** versions.c - remembers each file that a statement opens, and compares.
**
** A statement may read a million files and a process may open only some
** thousand, so few files are held open.  Of the rest there are 64-bit hashes and
** identities, without the paths.
*/
#include "core/files/versions.h"

#include "core/numbering/hash.h"
#include "core/numbering/word_numbers.h"

#include <pthread.h>

enum { HELD_OPEN = 4 };

typedef struct Held {
    uint64_t  path;
    PqSource *source;
} Held;

struct PqVersions {
    PqMem    *mem;
    PqPlaces  places;
    pthread_mutex_t lock;            /* for all that follows                */
    PqWordNumbers paths;             /* their hashes                        */
    PqFileId *ids;                   /* by number                           */
    uint32_t  room;
    Held     *held;
    uint32_t  n_held, held_room;
};

PqRc pq_versions_new(PqMem *mem, const PqPlaces *places, PqVersions **out,
                     PqErr *e)
{
    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    (*out)->mem = mem;
    (*out)->places = places ? *places : (PqPlaces){0};
    (*out)->places.terms.statement = *out;
    pthread_mutex_init(&(*out)->lock, NULL);
    pq_word_numbers_init(&(*out)->paths, mem, 0, NULL);
    return PQ_OK;
}

void pq_versions_free(PqVersions *v)
{
    if (v) {
        if (v->places.remote) {
            pq_remote_expect_none(v->places.remote, v);
        }
        for (uint32_t i = 0; i < v->n_held; i++) {
            pq_source_close(v->held[i].source);
        }
        pq_mem_free(v->held);
        pq_word_numbers_free(&v->paths);
        pq_mem_free(v->ids);
        pthread_mutex_destroy(&v->lock);
        pq_mem_free(v);
    }
}

/* If descriptors run out, a file is compared instead of held open.  A BLOB has none, and
** cannot be compared after something was written. */
static void hold(PqVersions *v, uint64_t path, PqSource *s)
{
    PqErr e = PQ_NO_ERR;

    if ((v->n_held < HELD_OPEN || pq_places_is_blob(pq_source_path(s))) &&
        PQ_GROW(v->mem, v->held, v->n_held, v->held_room, &e) == PQ_OK &&
        pq_source_again(s, v->mem, &v->held[v->n_held].source, &e) == PQ_OK) {
        v->held[v->n_held++].path = path;
    }
    pq_err_clear(&e);
}

/* A file that was opened before must be the same.  A new file is noted. */
static PqRc check_or_add(PqVersions *v, uint64_t path, PqSource *s, PqErr *e)
{
    uint32_t n = v->paths.n, number = pq_word_numbers_get(&v->paths, path);

    if (number != PQ_NO_NUMBER) {
        return pq_source_is(s, v->ids[number], e);
    }
    PQ_TRY(PQ_GROW(v->mem, v->ids, n, v->room, e));
    v->ids[n] = pq_source_id(s);
    PQ_TRY(pq_word_numbers_add(&v->paths, path, n, e));
    hold(v, path, s);
    return PQ_OK;
}

static uint64_t hash_of(const char *path)
{
    return pq_hash_bytes(path, strlen(path));
}

bool pq_versions_id(const PqVersions *v, const char *path, PqFileId *out)
{
    uint32_t number = pq_word_numbers_get(&v->paths, hash_of(path));

    if (number != PQ_NO_NUMBER) {
        *out = v->ids[number];
    }
    return number != PQ_NO_NUMBER;
}

/* Another source of a file that is held open; false: it is not.  *known: it was open
** before, so a server need not be asked for its version. */
static bool is_held(PqVersions *v, uint64_t path, PqMem *mem, bool *known,
                    PqSource **out, PqErr *e)
{
    bool found = false;

    pthread_mutex_lock(&v->lock);
    *known = pq_word_numbers_get(&v->paths, path) != PQ_NO_NUMBER;
    for (uint32_t i = 0; i < v->n_held && !found; i++) {
        found = v->held[i].path == path;
        if (found) {
            pq_source_again(v->held[i].source, mem, out, e);
        }
    }
    pthread_mutex_unlock(&v->lock);
    return found;
}

PqRc pq_versions_open(PqVersions *v, PqMem *mem, const char *path,
                      PqSource **out, PqErr *e)
{
    uint64_t hash = hash_of(path);
    PqPlaces places = v->places;

    *out = NULL;
    if (is_held(v, hash, mem, &places.terms.last_known, out, e)) {
        return e->rc;
    }
    PQ_TRY(pq_places_open(&places, mem, path, out, e));
    pthread_mutex_lock(&v->lock);
    check_or_add(v, hash, *out, e);
    pthread_mutex_unlock(&v->lock);
    if (e->rc != PQ_OK) {
        pq_source_close(*out);
        *out = NULL;
    }
    return e->rc;
}

bool pq_versions_expect(PqVersions *v, const char *path)
{
    bool known;

    pthread_mutex_lock(&v->lock);
    known = pq_word_numbers_get(&v->paths, hash_of(path)) != PQ_NO_NUMBER;
    pthread_mutex_unlock(&v->lock);
    return known || pq_remote_expect(v->places.remote, path, &v->places.terms);
}

bool pq_versions_has_come(PqVersions *v, const char *path)
{
    return pq_remote_has_come(v->places.remote, path, &v->places.terms);
}

uint32_t pq_versions_count(PqVersions *v)
{
    uint32_t n;

    pthread_mutex_lock(&v->lock);
    n = v->paths.n;
    pthread_mutex_unlock(&v->lock);
    return n;
}
