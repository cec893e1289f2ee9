/*
** group_table.c - an open hash of group numbers.
**
** A place has 32 bits of the hash beside the number, so that another key is
** hardly ever looked at.  Where a key is looked for is said by other bits, the
** lowest: the highest are equal in all rows of a partition (group_store.h).
*/
#include "core/group/group_table.h"

#include <string.h>

enum {
    FIRST_PLACES = 1 << 8,
    MOST_GROUPS = 1 << 30,
    FAIR_PROBES = 64,                /* for a row: good hashes need 8       */
    SPARE_PROBES = 1 << 16,
    AHEAD = 8,                       /* places are fetched for rows to come */
    POLL_GROUPS = 1 << 16
};

void pq_group_table_init(PqGroupTable *t, PqMem *mem, const PqStop *stop)
{
    *t = (PqGroupTable){.mem = mem, .stop = stop};
}

void pq_group_table_free(PqGroupTable *t)
{
    pq_mem_free(t->places);
    pq_mem_free(t->hashes);
    pq_group_table_init(t, t->mem, t->stop);
}

void pq_group_table_reset(PqGroupTable *t)
{
    if (t->n > 0) {
        memset(t->places, 0, t->n_places * sizeof *t->places);
    }
    t->n = 0;
    t->probes = 0;
}

bool pq_group_table_is_flooded(const PqGroupTable *t, uint64_t n)
{
    return t->probes > n * FAIR_PROBES + SPARE_PROBES;
}

static uint32_t mark_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static PqRc grow(PqGroupTable *t, PqErr *e)
{
    uint32_t n_places = t->n_places ? t->n_places * 2 : FIRST_PLACES;
    PqGroupPlace *places = pq_mem_filled(t->mem, n_places, sizeof *places, 0,
                                         t->stop, e);

    if (!places) {
        return e->rc;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t at = (uint32_t)t->hashes[i] & (n_places - 1);

        if (i % POLL_GROUPS == 0 && pq_stop_poll(t->stop, e) != PQ_OK) {
            pq_mem_free(places);
            return e->rc;
        }
        while (places[at].number) {
            at = (at + 1) & (n_places - 1);
        }
        places[at] = (PqGroupPlace){mark_of(t->hashes[i]), i + 1};
    }
    pq_mem_free(t->places);
    t->places = places;
    t->n_places = n_places;
    return PQ_OK;
}

/* Room for one more group, with a quarter of the places free. */
static PqRc need_room(PqGroupTable *t, PqErr *e)
{
    if (t->n >= MOST_GROUPS) {
        return pq_fail(e, PQ_BUDGET, "more than %d groups", MOST_GROUPS);
    }
    PQ_TRY(PQ_GROW(t->mem, t->hashes, t->n, t->room, e));
    return t->n >= t->n_places / 4 * 3 ? grow(t, e) : PQ_OK;
}

static PqRc find_one(PqGroupTable *t, uint64_t hash, uint32_t i,
                     const PqGroupKeep *keep, uint32_t *number, PqErr *e)
{
    uint32_t mask, at, mark = mark_of(hash);

    PQ_TRY(need_room(t, e));
    mask = t->n_places - 1;
    for (at = (uint32_t)hash & mask; t->places[at].number;
         at = (at + 1) & mask, t->probes++) {
        const PqGroupPlace *p = &t->places[at];

        if (p->mark == mark && keep->same(keep->arg, p->number - 1, i)) {
            *number = p->number - 1;
            return PQ_OK;
        }
    }
    *number = t->n;
    PQ_TRY(keep->add(keep->arg, t->n, i, e));
    t->hashes[t->n] = hash;
    t->places[at] = (PqGroupPlace){mark, ++t->n};
    return PQ_OK;
}

PqRc pq_group_table_find(PqGroupTable *t, const uint64_t *hashes, uint32_t n,
                         const PqGroupKeep *keep, uint32_t *numbers, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        if (t->n_places && i + AHEAD < n) {
            __builtin_prefetch(&t->places[(uint32_t)hashes[i + AHEAD] &
                                          (t->n_places - 1)]);
        }
        PQ_TRY(find_one(t, hashes[i], i, keep, &numbers[i], e));
    }
    return PQ_OK;
}
