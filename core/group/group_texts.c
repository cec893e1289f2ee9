/*
** group_texts.c - a table of hashes, and copies of the texts.
*/
#include "core/group/group_texts.h"

#include "core/numbering/hash.h"

void pq_group_texts_init(PqGroupTexts *t, PqMem *mem, uint64_t seed)
{
    *t = (PqGroupTexts){.mem = mem, .seed = seed};
    pq_arena_init(&t->arena, mem);
    pq_group_table_init(&t->table, mem, NULL);
}

void pq_group_texts_free(PqGroupTexts *t)
{
    pq_arena_free(&t->arena);
    pq_group_table_free(&t->table);
    pq_mem_free(t->v);
    pq_group_texts_init(t, t->mem, t->seed);
}

typedef struct Asked {
    PqGroupTexts *t;
    PqStr         text;
} Asked;

static bool is_same(void *arg, uint32_t number, uint32_t i)
{
    const Asked *a = arg;
    PqStr there = a->t->v[number];

    (void)i;
    return there.n == a->text.n &&
           (there.n == 0 || memcmp(there.p, a->text.p, there.n) == 0);
}

static PqRc keep(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    const Asked *a = arg;
    PqGroupTexts *t = a->t;
    char *copy;

    (void)i;
    PQ_TRY(PQ_GROW(t->mem, t->v, number, t->room, e));
    copy = pq_arena_text(&t->arena, a->text.p, a->text.n, e);
    if (!copy) {
        return e->rc;
    }
    t->v[number] = (PqStr){(const uint8_t *)copy, a->text.n};
    return PQ_OK;
}

PqRc pq_group_texts_number(PqGroupTexts *t, PqStr text, const PqStop *stop,
                           uint32_t *out, PqErr *e)
{
    Asked asked = {t, text};
    PqGroupKeep how = {is_same, keep, &asked};
    uint64_t hash = pq_hash_seeded(text.p, text.n, t->seed);
    PqRc rc;

    t->table.stop = stop;
    rc = pq_group_table_find(&t->table, &hash, 1, &how, out, e);
    t->table.stop = NULL;
    return rc;
}
