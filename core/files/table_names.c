/*
** table_names.c - the names of a table's columns while it is declared.
**
** A hash that ignores case like SQLite, because files with ten thousand columns
** exist.
*/
#include "core/files/table_inside.h"

#include <stdlib.h>


PqColumn *pq_table_add(PqTable *t, PqErr *e)
{
    if (PQ_GROW(t->engine->mem, t->columns, t->n_columns, t->room, e) !=
        PQ_OK) {
        return NULL;
    }
    memset(&t->columns[t->n_columns], 0, sizeof *t->columns);
    return &t->columns[t->n_columns++];
}

static uint32_t name_hash(const char *z)
{
    uint32_t h = 2166136261u;

    for (; *z; z++) {
        h = (h ^ (uint8_t)pq_ascii_lower(*z)) * 16777619u;
    }
    return h;
}

/* ---- a list -------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    const char *text = *(const char *const *)a;

    return pq_ascii_compare((const uint8_t *)text, strlen(text),
                            *(const char *const *)b);
}

static PqRc init_set(PqNameSet *s, const PqNameList *list, PqMem *mem, PqErr *e)
{
    *s = (PqNameSet){.n = list->n};
    if (!list->v) {
        return PQ_OK;
    }
    s->v = pq_mem_zeros(mem, s->n + 1u, sizeof *s->v, e);
    s->asked = pq_mem_zeros(mem, s->n + 1u, sizeof *s->asked, e);
    PQ_TRY(s->v && s->asked ? PQ_OK : e->rc);
    memcpy(s->v, list->v, s->n * sizeof *s->v);
    qsort(s->v, s->n, sizeof *s->v, compare_texts);
    return PQ_OK;
}

static void free_set(PqNameSet *s)
{
    pq_mem_free(s->v);
    pq_mem_free(s->asked);
}

static int compare_key(const void *name, const void *text)
{
    PqSlice s = *(const PqSlice *)name;

    return pq_ascii_compare(s.p, s.n, *(const char *const *)text);
}

/* A name may be in the list twice. */
bool pq_name_set_has(PqNameSet *s, PqSlice name)
{
    const char **at = s->n > 0 ? bsearch(&name, s->v, s->n, sizeof *s->v,
                                         compare_key)
                               : NULL;
    size_t i = at ? (size_t)(at - s->v) : s->n;

    while (i > 0 && at && compare_key(&name, &s->v[i - 1]) == 0) {
        i--;
    }
    for (; at && i < s->n && compare_key(&name, &s->v[i]) == 0; i++) {
        s->asked[i] = true;
    }
    return at != NULL;
}

const char *pq_name_set_left(const PqNameSet *s)
{
    uint32_t i = 0;

    while (i < s->n && s->asked[i]) {
        i++;
    }
    return i < s->n ? s->v[i] : NULL;
}

/* ---- the names of the columns -------------------------------------------- */

PqRc pq_table_names_init(PqTableNames *names, PqTable *t, size_t n,
                         const PqTableOptions *o, PqErr *e)
{
    size_t room = 16;

    while (room < n * 2) {
        room *= 2;
    }
    names->slot = pq_mem_zeros(t->engine->mem, room, sizeof *names->slot, e);
    names->taken = pq_mem_zeros(t->engine->mem, room, sizeof *names->taken, e);
    names->mask = (uint32_t)(room - 1);
    PQ_TRY(init_set(&names->only, &o->only, t->engine->mem, e));
    PQ_TRY(init_set(&names->except, &o->except, t->engine->mem, e));
    return names->slot && names->taken ? PQ_OK : e->rc;
}

void pq_table_names_free(PqTableNames *names)
{
    pq_mem_free(names->slot);
    pq_mem_free(names->taken);
    free_set(&names->only);
    free_set(&names->except);
}

uint32_t *pq_table_names_find(const PqTableNames *names, const PqTable *t,
                              const char *name)
{
    uint32_t i = name_hash(name) & names->mask;

    while (names->slot[i] &&
           !pq_ascii_same(t->columns[names->slot[i] - 1].name, name)) {
        i = (i + 1) & names->mask;
    }
    return &names->slot[i];
}

PqColumn *pq_table_named(const PqTableNames *names, PqTable *t,
                         const char *name)
{
    uint32_t *slot = pq_table_names_find(names, t, name);
    return *slot ? &t->columns[*slot - 1] : NULL;
}

/* Columns are never removed, so numbers that were tried before are not tried
** again. */
PqRc pq_table_name(PqTableNames *names, PqTable *t, const char *name, PqErr *e)
{
    uint32_t *slot = pq_table_names_find(names, t, name);
    uint32_t *taken = &names->taken[slot - names->slot];

    while (*slot) {
        char *longer = pq_arena_printf(&t->arena, e, "%s_%u", name, ++*taken);
        PQ_TRY(longer ? PQ_OK : e->rc);
        slot = pq_table_names_find(names, t, longer);
        if (!*slot) {
            name = longer;
        }
    }
    t->columns[t->n_columns - 1].name = name;
    *slot = t->n_columns;
    return PQ_OK;
}
