/*
** lookup.c - divides the memory between scans, picked rows and indexes.
**
** Blocks of picked rows are dropped when a scan or an index grows.  That is
** done when something is added here, not whenever a scan allocates: a scan may
** use several threads, and only one of them may drop blocks.
*/
#include "core/scan/scan_inside.h"

enum {
    PICKED_AT_LEAST = 16,            /* of memory: so that picking goes on   */
                                     /* when all else is used up            */
    KEPT_FREE = 8                    /* for what scans may want next        */
};

PqRc pq_lookup_new(size_t memory, PqLookup **out, PqErr *e)
{
    PQ_TRY(PQ_NEW_BUDGET(memory, *out, e));
    (*out)->memory = memory;
    (*out)->most_picked = SIZE_MAX;
    return PQ_OK;
}

void pq_lookup_free(PqLookup *l)
{
    if (l) {
        pq_join_index_free(l->indexes);
        pq_pick_cache_free(l->cache);
        pq_mem_free(l);
    }
}

void pq_lookup_join(PqLookup *l, PqScan *s)
{
    s->lookup = l;
    s->next_of_lookup = l->scans;
    l->scans = s;
}

void pq_lookup_leave(PqScan *s)
{
    PqScan **at = &s->lookup->scans;

    while (*at != s) {
        at = &(*at)->next_of_lookup;
    }
    *at = s->next_of_lookup;
    s->lookup = NULL;
}

static size_t used_by_scans(const PqLookup *l)
{
    size_t sum = 0;

    for (const PqScan *s = l->scans; s; s = s->next_of_lookup) {
        sum += pq_mem_used(s->mem);
    }
    return sum;
}

/* Indexes of an earlier statement have memory of their own. */
size_t pq_lookup_used(const PqLookup *l)
{
    return pq_mem_used(l->mem) + l->adopted + used_by_scans(l);
}

void pq_lookup_pick_memory(PqLookup *l, size_t most)
{
    l->most_picked = most;
}

size_t pq_lookup_memory(const PqLookup *l)
{
    return l->memory;
}

/* The most memory for all indexes together, and for one. */
size_t pq_lookup_index_room(const PqLookup *l, size_t bytes)
{
    size_t all = l->memory / 4 * 3, others = l->indexed - bytes;
    size_t room = others < all ? all - others : 0;

    return room < l->memory / 2 ? room : l->memory / 2;
}

PqRc pq_lookup_share(PqLookup *l, size_t more, PqErr *e)
{
    size_t most = l->memory - l->memory / KEPT_FREE;
    size_t least = l->memory / PICKED_AT_LEAST;
    size_t taken = l->indexed + used_by_scans(l) + more;
    size_t room = taken < most ? most - taken : 0;

    room = room > least ? room : least;
    room = room < l->most_picked ? room : l->most_picked;
    if (!l->cache) {
        PQ_TRY(pq_pick_cache_new(l->mem, room, &l->cache, e));
    }
    pq_pick_cache_set_limit(l->cache, room);
    return PQ_OK;
}

void pq_lookup_count(PqLookup *l)
{
    size_t used = pq_lookup_used(l);

    l->peak = used > l->peak ? used : l->peak;
}
