/*
** lake_snapshot.c - is held, kept and let go.
*/
#include "core/files/lake_snapshot.h"

PqRc pq_lake_snapshot_new(PqMem *mem, PqLakeSnapshot **out, PqErr *e)
{
    PqArena a;

    pq_arena_init(&a, mem);
    *out = pq_arena_zeros(&a, 1, sizeof **out, e);
    if (!*out) {
        pq_arena_free(&a);
        return e->rc;
    }
    (*out)->arena = a;
    (*out)->holders = 1;
    return PQ_OK;
}

void pq_lake_snapshot_hold(PqLakeSnapshot *s)
{
    s->holders++;
}

void pq_lake_snapshot_release(PqLakeSnapshot *s)
{
    if (s && --s->holders == 0) {
        PqArena a = s->arena;        /* which has s itself, too              */

        pq_footer_release(s->schema);
        pq_arena_free(&a);
    }
}

/* ---- kept -------------------------------------------------------------------------------- */

/* All that are kept. */
enum { KEPT_BYTES = 64 << 20 };

static void drop(PqKeptLakes *k, uint32_t i)
{
    pq_lake_snapshot_release(k->v[i]);
    memmove(&k->v[i], &k->v[i + 1], (PQ_LAKES_KEPT - 1 - i) * sizeof k->v[i]);
    k->v[PQ_LAKES_KEPT - 1] = NULL;
}

static uint32_t find(const PqKeptLakes *k, const char *table, int64_t version)
{
    uint32_t i = 0;

    while (i < PQ_LAKES_KEPT && k->v[i] &&
           (strcmp(k->v[i]->table, table) != 0 ||
            (version >= 0 && k->v[i]->version != version))) {
        i++;
    }
    return i < PQ_LAKES_KEPT && k->v[i] ? i : PQ_LAKES_KEPT;
}

PqLakeSnapshot *pq_kept_lakes_find(const PqKeptLakes *k, const char *table, int64_t version)
{
    uint32_t i = find(k, table, version);

    return i < PQ_LAKES_KEPT ? k->v[i] : NULL;
}

static uint32_t count(const PqKeptLakes *k, size_t *bytes)
{
    uint32_t n = 0;

    for (*bytes = 0; n < PQ_LAKES_KEPT && k->v[n]; n++) {
        *bytes += pq_mem_used(k->v[n]->arena.mem);
    }
    return n;
}

void pq_kept_lakes_add(PqKeptLakes *k, PqLakeSnapshot *s)
{
    uint32_t i = find(k, s->table, s->version), n;
    size_t bytes;

    pq_lake_snapshot_hold(s);        /* it may be the one that is dropped    */
    drop(k, i < PQ_LAKES_KEPT ? i : PQ_LAKES_KEPT - 1);
    memmove(&k->v[1], &k->v[0], (PQ_LAKES_KEPT - 1) * sizeof k->v[0]);
    k->v[0] = s;
    while ((n = count(k, &bytes)) > 0 && bytes > KEPT_BYTES) {
        drop(k, n - 1);
    }
}

void pq_kept_lakes_free(PqKeptLakes *k)
{
    while (k->v[0]) {
        drop(k, 0);
    }
}
