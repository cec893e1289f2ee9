/*
** group_entries.c - gathers entries of dictionaries.
*/
#include "core/group/group_entries.h"

#include "core/group/group_hash.h"

#include <string.h>

enum { MOST_ENTRIES = 1 << 16 };

void pq_group_entries_init(PqGroupEntries *g, PqMem *mem, size_t most_bytes)
{
    *g = (PqGroupEntries){.mem = mem, .most_bytes = most_bytes};
    pq_arena_init(&g->arena, mem);
    pq_group_table_init(&g->table, mem, NULL);   /* it is small */
}

void pq_group_entries_free(PqGroupEntries *g)
{
    pq_arena_free(&g->arena);
    pq_group_table_free(&g->table);
    pq_mem_free(g->texts);
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

/* ---- one more ------------------------------------------------------------ */

typedef struct Adder {
    PqGroupEntries *g;
    PqStr           text;
} Adder;

static bool is_same(void *arg, uint32_t number, uint32_t i)
{
    const Adder *a = arg;
    PqStr s = a->g->texts[number];

    (void)i;
    return s.n == a->text.n && memcmp(s.p, a->text.p, s.n) == 0;
}

static PqRc keep_text(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    Adder *a = arg;
    PqGroupEntries *g = a->g;
    char *copy;

    (void)i;
    PQ_TRY(PQ_GROW(g->mem, g->texts, g->n, g->room, e));
    copy = pq_arena_text(&g->arena, a->text.p, a->text.n, e);
    if (!copy) {
        return e->rc;
    }
    g->texts[number] = (PqStr){(const uint8_t *)copy, a->text.n};
    g->n = number + 1;
    return PQ_OK;
}

static size_t bytes_of(const PqGroupEntries *g)
{
    return pq_arena_memory(&g->arena) + g->room * sizeof *g->texts +
           g->table.n_places * sizeof *g->table.places;
}

PqRc pq_group_entries_add(PqGroupEntries *g, uint32_t id, uint32_t *out,
                          PqErr *e)
{
    Adder a = {g, ((const PqStr *)g->dict->values)[id]};
    PqGroupKeep keep = {is_same, keep_text, &a};
    uint64_t hash = pq_group_hash_bytes(a.text.p, a.text.n);
    uint32_t number;

    *out = PQ_GROUP_NO_ENTRY;
    if (bytes_of(g) + a.text.n > g->most_bytes) {
        return PQ_OK;
    }
    PQ_TRY(pq_group_table_find(&g->table, &hash, 1, &keep, &number, e));
    *out = g->known[id] = number + 1;
    return PQ_OK;
}
