/*
** group_entries.c - gathers entries of dictionaries.
*/
#include "core/group/group_entries.h"

#include "core/numbering/hash.h"

enum { MOST_ENTRIES = 1 << 16 };

/* The seed is an address, which the maker of a file cannot know. */
void pq_group_entries_init(PqGroupEntries *g, PqMem *mem, size_t most_bytes)
{
    *g = (PqGroupEntries){.mem = mem, .most_bytes = most_bytes};
    pq_text_numbers_init(&g->texts, mem, (uint64_t)(uintptr_t)g, NULL);
}

void pq_group_entries_free(PqGroupEntries *g)
{
    pq_text_numbers_free(&g->texts);
    pq_mem_free(g->hashes);
    pq_memo_free(&g->known);
    pq_group_entries_init(g, g->mem, g->most_bytes);
}

PqRc pq_group_entries_enter(PqGroupEntries *g, const PqDict *d, bool *worth,
                            PqErr *e)
{
    bool fresh;

    *worth = d->n <= MOST_ENTRIES;
    g->dict = d;
    if (!*worth) {
        return PQ_OK;
    }
    PQ_TRY(pq_memo_enter(&g->known, g->mem, d->serial, d->n, sizeof(uint32_t),
                         &fresh, e));
    if (fresh && d->n > 0) {
        memset(g->known.v, 0, d->n * sizeof(uint32_t));
    }
    g->known.serial = d->serial;
    return PQ_OK;
}

PqRc pq_group_entries_add(PqGroupEntries *g, uint32_t id, uint32_t *out,
                          PqErr *e)
{
    PqStr text = ((const PqStr *)g->dict->values)[id];
    uint32_t number;

    *out = PQ_GROUP_NO_ENTRY;
    if (pq_text_numbers_bytes(&g->texts) + g->room * sizeof *g->hashes + text.n >
        g->most_bytes) {
        return PQ_OK;
    }
    PQ_TRY(pq_text_numbers_find(&g->texts, &text, 1, &number, e));
    for (; g->n_hashes <= number; g->n_hashes++) {
        PqStr v = g->texts.v[g->n_hashes];

        PQ_TRY(PQ_GROW(g->mem, g->hashes, g->n_hashes, g->room, e));
        g->hashes[g->n_hashes] = pq_hash_bytes(v.p, v.n);
    }
    *out = ((uint32_t *)g->known.v)[id] = number + 1;
    return PQ_OK;
}
