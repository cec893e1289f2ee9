/*
** group_entries.c - gathers entries of dictionaries.
*/
#include "core/group/group_entries.h"

#include <string.h>

enum { MOST_ENTRIES = 1 << 16 };

void pq_group_entries_init(PqGroupEntries *g, PqMem *mem, size_t most_bytes)
{
    *g = (PqGroupEntries){.mem = mem, .most_bytes = most_bytes};
    pq_group_texts_init(&g->texts, mem, 0);
}

void pq_group_entries_free(PqGroupEntries *g)
{
    pq_group_texts_free(&g->texts);
    pq_mem_free(g->known);
    pq_group_entries_init(g, g->mem, g->most_bytes);
}

PqRc pq_group_entries_enter(PqGroupEntries *g, const PqDict *d, bool *worth,
                            PqErr *e)
{
    *worth = d->n <= MOST_ENTRIES;
    g->dict = d;
    if (!*worth || g->serial == d->serial) {
        return PQ_OK;
    }
    g->serial = 0;
    if (d->n > g->known_room) {
        PQ_TRY(PQ_RESIZE(g->mem, g->known, d->n, e));
        g->known_room = d->n;
    }
    if (d->n > 0) {
        memset(g->known, 0, d->n * sizeof *g->known);
    }
    g->serial = d->serial;
    return PQ_OK;
}

PqRc pq_group_entries_add(PqGroupEntries *g, uint32_t id, uint32_t *out,
                          PqErr *e)
{
    PqStr text = ((const PqStr *)g->dict->values)[id];
    uint32_t number;

    *out = PQ_GROUP_NO_ENTRY;
    if (pq_group_texts_bytes(&g->texts) + text.n > g->most_bytes) {
        return PQ_OK;
    }
    PQ_TRY(pq_group_texts_number(&g->texts, text, NULL, &number, e));
    *out = g->known[id] = number + 1;
    return PQ_OK;
}
