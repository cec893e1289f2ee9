/*
** text_numbers.c - keeps a table of hashes, and copies of the texts.
*/
#include "core/numbering/text_numbers.h"

#include "core/numbering/hash.h"

enum { AT_ONCE = 256 };

void pq_text_numbers_init(PqTextNumbers *t, PqMem *mem, uint64_t seed,
                          const PqStop *stop)
{
    *t = (PqTextNumbers){.mem = mem, .seed = seed};
    pq_arena_init(&t->arena, mem);
    pq_number_table_init(&t->table, mem, stop);
}

void pq_text_numbers_free(PqTextNumbers *t)
{
    pq_arena_free(&t->arena);
    pq_number_table_free(&t->table);
    pq_mem_free(t->v);
    pq_text_numbers_init(t, t->mem, t->seed, t->table.stop);
}

void pq_text_numbers_reset(PqTextNumbers *t)
{
    pq_number_table_reset(&t->table);
    pq_arena_reset(&t->arena);
}

typedef struct Asked {
    PqTextNumbers *t;
    const PqStr   *texts;
} Asked;

static bool is_same(void *arg, uint32_t number, uint32_t i)
{
    const Asked *a = arg;

    return pq_str_equal(a->t->v[number], a->texts[i]);
}

static void fetch(void *arg, uint32_t number, bool bytes)
{
    const PqStr *text = &((const Asked *)arg)->t->v[number];

    __builtin_prefetch(bytes ? (const void *)text->p : text);
}

static PqRc keep(void *arg, uint32_t i, uint32_t next, uint32_t *number, PqErr *e)
{
    const Asked *a = arg;
    PqTextNumbers *t = a->t;
    PqStr text = a->texts[i];

    PQ_TRY(PQ_GROW(t->mem, t->v, next, t->room, e));
    text.p = (uint8_t *)pq_arena_text(&t->arena, text.p, text.n, e);
    t->v[next] = text;
    *number = next;
    return text.p ? PQ_OK : e->rc;
}

PqRc pq_text_numbers_find(PqTextNumbers *t, const PqStr *texts, uint32_t n,
                          uint32_t *numbers, PqErr *e)
{
    uint64_t hashes[AT_ONCE];

    for (uint32_t from = 0; from < n; from += AT_ONCE) {
        uint32_t some = n - from < AT_ONCE ? n - from : AT_ONCE;
        Asked asked = {t, texts + from};
        PqNumberKeys keys = {is_same, keep, &asked, fetch};

        for (uint32_t i = 0; i < some; i++) {
            hashes[i] = pq_hash_seeded(texts[from + i].p, texts[from + i].n,
                                       t->seed);
        }
        PQ_TRY(pq_number_table_find(&t->table, hashes, some, &keys,
                                    numbers + from, e));
    }
    return PQ_OK;
}

uint32_t pq_text_numbers_get(PqTextNumbers *t, PqStr text)
{
    uint64_t hash = pq_hash_seeded(text.p, text.n, t->seed);
    uint32_t number = PQ_NO_NUMBER;
    Asked asked = {t, &text};
    PqNumberKeys keys = {is_same, NULL, &asked, NULL};

    if (t->table.n > 0) {            /* so nothing grows, or fails */
        pq_number_table_find(&t->table, &hash, 1, &keys, &number, NULL);
    }
    return number;
}
